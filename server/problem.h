/* Errors as the HTTP interface tells them: RFC 9457 problem documents with stable codes.
 *
 * The code is the contract (docs/http-api.md lists all of them); the detail is for people. */
#ifndef WS_SERVER_PROBLEM_H
#define WS_SERVER_PROBLEM_H

#include "base/buf.h"

typedef enum {
    WS_PROBLEM_NONE,
    WS_PROBLEM_BAD_REQUEST,
    WS_PROBLEM_INVALID_JSON,
    WS_PROBLEM_INVALID_UTF8,
    WS_PROBLEM_INVALID_PARAMETER,
    WS_PROBLEM_UNKNOWN_PARAMETER,
    WS_PROBLEM_LIMIT_EXCEEDED,
    WS_PROBLEM_INVALID_FILTER,
    WS_PROBLEM_MISSING_KEY,
    WS_PROBLEM_INVALID_KEY,
    WS_PROBLEM_INSUFFICIENT_SCOPE,
    WS_PROBLEM_INDEX_NOT_FOUND,
    WS_PROBLEM_DOCUMENT_NOT_FOUND,
    WS_PROBLEM_NO_SUCH_ROUTE,
    WS_PROBLEM_METHOD_NOT_ALLOWED,
    WS_PROBLEM_REQUEST_TIMEOUT,
    WS_PROBLEM_BODY_TOO_LARGE,
    WS_PROBLEM_URI_TOO_LONG,
    WS_PROBLEM_UNSUPPORTED_MEDIA_TYPE,
    WS_PROBLEM_UNSUPPORTED_ENCODING,
    WS_PROBLEM_EXPECTATION_FAILED,
    WS_PROBLEM_HEADERS_TOO_LARGE,
    WS_PROBLEM_INTERNAL,
    WS_PROBLEM_METHOD_UNKNOWN,
    WS_PROBLEM_TRANSFER_CODING_UNSUPPORTED,
    WS_PROBLEM_OVERLOADED,
    WS_PROBLEM_SHUTTING_DOWN,
    WS_PROBLEM_NOT_READY,
    WS_PROBLEM_TIMEOUT_NO_RESULTS,
    WS_PROBLEM_HTTP_VERSION_UNSUPPORTED,
    WS_PROBLEMS
} ws_problem_kind;

/* One error. `pointer` (a JSON pointer such as "/limit") adds an "errors" array with one entry. */
typedef struct {
    ws_problem_kind kind;
    char detail[256];
    char pointer[48];      /* empty: no "errors" */
    const char *item_code; /* "out_of_range", "duplicate", ...; static; may be NULL */
    uint64_t max;          /* the largest value allowed, when has_max */
    int has_max;
    unsigned retry_after_s; /* Retry-After header; 0 = none; ws_problem_set puts 1 with every 503 */
} ws_problem;

uint16_t ws_problem_status(ws_problem_kind kind);   /* HTTP status; 200 for WS_PROBLEM_NONE */
const char *ws_problem_code(ws_problem_kind kind);  /* "unknown_parameter"; static */
const char *ws_problem_title(ws_problem_kind kind); /* one short English phrase; static */

/* Fills *problem: kind, printf-style detail (cut at 255 bytes, never inside a UTF-8 sequence), the
 * rest empty. */
void ws_problem_set(ws_problem *problem, ws_problem_kind kind, const char *format, ...)
    WS_PRINTF(3, 4);

/* Says which parameter it is about.
 *   name       parameter; a '/' is put before it
 *   item_code  static text */
void ws_problem_point(ws_problem *problem, ws_str name, const char *item_code);

/* Appends the problem document to `out`.
 *   instance    path of the request; empty = left out
 *   request_id  empty = left out */
void ws_problem_write(ws_buf *out, const ws_problem *problem, ws_str instance, ws_str request_id);

#endif
