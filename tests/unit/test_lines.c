/* The splitter against a plain walk over the whole text, and the format `lines`. */
#include "indexer/lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
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

/* Checks every line of `text` against what a plain walk finds. */
static void compare(const ws_buf *text, size_t line_max, unsigned long long seed)
{
    ws_input *in;
    ws_splitter *s;
    ws_line line;
    ws_error error;
    ws_tmpdir_write(path, text->data ? (const void *)text->data : "", text->len);
    cr_assert_eq(ws_input_open(&in, path, NULL, &error), WS_OK);
    cr_assert_eq(ws_splitter_new(&s, in, line_max), WS_OK);
    const char *all = (const char *)text->data;
    for (size_t at = 0; at < text->len;) {
        const char *nl = memchr(all + at, '\n', text->len - at);
        size_t end = nl ? (size_t)(nl - all) : text->len, n = end - at;
        cr_assert_eq(ws_splitter_next(s, &line, &error), WS_OK, "at %zu, seed %llu", at, seed);
        cr_assert_eq(line.offset, at, "seed %llu", seed);
        cr_assert_eq(line.length, n + (nl != NULL), "at %zu, seed %llu", at, seed);
        cr_assert_eq(line.too_long, n > line_max, "at %zu, seed %llu", at, seed);
        if (!line.too_long) {
            size_t kept = n && all[end - 1] == '\r' ? n - 1 : n;
            cr_assert(ws_str_eq(line.bytes, ws_str_make(all + at, kept)), "at %zu, seed %llu", at,
                      seed);
        }
        at = end + (nl != NULL);
    }
    cr_assert_eq(ws_splitter_next(s, &line, &error), WS_ERR_NOT_FOUND, "seed %llu", seed);
    cr_assert_eq(ws_splitter_next(s, &line, &error), WS_ERR_NOT_FOUND, "seed %llu", seed);
    ws_splitter_free(s);
    ws_input_close(in);
}

static void random_text(ws_buf *out, ws_rng *rng, size_t n)
{
    static const char *const ends[] = {"\n", "\n", "\r\n", "\n\n", "\r\r\n"};
    ws_buf_init(out);
    while (out->len < n) {
        size_t bytes = (size_t)ws_rng_skewed(rng, 12);
        memset(ws_buf_extend(out, bytes), 'a' + (int)ws_rng_below(rng, 26), bytes);
        ws_buf_cstr(out, ends[ws_rng_below(rng, 5)]);
    }
    if (ws_rng_below(rng, 2))
        ws_buf_cstr(out, "the last line has no end");
}

Test(lines, random_texts, .init = setup, .fini = teardown)
{
    ws_rng rng = ws_rng_seeded(7);
    for (int i = 0; i < 60; i++) {
        ws_buf text;
        random_text(&text, &rng, (size_t)ws_rng_skewed(&rng, 19));
        compare(&text, (size_t)ws_rng_between(&rng, 1, 5000), (unsigned long long)rng.seed);
        ws_buf_fini(&text);
    }
}

Test(lines, lines_longer_than_any_buffer, .init = setup, .fini = teardown)
{
    ws_buf text;
    ws_buf_init(&text);
    static const size_t lengths[] = {3000000, 5, 0, 1000000, 1000001, 1000000, 2000000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memset(ws_buf_extend(&text, lengths[i]), 'x', lengths[i]);
        ws_buf_u8(&text, '\n');
    }
    compare(&text, 1000000, 0);
    compare(&text, 100, 0);
    ws_buf_fini(&text);
}

Test(lines, nothing_and_almost_nothing, .init = setup, .fini = teardown)
{
    static const char *const texts[] = {"", "\n", "\r\n", "a", "\r", "\n\n\n", "a\n\nb"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ws_buf text;
        ws_buf_init(&text);
        ws_buf_cstr(&text, texts[i]);
        compare(&text, 10, 0);
        ws_buf_fini(&text);
    }
}

Test(lines, a_byte_order_mark_is_dropped_and_offsets_stay_true, .init = setup, .fini = teardown)
{
    ws_input *in;
    ws_splitter *s;
    ws_line line;
    ws_tmpdir_write(path, "\xEF\xBB\xBF{}\n\xEF\xBB\xBF\n", 10);
    cr_assert_eq(ws_input_open(&in, path, NULL, NULL), WS_OK);
    cr_assert_eq(ws_splitter_new(&s, in, 100), WS_OK);
    cr_assert_eq(ws_splitter_next(s, &line, NULL), WS_OK);
    cr_assert(ws_str_eq(line.bytes, WS_STR("{}")));
    cr_assert_eq(line.offset, 3u);
    cr_assert_eq(ws_splitter_next(s, &line, NULL), WS_OK);
    cr_assert_eq(line.offset, 6u);
    cr_assert_eq(line.bytes.len, 3u, "only at the very beginning");
    ws_splitter_free(s);
    ws_input_close(in);
}

Test(lines, what_is_left_before_an_error_is_no_line, .init = setup, .fini = teardown)
{
    /* gzip of "one\ntwo\nthree" without its last 8 bytes: the checksum is missing */
    static const uint8_t gz[] = {0x1f, 0x8b, 8,    0,    0,    0,   0,   0,   0,    3,
                                 1,    13,   0,    0xf2, 0xff, 'o', 'n', 'e', '\n', 't',
                                 'w',  'o',  '\n', 't',  'h',  'r', 'e', 'e'};
    ws_input *in;
    ws_splitter *s;
    ws_line line;
    ws_error error;
    ws_tmpdir_write(path, gz, sizeof gz);
    cr_assert_eq(ws_input_open(&in, path, NULL, &error), WS_OK);
    cr_assert_eq(ws_splitter_new(&s, in, 100), WS_OK);
    cr_assert_eq(ws_splitter_next(s, &line, &error), WS_OK);
    cr_assert(ws_str_eq(line.bytes, WS_STR("one")));
    cr_assert_eq(ws_splitter_next(s, &line, &error), WS_OK);
    cr_assert(ws_str_eq(line.bytes, WS_STR("two")));
    cr_assert_eq(ws_splitter_next(s, &line, &error), WS_ERR_CORRUPT);
    cr_assert_eq(ws_splitter_next(s, &line, &error), WS_ERR_CORRUPT, "and again");
    ws_splitter_free(s);
    ws_input_close(in);
}

Test(lines, a_line_becomes_a_document_of_the_last_text_field)
{
    ws_schema schema;
    ws_ingest_value value;
    ws_ingest_document document;
    char digits[24];
    ws_schema_init_default(&schema);
    cr_assert_eq(ws_lines_document(&schema, WS_STR("some text"), 18446744073709551615u, &value,
                                   digits, &document),
                 WS_OK);
    cr_assert(ws_str_eq(document.id, WS_STR("18446744073709551615")));
    cr_assert_eq(document.n_values, 1u);
    cr_assert_str_eq(schema.fields[document.values[0].field].name, "body");
    cr_assert(ws_str_eq(document.values[0].bytes, WS_STR("some text")));
    for (uint32_t i = 0; i < schema.n_fields; i++)
        schema.fields[i].type = WS_FIELD_STORED;
    cr_assert_eq(ws_lines_document(&schema, WS_STR("x"), 0, &value, digits, &document),
                 WS_ERR_SCHEMA);
}
