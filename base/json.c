#include "base/json.h"

#include <math.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/utf8.h"

#define DEPTH_MAX     64u
#define EXACT_INTEGER ((uint64_t)1 << 53) /* what a double, and so JavaScript, holds exactly */
#define REPLACEMENT   "\xef\xbf\xbd"      /* U+FFFD in UTF-8 */
#define DECIMALS_MAX  17

void ws_json_init(ws_json *j, ws_buf *buf)
{
    j->buf = buf;
    j->depth = 0;
    j->after_key = 0;
    j->has_item = 0;
}

static void fail(ws_json *j, ws_status status)
{
    if (!j->buf->status)
        j->buf->status = status;
}

/* The comma that separates this value or key from the one before it at the same level. */
static void separate(ws_json *j)
{
    if (!j->depth)
        return;
    uint64_t level = (uint64_t)1 << (j->depth - 1);
    if (j->has_item & level)
        ws_buf_u8(j->buf, ',');
    j->has_item |= level;
}

static void before_value(ws_json *j)
{
    if (j->after_key)
        j->after_key = 0;
    else
        separate(j);
}

static void open_level(ws_json *j, uint8_t bracket)
{
    if (j->buf->status)
        return;
    if (j->depth == DEPTH_MAX) {
        fail(j, WS_ERR_LIMIT);
        return;
    }
    before_value(j);
    ws_buf_u8(j->buf, bracket);
    j->has_item &= ~((uint64_t)1 << j->depth);
    j->depth++;
}

static void close_level(ws_json *j, uint8_t bracket)
{
    if (j->buf->status)
        return;
    if (!j->depth) {
        fail(j, WS_ERR_STATE);
        return;
    }
    j->depth--;
    ws_buf_u8(j->buf, bracket);
}

void ws_json_object(ws_json *j)
{
    open_level(j, '{');
}

void ws_json_end_object(ws_json *j)
{
    close_level(j, '}');
}

void ws_json_array(ws_json *j)
{
    open_level(j, '[');
}

void ws_json_end_array(ws_json *j)
{
    close_level(j, ']');
}

static void escape_ascii(ws_buf *buf, uint8_t c)
{
    switch (c) {
    case '"':
        ws_buf_cstr(buf, "\\\"");
        break;
    case '\\':
        ws_buf_cstr(buf, "\\\\");
        break;
    case '\n':
        ws_buf_cstr(buf, "\\n");
        break;
    case '\r':
        ws_buf_cstr(buf, "\\r");
        break;
    case '\t':
        ws_buf_cstr(buf, "\\t");
        break;
    default:
        ws_buf_printf(buf, "\\u%04x", c);
    }
}

static int is_plain_ascii(uint8_t c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
}

/* U+2028 and U+2029 (E2 80 A8, E2 80 A9) end a line in old JavaScript. */
static int is_line_separator(const uint8_t *p)
{
    return p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9);
}

static void write_string(ws_buf *buf, ws_str value)
{
    const uint8_t *p = (const uint8_t *)value.ptr;
    size_t i = 0, start = 0; /* [start, i) is text that goes out as it is */
    ws_buf_u8(buf, '"');
    while (i < value.len) {
        size_t length = is_plain_ascii(p[i]) ? 1 : ws_utf8_sequence(p + i, value.len - i);
        int plain = is_plain_ascii(p[i]) || length == 2 || length == 4 ||
                    (length == 3 && !is_line_separator(p + i));
        if (plain) {
            i += length;
            continue;
        }
        ws_buf_append(buf, p + start, i - start);
        if (!length)
            ws_buf_cstr(buf, REPLACEMENT);
        else if (length == 3)
            ws_buf_printf(buf, "\\u20%02x", p[i + 2] - 0x80);
        else
            escape_ascii(buf, p[i]);
        i += length ? length : 1;
        start = i;
    }
    if (value.len)
        ws_buf_append(buf, p + start, i - start);
    ws_buf_u8(buf, '"');
}

void ws_json_key_str(ws_json *j, ws_str name)
{
    separate(j);
    write_string(j->buf, name);
    ws_buf_u8(j->buf, ':');
    j->after_key = 1;
}

void ws_json_key(ws_json *j, const char *name)
{
    ws_json_key_str(j, ws_cstr(name));
}

void ws_json_str(ws_json *j, ws_str value)
{
    before_value(j);
    write_string(j->buf, value);
}

void ws_json_cstr(ws_json *j, const char *value)
{
    if (value)
        ws_json_str(j, ws_cstr(value));
    else
        ws_json_null(j);
}

/* Digits by hand: results are full of small numbers, and printf takes ten times as long. */
static void write_integer(ws_json *j, uint64_t magnitude, int negative)
{
    char text[24]; /* 20 digits, sign, two quotes */
    char *end = text + sizeof text, *at = end;
    int quoted = magnitude > EXACT_INTEGER;
    if (quoted)
        *--at = '"';
    do
        *--at = (char)('0' + magnitude % 10);
    while (magnitude /= 10);
    if (negative)
        *--at = '-';
    if (quoted)
        *--at = '"';
    before_value(j);
    ws_buf_append(j->buf, at, (size_t)(end - at));
}

void ws_json_u64(ws_json *j, uint64_t value)
{
    write_integer(j, value, 0);
}

void ws_json_i64(ws_json *j, int64_t value)
{
    write_integer(j, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

void ws_json_double(ws_json *j, double value, int decimals)
{
    char text[512]; /* 309 digits of the largest double, sign, point, decimals */
    if (!isfinite(value)) {
        ws_json_null(j);
        return;
    }
    decimals = WS_MAX(WS_MIN(decimals, DECIMALS_MAX), 0);
    int n = snprintf(text, sizeof text, "%.*f", decimals, value);
    before_value(j);
    /* The decimal point follows the process locale, which is not ours to set; it may be several
     * bytes. */
    int integer = n - decimals;
    while (integer > 0 && decimals && !(text[integer - 1] >= '0' && text[integer - 1] <= '9'))
        integer--;
    ws_buf_append(j->buf, text, (size_t)integer);
    if (decimals) {
        ws_buf_u8(j->buf, '.');
        ws_buf_append(j->buf, text + n - decimals, (size_t)decimals);
    }
}

void ws_json_bool(ws_json *j, int value)
{
    before_value(j);
    ws_buf_cstr(j->buf, value ? "true" : "false");
}

void ws_json_null(ws_json *j)
{
    before_value(j);
    ws_buf_cstr(j->buf, "null");
}

void ws_json_raw(ws_json *j, ws_str json)
{
    before_value(j);
    ws_buf_str(j->buf, json);
}

void ws_json_kstr(ws_json *j, const char *name, ws_str value)
{
    ws_json_key(j, name);
    ws_json_str(j, value);
}

void ws_json_kcstr(ws_json *j, const char *name, const char *value)
{
    ws_json_key(j, name);
    ws_json_cstr(j, value);
}

void ws_json_ku64(ws_json *j, const char *name, uint64_t value)
{
    ws_json_key(j, name);
    ws_json_u64(j, value);
}

void ws_json_kbool(ws_json *j, const char *name, int value)
{
    ws_json_key(j, name);
    ws_json_bool(j, value);
}
