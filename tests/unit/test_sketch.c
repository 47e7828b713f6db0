/* The sketch against exact counts. */
#include "cache/sketch.h"

#include <pthread.h>
#include <stdlib.h>

#include "tests/support/faults.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define SEED(rng) "seed %llu", (unsigned long long)(rng).seed

static uint32_t hash_of(uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
}

static uint32_t largest_counter(const ws_sketch *s)
{
    uint32_t most = 0;
    for (uint64_t w = 0; w < (uint64_t)s->n_blocks * 8; w++)
        for (uint32_t k = 0; k < 64; k += 4) {
            uint32_t count = (uint32_t)(atomic_load(&s->words[w]) >> k & 15);
            most = count > most ? count : most;
        }
    return most;
}

Test(sketch, never_below_the_true_count_and_seldom_above)
{
    enum { KEYS = 4000 };
    ws_rng rng = ws_rng_seeded(1);
    ws_sketch s;
    uint32_t count[KEYS] = {0}, wrong = 0;
    cr_assert_eq(ws_sketch_init(&s, KEYS, ws_rng_u64(&rng)), WS_OK);
    for (uint32_t i = 0; i < 4 * KEYS; i++) { /* below the sample of 10 * KEYS: nothing is halved */
        uint32_t key = (uint32_t)ws_rng_below(&rng, KEYS);
        ws_sketch_add(&s, hash_of(key), 1);
        count[key] += count[key] < 15;
        cr_assert_geq(ws_sketch_estimate(&s, hash_of(key)), count[key], SEED(rng));
    }
    for (uint32_t key = 0; key < KEYS; key++) {
        uint32_t estimate = ws_sketch_estimate(&s, hash_of(key));
        cr_assert_geq(estimate, count[key], SEED(rng));
        wrong += estimate > count[key];
    }
    /* 16 counters a key, 4 of them its own: about (1 - e^-0.25)^4 = 0.24 % of the keys share all.
     */
    cr_assert_lt(wrong, KEYS / 20, SEED(rng));
    ws_sketch_fini(&s);
}

Test(sketch, counts_stop_at_fifteen)
{
    ws_sketch s;
    cr_assert_eq(ws_sketch_init(&s, 100000, 7), WS_OK);
    for (uint32_t i = 0; i < 40; i++)
        ws_sketch_add(&s, 5, 1);
    cr_assert_eq(ws_sketch_estimate(&s, 5), 15u);
    uint64_t additions = atomic_load(&s.additions);
    ws_sketch_add(&s, 5, 15);
    cr_assert_eq(atomic_load(&s.additions), additions, "what changes nothing is not counted");
    ws_sketch_add(&s, 77, 9);
    ws_sketch_add(&s, 77, 9);
    cr_assert_eq(ws_sketch_estimate(&s, 77), 15u);
    cr_assert_eq(largest_counter(&s), 15u);
    ws_sketch_fini(&s);
}

/* The same numbers, halved all at once, in an array. */
Test(sketch, halving_is_complete_and_comes_in_small_steps)
{
    ws_rng rng = ws_rng_seeded(2);
    ws_sketch s;
    cr_assert_eq(ws_sketch_init(&s, 1000, ws_rng_u64(&rng)), WS_OK);
    while (atomic_load(&s.halving) == 0)
        ws_sketch_add(&s, ws_rng_u32(&rng), 1);
    cr_assert_geq(atomic_load(&s.additions), s.sample);
    uint64_t n = (uint64_t)s.n_blocks * 8, *before = calloc(n, sizeof *before);
    for (uint64_t w = 0; w < n; w++)
        before[w] = atomic_load(&s.words[w]);
    uint64_t had = atomic_load(&s.additions), odd = 0;
    uint32_t steps = 0;
    while (atomic_load(&s.halving)) {
        uint64_t at = atomic_load(&s.cursor);
        ws_sketch_add(&s, 12345, 0); /* rises nothing, so it does not help either */
        cr_assert_eq(atomic_load(&s.cursor), at);
        ws_sketch_add(&s, ws_rng_u32(&rng), 1);
        cr_assert_leq(atomic_load(&s.cursor) - at, n / 64 + 1, SEED(rng));
        cr_assert_lt(++steps, 100u, SEED(rng));
    }
    for (uint64_t w = 0; w < n; w++)
        odd += (uint64_t)__builtin_popcountll(before[w] & 0x1111111111111111u);
    uint64_t after = atomic_load(&s.additions);
    uint64_t wanted = (had + steps - odd / 4) / 2;
    cr_assert_leq(after > wanted ? after - wanted : wanted - after, 2u * steps, SEED(rng));
    uint64_t risen = 0;
    for (uint64_t w = 0; w < n; w++) {
        uint64_t word = atomic_load(&s.words[w]), half = before[w] >> 1 & 0x7777777777777777u;
        for (uint32_t k = 0; k < 64; k += 4) {
            cr_assert_geq(word >> k & 15, half >> k & 15, SEED(rng));
            risen += (word >> k & 15) - (half >> k & 15);
        }
    }
    cr_assert_leq(risen, 4u * steps, "only the increments of the sweep are on top");
    cr_assert_geq(steps, 60u, SEED(rng));
    free(before);
    ws_sketch_fini(&s);
}

Test(sketch, growing_keeps_every_estimate)
{
    ws_rng rng = ws_rng_seeded(3);
    ws_sketch s;
    uint32_t estimates[2000];
    cr_assert_eq(ws_sketch_init(&s, 700, ws_rng_u64(&rng)), WS_OK);
    for (uint32_t i = 0; i < 5000; i++)
        ws_sketch_add(&s, hash_of(ws_rng_below(&rng, 2000)), 1);
    for (uint32_t k = 0; k < 2000; k++)
        estimates[k] = ws_sketch_estimate(&s, hash_of(k));
    uint32_t had = s.n_blocks;
    ws_faults faults;
    ws_faults_arm(&faults, 0);
    cr_assert_eq(ws_sketch_grow(&s, 5000), WS_ERR_NOMEM);
    cr_assert_eq(ws_faults_disarm(&faults), 1);
    cr_assert_eq(s.n_blocks, had);
    cr_assert_eq(ws_sketch_grow(&s, 5000), WS_OK);
    cr_assert_geq(s.n_blocks * 8, 5000u);
    cr_assert_eq(s.n_blocks % had, 0u);
    for (uint32_t k = 0; k < 2000; k++)
        cr_assert_eq(ws_sketch_estimate(&s, hash_of(k)), estimates[k], SEED(rng));
    cr_assert_eq(ws_sketch_bytes(&s), (size_t)s.n_blocks * 64 + 64);
    ws_sketch_fini(&s);
}

/* Who knows the hash but not the seed cannot choose keys that collide. */
Test(sketch, the_seed_decides_who_shares_counters)
{
    ws_rng rng = ws_rng_seeded(4);
    ws_sketch a, b;
    uint32_t collided[2], n = 0, still = 0;
    cr_assert_eq(ws_sketch_init(&a, 256, 1), WS_OK);
    cr_assert_eq(ws_sketch_init(&b, 256, 2), WS_OK);
    for (uint32_t i = 0; i < 15; i++) {
        ws_sketch_add(&a, 42, 1);
        ws_sketch_add(&b, 42, 1);
    }
    for (uint32_t tries = 0; n < 2 && tries < 400000000; tries++) {
        uint32_t h = ws_rng_u32(&rng);
        if (h != 42 && ws_sketch_estimate(&a, h) == 15)
            collided[n++] = h;
    }
    cr_assert_eq(n, 2u, SEED(rng));
    for (uint32_t i = 0; i < n; i++)
        still += ws_sketch_estimate(&b, collided[i]) == 15;
    cr_assert_eq(still, 0u, SEED(rng));
    ws_sketch_fini(&a);
    ws_sketch_fini(&b);
}

static void *count_many(void *ctx)
{
    ws_sketch *s = ctx;
    for (uint32_t i = 0; i < 60000; i++)
        ws_sketch_add(s, hash_of(i % 977), 1 + i % 3);
    return NULL;
}

Test(sketch, threads_share_it)
{
    ws_sketch s;
    pthread_t threads[4];
    cr_assert_eq(ws_sketch_init(&s, 1000, 9), WS_OK);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, count_many, &s), 0);
    for (uint32_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cr_assert_leq(largest_counter(&s), 15u);
    cr_assert_lt(atomic_load(&s.additions), 2 * s.sample, "halvings took place");
    ws_sketch_fini(&s);
}
