/* Which path means what. */
#ifndef WS_SERVER_ROUTE_H
#define WS_SERVER_ROUTE_H

#include "server/auth.h"
#include "server/metrics.h"
#include "server/problem.h"

typedef struct ws_exchange ws_exchange;

/* What a handler did on the I/O thread. */
typedef enum {
    WS_ANSWERED,  /* the response, or the problem, is there */
    WS_NEEDS_WORK /* job.lane and job.run are set: give it to a worker */
} ws_handled;

#define WS_ALLOW(method) (1u << (method))
#define WS_ALLOW_GET     (WS_ALLOW(WS_METHOD_GET) | WS_ALLOW(WS_METHOD_HEAD))

typedef struct {
    const char *path; /* exact; with has_argument the part before the last segment */
    ws_handled (*handle)(ws_exchange *ex);
    uint16_t allow; /* WS_ALLOW bits; OPTIONS is answered for all */
    uint8_t has_argument;
    uint8_t access; /* ws_access */
    uint8_t label;  /* ws_route_label */
} ws_route;

/* Finds the route of a path; /v1/indexes/default/X is /v1/X.
 *   argument  out: the raw last segment of a route that has one
 * Returns NULL with *problem filled when there is none. O(routes). [any] */
const ws_route *ws_route_find(ws_str path, ws_str *argument, ws_problem *problem);

/* Appends the methods of a route, "GET, HEAD, OPTIONS". `route` NULL: those of the whole server. */
void ws_route_write_allow(const ws_route *route, ws_buf *out);

/* Handlers. */
ws_handled ws_handle_search(ws_exchange *ex);
ws_handled ws_handle_document(ws_exchange *ex);
ws_handled ws_handle_documents(ws_exchange *ex);
ws_handled ws_handle_analyze(ws_exchange *ex);
ws_handled ws_handle_stats(ws_exchange *ex);
ws_handled ws_handle_config(ws_exchange *ex);
ws_handled ws_handle_live(ws_exchange *ex);
ws_handled ws_handle_ready(ws_exchange *ex);
ws_handled ws_handle_metrics(ws_exchange *ex);
ws_handled ws_handle_version(ws_exchange *ex);
ws_handled ws_handle_static(ws_exchange *ex);

#endif
