/* log2 and 2^-x on integers. "Q63" below: 2^63 stands for 1. */
#include "trie/decay.h"

#include <math.h>

#include "base/bytes.h"

#define Q63 ((uint64_t)1 << 63)

__extension__ typedef unsigned __int128 u128;

static uint64_t multiply(uint64_t a, uint64_t b)
{
    return (uint64_t)(((u128)a * b) >> 63);
}

/* log2 of x (Q63, 1 <= x < 2) with 32 bits behind the point: squaring doubles the logarithm, and
 * each time that the square reaches 2 there is a bit. */
static uint64_t log2_q63(uint64_t x)
{
    uint64_t bits = 0;
    for (int i = 0; i < 32; i++) {
        u128 square = (u128)x * x; /* 2^126 = 1 */
        int two = (int)(square >> 127);
        bits = bits << 1 | (uint64_t)two;
        x = (uint64_t)(square >> (63 + two));
    }
    return bits;
}

/* 2^-f (Q63) for 0 <= f < 1 with 32 bits: the series of e^(-f ln 2), by Horner's rule. Term 17 is
 * below 2^-57. */
static uint64_t exp2_fraction(uint64_t f)
{
    static const uint64_t ln2 = 0x58b90bfbe8e7bcd6u; /* Q63 */
    uint64_t z = multiply(f << 31, ln2), sum = Q63;
    for (uint64_t n = 16; n > 0; n--)
        sum = Q63 - multiply(multiply(z, Q63 / n), sum);
    return sum;
}

static uint64_t exp2_negative(uint64_t d)
{
    uint64_t whole = d >> 32;
    return whole < 64 ? exp2_fraction(d & (WS_DECAY_ONE - 1)) >> whole : 0;
}

uint64_t ws_decay_age(int64_t since_origin_ms, uint64_t half_life_ms)
{
    if (since_origin_ms <= 0)
        return 0;
    uint64_t t = (uint64_t)since_origin_ms, whole = t / half_life_ms, rest = t % half_life_ms;
    if (whole >> 16)
        return WS_DECAY_MAX;
    uint64_t high = (rest << 16) / half_life_ms, left = (rest << 16) % half_life_ms;
    uint64_t low = (left << 16) / half_life_ms;
    return whole << 32 | high << 16 | low;
}

uint64_t ws_decay_prior(uint64_t weight)
{
    uint64_t v = weight == UINT64_MAX ? weight : weight + 1;
    unsigned top = 63u - (unsigned)__builtin_clzll(v);
    return (uint64_t)top << 32 | log2_q63(v << (63 - top));
}

uint64_t ws_decay_add(uint64_t score, uint64_t age)
{
    uint64_t large = WS_MAX(score, age), small = WS_MIN(score, age);
    uint64_t more = large == small ? WS_DECAY_ONE : log2_q63(Q63 + exp2_negative(large - small));
    return WS_MIN(large + more, WS_DECAY_MAX);
}

uint64_t ws_decay_sub(uint64_t score, uint64_t age)
{
    if (score <= age)
        return 0;
    uint64_t left = Q63 - exp2_negative(score - age); /* below 1: normalise, then log2 - shift */
    if (left == 0)
        return 0;
    unsigned shift = (unsigned)__builtin_clzll(left);
    uint64_t down = ((uint64_t)shift << 32) - log2_q63(left << shift);
    return score > down ? score - down : 0;
}

double ws_decay_count(uint64_t score, uint64_t age)
{
    return exp2(((double)score - (double)age) * 0x1p-32);
}
