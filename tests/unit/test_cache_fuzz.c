/* Random histories of calls with every invariant checked after each step; changes of size; every
 * allocation failing in turn. */
#include <stdlib.h>

#include "tests/support/cache_calls.h"
#include "tests/support/faults.h"
#include "tests/support/rng.h"

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
    cr_assert(f.hits > 10 && f.misses > 10, "%u hits %u misses", f.hits, f.misses);
    for (uint32_t i = 0; i < 20; i++)
        fuzz_drop(&f, i);
    ws_cache_free(f.c);
}

Test(cache_fuzz, random_histories_keep_every_invariant, .timeout = 300)
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
Test(cache_fuzz, a_change_of_sizes_does_not_stop_it)
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
        cr_assert_leq(refused, n / 20, "phase %u: %u of %u", phase, refused, n);
        ws_cache_counters s = WS_CACHE_COUNTERS_INIT;
        ws_cache_stats(c, &s);
        cr_assert_gt(s.entries * sizes[phase], o.bytes / 3, "phase %u: %llu entries", phase,
                     (unsigned long long)s.entries);
        cr_assert_leq(s.bytes, o.bytes);
        check(c);
    }
    ws_cache_free(c);
}

/* Small values and, one in 64, large ones: neither may drive the cache empty. */
Test(cache_fuzz, small_and_large_values_share_the_limit)
{
    ws_cache_options o = small_options();
    ws_rng rng = ws_rng_seeded(7);
    o.bytes = 8 << 20;
    ws_cache *c = open_cache(&o);
    uint32_t refused = 0, n = 60000;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t most = ws_rng_below(&rng, 64) ? 900 : 60000;
        refused += put(c, i, 1, 1, 8 + ws_rng_below(&rng, most)) != WS_OK;
    }
    ws_cache_counters s = WS_CACHE_COUNTERS_INIT;
    ws_cache_stats(c, &s);
    uint64_t live = s.window_bytes + s.probation_bytes + s.protected_bytes;
    cr_assert_leq(refused, n / 100, "%u, seed %llu", refused, (unsigned long long)rng.seed);
    cr_assert_gt(live, o.bytes / 100 * 65, "%llu bytes live, seed %llu", (unsigned long long)live,
                 (unsigned long long)rng.seed);
    check(c);
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

Test(cache_fuzz, every_allocation_may_fail, .timeout = 300)
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
