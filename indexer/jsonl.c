#include "indexer/jsonl.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "indexer/json_load.h"

#define VALUES_MAX 1024u              /* as ingest has it */
#define EXACT_REAL 9007199254740992.0 /* 2^53: below it a double holds every integer */

struct ws_jsonl {
    const ws_schema *schema;
    json_t *root;    /* of the last parse: text values point into it */
    ws_arena arena;  /* numbers as text */
    ws_buf repaired; /* the line with invalid UTF-8 replaced */
    ws_jsonl_counts counts;
    uint32_t n_values;
    ws_ingest_value values[VALUES_MAX];
};

ws_status ws_jsonl_new(ws_jsonl **out, const ws_schema *schema)
{
    *out = ws_calloc(1, sizeof **out);
    if (!*out)
        return WS_ERR_NOMEM;
    (*out)->schema = schema;
    ws_arena_init(&(*out)->arena);
    ws_buf_init(&(*out)->repaired);
    return WS_OK;
}

void ws_jsonl_reset(ws_jsonl *p)
{
    json_decref(p->root);
    p->root = NULL;
    ws_arena_reset(&p->arena);
    p->n_values = 0;
}

void ws_jsonl_free(ws_jsonl *p)
{
    if (!p)
        return;
    json_decref(p->root);
    ws_arena_fini(&p->arena);
    ws_buf_fini(&p->repaired);
    ws_free(p);
}

void ws_jsonl_get_counts(const ws_jsonl *p, ws_jsonl_counts *counts)
{
    *counts = p->counts;
}

/* --- loading --- */

/* Copies the text with U+FFFD for every byte that belongs to no valid sequence; returns their
 * number. */
static uint64_t repair(ws_str text, ws_buf *out)
{
    uint64_t replaced = 0;
    uint32_t code_point;
    for (size_t at = 0, n; at < text.len; at += n) {
        n = ws_utf8_decode(text, at, &code_point);
        int is_bad = n == 1 && code_point == WS_REPLACEMENT;
        ws_buf_append(out, is_bad ? "\xEF\xBF\xBD" : text.ptr + at, is_bad ? 3 : n);
        replaced += (uint64_t)is_bad;
    }
    return replaced;
}

static ws_status load_repaired(ws_jsonl *p, ws_str text, uint32_t flags, ws_error *error)
{
    ws_buf_clear(&p->repaired);
    p->counts.replaced_utf8 += repair(text, &p->repaired);
    WS_TRY(ws_buf_status(&p->repaired));
    ws_status status = ws_json_load(&p->root, ws_buf_slice(&p->repaired), flags, error);
    ws_buf_fini(&p->repaired); /* seldom needed, and as large as the line */
    return status;
}

static ws_status load_as(ws_jsonl *p, ws_str text, uint32_t flags, ws_error *error)
{
    ws_status status = ws_json_load(&p->root, text, flags, error);
    return status == WS_ERR_UTF8 ? load_repaired(p, text, flags, error) : status;
}

/* An integer beyond int64 fails the whole text in jansson; as it may stand in a key that nobody
 * asked for, the text is read once more with integers as doubles. */
static ws_status load(ws_jsonl *p, ws_str text, ws_error *error)
{
    ws_status status = load_as(p, text, WS_JSON_LOAD_NUL, error);
    if (status == WS_ERR_RANGE)
        status = load_as(p, text, WS_JSON_LOAD_NUL | WS_JSON_LOAD_INT_AS_REAL, error);
    WS_TRY(status);
    if (!json_is_object(p->root))
        return ws_error_set(error, WS_ERR_SYNTAX, "an object is expected, this is: %s",
                            ws_json_type_name(p->root));
    return WS_OK;
}

/* --- values --- */

static ws_str string_of(const json_t *value)
{
    return ws_str_make(json_string_value(value), json_string_length(value));
}

static ws_status print(ws_jsonl *p, ws_str *out, const char *text)
{
    return ws_arena_str(&p->arena, ws_cstr(text), out);
}

/* An integer, also one that was read as a double. */
static ws_status integer_text(ws_jsonl *p, const json_t *value, ws_str *out, ws_error *error)
{
    char digits[32];
    if (json_is_integer(value)) {
        snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return print(p, out, digits);
    }
    double real = json_real_value(value);
    if (!(real > -EXACT_REAL && real < EXACT_REAL) || real != (double)(int64_t)real)
        return ws_error_set(error, WS_ERR_RANGE, "a number that is no integer of 64 bits");
    snprintf(digits, sizeof digits, "%" PRId64, (int64_t)real);
    return print(p, out, digits);
}

static ws_status dumped(ws_jsonl *p, const json_t *value, ws_str *out)
{
    char text[64];
    size_t n = json_dumpb(value, text, sizeof text, JSON_ENCODE_ANY);
    return n < sizeof text ? ws_arena_str(&p->arena, ws_str_make(text, n), out) : WS_ERR_LIMIT;
}

static ws_status wrong_type(const char *what, const char *expected, const json_t *value,
                            ws_error *error)
{
    return ws_error_set(error, WS_ERR_SCHEMA, "%s: %s expected, not %s", what, expected,
                        ws_json_type_name(value));
}

/* The bytes of one scalar for a field; what a field type accepts is in the header. */
static ws_status scalar(ws_jsonl *p, const ws_field *field, const json_t *value, ws_str *out,
                        ws_error *error)
{
    int is_number = json_is_number(value);
    if (field->type == WS_FIELD_INT)
        return is_number ? integer_text(p, value, out, error)
                         : wrong_type(field->from, "integer", value, error);
    if (json_is_string(value)) {
        *out = string_of(value);
        return WS_OK;
    }
    if (field->type == WS_FIELD_KEYWORD && json_is_integer(value))
        return integer_text(p, value, out, error);
    if (field->type == WS_FIELD_STORED && is_number)
        return dumped(p, value, out);
    if (field->type != WS_FIELD_TEXT && json_is_boolean(value))
        return print(p, out, json_is_true(value) ? "true" : "false");
    return wrong_type(field->from, "string", value, error);
}

static ws_status add_value(ws_jsonl *p, uint32_t f, const json_t *value, ws_error *error)
{
    ws_str bytes;
    if (p->n_values == VALUES_MAX)
        return ws_error_set(error, WS_ERR_LIMIT, "more than %u values", VALUES_MAX);
    WS_TRY(scalar(p, &p->schema->fields[f], value, &bytes, error));
    p->values[p->n_values++] = (ws_ingest_value){f, bytes};
    return WS_OK;
}

static ws_status add_field(ws_jsonl *p, uint32_t f, ws_error *error)
{
    const ws_field *field = &p->schema->fields[f];
    const json_t *value = json_object_get(p->root, field->from);
    if (!value || json_is_null(value))
        return WS_OK;
    if (!json_is_array(value))
        return add_value(p, f, value, error);
    if (!(field->flags & WS_FIELD_MULTI) && field->type != WS_FIELD_STORED)
        return wrong_type(field->from, "one value", value, error);
    for (size_t i = 0; i < json_array_size(value); i++)
        WS_TRY(add_value(p, f, json_array_get(value, i), error));
    return WS_OK;
}

static ws_status find_id(ws_jsonl *p, uint64_t line_number, ws_str *id, ws_error *error)
{
    char digits[32];
    const char *key = p->schema->id_key;
    if (!key[0]) {
        snprintf(digits, sizeof digits, "%" PRIu64, line_number);
        return print(p, id, digits);
    }
    const json_t *value = json_object_get(p->root, key);
    if (!value)
        return ws_error_set(error, WS_ERR_SCHEMA, "no \"%s\": a document needs its id", key);
    if (json_is_number(value))
        return integer_text(p, value, id, error);
    if (!json_is_string(value))
        return wrong_type(key, "string or integer", value, error);
    *id = string_of(value);
    return WS_OK;
}

/* --- keys that nobody asked for --- */

static int is_known(const ws_schema *schema, const char *key)
{
    if (!strcmp(key, schema->id_key))
        return 1;
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (!strcmp(key, schema->fields[f].from))
            return 1;
    return 0;
}

static void count_ignored(ws_jsonl *p)
{
    const char *key;
    json_t *value;
    json_object_foreach(p->root, key, value) p->counts.ignored_keys += !is_known(p->schema, key);
}

ws_status ws_jsonl_parse(ws_jsonl *p, ws_str text, uint64_t line_number,
                         ws_ingest_document *document, ws_error *error)
{
    memset(document, 0, sizeof *document);
    ws_jsonl_reset(p);
    WS_TRY(load(p, text, error));
    WS_TRY(find_id(p, line_number, &document->id, error));
    for (uint32_t f = 0; f < p->schema->n_fields; f++)
        WS_TRY(add_field(p, f, error));
    count_ignored(p);
    document->values = p->values;
    document->n_values = p->n_values;
    return WS_OK;
}
