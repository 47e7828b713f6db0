/* Strict check of a raw request head before the parser sees it.
 *
 * The parser forgives what makes two programs in a row disagree about where a request ends: bare CR
 * or LF, folded fields, spaces before the colon, missing or repeated Host, Content-Length beside
 * Transfer-Encoding. Each of these is refused here, as RFC 9112 allows a server to do, together
 * with the limits on the request line and on the whole head.
 *
 * The scan is a byte automaton over a growing buffer: its verdict depends on the bytes alone, never
 * on how they were cut into packets. [1] per scan; no allocation.
 */
#ifndef WS_SERVER_PRESCAN_H
#define WS_SERVER_PRESCAN_H

#include "server/problem.h"

#define WS_REQUEST_LINE_MAX 8192u  /* bytes, CRLF left out: more is 414 */
#define WS_HEAD_MAX         16384u /* bytes of the whole head: more is 431 */
#define WS_HEAD_FIELDS_MAX  64u

typedef enum { WS_PRESCAN_MORE, WS_PRESCAN_DONE, WS_PRESCAN_REFUSED } ws_prescan_result;

/* How the end of the body is found. */
typedef enum { WS_FRAMING_NONE, WS_FRAMING_LENGTH, WS_FRAMING_CHUNKED } ws_framing;

/* A verdict against the request. */
typedef struct {
    ws_problem_kind kind; /* WS_PROBLEM_NONE: none */
    const char *detail;   /* static */
} ws_refusal;

typedef struct {
    uint32_t pos;        /* bytes examined; after WS_PRESCAN_DONE the length of the head */
    uint32_t line_start; /* of the request line: 2 after an empty line before it, else 0 */
    uint32_t method_end, target_start, target_end;
    uint32_t name_start, name_end, value_start; /* of the field being read */
    uint64_t content_length;                    /* WS_FRAMING_LENGTH */
    uint8_t state, version_pos, major, minor;
    uint8_t n_fields, n_hosts, framing; /* framing: ws_framing */
    ws_refusal refusal;                 /* after WS_PRESCAN_REFUSED */
} ws_prescan;

void ws_prescan_init(ws_prescan *scan);

/* Goes on scanning.
 *   head  the head from its first byte, as far as it has come; may have moved since the last call
 *   len   bytes there are, never fewer than last time; bytes after the head are not looked at
 * O(new bytes). */
ws_prescan_result ws_prescan_feed(ws_prescan *scan, const char *head, size_t len);

/* True when `name` is the lower-case ASCII text `lower`, in any case. */
int ws_field_name_is(ws_str name, const char *lower);

/* True for the characters of an RFC 9110 token. */
int ws_is_token_char(unsigned char c);

/* True for a well-formed value of Host: a name, IPv4 or bracketed IPv6 address, with or without a
 * port. */
int ws_host_is_valid(ws_str value);

#endif
