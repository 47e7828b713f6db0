/* JSON writer into a ws_buf: commas and nesting are kept for the caller; no parser. [1].
 *
 * Strings: invalid UTF-8 becomes U+FFFD; control bytes, '"', '\\', '<', '>', '&', U+2028 and U+2029
 * are escaped, so that the text is safe inside HTML too. Numbers beyond 2^53 are written as strings
 * (ws_json_u64 and i64). Errors are the buffer's sticky status; depth beyond 64 sets it as well. */
#ifndef WS_BASE_JSON_H
#define WS_BASE_JSON_H

#include "base/buf.h"

typedef struct {
    ws_buf *buf;
    uint8_t depth;
    uint8_t after_key;
    uint64_t has_item; /* one bit a level: a comma is needed */
} ws_json;

void ws_json_init(ws_json *j, ws_buf *buf); /* appends to buf */
void ws_json_object(ws_json *j);            /* { */
void ws_json_end_object(ws_json *j);        /* } */
void ws_json_array(ws_json *j);             /* [ */
void ws_json_end_array(ws_json *j);         /* ] */
void ws_json_key(ws_json *j, const char *name);
void ws_json_key_str(ws_json *j, ws_str name);
void ws_json_str(ws_json *j, ws_str value);
void ws_json_cstr(ws_json *j, const char *value); /* NULL writes null */
void ws_json_u64(ws_json *j, uint64_t value);
void ws_json_i64(ws_json *j, int64_t value);
/* fixed decimals; NaN and infinity write null */
void ws_json_double(ws_json *j, double value, int decimals);
void ws_json_bool(ws_json *j, int value);
void ws_json_null(ws_json *j);
void ws_json_raw(ws_json *j, ws_str json); /* already JSON */

/* key + value in one call */
void ws_json_kstr(ws_json *j, const char *name, ws_str value);
void ws_json_kcstr(ws_json *j, const char *name, const char *value);
void ws_json_ku64(ws_json *j, const char *name, uint64_t value);
void ws_json_kbool(ws_json *j, const char *name, int value);

#endif
