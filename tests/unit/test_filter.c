/* Filters: the grammar, errors with their place, and bits against a scan over values kept by the
 * test. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "engine/api/api_int.h"
#include "engine/query/filter.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

static const char schema_json[] =
    "{\"fields\":[{\"name\":\"body\",\"type\":\"text\"},{\"name\":\"lang\",\"type\":\"keyword\"},"
    "{\"name\":\"tags\",\"type\":\"keyword\",\"multi\":true},{\"name\":\"views\",\"type\":\"int\"}]"
    "}";

static ws_schema *schema;
static ws_arena arena;
static ws_error error;

static void setup(void)
{
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(schema_json), NULL), WS_OK);
    ws_arena_init(&arena);
    memset(&error, 0, sizeof error);
}

static void teardown(void)
{
    ws_arena_fini(&arena);
    ws_schema_free(schema);
}

static ws_status parse(const char *text, ws_query_predicate **p, uint32_t *n)
{
    return ws_filter_parse(schema, ws_cstr(text), &arena, p, n, &error);
}

Test(filter, empty_text_is_no_filter, .init = setup, .fini = teardown)
{
    ws_query_predicate *p;
    uint32_t n = 9;
    cr_assert_eq(parse("", &p, &n), WS_OK);
    cr_assert_eq(n, 0);
    cr_assert_eq(parse(" \t\n ", &p, &n), WS_OK);
    cr_assert_eq(n, 0);
}

Test(filter, conditions_are_parsed, .init = setup, .fini = teardown)
{
    ws_query_predicate *p;
    uint32_t n;
    cr_assert_eq(
        parse(" lang=\"ko\" AND tags != \"x \\\"y\\\" \\\\\"and views>=-5 AND views < 10 ", &p, &n),
        WS_OK, "%s", error.message);
    cr_assert_eq(n, 4);
    cr_assert_eq(p[0].field, 1);
    cr_assert_eq(p[0].negative, 0);
    cr_assert(ws_str_eq(p[0].value, WS_STR("ko")));
    cr_assert_eq(p[1].field, 2);
    cr_assert_eq(p[1].negative, 1);
    cr_assert(ws_str_eq(p[1].value, WS_STR("x \"y\" \\")));
    cr_assert_eq(p[2].low, -5);
    cr_assert_eq(p[2].high, INT64_MAX);
    cr_assert_eq(p[3].low, INT64_MIN);
    cr_assert_eq(p[3].high, 9);
}

Test(filter, integers_are_ranges, .init = setup, .fini = teardown)
{
    static const struct {
        const char *text;
        int64_t low, high;
        int negative;
    } rows[] = {
        {"views = 5", 5, 5, 0},
        {"views != 5", 5, 5, 1},
        {"views < 5", INT64_MIN, 4, 0},
        {"views <= 5", INT64_MIN, 5, 0},
        {"views > 5", 6, INT64_MAX, 0},
        {"views >= 5", 5, INT64_MAX, 0},
        {"views < -9223372036854775808", 1, 0, 0},
        {"views > 9223372036854775807", 1, 0, 0},
        {"views <= 9223372036854775807", INT64_MIN, INT64_MAX, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ws_query_predicate *p;
        uint32_t n;
        cr_assert_eq(parse(rows[i].text, &p, &n), WS_OK, "%s", rows[i].text);
        cr_expect_eq(p[0].low, rows[i].low, "%s", rows[i].text);
        cr_expect_eq(p[0].high, rows[i].high, "%s", rows[i].text);
        cr_expect_eq(p[0].negative, rows[i].negative, "%s", rows[i].text);
    }
}

Test(filter, errors_say_where, .init = setup, .fini = teardown)
{
    static const struct {
        const char *text;
        ws_status status;
        uint64_t offset;
    } rows[] = {
        {"=", WS_ERR_SYNTAX, 0},
        {" (lang)", WS_ERR_SYNTAX, 1},
        {"lang", WS_ERR_SYNTAX, 4},
        {"lang ~ \"x\"", WS_ERR_SYNTAX, 5},
        {"lang ! \"x\"", WS_ERR_SYNTAX, 5},
        {"lang = ko", WS_ERR_SYNTAX, 7},
        {"lang = \"ko", WS_ERR_SYNTAX, 7},
        {"lang = \"k\\o\"", WS_ERR_SYNTAX, 10},
        {"lang = \"ko\\", WS_ERR_SYNTAX, 11},
        {"lang = \"a\" OR lang = \"b\"", WS_ERR_SYNTAX, 11},
        {"lang = \"a\" AND", WS_ERR_SYNTAX, 14},
        {"lang = \"a\" ANDviews = 1", WS_ERR_SYNTAX, 11},
        {"views = x", WS_ERR_SYNTAX, 8},
        {"views = 12x", WS_ERR_SYNTAX, 8},
        {"views = \"5\"", WS_ERR_SYNTAX, 8},
        {"views = 9223372036854775808", WS_ERR_SYNTAX, 8},
        {"views = -", WS_ERR_SYNTAX, 8},
        {"lnag = \"a\"", WS_ERR_SCHEMA, 0},
        {"views = 1 AND body = \"x\"", WS_ERR_SCHEMA, 14},
        {"lang < \"a\"", WS_ERR_SCHEMA, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ws_query_predicate *p;
        uint32_t n;
        error.offset = 999;
        cr_expect_eq(parse(rows[i].text, &p, &n), rows[i].status, "%s", rows[i].text);
        cr_expect_eq(error.offset, rows[i].offset, "%s: %s", rows[i].text, error.message);
        cr_expect_eq(n, 0);
    }
}

Test(filter, an_unknown_field_names_the_nearest, .init = setup, .fini = teardown)
{
    ws_query_predicate *p;
    uint32_t n;
    cr_assert_eq(parse("view = 1", &p, &n), WS_ERR_SCHEMA);
    cr_assert_not_null(strstr(error.message, "views"), "%s", error.message);
}

Test(filter, more_than_64_conditions_are_refused, .init = setup, .fini = teardown)
{
    char text[4096];
    ws_query_predicate *p;
    uint32_t n;
    size_t at = 0;
    for (int i = 0; i < 65; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%sviews > %d", i ? " AND " : "", i);
    cr_assert_eq(parse(text, &p, &n), WS_ERR_SYNTAX);
    *strrchr(text, 'A') = '\0';
    cr_assert_eq(parse(text, &p, &n), WS_OK);
    cr_assert_eq(n, 64);
}

Test(filter, any_bytes_are_a_filter_or_an_error, .init = setup, .fini = teardown)
{
    static const char *const pieces[] = {"lang", "views",  "tags", " ", "=",   "!=", "<",   ">=",
                                         "\"",   "\"ko\"", "5",    "-", "AND", "\\", "\xff"};
    ws_rng rng = ws_rng_seeded(31);
    for (int i = 0; i < 20000; i++) {
        char text[256];
        size_t len = 0;
        ws_query_predicate *p;
        uint32_t n;
        for (uint64_t k = ws_rng_below(&rng, 12); k; k--) {
            const char *piece = pieces[ws_rng_below(&rng, sizeof pieces / sizeof *pieces)];
            memcpy(text + len, piece, strlen(piece));
            len += strlen(piece);
        }
        ws_status status = ws_filter_parse(schema, ws_str_make(text, len), &arena, &p, &n, &error);
        cr_assert(status == WS_OK || status == WS_ERR_SYNTAX || status == WS_ERR_SCHEMA);
        cr_assert(status == WS_OK || error.offset <= len);
        ws_arena_reset(&arena);
    }
}

/* --- bits --- */

#define DOCS 300

typedef struct {
    int lang, has_views, views, tags; /* lang -1: none; tags: bits */
} model_doc;

static const char *const langs[] = {"ko", "en", ""};
static const char *const tag_names[] = {"a", "b", "c"};

static void put(ws_writer *w, uint32_t number, const model_doc *m)
{
    char id[16], views[16];
    ws_doc *doc;
    cr_assert_eq(ws_doc_new(&doc), WS_OK);
    snprintf(id, sizeof id, "%u", number);
    snprintf(views, sizeof views, "%d", m->views);
    if (m->lang >= 0)
        ws_doc_set(doc, WS_STR("lang"), ws_cstr(langs[m->lang]));
    if (m->has_views)
        ws_doc_set(doc, WS_STR("views"), ws_cstr(views));
    for (int t = 0; t < 3; t++)
        if (m->tags >> t & 1)
            ws_doc_set(doc, WS_STR("tags"), ws_cstr(tag_names[t]));
    cr_assert_eq(ws_writer_put(w, ws_cstr(id), doc, 0, NULL), WS_OK);
    ws_doc_free(doc);
}

static int model_accepts(const model_doc *m, int condition)
{
    switch (condition) {
    case 0:
        return m->lang == 0;
    case 1:
        return m->lang != 1;
    case 2:
        return m->tags & 2;
    case 3:
        return !(m->tags & 1);
    case 4:
        return m->has_views && m->views < 10;
    case 5:
        return !(m->has_views && m->views == 3);
    default:
        return 0;
    }
}

static const char *const conditions[] = {"lang = \"ko\"", "lang != \"en\"", "tags = \"b\"",
                                         "tags != \"a\"", "views < 10",     "views != 3",
                                         "lang = \"xx\"", "views > 1000"};

static void check_pair(ws_segment *segment, const model_doc *docs, int a, int b)
{
    char text[256];
    uint64_t bits[DOCS / 64 + 1], room[DOCS / 64 + 1];
    ws_query_predicate *p;
    uint32_t n;
    snprintf(text, sizeof text, "%s AND %s", conditions[a], conditions[b]);
    cr_assert_eq(parse(text, &p, &n), WS_OK);
    cr_assert_eq(ws_filter_match(segment, p, n, bits, room), WS_OK);
    for (uint32_t d = 0; d < (DOCS / 64 + 1) * 64; d++) {
        int expected = d < DOCS && model_accepts(&docs[d], a) && model_accepts(&docs[d], b);
        cr_assert_eq(bits[d / 64] >> (d % 64) & 1, (uint64_t)expected, "%s, document %u", text, d);
    }
}

/* `empty` leaves the columns out of the segment. */
static void check_segment(int empty)
{
    static model_doc docs[DOCS];
    ws_index *index;
    ws_writer *writer;
    ws_rng rng = ws_rng_seeded(32);
    cr_assert_eq(ws_index_open(&index, NULL, schema, NULL, NULL), WS_OK);
    cr_assert_eq(ws_writer_open(&writer, index, NULL, NULL), WS_OK);
    for (uint32_t i = 0; i < DOCS; i++) {
        docs[i] = (model_doc){-1, 0, 0, 0};
        if (!empty)
            docs[i] = (model_doc){(int)ws_rng_below(&rng, 4) - 1, (int)ws_rng_below(&rng, 3) != 0,
                                  (int)ws_rng_below(&rng, 30) - 10, (int)ws_rng_below(&rng, 8)};
        put(writer, i, &docs[i]);
    }
    cr_assert_eq(ws_writer_commit(writer, NULL, NULL, NULL), WS_OK);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            check_pair(index->snapshot->segments[0].segment, docs, a, b);
    ws_writer_close(writer);
    ws_index_close(index);
}

Test(filter, bits_are_those_of_a_scan, .init = setup, .fini = teardown)
{
    check_segment(0);
}

Test(filter, a_segment_without_the_columns_has_no_equal_value, .init = setup, .fini = teardown)
{
    check_segment(1);
}

Test(filter, no_predicate_accepts_every_document, .init = setup, .fini = teardown)
{
    ws_segment segment;
    uint64_t bits[2], room[2];
    memset(&segment, 0, sizeof segment);
    segment.meta.n_docs = 70;
    cr_assert_eq(ws_filter_match(&segment, NULL, 0, bits, room), WS_OK);
    cr_assert_eq(bits[0], ~0ull);
    cr_assert_eq(bits[1], (1ull << 6) - 1);
}
