/* The one sum of what a cache takes from memory, and its limit.
 *
 * Everything is counted before it is taken: runs of the slab, tables (retired ones as well), the
 * sketch, the fixed structures. So the limit cannot be exceeded, not even for a moment. [any] */
#ifndef WS_CACHE_ACCOUNT_H
#define WS_CACHE_ACCOUNT_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct {
    uint64_t limit;
    _Atomic uint64_t taken;
} ws_account;

/* 1 when `bytes` more are within the limit; they are counted then. */
static inline int ws_account_take(ws_account *a, uint64_t bytes)
{
    uint64_t had = atomic_load_explicit(&a->taken, memory_order_relaxed);
    do {
        if (bytes > a->limit || had > a->limit - bytes)
            return 0;
    } while (!atomic_compare_exchange_weak_explicit(&a->taken, &had, had + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return 1;
}

static inline void ws_account_give(ws_account *a, uint64_t bytes)
{
    atomic_fetch_sub_explicit(&a->taken, bytes, memory_order_relaxed);
}

#endif
