/* UTF-8: validation, decoding, stepping. [any]. */
#ifndef WS_BASE_UTF8_H
#define WS_BASE_UTF8_H

#include <stdint.h>

#include "wikisearch/status.h"

#define WS_REPLACEMENT 0xfffdu

/* Bytes of the well-formed sequence at p (1 to 4; left > 0 bytes may be read), 0 when there is
 * none: table 3-7 of the Unicode standard, where the second byte's range depends on the first. */
size_t ws_utf8_sequence(const uint8_t *p, size_t left);

/* True when `text` is valid UTF-8: no overlong form, no surrogate, nothing above U+10FFFF. Linear;
 * ASCII at 8 bytes a step. */
int ws_utf8_valid(ws_str text);

/* Decodes the code point at text[at] (at < text.len) and returns its length in bytes. An invalid
 * byte gives WS_REPLACEMENT and length 1. */
size_t ws_utf8_decode(ws_str text, size_t at, uint32_t *code_point);

/* Writes a code point (a valid scalar value) to out[4]; returns 1 to 4. */
size_t ws_utf8_encode(uint32_t code_point, char *out);

/* The largest boundary <= at, and the smallest >= at (at <= text.len). A boundary is 0, text.len,
 * or a byte that is no continuation. */
size_t ws_utf8_floor(ws_str text, size_t at);
size_t ws_utf8_ceil(ws_str text, size_t at);

/* Number of code points: bytes that are no continuation. */
size_t ws_utf8_count(ws_str text);

/* Byte after the first n code points, or text.len when there are fewer. */
size_t ws_utf8_skip(ws_str text, size_t n);

#endif
