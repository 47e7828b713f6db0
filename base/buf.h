/* Growable byte buffer. [1]. Failures are sticky: after one, every append does nothing and
 * ws_buf_status says WS_ERR_NOMEM, so that a writer checks once at its end. */
#ifndef WS_BASE_BUF_H
#define WS_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "wikisearch/status.h"

typedef struct {
    uint8_t *data;
    size_t len, cap;
    ws_status status; /* WS_OK or WS_ERR_NOMEM; the JSON writer sets others */
} ws_buf;

void ws_buf_init(ws_buf *buf);                       /* empty, no memory held */
void ws_buf_fini(ws_buf *buf);                       /* frees; as after init */
void ws_buf_clear(ws_buf *buf);                      /* len = 0, status = WS_OK, keeps the memory */
ws_status ws_buf_status(const ws_buf *buf);          /* the sticky status */
ws_status ws_buf_reserve(ws_buf *buf, size_t extra); /* room for `extra` more bytes */
uint8_t *ws_buf_extend(ws_buf *buf, size_t n);       /* n uninitialised bytes; NULL on failure */
void ws_buf_append(ws_buf *buf, const void *bytes, size_t n);
void ws_buf_str(ws_buf *buf, ws_str s);
void ws_buf_cstr(ws_buf *buf, const char *text);
void ws_buf_printf(ws_buf *buf, const char *format, ...) WS_PRINTF(2, 3);
void ws_buf_u8(ws_buf *buf, uint8_t v);
void ws_buf_u16le(ws_buf *buf, uint16_t v);
void ws_buf_u32le(ws_buf *buf, uint32_t v);
void ws_buf_u64le(ws_buf *buf, uint64_t v);
void ws_buf_varint(ws_buf *buf, uint64_t v);      /* LEB128, 1 to 10 bytes */
void ws_buf_align(ws_buf *buf, size_t alignment); /* zeros to a multiple of a power of two */

static inline ws_str ws_buf_slice(const ws_buf *buf)
{
    ws_str s = {(const char *)buf->data, buf->len};
    return s;
}

#endif
