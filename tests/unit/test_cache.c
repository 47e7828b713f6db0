/* The cache's calls on one thread: what they promise, at every step of random histories, and with
 * every allocation failing in turn. */
#include "wikisearch/cache.h"

#include <stdlib.h>

#include "tests/support/cache_kit.h"
#include "tests/support/faults.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

static _Atomic uint64_t now_ns;
static uint8_t buffer[1 << 20];

static ws_cache_options small_options(void)
{
    ws_cache_options o = WS_CACHE_OPTIONS_INIT;
    o.bytes = 1 << 20;
    o.seed = 42;
    o.clock = kit_clock;
    o.clock_ctx = &now_ns;
    return o;
}

static ws_cache *open_cache(const ws_cache_options *o)
{
    ws_error error = {0};
    ws_cache *c;
    atomic_store(&now_ns, 1000000 * KIT_MS);
    cr_assert_eq(ws_cache_new(&c, o, &error), WS_OK, "%s", error.message);
    return c;
}

static void advance(uint32_t ms)
{
    atomic_fetch_add(&now_ns, ms * KIT_MS);
}

static ws_status put(ws_cache *c, uint32_t key, uint64_t stamp, uint32_t version, size_t size)
{
    kit_key k;
    kit_key_of(&k, key);
    return ws_cache_put(c, k.hash, k.bytes, stamp, kit_value(buffer, key, version, size), 7, NULL);
}

static uint32_t get(ws_cache *c, uint32_t key, uint64_t stamp, ws_cache_view *view)
{
    kit_key k;
    kit_key_of(&k, key);
    return ws_cache_get(c, k.hash, k.bytes, stamp, view);
}

/* State of a key; checks the value and finishes the view. */
static uint32_t look(ws_cache *c, uint32_t key, uint64_t stamp)
{
    ws_cache_view view;
    uint32_t version = 0, state = get(c, key, stamp, &view);
    cr_assert_eq(view.state, state);
    if (state == WS_CACHE_HIT || state == WS_CACHE_STALE)
        cr_assert(kit_value_is(view.value, key, &version));
    ws_cache_view_fini(&view);
    return state;
}

static void check(ws_cache *c)
{
    const char *broken = ws_cache_check(c);
    cr_assert_null(broken, "%s", broken);
}

static uint64_t bytes_taken(ws_cache *c)
{
    return atomic_load(&c->account.taken);
}

/* --- keys and values --- */

Test(cache, what_was_put_is_hit_as_it_was)
{
    ws_cache_options o = small_options();
    ws_cache *c = open_cache(&o);
    ws_cache_view view;
    uint32_t version = 0;
    cr_assert_eq(get(c, 1, 5, &view), WS_CACHE_MISS);
    cr_assert_eq(view.value.len, 0u);
    ws_cache_view_fini(&view);
    cr_assert_eq(put(c, 1, 5, 33, 700), WS_OK);
    cr_assert_eq(get(c, 1, 5, &view), WS_CACHE_HIT);
    cr_assert(kit_value_is(view.value, 1, &version));
    cr_assert_eq(version, 33u);
    cr_assert_eq(view.value.len, 700u);
    cr_assert_eq(view.stamp, 5u);
    cr_assert_eq(view.cost_us, 7u);
    ws_cache_view_fini(&view);
    ws_cache_view_fini(&view);
    cr_assert_eq(look(c, 2, 5), WS_CACHE_MISS);
    check(c);
    ws_cache_free(c);
    ws_cache_free(NULL);
}

/* Equal hashes: the bytes decide. No bytes: the hash does. */
Test(cache, keys_are_told_apart_by_their_bytes)
{
    ws_cache_options o = small_options();
    ws_cache *c = open_cache(&o);
    ws_cache_view view;
    uint8_t same[16] = {1, 2, 3}, other[16] = {1, 2, 4};
    ws_str a = {"a", 1}, b = {"b", 1}, none = {NULL, 0}, empty = {"", 0};
    cr_assert_eq(ws_cache_put(c, same, a, 1, (ws_str){"A", 1}, 0, NULL), WS_OK);
    cr_assert_eq(ws_cache_get(c, same, b, 1, &view), WS_CACHE_MISS);
    cr_assert_eq(ws_cache_put(c, same, b, 1, (ws_str){"B", 1}, 0, NULL), WS_OK);
    cr_assert_eq(ws_cache_get(c, same, a, 1, &view), WS_CACHE_HIT);
    cr_assert_eq(view.value.ptr[0], 'A');
    ws_cache_view_fini(&view);
    cr_assert_eq(ws_cache_get(c, same, none, 1, &view), WS_CACHE_MISS);
    cr_assert_eq(ws_cache_put(c, same, none, 1, empty, 0, NULL), WS_OK);
    cr_assert_eq(ws_cache_get(c, same, empty, 1, &view), WS_CACHE_HIT);
    cr_assert_eq(view.value.len, 0u);
    ws_cache_view_fini(&view);
    cr_assert_eq(ws_cache_get(c, other, none, 1, &view), WS_CACHE_MISS);
    check(c);
    ws_cache_free(c);
}

Test(cache, cost_keeps_three_digits)
{
    static const uint32_t costs[] = {0, 1, 32767, 32768, 40999, 32767000, 4000000000u};
    ws_entry e;
    for (uint32_t i = 0; i < WS_ARRAY_LEN(costs); i++) {
        e.cost = ws_entry_pack_cost(costs[i]);
        uint32_t kept = ws_entry_cost(&e), wanted = WS_MIN(costs[i], 32767000u);
        cr_assert(kept <= wanted && wanted - kept < 1000, "%u became %u", costs[i], kept);
        cr_assert(costs[i] >= 32768 || kept == costs[i]);
    }
}

Test(cache, options_are_checked)
{
    ws_cache_options o = small_options();
    ws_cache *c;
    cr_assert_eq(ws_cache_new(&c, NULL, NULL), WS_ERR_ARG);
    o.shards = 3;
    cr_assert_eq(ws_cache_new(&c, &o, NULL), WS_ERR_ARG);
    o.shards = 128;
    cr_assert_eq(ws_cache_new(&c, &o, NULL), WS_ERR_ARG);
    o = small_options();
    o.bytes = 1000;
    cr_assert_eq(ws_cache_new(&c, &o, NULL), WS_ERR_RANGE);
    o.bytes = (uint64_t)1 << 40;
    cr_assert_eq(ws_cache_new(&c, &o, NULL), WS_ERR_RANGE);
    o = small_options();
    o.max_threads = 4096; /* 512 KiB of records in a cache of 64 KiB */
    o.bytes = 64 << 10;
    cr_assert_eq(ws_cache_new(&c, &o, NULL), WS_ERR_LIMIT);
    cr_assert_null(c);
    o = small_options();
    c = open_cache(&o);
    kit_key k;
    kit_key_of(&k, 1);
    cr_assert_eq(ws_cache_put(c, k.hash, k.bytes, 1, (ws_str){"x", 1}, 0, (void *)&k), WS_ERR_ARG);
    cr_assert_eq(ws_cache_put(c, k.hash, (ws_str){(char *)buffer, WS_CACHE_KEY_MAX + 1}, 1,
                              (ws_str){"x", 1}, 0, NULL),
                 WS_ERR_ARG);
    ws_cache_free(c);
}

Test(cache, what_is_too_large_is_refused_and_harms_nothing)
{
    ws_cache_options o = small_options();
    o.shards = 1;
    ws_cache *c = open_cache(&o);
    cr_assert_eq(put(c, 1, 1, 1, 100), WS_OK);
    cr_assert_eq(put(c, 1, 1, 2, (1 << 20) / 8), WS_ERR_LIMIT);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_HIT);
    cr_assert_eq(put(c, 2, 1, 1, (1 << 20) / 8 - 8192), WS_OK);
    cr_assert_eq(look(c, 2, 1), WS_CACHE_HIT);
    ws_cache_counters n = WS_CACHE_COUNTERS_INIT;
    ws_cache_stats(c, &n);
    cr_assert_eq(n.refused, 1u);
    cr_assert_eq(n.puts, 2u);
    check(c);
    ws_cache_free(c);
}

/* --- time and stamps --- */

Test(cache, a_ttl_ends_freshness_and_then_staleness)
{
    ws_cache_options o = small_options();
    o.ttl_ms = 1000;
    o.stale_ms = 500;
    ws_cache *c = open_cache(&o);
    put(c, 1, 1, 1, 50);
    advance(900);
    ws_cache_tick(c);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_HIT);
    advance(100);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_HIT, "a hit does not look at the clock");
    ws_cache_tick(c);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_STALE);
    advance(400);
    ws_cache_tick(c);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_STALE);
    advance(100);
    ws_cache_tick(c);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_MISS);
    put(c, 1, 1, 2, 50);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_HIT);
    check(c);
    ws_cache_free(c);
}

Test(cache, a_ttl_after_access_begins_anew_with_each_hit)
{
    ws_cache_options o = small_options();
    o.ttl_access_ms = 3000;
    ws_cache *c = open_cache(&o);
    put(c, 1, 1, 1, 50);
    for (uint32_t i = 0; i < 5; i++) {
        advance(2000);
        ws_cache_tick(c);
        cr_assert_eq(look(c, 1, 1), WS_CACHE_HIT);
    }
    advance(3000);
    ws_cache_tick(c);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_MISS);
    check(c);
    ws_cache_free(c);
}

Test(cache, negative_answers_have_their_own_time)
{
    ws_cache_options o = small_options();
    o.negative_ttl_ms = 300;
    o.ttl_ms = 10000;
    o.stale_ms = 10000;
    ws_cache *c = open_cache(&o);
    kit_key k;
    kit_key_of(&k, 1);
    cr_assert_eq(ws_cache_put(c, k.hash, k.bytes, 1, (ws_str){NULL, 0}, 0, NULL), WS_OK);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_NEGATIVE);
    cr_assert_eq(look(c, 1, 2), WS_CACHE_MISS, "it is never served stale");
    advance(300);
    ws_cache_tick(c);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_MISS);
    ws_cache_free(c);
    o.negative_ttl_ms = 0;
    c = open_cache(&o);
    cr_assert_eq(ws_cache_put(c, k.hash, k.bytes, 1, (ws_str){NULL, 0}, 0, NULL), WS_ERR_LIMIT);
    cr_assert_eq(look(c, 1, 1), WS_CACHE_MISS);
    ws_cache_free(c);
}

Test(cache, an_older_stamp_is_stale_from_when_it_is_noticed)
{
    ws_cache_options o = small_options();
    o.stale_ms = 500;
    ws_cache *c = open_cache(&o);
    put(c, 1, 7, 1, 50);
    advance(60000);
    ws_cache_tick(c);
    cr_assert_eq(look(c, 1, 7), WS_CACHE_HIT);
    cr_assert_eq(look(c, 1, 8), WS_CACHE_STALE);
    advance(400);
    ws_cache_tick(c);
    cr_assert_eq(look(c, 1, 9), WS_CACHE_STALE);
    advance(100);
    ws_cache_tick(c);
    cr_assert_eq(look(c, 1, 8), WS_CACHE_MISS);
    put(c, 1, 8, 2, 50);
    cr_assert_eq(look(c, 1, 8), WS_CACHE_HIT);
    cr_assert_eq(look(c, 1, 7), WS_CACHE_MISS, "for an older caller a later entry is none");
    cr_assert_eq(look(c, 1, 8), WS_CACHE_HIT, "and it does not spoil it");
    cr_assert_eq(put(c, 1, 7, 3, 50), WS_ERR_CONFLICT);
    cr_assert_eq(look(c, 1, 8), WS_CACHE_HIT);
    ws_cache_free(c);
    o.stale_ms = 0;
    c = open_cache(&o);
    put(c, 1, 7, 1, 50);
    cr_assert_eq(look(c, 1, 8), WS_CACHE_MISS);
    cr_assert_eq(look(c, 1, 7), WS_CACHE_HIT);
    check(c);
    ws_cache_free(c);
}

Test(cache, one_caller_gets_the_right_to_refresh)
{
    ws_cache_options o = small_options();
    o.stale_ms = 500;
    ws_cache *c = open_cache(&o);
    ws_cache_view first, second;
    put(c, 1, 1, 1, 50);
    cr_assert_eq(get(c, 1, 2, &first), WS_CACHE_STALE);
    cr_assert_eq(first.refresh, 1u);
    for (uint32_t i = 0; i < 20; i++) {
        cr_assert_eq(get(c, 1, 2, &second), WS_CACHE_STALE);
        cr_assert_eq(second.refresh, 0u);
        ws_cache_view_fini(&second);
    }
    ws_cache_view_fini(&first); /* it gave up: the next one may */
    cr_assert_eq(get(c, 1, 2, &second), WS_CACHE_STALE);
    cr_assert_eq(second.refresh, 1u);
    put(c, 1, 2, 2, 50);
    ws_cache_view_fini(&second);
    cr_assert_eq(look(c, 1, 2), WS_CACHE_HIT);
    ws_cache_free(c);
}

Test(cache, ticks_sweep_expired_entries_away)
{
    ws_cache_options o = small_options();
    o.ttl_ms = 1000;
    ws_cache *c = open_cache(&o);
    ws_cache_counters n = WS_CACHE_COUNTERS_INIT;
    for (uint32_t i = 0; i < 300; i++)
        put(c, i, 1, 1, 50);
    advance(1000);
    for (uint32_t i = 0; i < 1200; i++)
        ws_cache_tick(c);
    ws_cache_stats(c, &n);
    cr_assert_eq(n.entries, 0u);
    cr_assert_eq(n.expired, 300u);
    check(c);
    ws_cache_free(c);
}

/* --- views --- */

Test(cache, views_outlive_replacement_eviction_and_clearing)
{
    ws_cache_options o = small_options();
    ws_cache *c = open_cache(&o);
    ws_cache_view views[40]; /* more than a reader has slots: the rest are counted */
    uint32_t version = 0;
    for (uint32_t i = 0; i < 40; i++) {
        cr_assert_eq(put(c, i, 1, i, 900), WS_OK);
        cr_assert_eq(get(c, i, 1, &views[i]), WS_CACHE_HIT);
    }
    for (uint32_t i = 0; i < 40; i += 2)
        put(c, i, 1, 1000 + i, 900);
    for (uint32_t i = 100; i < 6000; i++)
        put(c, i, 1, 1, 300 + i % 1000);
    check(c);
    ws_cache_clear(c);
    check(c);
    ws_cache_counters n = WS_CACHE_COUNTERS_INIT;
    ws_cache_stats(c, &n);
    cr_assert_eq(n.entries, 0u);
    cr_assert_gt(n.retired_bytes, 0u, "what is being looked at is still counted");
    for (uint32_t i = 0; i < 40; i++) {
        cr_assert(kit_value_is(views[i].value, i, &version), "view %u", i);
        cr_assert_eq(version, i);
    }
    for (uint32_t i = 0; i < 40; i++)
        ws_cache_view_fini(&views[i]);
    ws_cache_clear(c);
    ws_cache_stats(c, &n);
    cr_assert_eq(n.retired_bytes, 0u);
    check(c);
    ws_cache_free(c);
}

/* --- looking in --- */

Test(cache, explain_tells_where_a_key_is_and_why_not)
{
    ws_cache_options o = small_options();
    o.entries = 100;
    o.shards = 1;
    ws_cache *c = open_cache(&o);
    ws_cache_explanation x = WS_CACHE_EXPLANATION_INIT;
    kit_key k;
    kit_key_of(&k, 1);
    ws_cache_explain(c, k.hash, k.bytes, &x);
    cr_assert_eq(x.region, WS_CACHE_ABSENT);
    cr_assert_eq(x.reason, WS_CACHE_NO_REASON);
    put(c, 1, 3, 1, 100);
    look(c, 1, 3);
    look(c, 1, 3);
    ws_cache_explain(c, k.hash, k.bytes, &x);
    cr_assert_eq(x.region, WS_CACHE_IN_WINDOW);
    cr_assert_eq(x.hits, 2u);
    cr_assert_eq(x.frequency, 1u);
    cr_assert_eq(x.value_bytes, 100u);
    cr_assert_eq(x.stamp, 3u);
    cr_assert_eq(x.fresh_ms, INT64_MAX);
    for (uint32_t i = 2; i < 60; i++)
        put(c, i, 3, 1, 20);
    ws_cache_explain(c, k.hash, k.bytes, &x);
    cr_assert_eq(x.region, WS_CACHE_PROBATION);
    cr_assert_eq(x.frequency, 3u, "the put and two hits, folded in when it left the window");
    look(c, 1, 3);
    for (uint32_t i = 60; i < 110; i++)
        put(c, i, 3, 1, 20);
    ws_cache_explain(c, k.hash, k.bytes, &x);
    cr_assert_eq(x.region, WS_CACHE_PROTECTED, "it was hit before it was the victim");
    cr_assert_eq(x.frequency, 4u);
    ws_cache_invalidate(c, k.hash, k.bytes);
    ws_cache_explain(c, k.hash, k.bytes, &x);
    cr_assert_eq(x.region, WS_CACHE_ABSENT);
    cr_assert_eq(x.reason, WS_CACHE_REMOVED);
    kit_key_of(&k, 108); /* went through the window when the cache was full, and nobody asked */
    ws_cache_explain(c, k.hash, k.bytes, &x);
    cr_assert_eq(x.reason, WS_CACHE_REJECTED);
    cr_assert_leq(x.candidate_count, x.victim_count);
    ws_cache_free(c);
}

Test(cache, trim_gives_back)
{
    ws_cache_options o = small_options();
    ws_cache *c = open_cache(&o);
    for (uint32_t i = 0; i < 3000; i++)
        put(c, i, 1, 1, 400);
    cr_assert_gt(bytes_taken(c), 900000u);
    ws_cache_trim(c, 500000);
    cr_assert_leq(bytes_taken(c), 500000u);
    check(c);
    cr_assert_eq(put(c, 1, 1, 9, 400), WS_OK);
    ws_cache_trim(c, 0);
    ws_cache_counters n = WS_CACHE_COUNTERS_INIT;
    ws_cache_stats(c, &n);
    cr_assert_eq(n.entries, 0u);
    check(c);
    ws_cache_free(c);
}

Test(cache, a_sketch_that_is_too_small_grows)
{
    ws_cache_options o = small_options();
    o.expected_entries = 16;
    ws_cache *c = open_cache(&o);
    size_t had = ws_sketch_bytes(&c->sketch);
    for (uint32_t i = 0; i < 8000; i++)
        put(c, i, 1, 1, 20);
    cr_assert_gt(ws_sketch_bytes(&c->sketch), had);
    check(c);
    ws_cache_free(c);
}

/* --- random histories --- */

typedef struct {
    uint32_t version; /* 0 = never put or invalidated */
    uint64_t stamp;
    uint32_t size;
} truth;

typedef struct {
    ws_rng rng;
    ws_cache *c;
    uint32_t n_keys, most;
    truth keys[400];
    ws_cache_view held[20];
    uint32_t held_key[20], held_version[20];
    uint32_t hits, misses, version;
} fuzz;

static void fuzz_put(fuzz *f, uint32_t key)
{
    uint64_t stamp = 1 + ws_rng_below(&f->rng, 3);
    uint32_t size = 8 + (uint32_t)ws_rng_below(&f->rng, f->most);
    ws_status status = put(f->c, key, stamp, ++f->version, size);
    cr_assert(status == WS_OK || status == WS_ERR_LIMIT || status == WS_ERR_CONFLICT);
    if (status == WS_OK)
        f->keys[key] = (truth){f->version, stamp, size};
}

/* A hit must be the latest put; a miss is always allowed. */
static void fuzz_get(fuzz *f, uint32_t key)
{
    ws_cache_view view;
    const truth *t = &f->keys[key];
    uint32_t version = 0, state = get(f->c, key, t->version ? t->stamp : 1, &view);
    cr_assert(state == WS_CACHE_HIT || state == WS_CACHE_MISS);
    f->hits += state == WS_CACHE_HIT;
    f->misses += state == WS_CACHE_MISS;
    if (state == WS_CACHE_HIT) {
        cr_assert(kit_value_is(view.value, key, &version));
        cr_assert_eq(version, t->version, "seed %llu", (unsigned long long)f->rng.seed);
        cr_assert_eq(view.value.len, t->size);
        uint32_t place = (uint32_t)ws_rng_below(&f->rng, 60);
        if (place < 20 && !f->held[place].private_entry) {
            f->held[place] = view;
            f->held_key[place] = key;
            f->held_version[place] = version;
            return;
        }
    }
    ws_cache_view_fini(&view);
}

static void fuzz_drop(fuzz *f, uint32_t place)
{
    uint32_t version = 0;
    if (!f->held[place].private_entry)
        return;
    cr_assert(kit_value_is(f->held[place].value, f->held_key[place], &version));
    cr_assert_eq(version, f->held_version[place]);
    ws_cache_view_fini(&f->held[place]);
}

static void fuzz_step(fuzz *f)
{
    uint32_t what = (uint32_t)ws_rng_below(&f->rng, 1000);
    uint32_t key =
        (uint32_t)(ws_rng_below(&f->rng, f->n_keys) * ws_rng_below(&f->rng, f->n_keys) / f->n_keys);
    kit_key k;
    if (what < 450) {
        fuzz_get(f, key);
    } else if (what < 900) {
        fuzz_put(f, key);
    } else if (what < 950) {
        fuzz_drop(f, what % 20);
    } else if (what < 990) {
        kit_key_of(&k, key);
        ws_cache_invalidate(f->c, k.hash, k.bytes);
        f->keys[key] = (truth){0, 0, 0};
        cr_assert_eq(look(f->c, key, 3), WS_CACHE_MISS);
    } else if (what < 995) {
        ws_cache_trim(f->c, f->c->account.limit / 100 * ws_rng_below(&f->rng, 100));
    } else if (what < 998) {
        ws_cache_set_window(f->c, (uint32_t)ws_rng_below(&f->rng, 900));
    } else {
        ws_cache_clear(f->c);
        memset(f->keys, 0, sizeof f->keys);
    }
}

static void run_fuzz(uint64_t seed, ws_cache_options o, uint32_t n_keys, uint32_t most)
{
    static fuzz f;
    memset(&f, 0, sizeof f);
    f.rng = ws_rng_seeded(seed);
    f.c = open_cache(&o);
    f.n_keys = n_keys;
    f.most = most;
    for (uint32_t step = 0; step < 3000; step++) {
        fuzz_step(&f);
        const char *broken = ws_cache_check(f.c);
        cr_assert_null(broken, "%s, seed %llu step %u", broken, (unsigned long long)f.rng.seed,
                       step);
        cr_assert_leq(bytes_taken(f.c), o.bytes);
    }
    cr_assert(f.hits > 20 && f.misses > 20, "%u hits %u misses", f.hits, f.misses);
    for (uint32_t i = 0; i < 20; i++)
        fuzz_drop(&f, i);
    ws_cache_free(f.c);
}

Test(cache, random_histories_keep_every_invariant, .timeout = 300)
{
    ws_cache_options o = small_options();
    o.bytes = 256 << 10;
    o.max_threads = 4;
    run_fuzz(1, o, 400, 600);
    run_fuzz(2, o, 400, 9000);
    o.shards = 1;
    run_fuzz(3, o, 300, 2000);
    run_fuzz(4, o, 100, 40000); /* whole pages */
    o.entries = 50;
    o.bytes = 1 << 20;
    run_fuzz(5, o, 200, 300);
    o.entries = 37;
    o.shards = 4;
    run_fuzz(6, o, 200, 300);
}

/* Sizes change from small to large and back: runs of one class must become runs of another. */
Test(cache, a_change_of_sizes_does_not_stop_it)
{
    static const size_t sizes[] = {60, 3000, 200, 17000, 900};
    ws_cache_options o = small_options();
    o.shards = 2;
    o.bytes = 2 << 20;
    ws_cache *c = open_cache(&o);
    uint32_t key = 0;
    for (uint32_t phase = 0; phase < WS_ARRAY_LEN(sizes); phase++) {
        uint32_t refused = 0, n = 6 * (uint32_t)o.bytes / (uint32_t)(sizes[phase] + 100);
        for (uint32_t i = 0; i < n; i++)
            refused += put(c, key++, 1, 1, sizes[phase]) != WS_OK;
        cr_assert_leq(refused, n / 100, "phase %u: %u of %u", phase, refused, n);
        ws_cache_counters s = WS_CACHE_COUNTERS_INIT;
        ws_cache_stats(c, &s);
        cr_assert_gt(s.entries * sizes[phase], o.bytes / 3, "phase %u: %llu entries", phase,
                     (unsigned long long)s.entries);
        cr_assert_leq(s.bytes, o.bytes);
        check(c);
    }
    ws_cache_free(c);
}

/* --- no memory --- */

static ws_status load_small(void *ctx, const ws_budget *budget, ws_cache_loaded *loaded)
{
    (void)ctx;
    (void)budget;
    loaded->value = (ws_str){"loaded", 6};
    return WS_OK;
}

static ws_status use_everything(ws_cache **out)
{
    ws_cache_options o = small_options();
    ws_cache_view view;
    kit_key k;
    o.bytes = 128 << 10;
    o.expected_entries = 16;
    ws_status worst = ws_cache_new(out, &o, NULL);
    for (uint32_t i = 0; !worst && i < 1500; i++) {
        kit_key_of(&k, i);
        ws_status status =
            i % 3 ? ws_cache_put(*out, k.hash, k.bytes, 1, kit_value(buffer, i, 1, 8 + i % 90), 0,
                                 NULL)
                  : ws_cache_get_or_load(*out, k.hash, k.bytes, 1, load_small, NULL, NULL, &view);
        if (i % 3 == 0 && status == WS_OK) {
            cr_assert_eq(view.value.len, 6u);
            ws_cache_view_fini(&view);
        }
        worst = status == WS_ERR_LIMIT ? worst : status;
    }
    return worst;
}

Test(cache, every_allocation_may_fail, .timeout = 300)
{
    ws_faults faults;
    int failed = 1;
    uint64_t n = 0;
    for (; failed; n++) {
        ws_cache *c = NULL;
        ws_faults_arm(&faults, n);
        ws_status status = use_everything(&c);
        failed = ws_faults_disarm(&faults);
        cr_assert(status == WS_OK || (failed && status == WS_ERR_NOMEM), "allocation %llu: %d",
                  (unsigned long long)n, status);
        if (c)
            check(c);
        ws_cache_free(c);
    }
    cr_assert_gt(n, 500u, "each load allocates its flight");
}
