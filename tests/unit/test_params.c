#include "server/params.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf16.h"
#include "server/uri.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

/* --- percent-decoding --- */

static ws_decode_result decode(const char *in, int form, char *out, size_t cap)
{
    ws_arena arena;
    ws_str text;
    ws_arena_init(&arena);
    ws_decode_result result = ws_percent_decode(ws_cstr(in), form, &arena, &text);
    snprintf(out, cap, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
    ws_arena_fini(&arena);
    return result;
}

Test(params, percent_decoding)
{
    static const struct {
        const char *in, *out;
        int form;
        ws_decode_result result;
    } rows[] = {
        {"abc", "abc", 0, WS_DECODE_OK},
        {"", "", 1, WS_DECODE_OK},
        {"a+b", "a b", 1, WS_DECODE_OK},
        {"a+b", "a+b", 0, WS_DECODE_OK},
        {"a%2Bb%2b", "a+b+", 1, WS_DECODE_OK},
        {"%EB%8C%80", "\xEB\x8C\x80", 1, WS_DECODE_OK},
        {"%F0%9F%98%80", "\xF0\x9F\x98\x80", 1, WS_DECODE_OK},
        {"%2541", "%41", 1, WS_DECODE_OK}, /* once only */
        {"%", "", 1, WS_DECODE_PERCENT},
        {"%2", "", 1, WS_DECODE_PERCENT},
        {"%zz%0", "", 1, WS_DECODE_PERCENT},
        {"%2g", "", 1, WS_DECODE_PERCENT},
        {"a%", "", 1, WS_DECODE_PERCENT},
        {"%00", "", 1, WS_DECODE_CONTROL},
        {"%0a", "", 1, WS_DECODE_CONTROL},
        {"%7F", "", 1, WS_DECODE_CONTROL},
        {"%C0%AF", "", 1, WS_DECODE_UTF8},       /* overlong '/' */
        {"%E0%80%AF", "", 1, WS_DECODE_UTF8},    /* overlong */
        {"%F0%80%80%AF", "", 1, WS_DECODE_UTF8}, /* overlong */
        {"%ED%A0%80", "", 1, WS_DECODE_UTF8},    /* surrogate U+D800 */
        {"%F4%90%80%80", "", 1, WS_DECODE_UTF8}, /* U+110000 */
        {"%80", "", 1, WS_DECODE_UTF8},
        {"%EB%8C", "", 1, WS_DECODE_UTF8},
        {"%FF", "", 1, WS_DECODE_UTF8},
    };
    char out[64];
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        cr_expect_eq(decode(rows[i].in, rows[i].form, out, sizeof out), rows[i].result, "%s",
                     rows[i].in);
        cr_expect_str_eq(out, rows[i].out, "%s", rows[i].in);
    }
}

/* Encodes a code point without looking whether it may be. */
static size_t encode(uint32_t cp, char *out)
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    size_t n = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, cp >>= 6)
        out[i] = (char)(0x80 | (cp & 0x3f));
    out[0] = (char)((0xf00u >> n) | cp);
    return n;
}

/* --- UTF-16 offsets --- */

Test(params, utf16_offsets_match_a_count_of_code_points)
{
    ws_rng rng = ws_rng_seeded(3);
    for (int round = 0; round < 300; round++) {
        char text[160];
        uint32_t units_before[161];
        size_t len = 0;
        uint32_t units = 0;
        while (len < 150) {
            static const uint32_t samples[] = {'a', 0xe9, 0xb300, 0x1f600, 0x10ffff, 0xffff};
            uint32_t cp = samples[ws_rng_below(&rng, WS_ARRAY_LEN(samples))];
            size_t n = encode(cp, text + len);
            for (size_t i = 0; i < n; i++)
                units_before[len + i] = units;
            len += n;
            units += cp > 0xffff ? 2 : 1;
        }
        units_before[len] = units;
        ws_utf16_walk walk;
        ws_utf16_begin(&walk, ws_str_make(text, len));
        for (int i = 0; i < 40; i++) {
            size_t at = ws_rng_below(&rng, len + 1); /* backwards too */
            cr_assert_eq(ws_utf16_units(&walk, at), units_before[at], "seed %llu byte %zu",
                         (unsigned long long)rng.seed, at);
        }
        cr_assert_eq(ws_utf16_units(&walk, len + 100), units);
    }
}

/* --- parameters --- */

enum { P_TEXT, P_NUMBER, P_BOOL, P_CHOICE, P_COUNT };

static const char *const choices[] = {"or", "and", NULL};
static const ws_param_spec specs[P_COUNT] = {
    [P_TEXT] = {"query", WS_PARAM_TEXT, 0, 10, 0, NULL},
    [P_NUMBER] = {"limit", WS_PARAM_NUMBER, 1, 100, 20, NULL},
    [P_BOOL] = {"highlight", WS_PARAM_BOOL, 0, 1, 1, NULL},
    [P_CHOICE] = {"operator", WS_PARAM_CHOICE, 0, 0, 0, choices},
};

typedef struct {
    ws_arena arena;
    ws_param_value values[P_COUNT];
    ws_problem problem;
    int ok;
} outcome;

static void read_query(outcome *o, const char *query)
{
    memset(o, 0, sizeof *o);
    ws_arena_init(&o->arena);
    ws_params_init(specs, P_COUNT, o->values);
    o->ok = ws_params_from_query(specs, P_COUNT, ws_cstr(query), &o->arena, o->values, &o->problem);
}

static void read_json(outcome *o, const char *json)
{
    memset(o, 0, sizeof *o);
    ws_arena_init(&o->arena);
    ws_params_init(specs, P_COUNT, o->values);
    o->ok = ws_params_from_json(specs, P_COUNT, ws_cstr(json), &o->arena, o->values, &o->problem);
}

Test(params, fallbacks)
{
    outcome o;
    read_query(&o, "");
    cr_assert(o.ok);
    cr_assert_eq(o.values[P_NUMBER].number, 20);
    cr_assert_eq(o.values[P_BOOL].number, 1);
    cr_assert_eq(o.values[P_TEXT].given, 0);
    ws_arena_fini(&o.arena);
}

static void expect_all(outcome *o)
{
    cr_assert(o->ok, "%s", o->problem.detail);
    cr_assert(ws_str_eq(o->values[P_TEXT].text, WS_STR("\xEB\x8C\x80 a&b")));
    cr_assert_eq(o->values[P_NUMBER].number, 7);
    cr_assert_eq(o->values[P_BOOL].number, 0);
    cr_assert_eq(o->values[P_CHOICE].number, 1);
    ws_arena_fini(&o->arena);
}

Test(params, both_sources_mean_the_same)
{
    outcome o;
    read_query(&o, "query=%EB%8C%80+a%26b&limit=7&&highlight=false&operator=and");
    expect_all(&o);
    read_query(&o, "highlight=0&operator=and&limit=007&query=%EB%8C%80%20a%26b&");
    expect_all(&o);
    read_json(&o,
              "{\"query\":\"\\ub300 a&b\",\"limit\":7,\"highlight\":false,\"operator\":\"and\"}");
    expect_all(&o);
    read_json(
        &o, " {\"highlight\":0, \"operator\":\"and\",\"limit\":7,\"query\":\"\xEB\x8C\x80 a&b\"} ");
    expect_all(&o);
}

typedef struct {
    const char *text;
    ws_problem_kind kind;
    const char *pointer, *item_code;
} refusal;

static void expect_refusals(void (*read)(outcome *, const char *), const refusal *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        outcome o;
        read(&o, rows[i].text);
        cr_expect_not(o.ok, "%s", rows[i].text);
        cr_expect_eq(o.problem.kind, rows[i].kind, "%s: %s", rows[i].text,
                     ws_problem_code(o.problem.kind));
        cr_expect_str_eq(o.problem.pointer, rows[i].pointer, "%s", rows[i].text);
        cr_expect_str_eq(o.problem.item_code ? o.problem.item_code : "", rows[i].item_code, "%s",
                         rows[i].text);
        ws_arena_fini(&o.arena);
    }
}

Test(params, refuses_in_a_query_string)
{
    static const refusal rows[] = {
        {"limi=1", WS_PROBLEM_UNKNOWN_PARAMETER, "/limi", "unknown"},
        {"=1", WS_PROBLEM_UNKNOWN_PARAMETER, "/", "unknown"},
        {"LIMIT=1", WS_PROBLEM_UNKNOWN_PARAMETER, "/LIMIT", "unknown"},
        {"limit=1&limit=1", WS_PROBLEM_INVALID_PARAMETER, "/limit", "duplicate"},
        {"limit", WS_PROBLEM_INVALID_PARAMETER, "/limit", "not_a_number"},
        {"limit=", WS_PROBLEM_INVALID_PARAMETER, "/limit", "not_a_number"},
        {"limit=-1", WS_PROBLEM_INVALID_PARAMETER, "/limit", "not_a_number"},
        {"limit=+1", WS_PROBLEM_INVALID_PARAMETER, "/limit", "not_a_number"},
        {"limit=1.0", WS_PROBLEM_INVALID_PARAMETER, "/limit", "not_a_number"},
        {"limit=1e1", WS_PROBLEM_INVALID_PARAMETER, "/limit", "not_a_number"},
        {"limit=0", WS_PROBLEM_INVALID_PARAMETER, "/limit", "out_of_range"},
        {"limit=101", WS_PROBLEM_LIMIT_EXCEEDED, "/limit", "out_of_range"},
        {"limit=99999999999999999999999", WS_PROBLEM_LIMIT_EXCEEDED, "/limit", "out_of_range"},
        {"highlight=yes", WS_PROBLEM_INVALID_PARAMETER, "/highlight", "not_a_boolean"},
        {"operator=xor", WS_PROBLEM_INVALID_PARAMETER, "/operator", "not_a_choice"},
        {"query=12345678901", WS_PROBLEM_LIMIT_EXCEEDED, "/query", "out_of_range"},
        {"query=%zz", WS_PROBLEM_INVALID_PARAMETER, "/query", "undecodable"},
        {"query=%FF", WS_PROBLEM_INVALID_UTF8, "/query", "undecodable"},
        {"query=a%00", WS_PROBLEM_INVALID_PARAMETER, "/query", "undecodable"},
        {"%zz=1", WS_PROBLEM_INVALID_PARAMETER, "", ""},
    };
    expect_refusals(read_query, rows, WS_ARRAY_LEN(rows));
}

Test(params, refuses_in_json)
{
    static const refusal rows[] = {
        {"", WS_PROBLEM_INVALID_JSON, "", ""},
        {"[]", WS_PROBLEM_INVALID_JSON, "", ""},
        {"{", WS_PROBLEM_INVALID_JSON, "", ""},
        {"{}x", WS_PROBLEM_INVALID_JSON, "", ""},
        {"\xEF\xBB\xBF{}", WS_PROBLEM_INVALID_JSON, "", ""},
        {"{\"limit\":1,\"limit\":1}", WS_PROBLEM_INVALID_JSON, "", ""},
        {"{\"limit\":99999999999999999999}", WS_PROBLEM_INVALID_JSON, "", ""},
        {"{\"query\":\"a\\u0000\"}", WS_PROBLEM_INVALID_JSON, "", ""},
        {"{\"query\":\"\xFF\"}", WS_PROBLEM_INVALID_UTF8, "", ""},
        {"{\"limits\":1}", WS_PROBLEM_UNKNOWN_PARAMETER, "/limits", "unknown"},
        {"{\"limit\":\"1\"}", WS_PROBLEM_INVALID_PARAMETER, "/limit", "wrong_type"},
        {"{\"limit\":1.5}", WS_PROBLEM_INVALID_PARAMETER, "/limit", "wrong_type"},
        {"{\"limit\":null}", WS_PROBLEM_INVALID_PARAMETER, "/limit", "wrong_type"},
        {"{\"limit\":-1}", WS_PROBLEM_INVALID_PARAMETER, "/limit", "not_a_number"},
        {"{\"query\":1}", WS_PROBLEM_INVALID_PARAMETER, "/query", "wrong_type"},
        {"{\"highlight\":2}", WS_PROBLEM_INVALID_PARAMETER, "/highlight", "not_a_boolean"},
        {"{\"highlight\":\"1\"}", WS_PROBLEM_INVALID_PARAMETER, "/highlight", "wrong_type"},
        {"{\"limit\":101}", WS_PROBLEM_LIMIT_EXCEEDED, "/limit", "out_of_range"},
    };
    expect_refusals(read_json, rows, WS_ARRAY_LEN(rows));
}

Test(params, names_the_nearest)
{
    outcome o;
    read_query(&o, "operater=or");
    cr_assert_not_null(strstr(o.problem.detail, "\"operator\""));
    ws_arena_fini(&o.arena);
}

Test(params, json_depth)
{
    char json[400];
    for (int depth = 60; depth < 70; depth++) {
        outcome o;
        size_t n = (size_t)(stpcpy(json, "{\"query\":") - json);
        memset(json + n, '[', (size_t)depth - 1);
        memset(json + n + depth - 1, ']', (size_t)depth - 1);
        strcpy(json + n + 2 * (depth - 1), "}");
        read_json(&o, json);
        cr_expect_eq(o.problem.kind,
                     depth <= 64 ? WS_PROBLEM_INVALID_PARAMETER : WS_PROBLEM_INVALID_JSON, "%d",
                     depth);
        ws_arena_fini(&o.arena);
    }
    /* Brackets inside strings do not nest. */
    outcome o;
    strcpy(json, "{\"query\":\"\\\"[[[[[[[[\"}");
    read_json(&o, json);
    cr_assert(o.ok);
    ws_arena_fini(&o.arena);
}

Test(params, required)
{
    outcome o;
    read_query(&o, "limit=3");
    cr_assert_not(ws_params_require(specs, P_TEXT, o.values, &o.problem));
    cr_assert_str_eq(o.problem.pointer, "/query");
    cr_assert(ws_params_require(specs, P_NUMBER, o.values, &o.problem));
    ws_arena_fini(&o.arena);
}
