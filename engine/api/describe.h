/* Pieces that the JSON descriptions of an index and of its parts share. */
#ifndef WS_API_DESCRIBE_H
#define WS_API_DESCRIBE_H

#include "base/json.h"
#include "engine/api/api_int.h"

/* key: 16 hexadecimal digits in a string. */
void ws_json_khex(ws_json *j, const char *key, uint64_t value);

/* Bytes of the files that a snapshot names: segments and live bits. */
uint64_t ws_snapshot_bytes(const ws_snapshot *s);

/* Adds the bytes of a segment's sections by kind. */
void ws_segment_section_bytes(const ws_segment *segment, uint64_t bytes[WS_KIND_MAX + 1]);

/* Object of section name to bytes; empty ones are left out. */
void ws_json_sections(ws_json *j, const uint64_t bytes[WS_KIND_MAX + 1]);

/* Turns a buffer into a text (the bytes move); on failure the buffer is freed. */
ws_status ws_buf_to_text(ws_buf *buf, ws_text *out, ws_error *error);

#endif
