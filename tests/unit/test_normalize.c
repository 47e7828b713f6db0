/* The normaliser's text against ICU's: the same where nothing is documented otherwise. */
#include "engine/text/normalize.h"

#include <string.h>

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tests/support/random_text.h"
#include "tests/support/test.h"

#define CAP 16384

static ws_normalizer n, again; /* `again` runs over what `n` made */

static void open_both(void)
{
    cr_assert_eq(ws_normalizer_init(&n), WS_OK);
    cr_assert_eq(ws_normalizer_init(&again), WS_OK);
}

static void close_both(void)
{
    ws_normalizer_fini(&n);
    ws_normalizer_fini(&again);
}

static ws_str run(ws_normalizer *which, ws_str text)
{
    cr_assert_eq(ws_normalizer_run(which, text), WS_OK);
    return ws_buf_slice(&which->text);
}

/* --- what the output must be --- */

/* Appends ICU's NFKC_Casefold of a valid text. */
static size_t icu_append(ws_str text, char *out, size_t at)
{
    static UChar in[CAP], folded[CAP];
    UErrorCode code = U_ZERO_ERROR;
    int32_t length = 0, made = 0;
    u_strFromUTF8(in, CAP, &length, text.ptr, (int32_t)text.len, &code);
    made = unorm2_normalize(unorm2_getNFKCCasefoldInstance(&code), in, length, folded, CAP, &code);
    u_strToUTF8(out + at, (int32_t)(CAP - at), &length, folded, made, &code);
    if (U_FAILURE(code))
        cr_assert_fail("ICU: %s", u_errorName(code));
    return at + (size_t)length;
}

/* What the header excepts from ICU's answer: the code point that stands for c, else 0. */
static uint32_t set_aside(uint32_t c)
{
    UErrorCode code = U_ZERO_ERROR;
    UChar wide[4];
    if (c == 0xb7 || c == 0x2027 || c == 0x318d)
        return 0xb7;
    if (c >= 0x3131 && c <= 0x318e)
        return c;
    if (c <= 0xffa0 || c > 0xffdc)
        return 0;
    int32_t length =
        unorm2_getRawDecomposition(unorm2_getNFKCInstance(&code), (UChar32)c, wide, 4, &code);
    return length == 1 ? wide[0] : 0; /* half-width jamo are <narrow> forms of keyboard jamo */
}

/* ICU over each part between what is set aside; invalid bytes are U+FFFD. */
static ws_str expected(ws_str text, char *out, uint32_t *n_replaced)
{
    size_t made = 0, from = 0;
    *n_replaced = 0;
    for (size_t at = 0, length; at < text.len; at += length) {
        uint32_t c;
        length = ws_utf8_decode(text, at, &c);
        int invalid = ws_utf8_sequence((const uint8_t *)text.ptr + at, text.len - at) == 0;
        uint32_t aside = invalid ? WS_REPLACEMENT : set_aside(c);
        *n_replaced += (uint32_t)invalid;
        if (!aside)
            continue;
        made = icu_append(ws_str_sub(text, from, at), out, made);
        made += ws_utf8_encode(aside, out + made);
        from = at + length;
    }
    return ws_str_make(out, icu_append(ws_str_sub(text, from, text.len), out, made));
}

static void fail_at(const char *what, ws_str text, uint64_t seed)
{
    cr_assert_fail("%s: seed %llu, text %s", what, (unsigned long long)seed, ws_hex(text));
}

static void check_output(ws_str text, uint64_t seed)
{
    static char want[CAP];
    uint32_t n_replaced;
    ws_str out = run(&n, text);
    if (!ws_str_eq(out, expected(text, want, &n_replaced)))
        fail_at("another text than ICU's", text, seed);
    if (n.n_replaced != n_replaced)
        fail_at("n_replaced", text, seed);
    if (!ws_str_eq(run(&again, out), out))
        fail_at("its output is not normalised", text, seed);
}

Test(normalize, random_texts_are_as_icu_makes_them, .init = open_both, .fini = close_both)
{
    ws_rng rng = ws_rng_seeded(21);
    char text[WS_RANDOM_TEXT_MAX];
    for (int round = 0; round < 40000; round++)
        check_output(ws_str_make(text, ws_random_text(&rng, text)), rng.seed);
}

Test(normalize, random_bytes_are_counted, .init = open_both, .fini = close_both)
{
    ws_rng rng = ws_rng_seeded(22);
    char text[64];
    for (int round = 0; round < 20000; round++) {
        size_t length = ws_rng_below(&rng, sizeof text);
        ws_rng_fill(&rng, text, length);
        for (size_t i = 0; i < length && round % 2; i++) /* Hangul, half of it broken */
            text[i] = ws_rng_below(&rng, 4) ? "\xea\xb0\x80"[i % 3] : text[i];
        check_output(ws_str_make(text, length), rng.seed);
    }
}

/* A code point at each side of what may take it in: a letter, a mark, a syllable, jamo, itself. */
static size_t surround(uint32_t c, char *out)
{
    static const uint32_t before[] = {0, 'A', 0x301, 0xac00, 0x1100, 0x1161, 0x11a8, 0xff21, 0};
    size_t length = 0;
    for (size_t i = 0; i < WS_ARRAY_LEN(before); i++) {
        length += before[i] ? ws_utf8_encode(before[i], out + length) : 0;
        length += ws_utf8_encode(c, out + length);
    }
    return length;
}

Test(normalize, two_planes_in_every_company, .init = open_both, .fini = close_both)
{
    char text[128];
    for (uint32_t c = 0; c < 0x20000; c++)
        if (c < 0xd800 || c > 0xdfff)
            check_output(ws_str_make(text, surround(c, text)), 0);
}

/* --- what is documented otherwise --- */

Test(normalize, exceptions_by_example, .init = open_both, .fini = close_both)
{
    static const char *const rows[][2] = {
        {"ㅎㅏㄴ", "ㅎㅏㄴ"},                               /* keyboard jamo do not join */
        {"ㄳㅘ", "ㄳㅘ"},                                   /* nor come apart */
        {"\xef\xbe\xa1\xef\xbf\x82\xef\xbe\xb7", "ㄱㅏㅇ"}, /* half-width jamo are wide ones */
        {"도로ㆍ지반", "도로·지반"},                        /* U+318D */
        {"5\xe2\x80\xa7"
         "18",
         "5·18"}, /* U+2027 */
        {"5·18", "5·18"},
        {"hyphen\xc2\xad"
         "ation",
         "hyphenation"},                            /* soft hyphen */
        {"한\xe2\x80\x8b글", "한글"},               /* zero-width space */
        {"\xe2\x80\x8d\xef\xbb\xbf", ""},           /* joiner, byte order mark: nothing remains */
        {"e\xcc\x81ㅏ", "éㅏ"},                     /* keyboard jamo end the cluster before them */
        {"\xe1\x84\x92\xe1\x85\xa1ㄳㅏ", "하ㄳㅏ"}, /* 하 in two jamo takes no keyboard final */
        {"ＫＢＳㆍ뉴스", "kbs·뉴스"},
        {"Ａ\xef\xbf\x82", "aㅏ"},
        {"a\xff\xed\xa0\x80z", "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_str got = run(&n, ws_cstr(rows[i][0]));
        cr_expect(ws_str_eq(got, ws_cstr(rows[i][1])), "%s: got %.*s, expected %s", rows[i][0],
                  (int)got.len, got.ptr, rows[i][1]);
    }
}

Test(normalize, nothing_and_a_tower_of_marks, .init = open_both, .fini = close_both)
{
    char tower[1 + 2 * 500] = "a";
    for (size_t i = 1; i < sizeof tower; i += 2)
        memcpy(tower + i, "\xcc\x81", 2);
    ws_str out = run(&n, ws_str_make(tower, sizeof tower));
    cr_assert(ws_utf8_valid(out) && ws_str_starts_with(out, WS_STR("á")));
    cr_assert_eq(ws_utf8_count(out), 500); /* the first mark went into the letter */
    cr_assert_eq(run(&n, ws_str_make(NULL, 0)).len, 0);
    cr_assert_eq(n.pieces.len, 0);
}
