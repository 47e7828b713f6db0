/* Packing: every instruction set against the scalar reference, the scalar reference against the
 * page of the format. */
#include <stdlib.h>

#include "base/cpu.h"
#include "engine/index/bitpack.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

static uint32_t mask_of(unsigned bits)
{
    return bits == 32 ? UINT32_MAX : (1u << bits) - 1;
}

static void random_values(ws_rng *rng, uint32_t *values, uint32_t n, unsigned bits)
{
    for (uint32_t i = 0; i < n; i++)
        values[i] = bits ? ws_rng_u32(rng) & mask_of(bits) : 0;
}

/* Bit `bit` of a lane, straight from docs/format.md 5.3. */
static unsigned lane_bit(const uint8_t *in, unsigned lanes, unsigned lane, unsigned bit)
{
    const uint8_t *word = in + ((size_t)(bit / 32) * lanes + lane) * 4;
    return word[bit % 32 / 8] >> (bit % 8) & 1;
}

static uint32_t value_by_the_page(const uint8_t *in, unsigned lanes, unsigned bits, unsigned i)
{
    uint32_t value = 0;
    for (unsigned b = 0; b < bits; b++)
        value |= (uint32_t)lane_bit(in, lanes, i % lanes, i / lanes * bits + b) << b;
    return value;
}

Test(bitpack, lanes_are_laid_out_as_the_format_says)
{
    ws_rng rng = ws_rng_seeded(1);
    const ws_bitpack *scalar = ws_bitpack_for(WS_ISA_SCALAR);
    for (unsigned bits = 0; bits <= 32; bits++) {
        uint32_t in[256], out[256];
        uint8_t packed[1024];
        random_values(&rng, in, 256, bits);
        ws_pack256(in, bits, packed);
        for (unsigned i = 0; i < 256; i++)
            cr_assert_eq(value_by_the_page(packed, 8, bits, i), in[i], "%u bits, value %u", bits,
                         i);
        scalar->unpack256(packed, bits, out);
        cr_assert_arr_eq(out, in, sizeof in);
        ws_pack128(in, bits, packed);
        for (unsigned i = 0; i < 128; i++)
            cr_assert_eq(value_by_the_page(packed, 4, bits, i), in[i], "%u bits, value %u", bits,
                         i);
        scalar->unpack128(packed, bits, out);
        cr_assert_arr_eq(out, in, 128 * sizeof *in);
    }
}

static void compare(const ws_bitpack *a, const ws_bitpack *b, const uint8_t *packed, unsigned bits,
                    uint32_t base)
{
    uint32_t x[256], y[256];
    a->unpack256(packed, bits, x);
    b->unpack256(packed, bits, y);
    cr_assert_arr_eq(x, y, sizeof x, "%s unpack256, %u bits", b->name, bits);
    a->unpack256_delta(packed, bits, base, x);
    b->unpack256_delta(packed, bits, base, y);
    cr_assert_arr_eq(x, y, sizeof x, "%s unpack256_delta, %u bits", b->name, bits);
    a->unpack128(packed, bits, x);
    b->unpack128(packed, bits, y);
    cr_assert_arr_eq(x, y, 128 * sizeof *x, "%s unpack128, %u bits", b->name, bits);
}

Test(bitpack, instruction_sets_agree_bit_for_bit)
{
    static const uint32_t sets[] = {WS_ISA_AUTO, WS_ISA_AVX2, WS_ISA_AVX512, WS_ISA_NEON};
    ws_rng rng = ws_rng_seeded(2);
    for (unsigned bits = 0; bits <= 32; bits++)
        for (int round = 0; round < 20; round++) {
            /* Exactly as long as the values: a load beyond them is an error that the sanitizer
             * sees. */
            uint8_t *packed = malloc(32 * bits + (bits == 0));
            ws_rng_fill(&rng, packed, 32 * bits);
            for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++)
                compare(ws_bitpack_for(WS_ISA_SCALAR), ws_bitpack_for(sets[s]), packed, bits,
                        round ? ws_rng_u32(&rng) : UINT32_MAX);
            free(packed);
        }
}

Test(bitpack, gaps_become_documents)
{
    uint32_t gaps[256], docs[256], at = UINT32_MAX;
    uint8_t packed[32 * 9];
    ws_rng rng = ws_rng_seeded(3);
    random_values(&rng, gaps, 256, 9);
    ws_pack256(gaps, 9, packed);
    ws_bitpack_for(WS_ISA_AUTO)->unpack256_delta(packed, 9, at, docs);
    for (int i = 0; i < 256; i++)
        cr_assert_eq(docs[i], at += gaps[i] + 1);
}

Test(bitpack, horizontal_packing_is_one_string_of_bits)
{
    ws_rng rng = ws_rng_seeded(4);
    for (unsigned bits = 0; bits <= 32; bits++)
        for (uint32_t n = 0; n < 256; n += 1 + (uint32_t)ws_rng_below(&rng, 9)) {
            uint32_t in[256], out[256];
            size_t size = ws_packed_bytes(n, bits);
            uint8_t *packed = calloc(1, size + 7);
            random_values(&rng, in, n, bits);
            ws_pack_horizontal(in, n, bits, packed);
            for (uint64_t b = 0; b < (uint64_t)n * bits; b++)
                cr_assert_eq(packed[b / 8] >> (b % 8) & 1, in[b / bits] >> (b % bits) & 1);
            ws_unpack_horizontal(packed, n, bits, out);
            cr_assert_arr_eq(out, in, n * sizeof *in);
            for (size_t i = size; i < size + 7; i++)
                cr_assert_eq(packed[i], 0, "written beyond the end");
            free(packed);
        }
}
