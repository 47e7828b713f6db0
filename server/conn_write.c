#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "server/conn.h"
#include "server/search.h"

/* Output that the kernel did not take at once. */
typedef struct {
    uv_write_t request;
    ws_conn *conn;
    ws_buf head, body;
} pending_write;

int ws_conn_is_blocked(const ws_conn *conn)
{
    return uv_stream_get_write_queue_size(&conn->uv.stream) > WS_PENDING_OUTPUT_MAX;
}

static void start_write_timeout(ws_conn *conn)
{
    ws_server *server = conn->server;
    conn->write_mark = uv_stream_get_write_queue_size(&conn->uv.stream);
    ws_timeouts_set(&server->timeouts, &conn->write_timeout, WS_TIMEOUT_WRITE,
                    uv_now(&server->loop));
    ws_server_arm(server);
}

int ws_conn_write_progressed(ws_conn *conn)
{
    if (uv_stream_get_write_queue_size(&conn->uv.stream) >= conn->write_mark)
        return 0;
    start_write_timeout(conn);
    return 1;
}

static void on_written(uv_write_t *request, int status)
{
    pending_write *w = request->data;
    ws_conn *conn = w->conn;
    ws_buf_fini(&w->head);
    ws_buf_fini(&w->body);
    ws_free(w);
    if (conn->closing)
        return;
    if (status < 0) {
        ws_conn_abort(conn);
        return;
    }
    if (uv_stream_get_write_queue_size(&conn->uv.stream) == 0)
        ws_timeouts_set(&conn->server->timeouts, &conn->write_timeout, WS_TIMEOUT_NONE, 0);
    ws_conn_process(conn);
}

/* Queues what is left of two buffers after `done` bytes; takes over the memory of head and body. */
static void queue_rest(ws_conn *conn, ws_buf *head, ws_buf *body, uv_buf_t bufs[2], size_t done)
{
    pending_write *w = ws_calloc(1, sizeof *w);
    if (w == NULL) {
        ws_buf_fini(head);
        ws_buf_fini(body);
        ws_conn_abort(conn);
        return;
    }
    for (int i = 0; i < 2; i++) {
        size_t skip = done < bufs[i].len ? done : bufs[i].len;
        bufs[i].base += skip;
        bufs[i].len -= skip;
        done -= skip;
    }
    w->conn = conn;
    w->head = *head;
    w->body = *body;
    w->request.data = w;
    ws_buf_init(head);
    ws_buf_init(body);
    size_t before = uv_stream_get_write_queue_size(&conn->uv.stream);
    if (uv_write(&w->request, &conn->uv.stream, bufs, 2, on_written) != 0) {
        ws_buf_fini(&w->head);
        ws_buf_fini(&w->body);
        ws_free(w);
        ws_conn_abort(conn);
    } else if (before == 0) {
        start_write_timeout(conn);
    }
}

/* Sends head, then body; frees both, now or when they are written. `bufs` may point into them or
 * elsewhere. */
static void send_bufs(ws_conn *conn, ws_buf *head, ws_buf *body, uv_buf_t bufs[2])
{
    size_t total = bufs[0].len + bufs[1].len;
    int n = uv_try_write(&conn->uv.stream, bufs, bufs[1].len ? 2 : 1);
    if (n == UV_EAGAIN)
        n = 0;
    if (n >= 0 && (size_t)n < total) {
        queue_rest(conn, head, body, bufs, (size_t)n);
        return;
    }
    ws_buf_fini(head);
    ws_buf_fini(body);
    if (n < 0)
        ws_conn_abort(conn);
}

int ws_conn_send_continue(ws_conn *conn)
{
    static char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    ws_buf none[2];
    uv_buf_t bufs[2] = {uv_buf_init(text, sizeof text - 1), uv_buf_init(text, 0)};
    ws_buf_init(&none[0]);
    ws_buf_init(&none[1]);
    send_bufs(conn, &none[0], &none[1], bufs);
    return !conn->closing;
}

/* --- the end of a connection --- */

static void on_shutdown(uv_shutdown_t *request, int status)
{
    ws_conn *conn = request->data;
    if (conn->closing)
        return;
    conn->shut = 1;
    if (status < 0 || conn->eof)
        ws_conn_abort(conn);
    else
        ws_conn_set_timeout(conn, WS_TIMEOUT_LINGER);
}

void ws_conn_end(ws_conn *conn)
{
    if (conn->closing || conn->shutting)
        return;
    conn->ending = conn->shutting = 1;
    ws_conn_set_timeout(conn, WS_TIMEOUT_NONE);
    conn->shutdown.data = conn;
    if (uv_shutdown(&conn->shutdown, &conn->uv.stream, on_shutdown) != 0)
        ws_conn_abort(conn);
}

/* --- answering --- */

static void log_access(ws_conn *conn, const ws_exchange *ex, uint64_t bytes, uint64_t ns)
{
    ws_log *log = &conn->server->log;
    char peer[64] = "unix";
    struct sockaddr_storage address;
    int len = sizeof address;
    if (log->access_fd < 0)
        return;
    if (conn->uv.handle.type == UV_TCP &&
        uv_tcp_getpeername(&conn->uv.tcp, (struct sockaddr *)&address, &len) == 0)
        ws_address_host((struct sockaddr *)&address, peer, sizeof peer);
    ws_access_entry entry = {
        .peer = peer,
        .line = ex->request ? ex->request->line : WS_STR(""),
        .status = ex->response.status ? ex->response.status : 200,
        .bytes = bytes,
        .micros = ns / 1000,
    };
    ws_log_access(log, &entry);
}

static void log_slow(ws_conn *conn, const ws_exchange *ex, uint64_t ns)
{
    ws_buf line;
    ws_json j;
    uint64_t slow_ms = ws_config_number(&conn->server->config, WS_KEY_LOG_SLOW_MS);
    if (slow_ms == 0 || ns < slow_ms * 1000000u)
        return;
    ws_buf_init(&line);
    ws_json_init(&j, &line);
    ws_json_object(&j);
    ws_json_ku64(&j, "time", ws_wall_ns() / 1000000000u);
    ws_json_kcstr(&j, "slow", ex->request ? ws_method_name(ex->request->method) : "-");
    ws_json_kstr(&j, "target", ex->request ? ex->request->target : WS_STR("-"));
    ws_json_kcstr(&j, "request_id", ex->id);
    ws_json_ku64(&j, "status", ex->response.status ? ex->response.status : 200);
    ws_json_ku64(&j, "total_us", ns / 1000);
    if (ex->task) {
        ws_json_kstr(&j, "q", ws_str_sub(ex->task->params[WS_SEARCH_Q].text, 0, 1024));
        ws_json_kcstr(&j, "class", ws_class_name((ws_class)ex->task->query_class));
        ws_json_ku64(&j, "queue_us", (ex->job.started_ns - ex->job.queued_ns) / 1000);
        ws_json_ku64(&j, "score_us", ex->task->score_ns / 1000);
        ws_json_ku64(&j, "fetch_us", ex->task->fetch_ns / 1000);
        ws_json_ku64(&j, "postings", ex->task->cost.postings);
    }
    ws_json_end_object(&j);
    ws_log_line(&conn->server->log, ws_buf_slice(&line));
    ws_buf_fini(&line);
}

static void record(ws_conn *conn, const ws_exchange *ex, uint64_t bytes)
{
    ws_server *server = conn->server;
    ws_metrics *metrics = &server->metrics;
    uint64_t ns = ws_now_ns() - ex->received_ns;
    unsigned status = ex->response.status ? ex->response.status : 200;
    ws_metrics_request(metrics, ex->route ? (ws_route_label)ex->route->label : WS_ROUTE_OTHER,
                       status, ns);
    if (ex->job.started_ns)
        ws_histogram_record(&metrics->wait[ex->job.lane], ex->job.started_ns - ex->job.queued_ns);
    if (ex->task)
        ws_search_count(ex, metrics);
    else
        metrics->worker_cpu_ns[WS_CLASS_OTHER] += ex->job.cpu_ns;
    if (ex->failure[0])
        ws_log_message(&server->log, "request %s: %s", ex->id, ex->failure);
    log_access(conn, ex, bytes, ns);
    log_slow(conn, ex, ns);
}

/* Makes sure that the answer is whole: a buffer that ran out of memory becomes a small error. */
static int complete(ws_exchange *ex)
{
    ws_response *r = &ex->response;
    if (ex->problem.kind != WS_PROBLEM_NONE)
        ws_exchange_render_problem(ex);
    if (ws_buf_status(&r->body) >= 0 && ws_buf_status(&r->headers) >= 0)
        return 1;
    ws_buf_fini(&r->body);
    ws_buf_fini(&r->headers);
    ws_exchange_out_of_memory(ex);
    ws_exchange_render_problem(ex);
    return ws_buf_status(&r->body) >= 0 && ws_buf_status(&r->headers) >= 0;
}

static int must_close(const ws_conn *conn, const ws_exchange *ex)
{
    return conn->ending || conn->server->draining || ex->request == NULL ||
           !ex->request->keep_alive;
}

void ws_conn_answer(ws_conn *conn, ws_exchange *ex)
{
    ws_response *r = &ex->response;
    ws_buf head;
    ws_buf_init(&head);
    int whole = complete(ex);
    int close = must_close(conn, ex);
    const void *body = r->fixed ? r->fixed : r->body.data;
    size_t body_len = r->fixed ? r->fixed_len : r->body.len;
    int silent = ex->request && ex->request->method == WS_METHOD_HEAD;
    if (whole)
        ws_exchange_write_head(ex, close, ws_server_date(conn->server), body_len, &head);
    if (!whole || ws_buf_status(&head) < 0) {
        ws_buf_fini(&head);
        ws_exchange_free(ex);
        ws_conn_abort(conn);
        return;
    }
    size_t sent = silent ? 0 : body_len;
    uv_buf_t bufs[2] = {uv_buf_init((char *)head.data, (unsigned)head.len),
                        uv_buf_init((char *)(uintptr_t)body, (unsigned)sent)};
    send_bufs(conn, &head, &r->body, bufs);
    record(conn, ex, sent);
    ws_exchange_free(ex);
    if (close)
        ws_conn_end(conn);
}
