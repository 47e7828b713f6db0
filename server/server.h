/* The daemon's state: one I/O thread (this), its loop, its connections, the pool and the index.
 *
 *   start -> run -> [SIGTERM: drain] -> stopped
 *
 * Everything belongs to the I/O thread, except `config`, `index`, `highlight_full`, which are
 * constant while workers run.
 */
#ifndef WS_SERVER_SERVER_H
#define WS_SERVER_SERVER_H

#include <uv.h>

#include "server/config.h"
#include "server/exchange.h"
#include "server/listen.h"
#include "server/log.h"
#include "server/metrics.h"
#include "server/pool.h"
#include "server/timeouts.h"
#include "server/view.h"
#include "wikisearch/wikisearch.h"

typedef struct ws_conn ws_conn;
typedef struct ws_server ws_server;

#define WS_PENDING_OUTPUT_MAX                                                                      \
 262144u /* bytes; a client that leaves more than this unread is not read from */
#define WS_PENDING_INPUT_MAX 65536u /* bytes of further requests kept while one is being answered  \
                                     */
#define WS_REQUESTS_PER_TURN 16u    /* of one connection before others have their turn */

typedef struct {
    ws_job job; /* first */
    ws_server *server;
    ws_view *view;  /* out: new generation, or NULL */
    uint64_t known; /* generation served when the look began */
    ws_status status;
    ws_error error;
    int running;
} ws_refresh;

struct ws_server {
    ws_config config;
    uint32_t config_hash;
    uint32_t workers, queue_capacity; /* effective */
    uint32_t max_connections;         /* effective */
    uint32_t highlight_full;
    int is_inline; /* front.mode = inline */
    ws_index *index;
    ws_view *view; /* NULL until the index is open */
    ws_pool *pool;
    ws_worker inline_worker; /* front.mode = inline */
    ws_log log;
    ws_metrics metrics;
    ws_timeouts timeouts;
    ws_refresh refresh;
    char refresh_error[256]; /* of the last look; empty = it went well */

    uv_loop_t loop;
    union {
        uv_stream_t stream;
        uv_handle_t handle;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } listener;
    uv_async_t finished; /* workers: there are finished jobs */
    uv_idle_t turn;      /* connections with more pipelined requests wait for the next turn */
    uv_timer_t timer;    /* earliest of `timeouts` */
    uv_timer_t second;   /* log flush */
    uv_timer_t refresh_timer;
    uv_timer_t drain_timer;
    uv_signal_t signals[3];
    char bound[256]; /* URL, or unix:PATH */
    char *read_buffer;
    uint64_t timer_ms; /* when `timer` fires; UINT64_MAX = stopped */

    ws_conn *first_conn; /* all connections */
    ws_conn *ready_first, *ready_last;
    uint32_t n_conns, n_idle, n_extra; /* n_extra: beyond the limit, being told so */
    uint64_t start_ns;
    uint64_t id_seed, id_counter;
    int draining, stopping;
    int accept_later; /* memory was short: a connection waits at the listener */
    int64_t date_second;
    char date[40];
};

/* Opens logs, index, pool, listener. On error everything is closed again.
 *   config  moved in
 *   quiet   1: warnings and errors only */
ws_status ws_server_open(ws_server *server, ws_config *config, int quiet, ws_error *error);

/* Runs until a signal has drained it. */
void ws_server_run(ws_server *server);
void ws_server_close(ws_server *server);

void ws_server_gauges(ws_server *server, ws_gauges *gauges);

/* Starts the timer for the earliest deadline, if it isn't running for it yet. */
void ws_server_arm(ws_server *server);

const char *ws_server_date(ws_server *server); /* value of a Date field, now */

/* Fills id[64]: the client's own id when it is harmless, else a new one. */
void ws_server_request_id(ws_server *server, ws_str given, char id[64]);

/* Hands an exchange to a worker, or runs it here in inline mode. Returns 1 when it was taken; else
 * ex->problem is set (overloaded) and it is the caller's. */
int ws_server_submit(ws_server *server, ws_exchange *ex);

/* Seconds for Retry-After: the predicted wait, at least 1, with up to 20 % of jitter either way. */
unsigned ws_server_retry_after(ws_server *server, uint64_t wait_ns);

/* Stops accepting; ends when the requests in flight are answered, or after http.drain_timeout_ms. A
 * second call ends at once. */
void ws_server_drain(ws_server *server);

/* Lets the connections in the ready list go on in the next turn of the loop. */
void ws_server_next_turn(ws_server *server);

/* Called when a connection is gone. */
void ws_server_connection_closed(ws_server *server);

#endif
