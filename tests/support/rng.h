/* Random numbers for tests: splitmix64 (Steele, Lea, Flood 2014), the same on every machine. [1].
 *
 * The seed is fixed, or WS_TEST_SEED from the environment; put it into the message of a failing
 * check:
 *   ws_rng rng = ws_rng_seeded(1);
 *   cr_assert_eq(a, b, "seed %llu", (unsigned long long)rng.seed);
 */
#ifndef WS_TESTS_SUPPORT_RNG_H
#define WS_TESTS_SUPPORT_RNG_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t seed; /* what it started from */
    uint64_t state;
} ws_rng;

static inline ws_rng ws_rng_make(uint64_t seed)
{
    return (ws_rng){seed, seed};
}

/* Seed WS_TEST_SEED when that is set (and printed), else `fallback`. */
static inline ws_rng ws_rng_seeded(uint64_t fallback)
{
    const char *text = getenv("WS_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : fallback;
    if (text)
        printf("seed %llu\n", (unsigned long long)seed);
    return ws_rng_make(seed);
}

static inline uint64_t ws_rng_u64(ws_rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline uint32_t ws_rng_u32(ws_rng *rng)
{
    return (uint32_t)(ws_rng_u64(rng) >> 32);
}

/* Uniform in [0, n); n > 0. The bias of the remainder is below 2^-32 for n < 2^32. */
static inline uint64_t ws_rng_below(ws_rng *rng, uint64_t n)
{
    return ws_rng_u64(rng) % n;
}

/* Uniform in [low, high], both included. */
static inline uint64_t ws_rng_between(ws_rng *rng, uint64_t low, uint64_t high)
{
    return low + ws_rng_below(rng, high - low + 1);
}

/* A number with a random count of bits, up to `bits` (1 to 64): small and large ones are equally
 * likely. */
static inline uint64_t ws_rng_skewed(ws_rng *rng, unsigned bits)
{
    unsigned keep = (unsigned)ws_rng_between(rng, 1, bits);
    return ws_rng_u64(rng) >> (64 - keep);
}

static inline double ws_rng_double(ws_rng *rng) /* [0, 1) */
{
    return (double)(ws_rng_u64(rng) >> 11) * 0x1p-53;
}

static inline void ws_rng_fill(ws_rng *rng, void *bytes, size_t n)
{
    unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)ws_rng_u64(rng);
}

#endif
