/* What an index says about itself, read back as JSON. */
#include <stdio.h>

#include "indexer/json_load.h"
#include "tests/support/test.h"
#include "wikisearch/wikisearch.h"

static ws_schema *schema;
static ws_index *index_;

static void put(ws_writer *w, const char *id, const char *title, const char *body, const char *tag)
{
    ws_doc *doc;
    cr_assert_eq(ws_doc_new(&doc), WS_OK);
    ws_doc_set(doc, ws_cstr("title"), ws_cstr(title));
    ws_doc_set(doc, ws_cstr("body"), ws_cstr(body));
    ws_doc_set(doc, ws_cstr("tags"), ws_cstr(tag));
    ws_doc_set(doc, ws_cstr("tags"), ws_cstr("all"));
    ws_doc_set(doc, ws_cstr("year"), ws_cstr("-7"));
    cr_assert_eq(ws_writer_put(w, ws_cstr(id), doc, 0, NULL), WS_OK);
    ws_doc_free(doc);
}

/* Two segments: a, b; then c, and b replaced. */
static void setup(void)
{
    ws_writer *w;
    ws_user_pair pair = {"key \"1\"", "value"};
    ws_commit_options options = WS_COMMIT_OPTIONS_INIT;
    const char *json = "{\"fields\": [{\"name\": \"title\", \"type\": \"text\"},"
                       "{\"name\": \"body\", \"type\": \"text\"},"
                       "{\"name\": \"tags\", \"type\": \"keyword\", \"multi\": true},"
                       "{\"name\": \"year\", \"type\": \"int\"}]}";
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(json), NULL), WS_OK);
    cr_assert_eq(ws_index_open(&index_, NULL, schema, NULL, NULL), WS_OK);
    cr_assert_eq(ws_writer_open(&w, index_, NULL, NULL), WS_OK);
    put(w, "a", "alpha", "zebra yak zebra", "x");
    put(w, "b", "beta", "zebra", "y");
    cr_assert_eq(ws_writer_commit(w, NULL, NULL, NULL), WS_OK);
    put(w, "c", "gamma", "yak", "z");
    put(w, "b", "beta", "quagga", "y");
    options.pairs = &pair;
    options.n_pairs = 1;
    cr_assert_eq(ws_writer_commit(w, &options, NULL, NULL), WS_OK);
    ws_writer_close(w);
}

static void teardown(void)
{
    ws_index_close(index_);
    ws_schema_free(schema);
}

static json_t *load(ws_text *text)
{
    json_t *root;
    ws_error error;
    cr_assert_eq(strlen(text->ptr), text->len);
    ws_status status = ws_json_load(&root, (ws_str){text->ptr, text->len}, 0, &error);
    cr_assert_eq(status, WS_OK, "%s in %s", error.message, text->ptr);
    ws_text_free(text);
    return root;
}

static json_t *inspect(const char *kind, const char *argument)
{
    ws_text text;
    ws_error error = {0};
    ws_status status = ws_index_inspect(index_, kind, ws_cstr(argument), &text, &error);
    cr_assert_eq(status, WS_OK, "%s %s: %s", kind, argument, error.message);
    return load(&text);
}

static void refuse(const char *kind, const char *argument, ws_status expected)
{
    ws_text text = {(char *)1, 1};
    ws_error error = {0};
    cr_assert_eq(ws_index_inspect(index_, kind, ws_cstr(argument), &text, &error), expected,
                 "%s %s", kind, argument);
    cr_assert_null(text.ptr);
    cr_assert_neq(error.message[0], 0);
}

static json_int_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    cr_assert(json_is_integer(value), "%s", key);
    return json_integer_value(value);
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    cr_assert_not_null(value, "%s", key);
    return value;
}

static json_t *item(const json_t *object, const char *key, size_t i)
{
    json_t *value = json_array_get(json_object_get(object, key), i);
    cr_assert_not_null(value, "%s[%zu]", key, i);
    return value;
}

Test(inspect, describe, .init = setup, .fini = teardown)
{
    ws_text text;
    cr_assert_eq(ws_index_describe(index_, &text, NULL), WS_OK);
    json_t *root = load(&text);
    cr_assert_eq(number(root, "generation"), 2);
    cr_assert_eq(number(root, "documents"), 3);
    cr_assert_eq(number(root, "deleted"), 1);
    cr_assert_eq(number(root, "next_doc_key"), 4);
    cr_assert_eq(json_array_size(json_object_get(root, "segments")), 2u);
    cr_assert_eq(number(item(root, "segments", 0), "documents"), 1);
    cr_assert_eq(number(item(root, "segments", 0), "deleted"), 1);
    cr_assert_eq(number(item(root, "segments", 1), "documents"), 2);
    json_int_t sum = 0;
    const char *kind;
    json_t *bytes;
    json_object_foreach(json_object_get(root, "sections"), kind, bytes) sum +=
        json_integer_value(bytes);
    cr_assert_gt(sum, 0);
    cr_assert_lt(sum, number(root, "bytes"));
    cr_assert_str_eq(text_at(item(json_object_get(root, "schema"), "fields", 2), "type"),
                     "keyword");
    cr_assert_str_eq(text_at(json_object_get(root, "user"), "key \"1\""), "value");
    json_decref(root);
}

Test(inspect, term, .init = setup, .fini = teardown)
{
    json_t *root = inspect("term", "zebra");
    cr_assert_eq(json_array_size(json_object_get(root, "terms")), 1u);
    json_t *term = item(root, "terms", 0), *segment = item(term, "segments", 0);
    cr_assert_str_eq(text_at(term, "field"), "body");
    cr_assert_str_eq(text_at(term, "stream"), "word");
    cr_assert_eq(number(segment, "df"), 2);
    cr_assert_eq(number(segment, "cf"), 3);
    json_t *first = item(segment, "first", 0);
    cr_assert_str_eq(text_at(first, "id"), "a");
    cr_assert_eq(number(first, "tf"), 2);
    cr_assert_eq(json_integer_value(item(first, "positions", 1)), 2);
    cr_assert(json_is_true(json_object_get(item(segment, "first", 1), "deleted")), "the b before");
    json_decref(root);

    root = inspect("term", "yak");
    cr_assert_eq(json_array_size(json_object_get(item(root, "terms", 0), "segments")), 2u);
    json_decref(root);

    root = inspect("term", "title:alpha");
    cr_assert_str_eq(text_at(item(root, "terms", 0), "field"), "title");
    json_decref(root);
    refuse("term", "body:alpha", WS_ERR_NOT_FOUND);
    refuse("term", "nothing:omega", WS_ERR_NOT_FOUND);
    refuse("term", "", WS_ERR_NOT_FOUND);
}

Test(inspect, doc, .init = setup, .fini = teardown)
{
    json_t *root = inspect("doc", "b");
    cr_assert_eq(number(root, "doc_key"), 1, "kept from the first time");
    cr_assert_eq(number(json_object_get(root, "columns"), "year"), -7);
    cr_assert_str_eq(json_string_value(item(json_object_get(root, "columns"), "tags", 0)), "all");
    cr_assert_str_eq(json_string_value(item(json_object_get(root, "columns"), "tags", 1)), "y");
    cr_assert_eq(json_array_size(json_object_get(root, "lengths")), 2u);
    cr_assert_eq(number(item(root, "stored", 1), "bytes"), 6);
    json_decref(root);
    refuse("doc", "d", WS_ERR_NOT_FOUND);
    refuse("doc", "", WS_ERR_NOT_FOUND);
}

Test(inspect, segment, .init = setup, .fini = teardown)
{
    ws_text text;
    cr_assert_eq(ws_index_describe(index_, &text, NULL), WS_OK);
    json_t *all = load(&text);
    for (size_t i = 0; i < 2; i++) {
        const char *name = text_at(item(all, "segments", i), "segment");
        json_t *root = inspect("segment", name);
        cr_assert_str_eq(text_at(root, "segment"), name);
        json_int_t sum = 0;
        for (size_t s = 0; s < json_array_size(json_object_get(root, "sections")); s++)
            sum += number(item(root, "sections", s), "bytes");
        cr_assert_lt(sum, number(root, "bytes"));
        cr_assert_eq(number(root, "documents") + number(root, "deleted"), 2);
        json_decref(root);
    }
    json_decref(all);
    refuse("segment", "ffff", WS_ERR_NOT_FOUND);
    refuse("segment", "", WS_ERR_ARG);
    refuse("segment", "12345678901234567", WS_ERR_ARG);
    refuse("segment", "-1", WS_ERR_ARG);
    refuse("segment", "0x1", WS_ERR_ARG);
    refuse("thing", "1", WS_ERR_ARG);
}
