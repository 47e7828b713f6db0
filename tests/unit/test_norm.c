/* Length codes against the scheme of Lucene's SmallFloat, written from its description. */
#include "engine/index/norm.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

/* Four significant bits; the leading one is implied from 16 on. */
static uint32_t four_bits(uint32_t n)
{
    uint32_t bits = 0;
    while (bits < 32 && n >> bits)
        bits++;
    if (bits < 4)
        return n;
    uint32_t shift = bits - 4;
    return (n >> shift & 7) | (shift + 1) << 3;
}

static uint32_t model(uint32_t length)
{
    const uint32_t free_values = 255 - 231; /* 231 = four_bits(2^31 - 1) */
    return length < free_values ? length : free_values + four_bits(length - free_values);
}

Test(norm, codes_are_those_of_the_model)
{
    ws_rng rng = ws_rng_seeded(1);
    cr_assert_eq(four_bits(0x7fffffff), 231u);
    for (uint32_t n = 0; n < 100000; n++)
        cr_assert_eq(ws_norm_encode(n), model(n), "length %u", n);
    for (int i = 0; i < 100000; i++) {
        uint32_t n = (uint32_t)ws_rng_skewed(&rng, 31);
        cr_assert_eq(ws_norm_encode(n), model(n), "length %u, seed %llu", n,
                     (unsigned long long)rng.seed);
    }
}

Test(norm, every_code_stands_for_its_least_length)
{
    for (uint32_t code = 0; code < 256; code++) {
        uint32_t least = ws_norm_decode((uint8_t)code);
        cr_assert_eq(ws_norm_encode(least), code);
        if (code)
            cr_assert_eq(ws_norm_encode(least - 1), code - 1, "code %u", code);
    }
}

Test(norm, lengths_up_to_40_are_exact)
{
    for (uint32_t n = 0; n <= 40; n++)
        cr_assert_eq(ws_norm_decode(ws_norm_encode(n)), n);
    cr_assert_eq(ws_norm_decode(ws_norm_encode(41)), 40u);
}

Test(norm, lengths_beyond_the_last_code_get_the_last_code)
{
    cr_assert_eq(ws_norm_encode(0x7fffffffu + 24u), 255u);
    cr_assert_eq(ws_norm_encode(0x80000000u + 24u), 255u);
    cr_assert_eq(ws_norm_encode(UINT32_MAX), 255u);
}
