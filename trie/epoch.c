/* Why no reader holds a block that is used again. All operations below are sequentially consistent,
 * so they have one order. A scan that does not see a reader's slot came before the reader took it;
 * the epoch that the scan follows was therefore begun before the reader's second look at `now`,
 * which makes everything unlinked before that epoch visible as unlinked. A scan that does see the
 * slot frees only what was unlinked in epochs before the one in the slot, and those ended before
 * the reader looked at `now` the first time. */
#include "trie/epoch.h"

#include <string.h>

void ws_epoch_init(ws_epoch *epoch)
{
    memset(epoch, 0, sizeof *epoch);
    atomic_init(&epoch->now, 1);
}

/* Threads have stacks of their own: their addresses spread threads over the slots without any
 * thread-local state. */
static uint32_t first_slot(const void *on_stack)
{
    uint64_t h = (uint64_t)(uintptr_t)on_stack >> 12;
    return (uint32_t)((h * 0x9e3779b97f4a7c15u) >> 58);
}

uint32_t ws_epoch_enter(ws_epoch *epoch)
{
    uint64_t now = atomic_load(&epoch->now);
    uint32_t from = first_slot(&now);
    for (uint32_t i = 0; i < WS_EPOCH_SLOTS; i++) {
        uint32_t slot = (from + i) % WS_EPOCH_SLOTS;
        uint64_t idle = 0;
        if (atomic_load_explicit(&epoch->slots[slot].epoch, memory_order_relaxed) == 0 &&
            atomic_compare_exchange_strong(&epoch->slots[slot].epoch, &idle, now)) {
            (void)atomic_load(&epoch->now); /* the second look: see above */
            return slot;
        }
    }
    atomic_fetch_add(&epoch->crowd, 1);
    (void)atomic_load(&epoch->now);
    return WS_EPOCH_CROWD;
}

void ws_epoch_leave(ws_epoch *epoch, uint32_t slot)
{
    /* Release: what was read inside was read before the writer sees the slot free. */
    if (slot == WS_EPOCH_CROWD)
        atomic_fetch_sub_explicit(&epoch->crowd, 1, memory_order_release);
    else
        atomic_store_explicit(&epoch->slots[slot].epoch, 0, memory_order_release);
}

uint64_t ws_epoch_advance(ws_epoch *epoch)
{
    uint64_t oldest = atomic_fetch_add(&epoch->now, 1) + 1;
    if (atomic_load(&epoch->crowd))
        return 0;
    for (uint32_t i = 0; i < WS_EPOCH_SLOTS; i++) {
        uint64_t entered = atomic_load(&epoch->slots[i].epoch);
        if (entered && entered < oldest)
            oldest = entered;
    }
    return oldest;
}
