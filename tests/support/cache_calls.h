/* The cache's calls on one thread with keys by number, each checking what it gets. [1]. */
#ifndef WS_TESTS_SUPPORT_CACHE_CALLS_H
#define WS_TESTS_SUPPORT_CACHE_CALLS_H

#include "tests/support/cache_kit.h"
#include "tests/support/test.h"

static _Atomic uint64_t now_ns;
static uint8_t buffer[1 << 20]; /* for values */

static inline ws_cache_options small_options(void)
{
    ws_cache_options o = WS_CACHE_OPTIONS_INIT;
    o.bytes = 1 << 20;
    o.seed = 42;
    o.clock = kit_clock;
    o.clock_ctx = &now_ns;
    return o;
}

static inline ws_cache *open_cache(const ws_cache_options *o)
{
    ws_error error = {0};
    ws_cache *c;
    atomic_store(&now_ns, 1000000 * KIT_MS);
    cr_assert_eq(ws_cache_new(&c, o, &error), WS_OK, "%s", error.message);
    return c;
}

static inline void advance(uint32_t ms)
{
    atomic_fetch_add(&now_ns, ms * KIT_MS);
}

static inline ws_status put(ws_cache *c, uint32_t key, uint64_t stamp, uint32_t version,
                            size_t size)
{
    kit_key k;
    kit_key_of(&k, key);
    return ws_cache_put(c, k.hash, k.bytes, stamp, kit_value(buffer, key, version, size), 7, NULL);
}

static inline uint32_t get(ws_cache *c, uint32_t key, uint64_t stamp, ws_cache_view *view)
{
    kit_key k;
    kit_key_of(&k, key);
    return ws_cache_get(c, k.hash, k.bytes, stamp, view);
}

/* State of a key; checks the value and finishes the view. */
static inline uint32_t look(ws_cache *c, uint32_t key, uint64_t stamp)
{
    ws_cache_view view;
    uint32_t version = 0, state = get(c, key, stamp, &view);
    cr_assert_eq(view.state, state);
    if (state == WS_CACHE_HIT || state == WS_CACHE_STALE)
        cr_assert(kit_value_is(view.value, key, &version));
    ws_cache_view_fini(&view);
    return state;
}

static inline void check(ws_cache *c)
{
    const char *broken = ws_cache_check(c);
    cr_assert_null(broken, "%s", broken);
}

static inline uint64_t bytes_taken(ws_cache *c)
{
    return atomic_load(&c->account.taken);
}

#endif
