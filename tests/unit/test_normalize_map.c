/* The way back from normalised text: pieces that tile both texts, and ranges that lead to the bytes
 * they came from. */
#include "engine/text/normalize.h"

#include <string.h>

#include "base/str.h"
#include "tests/support/random_text.h"
#include "tests/support/test.h"

static ws_normalizer n, again; /* `again` normalises what `n` says was the original */

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

static void fail_at(const char *what, ws_str text, uint64_t seed)
{
    cr_assert_fail("%s: seed %llu, text %s", what, (unsigned long long)seed, ws_hex(text));
}

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

typedef struct {
    uint32_t start, end;
} range;

static range original(size_t from, size_t to, uint32_t *hint)
{
    range r;
    ws_normalizer_original(&n, (uint32_t)from, (uint32_t)to, hint, &r.start, &r.end);
    return r;
}

static size_t next_start(ws_str text, size_t at)
{
    uint32_t c;
    return at < text.len ? at + ws_utf8_decode(text, at, &c) : at;
}

/* The piece that made the output byte at `at`, by looking at all of them. */
static ws_map_piece piece_of(uint32_t at)
{
    uint32_t count, i = 0;
    const ws_map_piece *p = pieces(&count);
    while (i + 1 < count && p[i + 1].out <= at)
        i++;
    return p[i];
}

/* What one output code point came from: its own bytes, or all that its cluster came from. */
static range origin_of(uint32_t at, uint32_t to)
{
    ws_map_piece p = piece_of(at);
    if (!p.linear)
        return (range){p.in, p.in + p.in_length};
    return (range){p.in + at - p.out, p.in + to - p.out};
}

/* One code point after the other: never back, and each from its own bytes. */
static void check_code_points(ws_str text, ws_str out, uint64_t seed)
{
    range last = {0, 0};
    uint32_t hint = 0;
    for (size_t at = 0, to; at < out.len; at = to) {
        to = next_start(out, at);
        range r = original(at, to, &hint), want = origin_of((uint32_t)at, (uint32_t)to);
        if (r.start != want.start || r.end != want.end)
            fail_at("a code point from elsewhere", text, seed);
        if (r.start < last.start || r.end < last.end)
            fail_at("a step back", text, seed);
        last = r;
    }
}

/* A range begins where its first code point came from and ends where its last one did, whatever the
 * hint; that original normalises to a text that holds the range. */
static void check_range(ws_str text, ws_str out, size_t from, size_t to, uint32_t *hint,
                        uint64_t seed)
{
    uint32_t zero = 0;
    range r = original(from, to, hint), unhinted = original(from, to, &zero);
    range first = origin_of((uint32_t)from, (uint32_t)next_start(out, from));
    range last = origin_of((uint32_t)ws_utf8_floor(out, to - 1), (uint32_t)to);
    if (r.start != unhinted.start || r.end != unhinted.end)
        fail_at("the hint matters", text, seed);
    if (r.start != first.start || r.end != last.end)
        fail_at("a range of other bytes than its code points", text, seed);
    if (r.start >= r.end || r.end > text.len || !is_start(text, r.start) || !is_start(text, r.end))
        fail_at("a range inside a code point", text, seed);
    if (!contains(run(&again, ws_str_sub(text, r.start, r.end)), ws_str_sub(out, from, to)))
        fail_at("an original that gives another text", text, seed);
}

Test(normalize_map, pieces_tile_both_texts, .init = open_both, .fini = close_both)
{
    ws_rng rng = ws_rng_seeded(24);
    char bytes[WS_RANDOM_TEXT_MAX];
    for (int round = 0; round < 20000; round++) {
        ws_str text = ws_str_make(bytes, ws_random_text(&rng, bytes));
        ws_str out = run(&n, text);
        check_pieces(text, out, rng.seed);
        check_code_points(text, out, rng.seed);
    }
}

Test(normalize_map, ranges_lead_back_to_their_bytes, .init = open_both, .fini = close_both)
{
    ws_rng rng = ws_rng_seeded(23);
    char bytes[WS_RANDOM_TEXT_MAX];
    for (int round = 0; round < 6000; round++) {
        ws_str text = ws_str_make(bytes, ws_random_text(&rng, bytes));
        ws_str out = run(&n, text);
        uint32_t hint = 0;
        for (int i = 0; i < 8 && out.len; i++) {
            size_t from = ws_utf8_floor(out, ws_rng_below(&rng, out.len));
            size_t to = ws_utf8_ceil(out, ws_rng_between(&rng, from + 1, out.len));
            check_range(text, out, from, to, &hint, rng.seed);
        }
    }
}

Test(normalize_map, offsets_by_example, .init = open_both, .fini = close_both)
{
    ws_str text = WS_STR("AB\xc2\xad"
                         "e\xcc\x81㎞한\xff"); /* A B shy e acute km han invalid */
    uint32_t hint = 0;
    ws_str out = run(&n, text);
    cr_assert(ws_str_eq(out, WS_STR("abékm한\xef\xbf\xbd")));
    static const uint32_t rows[][4] = {
        {0, 1, 0, 1},  {1, 2, 1, 4},   {2, 4, 4, 7},    {4, 5, 7, 10},
        {5, 6, 7, 10}, {6, 9, 10, 13}, {9, 12, 13, 14}, {0, 12, 0, 14},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        range r = original(rows[i][0], rows[i][1], &hint);
        cr_expect(r.start == rows[i][2] && r.end == rows[i][3], "%u to %u: %u to %u", rows[i][0],
                  rows[i][1], r.start, r.end);
    }
}
