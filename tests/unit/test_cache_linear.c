/* Linearizability of recorded histories: 3 threads, 8 calls each, keys that they share. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "tests/support/cache_history.h"
#include "tests/support/cache_kit.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

enum { THREADS = 3, CALLS = 8, KEYS = 2 };

/* --- the checker itself --- */

#define CALL(kind, version, called, returned)                                                      \
 {                                                                                                 \
  HISTORY_##kind, version, called, returned                                                        \
 }

Test(cache_linear, the_checker_knows_right_from_wrong)
{
    ws_history_call put_get[] = {CALL(PUT, 1, 1, 2), CALL(GET, 1, 3, 4)};
    cr_assert(ws_history_is_linearizable(put_get, 2));
    ws_history_call early[] = {CALL(GET, 1, 1, 2), CALL(PUT, 1, 3, 4)};
    cr_assert_not(ws_history_is_linearizable(early, 2));
    ws_history_call overlap[] = {CALL(GET, 1, 1, 4), CALL(PUT, 1, 2, 3)};
    cr_assert(ws_history_is_linearizable(overlap, 2));
    ws_history_call old[] = {CALL(PUT, 1, 1, 2), CALL(PUT, 2, 3, 4), CALL(GET, 1, 5, 6)};
    cr_assert_not(ws_history_is_linearizable(old, 3));
    ws_history_call back[] = {CALL(PUT, 1, 1, 2), CALL(MISS, 0, 3, 4), CALL(GET, 1, 5, 6)};
    cr_assert_not(ws_history_is_linearizable(back, 3), "what was gone does not come back");
    ws_history_call gone[] = {CALL(PUT, 1, 1, 2), CALL(INVALIDATE, 0, 3, 4), CALL(GET, 1, 5, 6)};
    cr_assert_not(ws_history_is_linearizable(gone, 3));
    ws_history_call stored[] = {CALL(LOAD, 1, 1, 6), CALL(INVALIDATE, 0, 2, 3), CALL(GET, 1, 7, 8)};
    cr_assert(ws_history_is_linearizable(stored, 3), "the load may have begun behind it");
    ws_history_call overtaken[] = {CALL(LOAD, 1, 1, 6), CALL(JOIN, 1, 2, 7),
                                   CALL(INVALIDATE, 0, 8, 9), CALL(GET, 1, 10, 11)};
    cr_assert_not(ws_history_is_linearizable(overtaken, 4));
    ws_history_call before[] = {CALL(LOAD, 1, 1, 20), CALL(JOIN, 1, 2, 20), CALL(GET, 1, 21, 22)};
    cr_assert(ws_history_is_linearizable(before, 3));
    ws_history_call late_join[] = {CALL(LOAD, 1, 1, 3), CALL(JOIN, 1, 4, 5)};
    cr_assert_not(ws_history_is_linearizable(late_join, 2));
}

/* --- recording --- */

typedef struct {
    ws_cache *c;
    pthread_barrier_t barrier;
    _Atomic uint64_t counter;
    atomic_uint version;
    uint32_t n[THREADS][KEYS];
    ws_history_call own[THREADS][KEYS][CALLS];
    uint64_t seed;
    uint32_t rounds;
    atomic_uint joined, loaded;
    uint64_t checked, overlapping;
    int bad;
} world;

typedef struct {
    world *w;
    uint32_t number;
} who;

typedef struct {
    world *w;
    ws_rng *rng;
    uint32_t key, version;
    uint8_t bytes[40];
} load_ctx;

static void pause_sometimes(ws_rng *rng)
{
    if (ws_rng_below(rng, 4) == 0)
        sched_yield();
}

static ws_status load(void *ctx, const ws_budget *budget, ws_cache_loaded *loaded)
{
    load_ctx *l = ctx;
    (void)budget;
    l->version = 1 + atomic_fetch_add(&l->w->version, 1);
    pause_sometimes(l->rng);
    loaded->value = kit_value(l->bytes, l->key, l->version, sizeof l->bytes);
    sched_yield();
    return WS_OK;
}

static void call_load(world *w, ws_rng *rng, const kit_key *k, uint32_t key, ws_history_call *call)
{
    load_ctx l = {w, rng, key, 0, {0}};
    ws_cache_view view;
    ws_cache_get_or_load(w->c, k->hash, k->bytes, 1, load, &l, NULL, &view);
    call->kind = view.state == WS_CACHE_MISS  ? HISTORY_LOAD
                 : view.state == WS_CACHE_HIT ? HISTORY_GET
                                              : HISTORY_JOIN;
    if (!kit_value_is(view.value, key, &call->version))
        w->bad = 1;
    atomic_fetch_add(&w->loaded, view.state == WS_CACHE_MISS);
    atomic_fetch_add(&w->joined, view.state == WS_CACHE_LOADING);
    ws_cache_view_fini(&view);
}

static void call_get(world *w, const kit_key *k, uint32_t key, ws_history_call *call)
{
    ws_cache_view view;
    uint32_t state = ws_cache_get(w->c, k->hash, k->bytes, 1, &view);
    call->kind = state == WS_CACHE_HIT ? HISTORY_GET : HISTORY_MISS;
    if (state == WS_CACHE_HIT && !kit_value_is(view.value, key, &call->version))
        w->bad = 1;
    ws_cache_view_fini(&view);
}

static int call_one(world *w, ws_rng *rng, uint32_t key, ws_history_call *call)
{
    uint8_t bytes[40];
    kit_key k;
    kit_key_of(&k, key);
    *call = (ws_history_call){0, 0, 0, 0};
    uint32_t what = (uint32_t)ws_rng_below(rng, 10);
    pause_sometimes(rng);
    call->called = atomic_fetch_add(&w->counter, 1);
    if (what < 4) {
        call_get(w, &k, key, call);
    } else if (what < 6) {
        call->kind = HISTORY_PUT;
        call->version = 1 + atomic_fetch_add(&w->version, 1);
        ws_str value = kit_value(bytes, key, call->version, sizeof bytes);
        if (ws_cache_put(w->c, k.hash, k.bytes, 1, value, 0, NULL))
            return 0; /* refused: nothing happened */
    } else if (what < 8) {
        call->kind = HISTORY_INVALIDATE;
        ws_cache_invalidate(w->c, k.hash, k.bytes);
    } else {
        call_load(w, rng, &k, key, call);
    }
    call->returned = atomic_fetch_add(&w->counter, 1);
    return 1;
}

static void *run_thread(void *ctx)
{
    who *me = ctx;
    world *w = me->w;
    ws_rng rng = ws_rng_make(w->seed + me->number * 1000003);
    for (uint32_t round = 0; round < w->rounds; round++) {
        pthread_barrier_wait(&w->barrier);
        memset(w->n[me->number], 0, sizeof w->n[me->number]);
        for (uint32_t i = 0; i < CALLS; i++) {
            uint32_t key = (uint32_t)ws_rng_below(&rng, KEYS);
            uint32_t *n = &w->n[me->number][key];
            *n += (uint32_t)call_one(w, &rng, key, &w->own[me->number][key][*n]);
        }
        pthread_barrier_wait(&w->barrier);
        pthread_barrier_wait(&w->barrier); /* the checker is done with it */
    }
    return NULL;
}

/* A load that was delivered to somebody but whose own call was refused does not occur: loaders
 * here always succeed. A cache that begins anew has nothing from the round before. */
static void check_round(world *w)
{
    for (uint32_t key = 0; key < KEYS; key++) {
        uint32_t n = 0;
        ws_history_call calls[THREADS * CALLS];
        for (uint32_t t = 0; t < THREADS; t++)
            for (uint32_t i = 0; i < w->n[t][key]; i++)
                calls[n++] = w->own[t][key][i];
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = i + 1; k < n; k++)
                w->overlapping +=
                    calls[i].called < calls[k].returned && calls[k].called < calls[i].returned;
        cr_assert(ws_history_is_linearizable(calls, n), "seed %llu history %llu",
                  (unsigned long long)w->seed, (unsigned long long)w->checked);
        w->checked++;
    }
}

static void run(uint64_t seed, uint32_t rounds, uint64_t entries)
{
    static world w;
    who threads[THREADS];
    pthread_t ids[THREADS];
    ws_cache_options o = WS_CACHE_OPTIONS_INIT;
    memset(&w, 0, sizeof w);
    w.seed = ws_rng_seeded(seed).seed;
    w.rounds = rounds;
    o.bytes = 128 << 10;
    o.entries = entries;
    o.shards = 1;
    cr_assert_eq(ws_cache_new(&w.c, &o, NULL), WS_OK);
    pthread_barrier_init(&w.barrier, NULL, THREADS + 1);
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i] = (who){&w, i};
        cr_assert_eq(pthread_create(&ids[i], NULL, run_thread, &threads[i]), 0);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        pthread_barrier_wait(&w.barrier);
        pthread_barrier_wait(&w.barrier);
        check_round(&w);
        ws_cache_clear(w.c);
        pthread_barrier_wait(&w.barrier);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    printf("%llu histories linearizable; %llu pairs of calls overlapped, %u loads, %u joined\n",
           (unsigned long long)w.checked, (unsigned long long)w.overlapping, atomic_load(&w.loaded),
           atomic_load(&w.joined));
    cr_assert_not(w.bad, "a value was not whole");
    cr_assert_gt(w.overlapping, 0u);
    cr_assert_null(ws_cache_check(w.c));
    pthread_barrier_destroy(&w.barrier);
    ws_cache_free(w.c);
}

Test(cache_linear, recorded_histories_have_an_order, .timeout = 600)
{
    uint32_t rounds = getenv("WS_TEST_FULL") ? 100000 : 1500;
    run(1, rounds, 0);
    run(2, rounds, 1); /* one entry for two keys: evictions all the time */
}
