/* Documents out of JSON: types by the schema, what is bad and why, odd UTF-8 and odd numbers. */
#include "indexer/jsonl.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/str.h"
#include "indexer/json_load.h"
#include "tests/support/test.h"
#include "wikisearch/schema.h"

static ws_schema *schema;
static ws_jsonl *parser;
static ws_ingest_document doc;

static void open_with(const char *json)
{
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(json), NULL), WS_OK);
    cr_assert_eq(ws_jsonl_new(&parser, schema), WS_OK);
}

static void setup(void)
{
    open_with("{\"id\": \"id\", \"fields\": [{\"name\": \"title\", \"type\": \"text\"},"
              "{\"name\": \"body\", \"from\": \"text\", \"type\": \"text\"},"
              "{\"name\": \"lang\", \"type\": \"keyword\"},"
              "{\"name\": \"tags\", \"type\": \"keyword\", \"multi\": true},"
              "{\"name\": \"views\", \"type\": \"int\"},"
              "{\"name\": \"extra\", \"type\": \"stored\"}]}");
}

static void teardown(void)
{
    ws_jsonl_free(parser);
    ws_schema_free(schema);
}

static ws_status parse(const char *text, ws_error *error)
{
    return ws_jsonl_parse(parser, ws_cstr(text), 17, &doc, error);
}

/* The nth value of a field, {NULL, 0} when there is none. */
static ws_str value(const char *field, uint32_t nth)
{
    int f = ws_schema_find(schema, ws_cstr(field));
    for (uint32_t i = 0; i < doc.n_values; i++)
        if ((int)doc.values[i].field == f && nth-- == 0)
            return doc.values[i].bytes;
    return (ws_str){NULL, 0};
}

static void accept(const char *text, const char *id)
{
    ws_error error = {0};
    ws_status status = parse(text, &error);
    cr_assert_eq(status, WS_OK, "%s: %s", text, error.message);
    cr_assert(ws_str_eq(doc.id, ws_cstr(id)), "%s: id %.*s", text, (int)doc.id.len, doc.id.ptr);
}

static void refuse(const char *text, ws_status expected, const char *in_message)
{
    ws_error error = {0};
    ws_status status = parse(text, &error);
    cr_assert_eq(status, expected, "%s gives %d: %s", text, status, error.message);
    cr_assert_not_null(strstr(error.message, in_message), "%s: %s", text, error.message);
}

#define VALUE(field, nth, text) cr_assert(ws_str_eq(value(field, nth), WS_STR(text)), "%s", field)

Test(jsonl, every_type, .init = setup, .fini = teardown)
{
    accept("{\"id\": 42, \"title\": \"T\", \"text\": \"body\", \"lang\": \"ko\", \"tags\": [\"a\", "
           "\"b\"],"
           "\"views\": -7, \"extra\": 1.5}",
           "42");
    VALUE("title", 0, "T");
    VALUE("body", 0, "body");
    VALUE("lang", 0, "ko");
    VALUE("tags", 0, "a");
    VALUE("tags", 1, "b");
    VALUE("views", 0, "-7");
    VALUE("extra", 0, "1.5");
    cr_assert_eq(doc.n_values, 7u);
}

Test(jsonl, ids, .init = setup, .fini = teardown)
{
    accept("{\"id\": \"a b\"}", "a b");
    accept("{\"id\": 0}", "0");
    accept("{\"id\": -5}", "-5");
    accept("{\"id\": 9223372036854775807}", "9223372036854775807");
    accept("{\"id\": \"9223372036854775808\"}", "9223372036854775808");
    refuse("{\"title\": \"x\"}", WS_ERR_SCHEMA, "\"id\"");
    refuse("{\"id\": null}", WS_ERR_SCHEMA, "null");
    refuse("{\"id\": true}", WS_ERR_SCHEMA, "boolean");
    refuse("{\"id\": [1]}", WS_ERR_SCHEMA, "array");
    refuse("{\"id\": 1.5}", WS_ERR_RANGE, "integer");
    refuse("{\"id\": 9223372036854775808}", WS_ERR_RANGE, "64 bits");
}

Test(jsonl, without_an_id_key_the_line_number_is_the_id)
{
    open_with("{\"id\": \"\", \"fields\": [{\"name\": \"body\", \"type\": \"text\"}]}");
    accept("{\"id\": 42, \"body\": \"x\"}", "17");
    teardown();
}

Test(jsonl, absent_null_and_empty, .init = setup, .fini = teardown)
{
    accept("{\"id\": 1}", "1");
    cr_assert_eq(doc.n_values, 0u);
    accept("{\"id\": 1, \"title\": null, \"tags\": null, \"views\": null}", "1");
    cr_assert_eq(doc.n_values, 0u);
    accept("{\"id\": 1, \"title\": \"\", \"tags\": []}", "1");
    cr_assert_eq(doc.n_values, 1u);
    cr_assert_eq(value("title", 0).len, 0u);
}

Test(jsonl, kind_conversions, .init = setup, .fini = teardown)
{
    accept("{\"id\": 1, \"lang\": 7, \"tags\": \"one\"}", "1");
    VALUE("lang", 0, "7");
    VALUE("tags", 0, "one");
    accept("{\"id\": 1, \"lang\": true, \"tags\": [1, false], \"extra\": [\"x\", 2, true]}", "1");
    VALUE("lang", 0, "true");
    VALUE("tags", 0, "1");
    VALUE("tags", 1, "false");
    VALUE("extra", 0, "x");
    VALUE("extra", 1, "2");
    VALUE("extra", 2, "true");
}

Test(jsonl, wrong_types_name_the_key, .init = setup, .fini = teardown)
{
    refuse("{\"id\": 1, \"title\": 5}", WS_ERR_SCHEMA, "title: string expected, not integer");
    refuse("{\"id\": 1, \"text\": [\"a\"]}", WS_ERR_SCHEMA, "text: one value expected, not array");
    refuse("{\"id\": 1, \"text\": {\"a\": 1}}", WS_ERR_SCHEMA, "not object");
    refuse("{\"id\": 1, \"text\": true}", WS_ERR_SCHEMA, "not boolean");
    refuse("{\"id\": 1, \"lang\": [\"a\", \"b\"]}", WS_ERR_SCHEMA, "lang: one value");
    refuse("{\"id\": 1, \"lang\": 1.5}", WS_ERR_SCHEMA, "lang: string");
    refuse("{\"id\": 1, \"tags\": [\"a\", null]}", WS_ERR_SCHEMA, "not null");
    refuse("{\"id\": 1, \"tags\": [[\"a\"]]}", WS_ERR_SCHEMA, "not array");
    refuse("{\"id\": 1, \"views\": \"7\"}", WS_ERR_SCHEMA, "views: integer expected, not string");
    refuse("{\"id\": 1, \"views\": 7.25}", WS_ERR_RANGE, "integer");
    refuse("{\"id\": 1, \"extra\": {\"a\": 1}}", WS_ERR_SCHEMA, "not object");
}

Test(jsonl, numbers_beyond_64_bits_hurt_only_where_they_are_asked_for, .init = setup,
     .fini = teardown)
{
    accept("{\"id\": 5, \"big\": 123456789012345678901234567890, \"views\": 12}", "5");
    VALUE("views", 0, "12");
    accept("{\"id\": 9007199254740991, \"big\": 123456789012345678901}", "9007199254740991");
    refuse("{\"id\": 9007199254740993, \"big\": 123456789012345678901}", WS_ERR_RANGE, "64 bits");
    refuse("{\"id\": 5, \"views\": 123456789012345678901}", WS_ERR_RANGE, "64 bits");
    refuse("{\"id\": 5, \"views\": 1e999}", WS_ERR_RANGE, "JSON");
}

Test(jsonl, not_json, .init = setup, .fini = teardown)
{
    refuse("", WS_ERR_SYNTAX, "JSON");
    refuse("{\"id\": 1", WS_ERR_SYNTAX, "JSON");
    refuse("{\"id\": 1} x", WS_ERR_SYNTAX, "JSON");
    refuse("{\"id\": 1, \"title\": \"a\tb\"}", WS_ERR_SYNTAX, "control");
    refuse("{\"id\": 1, \"title\": \"\\ud800\"}", WS_ERR_SYNTAX, "JSON");
    refuse("{\"id\": 1, \"id\": 2}", WS_ERR_SYNTAX, "duplicate");
    refuse("[1]", WS_ERR_SYNTAX, "array");
    refuse("\"id\"", WS_ERR_SYNTAX, "JSON");
    refuse("NaN", WS_ERR_SYNTAX, "JSON");
}

Test(jsonl, escapes_and_nul, .init = setup, .fini = teardown)
{
    accept("{\"id\": 1, \"title\": \"\\ud55c\\u0000\\ud83d\\ude00\\n\"}", "1");
    VALUE("title", 0, "\xED\x95\x9C\0\xF0\x9F\x98\x80\n"); /* 한, NUL, U+1F600 */
}

Test(jsonl, invalid_utf8_is_replaced_and_counted, .init = setup, .fini = teardown)
{
    ws_jsonl_counts counts;
    accept("{\"id\": 1, \"title\": \"a\xFF\xED\x95 \xEF\xBF\xBD\"}", "1");
    VALUE("title", 0, "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD");
    accept("{\"id\": 2, \"title\": \"fine\"}", "2");
    ws_jsonl_get_counts(parser, &counts);
    cr_assert_eq(counts.replaced_utf8, 3u, "the last one was U+FFFD before");
}

Test(jsonl, unknown_keys_are_counted, .init = setup, .fini = teardown)
{
    ws_jsonl_counts counts;
    accept("{\"id\": 1, \"x\": {\"deep\": [1]}, \"y\": 2, \"body\": \"the schema reads text, not "
           "body\"}",
           "1");
    cr_assert_eq(doc.n_values, 0u);
    ws_jsonl_get_counts(parser, &counts);
    cr_assert_eq(counts.ignored_keys, 3u);
}

static char *nested(uint32_t depth)
{
    char *text = malloc(2 * depth + 64), *at = text;
    at += sprintf(at, "{\"id\": 1, \"x\": ");
    memset(at, '[', depth - 1);
    memset(at + depth - 1, ']', depth - 1);
    strcpy(at + 2 * (depth - 1), "}");
    return text;
}

Test(jsonl, depth_is_bounded, .init = setup, .fini = teardown)
{
    char *text = nested(64);
    accept(text, "1");
    free(text);
    text = nested(65);
    refuse(text, WS_ERR_LIMIT, "deeper");
    free(text);
    text = nested(1000000);
    refuse(text, WS_ERR_LIMIT, "deeper");
    free(text);
    cr_assert_eq(ws_json_depth(WS_STR("{\"[[[[\\\"[[\": \"[\"}")), 1u,
                 "brackets in strings do not count");
    cr_assert_eq(ws_json_depth(WS_STR("]]]]{[]}[[[]]]")), 3u);
    cr_assert_eq(ws_json_depth(WS_STR("\"\\")), 0u);
}

Test(jsonl, too_many_values, .init = setup, .fini = teardown)
{
    char *text = malloc(16384), *at = text;
    at += sprintf(at, "{\"id\": 1, \"tags\": [");
    for (int i = 0; i < 1024; i++)
        at += sprintf(at, "%s\"t%d\"", i ? "," : "", i);
    strcpy(at, "]}");
    accept(text, "1");
    cr_assert_eq(doc.n_values, 1024u);
    strcpy(at, ",\"one more\"]}");
    refuse(text, WS_ERR_LIMIT, "1024");
    free(text);
}

Test(jsonl, a_parser_is_good_after_a_bad_document, .init = setup, .fini = teardown)
{
    refuse("{\"id\": 1, \"title\": [", WS_ERR_SYNTAX, "JSON");
    accept("{\"id\": 2, \"title\": \"x\"}", "2");
    ws_jsonl_reset(parser);
    accept("{\"id\": 3}", "3");
    cr_assert_eq(doc.n_values, 0u);
}
