/* Readers of cache traces: every format, told by itself and by name, plain and compressed; and the
 * replay's LRU. */
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "indexer/input.h"
#include "indexer/trace.h"
#include "indexer/trace_lru.h"
#include "tests/support/cache_model.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

static char dir[WS_TMPDIR_CAP], path[WS_TMPDIR_CAP + 16];

static void setup(void)
{
    ws_tmpdir_make(dir);
    ws_tmpdir_path(path, sizeof path, dir, "trace");
}

static void teardown(void)
{
    ws_tmpdir_remove(dir);
}

/* All ids of a trace; returns the status that ended it. */
static ws_status read_all(uint32_t format, uint64_t *ids, uint32_t cap, uint32_t *n, uint32_t *told,
                          ws_error *error)
{
    ws_trace *t;
    *n = 0;
    ws_status status = ws_trace_open(&t, path, format, error);
    if (status)
        return status;
    *told = ws_trace_format(t);
    while (!(status = ws_trace_next(t, &ids[*n], error)))
        cr_assert_lt(++*n, cap);
    ws_trace_close(t);
    return status;
}

static void expect_ids(uint32_t format, const void *bytes, size_t size, const uint64_t *wanted,
                       uint32_t n_wanted)
{
    static uint64_t ids[20000];
    ws_error error = {0};
    uint32_t n, told = 0;
    ws_tmpdir_write(path, bytes, size);
    for (uint32_t asked = 0; asked <= format; asked += format) {
        cr_assert_eq(read_all(asked, ids, 20000, &n, &told, &error), WS_ERR_NOT_FOUND, "%s",
                     error.message);
        cr_assert_eq(told, format, "told %u, is %u", told, format);
        cr_assert_eq(n, n_wanted);
        cr_assert_arr_eq(ids, wanted, n * sizeof *ids);
    }
}

#define EXPECT_TEXT(format, text, ...)                                                             \
 do {                                                                                              \
  const uint64_t wanted_[] = {__VA_ARGS__};                                                        \
  expect_ids(format, text, sizeof text - 1, wanted_, (uint32_t)WS_ARRAY_LEN(wanted_));             \
 } while (0)

Test(cache_trace, text_formats, .init = setup, .fini = teardown)
{
    EXPECT_TEXT(WS_TRACE_LIRS, "5\n7\r\n\n*\n5", 5, 7, 5);
    EXPECT_TEXT(WS_TRACE_ARC, "10 3 0 0\n7 1 0 1\n", 10, 11, 12, 7);
    EXPECT_TEXT(WS_TRACE_ADDRESS, "s 0x1fFffff50 1\nl 0x10 6\n", 0x1ffffff50, 0x10);
    EXPECT_TEXT(WS_TRACE_SIZES, "1 42 100\n2 43 7\n3 42 100\n", 42, 43, 42);
}

static void add_be(ws_buf *b, uint64_t id, uint32_t bytes)
{
    for (uint32_t i = bytes; i-- > 0;)
        ws_buf_u8(b, (uint8_t)(id >> (8 * i)));
}

Test(cache_trace, binary_formats, .init = setup, .fini = teardown)
{
    enum { N = 3000 };
    static uint64_t small[N], large[N];
    ws_rng rng = ws_rng_seeded(1);
    ws_buf be32, be64, hashed, oracle;
    ws_buf_init(&be32);
    ws_buf_init(&be64);
    ws_buf_init(&hashed);
    ws_buf_init(&oracle);
    for (uint32_t i = 0; i < N; i++) {
        small[i] = ws_rng_below(&rng, 100000);
        large[i] = ws_rng_u64(&rng);
        add_be(&be32, small[i], 4);
        add_be(&be64, small[i], 8);
        add_be(&hashed, large[i], 8);
        ws_buf_u32le(&oracle, 1000 + i / 7);
        ws_buf_u64le(&oracle, large[i]);
        ws_buf_u32le(&oracle, 4096);
        ws_buf_u64le(&oracle, UINT64_MAX);
    }
    expect_ids(WS_TRACE_BE32, be32.data, be32.len, small, N);
    expect_ids(WS_TRACE_BE64, be64.data, be64.len, small, N);
    expect_ids(WS_TRACE_BE64, hashed.data, hashed.len, large, N);
    expect_ids(WS_TRACE_ORACLE, oracle.data, oracle.len, large, N);
    ws_buf_fini(&be32);
    ws_buf_fini(&be64);
    ws_buf_fini(&hashed);
    ws_buf_fini(&oracle);
}

Test(cache_trace, damage_is_told_with_its_place, .init = setup, .fini = teardown)
{
    static uint64_t ids[100];
    ws_error error = {0};
    uint32_t n, told;
    ws_tmpdir_write(path, "1\n2\nthree\n", 10);
    cr_assert_eq(read_all(WS_TRACE_LIRS, ids, 100, &n, &told, &error), WS_ERR_CORRUPT);
    cr_assert_eq(n, 2u);
    cr_assert_eq(error.offset, 4u);
    ws_tmpdir_write(path, "\0\0\0\1\0\0", 6);
    cr_assert_eq(read_all(WS_TRACE_BE32, ids, 100, &n, &told, &error), WS_ERR_CORRUPT);
    cr_assert_eq(n, 1u);
    ws_tmpdir_write(path, "", 0);
    cr_assert_eq(read_all(WS_TRACE_AUTO, ids, 100, &n, &told, &error), WS_ERR_NOT_FOUND);
    ws_tmpdir_path(path, sizeof path, dir, "missing");
    cr_assert_eq(read_all(WS_TRACE_AUTO, ids, 100, &n, &told, &error), WS_ERR_NOT_FOUND);
    cr_assert_neq(error.message[0], '\0');
}

/* --- xz --- */

static size_t pack(const void *data, size_t n, uint8_t *out, size_t cap)
{
    size_t at = 0;
    cr_assert_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, data, n, out, &at, cap),
                 LZMA_OK);
    return at;
}

static ws_status read_input(size_t cap, const ws_input_options *options, ws_buf *out,
                            ws_error *error)
{
    ws_input *in;
    size_t n = 1;
    ws_buf_clear(out);
    ws_status status = ws_input_open(&in, path, options, error);
    if (status)
        return status;
    cr_assert_str_eq(ws_input_kind_name(ws_input_kind(in)), "xz");
    while (!status && n) {
        uint8_t *to = ws_buf_extend(out, cap);
        status = ws_input_read(in, to, cap, &n, error);
        out->len -= cap - n;
    }
    ws_input_close(in);
    return status;
}

Test(cache_trace, xz_is_read_whole_cut_and_damaged, .init = setup, .fini = teardown)
{
    enum { N = 300000 };
    uint8_t *text = malloc(N), *packed = malloc(2 * N);
    ws_error error = {0};
    ws_rng rng = ws_rng_seeded(2);
    ws_buf out;
    ws_buf_init(&out);
    for (uint32_t i = 0; i < N; i++)
        text[i] = (uint8_t)ws_rng_skewed(&rng, 7);
    size_t first = pack(text, N / 2, packed, 2 * N);
    size_t both = first + pack(text + N / 2, N - N / 2, packed + first, 2 * N - first);
    ws_tmpdir_write(path, packed, both); /* two streams are one */
    for (size_t cap = 1000; cap <= 100000; cap *= 10) {
        cr_assert_eq(read_input(cap, NULL, &out, &error), WS_OK, "%s", error.message);
        cr_assert_eq(out.len, N);
        cr_assert_arr_eq(out.data, text, N);
    }
    ws_input_options little = {1 << 10, NULL};
    cr_assert_eq(read_input(1000, &little, &out, &error), WS_ERR_LIMIT);
    for (uint32_t i = 0; i < 30; i++) {
        size_t cut = 6 + ws_rng_below(&rng, both - 6);
        ws_tmpdir_write(path, packed, cut);
        ws_status status = read_input(5000, NULL, &out, &error);
        cr_assert(status == WS_ERR_CORRUPT || (status == WS_OK && cut == first), "cut at %zu", cut);
        cr_assert(out.len <= N && memcmp(out.data, text, out.len) == 0);
        packed[cut] ^= 0x55;
        ws_tmpdir_write(path, packed, both);
        cr_assert_eq(read_input(5000, NULL, &out, &error), WS_ERR_CORRUPT, "damaged at %zu", cut);
        packed[cut] ^= 0x55;
    }
    ws_buf_fini(&out);
    free(text);
    free(packed);
}

/* --- LRU --- */

Test(cache_trace, the_replays_lru_is_exact)
{
    enum { N = 50000, IDS = 700 };
    static uint32_t ids[N];
    ws_rng rng = ws_rng_seeded(3);
    for (uint32_t i = 0; i < N; i++)
        ids[i] = (uint32_t)(ws_rng_below(&rng, IDS) * ws_rng_below(&rng, IDS) / IDS);
    for (uint32_t entries = 1; entries <= 1000; entries *= 10) {
        ws_trace_lru *l = ws_trace_lru_new(entries);
        uint64_t hits = 0;
        for (uint32_t i = 0; i < N; i++)
            hits += (uint64_t)ws_trace_lru_ask(l, ids[i] * (uint64_t)0x100000001);
        cr_assert_eq(hits, ws_reference_lru(ids, N, IDS, entries));
        ws_trace_lru_free(l);
    }
}
