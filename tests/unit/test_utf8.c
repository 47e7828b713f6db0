/* UTF-8 against a decoder that is written from the definition: assemble the bits, then ask whether
 * the value may be written so. */
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

/* Bytes on both sides of every limit of the definition. */
static const uint8_t edges[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0,
                                0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0,
                                0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xfc, 0xfe, 0xff};
#define EDGES sizeof edges

static int is_scalar(uint32_t c)
{
    return c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

static size_t oracle_length(uint8_t lead)
{
    return lead < 0x80             ? 1
           : (lead & 0xe0) == 0xc0 ? 2
           : (lead & 0xf0) == 0xe0 ? 3
           : (lead & 0xf8) == 0xf0 ? 4
                                   : 0;
}

/* Length of the sequence at p, 0 when it is none. */
static size_t oracle_decode(const uint8_t *p, size_t left, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = oracle_length(p[0]);
    if (n == 0 || n > left)
        return 0;
    *c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (p[i] >> 6 != 2)
            return 0;
        *c = *c << 6 | (p[i] & 0x3f);
    }
    return is_scalar(*c) && *c >= least[n] ? n : 0;
}

/* The whole text by the definition; every step of the decoder under test is compared on the way. */
static int walk(ws_str text)
{
    int valid = 1;
    for (size_t at = 0, n; at < text.len; at += n) {
        uint32_t want = WS_REPLACEMENT, got = 0;
        const uint8_t *p = (const uint8_t *)text.ptr + at;
        size_t length = oracle_decode(p, text.len - at, &want);
        n = ws_utf8_decode(text, at, &got);
        if (!length) {
            valid = 0;
            want = WS_REPLACEMENT;
        }
        if (got != want || n != (length ? length : 1) ||
            ws_utf8_sequence(p, text.len - at) != length)
            cr_assert_fail("byte %zu of %zu (%02x): U+%04X in %zu, expected U+%04X in %zu", at,
                           text.len, p[0], got, n, want, length);
    }
    return valid;
}

/* In a block that ends where the text does: the sanitizer sees a read beyond it. */
static void compare(const uint8_t *bytes, size_t n, size_t align, uint64_t seed)
{
    char *block = malloc(align + n + (align + n == 0));
    if (n)
        memcpy(block + align, bytes, n);
    ws_str text = {block + align, n};
    int want = walk(text);
    if (!ws_utf8_valid(text) != !want)
        cr_assert_fail("%zu bytes at alignment %zu: expected %d, seed %llu", n, align, want,
                       (unsigned long long)seed);
    free(block);
}

Test(utf8, all_strings_of_one_and_two_bytes)
{
    for (unsigned i = 0; i < 256; i++) {
        uint8_t one = (uint8_t)i;
        compare(&one, 1, 0, 0);
        for (unsigned k = 0; k < 256; k++)
            compare((uint8_t[]){one, (uint8_t)k}, 2, 0, 0);
    }
}

Test(utf8, three_and_four_bytes_at_the_limits)
{
    for (size_t a = 0; a < EDGES; a++)
        for (size_t b = 0; b < EDGES; b++)
            for (size_t c = 0; c < EDGES; c++) {
                compare((uint8_t[]){edges[a], edges[b], edges[c]}, 3, 0, 0);
                for (size_t d = 0; d < EDGES && edges[a] >= 0xe0; d++)
                    compare((uint8_t[]){edges[a], edges[b], edges[c], edges[d]}, 4, 0, 0);
            }
}

/* Every lead with every second byte: where the second byte's range depends on the first. */
Test(utf8, long_leads_with_every_second_byte)
{
    for (unsigned lead = 0xe0; lead < 0x100; lead++)
        for (unsigned second = 0; second < 256; second++)
            for (unsigned third = 0x70; third < 0xd0; third++)
                compare((uint8_t[]){(uint8_t)lead, (uint8_t)second, (uint8_t)third, 0x80},
                        3 + (lead >= 0xf0), 0, 0);
}

/* One piece among ASCII at each place: the step of 8 bytes must neither jump over it nor begin
 * inside it. */
static void place_everywhere(ws_str piece)
{
    uint8_t text[64];
    for (size_t n = piece.len; n <= 36; n++)
        for (size_t at = 0; at + piece.len <= n; at++)
            for (size_t align = 0; align < 8; align++) {
                memset(text, 'a', n);
                memcpy(text + at, piece.ptr, piece.len);
                compare(text, n, align, 0);
            }
}

Test(utf8, the_fast_step_misses_nothing)
{
    static const ws_str pieces[] = {
        {"", 0},
        {"\x80", 1},
        {"\xff", 1},
        {"\xc3\xa9", 2},
        {"\xc3", 1},
        {"\xea\xb0\x80", 3},
        {"\xea\xb0", 2},
        {"\xed\xa0\x80", 3},
        {"\xc0\x80", 2},
        {"\x00", 1},
        {"\xe0\x9f\xbf", 3},
        {"\xf0\x9f\x98\x80", 4},
        {"\xf0\x9f", 2},
        {"\xf4\x90\x80\x80", 4},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(pieces); i++)
        place_everywhere(pieces[i]);
}

static uint32_t random_scalar(ws_rng *rng)
{
    uint32_t c;
    do
        c = (uint32_t)ws_rng_skewed(rng, 21);
    while (!is_scalar(c));
    return c;
}

static size_t random_text(ws_rng *rng, uint8_t *out, size_t cap)
{
    size_t n = 0, want = ws_rng_below(rng, cap - 3);
    while (n < want)
        n += ws_utf8_encode(random_scalar(rng), (char *)out + n);
    return n;
}

Test(utf8, random_and_mutated_texts)
{
    ws_rng rng = ws_rng_seeded(11);
    uint8_t text[96];
    for (int round = 0; round < 40000; round++) {
        size_t n = random_text(&rng, text, sizeof text);
        for (uint64_t changes = ws_rng_below(&rng, 4); n && changes > 0; changes--)
            text[ws_rng_below(&rng, n)] = edges[ws_rng_below(&rng, EDGES)];
        if (n && ws_rng_below(&rng, 4) == 0)
            n -= 1 + ws_rng_below(&rng, n < 3 ? n : 3);
        if (ws_rng_below(&rng, 8) == 0)
            ws_rng_fill(&rng, text, n);
        compare(text, n, ws_rng_below(&rng, 8), rng.seed);
    }
}

Test(utf8, every_scalar_value_comes_back)
{
    for (uint32_t c = 0; c <= 0x10ffff; c++) {
        char bytes[4];
        uint32_t back = ~c;
        if (!is_scalar(c))
            continue;
        size_t n = ws_utf8_encode(c, bytes);
        size_t want = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        ws_str text = {bytes, n};
        if (n != want || ws_utf8_decode(text, 0, &back) != n || back != c || !ws_utf8_valid(text))
            cr_assert_fail("U+%04X: %zu bytes, back U+%04X", c, n, back);
    }
}

/* Boundaries by the definition: the ends, and every byte but continuation bytes. */
static int is_boundary(ws_str text, size_t at)
{
    return at == 0 || at == text.len || ((uint8_t)text.ptr[at] & 0xc0) != 0x80;
}

static void check_steps(ws_str text, uint64_t seed)
{
    size_t count = 0, below = 0, above;
    for (size_t at = 0; at <= text.len; at++) {
        below = is_boundary(text, at) ? at : below;
        for (above = at; !is_boundary(text, above);)
            above++;
        if (ws_utf8_floor(text, at) != below || ws_utf8_ceil(text, at) != above)
            cr_assert_fail("byte %zu of %zu, seed %llu", at, text.len, (unsigned long long)seed);
        if (at < text.len && ((uint8_t)text.ptr[at] & 0xc0) != 0x80) {
            size_t skipped = ws_utf8_skip(text, count++);
            if (is_boundary(text, 0) && ((uint8_t)text.ptr[0] & 0xc0) != 0x80)
                cr_assert_eq(skipped, at, "code point %zu, seed %llu", count,
                             (unsigned long long)seed);
        }
    }
    cr_assert_eq(ws_utf8_count(text), count, "seed %llu", (unsigned long long)seed);
    cr_assert_eq(ws_utf8_skip(text, text.len + 1), text.len);
}

Test(utf8, steps_end_on_boundaries)
{
    ws_rng rng = ws_rng_seeded(12);
    uint8_t text[40];
    for (int round = 0; round < 1000; round++) {
        size_t n = random_text(&rng, text, sizeof text);
        check_steps((ws_str){(char *)text, n}, rng.seed);
        ws_rng_fill(&rng, text, n);
        check_steps((ws_str){(char *)text, n}, rng.seed);
    }
    check_steps((ws_str){NULL, 0}, rng.seed);
}
