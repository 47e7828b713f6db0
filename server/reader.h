/* Requests out of a byte stream: pre-scan, parser and body reader put together, without sockets.
 *
 *   bytes -> pre-scan (strict) -> llhttp -> WS_READ_HEAD -> body -> WS_READ_DONE -> bytes of the
 * next request ...
 *
 * The sequence of requests and refusals depends on the bytes alone, never on how they were cut into
 * calls. [1]. */
#ifndef WS_SERVER_READER_H
#define WS_SERVER_READER_H

#include "server/body.h"
#include "server/request.h"

typedef enum {
    WS_READ_MORE, /* needs more bytes */
    WS_READ_HEAD, /* reader->request is new and the caller's; its body, which may be empty, follows
                   */
    WS_READ_DONE, /* that request is complete */
    WS_READ_REFUSED /* reader->refusal says why; the stream can't be read any further */
} ws_read_result;

typedef struct {
    ws_prescan scan;
    ws_body body;
    ws_request
        *request; /* from WS_READ_HEAD to WS_READ_DONE; the caller's, must stay alive until then */
    ws_refusal refusal;
    uint64_t body_limit; /* bytes */
    uint8_t in_body;
} ws_reader;

void ws_reader_init(ws_reader *reader, uint64_t body_limit); /* holds no memory */

/* Reads on.
 *   data      the bytes not consumed yet, oldest first: what is not consumed must come again, with
 *             more behind it
 *   consumed  out: bytes that are done with
 * After WS_READ_HEAD call again (with the rest of the bytes, even none) to go on with the body. */
ws_read_result ws_reader_feed(ws_reader *reader, const char *data, size_t len, size_t *consumed);

/* True when a part of a head or body has been seen; `len` = bytes not consumed. */
int ws_reader_is_busy(const ws_reader *reader, size_t len);

#endif
