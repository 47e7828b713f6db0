/* The body of a request: counted (Content-Length) or chunked, strictly.
 *
 * The chunked form accepted is the plain one of RFC 9112 7.1 without extensions and without trailer
 * fields: nothing that reaches a service like this one uses them, and each has been a way to make
 * two programs disagree about where a request ends. The verdict depends on the bytes alone, never
 * on how they were cut. [1] per body. */
#ifndef WS_SERVER_BODY_H
#define WS_SERVER_BODY_H

#include "server/prescan.h"

typedef enum { WS_BODY_MORE, WS_BODY_DONE, WS_BODY_REFUSED } ws_body_result;

typedef struct {
    uint64_t left;  /* bytes of the body, or of this chunk, still to come */
    uint64_t total; /* bytes of content so far */
    uint64_t limit; /* content beyond this is WS_PROBLEM_BODY_TOO_LARGE */
    uint8_t state, digits;
    ws_refusal refusal; /* after WS_BODY_REFUSED */
} ws_body;

/* Starts a body.
 *   framing  WS_FRAMING_LENGTH or WS_FRAMING_CHUNKED (WS_FRAMING_NONE is a body of length 0)
 *   length   bytes, for WS_FRAMING_LENGTH
 *   limit    largest content accepted, bytes */
void ws_body_init(ws_body *body, ws_framing framing, uint64_t length, uint64_t limit);

/* Reads on.
 *   consumed  out: how many of data[len] belong to this body
 *   out       content is appended; NULL = thrown away
 * An allocation failure is in the buffer's sticky status. */
ws_body_result ws_body_feed(ws_body *body, const char *data, size_t len, size_t *consumed,
                            ws_buf *out);

#endif
