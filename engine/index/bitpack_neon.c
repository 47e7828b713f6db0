/* NEON: a row of 8 lanes is two registers, a row of 4 lanes one. */
#include "engine/index/bitpack_int.h"

#if defined(__aarch64__)
# include <arm_neon.h>

/* Bits [place * bits, ...) of 4 lanes; `stride` is the number of lanes of a word row. */
static inline uint32x4_t row4(const uint8_t *in, unsigned stride, unsigned bits, unsigned place,
                              uint32x4_t mask)
{
    unsigned bit = place * bits, shift = bit % 32;
    const uint8_t *low = in + (size_t)(bit / 32) * stride * 4;
    uint32x4_t v = vshlq_u32(vreinterpretq_u32_u8(vld1q_u8(low)), vdupq_n_s32(-(int)shift));
    if (shift + bits > 32) {
        uint32x4_t high = vreinterpretq_u32_u8(vld1q_u8(low + (size_t)stride * 4));
        v = vorrq_u32(v, vshlq_u32(high, vdupq_n_s32((int)(32 - shift))));
    }
    return vandq_u32(v, mask);
}

static inline uint32x4_t mask4(unsigned bits)
{
    return vdupq_n_u32(bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

static void unpack256(const uint8_t *in, unsigned bits, uint32_t out[256])
{
    uint32x4_t mask = mask4(bits), zero = vdupq_n_u32(0);
    for (unsigned place = 0; place < 32; place++) {
        vst1q_u32(out + place * 8, bits ? row4(in, 8, bits, place, mask) : zero);
        vst1q_u32(out + place * 8 + 4, bits ? row4(in + 16, 8, bits, place, mask) : zero);
    }
}

static inline uint32x4_t prefix_sum(uint32x4_t v)
{
    uint32x4_t zero = vdupq_n_u32(0);
    v = vaddq_u32(v, vextq_u32(zero, v, 3));
    return vaddq_u32(v, vextq_u32(zero, v, 2));
}

static void unpack256_delta(const uint8_t *in, unsigned bits, uint32_t base, uint32_t out[256])
{
    uint32x4_t last = vdupq_n_u32(base), one = vdupq_n_u32(1);
    unpack256(in, bits, out);
    for (unsigned i = 0; i < 256; i += 4) {
        uint32x4_t v = vaddq_u32(prefix_sum(vaddq_u32(vld1q_u32(out + i), one)), last);
        vst1q_u32(out + i, v);
        last = vdupq_laneq_u32(v, 3);
    }
}

static void unpack128(const uint8_t *in, unsigned bits, uint32_t out[128])
{
    uint32x4_t mask = mask4(bits);
    for (unsigned place = 0; place < 32; place++)
        vst1q_u32(out + place * 4, bits ? row4(in, 4, bits, place, mask) : vdupq_n_u32(0));
}

const ws_bitpack ws_bitpack_neon = {"neon", unpack256, unpack256_delta, unpack128};
#else
typedef int ws_bitpack_neon_unused;
#endif
