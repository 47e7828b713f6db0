#include "server/events.h"

#include <signal.h>

#include "base/error.h"
#include "server/conn.h"

/* --- timers --- */

static void on_timer(uv_timer_t *timer)
{
    ws_server *server = timer->data;
    ws_timeout_kind kind;
    ws_timeout *x;
    server->timer_ms = UINT64_MAX;
    while ((x = ws_timeouts_expired(&server->timeouts, uv_now(&server->loop), &kind)) != NULL)
        ws_conn_timed_out(x->owner, kind);
    ws_server_arm(server);
}

void ws_server_arm(ws_server *server)
{
    uint64_t next = ws_timeouts_next_ms(&server->timeouts), now = uv_now(&server->loop);
    if (next >= server->timer_ms || server->stopping)
        return;
    server->timer_ms = next;
    uv_timer_start(&server->timer, on_timer, next > now ? next - now : 0, 0);
}

static void on_second(uv_timer_t *timer)
{
    ws_server *server = timer->data;
    ws_log_flush(&server->log);
    if (server->accept_later)
        ws_conn_accept(server);
}

/* --- new generations --- */

static void run_refresh(ws_job *job, ws_worker *worker)
{
    ws_refresh *refresh = (ws_refresh *)job;
    ws_index *index = refresh->server->index;
    uint64_t generation = 0;
    (void)worker;
    refresh->error.message[0] = 0;
    refresh->status = ws_index_refresh(index, &generation, &refresh->error);
    if (refresh->status >= 0 && generation != refresh->known)
        refresh->status = ws_view_open(&refresh->view, index, &refresh->error);
}

static void take_view(ws_server *server, ws_view *view)
{
    ws_log_info(&server->log, "generation %llu, %llu documents",
                (unsigned long long)view->generation, (unsigned long long)view->stats.n_docs);
    ws_view_unref(server->view);
    server->view = view;
}

static void refresh_finished(ws_job *job)
{
    ws_refresh *refresh = (ws_refresh *)job;
    ws_server *server = refresh->server;
    refresh->running = 0;
    if (refresh->view)
        take_view(server, refresh->view);
    refresh->view = NULL;
    if (refresh->status >= 0) {
        server->refresh_error[0] = 0;
        return;
    }
    server->metrics.refresh_errors++;
    if (strcmp(server->refresh_error, refresh->error.message) != 0) {
        memcpy(server->refresh_error, refresh->error.message, sizeof server->refresh_error);
        ws_log_message(&server->log, "can't look for a new generation: %s", server->refresh_error);
    }
}

static void on_refresh(uv_timer_t *timer)
{
    ws_server *server = timer->data;
    ws_refresh *refresh = &server->refresh;
    if (refresh->running)
        return;
    refresh->job = (ws_job){.run = run_refresh, .finished = refresh_finished};
    refresh->job.lane = WS_LANE_SYSTEM;
    refresh->server = server;
    refresh->known = server->view ? server->view->generation : 0;
    refresh->running = 1;
    ws_pool_submit(server->pool, &refresh->job, NULL);
}

/* --- work --- */

static void exchange_finished(ws_job *job)
{
    ws_conn_work_finished((ws_exchange *)job);
}

static void set_overloaded(ws_server *server, ws_exchange *ex, ws_admission verdict, uint64_t wait)
{
    ws_shed_reason why = verdict == WS_REFUSE_FULL ? WS_SHED_FULL : WS_SHED_BUDGET;
    server->metrics.shed[ex->job.lane][why]++;
    ws_problem_set(&ex->problem, WS_PROBLEM_OVERLOADED,
                   verdict == WS_REFUSE_FULL ? "the queue is full"
                                             : "the wait for a worker would be too long");
    ex->problem.retry_after_s = ws_server_retry_after(server, wait);
}

int ws_server_submit(ws_server *server, ws_exchange *ex)
{
    uint64_t wait = 0;
    ex->job.finished = exchange_finished;
    ex->job.started_ns = 0;
    ex->job.cpu_ns = 0;
    if (server->is_inline) {
        ws_pool_run_here(server->pool, &ex->job, &server->inline_worker);
        return 1;
    }
    ws_admission verdict = ws_pool_submit(server->pool, &ex->job, &wait);
    if (verdict == WS_ADMIT)
        return 1;
    set_overloaded(server, ex, verdict, wait);
    return 0;
}

void ws_events_notify(void *arg)
{
    ws_server *server = arg;
    uv_async_send(&server->finished);
}

static void on_finished(uv_async_t *async)
{
    ws_server *server = async->data;
    ws_job *job = ws_pool_take_finished(server->pool);
    while (job) {
        ws_job *next = job->next;
        job->next = NULL;
        job->finished(job);
        job = next;
    }
}

static void on_turn(uv_idle_t *idle)
{
    ws_server *server = idle->data;
    ws_conn *last = server->ready_last, *conn;
    do {
        conn = server->ready_first;
        if (conn == NULL)
            break;
        server->ready_first = conn->ready_next;
        if (server->ready_first == NULL)
            server->ready_last = NULL;
        conn->ready = 0;
        ws_conn_process(conn);
    } while (conn != last);
    if (server->ready_first == NULL)
        uv_idle_stop(idle);
}

void ws_server_next_turn(ws_server *server)
{
    if (!server->stopping)
        uv_idle_start(&server->turn, on_turn);
}

void ws_events_on_connection(uv_stream_t *listener, int status)
{
    if (status == 0)
        ws_conn_accept(listener->data);
}

/* --- the end --- */

static void finish(ws_server *server)
{
    if (server->stopping)
        return;
    server->stopping = 1;
    uv_stop(&server->loop);
}

void ws_server_connection_closed(ws_server *server)
{
    if (server->draining && server->n_conns == 0)
        finish(server);
}

static void close_all(ws_server *server)
{
    for (ws_conn *conn = server->first_conn, *next; conn; conn = next) {
        next = conn->next;
        ws_conn_abort(conn);
    }
}

static void on_drain_timeout(uv_timer_t *timer)
{
    ws_server *server = timer->data;
    ws_log_message(&server->log, "closing %u connections that were not done in time",
                   server->n_conns);
    close_all(server);
}

void ws_server_drain(ws_server *server)
{
    if (server->draining) {
        finish(server);
        return;
    }
    server->draining = 1;
    ws_log_info(&server->log, "stopping: no new connections, %u open", server->n_conns);
    uv_close(&server->listener.handle, NULL);
    for (ws_conn *conn = server->first_conn, *next; conn; conn = next) {
        next = conn->next;
        ws_conn_close_if_idle(conn);
    }
    uv_timer_start(&server->drain_timer, on_drain_timeout,
                   ws_config_number(&server->config, WS_KEY_HTTP_DRAIN_TIMEOUT_MS), 0);
    if (server->n_conns == 0)
        finish(server);
}

static void on_signal(uv_signal_t *signal, int number)
{
    ws_server *server = signal->data;
    if (number == SIGHUP) {
        ws_log_reopen(&server->log);
        ws_log_info(&server->log, "logs opened anew");
    } else {
        ws_server_drain(server);
    }
}

/* --- opening and closing --- */

ws_status ws_events_open(ws_server *server, ws_error *error)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    uv_loop_t *loop = &server->loop;
    uint64_t refresh_ms = ws_config_number(&server->config, WS_KEY_INDEX_REFRESH_MS);
    int e = uv_async_init(loop, &server->finished, on_finished);
    if (e)
        return ws_error_set(error, WS_ERR_IO, "event loop: %s", uv_strerror(e));
    uv_timer_init(loop, &server->timer);
    uv_timer_init(loop, &server->second);
    uv_timer_init(loop, &server->refresh_timer);
    uv_timer_init(loop, &server->drain_timer);
    uv_idle_init(loop, &server->turn);
    server->timer.data = server->second.data = server->refresh_timer.data = server;
    server->drain_timer.data = server->turn.data = server->finished.data = server;
    uv_timer_start(&server->second, on_second, 1000, 1000);
    if (refresh_ms)
        uv_timer_start(&server->refresh_timer, on_refresh, refresh_ms, refresh_ms);
    for (int i = 0; i < 3; i++) {
        uv_signal_init(loop, &server->signals[i]);
        server->signals[i].data = server;
        uv_signal_start(&server->signals[i], on_signal, numbers[i]);
    }
    return WS_OK;
}

void ws_server_run(ws_server *server)
{
    uv_run(&server->loop, UV_RUN_DEFAULT);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

/* After ws_pool_stop: what workers had finished, or never begun, has no one to go to. */
static void drop_finished(ws_server *server)
{
    ws_job *job = ws_pool_take_finished(server->pool);
    while (job) {
        ws_job *next = job->next;
        if (job == &server->refresh.job)
            ws_view_unref(server->refresh.view);
        else
            ws_exchange_free((ws_exchange *)job);
        job = next;
    }
}

void ws_events_close(ws_server *server)
{
    server->stopping = 1;
    close_all(server); /* cancels what runs */
    if (server->pool) {
        ws_pool_stop(server->pool);
        drop_finished(server);
    }
    uv_walk(&server->loop, close_handle, NULL);
    uv_run(&server->loop, UV_RUN_DEFAULT);
    uv_loop_close(&server->loop);
}
