/* One request and its answer, from the end of the head to the last byte handed to the kernel.
 *
 * Belongs to the I/O thread, except from ws_pool_submit until the job comes back, when the worker
 * has everything but `conn`. It lives without its connection when the client left while a worker
 * had it.
 */
#ifndef WS_SERVER_EXCHANGE_H
#define WS_SERVER_EXCHANGE_H

#include "base/arena.h"
#include "server/metrics.h"
#include "server/problem.h"
#include "server/queue.h"
#include "server/request.h"
#include "server/route.h"
#include "server/view.h"

struct ws_conn;
struct ws_server;
struct ws_search_task;

typedef struct {
    uint16_t status; /* 0 = 200 */
    const char *content_type;
    ws_buf body;
    const void *fixed; /* a body that lives as long as the process, instead of `body` */
    size_t fixed_len;
    ws_buf headers; /* whole lines with CRLF */
} ws_response;

struct ws_exchange {
    ws_job job; /* first: a job is its exchange */
    struct ws_server *server;
    struct ws_conn *conn;        /* NULL: the client left. I/O thread */
    ws_request *request;         /* owned; NULL when there was no readable head */
    const ws_route *route;       /* NULL: none matched */
    ws_view *view;               /* reference; NULL while nothing is loaded */
    struct ws_search_task *task; /* of a search, in the arena */
    ws_str argument;             /* decoded last segment of the path */
    /* Called in the I/O thread instead of answering, when a worker's part is done; NULL = answer.
     */
    ws_handled (*resume)(ws_exchange *ex);
    ws_arena arena;
    ws_budget budget;
    ws_problem problem; /* kind other than NONE: this is the answer */
    ws_response response;
    uint64_t received_ns; /* end of the head */
    uint64_t cpu_ns;      /* of the I/O thread and the worker */
    char id[64];          /* X-Request-Id */
    char failure[640];    /* what to log about an internal error; empty = nothing */
};

/* Turns the status of a library call that failed into ex->problem; paths and system messages go to
 * the log only. error  of the call what   for the log: "search"; static */
void ws_exchange_fail(ws_exchange *ex, ws_status status, const ws_error *error, const char *what);

/* Sets ex->problem to "out of memory". Returns WS_ANSWERED. */
ws_handled ws_exchange_out_of_memory(ws_exchange *ex);

/* True when an index is loaded; else ex->problem is set. */
int ws_exchange_needs_view(ws_exchange *ex);

/* Refuses every parameter in the query string. Returns 1, or 0 with ex->problem set. */
int ws_exchange_no_params(ws_exchange *ex);

/* Sets content type "application/json; charset=utf-8" and a Cache-Control value; takes a body
 * without copying it. */
void ws_exchange_json(ws_exchange *ex, const char *cache_control);

/* Sends `run` to a worker: sets lane, run, budget and deadline (search.timeout_ms; none when the
 * queue is unbounded). Returns WS_NEEDS_WORK. */
ws_handled ws_exchange_work(ws_exchange *ex, ws_lane lane,
                            void (*run)(ws_job *job, struct ws_worker *worker));

/* Starts the budget and the deadline of the job: `milliseconds` after the request came, 0 = none.
 */
void ws_exchange_start_budget(ws_exchange *ex, uint64_t milliseconds);
uint64_t ws_exchange_timeout_ms(const ws_exchange *ex); /* what the configuration says */

/* Sets the ETag; a body the client has already becomes a 304. */
void ws_exchange_tag(ws_exchange *ex, const char *etag);

/* New exchange with one reference to `view` (NULL allowed), or NULL when memory is short. */
ws_exchange *ws_exchange_new(struct ws_server *server, struct ws_conn *conn, ws_view *view);
void ws_exchange_free(ws_exchange *ex); /* NULL does nothing */

/* Finds the route and says what speaks against it before a body is read: no such path, method, key,
 * media type, expectation. Fills ex->route, ex->argument, or ex->problem. */
void ws_exchange_route(ws_exchange *ex, int loopback);

/* Appends status line and header fields.
 *   close     1: "Connection: close"
 *   date      value of Date
 *   body_len  bytes of the body that a GET would carry */
void ws_exchange_write_head(ws_exchange *ex, int close, const char *date, size_t body_len,
                            ws_buf *out);

/* Turns ex->problem into the body, status and header fields of the answer. */
void ws_exchange_render_problem(ws_exchange *ex);

#endif
