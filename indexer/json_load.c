#include "indexer/json_load.h"

#include "base/error.h"
#include "base/str.h"

/* Byte after the string that begins at text.ptr[i] (its opening quote). */
static size_t skip_string(ws_str text, size_t i)
{
    for (i++; i < text.len; i++) {
        if (text.ptr[i] == '\\')
            i++;
        else if (text.ptr[i] == '"')
            return i + 1;
    }
    return text.len;
}

uint32_t ws_json_depth(ws_str text)
{
    uint32_t depth = 0, most = 0;
    for (size_t i = 0; i < text.len;) {
        char c = text.ptr[i];
        if (c == '"') {
            i = skip_string(text, i);
            continue;
        }
        if (c == '{' || c == '[') {
            depth++;
            most = depth > most ? depth : most;
            if (most > WS_JSON_DEPTH_MAX)
                return most;
        } else if ((c == '}' || c == ']') && depth > 0) {
            depth--;
        }
        i++;
    }
    return most;
}

static ws_status status_of(const json_error_t *e)
{
    switch (json_error_code(e)) {
    case json_error_out_of_memory:
        return WS_ERR_NOMEM;
    case json_error_invalid_utf8:
        return WS_ERR_UTF8;
    case json_error_numeric_overflow:
        return WS_ERR_RANGE;
    default:
        return WS_ERR_SYNTAX;
    }
}

ws_status ws_json_load(json_t **out, ws_str text, uint32_t flags, ws_error *error)
{
    json_error_t e;
    size_t options = JSON_REJECT_DUPLICATES;
    *out = NULL;
    if (ws_json_depth(text) > WS_JSON_DEPTH_MAX)
        return ws_error_set(error, WS_ERR_LIMIT, "JSON nested deeper than %u", WS_JSON_DEPTH_MAX);
    if (flags & WS_JSON_LOAD_NUL)
        options |= JSON_ALLOW_NUL;
    if (flags & WS_JSON_LOAD_INT_AS_REAL)
        options |= JSON_DECODE_INT_AS_REAL;
    *out = json_loadb(text.ptr ? text.ptr : "", text.len, options, &e);
    if (*out)
        return WS_OK;
    return ws_error_at(error, status_of(&e), NULL, e.position > 0 ? (uint64_t)e.position : 0,
                       "JSON: %s", e.text);
}

const char *ws_json_type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "object";
    case JSON_ARRAY:
        return "array";
    case JSON_STRING:
        return "string";
    case JSON_INTEGER:
        return "integer";
    case JSON_REAL:
        return "number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "boolean";
    default:
        return "null";
    }
}
