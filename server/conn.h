/* One client connection: reading, pipelining, writing with backpressure, timeouts, leaving.
 *
 *            bytes           request              answer            all written
 *   IDLE ----------> HEAD ---------> BODY/WORK ----------> (IDLE | next request | close)
 *
 * Requests of a connection are answered one after the other, in order; while a worker has one, the
 * bytes of the following ones wait. An idle connection holds no buffers. Everything here is the I/O
 * thread's.
 */
#ifndef WS_SERVER_CONN_H
#define WS_SERVER_CONN_H

#include "server/reader.h"
#include "server/server.h"

struct ws_conn {
    union {
        uv_stream_t stream;
        uv_handle_t handle;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv;
    uv_shutdown_t shutdown;
    ws_server *server;
    ws_conn *prev, *next; /* all connections of the server */
    ws_conn *ready_next;
    ws_timeout read_timeout, write_timeout;
    ws_reader reader;
    ws_buf input;          /* bytes not consumed yet; no memory while empty */
    ws_exchange *exchange; /* being read, or in work; NULL between requests */
    size_t write_mark;     /* output pending when the write timeout was set */
    uint32_t drained;      /* bytes thrown away after our last answer */
    unsigned in_work : 1;  /* `exchange` is with a worker */
    unsigned reading : 1;  /* the loop reads */
    unsigned eof : 1;      /* the peer sent its last byte */
    unsigned ending : 1;   /* our last answer is on its way: nothing more is answered */
    unsigned shutting : 1; /* uv_shutdown was called */
    unsigned shut : 1;     /* our side is shut down */
    unsigned closing : 1;  /* uv_close was called */
    unsigned ready : 1;    /* in the server's list of the next turn */
    unsigned idle : 1;     /* counted in server->n_idle */
    unsigned extra : 1;    /* beyond http.max_connections */
    unsigned loopback : 1;
};

/* Takes over a connection that waits at the listener. */
void ws_conn_accept(ws_server *server);

/* Goes on with the bytes that have come. */
void ws_conn_process(ws_conn *conn);

/* A worker is done with the exchange of a connection. */
void ws_conn_work_finished(ws_exchange *ex);

/* The read or write timeout of a connection is over. */
void ws_conn_timed_out(ws_conn *conn, ws_timeout_kind kind);

/* Drain: closes it if it has nothing to do. */
void ws_conn_close_if_idle(ws_conn *conn);

/* Starts the timeout of what is waited for; the same kind again goes on as it was. WS_TIMEOUT_NONE
 * stops it. */
void ws_conn_set_timeout(ws_conn *conn, ws_timeout_kind kind);

/* Closes now; a request in work is cancelled. */
void ws_conn_abort(ws_conn *conn);

/* --- conn_write.c --- */

/* Sends the answer of an exchange, logs and counts it, frees the exchange. */
void ws_conn_answer(ws_conn *conn, ws_exchange *ex);

/* Shuts our side down once everything is written, then waits a moment for the peer's end, so that
 * it can read the answer before a reset overtakes it. */
void ws_conn_end(ws_conn *conn);

/* Sends an interim answer ("HTTP/1.1 100 Continue"), if nothing else is on its way. Returns 0 when
 * the peer is gone. */
int ws_conn_send_continue(ws_conn *conn);

/* True when the output pending is more than a client is allowed to leave unread. */
int ws_conn_is_blocked(const ws_conn *conn);

/* After WS_TIMEOUT_WRITE: has anything been taken since? */
int ws_conn_write_progressed(ws_conn *conn);

#endif
