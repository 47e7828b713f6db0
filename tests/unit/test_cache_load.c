/* Loading once for all: who calls the loader, who waits, what is stored. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "tests/support/cache_kit.h"
#include "tests/support/test.h"

/* A loader that waits until it is let go. */
typedef struct {
    atomic_uint calls, inside, let_go;
    ws_status status;
    uint32_t version;
    uint8_t bytes[64];
    atomic_uint released;
} gate;

static void sleep_ms(uint32_t ms)
{
    struct timespec t = {0, (long)ms * 1000000};
    nanosleep(&t, NULL);
}

static void wait_for(atomic_uint *what, uint32_t value)
{
    while (atomic_load(what) < value)
        sleep_ms(1);
}

static void release(void *ctx)
{
    atomic_fetch_add((atomic_uint *)ctx, 1);
}

static ws_status load(void *ctx, const ws_budget *budget, ws_cache_loaded *loaded)
{
    gate *g = ctx;
    (void)budget;
    atomic_fetch_add(&g->calls, 1);
    atomic_fetch_add(&g->inside, 1);
    while (!atomic_load(&g->let_go))
        sleep_ms(1);
    atomic_fetch_sub(&g->inside, 1);
    loaded->value = kit_value(g->bytes, 1, g->version, sizeof g->bytes);
    loaded->cost_us = 5;
    loaded->release = release;
    loaded->release_ctx = &g->released;
    return g->status;
}

static ws_cache *open_cache(uint32_t stale_ms, uint32_t negative_ms)
{
    ws_cache_options o = WS_CACHE_OPTIONS_INIT;
    ws_cache *c;
    o.bytes = 1 << 20;
    o.stale_ms = stale_ms;
    o.negative_ttl_ms = negative_ms;
    cr_assert_eq(ws_cache_new(&c, &o, NULL), WS_OK);
    return c;
}

typedef struct {
    ws_cache *c;
    gate *g;
    uint32_t key;
    uint64_t stamp;
    const ws_budget *budget;
    ws_status status;
    uint32_t state, version, whole;
    atomic_uint *done;
} asker;

static void ask_now(asker *a)
{
    kit_key k;
    ws_cache_view view;
    kit_key_of(&k, a->key);
    a->status = ws_cache_get_or_load(a->c, k.hash, k.bytes, a->stamp, load, a->g, a->budget, &view);
    a->state = view.state;
    a->whole = (uint32_t)kit_value_is(view.value, 1, &a->version);
    ws_cache_view_fini(&view);
    if (a->done)
        atomic_fetch_add(a->done, 1);
}

static void *ask(void *ctx)
{
    ask_now(ctx);
    return NULL;
}

static uint64_t waiting(ws_cache *c)
{
    ws_cache_counters n = WS_CACHE_COUNTERS_INIT;
    ws_cache_stats(c, &n);
    return n.coalesced;
}

/* Threads that ask one key while it is being loaded. */
static void stampede(ws_cache *c, gate *g, asker *askers, pthread_t *threads, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        askers[i] = (asker){.c = c, .g = g, .key = 1, .stamp = 1};
        cr_assert_eq(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    }
    while (waiting(c) < n - 1)
        sleep_ms(1);
    atomic_store(&g->let_go, 1);
    for (uint32_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

Test(cache_load, two_hundred_ask_and_one_loads)
{
    enum { N = 200 };
    static asker askers[N];
    pthread_t threads[N];
    gate g = {.version = 9};
    ws_cache *c = open_cache(0, 0);
    uint32_t loaded = 0;
    stampede(c, &g, askers, threads, N);
    cr_assert_eq(atomic_load(&g.calls), 1u);
    cr_assert_eq(atomic_load(&g.released), 1u);
    for (uint32_t i = 0; i < N; i++) {
        cr_assert_eq(askers[i].status, WS_OK);
        cr_assert(askers[i].whole && askers[i].version == 9);
        loaded += askers[i].state == WS_CACHE_MISS;
    }
    cr_assert_eq(loaded, 1u, "the others were told that it was another's load");
    asker later = {.c = c, .g = &g, .key = 1, .stamp = 1};
    ask_now(&later);
    cr_assert_eq(later.state, WS_CACHE_HIT);
    cr_assert_null(ws_cache_check(c));
    ws_cache_free(c);
}

Test(cache_load, a_failing_loader_wakes_all_and_stores_nothing)
{
    enum { N = 40 };
    static asker askers[N];
    pthread_t threads[N];
    gate g = {.status = WS_ERR_IO};
    ws_cache *c = open_cache(0, 1000);
    stampede(c, &g, askers, threads, N);
    cr_assert_eq(atomic_load(&g.calls), 1u);
    for (uint32_t i = 0; i < N; i++)
        cr_assert(askers[i].status == WS_ERR_IO && !askers[i].whole);
    g.status = WS_OK;
    asker later = {.c = c, .g = &g, .key = 1, .stamp = 1};
    ask_now(&later);
    cr_assert_eq(later.status, WS_OK);
    cr_assert_eq(later.state, WS_CACHE_MISS, "an error is not remembered");
    ws_cache_free(c);
}

Test(cache_load, nothing_found_is_an_answer)
{
    for (uint32_t negative_ms = 0; negative_ms <= 60000; negative_ms += 60000) {
        gate g = {.status = WS_ERR_NOT_FOUND, .let_go = 1};
        ws_cache *c = open_cache(0, negative_ms);
        asker a = {.c = c, .g = &g, .key = 1, .stamp = 1};
        ask_now(&a);
        cr_assert_eq(a.status, WS_OK);
        cr_assert_eq(a.state, WS_CACHE_NEGATIVE);
        ask_now(&a);
        cr_assert_eq(a.state, WS_CACHE_NEGATIVE);
        cr_assert_eq(atomic_load(&g.calls), negative_ms ? 1u : 2u);
        ws_cache_free(c);
    }
}

Test(cache_load, a_waiter_leaves_at_its_deadline_or_when_cancelled)
{
    gate g = {.version = 1};
    ws_cache *c = open_cache(0, 0);
    ws_budget short_time, to_cancel;
    pthread_t threads[3];
    atomic_uint left = 0;
    ws_budget_init(&short_time, 20, 0);
    ws_budget_init(&to_cancel, 0, 0);
    asker leader = {.c = c, .g = &g, .key = 1, .stamp = 1};
    asker late = {.c = c, .g = &g, .key = 1, .stamp = 1, .budget = &short_time, .done = &left};
    asker gone = {.c = c, .g = &g, .key = 1, .stamp = 1, .budget = &to_cancel, .done = &left};
    pthread_create(&threads[0], NULL, ask, &leader);
    wait_for(&g.inside, 1);
    pthread_create(&threads[1], NULL, ask, &late);
    pthread_create(&threads[2], NULL, ask, &gone);
    wait_for(&left, 1);
    ws_budget_cancel(&to_cancel);
    wait_for(&left, 2); /* both are out while the load still runs */
    cr_assert_eq(atomic_load(&g.inside), 1u);
    atomic_store(&g.let_go, 1);
    for (uint32_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(late.status, WS_PARTIAL);
    cr_assert_eq(gone.status, WS_ERR_CANCELLED);
    cr_assert(!late.whole && !gone.whole);
    cr_assert(leader.status == WS_OK && leader.whole);
    cr_assert_eq(atomic_load(&g.calls), 1u);
    ws_cache_free(c);
}

/* The loader's own client leaves: those who wait do not pay for it. */
static ws_status load_until_cancelled(void *ctx, const ws_budget *budget, ws_cache_loaded *loaded)
{
    gate *g = ctx;
    if (atomic_fetch_add(&g->calls, 1) > 0) {
        loaded->value = kit_value(g->bytes, 1, 4, sizeof g->bytes);
        return WS_OK;
    }
    atomic_fetch_add(&g->inside, 1);
    while (!__atomic_load_n(&budget->cancelled, __ATOMIC_RELAXED))
        sleep_ms(1);
    return WS_ERR_CANCELLED;
}

static void *ask_until_cancelled(void *ctx)
{
    asker *a = ctx;
    kit_key k;
    ws_cache_view view;
    kit_key_of(&k, 1);
    a->status = ws_cache_get_or_load(a->c, k.hash, k.bytes, 1, load_until_cancelled, a->g,
                                     a->budget, &view);
    a->whole = (uint32_t)kit_value_is(view.value, 1, &a->version);
    ws_cache_view_fini(&view);
    return NULL;
}

Test(cache_load, when_the_loader_is_cancelled_a_waiter_takes_over)
{
    enum { N = 10 };
    gate g = {.version = 1};
    ws_cache *c = open_cache(0, 0);
    ws_budget budget;
    asker leader = {.c = c, .g = &g, .budget = &budget}, askers[N];
    pthread_t first, threads[N];
    ws_budget_init(&budget, 0, 0);
    pthread_create(&first, NULL, ask_until_cancelled, &leader);
    wait_for(&g.inside, 1);
    for (uint32_t i = 0; i < N; i++) {
        askers[i] = (asker){.c = c, .g = &g};
        pthread_create(&threads[i], NULL, ask_until_cancelled, &askers[i]);
    }
    while (waiting(c) < N)
        sleep_ms(1);
    ws_budget_cancel(&budget);
    pthread_join(first, NULL);
    cr_assert_eq(leader.status, WS_ERR_CANCELLED);
    for (uint32_t i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
        cr_assert(askers[i].status == WS_OK && askers[i].whole && askers[i].version == 4);
    }
    cr_assert_eq(atomic_load(&g.calls), 2u);
    ws_cache_free(c);
}

/* Begun before, finished after: delivered, not stored; and nobody waited for it. */
Test(cache_load, a_load_that_an_invalidation_overtakes_is_delivered_and_not_stored)
{
    for (uint32_t by_clear = 0; by_clear < 2; by_clear++) {
        gate old = {.version = 1}, fresh = {.version = 2, .let_go = 1};
        ws_cache *c = open_cache(0, 0);
        pthread_t threads[2];
        kit_key k;
        kit_key_of(&k, 1);
        asker leader = {.c = c, .g = &old, .key = 1, .stamp = 1}, waiter = leader;
        pthread_create(&threads[0], NULL, ask, &leader);
        wait_for(&old.inside, 1);
        pthread_create(&threads[1], NULL, ask, &waiter);
        while (waiting(c) < 1)
            sleep_ms(1);
        if (by_clear)
            ws_cache_clear(c);
        else
            cr_assert_eq(ws_cache_invalidate(c, k.hash, k.bytes), 0u);
        cr_assert_eq(atomic_load(&old.inside), 1u, "the invalidator did not wait for the load");
        asker later = {.c = c, .g = &fresh, .key = 1, .stamp = 1};
        ask_now(&later); /* does not join the old load */
        cr_assert(later.whole && later.version == 2);
        atomic_store(&old.let_go, 1);
        pthread_join(threads[0], NULL);
        pthread_join(threads[1], NULL);
        cr_assert(leader.whole && leader.version == 1 && waiter.whole && waiter.version == 1);
        ask_now(&later);
        cr_assert_eq(later.state, WS_CACHE_HIT);
        cr_assert_eq(later.version, 2u, "the old value is not in the cache");
        ws_cache_counters n = WS_CACHE_COUNTERS_INIT;
        ws_cache_stats(c, &n);
        cr_assert_eq(n.overtaken, 1u);
        cr_assert_null(ws_cache_check(c));
        ws_cache_free(c);
    }
}

Test(cache_load, two_keys_load_at_once)
{
    gate a = {.version = 1}, b = {.version = 2};
    ws_cache *c = open_cache(0, 0);
    pthread_t threads[2];
    asker first = {.c = c, .g = &a, .key = 1, .stamp = 1},
          second = {.c = c, .g = &b, .key = 2, .stamp = 1};
    pthread_create(&threads[0], NULL, ask, &first);
    pthread_create(&threads[1], NULL, ask, &second);
    wait_for(&a.inside, 1);
    wait_for(&b.inside, 1); /* both are in their loaders */
    kit_key k;
    ws_cache_view view;
    kit_key_of(&k, 1);
    cr_assert_eq(ws_cache_get(c, k.hash, k.bytes, 1, &view), WS_CACHE_LOADING);
    cr_assert_eq(ws_cache_get(c, k.hash, k.bytes, 2, &view), WS_CACHE_MISS,
                 "another stamp is another load");
    kit_key_of(&k, 3);
    cr_assert_eq(ws_cache_get(c, k.hash, k.bytes, 1, &view), WS_CACHE_MISS);
    atomic_store(&a.let_go, 1);
    atomic_store(&b.let_go, 1);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    cr_assert(first.whole && second.whole);
    ws_cache_free(c);
}

Test(cache_load, of_those_who_find_it_stale_one_loads_and_nobody_waits)
{
    gate old = {.version = 1, .let_go = 1}, fresh = {.version = 2};
    ws_cache *c = open_cache(60000, 0);
    pthread_t thread;
    asker a = {.c = c, .g = &old, .key = 1, .stamp = 1};
    ask_now(&a);
    asker refresher = {.c = c, .g = &fresh, .key = 1, .stamp = 2};
    pthread_create(&thread, NULL, ask, &refresher);
    wait_for(&fresh.inside, 1);
    for (uint32_t i = 0; i < 10; i++) {
        asker other = {.c = c, .g = &fresh, .key = 1, .stamp = 2};
        ask_now(&other);
        cr_assert_eq(other.state, WS_CACHE_STALE);
        cr_assert_eq(other.version, 1u);
    }
    atomic_store(&fresh.let_go, 1);
    pthread_join(thread, NULL);
    cr_assert_eq(refresher.version, 2u);
    cr_assert_eq(atomic_load(&fresh.calls), 1u);
    a = (asker){.c = c, .g = &fresh, .key = 1, .stamp = 2};
    ask_now(&a);
    cr_assert_eq(a.state, WS_CACHE_HIT);
    ws_cache_free(c);
}

Test(cache_load, a_refresh_that_fails_leaves_the_stale_value)
{
    gate old = {.version = 1, .let_go = 1}, broken = {.status = WS_ERR_IO, .let_go = 1};
    ws_cache *c = open_cache(60000, 0);
    kit_key k;
    kit_key_of(&k, 1);
    asker a = {.c = c, .g = &old, .key = 1, .stamp = 1};
    ask_now(&a);
    for (uint32_t i = 1; i <= 3; i++) {
        asker b = {.c = c, .g = &broken, .key = 1, .stamp = 2};
        ask_now(&b);
        cr_assert(b.status == WS_OK && b.state == WS_CACHE_STALE && b.version == 1);
        cr_assert_eq(atomic_load(&broken.calls), i, "the right was given back");
    }
    cr_assert_eq(ws_cache_refresh(c, k.hash, k.bytes, 2, load, &broken, NULL), WS_ERR_IO);
    old.version = 5;
    cr_assert_eq(ws_cache_refresh(c, k.hash, k.bytes, 2, load, &old, NULL), WS_OK);
    asker b = {.c = c, .g = &broken, .key = 1, .stamp = 2};
    ask_now(&b);
    cr_assert(b.state == WS_CACHE_HIT && b.version == 5);
    broken.status = WS_ERR_NOT_FOUND;
    asker gone = {.c = c, .g = &broken, .key = 1, .stamp = 3};
    ask_now(&gone);
    cr_assert_eq(gone.state, WS_CACHE_NEGATIVE);
    ws_cache_view view;
    cr_assert_eq(ws_cache_get(c, k.hash, k.bytes, 3, &view), WS_CACHE_MISS,
                 "what is gone is not served as stale");
    ws_cache_free(c);
}

static ws_status load_huge(void *ctx, const ws_budget *budget, ws_cache_loaded *loaded)
{
    static uint8_t huge[300000];
    (void)budget;
    loaded->value = kit_value(huge, 1, *(uint32_t *)ctx, sizeof huge);
    return *(uint32_t *)ctx == 7 ? WS_PARTIAL : WS_OK;
}

Test(cache_load, what_cannot_be_stored_is_delivered)
{
    ws_cache *c = open_cache(0, 0);
    ws_cache_view view;
    kit_key k;
    uint32_t version = 3, got = 0;
    kit_key_of(&k, 1);
    cr_assert_eq(ws_cache_get_or_load(c, k.hash, k.bytes, 1, load_huge, &version, NULL, &view),
                 WS_OK);
    cr_assert(kit_value_is(view.value, 1, &got) && got == 3);
    ws_cache_view_fini(&view);
    version = 7;
    cr_assert_eq(ws_cache_get_or_load(c, k.hash, k.bytes, 1, load_huge, &version, NULL, &view),
                 WS_PARTIAL);
    cr_assert(kit_value_is(view.value, 1, &got) && got == 7, "what there was before time ran out");
    ws_cache_view_fini(&view);
    cr_assert_eq(ws_cache_get(c, k.hash, k.bytes, 1, &view), WS_CACHE_MISS);
    cr_assert_eq(ws_cache_get_or_load(c, k.hash, k.bytes, 1, NULL, NULL, NULL, &view), WS_ERR_ARG);
    ws_cache_free(c);
}
