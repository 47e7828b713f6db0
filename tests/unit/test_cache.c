/* The cache's calls on one thread: what they promise, a promise at a time. */
#include "wikisearch/cache.h"

#include "tests/support/cache_calls.h"

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
