#include "base/bytes.h"

#include "tests/support/rng.h"
#include "tests/support/test.h"

Test(bytes, loads_and_stores_at_any_address)
{
    uint8_t area[32];
    ws_rng rng = ws_rng_seeded(31);
    for (size_t at = 0; at < 16; at++) {
        uint64_t v = ws_rng_u64(&rng);
        ws_store_u64le(area + at, v);
        for (unsigned i = 0; i < 8; i++)
            cr_assert_eq(area[at + i], (uint8_t)(v >> (8 * i)));
        cr_assert_eq(ws_load_u64le(area + at), v);
        cr_assert_eq(ws_load_u32le(area + at), (uint32_t)v);
        cr_assert_eq(ws_load_u16le(area + at), (uint16_t)v);
        ws_store_u32le(area + at, 0x01020304);
        ws_store_u16le(area + at, 0x0506);
        cr_assert_eq(ws_load_u32le(area + at), 0x01020506);
    }
}

/* The definition: 7 bits at a time, lowest first. */
static size_t varint_length(uint64_t v)
{
    size_t n = 1;
    while (v /= 128)
        n++;
    return n;
}

static void round_trip(uint64_t v)
{
    uint8_t bytes[10];
    uint64_t back = ~v;
    size_t n = ws_varint_put(bytes, v);
    cr_assert_eq(n, varint_length(v));
    cr_assert_eq(ws_varint_get(bytes, bytes + n, &back), bytes + n);
    cr_assert_eq(back, v, "value %llu", (unsigned long long)v);
    for (size_t cut = 0; cut < n; cut++)
        cr_assert_null(ws_varint_get(bytes, bytes + cut, &back), "cut at %zu of %zu", cut, n);
}

Test(bytes, varints_round_trip_and_refuse_a_cut)
{
    ws_rng rng = ws_rng_seeded(32);
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t power = (uint64_t)1 << bit;
        round_trip(power - 1);
        round_trip(power);
        round_trip(power + 1);
    }
    round_trip(UINT64_MAX);
    for (int i = 0; i < 20000; i++)
        round_trip(ws_rng_skewed(&rng, 64));
}

Test(bytes, varints_beyond_64_bits_are_refused)
{
    uint8_t too_large[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    uint8_t too_long[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    uint64_t v;
    cr_assert_null(ws_varint_get(too_large, too_large + sizeof too_large, &v));
    cr_assert_null(ws_varint_get(too_long, too_long + sizeof too_long, &v));
}

Test(bytes, bit_widths)
{
    cr_assert_eq(ws_bits_u32(0), 0);
    cr_assert_eq(ws_bits_u64(0), 0);
    for (unsigned bits = 1; bits <= 64; bits++) {
        uint64_t largest = UINT64_MAX >> (64 - bits);
        cr_assert_eq(ws_bits_u64(largest), bits);
        if (bits <= 32)
            cr_assert_eq(ws_bits_u32((uint32_t)largest), bits);
    }
}

/* Small numbers against arithmetic that cannot overflow, then the edges. */
Test(bytes, ranges)
{
    for (uint64_t offset = 0; offset < 8; offset++)
        for (uint64_t length = 0; length < 8; length++)
            for (uint64_t size = 0; size < 8; size++)
                cr_assert_eq(ws_range_ok(offset, length, size), offset + length <= size);
    cr_assert_not(ws_range_ok(1, UINT64_MAX, 100));
    cr_assert_not(ws_range_ok(UINT64_MAX, 1, UINT64_MAX));
    cr_assert(ws_range_ok(UINT64_MAX, 0, UINT64_MAX));
}
