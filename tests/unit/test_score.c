/* Integer BM25 against a model in long double, against Lucene's formula in float, and at its edges.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "engine/index/norm.h"
#include "engine/query/score.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

static ws_schema schema_of(double k1, double b)
{
    ws_schema s;
    ws_schema_init_default(&s);
    s.k1 = (uint32_t)(k1 * (1 << 24));
    s.b = (uint32_t)(b * (1 << 24));
    return s;
}

static long double model_idf(long double n, long double df)
{
    return logl(1 + (n - df + 0.5L) / (df + 0.5L));
}

/* K of docs/format.md section 8 as a real number. */
static long double model_length(const ws_schema *s, uint64_t n, uint64_t sum, uint8_t code)
{
    long double k1 = (long double)s->k1 / (1 << 24), b = (long double)s->b / (1 << 24);
    return k1 * (1 - b + b * ws_norm_decode(code) * (long double)n / (long double)sum);
}

/* N, S and df such as occur, from tiny to huge. */
typedef struct {
    uint64_t n, sum, df;
} statistics;

static statistics random_statistics(ws_rng *rng)
{
    statistics s;
    s.n = ws_rng_skewed(rng, 31) + 1;
    s.sum = s.n * ws_rng_between(rng, 1, 1 + ws_rng_skewed(rng, 20)) + ws_rng_below(rng, s.n);
    s.df = ws_rng_between(rng, 1, s.n);
    return s;
}

Test(score, idf_is_the_logarithm_rounded_once)
{
    ws_rng rng = ws_rng_seeded(21);
    cr_assert_eq(ws_score_idf(0, 0), (uint64_t)(logl(2) * 1048576 + 0.5L));
    cr_assert_eq(ws_score_idf(1, 1), (uint64_t)(logl(1 + 0.5L / 1.5L) * 1048576 + 0.5L));
    cr_assert_eq(ws_score_idf(10, 11), ws_score_idf(10, 10), "at most N");
    for (int i = 0; i < 100000; i++) {
        statistics s = random_statistics(&rng);
        long double exact = model_idf((long double)s.n, (long double)s.df) * 1048576;
        long double error = fabsl((long double)ws_score_idf(s.n, s.df) - exact);
        cr_assert(error <= 0.5L + 1e-6L, "N %llu df %llu", (unsigned long long)s.n,
                  (unsigned long long)s.df);
    }
}

Test(score, idf_falls_with_the_document_frequency_and_is_never_zero_below_two_million)
{
    for (uint64_t df = 2; df <= 5000; df++)
        cr_assert_leq(ws_score_idf(5000, df), ws_score_idf(5000, df - 1));
    cr_assert_gt(ws_score_idf(500000, 500000), 0);
}

Test(score, length_is_the_floor_of_the_model)
{
    static const double k1s[] = {0, 0.5, 0.9, 1.2, 2, 100}, bs[] = {0, 0.4, 0.75, 1};
    ws_rng rng = ws_rng_seeded(22);
    for (int i = 0; i < 20000; i++) {
        ws_schema schema = schema_of(k1s[ws_rng_below(&rng, 6)], bs[ws_rng_below(&rng, 4)]);
        statistics s = random_statistics(&rng);
        uint8_t code = (uint8_t)ws_rng_u32(&rng);
        long double exact = model_length(&schema, s.n, s.sum, code) * 1048576;
        uint64_t got = ws_score_length(&schema, s.n, s.sum, code);
        if (exact >= 0x1p52L)
            cr_assert_eq(got, 1ull << 52);
        else
            cr_assert((long double)got <= exact * (1 + 1e-17L) &&
                      (long double)got > exact * (1 - 1e-17L) - 1);
    }
}

Test(score, without_statistics_every_document_is_of_mean_length)
{
    ws_schema schema = schema_of(1.2, 0.75);
    for (uint32_t code = 0; code < 256; code++)
        cr_assert_eq(ws_score_length(&schema, 0, 0, (uint8_t)code), schema.k1 >> 4);
}

Test(score, fraction_is_the_floor_of_the_model)
{
    ws_rng rng = ws_rng_seeded(23);
    for (int i = 0; i < 200000; i++) {
        uint64_t length = ws_rng_skewed(&rng, 52);
        uint32_t tf = (uint32_t)ws_rng_skewed(&rng, 32) | 1;
        unsigned __int128 above = (unsigned __int128)tf << 51,
                          below = ((unsigned __int128)tf << 20) + length;
        unsigned __int128 f = ws_score_fraction(length, tf);
        cr_assert(f * below <= above && (f + 1) * below > above, "tf %u K %llu", tf,
                  (unsigned long long)length);
    }
    cr_assert_eq(ws_score_fraction(0, 7), 1u << 31);
    cr_assert_eq(ws_score_fraction(1ull << 52, 1), 0);
}

static ws_manifest manifest_of(const ws_schema *schema, statistics s)
{
    ws_manifest m;
    ws_manifest_init(&m);
    m.schema = *schema;
    m.n_streams = 1;
    m.streams[0] = (ws_manifest_stream){1, 0, s.n, s.sum};
    return m;
}

Test(score, tables_hold_the_fractions)
{
    ws_schema schema = schema_of(1.2, 0.75);
    ws_manifest m = manifest_of(&schema, (statistics){1000, 123456, 7});
    ws_score_tables *tables;
    cr_assert_eq(ws_score_tables_new(&tables, &m), WS_OK);
    const ws_score_table *t = tables->streams[1][0];
    cr_assert_eq(t->n_docs, 1000);
    cr_assert_eq(t->weight, 65536);
    for (uint32_t code = 0; code < 256; code++) {
        cr_assert_eq(t->length[code], ws_score_length(&schema, 1000, 123456, (uint8_t)code));
        for (uint32_t tf = 1; tf < 100; tf++) {
            uint64_t expected = 12345678ull * ws_score_fraction(t->length[code], tf) >> 31;
            cr_assert_eq(ws_score_posting(t, 12345678, tf, (uint8_t)code), expected);
        }
    }
    ws_score_tables_free(tables);
    ws_manifest_fini(&m);
}

Test(score, tables_exist_where_something_scores)
{
    ws_schema schema = schema_of(0.9, 0.4);
    schema.fields[0].boost = 0;
    ws_manifest m = manifest_of(&schema, (statistics){10, 100, 1});
    ws_score_tables *tables;
    cr_assert_eq(ws_score_tables_new(&tables, &m), WS_OK);
    cr_assert_null(tables->streams[0][0], "boost 0");
    cr_assert_not_null(tables->streams[1][0]);
    cr_assert_not_null(tables->streams[1][1]);
    cr_assert_null(tables->streams[1][2], "weight 0");
    cr_assert_null(tables->streams[2][0], "no text");
    cr_assert_eq(tables->streams[1][1]->weight, 32768);
    ws_score_tables_free(tables);
    ws_score_tables_free(NULL);
    ws_manifest_fini(&m);
}

/* BM25 as Lucene 10 computes it: float, one byte of length, no factor k1 + 1. */
static float lucene_score(float k1, float b, statistics s, uint32_t tf, uint8_t code)
{
    float idf = (float)log(1 + ((double)s.n - (double)s.df + 0.5) / ((double)s.df + 0.5));
    float average = (float)((double)s.sum / (double)s.n);
    float inverse = 1.0f / (k1 * ((1 - b) + b * (float)ws_norm_decode(code) / average));
    return idf - idf / (1.0f + (float)tf * inverse);
}

Test(score, agrees_with_the_formula_of_lucene_within_a_ten_thousandth)
{
    ws_rng rng = ws_rng_seeded(24);
    ws_schema schema = schema_of(1.2, 0.75);
    for (int i = 0; i < 300; i++) {
        statistics s = {ws_rng_between(&rng, 100, 5000000), 0, 0};
        s.sum = s.n * ws_rng_between(&rng, 5, 900);
        s.df = ws_rng_between(&rng, 1, s.n);
        ws_manifest m = manifest_of(&schema, s);
        ws_score_tables *tables;
        cr_assert_eq(ws_score_tables_new(&tables, &m), WS_OK);
        uint32_t unit = (uint32_t)ws_score_unit(ws_score_idf(s.n, s.df), 65536);
        for (int k = 0; k < 100; k++) {
            uint8_t code = (uint8_t)ws_rng_between(&rng, 1, 140);
            uint32_t tf = (uint32_t)ws_rng_skewed(&rng, 12) | 1;
            double got = ws_score_posting(tables->streams[1][0], unit, tf, code) * 0x1p-20;
            cr_assert_float_eq(got, (double)lucene_score(1.2f, 0.75f, s, tf, code), 1e-4,
                               "seed %llu", (unsigned long long)rng.seed);
        }
        ws_score_tables_free(tables);
        ws_manifest_fini(&m);
    }
}

Test(score, more_occurrences_never_score_less_and_longer_documents_never_more)
{
    ws_schema schema = schema_of(0.9, 0.4);
    ws_manifest m = manifest_of(&schema, (statistics){1000, 300000, 7});
    ws_score_tables *tables;
    cr_assert_eq(ws_score_tables_new(&tables, &m), WS_OK);
    const ws_score_table *t = tables->streams[1][0];
    for (uint32_t code = 1; code < 256; code++)
        for (uint32_t tf = 1; tf < 100; tf++) {
            cr_assert_geq(ws_score_posting(t, 5u << 20, tf + 1, (uint8_t)code),
                          ws_score_posting(t, 5u << 20, tf, (uint8_t)code));
            cr_assert_leq(ws_score_posting(t, 5u << 20, tf, (uint8_t)code),
                          ws_score_posting(t, 5u << 20, tf, (uint8_t)(code - 1)));
        }
    ws_score_tables_free(tables);
    ws_manifest_fini(&m);
}
