/* Forward decay in fixed point against long double. */
#include <math.h>

#include "base/bytes.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "trie/decay.h"

#define UNIT 0x1p-32L

static long double real(uint64_t fixed)
{
    return (long double)fixed * UNIT;
}

/* 2^-30 = four units. */
static void check_near(uint64_t got, long double expected, uint64_t a, uint64_t b)
{
    cr_assert(fabsl(real(got) - expected) <= 0x1p-30L, "%llu, %llu: %.12Lf, expected %.12Lf",
              (unsigned long long)a, (unsigned long long)b, real(got), expected);
}

Test(decay, sums_and_differences_are_right)
{
    ws_rng rng = ws_rng_seeded(41);
    for (int i = 0; i < 200000; i++) {
        uint64_t score = ws_rng_skewed(&rng, 47);
        uint64_t other = ws_rng_skewed(&rng, i % 2 ? 47 : 38);
        uint64_t age = i % 2 ? other : score - WS_MIN(score, other);
        long double s = real(score), a = real(age), high = fmaxl(s, a);
        check_near(ws_decay_add(score, age), high + log2l(1 + exp2l(-fabsl(s - a))), score, age);
        cr_assert_geq(ws_decay_add(score, age), WS_MAX(score, age));
        if (s - a < 0x1p-20L) /* nearly all of it: the rest has few digits */
            continue;
        long double left = s + log2l(1 - exp2l(a - s));
        check_near(ws_decay_sub(score, age), fmaxl(left, 0), score, age);
    }
    cr_assert_eq(ws_decay_sub(5, 5), 0);
    cr_assert_eq(ws_decay_sub(5, 9), 0);
    cr_assert_eq(ws_decay_add(0, 0), WS_DECAY_ONE);
    cr_assert_eq(ws_decay_add(WS_DECAY_MAX, WS_DECAY_MAX), WS_DECAY_MAX);
}

Test(decay, a_prior_is_the_logarithm_of_one_more)
{
    ws_rng rng = ws_rng_seeded(42);
    cr_assert_eq(ws_decay_prior(0), 0);
    cr_assert_eq(ws_decay_prior(1), WS_DECAY_ONE);
    cr_assert_eq(ws_decay_prior(1023), 10 * WS_DECAY_ONE);
    for (int i = 0; i < 100000; i++) {
        uint64_t weight = ws_rng_skewed(&rng, 63);
        check_near(ws_decay_prior(weight), log2l(1 + (long double)weight), weight, 0);
        cr_assert_leq(ws_decay_prior(weight), ws_decay_prior(weight + 1));
    }
    check_near(ws_decay_prior(UINT64_MAX), 64, 0, 0);
}

Test(decay, age_counts_half_lives)
{
    ws_rng rng = ws_rng_seeded(43);
    cr_assert_eq(ws_decay_age(-5, 1000), 0);
    cr_assert_eq(ws_decay_age(0, 1000), 0);
    cr_assert_eq(ws_decay_age(1500, 1000), WS_DECAY_ONE * 3 / 2);
    cr_assert_eq(ws_decay_age(INT64_MAX, 1), WS_DECAY_MAX);
    for (int i = 0; i < 100000; i++) {
        uint64_t half = 1 + ws_rng_skewed(&rng, 40) % WS_DECAY_MAX_HALF_MS;
        int64_t since = (int64_t)ws_rng_skewed(&rng, 44);
        long double expected = (long double)since / (long double)half;
        if (expected >= 65536)
            cr_assert_eq(ws_decay_age(since, half), WS_DECAY_MAX);
        else
            check_near(ws_decay_age(since, half), expected, (uint64_t)since, half);
    }
}

/* A million events one after the other: the score is that of their sum, and has not stopped
 * growing. */
Test(decay, many_events_add_up)
{
    const uint64_t age = 3 * WS_DECAY_ONE + 12345;
    uint64_t score = age;
    for (int i = 1; i < 999999; i++) {
        uint64_t more = ws_decay_add(score, age);
        cr_assert_gt(more, score);
        score = more;
    }
    cr_assert(fabsl(real(score) - real(age) - log2l(999999)) < 1e-3L, "%.9Lf", real(score));
    cr_assert_float_eq(ws_decay_count(score, age), 999999.0, 1000.0);
}

/* Order does not change by itself: twenty events today beat a thousand of ten half-lives ago, and
 * an old favourite keeps its place among what is as old. */
Test(decay, newer_events_weigh_more)
{
    uint64_t now = ws_decay_age(10000, 1000), old = 0, young = now;
    for (int i = 1; i < 1000; i++)
        old = ws_decay_add(old, 0);
    for (int i = 1; i < 20; i++)
        young = ws_decay_add(young, now);
    cr_assert_gt(young, old);
    cr_assert_float_eq(ws_decay_count(old, now), 1000.0 / 1024, 0.01);
    cr_assert_float_eq(ws_decay_count(young, now), 20.0, 0.01);
}
