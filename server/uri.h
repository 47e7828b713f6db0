/* Percent-decoding, strictly, and the UTF-8 check behind it. [any] */
#ifndef WS_SERVER_URI_H
#define WS_SERVER_URI_H

#include "base/arena.h"

typedef enum {
    WS_DECODE_OK,
    WS_DECODE_PERCENT, /* '%' without two hexadecimal digits */
    WS_DECODE_UTF8,    /* the result is not UTF-8 (overlong forms and surrogates included) */
    WS_DECODE_CONTROL, /* the result holds a byte below 0x20, or 0x7f */
    WS_DECODE_NOMEM
} ws_decode_result;

/* Decodes one component of a URL.
 *   form   1: '+' is a space, as in a query string
 *   arena  owns the result
 *   out    the decoded text, NUL-terminated beyond its length; empty on failure */
ws_decode_result ws_percent_decode(ws_str in, int form, ws_arena *arena, ws_str *out);

const char *ws_decode_text(ws_decode_result result); /* what is wrong, in English; static */

#endif
