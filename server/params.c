#include "server/params.h"

#include <jansson.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/str.h"
#include "server/uri.h"

#define SPECS_MAX 32

typedef struct {
    const ws_param_spec *specs;
    size_t n;
    ws_arena *arena;
    ws_param_value *values;
    ws_problem *problem;
} reading;

void ws_params_init(const ws_param_spec *specs, size_t n, ws_param_value *values)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (ws_param_value){{NULL, 0}, specs[i].fallback, 0};
}

static int unknown(reading *r, ws_str name)
{
    const char *names[SPECS_MAX];
    size_t n = WS_MIN(r->n, (size_t)SPECS_MAX);
    for (size_t i = 0; i < n; i++)
        names[i] = r->specs[i].name;
    int nearest = ws_str_nearest(name, names, n);
    int shown = (int)WS_MIN(name.len, (size_t)64);
    if (nearest >= 0)
        ws_problem_set(r->problem, WS_PROBLEM_UNKNOWN_PARAMETER,
                       "there is no parameter \"%.*s\" here; did you mean \"%s\"?", shown, name.ptr,
                       names[nearest]);
    else
        ws_problem_set(r->problem, WS_PROBLEM_UNKNOWN_PARAMETER,
                       "there is no parameter \"%.*s\" here", shown, name.ptr ? name.ptr : "");
    ws_problem_point(r->problem, name, "unknown");
    return 0;
}

static int invalid(reading *r, const ws_param_spec *spec, const char *item_code, const char *what)
{
    ws_problem_set(r->problem, WS_PROBLEM_INVALID_PARAMETER, "parameter \"%s\" %s", spec->name,
                   what);
    ws_problem_point(r->problem, ws_cstr(spec->name), item_code);
    return 0;
}

static int too_large(reading *r, const ws_param_spec *spec, const char *unit)
{
    ws_problem_set(r->problem, WS_PROBLEM_LIMIT_EXCEEDED, "parameter \"%s\" is at most %llu%s",
                   spec->name, (unsigned long long)spec->max, unit);
    ws_problem_point(r->problem, ws_cstr(spec->name), "out_of_range");
    r->problem->max = spec->max;
    r->problem->has_max = 1;
    return 0;
}

static int is_digits(ws_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return 0;
    }
    return text.len > 0;
}

static int set_number(reading *r, const ws_param_spec *spec, ws_param_value *value, ws_str text)
{
    if (!is_digits(text))
        return invalid(r, spec, "not_a_number", "must be a whole number");
    if (!ws_str_to_u64(text, &value->number) || value->number > spec->max)
        return too_large(r, spec, "");
    if (value->number < spec->min)
        return invalid(r, spec, "out_of_range", "is too small");
    return 1;
}

static int set_bool(reading *r, const ws_param_spec *spec, ws_param_value *value, ws_str text)
{
    value->number = ws_str_eq(text, WS_STR("1")) || ws_str_eq(text, WS_STR("true"));
    if (value->number || ws_str_eq(text, WS_STR("0")) || ws_str_eq(text, WS_STR("false")))
        return 1;
    return invalid(r, spec, "not_a_boolean", "must be 0, 1, true or false");
}

static int set_choice(reading *r, const ws_param_spec *spec, ws_param_value *value, ws_str text)
{
    char list[128] = "must be one of:";
    for (size_t i = 0; spec->choices[i]; i++) {
        if (ws_str_eq(text, ws_cstr(spec->choices[i]))) {
            value->number = i;
            return 1;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, " %s", spec->choices[i]);
    }
    return invalid(r, spec, "not_a_choice", list);
}

static int set_value(reading *r, size_t index, ws_str text)
{
    const ws_param_spec *spec = &r->specs[index];
    ws_param_value *value = &r->values[index];
    if (value->given)
        return invalid(r, spec, "duplicate", "is given twice");
    value->given = 1;
    switch (spec->kind) {
    case WS_PARAM_NUMBER:
        return set_number(r, spec, value, text);
    case WS_PARAM_BOOL:
        return set_bool(r, spec, value, text);
    case WS_PARAM_CHOICE:
        return set_choice(r, spec, value, text);
    case WS_PARAM_TEXT:
        break;
    }
    value->text = text;
    return text.len <= spec->max ? 1 : too_large(r, spec, " bytes long");
}

static int find(const reading *r, ws_str name)
{
    for (size_t i = 0; i < r->n; i++) {
        if (ws_str_eq(name, ws_cstr(r->specs[i].name)))
            return (int)i;
    }
    return -1;
}

/* --- query string --- */

static int decode(reading *r, ws_str in, ws_str *out)
{
    ws_decode_result result = ws_percent_decode(in, 1, r->arena, out);
    if (result == WS_DECODE_OK)
        return 1;
    ws_problem_kind kind = result == WS_DECODE_UTF8    ? WS_PROBLEM_INVALID_UTF8
                           : result == WS_DECODE_NOMEM ? WS_PROBLEM_OVERLOADED
                                                       : WS_PROBLEM_INVALID_PARAMETER;
    ws_problem_set(r->problem, kind, "%s", ws_decode_text(result));
    return 0;
}

static int read_pair(reading *r, ws_str pair)
{
    size_t equals = 0;
    ws_str name, value;
    while (equals < pair.len && pair.ptr[equals] != '=')
        equals++;
    if (!decode(r, ws_str_sub(pair, 0, equals), &name))
        return 0;
    int index = find(r, name);
    if (index < 0)
        return unknown(r, name);
    if (!decode(r, ws_str_sub(pair, equals + 1, pair.len), &value)) {
        ws_problem_point(r->problem, name, "undecodable");
        return 0;
    }
    return set_value(r, (size_t)index, value);
}

int ws_params_from_query(const ws_param_spec *specs, size_t n, ws_str query, ws_arena *arena,
                         ws_param_value *values, ws_problem *problem)
{
    reading r = {specs, n, arena, values, problem};
    for (size_t from = 0; from < query.len;) {
        size_t to = from;
        while (to < query.len && query.ptr[to] != '&')
            to++;
        if (to > from && !read_pair(&r, ws_str_sub(query, from, to)))
            return 0;
        from = to + 1;
    }
    return 1;
}

/* --- JSON --- */

static int is_shallow(ws_str json)
{
    size_t depth = 0;
    int in_string = 0;
    for (size_t i = 0; i < json.len; i++) {
        char c = json.ptr[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = 0;
        } else if (c == '"') {
            in_string = 1;
        } else if (c == '[' || c == '{') {
            if (++depth > WS_JSON_DEPTH_MAX)
                return 0;
        } else if ((c == ']' || c == '}') && depth) {
            depth--;
        }
    }
    return 1;
}

static int copy(reading *r, const char *text, size_t len, ws_str *out)
{
    if (ws_arena_str(r->arena, ws_str_make(text, len), out) == WS_OK)
        return 1;
    ws_problem_set(r->problem, WS_PROBLEM_OVERLOADED, "out of memory");
    return 0;
}

static int member_text(reading *r, const ws_param_spec *spec, const json_t *member, ws_str *out)
{
    int wants_text = spec->kind == WS_PARAM_TEXT || spec->kind == WS_PARAM_CHOICE;
    if (json_is_string(member) && wants_text)
        return copy(r, json_string_value(member), json_string_length(member), out);
    if (json_is_boolean(member) && (spec->kind == WS_PARAM_BOOL || spec->kind == WS_PARAM_CHOICE)) {
        *out = json_is_true(member) ? WS_STR("true") : WS_STR("false");
        return 1;
    }
    if (json_is_integer(member) && (spec->kind == WS_PARAM_NUMBER || spec->kind == WS_PARAM_BOOL)) {
        char digits[24];
        int len = snprintf(digits, sizeof digits, "%lld", (long long)json_integer_value(member));
        return copy(r, digits, (size_t)len, out);
    }
    static const char *const wanted[] = {"must be a string", "must be a whole number",
                                         "must be true or false", "must be a string"};
    return invalid(r, spec, "wrong_type", wanted[spec->kind]);
}

static int read_members(reading *r, json_t *root)
{
    const char *key;
    json_t *member;
    if (!json_is_object(root)) {
        ws_problem_set(r->problem, WS_PROBLEM_INVALID_JSON, "the body must be a JSON object");
        return 0;
    }
    json_object_foreach(root, key, member)
    {
        ws_str text;
        int index = find(r, ws_cstr(key));
        if (index < 0)
            return unknown(r, ws_cstr(key));
        if (!member_text(r, &r->specs[index], member, &text) || !set_value(r, (size_t)index, text))
            return 0;
    }
    return 1;
}

int ws_params_from_json(const ws_param_spec *specs, size_t n, ws_str json, ws_arena *arena,
                        ws_param_value *values, ws_problem *problem)
{
    reading r = {specs, n, arena, values, problem};
    json_error_t error;
    if (!is_shallow(json)) {
        ws_problem_set(problem, WS_PROBLEM_INVALID_JSON, "nested deeper than %u",
                       WS_JSON_DEPTH_MAX);
        return 0;
    }
    json_t *root = json_loadb(json.ptr ? json.ptr : "", json.len, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        int utf8 = json_error_code(&error) == json_error_invalid_utf8;
        ws_problem_set(problem, utf8 ? WS_PROBLEM_INVALID_UTF8 : WS_PROBLEM_INVALID_JSON,
                       "%s (byte %d)", error.text, error.position);
        return 0;
    }
    int ok = read_members(&r, root);
    json_decref(root);
    return ok;
}

int ws_params_require(const ws_param_spec *specs, size_t index, const ws_param_value *values,
                      ws_problem *problem)
{
    reading r = {specs, 0, NULL, NULL, problem};
    return values[index].given ? 1 : invalid(&r, &specs[index], "required", "is missing");
}
