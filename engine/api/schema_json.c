#include "engine/api/schema_json.h"

#include <math.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/text/analyzer.h"
#include "indexer/json_load.h"

#define UNIT_K1        16777216.0 /* 2^24 */
#define UNIT_WEIGHT    65536.0
#define K1_MAX         100.0
#define WEIGHT_MAX     100.0
#define NAME_MAX_BYTES 64u

static const char *const type_names[] = {"text", "keyword", "int", "stored"}; /* WS_FIELD_* - 1 */
static const char *const stream_names[] = {"word", "bigram", "surface"};
static const char *const analyzer_names[] = {"standard", "whitespace", "keyword"};
static const char *const top_keys[] = {"id", "bm25", "streams", "fields"};
static const char *const bm25_keys[] = {"k1", "b"};
static const char *const field_keys[] = {"name",  "from",   "type",      "analyzer",
                                         "boost", "stored", "positions", "multi"};

const char *ws_field_type_name(uint32_t type)
{
    return type >= 1 && type <= WS_ARRAY_LEN(type_names) ? type_names[type - 1] : "?";
}

const char *ws_stream_name(uint32_t stream)
{
    return stream < WS_ARRAY_LEN(stream_names) ? stream_names[stream] : "?";
}

/* --- reading: pieces --- */

static int index_of(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], name))
            return (int)i;
    return -1;
}

static ws_status unknown(const char *what, const char *name, const char *const *names, size_t n,
                         ws_error *error)
{
    int nearest = ws_str_nearest(ws_cstr(name), names, n);
    return nearest < 0 ? ws_error_set(error, WS_ERR_SCHEMA, "unknown %s \"%s\"", what, name)
                       : ws_error_set(error, WS_ERR_SCHEMA, "unknown %s \"%s\": \"%s\" perhaps?",
                                      what, name, names[nearest]);
}

/* Every key of `object` is one of names. */
static ws_status check_keys(json_t *object, const char *where, const char *const *names, size_t n,
                            ws_error *error)
{
    const char *key;
    json_t *value;
    if (!json_is_object(object))
        return ws_error_set(error, WS_ERR_SCHEMA, "%s: an object is expected, this is: %s", where,
                            ws_json_type_name(object));
    json_object_foreach(object, key, value) if (index_of(names, n, key) <
                                                0) return unknown("key", key, names, n, error);
    return WS_OK;
}

/* A number at object[key] in fixed point; absent = *out stays. */
static ws_status read_number(const json_t *object, const char *key, double most, double unit,
                             uint32_t *out, ws_error *error)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return WS_OK;
    if (!json_is_number(value))
        return ws_error_set(error, WS_ERR_SCHEMA, "\"%s\": a number is expected, this is: %s", key,
                            ws_json_type_name(value));
    double number = json_number_value(value);
    if (!(number >= 0 && number <= most))
        return ws_error_set(error, WS_ERR_SCHEMA, "\"%s\" must be from 0 to %g", key, most);
    *out = (uint32_t)lround(number * unit);
    return WS_OK;
}

/* A flag at object[key]; absent = *flags stays. `allowed` tells whether the field's type has it. */
static ws_status read_flag(const json_t *object, const char *key, uint8_t bit, int allowed,
                           uint8_t *flags, ws_error *error)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return WS_OK;
    if (!allowed)
        return ws_error_set(error, WS_ERR_SCHEMA, "\"%s\" has no meaning for a field of this type",
                            key);
    if (!json_is_boolean(value))
        return ws_error_set(error, WS_ERR_SCHEMA, "\"%s\": true or false is expected, this is: %s",
                            key, ws_json_type_name(value));
    *flags = (uint8_t)(json_is_true(value) ? *flags | bit : *flags & ~bit);
    return WS_OK;
}

/* A string at object[key] into out[65]; absent = *found 0. */
static ws_status read_string(const json_t *object, const char *key, char out[NAME_MAX_BYTES + 1],
                             int *found, ws_error *error)
{
    const json_t *value = json_object_get(object, key);
    *found = value != NULL;
    if (!value)
        return WS_OK;
    if (!json_is_string(value))
        return ws_error_set(error, WS_ERR_SCHEMA, "\"%s\": a string is expected, this is: %s", key,
                            ws_json_type_name(value));
    if (json_string_length(value) > NAME_MAX_BYTES)
        return ws_error_set(error, WS_ERR_SCHEMA, "\"%s\" is longer than %u bytes", key,
                            NAME_MAX_BYTES);
    memcpy(out, json_string_value(value), json_string_length(value) + 1);
    return WS_OK;
}

/* --- reading: fields --- */

static ws_status check_name(const ws_schema *schema, const char *name, ws_error *error)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (!name[0] || name[n])
        return ws_error_set(error, WS_ERR_SCHEMA,
                            "field name \"%s\": 1 to %u characters of A-Z a-z 0-9 _ are allowed",
                            name, NAME_MAX_BYTES);
    if (!strcmp(name, "id") || name[0] == '_')
        return ws_error_set(
            error, WS_ERR_SCHEMA,
            "field name \"%s\" is taken: results use \"id\" and names that begin with _", name);
    if (ws_schema_find(schema, ws_cstr(name)) >= 0)
        return ws_error_set(error, WS_ERR_SCHEMA, "two fields are called \"%s\"", name);
    return WS_OK;
}

static ws_status read_names(const json_t *object, const ws_schema *schema, ws_field *field,
                            ws_error *error)
{
    int found;
    WS_TRY(read_string(object, "name", field->name, &found, error));
    WS_TRY(check_name(schema, field->name, error));
    memcpy(field->from, field->name, sizeof field->from);
    WS_TRY(read_string(object, "from", field->from, &found, error));
    return field->from[0] ? WS_OK : ws_error_set(error, WS_ERR_SCHEMA, "\"from\" is empty");
}

static ws_status read_type(const json_t *object, ws_field *field, ws_error *error)
{
    char text[NAME_MAX_BYTES + 1] = "";
    int found;
    WS_TRY(read_string(object, "type", text, &found, error));
    if (!found)
        return ws_error_set(error, WS_ERR_SCHEMA, "field \"%s\" has no \"type\"", field->name);
    int at = index_of(type_names, WS_ARRAY_LEN(type_names), text);
    if (at < 0)
        return unknown("type", text, type_names, WS_ARRAY_LEN(type_names), error);
    field->type = (uint8_t)(at + 1);
    return WS_OK;
}

static ws_status read_analyzer(const json_t *object, ws_field *field, ws_error *error)
{
    char text[NAME_MAX_BYTES + 1] = "";
    int found;
    WS_TRY(read_string(object, "analyzer", text, &found, error));
    if (!found)
        return WS_OK;
    if (field->type != WS_FIELD_TEXT)
        return ws_error_set(error, WS_ERR_SCHEMA, "\"analyzer\" is for fields of type text");
    int at = index_of(analyzer_names, WS_ARRAY_LEN(analyzer_names), text);
    if (at < 0)
        return unknown("analyzer", text, analyzer_names, WS_ARRAY_LEN(analyzer_names), error);
    field->analyzer = (uint8_t)at; /* WS_ANALYZER_* number in this order */
    return WS_OK;
}

static ws_status read_options(const json_t *object, ws_field *field, ws_error *error)
{
    int is_text = field->type == WS_FIELD_TEXT;
    field->flags = WS_FIELD_IS_STORED;
    if (is_text)
        field->flags |= WS_FIELD_POSITIONS;
    field->boost = is_text ? (uint32_t)UNIT_WEIGHT : 0;
    WS_TRY(read_flag(object, "stored", WS_FIELD_IS_STORED, field->type != WS_FIELD_STORED,
                     &field->flags, error));
    WS_TRY(read_flag(object, "positions", WS_FIELD_POSITIONS, is_text, &field->flags, error));
    WS_TRY(read_flag(object, "multi", WS_FIELD_MULTI, field->type == WS_FIELD_KEYWORD,
                     &field->flags, error));
    if (!is_text && json_object_get(object, "boost"))
        return ws_error_set(error, WS_ERR_SCHEMA, "\"boost\" is for fields of type text");
    return read_number(object, "boost", WEIGHT_MAX, UNIT_WEIGHT, &field->boost, error);
}

static ws_status read_field(json_t *object, ws_schema *schema, ws_error *error)
{
    ws_field *field = &schema->fields[schema->n_fields];
    memset(field, 0, sizeof *field);
    WS_TRY(check_keys(object, "field", field_keys, WS_ARRAY_LEN(field_keys), error));
    WS_TRY(read_names(object, schema, field, error));
    WS_TRY(read_type(object, field, error));
    WS_TRY(read_analyzer(object, field, error));
    WS_TRY(read_options(object, field, error));
    schema->n_fields++;
    return WS_OK;
}

static uint32_t count_text(const ws_schema *schema)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < schema->n_fields; i++)
        n += schema->fields[i].type == WS_FIELD_TEXT;
    return n;
}

static ws_status read_fields(const json_t *root, ws_schema *schema, ws_error *error)
{
    const json_t *fields = json_object_get(root, "fields");
    if (!json_is_array(fields) || json_array_size(fields) == 0)
        return ws_error_set(error, WS_ERR_SCHEMA,
                            "\"fields\" must be a list of at least one field");
    if (json_array_size(fields) > WS_MAX_FIELDS)
        return ws_error_set(error, WS_ERR_SCHEMA, "more than %u fields", WS_MAX_FIELDS);
    for (size_t i = 0; i < json_array_size(fields); i++)
        WS_TRY(read_field(json_array_get(fields, i), schema, error));
    if (count_text(schema) > WS_MAX_TEXT_FIELDS)
        return ws_error_set(error, WS_ERR_SCHEMA, "more than %u fields of type text",
                            WS_MAX_TEXT_FIELDS);
    return WS_OK;
}

/* --- reading: the whole --- */

static ws_status read_bm25(const json_t *root, ws_schema *schema, ws_error *error)
{
    json_t *bm25 = json_object_get(root, "bm25");
    if (!bm25)
        return WS_OK;
    WS_TRY(check_keys(bm25, "bm25", bm25_keys, WS_ARRAY_LEN(bm25_keys), error));
    WS_TRY(read_number(bm25, "k1", K1_MAX, UNIT_K1, &schema->k1, error));
    return read_number(bm25, "b", 1, UNIT_K1, &schema->b, error);
}

static ws_status read_streams(const json_t *root, ws_schema *schema, ws_error *error)
{
    json_t *streams = json_object_get(root, "streams");
    if (!streams)
        return WS_OK;
    WS_TRY(check_keys(streams, "streams", stream_names, WS_ARRAY_LEN(stream_names), error));
    for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
        WS_TRY(read_number(streams, stream_names[s], WEIGHT_MAX, UNIT_WEIGHT, &schema->weights[s],
                           error));
    return WS_OK;
}

static ws_status read_schema(json_t *root, ws_schema *schema, ws_error *error)
{
    int found;
    WS_TRY(check_keys(root, "schema", top_keys, WS_ARRAY_LEN(top_keys), error));
    schema->n_fields = 0;
    memset(schema->fields, 0, sizeof schema->fields);
    WS_TRY(read_string(root, "id", schema->id_key, &found, error));
    WS_TRY(read_bm25(root, schema, error));
    WS_TRY(read_streams(root, schema, error));
    return read_fields(root, schema, error);
}

static ws_status parse(ws_schema *schema, ws_str text, ws_error *error)
{
    json_t *root;
    ws_schema_init_default(schema); /* its numbers are the defaults of what is left out */
    if (text.len == 0)
        return WS_OK;
    ws_status status = ws_json_load(&root, text, 0, error);
    if (status == WS_ERR_NOMEM)
        return status;
    if (status && error)
        error->code = WS_ERR_SYNTAX; /* whatever the text's trouble is called elsewhere */
    if (status)
        return WS_ERR_SYNTAX;
    status = read_schema(root, schema, error);
    json_decref(root);
    return status;
}

ws_status ws_schema_new_json(ws_schema **out, ws_str json, ws_error *error)
{
    *out = NULL;
    ws_schema *schema = ws_calloc(1, sizeof *schema);
    if (!schema)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for the schema");
    ws_status status = parse(schema, json, error);
    if (status) {
        ws_schema_free(schema);
        return status;
    }
    *out = schema;
    return WS_OK;
}

void ws_schema_free(ws_schema *schema)
{
    ws_free(schema);
}

/* --- writing --- */

/* The fewest decimals that read back as the same fixed-point number. */
static void write_fixed(ws_json *j, const char *key, uint32_t fixed, double unit)
{
    double power = 1;
    int decimals = 0;
    while (decimals < 9 && (uint32_t)lround(round(fixed / unit * power) / power * unit) != fixed) {
        power *= 10;
        decimals++;
    }
    ws_json_key(j, key);
    ws_json_double(j, fixed / unit, decimals);
}

static void write_field(ws_json *j, const ws_field *field)
{
    ws_json_object(j);
    ws_json_kcstr(j, "name", field->name);
    ws_json_kcstr(j, "from", field->from);
    ws_json_kcstr(j, "type", ws_field_type_name(field->type));
    if (field->type == WS_FIELD_TEXT) {
        ws_json_kcstr(j, "analyzer", ws_analyzer_kind_name(field->analyzer));
        write_fixed(j, "boost", field->boost, UNIT_WEIGHT);
        ws_json_kbool(j, "positions", field->flags & WS_FIELD_POSITIONS);
    }
    if (field->type != WS_FIELD_STORED)
        ws_json_kbool(j, "stored", field->flags & WS_FIELD_IS_STORED);
    if (field->type == WS_FIELD_KEYWORD)
        ws_json_kbool(j, "multi", field->flags & WS_FIELD_MULTI);
    ws_json_end_object(j);
}

void ws_schema_write_json(const ws_schema *schema, ws_json *j)
{
    ws_json_object(j);
    ws_json_kcstr(j, "id", schema->id_key);
    ws_json_key(j, "bm25");
    ws_json_object(j);
    write_fixed(j, "k1", schema->k1, UNIT_K1);
    write_fixed(j, "b", schema->b, UNIT_K1);
    ws_json_end_object(j);
    ws_json_key(j, "streams");
    ws_json_object(j);
    for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
        write_fixed(j, stream_names[s], schema->weights[s], UNIT_WEIGHT);
    ws_json_end_object(j);
    ws_json_key(j, "fields");
    ws_json_array(j);
    for (uint32_t f = 0; f < schema->n_fields; f++)
        write_field(j, &schema->fields[f]);
    ws_json_end_array(j);
    ws_json_end_object(j);
}
