#include "base/json.h"

#include <math.h>
#include <stdio.h>

#include "base/bytes.h"

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

/* Length of the well-formed UTF-8 sequence at `p` (1 to 4), or 0. Table 3-7 of the Unicode
 * standard: the second byte's range depends on the first, which excludes overlong forms and
 * surrogates. */
static size_t sequence_length(const uint8_t *p, size_t n)
{
    uint8_t lead = p[0], low = 0x80, high = 0xbf;
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (lead == 0xe0)
        low = 0xa0;
    else if (lead == 0xed)
        high = 0x9f;
    else if (lead == 0xf0)
        low = 0x90;
    else if (lead == 0xf4)
        high = 0x8f;
    else if (lead > 0xf4)
        return 0;
    if (length > n)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if (p[i] < low || p[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return length;
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
        size_t length = is_plain_ascii(p[i]) ? 1 : sequence_length(p + i, value.len - i);
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

void ws_json_u64(ws_json *j, uint64_t value)
{
    const char *quote = value > EXACT_INTEGER ? "\"" : "";
    before_value(j);
    ws_buf_printf(j->buf, "%s%llu%s", quote, (unsigned long long)value, quote);
}

void ws_json_i64(ws_json *j, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const char *quote = magnitude > EXACT_INTEGER ? "\"" : "";
    before_value(j);
    ws_buf_printf(j->buf, "%s%lld%s", quote, (long long)value, quote);
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
