#include "base/utf8.h"

#include "base/bytes.h"

static int is_continuation(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

size_t ws_utf8_sequence(const uint8_t *p, size_t left)
{
    uint8_t lead = p[0];
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    size_t n = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (left < n || !is_continuation(p[1]))
        return 0;
    if ((lead == 0xe0 && p[1] < 0xa0) || (lead == 0xed && p[1] > 0x9f) ||
        (lead == 0xf0 && p[1] < 0x90) || (lead == 0xf4 && p[1] > 0x8f))
        return 0;
    for (size_t i = 2; i < n; i++)
        if (!is_continuation(p[i]))
            return 0;
    return n;
}

int ws_utf8_valid(ws_str text)
{
    const uint8_t *p = (const uint8_t *)text.ptr;
    for (size_t at = 0; at < text.len;) {
        if (text.len - at >= 8 && !(ws_load_u64le(p + at) & 0x8080808080808080u)) {
            at += 8;
            continue;
        }
        size_t n = ws_utf8_sequence(p + at, text.len - at);
        if (n == 0)
            return 0;
        at += n;
    }
    return 1;
}

size_t ws_utf8_decode(ws_str text, size_t at, uint32_t *code_point)
{
    const uint8_t *p = (const uint8_t *)text.ptr + at;
    size_t n = ws_utf8_sequence(p, text.len - at);
    switch (n) {
    case 1:
        *code_point = p[0];
        return 1;
    case 2:
        *code_point = (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3fu);
        return 2;
    case 3:
        *code_point = (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3fu);
        return 3;
    case 4:
        *code_point = (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3f) << 12 |
                      (uint32_t)(p[2] & 0x3f) << 6 | (p[3] & 0x3fu);
        return 4;
    default:
        *code_point = WS_REPLACEMENT;
        return 1;
    }
}

size_t ws_utf8_encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3f));
        out[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3f));
    out[2] = (char)(0x80 | (c >> 6 & 0x3f));
    out[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

size_t ws_utf8_floor(ws_str text, size_t at)
{
    while (at > 0 && at < text.len && is_continuation((uint8_t)text.ptr[at]))
        at--;
    return at;
}

size_t ws_utf8_ceil(ws_str text, size_t at)
{
    while (at > 0 && at < text.len && is_continuation((uint8_t)text.ptr[at]))
        at++;
    return at;
}

size_t ws_utf8_count(ws_str text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        n += !is_continuation((uint8_t)text.ptr[i]);
    return n;
}

size_t ws_utf8_skip(ws_str text, size_t n)
{
    size_t at = 0;
    for (; n > 0 && at < text.len; n--)
        at = ws_utf8_ceil(text, at + 1);
    return at;
}
