/* Field length in one byte (docs/format.md 3.2). Inline. */
#ifndef WS_INDEX_NORM_H
#define WS_INDEX_NORM_H

#include <stdint.h>

static inline uint8_t ws_norm_encode(uint32_t length)
{
    if (length < 24)
        return (uint8_t)length;
    uint32_t m = length - 24;
    if (m < 8)
        return (uint8_t)(24 + m);
    if (m > 0x7fffffffu)
        return 255;                                /* the last code that eight bits hold */
    uint32_t t = 28u - (uint32_t)__builtin_clz(m); /* floor(log2 m) - 3 */
    return (uint8_t)(24 + (((t + 1) << 3) | (m >> t & 7)));
}

static inline uint32_t ws_norm_decode(uint8_t code)
{
    if (code < 32)
        return code;
    uint32_t m = code - 24u, t = (m >> 3) - 1;
    return 24 + ((m & 7) | 8) * (1u << t);
}

#endif
