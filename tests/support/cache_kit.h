/* What the cache's tests share: keys by number, values that tell their key and version, a clock
 * that stands still until told. [1] per clock setting. */
#ifndef WS_TESTS_SUPPORT_CACHE_KIT_H
#define WS_TESTS_SUPPORT_CACHE_KIT_H

#include <stdio.h>

#include "base/hash.h"
#include "cache/cache_int.h"

typedef struct {
    uint8_t hash[16];
    char text[40];
    ws_str bytes;
} kit_key;

static inline kit_key *kit_key_of(kit_key *k, uint32_t number)
{
    int n = snprintf(k->text, sizeof k->text, "대한민국 key %u", number);
    ws_hash128 h = ws_hash128_of(k->text, (size_t)n);
    ws_store_u64le(k->hash, h.lo);
    ws_store_u64le(k->hash + 8, h.hi);
    k->bytes = (ws_str){k->text, (size_t)n};
    return k;
}

/* Value `version` of a key in buffer[size], size >= 8: both numbers, then a pattern of them. */
static inline ws_str kit_value(uint8_t *buffer, uint32_t number, uint32_t version, size_t size)
{
    for (size_t i = 8; i < size; i++)
        buffer[i] = (uint8_t)(number * 31 + version * 7 + i);
    ws_store_u32le(buffer, number);
    ws_store_u32le(buffer + 4, version);
    return (ws_str){(const char *)buffer, size};
}

/* 1 when `value` is whole and the key's; *version is its. */
static inline int kit_value_is(ws_str value, uint32_t number, uint32_t *version)
{
    const uint8_t *p = (const uint8_t *)value.ptr;
    if (value.len < 8 || ws_load_u32le(p) != number)
        return 0;
    *version = ws_load_u32le(p + 4);
    for (size_t i = 8; i < value.len; i++)
        if (p[i] != (uint8_t)(number * 31 + *version * 7 + i))
            return 0;
    return 1;
}

static inline uint64_t kit_clock(void *ctx)
{
    return atomic_load((_Atomic uint64_t *)ctx);
}

#define KIT_MS ((uint64_t)1000000)

#endif
