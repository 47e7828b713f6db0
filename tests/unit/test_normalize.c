/* The normaliser against ICU: the same text where nothing is documented otherwise, and a map whose
 * pieces lead back to the bytes that each output came from. */
#include "engine/text/normalize.h"

#include <string.h>

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tests/support/rng.h"
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
    char hex[1024] = "";
    for (size_t i = 0; i < text.len && i < 300; i++)
        snprintf(hex + i * 3, 4, "%02x ", (uint8_t)text.ptr[i]);
    cr_assert_fail("%s: seed %llu, text %s", what, (unsigned long long)seed, hex);
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

/* --- random text --- */

static const uint32_t blocks[][2] = {
    {0x20, 0x7e},       {0x80, 0x24f},      {0x300, 0x36f},     {0x370, 0x52f},
    {0x5d0, 0x6ff},     {0x900, 0xdff},     {0xe00, 0xfff},     {0x1100, 0x11ff},
    {0x1ab0, 0x1aff},   {0x1e00, 0x1fff},   {0x2000, 0x206f},   {0x2070, 0x21ff},
    {0x2460, 0x24ff},   {0x3000, 0x30ff},   {0x3130, 0x318f},   {0x3190, 0x33ff},
    {0x4e00, 0x9fff},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xd7b0, 0xd7ff},
    {0xf900, 0xfb4f},   {0xfb50, 0xfeff},   {0xff00, 0xffef},   {0x10400, 0x1044f},
    {0x11080, 0x1147f}, {0x1d100, 0x1d1ff}, {0x1d400, 0x1d7ff}, {0x1f100, 0x1f2ff},
    {0x1f300, 0x1f64f}, {0x2f800, 0x2fa1f}, {0xe0000, 0xe01ff}, {0xad, 0xad},
    {0x200b, 0x200d},   {0x1100, 0x1112},   {0x1161, 0x1175},   {0x11a8, 0x11c2},
};

/* Up to 30 code points (clusters stay shorter than the 64 units that are normalised at once) of few
 * blocks, so that what combines meets; some texts are damaged. */
static size_t random_text(ws_rng *rng, char *out)
{
    size_t some[3], length = 0;
    for (int i = 0; i < 3; i++)
        some[i] = ws_rng_below(rng, WS_ARRAY_LEN(blocks));
    for (uint64_t i = ws_rng_between(rng, 1, 30); i > 0; i--) {
        const uint32_t *block = blocks[some[ws_rng_below(rng, 3)]];
        uint32_t c = (uint32_t)ws_rng_between(rng, block[0], block[1]);
        length += ws_utf8_encode(c, out + length);
    }
    if (ws_rng_below(rng, 4) == 0)
        for (uint64_t i = ws_rng_below(rng, 4); i > 0; i--)
            out[ws_rng_below(rng, length)] = (char)ws_rng_u32(rng);
    return length;
}

Test(normalize, random_texts_are_as_icu_makes_them, .init = open_both, .fini = close_both)
{
    ws_rng rng = ws_rng_seeded(21);
    char text[128];
    for (int round = 0; round < 40000; round++)
        check_output(ws_str_make(text, random_text(&rng, text)), rng.seed);
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

/* --- the way back --- */

static const ws_map_piece *pieces(uint32_t *count)
{
    *count = (uint32_t)(n.pieces.len / sizeof(ws_map_piece));
    return (const ws_map_piece *)(const void *)n.pieces.data;
}

static int is_start(ws_str text, size_t at)
{
    size_t i = 0;
    for (uint32_t c; i < at;)
        i += ws_utf8_decode(text, i, &c);
    return i == at;
}

static int is_same_but_for_case(ws_str out, ws_str in)
{
    for (size_t i = 0; i < in.len; i++) {
        char c = in.ptr[i];
        if (out.ptr[i] != (char)(c >= 'A' && c <= 'Z' ? c + 32 : c))
            return 0;
    }
    return out.len == in.len;
}

/* The pieces tile both texts: no hole, no overlap, cuts between code points only. */
static void check_pieces(ws_str text, ws_str out, uint64_t seed)
{
    uint32_t count, in_at = 0;
    const ws_map_piece *p = pieces(&count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t out_end = i + 1 < count ? p[i + 1].out : (uint32_t)out.len;
        if (p[i].in != in_at || p[i].out > out_end || (i == 0 && p[i].out) ||
            !is_start(text, p[i].in) || !is_start(out, p[i].out))
            fail_at("a piece", text, seed);
        in_at += p[i].in_length;
        if (p[i].linear && !is_same_but_for_case(ws_str_sub(out, p[i].out, out_end),
                                                 ws_str_sub(text, p[i].in, in_at)))
            fail_at("a linear piece", text, seed);
    }
    if (in_at != text.len)
        fail_at("the pieces end elsewhere", text, seed);
}

static int contains(ws_str text, ws_str part)
{
    for (size_t i = 0; i + part.len <= text.len; i++)
        if (memcmp(text.ptr + i, part.ptr, part.len) == 0)
            return 1;
    return 0;
}

/* The original of an output range normalises to a text that holds the range, wherever the walk
 * began. */
static void check_range(ws_str text, ws_str out, size_t from, size_t to, uint32_t *hint,
                        uint64_t seed)
{
    uint32_t start, end, other_start, other_end, zero = 0;
    ws_normalizer_original(&n, (uint32_t)from, (uint32_t)to, hint, &start, &end);
    ws_normalizer_original(&n, (uint32_t)from, (uint32_t)to, &zero, &other_start, &other_end);
    if (start != other_start || end != other_end)
        fail_at("the hint matters", text, seed);
    if (start >= end || end > text.len || !is_start(text, start) || !is_start(text, end))
        fail_at("a range", text, seed);
    if (!contains(run(&again, ws_str_sub(text, start, end)), ws_str_sub(out, from, to)))
        fail_at("a range leads to other bytes", text, seed);
}

static size_t next_start(ws_str text, size_t at)
{
    uint32_t c;
    return at < text.len ? at + ws_utf8_decode(text, at, &c) : at;
}

/* One code point after the other: starts and ends never go back. */
static void check_monotone(ws_str text, ws_str out, uint64_t seed)
{
    uint32_t start, end, last_start = 0, last_end = 0, hint = 0;
    for (size_t at = 0, to; at < out.len; at = to) {
        to = next_start(out, at);
        check_range(text, out, at, to, &hint, seed);
        ws_normalizer_original(&n, (uint32_t)at, (uint32_t)to, &hint, &start, &end);
        if (start < last_start || end < last_end)
            fail_at("a step back", text, seed);
        last_start = start;
        last_end = end;
    }
}

Test(normalize, ranges_lead_back_to_their_bytes, .init = open_both, .fini = close_both)
{
    ws_rng rng = ws_rng_seeded(23);
    char bytes[128];
    for (int round = 0; round < 6000; round++) {
        ws_str text = ws_str_make(bytes, random_text(&rng, bytes));
        ws_str out = run(&n, text);
        uint32_t hint = 0;
        check_pieces(text, out, rng.seed);
        check_monotone(text, out, rng.seed);
        for (int i = 0; i < 5 && out.len; i++) {
            size_t from = ws_utf8_floor(out, ws_rng_below(&rng, out.len));
            size_t to = ws_utf8_ceil(out, ws_rng_between(&rng, from + 1, out.len));
            check_range(text, out, from, to, &hint, rng.seed);
        }
    }
}
