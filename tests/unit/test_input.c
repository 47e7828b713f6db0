/* Inputs against their own bytes: every kind, cut and damaged ones included. */
#define _XOPEN_SOURCE 700
#include "indexer/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

static char dir[WS_TMPDIR_CAP], path[WS_TMPDIR_CAP + 16];

static void setup(void)
{
    ws_tmpdir_make(dir);
    ws_tmpdir_path(path, sizeof path, dir, "file");
}

static void teardown(void)
{
    ws_tmpdir_remove(dir);
}

/* Words that compress about as text does. */
static void make_text(ws_buf *out, size_t n)
{
    ws_rng rng = ws_rng_seeded(20261201);
    ws_buf_init(out);
    while (out->len < n)
        ws_buf_printf(out, "word%u ", (unsigned)ws_rng_skewed(&rng, 16));
    cr_assert_eq(ws_buf_status(out), WS_OK);
}

static void add_zstd(ws_buf *out, const void *data, size_t n, int level, int window_log,
                     int with_size)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    size_t bound = ZSTD_compressBound(n) + 64;
    uint8_t *to = malloc(bound);
    ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, with_size);
    if (window_log)
        ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log);
    size_t packed = 0;
    if (with_size) {
        packed = ZSTD_compress2(c, to, bound, data, n);
    } else {
        ZSTD_outBuffer o = {to, bound, 0};
        ZSTD_inBuffer in = {data, n, 0}, none = {NULL, 0, 0};
        cr_assert_not(ZSTD_isError(ZSTD_compressStream2(c, &o, &in, ZSTD_e_continue)));
        cr_assert_eq(ZSTD_compressStream2(c, &o, &none, ZSTD_e_end), 0u);
        packed = o.pos;
    }
    cr_assert_not(ZSTD_isError(packed));
    ws_buf_append(out, to, packed);
    free(to);
    ZSTD_freeCCtx(c);
}

static void add_gzip(ws_buf *out, const void *data, size_t n)
{
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t bound = deflateBound(&z, (unsigned long)n);
    uint8_t *to = ws_buf_extend(out, bound);
    z.next_in = (uint8_t *)(uintptr_t)data;
    z.avail_in = (unsigned)n;
    z.next_out = to;
    z.avail_out = (unsigned)bound;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->len -= z.avail_out;
    deflateEnd(&z);
}

/* Reads to the end or to an error, in pieces of `step`; returns the last status. */
static ws_status read_all(ws_input *in, size_t step, ws_buf *out, ws_error *error)
{
    ws_buf_init(out);
    for (;;) {
        size_t n;
        uint8_t *to = ws_buf_extend(out, step);
        ws_status status = ws_input_read(in, to, step, &n, error);
        out->len -= step - n;
        if (status || n == 0)
            return status;
    }
}

static void expect_file(const char *name, const ws_buf *expected, uint32_t kind)
{
    static const size_t steps[] = {1000, 65536, 1 << 20};
    ws_input *in;
    ws_error error;
    ws_buf got;
    for (size_t i = 0; i < WS_ARRAY_LEN(steps); i++) {
        cr_assert_eq(ws_input_open(&in, name, NULL, &error), WS_OK);
        cr_assert_eq(ws_input_kind(in), kind);
        cr_assert_eq(read_all(in, steps[i], &got, &error), WS_OK, "%s", error.message);
        cr_assert_eq(got.len, expected->len);
        if (got.len)
            cr_assert_arr_eq(got.data, expected->data, got.len);
        cr_assert_eq(ws_input_stream_offset(in), got.len);
        cr_assert_eq(ws_input_file_offset(in), ws_input_identify(in).size);
        ws_buf_fini(&got);
        ws_input_close(in);
    }
}

Test(input, plain_file, .init = setup, .fini = teardown)
{
    ws_buf text;
    make_text(&text, 300000);
    ws_tmpdir_write(path, text.data, text.len);
    expect_file(path, &text, WS_INPUT_PLAIN);
    ws_buf_fini(&text);
}

Test(input, empty_file_is_an_empty_stream, .init = setup, .fini = teardown)
{
    ws_buf none;
    ws_buf_init(&none);
    ws_tmpdir_write(path, "", 0);
    expect_file(path, &none, WS_INPUT_PLAIN);
}

Test(input, zstd_frames_and_skippable_ones_are_one_stream, .init = setup, .fini = teardown)
{
    ws_buf text, file;
    make_text(&text, 400000);
    ws_buf_init(&file);
    add_zstd(&file, text.data, 100000, 3, 0, 1);
    ws_buf_u32le(&file, 0x184D2A53);
    ws_buf_u32le(&file, 5);
    ws_buf_append(&file, "hello", 5);
    add_zstd(&file, text.data + 100000, 0, 3, 0, 1);
    add_zstd(&file, text.data + 100000, text.len - 100000, 1, 0, 0);
    ws_tmpdir_write(path, file.data, file.len);
    expect_file(path, &text, WS_INPUT_ZSTD);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
}

Test(input, zstd_with_a_long_window, .init = setup, .fini = teardown)
{
    ws_buf text, file;
    ws_input *in;
    ws_error error;
    make_text(&text, 200000);
    ws_buf_init(&file);
    add_zstd(&file, text.data, text.len, 1, 27, 0);
    ws_tmpdir_write(path, file.data, file.len);
    expect_file(path, &text, WS_INPUT_ZSTD);
    ws_input_options options = {.decoder_memory = 64u << 20};
    cr_assert_eq(ws_input_open(&in, path, &options, &error), WS_ERR_LIMIT);
    cr_assert_null(in);
    cr_assert_not_null(strstr(error.message, "129 MiB"), "%s", error.message);
    options.decoder_memory = 130u << 20;
    cr_assert_eq(ws_input_open(&in, path, &options, &error), WS_OK);
    cr_assert_eq(ws_input_decoder_memory(in), (128u << 20) + (1u << 20));
    ws_input_close(in);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
}

Test(input, zstd_window_beyond_27_bits_is_refused, .init = setup, .fini = teardown)
{
    /* magic, descriptor (no single segment, no size), window descriptor exponent 18: 2^28 */
    static const uint8_t header[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 18 << 3, 1, 0, 0};
    ws_input *in;
    ws_error error;
    ws_tmpdir_write(path, header, sizeof header);
    cr_assert_eq(ws_input_open(&in, path, NULL, &error), WS_ERR_LIMIT);
    cr_assert_not_null(strstr(error.message, "256 MiB"), "%s", error.message);
}

Test(input, a_later_frame_with_a_window_that_is_too_large_ends_the_stream, .init = setup,
     .fini = teardown)
{
    ws_buf text, file, got;
    ws_input *in;
    ws_error error;
    make_text(&text, 50000);
    ws_buf_init(&file);
    add_zstd(&file, text.data, text.len, 1, 0, 1);
    size_t first = file.len;
    add_zstd(&file, text.data, text.len, 1, 26, 0);
    ws_tmpdir_write(path, file.data, file.len);
    ws_input_options options = {.decoder_memory = 16u << 20};
    cr_assert_eq(ws_input_open(&in, path, &options, &error), WS_OK);
    cr_assert_eq(read_all(in, 65536, &got, &error), WS_ERR_LIMIT);
    cr_assert_eq(got.len, text.len);
    cr_assert_eq(error.offset, first);
    ws_input_close(in);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
    ws_buf_fini(&got);
}

Test(input, gzip_members_and_padding_are_one_stream, .init = setup, .fini = teardown)
{
    ws_buf text, file;
    make_text(&text, 500000);
    ws_buf_init(&file);
    add_gzip(&file, text.data, 1000);
    add_gzip(&file, text.data + 1000, text.len - 1000);
    add_gzip(&file, "", 0);
    ws_buf_append(&file, "\0\0\0\0\0", 5);
    ws_tmpdir_write(path, file.data, file.len);
    expect_file(path, &text, WS_INPUT_GZIP);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
}

Test(input, gzip_with_other_bytes_behind_it_delivers_the_data_first, .init = setup,
     .fini = teardown)
{
    ws_buf text, file, got;
    ws_input *in;
    ws_error error;
    make_text(&text, 10000);
    ws_buf_init(&file);
    add_gzip(&file, text.data, text.len);
    size_t end = file.len;
    ws_buf_append(&file, "junk", 4);
    ws_tmpdir_write(path, file.data, file.len);
    cr_assert_eq(ws_input_open(&in, path, NULL, &error), WS_OK);
    cr_assert_eq(read_all(in, 65536, &got, &error), WS_ERR_CORRUPT);
    cr_assert_eq(got.len, text.len);
    cr_assert_eq(error.offset, end);
    ws_input_close(in);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
    ws_buf_fini(&got);
}

/* Of a file that is cut at any byte comes a beginning of the text, then an error, or the end at a
 * frame's border. */
static void cut_everywhere(const ws_buf *file, const ws_buf *text, size_t border, uint32_t kind)
{
    ws_input *in;
    ws_error error;
    ws_buf got;
    for (size_t n = 4; n < file->len; n += n < 64 ? 1 : 37) {
        ws_tmpdir_write(path, file->data, n);
        cr_assert_eq(ws_input_open(&in, path, NULL, &error), WS_OK);
        cr_assert_eq(ws_input_kind(in), kind);
        ws_status status = read_all(in, 4096, &got, &error);
        cr_assert_eq(status, n == border ? WS_OK : WS_ERR_CORRUPT, "cut at %zu: %d", n, status);
        cr_assert_leq(got.len, text->len);
        if (got.len)
            cr_assert_arr_eq(got.data, text->data, got.len);
        if (status)
            cr_assert_leq(error.offset, n);
        size_t again;
        char byte;
        cr_assert_eq(ws_input_read(in, &byte, 1, &again, &error), status, "an error stays");
        ws_buf_fini(&got);
        ws_input_close(in);
    }
}

Test(input, cut_zstd, .init = setup, .fini = teardown)
{
    ws_buf text, file;
    make_text(&text, 20000);
    ws_buf_init(&file);
    add_zstd(&file, text.data, 5000, 3, 0, 1);
    size_t border = file.len;
    add_zstd(&file, text.data + 5000, text.len - 5000, 3, 0, 1);
    cut_everywhere(&file, &text, border, WS_INPUT_ZSTD);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
}

Test(input, cut_gzip, .init = setup, .fini = teardown)
{
    ws_buf text, file;
    make_text(&text, 20000);
    ws_buf_init(&file);
    add_gzip(&file, text.data, 5000);
    size_t border = file.len;
    add_gzip(&file, text.data + 5000, text.len - 5000);
    cut_everywhere(&file, &text, border, WS_INPUT_GZIP);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
}

/* A flipped bit anywhere gives the text or an error, never something else that counts as whole:
 * both formats carry checksums. */
static void flip_everywhere(ws_buf *file, const ws_buf *text)
{
    ws_rng rng = ws_rng_seeded(20261201);
    ws_input *in;
    ws_error error;
    ws_buf got;
    for (int i = 0; i < 400; i++) {
        size_t at = ws_rng_below(&rng, file->len);
        uint8_t bit = (uint8_t)(1u << ws_rng_below(&rng, 8));
        file->data[at] ^= bit;
        ws_tmpdir_write(path, file->data, file->len);
        ws_status status = ws_input_open(&in, path, NULL, &error);
        if (!status && ws_input_kind(in) != WS_INPUT_PLAIN) {
            status = read_all(in, 4096, &got, &error);
            if (status == WS_OK) {
                cr_assert_eq(got.len, text->len, "bit in byte %zu, seed %llu", at,
                             (unsigned long long)rng.seed);
                cr_assert_arr_eq(got.data, text->data, got.len, "bit in byte %zu", at);
            }
            ws_buf_fini(&got);
        }
        ws_input_close(in);
        file->data[at] ^= bit;
    }
}

Test(input, damaged_zstd, .init = setup, .fini = teardown)
{
    ws_buf text, file;
    make_text(&text, 20000);
    ws_buf_init(&file);
    add_zstd(&file, text.data, text.len, 3, 0, 1);
    flip_everywhere(&file, &text);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
}

Test(input, damaged_gzip, .init = setup, .fini = teardown)
{
    ws_buf text, file;
    make_text(&text, 20000);
    ws_buf_init(&file);
    add_gzip(&file, text.data, text.len);
    flip_everywhere(&file, &text);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
}

Test(input, skip_goes_to_a_place_and_says_when_it_is_not_there, .init = setup, .fini = teardown)
{
    ws_buf text, file, got;
    ws_input *in;
    ws_error error;
    make_text(&text, 100000);
    ws_buf_init(&file);
    add_zstd(&file, text.data, text.len, 3, 0, 1);
    ws_tmpdir_write(path, file.data, file.len);
    cr_assert_eq(ws_input_open(&in, path, NULL, &error), WS_OK);
    cr_assert_eq(ws_input_skip(in, 70001, &error), WS_OK);
    cr_assert_eq(read_all(in, 65536, &got, &error), WS_OK);
    cr_assert_eq(got.len, text.len - 70001);
    cr_assert_arr_eq(got.data, text.data + 70001, got.len);
    cr_assert_eq(ws_input_skip(in, text.len + 1, &error), WS_ERR_RANGE);
    ws_input_close(in);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
    ws_buf_fini(&got);
}

Test(input, standard_input_is_read_through_a_pipe, .init = setup, .fini = teardown)
{
    ws_buf text, file, got;
    ws_input *in;
    ws_error error;
    int ends[2], saved = dup(0);
    make_text(&text, 30000);
    ws_buf_init(&file);
    add_gzip(&file, text.data, text.len);
    cr_assert_lt(file.len, 60000u); /* fits the pipe */
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], file.data, file.len), (ssize_t)file.len);
    close(ends[1]);
    dup2(ends[0], 0);
    close(ends[0]);
    cr_assert_eq(ws_input_open(&in, "-", NULL, &error), WS_OK);
    cr_assert_eq(ws_input_kind(in), WS_INPUT_GZIP);
    cr_assert_eq(ws_input_identify(in).size, 0u);
    cr_assert_eq(read_all(in, 65536, &got, &error), WS_OK);
    cr_assert_eq(got.len, text.len);
    cr_assert_arr_eq(got.data, text.data, got.len);
    ws_input_close(in);
    dup2(saved, 0);
    close(saved);
    ws_buf_fini(&text);
    ws_buf_fini(&file);
    ws_buf_fini(&got);
}

Test(input, stop_ends_the_reading, .init = setup, .fini = teardown)
{
    ws_buf text;
    ws_input *in;
    ws_error error;
    char buffer[300000];
    size_t n;
    atomic_int stop = 0;
    make_text(&text, 400000);
    ws_tmpdir_write(path, text.data, text.len);
    ws_input_options options = {.stop = &stop};
    cr_assert_eq(ws_input_open(&in, path, &options, &error), WS_OK);
    cr_assert_eq(ws_input_read(in, buffer, sizeof buffer, &n, &error), WS_OK);
    cr_assert_gt(n, 0u);
    atomic_store(&stop, 1);
    cr_assert_eq(ws_input_read(in, buffer, sizeof buffer, &n, &error), WS_ERR_CANCELLED);
    ws_input_close(in);
    ws_buf_fini(&text);
}

Test(input, identity_tells_files_apart, .init = setup, .fini = teardown)
{
    ws_input *in;
    ws_tmpdir_write(path, "one", 3);
    cr_assert_eq(ws_input_open(&in, path, NULL, NULL), WS_OK);
    ws_input_identity one = ws_input_identify(in);
    ws_input_close(in);
    ws_tmpdir_write(path, "two", 3);
    cr_assert_eq(ws_input_open(&in, path, NULL, NULL), WS_OK);
    ws_input_identity two = ws_input_identify(in);
    ws_input_close(in);
    cr_assert_eq(one.size, two.size);
    cr_assert_neq(one.hash, two.hash);
}

Test(input, what_is_not_there_is_said, .init = setup, .fini = teardown)
{
    ws_input *in;
    ws_error error;
    cr_assert_eq(ws_input_open(&in, path, NULL, &error), WS_ERR_NOT_FOUND);
    cr_assert_null(in);
    cr_assert_str_eq(error.path, path);
    cr_assert_eq(ws_input_open(&in, dir, NULL, &error), WS_ERR_IO, "a directory");
}
