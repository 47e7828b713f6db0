/* A parsed request: what the parser made of a head that passed the pre-scan, and its body. */
#ifndef WS_SERVER_REQUEST_H
#define WS_SERVER_REQUEST_H

#include "server/prescan.h"

typedef enum {
    WS_METHOD_GET,
    WS_METHOD_HEAD,
    WS_METHOD_POST,
    WS_METHOD_PUT,
    WS_METHOD_PATCH,
    WS_METHOD_DELETE,
    WS_METHOD_OPTIONS,
    WS_METHOD_CONNECT,
    WS_METHOD_TRACE,
    WS_METHODS
} ws_method;

/* Header fields that something reads. The first one counts when a client repeats it. */
typedef enum {
    WS_HEADER_ACCEPT_ENCODING,
    WS_HEADER_AUTHORIZATION,
    WS_HEADER_CONTENT_ENCODING,
    WS_HEADER_CONTENT_TYPE,
    WS_HEADER_EXPECT,
    WS_HEADER_FORWARDED,
    WS_HEADER_IF_NONE_MATCH,
    WS_HEADER_VIA,
    WS_HEADER_X_API_KEY,
    WS_HEADER_X_FORWARDED_FOR,
    WS_HEADER_X_REQUEST_ID,
    WS_HEADER_X_WS,
    WS_HEADERS
} ws_header;

typedef struct {
    uint8_t method;     /* ws_method */
    uint8_t minor;      /* HTTP/1.minor */
    uint8_t keep_alive; /* 1: the client lets the connection stay open */
    uint8_t framing;    /* ws_framing */
    uint64_t content_length;
    ws_str line;               /* request line without CRLF, for the log; ASCII */
    ws_str target;             /* as sent, but bytes from 0x80 on are percent-encoded */
    ws_str path, query;        /* of the target; query without '?' */
    ws_str fields[WS_HEADERS]; /* {NULL, 0} when absent */
    ws_buf body;
    char *head; /* owned; what all slices point into */
} ws_request;

/* Parses a head.
 *   out   new request; free with ws_request_free; NULL when refused
 *   head  scan->pos bytes that ws_prescan_feed called done
 * Returns 1, or 0 with *refusal filled. Copies the head. [any] */
int ws_request_parse(ws_request **out, const char *head, const ws_prescan *scan,
                     ws_refusal *refusal);

void ws_request_free(ws_request *request); /* NULL does nothing */

const char *ws_method_name(unsigned method); /* "GET"; static */

#endif
