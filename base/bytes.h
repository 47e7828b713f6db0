/* Little-endian loads and stores, varints, bit tricks. Inline; unaligned addresses allowed. */
#ifndef WS_BASE_BYTES_H
#define WS_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
# define WS_SWAP16(v) __builtin_bswap16(v)
# define WS_SWAP32(v) __builtin_bswap32(v)
# define WS_SWAP64(v) __builtin_bswap64(v)
#else
# define WS_SWAP16(v) (v)
# define WS_SWAP32(v) (v)
# define WS_SWAP64(v) (v)
#endif

#define WS_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define WS_MIN(a, b)    ((a) < (b) ? (a) : (b))
#define WS_MAX(a, b)    ((a) > (b) ? (a) : (b))

static inline uint16_t ws_load_u16le(const void *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return WS_SWAP16(v);
}

static inline uint32_t ws_load_u32le(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return WS_SWAP32(v);
}

static inline uint64_t ws_load_u64le(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return WS_SWAP64(v);
}

static inline void ws_store_u16le(void *p, uint16_t v)
{
    v = WS_SWAP16(v);
    memcpy(p, &v, sizeof v);
}

static inline void ws_store_u32le(void *p, uint32_t v)
{
    v = WS_SWAP32(v);
    memcpy(p, &v, sizeof v);
}

static inline void ws_store_u64le(void *p, uint64_t v)
{
    v = WS_SWAP64(v);
    memcpy(p, &v, sizeof v);
}

/* Writes `v` as LEB128 at `p` (10 bytes of room); returns the number of bytes written. */
static inline size_t ws_varint_put(uint8_t *p, uint64_t v)
{
    size_t n = 0;
    while (v >= 0x80) {
        p[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    p[n++] = (uint8_t)v;
    return n;
}

/* Reads a LEB128 number from [p, end); returns the byte after it, or NULL when it is cut off,
 * longer than 10 bytes or beyond 64 bits. */
static inline const uint8_t *ws_varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
        uint8_t byte = *p++;
        if (shift == 63 && byte > 1)
            return NULL;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *v = value;
            return p;
        }
    }
    return NULL;
}

/* Number of bits needed for `v`; 0 for 0. */
static inline unsigned ws_bits_u32(uint32_t v)
{
    return v ? 32u - (unsigned)__builtin_clz(v) : 0;
}

static inline unsigned ws_bits_u64(uint64_t v)
{
    return v ? 64u - (unsigned)__builtin_clzll(v) : 0;
}

/* True when [offset, offset + length) lies inside `size` bytes; safe against overflow. */
static inline int ws_range_ok(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

#endif
