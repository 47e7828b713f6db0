/* Query text to clauses, places and posting lists; clipping; what is said about it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "engine/query/cut.h"
#include "engine/query/parse.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

/* --- cutting --- */

/* Clauses as one text: + or -, then the word or "phrase", in brackets. */
static const char *cut(ws_str text)
{
    static char out[4096];
    ws_cutter c = {text, 0};
    ws_clause_text clause;
    size_t at = 0;
    out[0] = '\0';
    while (ws_cut_next(&c, &clause))
        at += (size_t)snprintf(out + at, sizeof out - at, "[%s%s%.*s%s]",
                               clause.negative ? "-" : "", clause.phrase ? "\"" : "",
                               (int)clause.text.len, clause.text.ptr, clause.phrase ? "\"" : "");
    return out;
}

Test(parse, text_is_cut_as_docs_search_says)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"   \t\n ", ""},
        {"a b", "[a][b]"},
        {"  a\tb\n", "[a][b]"},
        {"\xe5\xad\x97\xe3\x80\x80\xe5\xad\x97\xc2\xa0x",
         "[\xe5\xad\x97][\xe5\xad\x97][x]"}, /* U+3000, U+00A0 */
        {"-a", "[-a]"},
        {"a-b", "[a-b]"},
        {"a -b", "[a][-b]"},
        {"- a", "[-][a]"},
        {"-", "[-]"},
        {"--help", "[--help]"},
        {"\"a b\"", "[\"a b\"]"},
        {"-\"a b\"", "[-\"a b\"]"},
        {"--\"a b\"", "[--][\"a b\"]"},
        {"\"a b", "[\"a b\"]"},
        {"\"", ""},
        {"\"\"", ""},
        {"-\"\"", ""},
        {"\"\"\"a", "[\"a\"]"},
        {"a\"b c\"d", "[a][\"b c\"][d]"},
        {"\"a\"-b", "[\"a\"][-b]"},
        {"\"a\"\"b\"", "[\"a\"][\"b\"]"},
        {"a \" \" b", "[a][\" \"][b]"},
        {"AND OR NOT (a) a:b *?~^", "[AND][OR][NOT][(a)][a:b][*?~^]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(cut(ws_cstr(rows[i][0])), rows[i][1], "%s", rows[i][0]);
}

Test(parse, limit_counts_code_points_and_stray_bytes)
{
    cr_assert_eq(ws_cut_limit(WS_STR("abc"), 2), 2);
    cr_assert_eq(ws_cut_limit(WS_STR("abc"), 9), 3);
    cr_assert_eq(ws_cut_limit(WS_STR("\xed\x95\x9c\xea\xb8\x80"), 1), 3);
    cr_assert_eq(ws_cut_limit(WS_STR("\x80\x80\x80\x80"), 3), 3);
    cr_assert_eq(ws_cut_limit(WS_STR(""), 3), 0);
}

/* --- analysing --- */

static ws_analyzer *analyzer;
static ws_schema schema;

static void setup(void)
{
    cr_assert_eq(ws_analyzer_new(&analyzer, NULL), WS_OK);
    ws_schema_init_default(&schema);
}

static void teardown(void)
{
    ws_analyzer_free(analyzer);
}

static ws_status make(ws_query **query, ws_str text, uint32_t op)
{
    ws_query_request request = {&schema, analyzer, text, {NULL, 0}, op, 1024, 64, 0};
    return ws_query_make(query, &request, NULL);
}

static ws_query *query_of(const char *text)
{
    ws_query *query;
    cr_assert_geq(make(&query, ws_cstr(text), WS_OPERATOR_OR), WS_OK);
    return query;
}

static const char *describe(const char *text)
{
    static char out[65536];
    ws_query *q = query_of(text);
    snprintf(out, sizeof out, "%.*s", (int)q->describe.len, q->describe.ptr);
    ws_query_unref(q);
    return out;
}

/* Multiplicity of a list, -1 when the query has no such list. */
static int multiplicity(const ws_query *q, uint32_t field, uint32_t stream, const char *term)
{
    for (uint32_t i = 0; i < q->n_lists; i++) {
        ws_str key = q->lists[i].key;
        if (q->lists[i].field == field && q->lists[i].stream == stream &&
            (uint8_t)key.ptr[0] == field && (uint8_t)key.ptr[1] == stream &&
            ws_str_eq(ws_str_sub(key, 2, key.len), ws_cstr(term)))
            return (int)q->lists[i].multiplicity;
    }
    return -1;
}

static ws_str term_of(const ws_query *q, uint32_t list)
{
    return ws_str_sub(q->lists[list].key, 2, q->lists[list].key.len);
}

/* 대한민국은 (U+B300 U+D55C U+BBFC U+AD6D U+C740): word 대한민국, in-stem bigrams 대한 한민 민국,
 * and 국은 scores only. */
Test(parse, korean_word_has_a_word_and_its_bigrams, .init = setup, .fini = teardown)
{
    ws_query *q = query_of("대한민국은");
    cr_assert_eq(q->n_clauses, 1);
    cr_assert_eq(q->n_positive, 1);
    cr_assert_eq(q->clauses[0].n_alternatives, 2); /* title, body */
    cr_assert_eq(q->n_lists, 10);
    for (uint32_t field = 0; field < 2; field++) {
        const ws_query_alternative *a = &q->alternatives[field];
        cr_assert_eq(a->field, field);
        cr_assert_eq(a->n_places, 1);
        const ws_query_place *p = &q->places[a->first_place];
        cr_assert(ws_str_eq(term_of(q, p->word), WS_STR("대한민국")));
        cr_assert_eq(p->n_bigrams, 3);
        cr_assert(ws_str_eq(term_of(q, q->bigrams[p->first_bigram]), WS_STR("대한")));
        cr_assert(ws_str_eq(term_of(q, q->bigrams[p->first_bigram + 2]), WS_STR("민국")));
        cr_assert_eq(multiplicity(q, field, WS_STREAM_WORD, "대한민국"), 1);
        cr_assert_eq(multiplicity(q, field, WS_STREAM_BIGRAM, "국은"), 1);
        cr_assert_eq(multiplicity(q, field, WS_STREAM_SURFACE, "대한민국은"), -1, "weight 0");
    }
    cr_assert(ws_str_eq(q->clauses[0].text, WS_STR("대한민국은")));
    ws_query_unref(q);
}

Test(parse, quoted_text_asks_for_the_surface, .init = setup, .fini = teardown)
{
    ws_query *q = query_of("\"대한민국은 k-pop\"");
    const ws_query_alternative *a = &q->alternatives[0];
    cr_assert_eq(a->n_places, 3);
    const ws_query_place *p = &q->places[a->first_place];
    cr_assert(ws_str_eq(term_of(q, p[0].word), WS_STR("대한민국은")));
    cr_assert(ws_str_eq(term_of(q, p[1].word), WS_STR("k-pop")));
    cr_assert(ws_str_eq(term_of(q, p[2].word), WS_STR("pop")));
    cr_assert_eq(p[0].n_bigrams + p[1].n_bigrams + p[2].n_bigrams, 0);
    cr_assert_eq(multiplicity(q, 0, WS_STREAM_SURFACE, "대한민국은"), 0,
                 "a phrase scores as a whole");
    cr_assert_eq(multiplicity(q, 0, WS_STREAM_WORD, "대한민국"), -1);
    ws_query_unref(q);
}

Test(parse, word_with_joints_is_one_clause_of_several_places, .init = setup, .fini = teardown)
{
    ws_query *q = query_of("K-POP");
    cr_assert_eq(q->n_clauses, 1);
    cr_assert_eq(q->alternatives[0].n_places, 2);
    cr_assert(ws_str_eq(term_of(q, q->places[0].word), WS_STR("k")));
    cr_assert(ws_str_eq(term_of(q, q->places[1].word), WS_STR("pop")));
    ws_query_unref(q);
}

Test(parse, repeated_words_are_one_list_of_higher_multiplicity, .init = setup, .fini = teardown)
{
    ws_query *q = query_of("history HISTORY histories -history \"history\"");
    cr_assert_eq(q->n_clauses, 5);
    cr_assert_eq(q->n_positive, 4);
    cr_assert_eq(q->n_lists, 2);
    cr_assert_eq(multiplicity(q, 1, WS_STREAM_WORD, "histori"), 3);
    ws_query_unref(q);
}

Test(parse, nothing_scores_where_boost_or_weight_is_zero, .init = setup, .fini = teardown)
{
    schema.fields[0].boost = 0;
    schema.weights[WS_STREAM_BIGRAM] = 0;
    schema.weights[WS_STREAM_SURFACE] = 65536;
    ws_query *q = query_of("대한민국은");
    cr_assert_eq(multiplicity(q, 0, WS_STREAM_WORD, "대한민국"), 0);
    cr_assert_eq(multiplicity(q, 1, WS_STREAM_WORD, "대한민국"), 1);
    cr_assert_eq(multiplicity(q, 1, WS_STREAM_BIGRAM, "대한"), 0, "needed to match");
    cr_assert_eq(multiplicity(q, 1, WS_STREAM_BIGRAM, "국은"), -1, "needed for nothing");
    cr_assert_eq(multiplicity(q, 1, WS_STREAM_SURFACE, "대한민국은"), 1);
    cr_assert_eq(multiplicity(q, 0, WS_STREAM_SURFACE, "대한민국은"), -1);
    ws_query_unref(q);
}

Test(parse, negative_clauses_do_not_score, .init = setup, .fini = teardown)
{
    ws_query *q = query_of("-대한민국은 -\"a b\"");
    cr_assert_eq(q->n_clauses, 2);
    cr_assert_eq(q->n_positive, 0);
    for (uint32_t i = 0; i < q->n_lists; i++)
        cr_assert_eq(q->lists[i].multiplicity, 0);
    cr_assert_eq(multiplicity(q, 0, WS_STREAM_BIGRAM, "국은"), -1);
    ws_query_unref(q);
}

Test(parse, clauses_without_a_token_are_dropped, .init = setup, .fini = teardown)
{
    ws_query *q = query_of("?? - \"!!\" -- ... -\"\" &");
    cr_assert_eq(q->n_clauses, 0);
    cr_assert_eq(q->n_lists, 0);
    ws_query_unref(q);
    cr_assert_str_eq(describe("??"),
                     "{\"normalized\":\"\",\"terms\":[],\"ignored\":[],\"warnings\":[]}");
}

Test(parse, each_analyzer_gives_its_own_alternative, .init = setup, .fini = teardown)
{
    schema.fields[0].analyzer = WS_ANALYZER_KEYWORD;
    schema.fields[1].analyzer = WS_ANALYZER_WHITESPACE;
    ws_query *q = query_of("\"New York\"");
    cr_assert_eq(q->clauses[0].n_alternatives, 2);
    cr_assert_eq(multiplicity(q, 0, WS_STREAM_WORD, "new york"), 0);
    cr_assert_eq(multiplicity(q, 1, WS_STREAM_WORD, "New"), 0);
    cr_assert_eq(multiplicity(q, 1, WS_STREAM_WORD, "York"), 0);
    ws_query_unref(q);
}

Test(parse, a_field_without_positions_is_left_out_of_phrases, .init = setup, .fini = teardown)
{
    schema.fields[0].flags &= (uint8_t)~WS_FIELD_POSITIONS;
    ws_query *q = query_of("\"new york\"");
    cr_assert_eq(q->clauses[0].n_alternatives, 1);
    cr_assert_eq(q->alternatives[0].field, 1);
    cr_assert_eq(q->clipped, WS_OK);
    cr_assert_not_null(strstr(describe("\"new york\""), "\"no_positions\""));
    ws_query_unref(q);
    q = query_of("\"york\"");
    cr_assert_eq(q->clauses[0].n_alternatives, 2, "one word needs no position");
    ws_query_unref(q);
}

/* --- description --- */

Test(parse, description_says_what_was_understood, .init = setup, .fini = teardown)
{
    cr_assert_str_eq(describe("  대한민국은   Histories -서울의 \"New  York은\" K-POP "),
                     "{\"normalized\":\"대한민국 histori -서울 \\\"new york\\\" k-pop\","
                     "\"terms\":[\"대한민국\",\"histori\",\"new\",\"york\",\"k\",\"pop\"],"
                     "\"ignored\":[],\"warnings\":[]}");
}

/* --- stop words --- */

Test(parse, stop_words_are_left_out_when_others_select, .init = setup, .fini = teardown)
{
    static const struct {
        const char *text, *normalized, *ignored;
    } rows[] = {
        {"the history of Korea", "histori korea", "\"the\",\"of\""},
        {"The history, (and) what? into: the!", "histori what",
         "\"The\",\"(and)\",\"into:\",\"the!\""},
        {"to be or not to be", "to be or not to be", ""},
        {"the -history", "the -histori", ""},
        {"the ...", "the", ""},
        {"the \"who\"", "\"who\"", "\"the\""},
        {"\"the\" who -the", "\"the\" who -the", ""},
        {"vitamin A IT OF thE", "vitamin a it of the", ""},
        {"A history", "a histori", ""}, /* one letter: a name for all we know */
        {"to-do and theory anda", "to-do theori anda", "\"and\""},
        {"대한민국 the 역사", "대한민국 역사", "\"the\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char normalized[200], ignored[200];
        const char *got = describe(rows[i].text);
        snprintf(normalized, sizeof normalized, "{\"normalized\":\"%s\",", rows[i].normalized);
        snprintf(ignored, sizeof ignored, "\"ignored\":[%s]", rows[i].ignored);
        if (!strchr(rows[i].normalized, '"'))
            cr_expect(strncmp(got, normalized, strlen(normalized)) == 0, "%s: %s", rows[i].text,
                      got);
        cr_expect_not_null(strstr(got, ignored), "%s: %s", rows[i].text, got);
    }
}

Test(parse, stop_words_are_kept_on_demand_and_in_other_analyzers, .init = setup, .fini = teardown)
{
    ws_query_request request = {
        &schema, analyzer, WS_STR("the sea"), {NULL, 0}, WS_OPERATOR_OR, 1024, 64, 1};
    ws_query *q;
    cr_assert_eq(ws_query_make(&q, &request, NULL), WS_OK);
    cr_expect_eq(q->n_clauses, 2);
    ws_query_unref(q);
    request.keep_stop_words = 0;
    schema.fields[0].analyzer = WS_ANALYZER_WHITESPACE;
    cr_assert_eq(ws_query_make(&q, &request, NULL), WS_OK);
    cr_expect_eq(q->n_clauses, 2);
    cr_expect_eq(q->n_ignored, 0);
    ws_query_unref(q);
}

/* --- limits --- */

static void check_clipped(ws_str text, const char *code, uint32_t clauses)
{
    ws_query *q;
    cr_assert_eq(make(&q, text, WS_OPERATOR_AND), WS_TRUNCATED);
    cr_assert_eq(q->clipped, WS_TRUNCATED);
    cr_assert_eq(q->n_clauses, clauses);
    cr_assert_leq(q->n_lists, 4096);
    cr_assert_leq(q->arena.total, 4u << 20);
    char *described = ws_memdup0(q->describe.ptr, q->describe.len);
    cr_assert_not_null(strstr(described, code), "%s", described);
    ws_free(described);
    ws_query_unref(q);
}

/* `unit` again and again, `bytes` in all. */
static ws_str repeat(const char *unit, size_t bytes)
{
    size_t n = strlen(unit);
    char *text = ws_malloc(bytes);
    for (size_t at = 0; at < bytes; at++)
        text[at] = unit[at % n];
    return ws_str_make(text, bytes);
}

Test(parse, what_is_beyond_a_limit_is_clipped_and_said, .init = setup, .fini = teardown)
{
    static const struct {
        const char *unit, *code;
        size_t bytes;
        uint32_t clauses;
    } rows[] = {
        {"y ", "too_many_terms", 1000, 64},           {"word ", "query_too_long", 100000, 64},
        {"\"", "query_too_long", 100000, 0},          {"\"y\" ", "too_many_terms", 1000, 64},
        {"\"y ", "query_too_long", 100000, 64},       {"a", "query_too_long", 100000, 1},
        {"\xed\x95\x9c", "query_too_long", 99999, 1}, {"a-", "query_too_long", 100000, 1},
        {"\x80", "query_too_long", 100000, 0},        {"-x ", "too_many_terms", 1000, 64},
        {"\xff\xfe ", "query_too_long", 100000, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ws_str text = repeat(rows[i].unit, rows[i].bytes);
        check_clipped(text, rows[i].code, rows[i].clauses);
        ws_free((void *)(uintptr_t)text.ptr);
    }
}

Test(parse, a_query_at_the_limits_is_not_clipped, .init = setup, .fini = teardown)
{
    ws_query *q;
    ws_str text = repeat("abcdefghijklmno ", 1024);
    cr_assert_eq(make(&q, text, WS_OPERATOR_OR), WS_OK);
    cr_assert_eq(q->n_clauses, 64);
    cr_assert_eq(q->n_lists, 2);
    cr_assert_eq(q->lists[0].multiplicity, 64);
    ws_query_unref(q);
    ws_free((void *)(uintptr_t)text.ptr);
}

Test(parse, unknown_operator_is_refused, .init = setup, .fini = teardown)
{
    ws_query *q;
    cr_assert_eq(make(&q, WS_STR("a"), 2), WS_ERR_ARG);
    cr_assert_null(q);
}

/* --- totality --- */

static void check_consistent(const ws_query *q)
{
    for (uint32_t i = 0; i < q->n_clauses; i++) {
        const ws_query_clause *c = &q->clauses[i];
        cr_assert(c->n_alternatives &&
                  c->first_alternative + c->n_alternatives <= q->n_alternatives);
    }
    for (uint32_t i = 0; i < q->n_alternatives; i++) {
        const ws_query_alternative *a = &q->alternatives[i];
        cr_assert(a->n_places && a->first_place + a->n_places <= q->n_places);
    }
    for (uint32_t i = 0; i < q->n_places; i++) {
        const ws_query_place *p = &q->places[i];
        cr_assert(p->word < q->n_lists);
        cr_assert(p->n_bigrams == 0 || p->first_bigram + p->n_bigrams <= q->n_bigrams);
    }
    for (uint32_t i = 0; i < q->n_bigrams; i++)
        cr_assert_lt(q->bigrams[i], q->n_lists);
}

Test(parse, any_bytes_are_a_query, .init = setup, .fini = teardown)
{
    static const char *const pieces[] = {"\"",
                                         "-",
                                         " ",
                                         "대한",
                                         "은",
                                         "a",
                                         "\xff",
                                         "\xed\xa0\x80",
                                         "\xe3\x80\x80",
                                         "\n",
                                         "C++",
                                         "3.5",
                                         "\xef\xbc\xa1",
                                         "\xe1\x84\x80",
                                         "'",
                                         "\\",
                                         "東京",
                                         "\xf0\x9f\x98\x80"};
    ws_rng rng = ws_rng_seeded(11);
    for (int i = 0; i < 3000; i++) {
        char text[256];
        size_t n = 0;
        ws_query *q;
        for (uint64_t k = ws_rng_below(&rng, 20); k; k--) {
            const char *piece = pieces[ws_rng_below(&rng, sizeof pieces / sizeof *pieces)];
            memcpy(text + n, piece, strlen(piece));
            n += strlen(piece);
        }
        for (uint64_t k = ws_rng_below(&rng, 4); k && n; k--)
            text[ws_rng_below(&rng, n)] = (char)ws_rng_u64(&rng);
        cr_assert_eq(make(&q, ws_str_make(text, n), WS_OPERATOR_OR), WS_OK, "seed %llu",
                     (unsigned long long)rng.seed);
        check_consistent(q);
        ws_query_unref(q);
    }
}

static int fail_at(void *ctx, size_t size)
{
    int *left = ctx;
    (void)size;
    return (*left)-- == 0;
}

Test(parse, every_failed_allocation_is_a_status, .init = setup, .fini = teardown)
{
    ws_query_request request = {&schema,
                                analyzer,
                                WS_STR("대한민국은 \"new york\" -k-pop c d e f g h"),
                                WS_STR("lang = \"ko\""),
                                WS_OPERATOR_OR,
                                1024,
                                64,
                                0};
    ws_query *q;
    cr_assert_eq(ws_query_make(&q, &request, NULL), WS_OK); /* warms the analyzer */
    ws_query_unref(q);
    for (int n = 0;; n++) {
        int left = n;
        ws_mem_set_fault(fail_at, &left);
        ws_status status = ws_query_make(&q, &request, NULL);
        ws_mem_set_fault(NULL, NULL);
        if (status == WS_OK)
            break;
        cr_assert_eq(status, WS_ERR_NOMEM);
        cr_assert_null(q);
        cr_assert_lt(n, 1000);
    }
    ws_query_unref(q);
}
