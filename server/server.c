#include "server/server.h"

#include <stdio.h>
#include <sys/random.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "server/conn.h"
#include "server/events.h"

#define FD_RESERVE 16u /* descriptors kept for segment files, logs and connections being refused   \
                        */

/* --- small services --- */

void ws_server_gauges(ws_server *server, ws_gauges *gauges)
{
    memset(gauges, 0, sizeof *gauges);
    ws_pool_get_stats(server->pool, &gauges->pool);
    ws_process_get_stats(&gauges->process);
    if (server->view)
        gauges->index = server->view->stats;
    gauges->io_cpu_ns = ws_thread_cpu_ns();
    gauges->connections_idle = server->n_idle;
    gauges->connections_active = server->n_conns - server->n_idle;
    gauges->connections_max = server->max_connections;
}

const char *ws_server_date(ws_server *server)
{
    time_t now = time(NULL);
    struct tm tm;
    if (now != server->date_second) {
        server->date_second = now;
        gmtime_r(&now, &tm);
        strftime(server->date, sizeof server->date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    }
    return server->date;
}

static uint64_t next_random(ws_server *server)
{
    uint64_t counter = ++server->id_counter;
    return ws_hash64_seed(&counter, sizeof counter, server->id_seed);
}

static int is_id_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == ':';
}

void ws_server_request_id(ws_server *server, ws_str given, char id[64])
{
    size_t i = 0;
    while (i < given.len && i < 63 && is_id_char(given.ptr[i])) {
        id[i] = given.ptr[i];
        i++;
    }
    id[i] = 0;
    if (i == 0 || i < given.len)
        snprintf(id, 64, "%016llx", (unsigned long long)next_random(server));
}

unsigned ws_server_retry_after(ws_server *server, uint64_t wait_ns)
{
    double seconds = (double)wait_ns * 1e-9;
    double jitter = 0.8 + 0.4 * (double)(next_random(server) % 1001) / 1000.0;
    double after = (seconds > 1 ? seconds : 1) * jitter;
    return after <= 1 ? 1 : (unsigned)after + ((double)(unsigned)after < after);
}

/* --- opening --- */

static ws_status uv_failed(ws_error *error, int e, const char *what)
{
    return ws_error_set(error, WS_ERR_IO, "%s: %s", what, uv_strerror(e));
}

static ws_status check_address(ws_server *server, ws_listen *address, ws_error *error)
{
    const ws_config *config = &server->config;
    WS_TRY(ws_listen_parse(address, ws_config_text(config, WS_KEY_HTTP_LISTEN), error));
    if (address->is_loopback || ws_config_text(config, WS_KEY_AUTH_KEY)[0])
        return WS_OK;
    return ws_error_set(error, WS_ERR_ARG,
                        "refusing to listen on %s without a key: other machines could read the "
                        "index. Set auth.key in the configuration file or WIKISEARCH_AUTH_KEY, or "
                        "listen on 127.0.0.1",
                        ws_config_text(config, WS_KEY_HTTP_LISTEN));
}

static void set_limits(ws_server *server)
{
    static const struct {
        uint32_t limit;
        ws_key key;
    } limits[] = {
        {WS_LIMIT_QUERY_CODE_POINTS, WS_KEY_LIMIT_QUERY_CODE_POINTS},
        {WS_LIMIT_QUERY_TERMS, WS_KEY_LIMIT_QUERY_TERMS},
        {WS_LIMIT_RESULT_WINDOW, WS_KEY_LIMIT_RESULT_WINDOW},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(limits); i++)
        ws_index_set_limit(server->index, limits[i].limit,
                           ws_config_number(&server->config, limits[i].key));
}

static ws_status open_index(ws_server *server, ws_error *error)
{
    const char *dir = ws_config_text(&server->config, WS_KEY_INDEX_DIR);
    ws_index_options options = WS_INDEX_OPTIONS_INIT;
    options.access = (uint32_t)ws_config_number(&server->config, WS_KEY_INDEX_ACCESS);
    ws_status status = ws_index_open(&server->index, dir, NULL, &options, error);
    if (status < 0)
        return status;
    if (status == WS_FALLBACK)
        ws_log_message(&server->log, "warning: %s; the generation before it is served",
                       error->message);
    set_limits(server);
    WS_TRY(ws_view_open(&server->view, server->index, error));
    if (!server->view->stats.analysis_ok)
        ws_log_message(&server->log, "warning: the index was analysed by other rules than this "
                                     "version's; searches may miss documents. Import it again");
    ws_log_info(&server->log, "index %s: generation %llu, %llu documents", dir,
                (unsigned long long)server->view->generation,
                (unsigned long long)server->view->stats.n_docs);
    return WS_OK;
}

static void set_effective(ws_server *server)
{
    const ws_config *config = &server->config;
    uint64_t workers = ws_config_number(config, WS_KEY_HTTP_WORKERS);
    uint64_t queue = ws_config_number(config, WS_KEY_HTTP_QUEUE);
    server->workers = workers ? (uint32_t)workers : ws_process_cores();
    server->queue_capacity = queue ? (uint32_t)queue : 64 * server->workers;
    if (ws_config_number(config, WS_KEY_HTTP_QUEUE_POLICY) == WS_QUEUE_UNBOUNDED)
        server->queue_capacity = 0;
    server->is_inline = ws_config_number(config, WS_KEY_FRONT_MODE) == WS_FRONT_INLINE;
    server->highlight_full = ws_config_number(config, WS_KEY_HIGHLIGHT_MODE) == WS_HIGHLIGHT_FULL;
    server->config_hash = ws_config_hash(config);
    uint64_t *duration = server->timeouts.duration_ms;
    duration[WS_TIMEOUT_IDLE] = ws_config_number(config, WS_KEY_HTTP_IDLE_TIMEOUT_MS);
    duration[WS_TIMEOUT_HEAD] = ws_config_number(config, WS_KEY_HTTP_HEAD_TIMEOUT_MS);
    duration[WS_TIMEOUT_BODY] = ws_config_number(config, WS_KEY_HTTP_BODY_TIMEOUT_MS);
    duration[WS_TIMEOUT_WRITE] = ws_config_number(config, WS_KEY_HTTP_WRITE_TIMEOUT_MS);
    duration[WS_TIMEOUT_LINGER] = 1000;
    duration[WS_TIMEOUT_PROBE] = 20;
}

static ws_status open_pool(ws_server *server, ws_error *error)
{
    uint64_t budget = ws_config_number(&server->config, WS_KEY_ADMISSION_BUDGET_MS) * 1000000u;
    WS_TRY(ws_pool_start(&server->pool, server->workers, server->queue_capacity, budget,
                         ws_events_notify, server, error));
    if (!server->is_inline)
        return WS_OK;
    server->inline_worker = (ws_worker){server->pool, NULL, server->workers};
    ws_status status = ws_scratch_new(&server->inline_worker.scratch);
    return status < 0 ? ws_error_set(error, status, "out of memory") : WS_OK;
}

static int bind_listener(ws_server *server, const ws_listen *address)
{
    if (address->is_unix) {
        int e = uv_pipe_init(&server->loop, &server->listener.pipe, 0);
        return e ? e : uv_pipe_bind(&server->listener.pipe, address->path);
    }
    int e = uv_tcp_init(&server->loop, &server->listener.tcp);
    return e ? e
             : uv_tcp_bind(&server->listener.tcp, (const struct sockaddr *)&address->address, 0);
}

static ws_status open_listener(ws_server *server, const ws_listen *address, ws_error *error)
{
    struct sockaddr_storage bound;
    int len = sizeof bound;
    int backlog = (int)ws_config_number(&server->config, WS_KEY_HTTP_BACKLOG);
    if (address->is_unix)
        WS_TRY(ws_listen_remove_stale(address->path, error));
    int e = bind_listener(server, address);
    server->listener.handle.data = server;
    if (e == 0)
        e = uv_listen(&server->listener.stream, backlog, ws_events_on_connection);
    if (e)
        return uv_failed(error, e, ws_config_text(&server->config, WS_KEY_HTTP_LISTEN));
    if (address->is_unix) {
        snprintf(server->bound, sizeof server->bound, "unix:%s", address->path);
        return WS_OK;
    }
    e = uv_tcp_getsockname(&server->listener.tcp, (struct sockaddr *)&bound, &len);
    if (e)
        return uv_failed(error, e, "getsockname");
    ws_address_url((struct sockaddr *)&bound, server->bound, sizeof server->bound);
    return WS_OK;
}

/* As many connections as are asked for, or as the operating system allows; said when that is fewer.
 */
static void limit_connections(ws_server *server)
{
    uint64_t wanted = ws_config_number(&server->config, WS_KEY_HTTP_MAX_CONNECTIONS);
    uint64_t used = ws_process_open_fds() + FD_RESERVE;
    uint64_t allowed = ws_process_raise_fds(wanted + used);
    uint64_t room = allowed > used ? allowed - used : 1;
    server->max_connections = (uint32_t)WS_MIN(wanted, room);
    if (room < wanted)
        ws_log_message(&server->log,
                       "warning: the limit of %llu open files allows %u connections, not the %llu "
                       "of http.max_connections",
                       (unsigned long long)allowed, server->max_connections,
                       (unsigned long long)wanted);
}

static ws_status open_parts(ws_server *server, ws_error *error)
{
    ws_listen address;
    const ws_config *config = &server->config;
    set_effective(server);
    WS_TRY(check_address(server, &address, error));
    WS_TRY(ws_log_open(&server->log, ws_config_text(config, WS_KEY_LOG_ACCESS),
                       ws_config_text(config, WS_KEY_LOG_FILE), error));
    WS_TRY(open_index(server, error));
    server->read_buffer = ws_malloc(WS_PENDING_INPUT_MAX);
    if (server->read_buffer == NULL)
        return ws_error_set(error, WS_ERR_NOMEM, "out of memory");
    WS_TRY(ws_events_open(server, error));
    WS_TRY(open_pool(server, error));
    WS_TRY(open_listener(server, &address, error));
    limit_connections(server);
    return WS_OK;
}

static void say_where(ws_server *server)
{
    if (server->is_inline)
        ws_log_message(&server->log,
                       "warning: front.mode is inline: one slow query stops everyone");
    if (server->queue_capacity == 0)
        ws_log_message(&server->log,
                       "warning: http.queue_policy is unbounded: overload becomes waiting");
    ws_log_info(&server->log, "%u workers, %u connections at most", server->workers,
                server->max_connections);
    ws_log_info(&server->log, "listening on %s", server->bound);
}

ws_status ws_server_open(ws_server *server, ws_config *config, int quiet, ws_error *error)
{
    memset(server, 0, sizeof *server);
    server->config = *config;
    ws_config_init(config);
    server->timer_ms = UINT64_MAX;
    server->date_second = -1;
    server->start_ns = ws_now_ns();
    ws_log_init(&server->log, quiet);
    ws_metrics_init(&server->metrics);
    if (getrandom(&server->id_seed, sizeof server->id_seed, 0) != sizeof server->id_seed)
        server->id_seed = ws_wall_ns();
    int e = uv_loop_init(&server->loop);
    if (e) {
        ws_config_fini(&server->config);
        return uv_failed(error, e, "event loop");
    }
    ws_status status = open_parts(server, error);
    if (status < 0) {
        ws_server_close(server);
        return status;
    }
    say_where(server);
    return WS_OK;
}

void ws_server_close(ws_server *server)
{
    ws_events_close(server);
    ws_pool_free(server->pool);
    ws_scratch_free(server->inline_worker.scratch);
    ws_view_unref(server->view);
    ws_index_close(server->index);
    ws_log_close(&server->log);
    ws_free(server->read_buffer);
    ws_config_fini(&server->config);
}
