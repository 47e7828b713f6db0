/* The scalar reference, laid out so that a compiler may vectorise the lane loops; other instruction
 * sets are held equal to it by tests/unit/test_bitpack.c. */
#include "engine/index/bitpack.h"

#include <string.h>

#include "base/bytes.h"
#include "engine/index/bitpack_int.h"

#define PLACES 32u /* values in a lane */

static uint32_t low_mask(unsigned bits)
{
    return bits == 32 ? UINT32_MAX : (1u << bits) - 1;
}

/* Row `place` of every lane: bits [place * bits, ...) of each lane's words. */
static inline void unpack_row(const uint8_t *in, unsigned lanes, unsigned bits, unsigned place,
                              uint32_t *out)
{
    unsigned bit = place * bits, shift = bit % 32;
    const uint8_t *low = in + (size_t)(bit / 32) * lanes * 4;
    uint32_t mask = low_mask(bits);
    for (unsigned l = 0; l < lanes; l++)
        out[l] = ws_load_u32le(low + l * 4) >> shift;
    if (shift + bits > 32)
        for (unsigned l = 0; l < lanes; l++)
            out[l] |= ws_load_u32le(low + (lanes + l) * 4) << (32 - shift);
    for (unsigned l = 0; l < lanes; l++)
        out[l] &= mask;
}

static inline void unpack_lanes(const uint8_t *in, unsigned lanes, unsigned bits, uint32_t *out)
{
    if (bits == 0) {
        memset(out, 0, (size_t)lanes * PLACES * sizeof *out);
        return;
    }
    for (unsigned place = 0; place < PLACES; place++)
        unpack_row(in, lanes, bits, place, out + place * lanes);
}

static void unpack256(const uint8_t *in, unsigned bits, uint32_t out[256])
{
    unpack_lanes(in, 8, bits, out);
}

static void unpack128(const uint8_t *in, unsigned bits, uint32_t out[128])
{
    unpack_lanes(in, 4, bits, out);
}

static void unpack256_delta(const uint8_t *in, unsigned bits, uint32_t base, uint32_t out[256])
{
    unpack_lanes(in, 8, bits, out);
    for (unsigned i = 0; i < 256; i++)
        out[i] = base += out[i] + 1;
}

const ws_bitpack ws_bitpack_scalar = {"scalar", unpack256, unpack256_delta, unpack128};

static inline void pack_lanes(const uint32_t *in, unsigned lanes, unsigned bits, uint8_t *out)
{
    uint32_t words[32 * 8] = {0};
    for (unsigned i = 0; bits && i < lanes * PLACES; i++) {
        unsigned bit = i / lanes * bits, lane = i % lanes, shift = bit % 32;
        uint64_t value = (uint64_t)in[i] << shift;
        words[bit / 32 * lanes + lane] |= (uint32_t)value;
        if (shift + bits > 32)
            words[(bit / 32 + 1) * lanes + lane] |= (uint32_t)(value >> 32);
    }
    for (unsigned i = 0; i < lanes * bits; i++)
        ws_store_u32le(out + (size_t)i * 4, words[i]);
}

void ws_pack256(const uint32_t in[256], unsigned bits, uint8_t *out)
{
    pack_lanes(in, 8, bits, out);
}

void ws_pack128(const uint32_t in[128], unsigned bits, uint8_t *out)
{
    pack_lanes(in, 4, bits, out);
}

void ws_pack_horizontal(const uint32_t *in, uint32_t n, unsigned bits, uint8_t *out)
{
    uint64_t pending = 0;
    unsigned have = 0;
    for (uint32_t i = 0; i < n; i++) {
        pending |= (uint64_t)in[i] << have;
        have += bits;
        for (; have >= 8; have -= 8, pending >>= 8)
            *out++ = (uint8_t)pending;
    }
    if (have)
        *out = (uint8_t)pending;
}

void ws_unpack_horizontal(const uint8_t *in, uint32_t n, unsigned bits, uint32_t *out)
{
    uint64_t bit = 0;
    if (bits == 0) { /* no byte is packed: there is none to load from */
        memset(out, 0, n * sizeof *out);
        return;
    }
    for (uint32_t i = 0; i < n; i++, bit += bits)
        out[i] = (uint32_t)(ws_load_u64le(in + bit / 8) >> (bit % 8)) & low_mask(bits);
}
