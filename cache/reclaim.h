/* When may memory be used again that a reader without a lock may be looking at?
 *
 * Each thread that reads has a record of its own with a few pin slots. To use an entry it writes
 * the reference into a slot, then looks whether the table still holds it: if so, nobody frees it
 * until the slot is empty again. Who wants to free unlinks first, then looks into all slots.
 * (Hazard pointers: Michael, IEEE TPDS 2004.) An epoch would be as cheap to enter, but a view that
 * a slow client holds for seconds would then keep every entry retired since; a slot keeps one.
 *
 *   record, 128 bytes  | owner | table | slots 0..11 | -- next line -- counters |
 *
 * Writing the slot and reading the table again must not change places. On the reader's side that
 * would cost a full fence; instead the one who frees makes all threads pass one, with membarrier(2)
 * (private, expedited), once for a batch of entries. Where the kernel has none, readers fence.
 *
 * A thread finds its record by its pthread_t, without thread-local storage; the record of a thread
 * that ended is its successor's with the same pthread_t, or stays (there are max_threads of them).
 * A thread that gets none, or has no slot free, pins by a count in the entry, under the shard's
 * mutex.
 *
 * [any]
 */
#ifndef WS_CACHE_RECLAIM_H
#define WS_CACHE_RECLAIM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/sanitizer.h"
#include "wikisearch/status.h"

#define WS_READER_SLOTS 12u

/* Counted per reader, without contention. */
enum {
    WS_COUNT_HIT,
    WS_COUNT_STALE,
    WS_COUNT_NEGATIVE,
    WS_COUNT_MISS,
    WS_COUNT_LOADING,
    WS_READER_COUNTS
};

typedef struct {
    _Atomic uintptr_t owner; /* pthread_t, 0 = nobody's */
    _Atomic(void *) table;   /* the table that is being read, or was last */
    _Atomic uint32_t slots[WS_READER_SLOTS];
    _Atomic uint64_t counts[WS_READER_COUNTS]; /* the owner's to write */
    char pad[24];
} ws_reader;
_Static_assert(sizeof(ws_reader) == 128, "a record is two cache lines");

typedef struct {
    ws_reader *readers; /* n records, aligned to 128, found by hash of the owner */
    void *memory;
    uint32_t n;        /* a power of two */
    uint32_t fence;    /* 1: no membarrier here, readers fence themselves */
    atomic_uint owned; /* records with an owner */
} ws_readers;

/* `threads` is rounded up to a power of two. WS_ERR_NOMEM. */
ws_status ws_readers_init(ws_readers *readers, uint32_t threads);
void ws_readers_fini(ws_readers *readers);
size_t ws_readers_bytes(uint32_t threads);

/* The record of this thread, or NULL when there is none left. */
ws_reader *ws_readers_claim(ws_readers *readers, uintptr_t self);

/* The record of thread `self`, claimed at its first call. */
static inline ws_reader *ws_readers_mine(ws_readers *r, uintptr_t self)
{
    uint32_t at = (uint32_t)((uint64_t)self * 0x9e3779b97f4a7c15u >> 32) & (r->n - 1);
    ws_reader *mine = &r->readers[at];
    if (atomic_load_explicit(&mine->owner, memory_order_relaxed) == self)
        return mine;
    return ws_readers_claim(r, self);
}

/* Between writing a pin and reading again what it pins. */
static inline void ws_readers_pin_fence(const ws_readers *r)
{
    if (r->fence)
        ws_full_fence();
    else
        atomic_signal_fence(memory_order_seq_cst); /* the compiler's order; see ws_readers_sync */
}

static inline void ws_reader_count(ws_reader *r, uint32_t what)
{
    uint64_t n = atomic_load_explicit(&r->counts[what], memory_order_relaxed);
    atomic_store_explicit(&r->counts[what], n + 1, memory_order_relaxed);
}

/* Makes every pin that protects something visible to this thread. Call it after unlinking and
 * before looking at pins. `self` as above. A system call when other threads read; else nothing. */
void ws_readers_sync(ws_readers *readers, uintptr_t self);

/* The pins of all readers, in ascending order, without 0. After ws_readers_sync.
 *   pins  out, room for `cap`
 * Returns how many there are; more than `cap`: pins[] is of no use. */
uint32_t ws_readers_pins(const ws_readers *readers, uint32_t *pins, uint32_t cap);
uint32_t ws_readers_pins_max(const ws_readers *readers);

/* 1 when some reader has `table` in hand. After ws_readers_sync. */
int ws_readers_hold_table(const ws_readers *readers, const void *table);

#endif
