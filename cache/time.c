/* Ticks, and what an entry is worth now. */
#include <time.h>

#include "base/clock.h"
#include "cache/cache_int.h"

static uint64_t read_clock(const ws_cache *c)
{
    return c->clock ? c->clock(c->clock_ctx) : ws_clock_read(CLOCK_MONOTONIC_COARSE);
}

/* Never goes back: of two threads the later time stays. */
void ws_cache_read_clock(ws_cache *c)
{
    if (!c->uses_time)
        return;
    uint64_t ns = read_clock(c);
    uint32_t now = ns > c->clock_start ? (uint32_t)((ns - c->clock_start) / WS_TICK_NS) + 1 : 1;
    uint32_t had = atomic_load_explicit(&c->tick, memory_order_relaxed);
    while ((int32_t)(now - had) > 0 &&
           !atomic_compare_exchange_weak_explicit(&c->tick, &had, now, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

/* The stale time of an entry begins when its TTL has passed or somebody with a later stamp first
 * asks: `fresh` is set to that tick, once. */
static uint32_t begin_stale(ws_entry *e, uint32_t now)
{
    uint32_t fresh = atomic_load_explicit(&e->fresh, memory_order_relaxed);
    while (fresh == 0 || (int32_t)(now - fresh) < 0)
        if (atomic_compare_exchange_weak_explicit(&e->fresh, &fresh, now, memory_order_relaxed,
                                                  memory_order_relaxed))
            return now;
    return fresh;
}

static uint32_t stale_or_miss(const ws_cache *c, uint32_t since, uint32_t now)
{
    return now - since < c->stale_ticks ? WS_CACHE_STALE : WS_CACHE_MISS;
}

uint32_t ws_entry_judge(const ws_cache *c, ws_entry *e, uint64_t stamp)
{
    uint32_t now = ws_cache_now(c);
    uint32_t fresh = atomic_load_explicit(&e->fresh, memory_order_relaxed);
    uint32_t negative = atomic_load_explicit(&e->state, memory_order_relaxed) & WS_STATE_NEGATIVE;
    if (e->stamp > stamp)
        return WS_CACHE_MISS;
    if (c->ttl_access_ticks) {
        uint32_t accessed = atomic_load_explicit(&e->accessed, memory_order_relaxed);
        if (now - accessed >= c->ttl_access_ticks)
            return WS_CACHE_MISS;
    }
    int over = fresh && (int32_t)(now - fresh) >= 0;
    if (e->stamp == stamp && !over)
        return negative ? WS_CACHE_NEGATIVE : WS_CACHE_HIT;
    if (negative || !c->stale_ticks)
        return WS_CACHE_MISS;
    return stale_or_miss(c, e->stamp == stamp ? fresh : begin_stale(e, now), now);
}
