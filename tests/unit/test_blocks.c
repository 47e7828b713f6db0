/* Blocks of documents, frequencies and positions: round trips, the smaller coding, and damage. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/cpu.h"
#include "engine/index/doc_block.h"
#include "engine/index/exception_block.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define PAD 64u

static uint32_t random_docs(ws_rng *rng, uint32_t *docs, uint32_t n, uint32_t base)
{
    unsigned width = (unsigned)ws_rng_below(rng, 20);
    uint32_t at = base;
    for (uint32_t i = 0; i < n; i++)
        docs[i] = at += 1 + (uint32_t)ws_rng_below(rng, 1u << width);
    return at + 1;
}

Test(doc_block, what_goes_in_comes_out)
{
    ws_rng rng = ws_rng_seeded(11);
    for (int round = 0; round < 4000; round++) {
        uint32_t n = round % 3 ? 256 : 1 + (uint32_t)ws_rng_below(&rng, 256), docs[256], out[256];
        uint32_t base = round % 2 ? WS_BEFORE_FIRST : (uint32_t)ws_rng_below(&rng, 1u << 28);
        uint32_t limit = random_docs(&rng, docs, n, base);
        uint8_t bytes[WS_DOC_BLOCK_MAX + PAD] = {0};
        size_t length = ws_doc_block_encode(docs, n, base, bytes);
        cr_assert_leq(length, (size_t)WS_DOC_BLOCK_MAX);
        for (uint32_t isa = WS_ISA_AUTO; isa <= WS_ISA_SCALAR; isa++) {
            cr_assert_eq(ws_doc_block_decode(ws_bitpack_for(isa), bytes, length, n, base,
                                             docs[n - 1], limit, out),
                         WS_OK);
            cr_assert_arr_eq(out, docs, n * sizeof *docs, "round %d", round);
        }
        const ws_bitpack *b = ws_bitpack_for(WS_ISA_AUTO);
        cr_assert_eq(
            ws_doc_block_decode(b, bytes, length, n, base, docs[n - 1] + 1, limit + 1, out),
            WS_ERR_CORRUPT, "another last document");
        cr_assert_eq(
            ws_doc_block_decode(b, bytes, length, n, base, WS_BEFORE_FIRST, docs[n - 1], out),
            WS_ERR_CORRUPT, "a document beyond the segment");
        cr_assert_eq(ws_doc_block_decode(b, bytes, length + 1, n, base, docs[n - 1], limit, out),
                     WS_ERR_CORRUPT, "another length");
    }
}

Test(doc_block, dense_blocks_are_bit_sets_and_runs_cost_one_byte)
{
    uint32_t docs[256];
    uint8_t bytes[WS_DOC_BLOCK_MAX];
    for (uint32_t i = 0; i < 256; i++)
        docs[i] = i;
    cr_assert_eq(ws_doc_block_encode(docs, 256, WS_BEFORE_FIRST, bytes), 1);
    ws_rng rng = ws_rng_seeded(12);
    uint32_t at = 0;
    for (uint32_t i = 0; i < 256; i++)
        docs[i] = at += 1 + (uint32_t)ws_rng_below(&rng, 2) * (i % 16 == 0 ? 3 : 1);
    size_t length = ws_doc_block_encode(docs, 256, 0, bytes);
    cr_assert_eq(bytes[0], 0x80);
    cr_assert_lt(length, 1 + 32 * 2u);
}

/* Whatever the bytes: a status, or documents that ascend below the limit. */
Test(doc_block, any_bytes_give_a_status_or_sound_documents)
{
    ws_rng rng = ws_rng_seeded(13);
    uint32_t sound = 0;
    for (int round = 0; round < 60000; round++) {
        uint8_t bytes[WS_DOC_BLOCK_MAX + PAD] = {0};
        uint32_t n = round % 2 ? 256 : 1 + (uint32_t)ws_rng_below(&rng, 256), docs[256];
        size_t length = 1 + ws_rng_below(&rng, 200);
        ws_rng_fill(&rng, bytes, length);
        bytes[0] = ws_rng_below(&rng, 4) ? (uint8_t)ws_rng_below(&rng, 34) : 0x80;
        if (bytes[0] <= 32)
            length = 1 + (n == 256 ? 32u * bytes[0] : ws_packed_bytes(n, bytes[0]));
        else
            ws_store_u16le(bytes + 1, (uint16_t)(length > 3 ? length - 3 : 0));
        if (length > WS_DOC_BLOCK_MAX)
            continue;
        if (ws_doc_block_decode(ws_bitpack_for((uint32_t)(round % 2)), bytes, length, n,
                                (uint32_t)round, WS_BEFORE_FIRST, 1u << 30, docs))
            continue;
        sound++;
        cr_assert_gt(docs[0], (uint32_t)round);
        for (uint32_t i = 1; i < n; i++)
            cr_assert_gt(docs[i], docs[i - 1], "round %d", round);
        cr_assert_lt(docs[n - 1], 1u << 30);
    }
    cr_assert_gt(sound, 1000u, "only %u blocks were sound: the test is blind", sound);
}

/* UINT32_MAX also says "no document before": as a document it must not switch the order off. */
Test(doc_block, a_document_of_uint32_max_is_refused)
{
    uint8_t bytes[1 + 12 + PAD] = {32, 0xff, 0xff, 0xff, 0xff, 5, 0, 0, 0, 3};
    uint32_t docs[WS_POSTING_BLOCK];
    cr_assert_eq(ws_doc_block_decode(ws_bitpack_for(WS_ISA_SCALAR), bytes, 13, 3, WS_BEFORE_FIRST,
                                     WS_BEFORE_FIRST, 1000, docs),
                 WS_ERR_CORRUPT);
}

static void random_small(ws_rng *rng, uint32_t *values, uint32_t n, uint32_t least)
{
    unsigned width = (unsigned)ws_rng_below(rng, 9);
    for (uint32_t i = 0; i < n; i++) {
        values[i] = (uint32_t)ws_rng_below(rng, 1u << width);
        if (ws_rng_below(rng, 30) == 0)
            values[i] = (uint32_t)ws_rng_skewed(rng, 31);
        values[i] += least;
    }
}

Test(tf_block, what_goes_in_comes_out)
{
    ws_rng rng = ws_rng_seeded(14);
    for (int round = 0; round < 4000; round++) {
        uint32_t n = 1 + (uint32_t)ws_rng_below(&rng, 256), in[256], out[256];
        uint8_t bytes[WS_EXCEPTION_BLOCK_MAX + PAD] = {0};
        random_small(&rng, in, n, 1);
        size_t length = ws_tf_block_encode(in, n, bytes);
        cr_assert_leq(length, (size_t)WS_EXCEPTION_BLOCK_MAX);
        cr_assert_eq(ws_tf_block_decode(bytes, length, n, out), WS_OK);
        cr_assert_arr_eq(out, in, n * sizeof *in);
    }
    uint32_t ones[3] = {1, 1, 1}, out[3];
    uint8_t bytes[WS_EXCEPTION_BLOCK_MAX + PAD];
    cr_assert_eq(ws_tf_block_encode(ones, 3, bytes), 0);
    cr_assert_eq(ws_tf_block_decode(bytes, 0, 3, out), WS_OK);
    cr_assert_arr_eq(out, ones, sizeof ones);
}

Test(pos_block, what_goes_in_comes_out)
{
    ws_rng rng = ws_rng_seeded(15);
    for (int round = 0; round < 4000; round++) {
        uint32_t n = round % 2 ? 128 : 1 + (uint32_t)ws_rng_below(&rng, 127), in[128], out[128],
                 got;
        uint8_t bytes[WS_EXCEPTION_BLOCK_MAX + PAD] = {0};
        const uint8_t *next;
        random_small(&rng, in, n, 0);
        size_t length = ws_pos_block_encode(in, n, bytes);
        uint32_t short_n = n == 128 ? (uint32_t)ws_rng_below(&rng, 128) : n;
        cr_assert_eq(ws_pos_block_decode(ws_bitpack_for((uint32_t)(round % 2)), bytes,
                                         bytes + length, short_n, out, &got, &next),
                     WS_OK);
        cr_assert_eq(got, n);
        cr_assert(next == bytes + length);
        cr_assert_arr_eq(out, in, n * sizeof *in);
        cr_assert_eq(ws_pos_block_skip(bytes, bytes + length, short_n, &got, &next), WS_OK);
        cr_assert(got == n && next == bytes + length);
        cr_assert_eq(ws_pos_block_skip(bytes, bytes + length - 1, short_n, &got, &next),
                     WS_ERR_CORRUPT);
    }
}

Test(exception_block, any_bytes_give_a_status_or_sound_numbers)
{
    ws_rng rng = ws_rng_seeded(16);
    uint32_t sound = 0;
    for (int round = 0; round < 60000; round++) {
        uint8_t *bytes = calloc(1, 300 + PAD);
        uint32_t n = 1 + (uint32_t)ws_rng_below(&rng, 128), out[256], got;
        size_t length = 2 + ws_rng_below(&rng, 290);
        const uint8_t *next;
        ws_rng_fill(&rng, bytes, length);
        bytes[0] = (uint8_t)(ws_rng_below(&rng, 10) | (ws_rng_below(&rng, 2) << 7));
        bytes[1] = (uint8_t)ws_rng_below(&rng, 4);
        if (ws_tf_block_decode(bytes, length, n, out) == WS_OK)
            for (uint32_t i = 0; i < n; i++)
                cr_assert_geq(out[i], 1u);
        if (ws_pos_block_decode(ws_bitpack_for(0), bytes, bytes + length, n % 128, out, &got,
                                &next) == WS_OK) {
            cr_assert(next <= bytes + length && got <= 128);
            sound++;
        }
        free(bytes);
    }
    cr_assert_gt(sound, 1000u, "only %u blocks were sound: the test is blind", sound);
}
