#include "base/json.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

static ws_buf buf;
static ws_json j;

static void start(void)
{
    ws_buf_init(&buf);
    ws_json_init(&j, &buf);
}

static void stop(void)
{
    ws_mem_set_fault(NULL, NULL);
    ws_buf_fini(&buf);
}

static const char *text(void)
{
    ws_buf_u8(&buf, 0);
    return (const char *)buf.data;
}

Test(json, nests_and_separates, .init = start, .fini = stop)
{
    ws_json_object(&j);
    ws_json_kcstr(&j, "a", "x");
    ws_json_key(&j, "b");
    ws_json_array(&j);
    ws_json_u64(&j, 1);
    ws_json_object(&j);
    ws_json_end_object(&j);
    ws_json_array(&j);
    ws_json_end_array(&j);
    ws_json_null(&j);
    ws_json_bool(&j, 2);
    ws_json_raw(&j, WS_STR("{\"r\":0}"));
    ws_json_end_array(&j);
    ws_json_kcstr(&j, "c", NULL);
    ws_json_ku64(&j, "d", 7);
    ws_json_kbool(&j, "e", 0);
    ws_json_kstr(&j, "f", WS_STR("가"));
    ws_json_key_str(&j, WS_STR("g\"h"));
    ws_json_i64(&j, -3);
    ws_json_end_object(&j);
    cr_assert_str_eq(text(), "{\"a\":\"x\",\"b\":[1,{},[],null,true,{\"r\":0}],\"c\":null,\"d\":7,"
                             "\"e\":false,\"f\":\"가\",\"g\\\"h\":-3}");
}

static void expect_string(ws_str in, const char *want)
{
    ws_buf_clear(&buf);
    ws_json_init(&j, &buf);
    ws_json_str(&j, in);
    cr_assert_str_eq(text(), want);
}

Test(json, escapes_what_is_dangerous_in_json_and_html, .init = start, .fini = stop)
{
    expect_string(WS_STR(""), "\"\"");
    expect_string((ws_str){NULL, 0}, "\"\"");
    expect_string(WS_STR("\"\\/"), "\"\\\"\\\\/\"");
    expect_string(WS_STR("\n\r\t\b\x01\x1f\x7f"), "\"\\n\\r\\t\\u0008\\u0001\\u001f\\u007f\"");
    expect_string(WS_STR("a\0b"), "\"a\\u0000b\"");
    expect_string(WS_STR("<&>"), "\"\\u003c\\u0026\\u003e\"");
    expect_string(WS_STR("\xe2\x80\xa8x\xe2\x80\xa9\xe2\x80\xaa"), /* U+2028, U+2029, U+202A */
                  "\"\\u2028x\\u2029\xe2\x80\xaa\"");
}

Test(json, invalid_utf8_becomes_the_replacement_character, .init = start, .fini = stop)
{
    expect_string(WS_STR("a\xffz"), "\"a\xef\xbf\xbdz\"");
    expect_string(WS_STR("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");          /* overlong */
    expect_string(WS_STR("\xe0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");          /* cut */
    expect_string(WS_STR("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* U+D800 */
    expect_string(WS_STR("\xf4\x90\x80\x80"),
                  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""); /* beyond U+10FFFF */
    expect_string(WS_STR("\xf4\x8f\xbf\xbf\xf0\x90\x80\x80\xdf\xbf"),
                  "\"\xf4\x8f\xbf\xbf\xf0\x90\x80\x80\xdf\xbf\"");
}

/* The parser is another library; it must read back every valid string as it was. */
Test(json, another_parser_reads_back_what_was_written, .init = start, .fini = stop)
{
    ws_rng rng = ws_rng_seeded(71);
    for (int round = 0; round < 2000; round++) {
        char in[64];
        size_t n = 0;
        while (n < 50) { /* one random code point, mostly from the ranges that need care */
            uint32_t c = (uint32_t)ws_rng_below(&rng, ws_rng_below(&rng, 2) ? 0x80 : 0x11000);
            c = ws_rng_below(&rng, 10) ? c : 0x2020 + c % 16;
            if (c == 0 || (c >= 0xd800 && c < 0xe000))
                continue;
            if (c < 0x80) {
                in[n++] = (char)c;
            } else if (c < 0x800) {
                in[n++] = (char)(0xc0 | c >> 6);
                in[n++] = (char)(0x80 | (c & 63));
            } else if (c < 0x10000) {
                in[n++] = (char)(0xe0 | c >> 12);
                in[n++] = (char)(0x80 | (c >> 6 & 63));
                in[n++] = (char)(0x80 | (c & 63));
            } else {
                in[n++] = (char)(0xf0 | c >> 18);
                in[n++] = (char)(0x80 | (c >> 12 & 63));
                in[n++] = (char)(0x80 | (c >> 6 & 63));
                in[n++] = (char)(0x80 | (c & 63));
            }
        }
        ws_buf_clear(&buf);
        ws_json_init(&j, &buf);
        ws_json_array(&j);
        ws_json_str(&j, ws_str_make(in, n));
        ws_json_end_array(&j);
        json_t *parsed = json_loadb((const char *)buf.data, buf.len, 0, NULL);
        cr_assert_not_null(parsed, "seed %llu", (unsigned long long)rng.seed);
        const json_t *value = json_array_get(parsed, 0);
        cr_assert_eq(json_string_length(value), n);
        cr_assert_arr_eq(json_string_value(value), in, n);
        json_decref(parsed);
    }
}

Test(json, large_integers_are_strings, .init = start, .fini = stop)
{
    ws_json_array(&j);
    ws_json_u64(&j, (uint64_t)1 << 53);
    ws_json_u64(&j, ((uint64_t)1 << 53) + 1);
    ws_json_u64(&j, UINT64_MAX);
    ws_json_i64(&j, -((int64_t)1 << 53));
    ws_json_i64(&j, -((int64_t)1 << 53) - 1);
    ws_json_i64(&j, INT64_MIN);
    ws_json_end_array(&j);
    cr_assert_str_eq(text(), "[9007199254740992,\"9007199254740993\",\"18446744073709551615\","
                             "-9007199254740992,\"-9007199254740993\",\"-9223372036854775808\"]");
}

Test(json, doubles, .init = start, .fini = stop)
{
    ws_json_array(&j);
    ws_json_double(&j, 1.5, 3);
    ws_json_double(&j, -0.25, 1);
    ws_json_double(&j, 2.6, 0);
    ws_json_double(&j, (double)NAN, 2);
    ws_json_double(&j, -(double)INFINITY, 2);
    ws_json_double(&j, 0.1, -5);
    ws_json_end_array(&j);
    cr_assert_str_eq(text(), "[1.500,-0.2,3,null,null,0]");
    ws_buf_clear(&buf);
    ws_json_double(&j, -1.7976931348623157e308, 99);
    cr_assert_eq(strlen(text()), 1 + 309 + 1 + 17);
}

Test(json, doubles_have_a_point_in_every_locale, .init = start, .fini = stop)
{
    static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8", "C.UTF-8",
                                          "C"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (!setlocale(LC_ALL, locales[i]))
            continue; /* the last one is always there */
        ws_buf_clear(&buf);
        ws_json_init(&j, &buf);
        ws_json_double(&j, -12.25, 2);
        cr_assert_str_eq(text(), "-12.25", "%s", locales[i]);
    }
    setlocale(LC_ALL, "C");
}

Test(json, depth_is_limited, .init = start, .fini = stop)
{
    for (int i = 0; i < 64; i++)
        ws_json_array(&j);
    cr_assert_eq(ws_buf_status(&buf), WS_OK);
    ws_json_array(&j);
    cr_assert_eq(ws_buf_status(&buf), WS_ERR_LIMIT);
    cr_assert_eq(buf.len, 64);
    ws_buf_clear(&buf);
    ws_json_init(&j, &buf);
    ws_json_end_array(&j);
    cr_assert_eq(ws_buf_status(&buf), WS_ERR_STATE);
}

static int fail_always(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return 1;
}

Test(json, short_memory_is_sticky, .init = start, .fini = stop)
{
    ws_mem_set_fault(fail_always, NULL);
    ws_json_object(&j);
    ws_json_kcstr(&j, "key", "value");
    ws_json_end_object(&j);
    cr_assert_eq(ws_buf_status(&buf), WS_ERR_NOMEM);
    cr_assert_eq(buf.len, 0);
}
