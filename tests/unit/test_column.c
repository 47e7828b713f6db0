/* Columns against arrays: values, ordinals, matching; every width; damage. */
#include "engine/index/column.h"
#include "tests/support/faults.h"
#include "tests/support/sample_index.h"
#include "tests/support/test.h"

#define MOST       2000u
#define MULTI_MOST 6u

/* Writes one column as field 3 of a segment of n documents. */
static ws_segment *end_column(ws_column_writer *w, uint32_t n)
{
    ws_segment *segment;
    ws_segment_out *out = sample_part_begin();
    cr_assert_eq(ws_column_writer_finish(w, out, 3), WS_OK);
    ws_column_writer_free(w);
    cr_assert_eq(sample_part_end(out, n, 1, &segment), WS_OK);
    return segment;
}

static int bit(const uint64_t *bits, uint32_t d)
{
    return (int)(bits[d / 64] >> (d % 64) & 1);
}

/* --- int --- */

static void expect_range(ws_segment *s, const int64_t *values, const uint8_t *present, uint32_t n,
                         int64_t low, int64_t high)
{
    uint64_t bits[MOST / 64 + 1];
    memset(bits, 0xff, sizeof bits);
    cr_assert_eq(ws_column_match_range(s, 3, low, high, bits), WS_OK);
    for (uint32_t d = 0; d < n; d++)
        cr_assert_eq(bit(bits, d), present[d] && values[d] >= low && values[d] <= high,
                     "document %u", d);
    if (n % 64)
        cr_assert_eq(bits[n / 64] >> (n % 64), (uint64_t)0, "unused bits");
}

static void check_ints(const int64_t *values, const uint8_t *present, uint32_t n, ws_rng *rng)
{
    ws_column_writer *w;
    cr_assert_eq(ws_column_writer_new(&w, WS_COLUMN_INT), WS_OK);
    for (uint32_t d = 0; d < n; d++)
        cr_assert_eq(ws_column_writer_add_int(w, present[d], values[d]), WS_OK);
    ws_segment *s = end_column(w, n);
    cr_assert_eq(ws_column_type(s, 3), WS_COLUMN_INT);
    for (uint32_t d = 0; d < n; d++) {
        int64_t value;
        int has;
        cr_assert_eq(ws_column_int(s, 3, d, &value, &has), WS_OK);
        cr_assert_eq(has, present[d]);
        cr_assert_eq(value, has ? values[d] : 0, "document %u", d);
    }
    expect_range(s, values, present, n, INT64_MIN, INT64_MAX);
    expect_range(s, values, present, n, 1, 0);
    for (int i = 0; i < 10; i++) {
        int64_t a = values[ws_rng_below(rng, n)], b = values[ws_rng_below(rng, n)];
        expect_range(s, values, present, n, WS_MIN(a, b), WS_MAX(a, b));
    }
    int64_t value;
    int has;
    uint32_t count;
    cr_assert_eq(ws_column_int(s, 3, n, &value, &has), WS_ERR_ARG);
    cr_assert_eq(ws_column_int(s, 4, 0, &value, &has), WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_column_int(s, WS_MAX_FIELDS, 0, &value, &has), WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_column_ordinals(s, 3, 0, NULL, 0, &count), WS_ERR_ARG, "of another type");
    ws_segment_unref(s);
}

Test(column, ints_of_every_width)
{
    static int64_t values[MOST];
    static uint8_t present[MOST];
    ws_rng rng = ws_rng_seeded(50);
    for (unsigned bits = 1; bits <= 64; bits += 7) {
        uint32_t n = (uint32_t)ws_rng_between(&rng, 1, 300);
        for (uint32_t d = 0; d < n; d++) {
            values[d] = (int64_t)(ws_rng_u64(&rng) >> (64 - bits));
            if (bits < 64)
                values[d] -= 1000;
            present[d] = ws_rng_below(&rng, 5) != 0;
        }
        check_ints(values, present, n, &rng);
    }
}

Test(column, ints_at_the_edges)
{
    int64_t values[65] = {INT64_MIN, INT64_MAX, 0, -1, 1};
    uint8_t present[65] = {1, 1, 1, 1, 1};
    ws_rng rng = ws_rng_seeded(51);
    check_ints(values, present, 5, &rng);
    check_ints(values, present, 64, &rng);
    check_ints(values, present, 65, &rng);
    check_ints(values, present, 1, &rng);
    memset(present, 0, sizeof present);
    check_ints(values, present, 65, &rng); /* nothing there */
    memset(present, 1, sizeof present);
    for (int i = 0; i < 65; i++)
        values[i] = -7; /* width 0 */
    check_ints(values, present, 65, &rng);
}

/* --- keyword --- */

typedef struct {
    uint32_t n; /* documents */
    uint32_t n_values[MOST];
    uint32_t values[MOST][MULTI_MOST]; /* numbers of words, as given */
} words;

static void word_of(uint32_t number, char out[32])
{
    snprintf(out, 32, "%s%u", number % 2 ? "k" : "\xea\xb0\x80" /* U+AC00 */,
             number * 7919 % 100003);
}

static int has_word(const words *m, uint32_t doc, const char *text)
{
    char word[32];
    for (uint32_t i = 0; i < m->n_values[doc]; i++) {
        word_of(m->values[doc][i], word);
        if (strcmp(word, text) == 0)
            return 1;
    }
    return 0;
}

static uint32_t distinct_of(const words *m, uint32_t doc)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_values[doc]; i++) {
        uint32_t k = 0;
        while (k < i && m->values[doc][k] != m->values[doc][i])
            k++;
        n += k == i;
    }
    return n;
}

static ws_segment *build_words(const words *m, uint32_t type)
{
    ws_column_writer *w;
    cr_assert_eq(ws_column_writer_new(&w, type), WS_OK);
    for (uint32_t d = 0; d < m->n; d++) {
        char texts[MULTI_MOST][32];
        ws_str slices[MULTI_MOST];
        for (uint32_t i = 0; i < m->n_values[d]; i++) {
            word_of(m->values[d][i], texts[i]);
            slices[i] = ws_cstr(texts[i]);
        }
        cr_assert_eq(ws_column_writer_add_keywords(w, slices, m->n_values[d]), WS_OK);
    }
    return end_column(w, m->n);
}

static void expect_match(ws_segment *s, const words *m, const char *text, int64_t ordinal)
{
    uint64_t bits[MOST / 64 + 1];
    memset(bits, 0xff, sizeof bits);
    cr_assert_eq(ws_column_match_ordinal(s, 3, (uint32_t)ordinal, bits), WS_OK);
    for (uint32_t d = 0; d < m->n; d++)
        cr_assert_eq(bit(bits, d), has_word(m, d, text), "document %u, %s", d, text);
}

static void check_words(const words *m, uint32_t type)
{
    ws_segment *s = build_words(m, type);
    ws_str value, before = {NULL, 0};
    uint32_t distinct = ws_column_distinct(s, 3), ordinals[MULTI_MOST], n;
    int64_t ordinal;
    cr_assert_eq(ws_column_type(s, 3), type);
    for (uint32_t o = 0; o < distinct; o++) {
        cr_assert_eq(ws_column_value(s, 3, o, &value), WS_OK);
        cr_assert(o == 0 || ws_str_cmp(before, value) < 0, "values ascend");
        cr_assert_eq(ws_column_ordinal(s, 3, value, &ordinal), WS_OK);
        cr_assert_eq(ordinal, (int64_t)o);
        if (o % (distinct / 8 + 1) == 0) {
            char text[32] = {0};
            memcpy(text, value.ptr, value.len);
            expect_match(s, m, text, o);
        }
        before = value;
    }
    for (uint32_t d = 0; d < m->n; d++) {
        cr_assert_eq(ws_column_ordinals(s, 3, d, ordinals, MULTI_MOST, &n), WS_OK);
        cr_assert_eq(n, distinct_of(m, d), "document %u", d);
        for (uint32_t i = 0; i < n; i++) {
            char text[32] = {0};
            cr_assert(i == 0 || ordinals[i] > ordinals[i - 1]);
            cr_assert_eq(ws_column_value(s, 3, ordinals[i], &value), WS_OK);
            memcpy(text, value.ptr, value.len);
            cr_assert(has_word(m, d, text));
        }
        if (n) {
            cr_assert_eq(ws_column_ordinals(s, 3, d, ordinals, 0, &n), WS_OK);
            cr_assert_eq(n, distinct_of(m, d), "the count does not depend on the room");
        }
    }
    cr_assert_eq(ws_column_ordinal(s, 3, ws_cstr("zzz"), &ordinal), WS_OK);
    cr_assert_eq(ordinal, (int64_t)-1);
    cr_assert_eq(ws_column_ordinal(s, 3, ws_cstr(""), &ordinal), WS_OK);
    cr_assert_eq(ordinal, (int64_t)-1);
    cr_assert_eq(ws_column_value(s, 3, distinct, &value), WS_ERR_RANGE);
    cr_assert_eq(ws_column_ordinals(s, 3, m->n, ordinals, 1, &n), WS_ERR_ARG);
    ws_segment_unref(s);
}

static void random_words(words *m, ws_rng *rng, uint32_t n, uint32_t most, uint32_t vocabulary)
{
    m->n = n;
    for (uint32_t d = 0; d < n; d++) {
        m->n_values[d] = (uint32_t)ws_rng_below(rng, most + 1);
        for (uint32_t i = 0; i < m->n_values[d]; i++)
            m->values[d][i] = (uint32_t)ws_rng_below(rng, vocabulary);
    }
}

Test(column, keywords_are_those_that_came)
{
    static words m;
    static const uint32_t vocabularies[] = {1, 5, 254, 255, 256, 257, 70000};
    ws_rng rng = ws_rng_seeded(52);
    for (size_t v = 0; v < WS_ARRAY_LEN(vocabularies); v++) {
        random_words(&m, &rng, MOST, 1, vocabularies[v]);
        check_words(&m, WS_COLUMN_KEYWORD);
        random_words(&m, &rng, (uint32_t)ws_rng_between(&rng, 1, MOST), MULTI_MOST,
                     vocabularies[v]);
        check_words(&m, WS_COLUMN_MULTI);
    }
    random_words(&m, &rng, 100, 0, 1);
    check_words(&m, WS_COLUMN_KEYWORD);
    check_words(&m, WS_COLUMN_MULTI);
}

Test(column, more_than_65535_values_take_four_bytes)
{
    const uint32_t n = 70000;
    ws_column_writer *w;
    char text[16];
    cr_assert_eq(ws_column_writer_new(&w, WS_COLUMN_KEYWORD), WS_OK);
    for (uint32_t d = 0; d < n; d++) {
        int len = snprintf(text, sizeof text, "%06u", n - d);
        ws_str value = {text, (size_t)len};
        cr_assert_eq(ws_column_writer_add_keywords(w, &value, 1), WS_OK);
    }
    cr_assert_geq(ws_column_writer_memory(w), (size_t)n * 10);
    ws_segment *s = end_column(w, n);
    cr_assert_eq(s->column[3].data[1], 4);
    for (uint32_t d = 0; d < n; d += 777) {
        uint32_t ordinal, count;
        cr_assert_eq(ws_column_ordinals(s, 3, d, &ordinal, 1, &count), WS_OK);
        cr_assert_eq(ordinal, n - 1 - d);
    }
    ws_segment_unref(s);
}

/* --- failures --- */

Test(column, no_memory_is_a_status)
{
    ws_faults faults;
    for (uint32_t type = WS_COLUMN_INT; type <= WS_COLUMN_MULTI; type++) {
        int failed = 1;
        for (uint64_t n = 0; failed; n++) {
            ws_column_writer *w;
            ws_segment_out *out = sample_part_begin();
            uint64_t length, hash;
            ws_faults_arm(&faults, n);
            ws_status status = ws_column_writer_new(&w, type);
            for (uint32_t d = 0; !status && d < 400; d++) {
                char text[16];
                ws_str value = {text, (size_t)snprintf(text, sizeof text, "v%u", d)};
                status = type == WS_COLUMN_INT ? ws_column_writer_add_int(w, 1, d)
                                               : ws_column_writer_add_keywords(w, &value, 1);
            }
            if (!status)
                status = ws_column_writer_finish(w, out, 0);
            ws_segment_out_set_docs(out, 400);
            if (!status)
                status = ws_segment_out_finish(out, &length, &hash, NULL);
            failed = ws_faults_disarm(&faults);
            cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "type %u, allocation %llu", type,
                         (unsigned long long)n);
            ws_column_writer_free(w);
            ws_segment_out_free(out);
        }
    }
}

Test(column, damage_never_leads_outside)
{
    static words m;
    ws_rng rng = ws_rng_seeded(53);
    for (uint32_t type = WS_COLUMN_KEYWORD; type <= WS_COLUMN_MULTI; type++) {
        random_words(&m, &rng, 20, type == WS_COLUMN_MULTI ? 3 : 1, 9);
        ws_segment *whole = build_words(&m, type);
        size_t size = whole->file.map.size,
               from = (size_t)(whole->column[3].data - whole->file.map.data);
        ws_segment_options options = {0, 0, 0};
        for (size_t at = from; at < from + whole->column[3].size; at++)
            for (uint8_t mask = 1; mask; mask = (uint8_t)(mask << 1)) {
                ws_segment *s;
                uint8_t *copy = ws_malloc(size);
                memcpy(copy, whole->file.map.data, size);
                copy[at] ^= mask;
                sample_rehash(copy, size);
                ws_status status = ws_segment_open_memory(&s, copy, size, &options, NULL);
                if (status) {
                    cr_assert_eq(status, WS_ERR_CORRUPT);
                    continue;
                }
                uint64_t bits;
                sample_reading r = {0, WS_OK};
                sample_read_column(&r, s, 3);
                cr_assert(r.status == WS_OK || r.status == WS_ERR_CORRUPT);
                ws_column_match_ordinal(s, 3, 1, &bits);
                ws_column_match_range(s, 3, 0, 5, &bits);
                ws_segment_unref(s);
            }
        ws_segment_unref(whole);
    }
}
