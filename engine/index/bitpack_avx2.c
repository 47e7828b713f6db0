/* AVX2: one row of 8 lanes is one register. Compiled for every x86-64; run only where
 * ws_cpu_pick_isa says so. */
#include "engine/index/bitpack_int.h"

#if defined(__x86_64__)
# include <immintrin.h>

# define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i row256(const uint8_t *in, unsigned bits, unsigned place, __m256i mask)
{
    unsigned bit = place * bits, shift = bit % 32;
    const __m256i *low = (const __m256i *)(const void *)(in + (size_t)(bit / 32) * 32);
    __m256i v = _mm256_srl_epi32(_mm256_loadu_si256(low), _mm_cvtsi32_si128((int)shift));
    if (shift + bits > 32)
        v = _mm256_or_si256(
            v, _mm256_sll_epi32(_mm256_loadu_si256(low + 1), _mm_cvtsi32_si128((int)(32 - shift))));
    return _mm256_and_si256(v, mask);
}

AVX2 static inline __m256i mask256(unsigned bits)
{
    return _mm256_set1_epi32((int)(bits == 32 ? UINT32_MAX : (1u << bits) - 1));
}

AVX2 static void unpack256(const uint8_t *in, unsigned bits, uint32_t out[256])
{
    __m256i mask = mask256(bits);
    for (unsigned place = 0; place < 32; place++) {
        __m256i v = bits ? row256(in, bits, place, mask) : _mm256_setzero_si256();
        _mm256_storeu_si256((__m256i *)(void *)(out + place * 8), v);
    }
}

/* Inclusive prefix sum of 8 lanes. */
AVX2 static inline __m256i prefix_sum(__m256i v)
{
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 4));
    v = _mm256_add_epi32(v, _mm256_slli_si256(v, 8));
    __m256i low = _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(3));
    return _mm256_add_epi32(v, _mm256_blend_epi32(_mm256_setzero_si256(), low, 0xf0));
}

AVX2 static void unpack256_delta(const uint8_t *in, unsigned bits, uint32_t base, uint32_t out[256])
{
    __m256i mask = mask256(bits), ones = _mm256_set1_epi32(1), last = _mm256_set1_epi32((int)base);
    for (unsigned place = 0; place < 32; place++) {
        __m256i v = bits ? row256(in, bits, place, mask) : _mm256_setzero_si256();
        v = _mm256_add_epi32(prefix_sum(_mm256_add_epi32(v, ones)), last);
        _mm256_storeu_si256((__m256i *)(void *)(out + place * 8), v);
        last = _mm256_permutevar8x32_epi32(v, _mm256_set1_epi32(7));
    }
}

AVX2 static void unpack128(const uint8_t *in, unsigned bits, uint32_t out[128])
{
    __m128i mask = _mm256_castsi256_si128(mask256(bits));
    for (unsigned place = 0; place < 32; place++) {
        unsigned bit = place * bits, shift = bit % 32;
        const __m128i *low = (const __m128i *)(const void *)(in + (size_t)(bit / 32) * 16);
        __m128i v = bits ? _mm_srl_epi32(_mm_loadu_si128(low), _mm_cvtsi32_si128((int)shift))
                         : _mm_setzero_si128();
        if (shift + bits > 32)
            v = _mm_or_si128(
                v, _mm_sll_epi32(_mm_loadu_si128(low + 1), _mm_cvtsi32_si128((int)(32 - shift))));
        _mm_storeu_si128((__m128i *)(void *)(out + place * 4), _mm_and_si128(v, mask));
    }
}

const ws_bitpack ws_bitpack_avx2 = {"avx2", unpack256, unpack256_delta, unpack128};
#else
typedef int ws_bitpack_avx2_unused;
#endif
