#include "server/uri.h"

#include <stdlib.h>

#include "base/utf8.h"

const char *ws_decode_text(ws_decode_result result)
{
    switch (result) {
    case WS_DECODE_OK:
        return "fine";
    case WS_DECODE_PERCENT:
        return "a '%' must be followed by two hexadecimal digits";
    case WS_DECODE_UTF8:
        return "the decoded text is not valid UTF-8";
    case WS_DECODE_CONTROL:
        return "the decoded text holds a control character";
    default:
        return "out of memory";
    }
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes into out[in.len]; returns the length, or SIZE_MAX for a bad '%'. */
static size_t decode(ws_str in, int form, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < in.len; i++) {
        char c = in.ptr[i];
        if (c == '%') {
            int high = in.len - i > 2 ? hex_value(in.ptr[i + 1]) : -1;
            int low = in.len - i > 2 ? hex_value(in.ptr[i + 2]) : -1;
            if (high < 0 || low < 0)
                return SIZE_MAX;
            c = (char)(high * 16 + low);
            i += 2;
        } else if (c == '+' && form) {
            c = ' ';
        }
        out[n++] = c;
    }
    return n;
}

ws_decode_result ws_percent_decode(ws_str in, int form, ws_arena *arena, ws_str *out)
{
    *out = (ws_str){NULL, 0};
    char *text = ws_arena_alloc(arena, in.len + 1);
    if (text == NULL)
        return WS_DECODE_NOMEM;
    size_t n = decode(in, form, text);
    if (n == SIZE_MAX)
        return WS_DECODE_PERCENT;
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return WS_DECODE_CONTROL;
    }
    if (!ws_utf8_valid((ws_str){text, n}))
        return WS_DECODE_UTF8;
    text[n] = 0;
    *out = (ws_str){text, n};
    return WS_DECODE_OK;
}
