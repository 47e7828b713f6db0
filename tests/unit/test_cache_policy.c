/* The policy against its model, step by step; and against exact policies on made-up traces. */
#include <stdlib.h>

#include "cache/policy.h"
#include "cache/slab_class.h"
#include "tests/support/cache_model.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define ENTRIES 600u
#define UNITS   3u /* a header takes 48 bytes of the arena */
#define SEED(w) "seed %llu step %u", (unsigned long long)(w)->rng.seed, (w)->step

typedef struct {
    ws_rng rng;
    uint32_t step;
    char *arena;
    uint32_t live[ENTRIES], n_live, unused[ENTRIES], n_unused;
    ws_sketch sketch;
    ws_policy policy;
    ws_cache_model model;
} world;

static void begin(world *w, uint64_t seed, uint32_t unit, uint64_t capacity, uint64_t window)
{
    memset(w, 0, sizeof *w);
    w->rng = ws_rng_seeded(seed);
    uint64_t sketch_seed = ws_rng_u64(&w->rng), jitter = ws_rng_u64(&w->rng);
    w->arena = calloc(ENTRIES + 1, UNITS * WS_REF_UNIT);
    for (uint32_t i = 0; i < ENTRIES; i++)
        w->unused[w->n_unused++] = (i + 1) * UNITS;
    cr_assert_eq(ws_sketch_init(&w->sketch, 200, sketch_seed), WS_OK);
    ws_policy_init(&w->policy, w->arena, &w->sketch, jitter, unit);
    ws_policy_set_capacity(&w->policy, capacity);
    ws_policy_set_window(&w->policy, window);
    w->policy.stale_ticks = 10;
    ws_cache_model_init(&w->model, 200, sketch_seed, jitter, capacity, window);
}

static void end(world *w)
{
    ws_cache_model_fini(&w->model);
    ws_sketch_fini(&w->sketch);
    free(w->arena);
}

static ws_entry *entry(world *w, uint32_t ref)
{
    return ws_entry_at(w->arena, ref);
}

static uint32_t make(world *w, uint32_t hash)
{
    uint32_t ref = w->unused[--w->n_unused];
    ws_entry *e = entry(w, ref);
    memset(e, 0, WS_ENTRY_HEADER);
    e->hash = hash;
    e->class = (uint8_t)ws_rng_below(&w->rng, 30);
    return ref;
}

static void forget(world *w, uint32_t ref)
{
    for (uint32_t i = 0; i < w->n_live; i++)
        if (w->live[i] == ref) {
            w->live[i] = w->live[--w->n_live];
            w->unused[w->n_unused++] = ref;
            return;
        }
    cr_assert_fail("an entry that is not live was evicted");
}

static void evict_all(world *w, int force)
{
    uint32_t evicted, expected;
    do {
        evicted = ws_policy_evict(&w->policy, force, NULL);
        int any = ws_cache_model_evict(&w->model, force, &expected);
        cr_assert_eq(evicted != 0, any, SEED(w));
        if (evicted) {
            cr_assert_eq(evicted, expected, SEED(w));
            forget(w, evicted);
        }
        force = 0;
    } while (evicted);
}

static void insert(world *w)
{
    uint32_t ref = make(w, (uint32_t)ws_rng_skewed(&w->rng, 10) * 0x9e3779b9u);
    ws_policy_insert(&w->policy, ref);
    ws_cache_model_insert(&w->model, ref, entry(w, ref)->hash,
                          ws_policy_weight(&w->policy, entry(w, ref)));
    w->live[w->n_live++] = ref;
    evict_all(w, 0);
}

static void replace(world *w, uint32_t i)
{
    uint32_t old = w->live[i], ref = make(w, entry(w, old)->hash);
    ws_policy_replace(&w->policy, old, ref);
    ws_cache_model_replace(&w->model, old, ref, ws_policy_weight(&w->policy, entry(w, ref)));
    w->live[i] = ref;
    w->unused[w->n_unused++] = old;
    evict_all(w, 0);
}

static void do_something(world *w)
{
    uint32_t what = (uint32_t)ws_rng_below(&w->rng, 100);
    uint32_t i = w->n_live ? (uint32_t)ws_rng_below(&w->rng, w->n_live) : 0;
    if (!w->n_live || what < 40) {
        insert(w);
    } else if (what < 85) {
        ws_entry_touch(entry(w, w->live[i]));
        ws_cache_model_hit(&w->model, w->live[i]);
    } else if (what < 90) {
        uint32_t ref = w->live[i];
        ws_policy_remove(&w->policy, ref);
        ws_cache_model_remove(&w->model, ref);
        forget(w, ref);
    } else if (what < 96) {
        replace(w, i);
    } else if (what < 98) {
        atomic_store(&entry(w, w->live[i])->fresh, 1);
        ws_cache_model_expire(&w->model, w->live[i]);
    } else if (what < 99) {
        evict_all(w, 1);
    } else {
        uint64_t window = ws_rng_below(&w->rng, w->policy.capacity);
        ws_policy_set_window(&w->policy, window);
        w->model.window_target = window;
    }
}

/* Every queue in order, entry by entry. */
static void compare_queues(world *w)
{
    for (uint32_t k = 0; k < WS_MODEL_QUEUES; k++) {
        const ws_queue *q = &w->policy.queues[k + 1];
        uint32_t place = 0, ref = q->head, prev = 0;
        for (; ref; prev = ref, ref = entry(w, ref)->next, place++) {
            cr_assert_lt(place, w->model.queues[k].n, SEED(w));
            const ws_model_entry *m = &w->model.queues[k].entries[place];
            cr_assert_eq(m->id, ref, SEED(w));
            cr_assert_eq(entry(w, ref)->region, k + 1, SEED(w));
            cr_assert_eq(entry(w, ref)->prev, prev, SEED(w));
            cr_assert_eq(atomic_load(&entry(w, ref)->counter), m->hits, SEED(w));
            cr_assert_leq(m->hits, WS_COUNTER_MAX, SEED(w));
        }
        cr_assert_eq(place, w->model.queues[k].n, SEED(w));
        cr_assert_eq(q->tail, prev, SEED(w));
        cr_assert_eq(q->count, place, SEED(w));
        cr_assert_eq(q->weight, ws_cache_model_weight(&w->model, k), SEED(w));
    }
    cr_assert_leq(ws_policy_total(&w->policy), w->policy.capacity, SEED(w));
}

static void run(uint64_t seed, uint32_t unit, uint64_t capacity, uint64_t window, uint32_t steps)
{
    world w;
    begin(&w, seed, unit, capacity, window);
    w.policy.now = 100;
    for (w.step = 0; w.step < steps; w.step++) {
        do_something(&w);
        compare_queues(&w);
    }
    cr_assert_gt(w.n_live, 0u);
    end(&w);
}

Test(cache_policy, counting_entries_it_does_what_the_model_does)
{
    for (uint64_t seed = 1; seed <= 6; seed++)
        run(seed, 1, 20 * seed, seed, 4000);
}

Test(cache_policy, weighing_cells_it_does_what_the_model_does)
{
    for (uint64_t seed = 11; seed <= 16; seed++)
        run(seed, 0, 3000 * (seed - 10), 60 * (seed - 10), 4000);
}

Test(cache_policy, a_capacity_of_one_holds_one)
{
    run(21, 1, 1, 1, 500);
    run(22, 1, 2, 0, 500);
}

/* --- against exact policies --- */

static uint32_t *zipf_like(ws_rng *rng, size_t n, uint32_t n_ids)
{
    uint32_t *ids = malloc(n * sizeof *ids);
    for (size_t i = 0; i < n; i++) {
        double u = ws_rng_double(rng); /* density falls as 1 / x: log-uniform ranks */
        uint32_t rank = 0;
        for (double x = u * 14; x > 1 && rank < 14; x -= 1)
            rank++;
        ids[i] = (uint32_t)((((uint64_t)1 << rank) + ws_rng_below(rng, (uint64_t)1 << rank)) *
                            2654435761u % n_ids);
    }
    return ids;
}

static uint64_t lazy_hits(const uint32_t *ids, size_t n, uint32_t n_ids, uint32_t entries,
                          uint64_t seed)
{
    char *arena = calloc(entries + 2, UNITS * WS_REF_UNIT);
    uint32_t *where = calloc(n_ids, sizeof *where), *owner = calloc(entries + 2, sizeof *owner);
    uint32_t *unused = malloc((entries + 1) * sizeof *unused), n_unused = 0;
    ws_sketch sketch;
    ws_policy p;
    uint64_t hits = 0;
    for (uint32_t i = entries + 1; i >= 1; i--)
        unused[n_unused++] = i * UNITS;
    cr_assert_eq(ws_sketch_init(&sketch, entries, seed), WS_OK);
    ws_policy_init(&p, arena, &sketch, seed, 1);
    ws_policy_set_capacity(&p, entries);
    ws_policy_set_window(&p, entries - (uint64_t)entries * 99 / 100);
    for (size_t i = 0; i < n; i++) {
        uint32_t ref = where[ids[i]];
        if (ref) {
            hits++;
            ws_entry_touch(ws_entry_at(arena, ref));
            continue;
        }
        ref = unused[--n_unused];
        memset(ws_entry_at(arena, ref), 0, WS_ENTRY_HEADER);
        ws_entry_at(arena, ref)->hash = (uint32_t)((ids[i] + 1) * 0x9e3779b97f4a7c15u >> 32);
        where[ids[i]] = ref;
        owner[ref / UNITS] = ids[i];
        ws_policy_insert(&p, ref);
        for (uint32_t gone; (gone = ws_policy_evict(&p, 0, NULL));) {
            where[owner[gone / UNITS]] = 0;
            unused[n_unused++] = gone;
        }
    }
    ws_sketch_fini(&sketch);
    free(arena);
    free(where);
    free(owner);
    free(unused);
    return hits;
}

/* Lazy promotion costs little against promotion at each hit, and both beat LRU on such a trace. */
Test(cache_policy, hits_about_as_often_as_the_strict_policy_and_more_than_lru)
{
    enum { N = 200000, IDS = 32768, ENTRIES_HELD = 1000 };
    ws_rng rng = ws_rng_seeded(5);
    uint32_t *ids = zipf_like(&rng, N, IDS);
    uint64_t lru = ws_reference_lru(ids, N, IDS, ENTRIES_HELD);
    uint64_t strict = ws_reference_wtinylfu(ids, N, IDS, ENTRIES_HELD, 3);
    uint64_t lazy = lazy_hits(ids, N, IDS, ENTRIES_HELD, 3);
    printf("hits of %u: lru %llu, strict %llu, lazy %llu\n", N, (unsigned long long)lru,
           (unsigned long long)strict, (unsigned long long)lazy);
    cr_assert_gt(lazy, lru + N / 100, "seed %llu", (unsigned long long)rng.seed);
    cr_assert_gt(lazy + N / 100, strict, "seed %llu", (unsigned long long)rng.seed);
    free(ids);
}

/* A loop larger than the cache: LRU never hits, a frequency filter keeps a part of it. */
Test(cache_policy, a_loop_larger_than_the_cache_is_kept_in_part)
{
    enum { N = 100000, IDS = 1000, ENTRIES_HELD = 500 };
    uint32_t *ids = malloc(N * sizeof *ids);
    for (uint32_t i = 0; i < N; i++)
        ids[i] = i % IDS;
    cr_assert_eq(ws_reference_lru(ids, N, IDS, ENTRIES_HELD), 0u);
    cr_assert_gt(ws_reference_wtinylfu(ids, N, IDS, ENTRIES_HELD, 3), N / 100u * 40);
    cr_assert_gt(lazy_hits(ids, N, IDS, ENTRIES_HELD, 3), N / 100u * 40);
    free(ids);
}
