#include "server/conn.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define LINGER_MAX 65536u /* bytes thrown away after the last answer */
#define EXTRA_MAX  8u     /* connections beyond the limit that are told so at one time */

static void process_bytes(ws_conn *conn, const char *data, size_t len);

/* --- timeouts and bookkeeping --- */

void ws_conn_set_timeout(ws_conn *conn, ws_timeout_kind kind)
{
    int idle = kind == WS_TIMEOUT_IDLE;
    if (idle != (int)conn->idle) {
        conn->idle = (unsigned)idle & 1u;
        conn->server->n_idle += idle ? 1u : UINT32_MAX;
    }
    if (conn->read_timeout.kind == kind && kind != WS_TIMEOUT_PROBE)
        return;
    ws_timeouts_set(&conn->server->timeouts, &conn->read_timeout, kind,
                    uv_now(&conn->server->loop));
    ws_server_arm(conn->server);
}

static void on_closed(uv_handle_t *handle)
{
    ws_conn *conn = handle->data;
    ws_server *server = conn->server;
    if (conn->prev)
        conn->prev->next = conn->next;
    else
        server->first_conn = conn->next;
    if (conn->next)
        conn->next->prev = conn->prev;
    server->n_conns--;
    server->n_extra -= conn->extra;
    ws_buf_fini(&conn->input);
    ws_free(conn);
    ws_server_connection_closed(server);
}

static void leave_ready_list(ws_conn *conn)
{
    ws_server *server = conn->server;
    ws_conn **link = &server->ready_first, *before = NULL;
    if (!conn->ready)
        return;
    while (*link != conn) {
        before = *link;
        link = &before->ready_next;
    }
    *link = conn->ready_next;
    if (server->ready_last == conn)
        server->ready_last = before;
    conn->ready = 0;
}

/* The client is gone, or we are: what a worker does for it is of no use any more. */
static void drop_exchange(ws_conn *conn)
{
    ws_exchange *ex = conn->exchange;
    conn->exchange = NULL;
    if (ex == NULL)
        return;
    if (!conn->in_work) {
        ws_exchange_free(ex);
        return;
    }
    conn->in_work = 0;
    conn->server->metrics.cancelled++;
    ws_budget_cancel(&ex->budget);
    ex->conn = NULL;
    if (ws_pool_withdraw(conn->server->pool, &ex->job))
        ws_exchange_free(ex);
}

void ws_conn_abort(ws_conn *conn)
{
    if (conn->closing)
        return;
    conn->closing = 1;
    drop_exchange(conn);
    leave_ready_list(conn);
    ws_conn_set_timeout(conn, WS_TIMEOUT_NONE);
    ws_timeouts_set(&conn->server->timeouts, &conn->write_timeout, WS_TIMEOUT_NONE, 0);
    uv_close(&conn->uv.handle, on_closed);
}

/* --- reading --- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    /* One buffer for all: it is used up before the loop reads again. */
    ws_conn *conn = handle->data;
    (void)suggested;
    *buf = uv_buf_init(conn->server->read_buffer, WS_PENDING_INPUT_MAX);
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf);

static void update_reading(ws_conn *conn)
{
    int wanted =
        !conn->eof && !conn->closing &&
        (conn->ending || (conn->input.len < WS_PENDING_INPUT_MAX && !ws_conn_is_blocked(conn)));
    if (wanted == (int)conn->reading || conn->closing)
        return;
    conn->reading = (unsigned)wanted & 1u;
    if (wanted)
        uv_read_start(&conn->uv.stream, on_alloc, on_read);
    else
        uv_read_stop(&conn->uv.stream);
}

/* A TCP peer that sent FIN may have closed for good, or its sending side only. Nothing tells but
 * its kernel's answer to more bytes: the first kind resets. Interim answers are made for ignoring
 * (RFC 9110 15.2). */
static int peer_is_gone(ws_conn *conn)
{
    struct tcp_info info;
    socklen_t len = sizeof info;
    uv_os_fd_t fd;
    if (uv_fileno(&conn->uv.handle, &fd) != 0)
        return 1;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0)
        return 0; /* a unix socket, where the write itself would have failed */
    return info.tcpi_state == TCP_CLOSE;
}

static void probe_peer(ws_conn *conn, int first)
{
    ws_request *request = conn->exchange ? conn->exchange->request : NULL;
    if (request == NULL || request->minor == 0)
        return; /* HTTP/1.0 has no interim answers: the time limit has to do */
    if ((first && !ws_conn_send_continue(conn)) || peer_is_gone(conn))
        ws_conn_abort(conn);
    else
        ws_conn_set_timeout(conn, WS_TIMEOUT_PROBE);
}

static void on_end(ws_conn *conn)
{
    conn->eof = 1;
    conn->reading = 0;
    if (conn->ending) {
        if (conn->shut)
            ws_conn_abort(conn);
    } else if (conn->in_work) {
        probe_peer(conn, 1);
    } else if (!conn->ready && !ws_conn_is_blocked(conn)) {
        ws_conn_end(conn);
    } /* else there are whole requests left: settle ends it after them */
}

static void on_read(uv_stream_t *stream, ssize_t nread, const uv_buf_t *buf)
{
    ws_conn *conn = stream->data;
    if (nread == 0)
        return;
    if (nread == UV_EOF) {
        on_end(conn);
        return;
    }
    if (nread < 0) {
        ws_conn_abort(conn);
        return;
    }
    if (conn->ending) {
        conn->drained += (uint32_t)nread;
        if (conn->drained > LINGER_MAX)
            ws_conn_abort(conn);
        return;
    }
    if (conn->input.len == 0 && !conn->in_work && !conn->ready) {
        process_bytes(conn, buf->base, (size_t)nread);
        return;
    }
    ws_buf_append(&conn->input, buf->base, (size_t)nread);
    if (ws_buf_status(&conn->input) < 0)
        ws_conn_abort(conn);
    else if (!conn->in_work && !conn->ready)
        ws_conn_process(conn);
    else
        update_reading(conn);
}

/* --- requests --- */

/* An answer without a readable request: says why and ends. */
static void refuse(ws_conn *conn, ws_refusal refusal)
{
    ws_exchange *ex =
        conn->exchange ? conn->exchange : ws_exchange_new(conn->server, conn, conn->server->view);
    conn->exchange = NULL;
    conn->ending = 1;
    if (ex == NULL) {
        ws_conn_abort(conn);
        return;
    }
    if (ex->id[0] == 0)
        ws_server_request_id(conn->server, WS_STR(""), ex->id);
    ws_metrics_parse_error(&conn->server->metrics, ws_problem_status(refusal.kind));
    ws_problem_set(&ex->problem, refusal.kind, "%s", refusal.detail);
    ws_conn_answer(conn, ex);
}

static int has_answer(const ws_exchange *ex)
{
    return ex->problem.kind != WS_PROBLEM_NONE || ex->response.status != 0;
}

/* The head is there. Whatever speaks against the request is said now, not after its body has been
 * sent. */
static void on_head(ws_conn *conn, size_t more)
{
    ws_request *request = conn->reader.request;
    ws_exchange *ex = ws_exchange_new(conn->server, conn, conn->server->view);
    if (ex == NULL) {
        ws_request_free(request);
        ws_conn_abort(conn);
        return;
    }
    conn->exchange = ex;
    ex->request = request;
    ws_server_request_id(conn->server, request->fields[WS_HEADER_X_REQUEST_ID], ex->id);
    ws_exchange_route(ex, conn->loopback);
    int has_body = request->framing == WS_FRAMING_CHUNKED || request->content_length > 0;
    if (!has_body)
        return; /* answered at its end, which is now */
    if (has_answer(ex)) {
        conn->exchange = NULL;
        conn->ending = 1; /* the body is not going to be read */
        ws_conn_answer(conn, ex);
        return;
    }
    if (more == 0 && request->minor > 0 && conn->reader.body.refusal.kind == WS_PROBLEM_NONE &&
        ws_field_name_is(request->fields[WS_HEADER_EXPECT], "100-continue"))
        ws_conn_send_continue(conn);
}

/* A worker is done with it: is there another stage? */
static ws_handled after_work(ws_conn *conn, ws_exchange *ex)
{
    ws_handled (*resume)(ws_exchange *) = ex->resume;
    ex->resume = NULL;
    ex->cpu_ns += ex->job.cpu_ns;
    if (!ex->job.expired)
        return resume ? resume(ex) : WS_ANSWERED;
    conn->server->metrics.shed[ex->job.lane][WS_SHED_DEADLINE]++;
    ws_problem_set(&ex->problem, WS_PROBLEM_OVERLOADED,
                   "the time for this request ended while it waited");
    ex->problem.retry_after_s = ws_server_retry_after(conn->server, 0);
    return WS_ANSWERED;
}

/* Sends an exchange on: to a worker, or to the client. */
static void proceed(ws_conn *conn, ws_exchange *ex, ws_handled handled)
{
    ws_server *server = conn->server;
    while (handled == WS_NEEDS_WORK && ws_server_submit(server, ex)) {
        if (!server->is_inline) {
            conn->in_work = 1;
            return;
        }
        handled = after_work(conn, ex);
    }
    conn->exchange = NULL;
    ws_conn_answer(conn, ex);
}

static void on_request(ws_conn *conn)
{
    ws_exchange *ex = conn->exchange;
    uint64_t cpu = ws_thread_cpu_ns();
    ws_conn_set_timeout(conn, WS_TIMEOUT_NONE);
    ws_handled handled = has_answer(ex) ? WS_ANSWERED : ex->route->handle(ex);
    ex->cpu_ns += ws_thread_cpu_ns() - cpu;
    proceed(conn, ex, handled);
}

void ws_conn_work_finished(ws_exchange *ex)
{
    ws_conn *conn = ex->conn;
    if (conn == NULL) {
        ws_exchange_free(ex);
        return;
    }
    conn->in_work = 0;
    ws_conn_set_timeout(conn, WS_TIMEOUT_NONE);
    proceed(conn, ex, after_work(conn, ex));
    if (!conn->closing && !conn->in_work)
        ws_conn_process(conn);
}

/* --- from bytes to requests --- */

static void wait_for_turn(ws_conn *conn)
{
    ws_server *server = conn->server;
    conn->ready = 1;
    conn->ready_next = NULL;
    if (server->ready_last)
        server->ready_last->ready_next = conn;
    else
        server->ready_first = conn;
    server->ready_last = conn;
    ws_server_next_turn(server);
}

/* Reads and answers until the bytes are used up or something has to be waited for. Returns the
 * bytes consumed. */
static size_t read_requests(ws_conn *conn, const char *data, size_t len)
{
    size_t at = 0, consumed;
    unsigned answered = 0;
    while (!conn->closing && !conn->ending && !conn->in_work && !ws_conn_is_blocked(conn)) {
        if (answered == WS_REQUESTS_PER_TURN && at < len) {
            wait_for_turn(conn);
            break;
        }
        ws_read_result result = ws_reader_feed(&conn->reader, data + at, len - at, &consumed);
        at += consumed;
        if (result == WS_READ_MORE)
            break;
        if (result == WS_READ_HEAD) {
            on_head(conn, len - at);
        } else if (result == WS_READ_DONE) {
            answered++;
            on_request(conn);
        } else {
            refuse(conn, conn->reader.refusal);
        }
    }
    return at;
}

/* What is being waited for decides which timeout runs. */
static void settle(ws_conn *conn)
{
    if (conn->in_work || conn->ending)
        return;
    if (ws_conn_is_blocked(conn)) {
        ws_conn_set_timeout(conn, WS_TIMEOUT_NONE); /* the write timeout runs */
        return;
    }
    if (conn->eof && !conn->ready) {
        ws_conn_end(conn);
        return;
    }
    if (conn->reader.in_body)
        ws_conn_set_timeout(conn, WS_TIMEOUT_BODY);
    else if (conn->ready || ws_reader_is_busy(&conn->reader, conn->input.len))
        ws_conn_set_timeout(conn, WS_TIMEOUT_HEAD);
    else if (conn->server->draining)
        ws_conn_end(conn);
    else
        ws_conn_set_timeout(conn, WS_TIMEOUT_IDLE);
}

/* Works on `data`; what is left over is kept in conn->input, which was empty. */
static void process_bytes(ws_conn *conn, const char *data, size_t len)
{
    size_t used = read_requests(conn, data, len);
    if (conn->closing)
        return;
    if (used < len && !conn->ending) {
        ws_buf_append(&conn->input, data + used, len - used);
        if (ws_buf_status(&conn->input) < 0) {
            ws_conn_abort(conn);
            return;
        }
    }
    settle(conn);
    update_reading(conn);
}

void ws_conn_process(ws_conn *conn)
{
    ws_buf *input = &conn->input;
    size_t used = read_requests(conn, (const char *)input->data, input->len);
    if (conn->closing)
        return;
    if (used == input->len || conn->ending)
        ws_buf_fini(input); /* an idle connection holds no memory */
    else if (used) {
        memmove(input->data, input->data + used, input->len - used);
        input->len -= used;
    }
    settle(conn);
    update_reading(conn);
}

/* --- coming and going --- */

void ws_conn_timed_out(ws_conn *conn, ws_timeout_kind kind)
{
    switch (kind) {
    case WS_TIMEOUT_HEAD:
        refuse(conn, (ws_refusal){WS_PROBLEM_REQUEST_TIMEOUT, "the request head came too slowly"});
        break;
    case WS_TIMEOUT_BODY:
        refuse(conn, (ws_refusal){WS_PROBLEM_REQUEST_TIMEOUT, "the request body came too slowly"});
        break;
    case WS_TIMEOUT_PROBE:
        probe_peer(conn, 0);
        break;
    case WS_TIMEOUT_WRITE:
        if (!ws_conn_write_progressed(conn))
            ws_conn_abort(conn);
        break;
    default: /* idle for long, or the peer's end did not come */
        ws_conn_abort(conn);
        break;
    }
    update_reading(conn);
}

void ws_conn_close_if_idle(ws_conn *conn)
{
    if (conn->exchange == NULL && !conn->ending && !conn->ready &&
        !ws_reader_is_busy(&conn->reader, conn->input.len))
        ws_conn_end(conn);
}

static void link_conn(ws_server *server, ws_conn *conn)
{
    conn->next = server->first_conn;
    if (conn->next)
        conn->next->prev = conn;
    server->first_conn = conn;
    server->n_conns++;
}

static int is_local(ws_conn *conn)
{
    struct sockaddr_storage address;
    int len = sizeof address;
    if (conn->uv.handle.type != UV_TCP)
        return 1;
    return uv_tcp_getpeername(&conn->uv.tcp, (struct sockaddr *)&address, &len) == 0 &&
           ws_address_is_loopback((struct sockaddr *)&address);
}

static int init_stream(ws_server *server, ws_conn *conn)
{
    conn->server = server;
    ws_buf_init(&conn->input);
    ws_reader_init(&conn->reader, ws_config_number(&server->config, WS_KEY_LIMIT_BODY_BYTES));
    if (server->listener.handle.type == UV_TCP)
        uv_tcp_init(&server->loop, &conn->uv.tcp);
    else
        uv_pipe_init(&server->loop, &conn->uv.pipe, 0);
    conn->uv.handle.data = conn;
    conn->read_timeout.owner = conn->write_timeout.owner = conn;
    link_conn(server, conn);
    return uv_accept(&server->listener.stream, &conn->uv.stream) == 0;
}

void ws_conn_accept(ws_server *server)
{
    ws_conn *conn = ws_calloc(1, sizeof *conn);
    server->accept_later = conn == NULL;
    if (conn == NULL)
        return; /* it stays in the backlog; the next second tries again */
    int full = server->n_conns - server->n_extra >= server->max_connections;
    if (!init_stream(server, conn)) {
        ws_conn_abort(conn);
        return;
    }
    server->metrics.accepted++;
    if (!full) {
        if (conn->uv.handle.type == UV_TCP)
            uv_tcp_nodelay(&conn->uv.tcp, 1);
        conn->loopback = (unsigned)is_local(conn) & 1u;
        ws_conn_set_timeout(conn, WS_TIMEOUT_IDLE);
        update_reading(conn);
        return;
    }
    server->metrics.refused_connections++;
    conn->extra = 1;
    if (++server->n_extra > EXTRA_MAX) {
        ws_conn_abort(conn);
        return;
    }
    refuse(conn, (ws_refusal){WS_PROBLEM_OVERLOADED, "too many connections"});
    update_reading(conn);
}
