/* Schemas in JSON: what each key does, what is refused, and that writing and reading agree. */
#include "engine/api/schema_json.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/str.h"
#include "engine/text/analyzer.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

static ws_schema *parse(const char *json)
{
    ws_schema *schema;
    ws_error error = {0};
    ws_status status = ws_schema_new_json(&schema, ws_cstr(json), &error);
    cr_assert_eq(status, WS_OK, "%s: %s", json, error.message);
    return schema;
}

static void refuse(const char *json, ws_status expected, const char *in_message)
{
    ws_schema *schema;
    ws_error error = {0};
    ws_status status = ws_schema_new_json(&schema, ws_cstr(json), &error);
    cr_assert_eq(status, expected, "%s gives %d: %s", json, status, error.message);
    cr_assert_eq(error.code, expected);
    cr_assert_null(schema);
    cr_assert_not_null(strstr(error.message, in_message), "%s: %s", json, error.message);
}

Test(schema_json, an_empty_text_is_the_default_schema)
{
    ws_schema expected, *schema = parse("");
    ws_schema_init_default(&expected);
    cr_assert(ws_schema_equal(schema, &expected));
    cr_assert_geq(ws_schema_body_field(schema), 0);
    ws_schema_free(schema);
    ws_schema_free(NULL);
}

/* The text of include/wikisearch/schema.h, with "source" for "views": the default schema. */
Test(schema_json, the_default_schema_written_out)
{
    ws_schema expected,
        *schema = parse("{\"id\": \"id\", \"bm25\": {\"k1\": 0.9, \"b\": 0.4},"
                        "\"streams\": {\"word\": 1.0, \"bigram\": 0.5, \"surface\": 0.0},"
                        "\"fields\": [{\"name\": \"title\", \"type\": \"text\", \"boost\": 0.75},"
                        "{\"name\": \"body\", \"from\": \"text\", \"type\": \"text\"},"
                        "{\"name\": \"lang\", \"type\": \"keyword\"},"
                        "{\"name\": \"categories\", \"type\": \"keyword\", \"multi\": true},"
                        "{\"name\": \"source\", \"type\": \"stored\"}]}");
    ws_schema_init_default(&expected);
    cr_assert(ws_schema_equal(schema, &expected));
    ws_schema_free(schema);
}

Test(schema_json, every_key_is_read)
{
    ws_schema *s = parse(
        "{\"id\": \"sku\", \"bm25\": {\"k1\": 1.2, \"b\": 0.75}, \"streams\": {\"surface\": 2},"
        "\"fields\": [{\"name\": \"a\", \"type\": \"text\", \"analyzer\": \"whitespace\","
        "\"boost\": 0.25, \"stored\": false, \"positions\": false},"
        "{\"name\": \"b\", \"from\": \"price/net\", \"type\": \"int\"},"
        "{\"name\": \"c\", \"type\": \"keyword\", \"multi\": true, \"stored\": false},"
        "{\"name\": \"d\", \"type\": \"stored\"}]}");
    cr_assert_str_eq(s->id_key, "sku");
    cr_assert_eq(s->k1, 20132659u);
    cr_assert_eq(s->b, 12582912u);
    cr_assert_eq(s->weights[0], 65536u, "left out: the default");
    cr_assert_eq(s->weights[1], 32768u);
    cr_assert_eq(s->weights[2], 131072u);
    cr_assert_eq(s->n_fields, 4u);
    cr_assert_eq(s->fields[0].type, WS_FIELD_TEXT);
    cr_assert_eq(s->fields[0].analyzer, WS_ANALYZER_WHITESPACE);
    cr_assert_eq(s->fields[0].boost, 16384u);
    cr_assert_eq(s->fields[0].flags, 0);
    cr_assert_str_eq(s->fields[0].from, "a");
    cr_assert_eq(s->fields[1].type, WS_FIELD_INT);
    cr_assert_str_eq(s->fields[1].from, "price/net");
    cr_assert_eq(s->fields[2].flags, WS_FIELD_MULTI);
    cr_assert_eq(s->fields[3].type, WS_FIELD_STORED);
    cr_assert_eq(s->fields[3].flags, WS_FIELD_IS_STORED);
    ws_schema_free(s);
}

#define FIELDS(text) "{\"fields\": [" text "]}"
#define TEXT_FIELD   "{\"name\": \"t\", \"type\": \"text\"}"

Test(schema_json, mistakes_are_named)
{
    refuse("{\"feilds\": []}", WS_ERR_SCHEMA, "fields");
    refuse("{}", WS_ERR_SCHEMA, "fields");
    refuse("{\"fields\": []}", WS_ERR_SCHEMA, "at least one");
    refuse("[]", WS_ERR_SCHEMA, "object");
    refuse(FIELDS("3"), WS_ERR_SCHEMA, "object");
    refuse(FIELDS("{\"name\": \"t\"}"), WS_ERR_SCHEMA, "type");
    refuse(FIELDS("{\"type\": \"text\"}"), WS_ERR_SCHEMA, "name");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"txt\"}"), WS_ERR_SCHEMA, "\"text\" perhaps");
    refuse(FIELDS("{\"name\": \"t\", \"typ\": \"text\"}"), WS_ERR_SCHEMA, "\"type\" perhaps");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"text\", \"analyzer\": \"whitspace\"}"),
           WS_ERR_SCHEMA, "\"whitespace\" perhaps");
    refuse(FIELDS("{\"name\": \"t t\", \"type\": \"text\"}"), WS_ERR_SCHEMA, "allowed");
    refuse(FIELDS("{\"name\": \"id\", \"type\": \"text\"}"), WS_ERR_SCHEMA, "taken");
    refuse(FIELDS("{\"name\": \"_score\", \"type\": \"int\"}"), WS_ERR_SCHEMA, "taken");
    refuse(FIELDS(TEXT_FIELD ", " TEXT_FIELD), WS_ERR_SCHEMA, "two fields");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"text\", \"boost\": 101}"), WS_ERR_SCHEMA,
           "0 to 100");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"text\", \"boost\": -1}"), WS_ERR_SCHEMA,
           "0 to 100");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"text\", \"multi\": true}"), WS_ERR_SCHEMA,
           "multi");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"int\", \"boost\": 1}"), WS_ERR_SCHEMA, "boost");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"int\", \"analyzer\": \"standard\"}"),
           WS_ERR_SCHEMA, "analyzer");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"int\", \"positions\": true}"), WS_ERR_SCHEMA,
           "positions");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"stored\", \"stored\": false}"), WS_ERR_SCHEMA,
           "stored");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"text\", \"stored\": 1}"), WS_ERR_SCHEMA,
           "true or false");
    refuse(FIELDS("{\"name\": \"t\", \"type\": \"text\", \"from\": \"\"}"), WS_ERR_SCHEMA, "from");
    refuse("{\"id\": 3, \"fields\": [" TEXT_FIELD "]}", WS_ERR_SCHEMA, "string");
    refuse("{\"bm25\": {\"k11\": 3}, \"fields\": [" TEXT_FIELD "]}", WS_ERR_SCHEMA, "unknown key");
    refuse("{\"bm25\": {\"b\": 1.5}, \"fields\": [" TEXT_FIELD "]}", WS_ERR_SCHEMA, "0 to 1");
    refuse("{\"bm25\": 3, \"fields\": [" TEXT_FIELD "]}", WS_ERR_SCHEMA, "object");
    refuse("{\"streams\": {\"words\": 3}, \"fields\": [" TEXT_FIELD "]}", WS_ERR_SCHEMA,
           "\"word\" perhaps");
    refuse("{\"fields\": [", WS_ERR_SYNTAX, "JSON");
    refuse("{\"id\": \"a\", \"id\": \"b\"}", WS_ERR_SYNTAX, "duplicate");
    refuse("{\"id\": 99999999999999999999}", WS_ERR_SYNTAX, "JSON");
}

Test(schema_json, the_offset_of_a_syntax_error_is_told)
{
    ws_schema *schema;
    ws_error error = {0};
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr("{\"id\": \"a\" \"b\"}"), &error),
                 WS_ERR_SYNTAX);
    cr_assert_geq(error.offset, 10u);
    cr_assert_leq(error.offset, 15u);
}

Test(schema_json, deep_nesting_is_refused_before_it_is_parsed)
{
    static char text[300000];
    memset(text, '[', sizeof text - 1);
    refuse(text, WS_ERR_SYNTAX, "nested");
}

static void many_fields(char *out, size_t cap, uint32_t n, const char *type)
{
    size_t at = (size_t)snprintf(out, cap, "{\"fields\": [");
    for (uint32_t i = 0; i < n; i++)
        at += (size_t)snprintf(out + at, cap - at, "%s{\"name\": \"f%u\", \"type\": \"%s\"}",
                               i ? "," : "", i, type);
    snprintf(out + at, cap - at, "]}");
}

Test(schema_json, limits)
{
    char text[8192];
    many_fields(text, sizeof text, WS_MAX_FIELDS, "int");
    ws_schema_free(parse(text));
    many_fields(text, sizeof text, WS_MAX_FIELDS + 1, "int");
    refuse(text, WS_ERR_SCHEMA, "32");
    many_fields(text, sizeof text, WS_MAX_TEXT_FIELDS, "text");
    ws_schema_free(parse(text));
    many_fields(text, sizeof text, WS_MAX_TEXT_FIELDS + 1, "text");
    refuse(text, WS_ERR_SCHEMA, "8");
    char name[70];
    memset(name, 'n', sizeof name);
    name[64] = 0;
    snprintf(text, sizeof text, FIELDS("{\"name\": \"%s\", \"type\": \"text\"}"), name);
    ws_schema_free(parse(text));
    snprintf(text, sizeof text, FIELDS("{\"name\": \"n%s\", \"type\": \"text\"}"), name);
    refuse(text, WS_ERR_SCHEMA, "64");
}

static void random_schema(ws_rng *rng, ws_schema *s)
{
    memset(s, 0, sizeof *s);
    s->n_fields = (uint32_t)ws_rng_between(rng, 1, 12);
    s->k1 = (uint32_t)ws_rng_below(rng, 100u << 24);
    s->b = (uint32_t)ws_rng_between(rng, 0, 1u << 24);
    for (uint32_t i = 0; i < WS_SCHEMA_STREAMS; i++)
        s->weights[i] = (uint32_t)ws_rng_between(rng, 0, 100u << 16);
    if (ws_rng_below(rng, 2))
        snprintf(s->id_key, sizeof s->id_key, "k\"%u", (unsigned)ws_rng_below(rng, 9));
    for (uint32_t i = 0, text = 0; i < s->n_fields; i++) {
        ws_field *f = &s->fields[i];
        snprintf(f->name, sizeof f->name, "field_%u", i);
        snprintf(f->from, sizeof f->from, "\xED\x95\x9C<%u>", i); /* 한 */
        f->type = (uint8_t)ws_rng_between(rng, 1, 4);
        if (f->type == WS_FIELD_TEXT && ++text > WS_MAX_TEXT_FIELDS)
            f->type = WS_FIELD_INT;
        f->flags = f->type == WS_FIELD_STORED || ws_rng_below(rng, 2) ? WS_FIELD_IS_STORED : 0;
        if (f->type == WS_FIELD_TEXT) {
            f->analyzer = (uint8_t)ws_rng_below(rng, 3);
            f->boost = (uint32_t)ws_rng_between(rng, 0, 100u << 16);
            f->flags |= ws_rng_below(rng, 2) ? WS_FIELD_POSITIONS : 0;
        }
        if (f->type == WS_FIELD_KEYWORD)
            f->flags |= ws_rng_below(rng, 2) ? WS_FIELD_MULTI : 0;
    }
}

Test(schema_json, what_is_written_reads_back_equal)
{
    ws_rng rng = ws_rng_seeded(3);
    for (int i = 0; i < 500; i++) {
        ws_schema s, *back;
        ws_buf buf;
        ws_json json;
        ws_error error = {0};
        random_schema(&rng, &s);
        ws_buf_init(&buf);
        ws_json_init(&json, &buf);
        ws_schema_write_json(&s, &json);
        ws_status status = ws_schema_new_json(&back, ws_buf_slice(&buf), &error);
        cr_assert_eq(status, WS_OK, "seed %llu, schema %d: %s in %.*s",
                     (unsigned long long)rng.seed, i, error.message, (int)buf.len,
                     (char *)buf.data);
        cr_assert(ws_schema_equal(&s, back), "seed %llu, schema %d: %.*s",
                  (unsigned long long)rng.seed, i, (int)buf.len, (char *)buf.data);
        ws_schema_free(back);
        ws_buf_fini(&buf);
    }
}
