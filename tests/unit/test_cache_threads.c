/* Threads that do everything at once: for ThreadSanitizer, for torn values, and for the limit,
 * which must hold after every call. */
#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "tests/support/cache_kit.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

enum { THREADS = 4, HELD = 16 };

typedef struct {
    ws_cache *c;
    uint64_t seed;
    uint32_t n_keys, most, calls;
    uint64_t until_ns; /* instead of calls, when not 0 */
    atomic_uint torn, over, version;
    _Atomic uint64_t hits, done;
} world;

typedef struct {
    world *w;
    ws_rng rng;
    ws_cache_view held[HELD];
    uint32_t held_key[HELD];
    uint8_t *bytes;
    uint32_t key;
} worker;

static void check_value(worker *me, uint32_t key, ws_str value)
{
    uint32_t version = 0;
    if (!kit_value_is(value, key, &version))
        atomic_fetch_add(&me->w->torn, 1);
}

static ws_str new_value(worker *me, uint32_t key)
{
    size_t size = 8 + (size_t)ws_rng_below(&me->rng, me->w->most);
    return kit_value(me->bytes, key, atomic_fetch_add(&me->w->version, 1), size);
}

static ws_status load(void *ctx, const ws_budget *budget, ws_cache_loaded *loaded)
{
    worker *me = ctx;
    (void)budget;
    if (ws_rng_below(&me->rng, 10) == 0)
        return ws_rng_below(&me->rng, 2) ? WS_ERR_IO : WS_ERR_NOT_FOUND;
    loaded->value = new_value(me, me->key);
    return WS_OK;
}

/* Views are kept for a while, some of them. */
static void keep_or_finish(worker *me, uint32_t key, ws_cache_view *view)
{
    uint32_t place = (uint32_t)ws_rng_below(&me->rng, HELD * 4);
    if (view->private_entry && view->state != WS_CACHE_NEGATIVE)
        check_value(me, key, view->value);
    if (place < HELD && view->private_entry && view->state != WS_CACHE_NEGATIVE) {
        if (me->held[place].private_entry)
            check_value(me, me->held_key[place], me->held[place].value);
        ws_cache_view_fini(&me->held[place]);
        me->held[place] = *view;
        me->held_key[place] = key;
        return;
    }
    ws_cache_view_fini(view);
}

static void do_rare(worker *me, uint32_t what, const kit_key *k)
{
    ws_cache *c = me->w->c;
    ws_cache_counters n = WS_CACHE_COUNTERS_INIT;
    ws_cache_explanation x = WS_CACHE_EXPLANATION_INIT;
    switch (what) {
    case 0:
        ws_cache_clear(c);
        break;
    case 1:
        ws_cache_trim(c, c->account.limit / 2);
        break;
    case 2:
        ws_cache_stats(c, &n);
        break;
    case 3:
        ws_cache_explain(c, k->hash, k->bytes, &x);
        break;
    case 4:
        ws_cache_set_window(c, (uint32_t)ws_rng_below(&me->rng, 500));
        break;
    default:
        ws_cache_tick(c);
    }
}

static void do_call(worker *me)
{
    world *w = me->w;
    uint32_t what = (uint32_t)ws_rng_below(&me->rng, 1000);
    uint64_t stamp = 1 + atomic_load(&w->done) / 2000;
    ws_cache_view view = {0};
    kit_key k;
    me->key = (uint32_t)(ws_rng_below(&me->rng, w->n_keys) * ws_rng_below(&me->rng, w->n_keys) /
                         w->n_keys);
    kit_key_of(&k, me->key);
    if (what < 500) {
        atomic_fetch_add(&w->hits,
                         ws_cache_get(w->c, k.hash, k.bytes, stamp, &view) == WS_CACHE_HIT);
        keep_or_finish(me, me->key, &view);
    } else if (what < 700) {
        ws_cache_get_or_load(w->c, k.hash, k.bytes, stamp, load, me, NULL, &view);
        keep_or_finish(me, me->key, &view);
    } else if (what < 940) {
        ws_cache_put(w->c, k.hash, k.bytes, stamp, new_value(me, me->key), 1, NULL);
    } else if (what < 994) {
        ws_cache_invalidate(w->c, k.hash, k.bytes);
    } else {
        do_rare(me, what - 994, &k);
    }
    if (atomic_load(&w->c->account.taken) > w->c->account.limit)
        atomic_fetch_add(&w->over, 1);
    atomic_fetch_add(&w->done, 1);
}

static void *work(void *ctx)
{
    worker *me = ctx;
    for (uint32_t i = 0; me->w->until_ns ? ws_now_ns() < me->w->until_ns : i < me->w->calls; i++)
        do_call(me);
    for (uint32_t i = 0; i < HELD; i++) {
        if (me->held[i].private_entry)
            check_value(me, me->held_key[i], me->held[i].value);
        ws_cache_view_fini(&me->held[i]);
    }
    return NULL;
}

static void run(uint64_t seed, const ws_cache_options *o, uint32_t n_keys, uint32_t most,
                uint32_t calls, uint64_t seconds)
{
    static world w;
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    memset(&w, 0, sizeof w);
    memset(workers, 0, sizeof workers);
    w.seed = ws_rng_seeded(seed).seed;
    w.n_keys = n_keys;
    w.most = most;
    w.calls = calls;
    w.until_ns = seconds ? ws_now_ns() + seconds * 1000000000u : 0;
    cr_assert_eq(ws_cache_new(&w.c, o, NULL), WS_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].w = &w;
        workers[i].rng = ws_rng_make(w.seed + i);
        workers[i].bytes = malloc(most + 8);
        cr_assert_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < THREADS; i++)
        free(workers[i].bytes);
    cr_assert_eq(atomic_load(&w.torn), 0u, "seed %llu", (unsigned long long)w.seed);
    cr_assert_eq(atomic_load(&w.over), 0u, "seed %llu", (unsigned long long)w.seed);
    cr_assert_gt(atomic_load(&w.hits), 0u);
    const char *broken = ws_cache_check(w.c);
    cr_assert_null(broken, "%s, seed %llu", broken, (unsigned long long)w.seed);
    ws_cache_free(w.c);
}

static ws_cache_options options(uint64_t bytes)
{
    ws_cache_options o = WS_CACHE_OPTIONS_INIT;
    o.bytes = bytes;
    o.stale_ms = 1000;
    o.negative_ttl_ms = 1000;
    o.ttl_ms = 5000;
    return o;
}

Test(cache_threads, everything_at_once, .timeout = 600)
{
    ws_cache_options o = options(512 << 10);
    o.expected_entries = 64; /* tables and sketch grow meanwhile */
    run(1, &o, 3000, 500, 15000, 0);
    o.shards = 1;
    run(2, &o, 300, 5000, 10000, 0);
}

/* One record for four threads: the others pin by counts, under the mutex. */
Test(cache_threads, more_threads_than_records, .timeout = 600)
{
    ws_cache_options o = options(512 << 10);
    o.max_threads = 1;
    run(3, &o, 1000, 700, 8000, 0);
}

/* Without membarrier(2) readers fence by themselves. */
Test(cache_threads, a_kernel_without_membarrier, .timeout = 600)
{
    ws_readers r;
    cr_assert_eq(ws_readers_init(&r, 4), WS_OK);
    r.fence = 1;
    ws_reader *mine = ws_readers_mine(&r, (uintptr_t)pthread_self());
    cr_assert_not_null(mine);
    atomic_store(&mine->slots[3], 77);
    ws_readers_pin_fence(&r);
    ws_readers_sync(&r, (uintptr_t)pthread_self());
    uint32_t pins[8];
    cr_assert_eq(ws_readers_pins(&r, pins, 8), 1u);
    cr_assert_eq(pins[0], 77u);
    cr_assert_eq(ws_readers_mine(&r, (uintptr_t)pthread_self()), mine);
    ws_readers_fini(&r);
}

/* Ten minutes with WS_TEST_FULL=1. */
Test(cache_threads, the_limit_holds_while_sizes_change, .timeout = 1200)
{
    ws_cache_options o = options(2 << 20);
    int full = getenv("WS_TEST_FULL") != NULL;
    for (uint32_t most = 64; most <= 65536; most *= 4)
        run(most, &o, 20000, most, full ? 0 : 4000, full ? 100 : 0);
}
