#include "base/histogram.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/rng.h"
#include "tests/support/test.h"

#define VALUES 20000u

static ws_histogram h, other;

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

Test(histogram, buckets_follow_each_other_without_gap)
{
    uint64_t lower = 0;
    for (uint32_t i = 0; i < WS_HISTOGRAM_BUCKETS; i++) {
        uint64_t upper = ws_histogram_bucket_upper(i);
        cr_assert_geq(upper, lower);
        cr_assert_eq(ws_histogram_bucket(lower), i, "lower end of %u", i);
        cr_assert_eq(ws_histogram_bucket(upper), i, "upper end of %u", i);
        cr_assert_leq(upper - lower, lower / 64, "width of %u", i);
        lower = upper + 1;
    }
    cr_assert_eq(lower, 0, "the last bucket ends at 2^64 - 1");
}

Test(histogram, empty)
{
    ws_histogram_init(&h);
    cr_assert_eq(ws_histogram_quantile(&h, 0.5), 0);
    cr_assert_eq(ws_histogram_count_le(&h, UINT64_MAX), 0);
    cr_assert_eq(h.min, UINT64_MAX);
}

/* The oracle is the sorted list of all values. */
static void compare_with_sorted(uint64_t *values, size_t n)
{
    static const double quantiles[] = {0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
    qsort(values, n, sizeof *values, by_value);
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        double exact = quantiles[i] * (double)n;
        size_t rank = (size_t)exact;
        rank += (double)rank < exact;
        uint64_t want = values[rank ? rank - 1 : 0];
        uint64_t got = ws_histogram_quantile(&h, quantiles[i]);
        cr_assert(got >= want && got - want <= want / 64, "quantile %f: %llu for %llu",
                  quantiles[i], (unsigned long long)got, (unsigned long long)want);
    }
    cr_assert_eq(ws_histogram_quantile(&h, 1), values[n - 1]);
    cr_assert_eq(h.min, values[0]);
    cr_assert_eq(h.max, values[n - 1]);
}

Test(histogram, quantiles_are_within_a_64th)
{
    static uint64_t values[VALUES];
    ws_rng rng = ws_rng_seeded(61);
    uint64_t sum = 0;
    ws_histogram_init(&h);
    for (size_t i = 0; i < VALUES; i++) {
        values[i] = ws_rng_skewed(&rng, 40);
        sum += values[i];
        ws_histogram_record(&h, values[i]);
    }
    cr_assert_eq(h.count, VALUES);
    cr_assert_eq(h.sum, sum);
    compare_with_sorted(values, VALUES);
}

Test(histogram, quantile_of_one_value_is_that_value)
{
    ws_histogram_init(&h);
    ws_histogram_record(&h, 1000003);
    cr_assert_eq(ws_histogram_quantile(&h, 0), 1000003);
    cr_assert_eq(ws_histogram_quantile(&h, 0.5), 1000003);
    cr_assert_eq(ws_histogram_quantile(&h, 1), 1000003);
}

Test(histogram, merge_loses_nothing)
{
    static ws_histogram whole;
    ws_rng rng = ws_rng_seeded(62);
    ws_histogram_init(&h);
    ws_histogram_init(&other);
    ws_histogram_init(&whole);
    for (size_t i = 0; i < VALUES; i++) {
        uint64_t v = ws_rng_skewed(&rng, 64);
        ws_histogram_record(i % 3 ? &h : &other, v);
        ws_histogram_record(&whole, v);
    }
    ws_histogram_merge(&h, &other);
    cr_assert_arr_eq(&h, &whole, sizeof h);
    ws_histogram_init(&other);
    ws_histogram_merge(&h, &other);
    cr_assert_arr_eq(&h, &whole, sizeof h);
}

Test(histogram, count_le_counts_whole_buckets)
{
    ws_histogram_init(&h);
    for (uint64_t v = 0; v < 1000; v++)
        ws_histogram_record(&h, v);
    for (uint64_t v = 0; v < 128; v++)
        cr_assert_eq(ws_histogram_count_le(&h, v), v + 1);
    for (uint64_t v = 128; v < 1000; v++) {
        uint64_t n = ws_histogram_count_le(&h, v);
        cr_assert(n <= v + 1 && v + 1 - n <= v / 64 + 1, "%llu", (unsigned long long)v);
    }
    cr_assert_eq(ws_histogram_count_le(&h, UINT64_MAX), 1000);
}
