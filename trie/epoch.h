/* Epochs: when may memory that readers might still be looking at be used again?
 *
 * One writer, any number of readers. A reader enters and leaves; between them everything that it
 * can reach stays as it is. The writer unlinks a block, notes the epoch of that moment, and uses
 * the block again once every reader inside has entered in a later epoch. Readers never wait: when
 * the slots are all taken, a reader joins the crowd, and the writer puts reuse off until the crowd
 * has left. Source: epoch-based reclamation (Fraser 2004), with a slot per running query, not per
 * thread.
 */
#ifndef WS_TRIE_EPOCH_H
#define WS_TRIE_EPOCH_H

#include <stdatomic.h>
#include <stdint.h>

#define WS_EPOCH_SLOTS 64u
#define WS_EPOCH_CROWD UINT32_MAX /* entered, but without a slot */

/* A cache line each, so that readers do not take lines from each other. */
typedef struct {
    _Atomic uint64_t epoch; /* 0 = free, else when its reader entered */
    uint64_t unused[7];
} ws_epoch_slot;

typedef struct {
    _Atomic uint64_t now; /* from 1; raised by the writer */
    uint64_t unused1[7];
    _Atomic uint64_t crowd; /* readers inside without a slot */
    uint64_t unused2[7];
    ws_epoch_slot slots[WS_EPOCH_SLOTS];
} ws_epoch;

/* Sets up: epoch 1, nobody inside. [1] */
void ws_epoch_init(ws_epoch *epoch);

/* Enters; returns the slot, which nobody else has until it is left, or WS_EPOCH_CROWD. [any], never
 * waits. */
uint32_t ws_epoch_enter(ws_epoch *epoch);

/* Leaves what ws_epoch_enter returned. [any] */
void ws_epoch_leave(ws_epoch *epoch, uint32_t slot);

/* The present epoch: what a block that was just unlinked is marked with. Writer only. */
static inline uint64_t ws_epoch_now(const ws_epoch *epoch)
{
    return atomic_load_explicit(&epoch->now, memory_order_relaxed); /* only the writer changes it */
}

/* Begins the next epoch. Returns the bound: blocks marked with an earlier epoch are free. Writer
 * only. O(slots). */
uint64_t ws_epoch_advance(ws_epoch *epoch);

#endif
