/* Keys of queries: what is asked alike has one key, what is asked differently has another. */
#include <string.h>

#include "tests/support/test.h"
#include "wikisearch/wikisearch.h"

static ws_index *index_handle;

static void setup(void)
{
    ws_schema *schema;
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(""), NULL), WS_OK);
    cr_assert_eq(ws_index_open(&index_handle, NULL, schema, NULL, NULL), WS_OK);
    ws_schema_free(schema);
}

static void teardown(void)
{
    ws_index_close(index_handle);
}

typedef struct {
    uint8_t bytes[16];
} key;

static key key_of(const char *text, uint32_t op, const char *filter)
{
    ws_query_options options = WS_QUERY_OPTIONS_INIT;
    ws_query *query;
    key k;
    options.op = op;
    options.filter = ws_cstr(filter);
    cr_assert_geq(ws_query_parse(&query, index_handle, ws_cstr(text), &options, NULL), WS_OK, "%s",
                  text);
    ws_query_key(query, k.bytes);
    ws_query_free(query);
    return k;
}

static int alike(const char *a, const char *b)
{
    key x = key_of(a, WS_OPERATOR_OR, ""), y = key_of(b, WS_OPERATOR_OR, "");
    return memcmp(x.bytes, y.bytes, sizeof x.bytes) == 0;
}

Test(query_key, spellings_of_one_question_have_one_key, .init = setup, .fini = teardown)
{
    cr_expect(alike("history of Korea", "  HISTORY   of\tkorea "));
    cr_expect(alike("history", "histories"), "one stem");
    cr_expect(alike("\"new york\"", "\" New  York \""));
    cr_expect(alike("\"new york", "\"new york\""));
    cr_expect(alike("a ?? b", "a b"), "a clause without a token");
    cr_expect(alike("ＫＢＳ", "kbs"), "full width");
    cr_expect(alike("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "\xed\x95\x9c"),
              "U+1112 U+1161 U+11AB is U+D55C");
    cr_expect(alike("-the cat", "-THE  cat"));
}

Test(query_key, different_questions_have_different_keys, .init = setup, .fini = teardown)
{
    static const char *const texts[] = {"",
                                        "y",
                                        "b",
                                        "y b",
                                        "b y",
                                        "y y",
                                        "-y b",
                                        "y -b",
                                        "\"y b\"",
                                        "\"y\" b",
                                        "\"y\"",
                                        "-\"y\" b",
                                        "y-b",
                                        "ab",
                                        "대한민국",
                                        "대한민국은",
                                        "\"대한민국은\"",
                                        "\"대한민국\"",
                                        "대한 민국",
                                        "민국"};
    const size_t n = sizeof texts / sizeof *texts;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            cr_expect_eq(alike(texts[i], texts[k]), i == k, "'%s' and '%s'", texts[i], texts[k]);
}

static int alike_with(const char *text, uint32_t op_a, const char *filter_a, uint32_t op_b,
                      const char *filter_b)
{
    key x = key_of(text, op_a, filter_a), y = key_of(text, op_b, filter_b);
    return memcmp(x.bytes, y.bytes, sizeof x.bytes) == 0;
}

Test(query_key, operator_and_filter_count, .init = setup, .fini = teardown)
{
    cr_expect_not(alike_with("y b", WS_OPERATOR_OR, "", WS_OPERATOR_AND, ""));
    cr_expect(alike_with("y -b", WS_OPERATOR_OR, "", WS_OPERATOR_AND, ""),
              "of one word it is the same question");
    cr_expect_not(alike_with("y", 0, "", 0, "lang = \"ko\""));
    cr_expect_not(alike_with("y", 0, "lang = \"en\"", 0, "lang = \"ko\""));
    cr_expect_not(alike_with("y", 0, "lang != \"ko\"", 0, "lang = \"ko\""));
    cr_expect(alike_with("y", 0, "lang=\"ko\"", 0, "  lang  =  \"ko\" "));
}

Test(query_key, a_clipped_query_is_another_one, .init = setup, .fini = teardown)
{
    cr_assert_eq(ws_index_set_limit(index_handle, WS_LIMIT_QUERY_TERMS, 2), WS_OK);
    cr_expect_not(alike("y b", "y b c"), "the answer has a warning");
    cr_expect(alike("y b c", "y b d"));
}
