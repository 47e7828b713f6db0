/* The search in the keys of a Node16: the plain way, and sixteen at once. */
#include "trie/art_int.h"

#if defined(__SSE2__)
# include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
# include <arm_neon.h>
#endif

int ws_art_find16_scalar(const uint8_t *keys, uint32_t n, uint8_t byte)
{
    for (uint32_t i = 0; i < n; i++)
        if (keys[i] == byte)
            return (int)i;
    return -1;
}

#if defined(__SSE2__)

int ws_art_find16(const uint8_t *keys, uint32_t n, uint8_t byte)
{
    __m128i all = _mm_loadu_si128((const __m128i *)(const void *)keys);
    __m128i equal = _mm_cmpeq_epi8(all, _mm_set1_epi8((char)byte));
    uint32_t mask = (uint32_t)_mm_movemask_epi8(equal) & ((1u << n) - 1);
    return mask ? __builtin_ctz(mask) : -1;
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

/* Narrowing by four bits leaves a nibble a key: NEON has no movemask. */
int ws_art_find16(const uint8_t *keys, uint32_t n, uint8_t byte)
{
    uint8x16_t equal = vceqq_u8(vld1q_u8(keys), vdupq_n_u8(byte));
    uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8(equal), 4);
    uint64_t mask = vget_lane_u64(vreinterpret_u64_u8(nibbles), 0);
    if (n < 16)
        mask &= ((uint64_t)1 << (4 * n)) - 1;
    return mask ? __builtin_ctzll(mask) / 4 : -1;
}

#else

int ws_art_find16(const uint8_t *keys, uint32_t n, uint8_t byte)
{
    return ws_art_find16_scalar(keys, n, byte);
}

#endif
