/* Random text of many scripts for tests of engine/text: few blocks a text, so that what combines
 * meets. [1]. */
#ifndef WS_TESTS_SUPPORT_RANDOM_TEXT_H
#define WS_TESTS_SUPPORT_RANDOM_TEXT_H

#include <stdio.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "tests/support/rng.h"

#define WS_RANDOM_TEXT_CODE_POINTS 30u
#define WS_RANDOM_TEXT_MAX         (4u * WS_RANDOM_TEXT_CODE_POINTS)

static const uint32_t ws_random_text_blocks[][2] = {
    {0x20, 0x7e},       {0x80, 0x24f},      {0x300, 0x36f},     {0x370, 0x52f},
    {0x5d0, 0x6ff},     {0x900, 0xdff},     {0xe00, 0xfff},     {0x1100, 0x11ff},
    {0x1ab0, 0x1aff},   {0x1e00, 0x1fff},   {0x2000, 0x206f},   {0x2070, 0x21ff},
    {0x2460, 0x24ff},   {0x3000, 0x30ff},   {0x3130, 0x318f},   {0x3190, 0x33ff},
    {0x4e00, 0x9fff},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xd7b0, 0xd7ff},
    {0xf900, 0xfb4f},   {0xfb50, 0xfeff},   {0xff00, 0xffef},   {0x10400, 0x1044f},
    {0x11080, 0x1147f}, {0x1d100, 0x1d1ff}, {0x1d400, 0x1d7ff}, {0x1f100, 0x1f2ff},
    {0x1f300, 0x1f64f}, {0x2f800, 0x2fa1f}, {0xe0000, 0xe01ff}, {0xad, 0xad},
    {0x200b, 0x200d},   {0x1100, 0x1112},   {0x1161, 0x1175},   {0x11a8, 0x11c2},
};

/* 1 to 30 code points of up to three blocks; every fourth text is damaged. Returns its length. */
static inline size_t ws_random_text(ws_rng *rng, char out[WS_RANDOM_TEXT_MAX])
{
    size_t some[3], length = 0;
    for (int i = 0; i < 3; i++)
        some[i] = ws_rng_below(rng, WS_ARRAY_LEN(ws_random_text_blocks));
    for (uint64_t i = ws_rng_between(rng, 1, WS_RANDOM_TEXT_CODE_POINTS); i > 0; i--) {
        const uint32_t *block = ws_random_text_blocks[some[ws_rng_below(rng, 3)]];
        length += ws_utf8_encode((uint32_t)ws_rng_between(rng, block[0], block[1]), out + length);
    }
    if (ws_rng_below(rng, 4) == 0)
        for (uint64_t i = ws_rng_below(rng, 4); i > 0; i--)
            out[ws_rng_below(rng, length)] = (char)ws_rng_u32(rng);
    return length;
}

/* Bytes as hexadecimal for a message, valid until the next call; long texts are cut. */
static inline const char *ws_hex(ws_str text)
{
    static char hex[3 * 300 + 1];
    hex[0] = 0;
    for (size_t i = 0; i < text.len && i < 300; i++)
        snprintf(hex + i * 3, 4, "%02x ", (uint8_t)text.ptr[i]);
    return hex;
}

#endif
