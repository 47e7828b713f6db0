/* Token maps against arrays of offsets; what a merge does with segments that lack one. */
#include "tests/support/faults.h"
#include "tests/support/sample_index.h"
#include "tests/support/test.h"

#define DOCS   40u
#define MOST   300u
#define FIELDS 3u

typedef struct {
    uint32_t n[FIELDS][DOCS];
    uint32_t offsets[FIELDS][DOCS][MOST];
} model;

static model m; /* 140 KB */

static void make_model(uint64_t seed)
{
    ws_rng rng = ws_rng_seeded(seed);
    memset(&m, 0, sizeof m);
    for (uint32_t f = 0; f < FIELDS; f++)
        for (uint32_t d = 0; d < DOCS; d++) {
            uint64_t at = 0;
            m.n[f][d] = ws_rng_below(&rng, 3) ? (uint32_t)ws_rng_below(&rng, 20)
                                              : (uint32_t)ws_rng_below(&rng, MOST + 1);
            for (uint32_t i = 0; i < m.n[f][d]; i++) {
                at += ws_rng_skewed(&rng, 12);
                m.offsets[f][d][i] = (uint32_t)at;
            }
        }
}

/* Documents [from, to), maps for the fields whose bit is set in `fields`. */
static ws_segment *build(uint32_t from, uint32_t to, uint32_t fields)
{
    ws_stored_writer *w;
    ws_segment *segment;
    cr_assert_eq(ws_stored_writer_new(&w, NULL, NULL, SIZE_MAX, 3), WS_OK);
    for (uint32_t d = from; d < to; d++) {
        cr_assert_eq(ws_stored_writer_add(w, NULL, 0), WS_OK);
        for (uint32_t f = 0; f < FIELDS; f++)
            if (fields >> f & 1)
                cr_assert_eq(ws_stored_writer_add_map(w, f, m.offsets[f][d], m.n[f][d]), WS_OK);
    }
    ws_segment_out *out = sample_part_begin();
    cr_assert_eq(ws_stored_writer_finish(w, out), WS_OK);
    ws_stored_writer_free(w);
    cr_assert_eq(sample_part_end(out, to - from, 1, &segment), WS_OK);
    return segment;
}

static void expect_map(ws_segment *s, uint32_t field, uint32_t doc, const uint32_t *offsets,
                       uint32_t n)
{
    for (uint32_t position = 0; position < (n + 1) * WS_TOKEN_MAP_INTERVAL; position += 13) {
        uint32_t offset = 0, from = 0, i = position / WS_TOKEN_MAP_INTERVAL;
        ws_status status = ws_token_map_find(s, field, doc, position, &offset, &from);
        cr_assert_eq(status, i < n ? WS_OK : WS_ERR_NOT_FOUND, "position %u of %u", position, n);
        if (status)
            continue;
        cr_assert_eq(offset, offsets[i]);
        cr_assert_eq(from, i * WS_TOKEN_MAP_INTERVAL);
    }
}

Test(token_map, finds_every_entry)
{
    make_model(40);
    ws_segment *s = build(0, DOCS, 7);
    for (uint32_t f = 0; f < FIELDS; f++)
        for (uint32_t d = 0; d < DOCS; d++)
            expect_map(s, f, d, m.offsets[f][d], m.n[f][d]);
    uint32_t offset, from;
    cr_assert_eq(ws_token_map_find(s, 5, 0, 0, &offset, &from), WS_ERR_NOT_FOUND, "no such map");
    cr_assert_eq(ws_token_map_find(s, WS_MAX_FIELDS, 0, 0, &offset, &from), WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_token_map_find(s, 0, DOCS, 0, &offset, &from), WS_ERR_NOT_FOUND,
                 "no such document");
    ws_segment_unref(s);
}

Test(token_map, copies_of_segments_without_one_are_empty)
{
    /* A field has a map when any of the inputs has it. */
    static const uint32_t fields[4][2] = {{7, 7}, {0, 7}, {7, 0}, {1, 2}};
    make_model(41);
    for (size_t k = 0; k < WS_ARRAY_LEN(fields); k++) {
        ws_segment *parts[2] = {build(0, 15, fields[k][0]), build(15, DOCS, fields[k][1])}, *merged;
        ws_stored_writer *w;
        cr_assert_eq(ws_stored_writer_new(&w, NULL, NULL, SIZE_MAX, 3), WS_OK);
        for (uint32_t p = 0; p < 2; p++)
            for (uint32_t d = 0; d < parts[p]->meta.n_docs; d++)
                cr_assert_eq(ws_stored_writer_copy(w, parts[p], d), WS_OK);
        ws_segment_out *out = sample_part_begin();
        cr_assert_eq(ws_stored_writer_finish(w, out), WS_OK);
        ws_stored_writer_free(w);
        cr_assert_eq(sample_part_end(out, DOCS, 1, &merged), WS_OK);
        for (uint32_t f = 0; f < FIELDS; f++)
            for (uint32_t d = 0; d < DOCS; d++) {
                int has = fields[k][d >= 15] >> f & 1;
                if (has || merged->token_map[f].size)
                    expect_map(merged, f, d, m.offsets[f][d], has ? m.n[f][d] : 0);
            }
        ws_segment_unref(merged);
        ws_segment_unref(parts[0]);
        ws_segment_unref(parts[1]);
    }
}

Test(token_map, a_missing_map_and_a_falling_offset_are_refused)
{
    static const uint32_t falling[] = {5, 4};
    ws_stored_writer *w;
    cr_assert_eq(ws_stored_writer_new(&w, NULL, NULL, SIZE_MAX, 3), WS_OK);
    cr_assert_eq(ws_stored_writer_add_map(w, 0, falling, 2), WS_ERR_ARG);
    ws_stored_writer_free(w);
    cr_assert_eq(ws_stored_writer_new(&w, NULL, NULL, SIZE_MAX, 3), WS_OK);
    cr_assert_eq(ws_stored_writer_add(w, NULL, 0), WS_OK);
    cr_assert_eq(ws_stored_writer_add_map(w, 0, NULL, 0), WS_OK);
    cr_assert_eq(ws_stored_writer_add_map(w, 0, NULL, 0), WS_OK, "two for one document");
    ws_segment_out *out = sample_part_begin();
    cr_assert_eq(ws_stored_writer_finish(w, out), WS_ERR_STATE);
    ws_segment_out_free(out);
    ws_stored_writer_free(w);
}

Test(token_map, damage_never_leads_outside)
{
    make_model(42);
    ws_segment *whole = build(0, 10, 1);
    size_t size = whole->file.map.size,
           from = (size_t)(whole->token_map[0].data - whole->file.map.data);
    ws_segment_options options = {0, 0, 0};
    uint32_t refused = 0;
    for (size_t at = from; at < from + whole->token_map[0].size; at++)
        for (uint8_t bit = 1; bit; bit = (uint8_t)(bit << 1)) {
            ws_segment *s;
            uint8_t *copy = ws_malloc(size);
            memcpy(copy, whole->file.map.data, size);
            copy[at] ^= bit;
            sample_rehash(copy, size);
            ws_status status = ws_segment_open_memory(&s, copy, size, &options, NULL);
            if (status) {
                cr_assert_eq(status, WS_ERR_CORRUPT);
                refused++;
                continue;
            }
            sample_reading r = {0, WS_OK};
            for (uint32_t d = 0; d < 10; d++)
                sample_read_maps(&r, s, d);
            cr_assert(r.status == WS_OK || r.status == WS_ERR_CORRUPT);
            refused += r.status != WS_OK;
            ws_segment_unref(s);
        }
    cr_assert_gt(refused, 0u);
    ws_segment_unref(whole);
}
