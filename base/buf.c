#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

#define FIRST_CAP 64u

void ws_buf_init(ws_buf *buf)
{
    memset(buf, 0, sizeof *buf);
}

void ws_buf_fini(ws_buf *buf)
{
    ws_free(buf->data);
    ws_buf_init(buf);
}

void ws_buf_clear(ws_buf *buf)
{
    buf->len = 0;
    buf->status = WS_OK;
}

ws_status ws_buf_status(const ws_buf *buf)
{
    return buf->status;
}

static ws_status grow(ws_buf *buf, size_t extra)
{
    size_t need;
    if (__builtin_add_overflow(buf->len, extra, &need))
        return buf->status = WS_ERR_NOMEM;
    size_t cap = buf->cap > SIZE_MAX / 2 ? SIZE_MAX : buf->cap * 2;
    cap = WS_MAX(WS_MAX(cap, need), FIRST_CAP);
    uint8_t *data = ws_realloc(buf->data, cap);
    if (!data)
        return buf->status = WS_ERR_NOMEM;
    buf->data = data;
    buf->cap = cap;
    return WS_OK;
}

ws_status ws_buf_reserve(ws_buf *buf, size_t extra)
{
    if (buf->status)
        return buf->status;
    return buf->cap - buf->len >= extra && buf->data ? WS_OK : grow(buf, extra);
}

uint8_t *ws_buf_extend(ws_buf *buf, size_t n)
{
    if (ws_buf_reserve(buf, n))
        return NULL;
    uint8_t *at = buf->data + buf->len;
    buf->len += n;
    return at;
}

void ws_buf_append(ws_buf *buf, const void *bytes, size_t n)
{
    uint8_t *at = n ? ws_buf_extend(buf, n) : NULL;
    if (at)
        memcpy(at, bytes, n);
}

void ws_buf_str(ws_buf *buf, ws_str s)
{
    ws_buf_append(buf, s.ptr, s.len);
}

void ws_buf_cstr(ws_buf *buf, const char *text)
{
    ws_buf_str(buf, ws_cstr(text));
}

void ws_buf_printf(ws_buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    /* The terminating NUL is written too, but stays outside `len`. */
    if (n > 0 && !ws_buf_reserve(buf, (size_t)n + 1)) {
        vsnprintf((char *)buf->data + buf->len, (size_t)n + 1, format, again);
        buf->len += (size_t)n;
    }
    va_end(again);
}

void ws_buf_u8(ws_buf *buf, uint8_t v)
{
    uint8_t *at = ws_buf_extend(buf, 1);
    if (at)
        *at = v;
}

void ws_buf_u16le(ws_buf *buf, uint16_t v)
{
    uint8_t *at = ws_buf_extend(buf, sizeof v);
    if (at)
        ws_store_u16le(at, v);
}

void ws_buf_u32le(ws_buf *buf, uint32_t v)
{
    uint8_t *at = ws_buf_extend(buf, sizeof v);
    if (at)
        ws_store_u32le(at, v);
}

void ws_buf_u64le(ws_buf *buf, uint64_t v)
{
    uint8_t *at = ws_buf_extend(buf, sizeof v);
    if (at)
        ws_store_u64le(at, v);
}

void ws_buf_varint(ws_buf *buf, uint64_t v)
{
    uint8_t bytes[10];
    ws_buf_append(buf, bytes, ws_varint_put(bytes, v));
}

void ws_buf_align(ws_buf *buf, size_t alignment)
{
    size_t pad = (size_t)-buf->len & (alignment - 1);
    uint8_t *at = pad ? ws_buf_extend(buf, pad) : NULL;
    if (at)
        memset(at, 0, pad);
}
