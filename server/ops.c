/* The routes about the service itself; all answered on the I/O thread from what is in memory. */
#include <stdio.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "server/params.h"
#include "server/server.h"

/* --- /livez, /readyz, /version --- */

ws_handled ws_handle_live(ws_exchange *ex)
{
    ws_exchange_json(ex, "no-store");
    ws_buf_cstr(&ex->response.body, "{\"status\":\"alive\"}");
    return WS_ANSWERED;
}

ws_handled ws_handle_ready(ws_exchange *ex)
{
    const ws_server *server = ex->server;
    ws_json j;
    if (server->draining) {
        ws_problem_set(&ex->problem, WS_PROBLEM_SHUTTING_DOWN, "draining");
        return WS_ANSWERED;
    }
    if (!ws_exchange_needs_view(ex))
        return WS_ANSWERED;
    ws_exchange_json(ex, "no-store");
    ws_json_init(&j, &ex->response.body);
    ws_json_object(&j);
    ws_json_kcstr(&j, "status", "ready");
    ws_json_ku64(&j, "generation", ex->view->generation);
    if (server->refresh_error[0])
        ws_json_kcstr(&j, "refresh_error", server->refresh_error);
    ws_json_end_object(&j);
    return WS_ANSWERED;
}

ws_handled ws_handle_version(ws_exchange *ex)
{
    ws_json j;
    ws_exchange_json(ex, "no-store");
    ws_json_init(&j, &ex->response.body);
    ws_json_object(&j);
    ws_json_kcstr(&j, "version", ws_version());
    ws_json_kcstr(&j, "build", ws_build_info());
    ws_json_end_object(&j);
    return WS_ANSWERED;
}

/* --- /metrics --- */

ws_handled ws_handle_metrics(ws_exchange *ex)
{
    ws_gauges gauges;
    ws_server_gauges(ex->server, &gauges);
    ex->response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    ws_buf_cstr(&ex->response.headers, "Cache-Control: no-store\r\n");
    ws_metrics_write(&ex->server->metrics, &gauges, &ex->response.body);
    return WS_ANSWERED;
}

/* --- /v1/stats --- */

static void write_server_stats(ws_server *server, ws_json *j)
{
    ws_gauges g;
    ws_server_gauges(server, &g);
    ws_json_key(j, "server");
    ws_json_object(j);
    ws_json_ku64(j, "uptime_s", (ws_now_ns() - server->start_ns) / 1000000000u);
    ws_json_ku64(j, "workers", g.pool.workers_alive);
    ws_json_ku64(j, "busy_workers", g.pool.busy[WS_LANE_LIGHT] + g.pool.busy[WS_LANE_HEAVY]);
    ws_json_ku64(j, "queue_depth", g.pool.queued[WS_LANE_LIGHT] + g.pool.queued[WS_LANE_HEAVY]);
    ws_json_ku64(j, "queue_capacity", server->queue_capacity);
    ws_json_ku64(j, "predicted_wait_us", g.pool.wait_ns[WS_LANE_LIGHT] / 1000);
    ws_json_ku64(j, "connections", server->n_conns);
    ws_json_ku64(j, "connections_max", server->max_connections);
    ws_json_ku64(j, "cancelled_total", server->metrics.cancelled);
    ws_json_ku64(j, "resident_bytes", g.process.resident_bytes);
    ws_json_key(j, "cpu_seconds");
    ws_json_double(j, g.process.cpu_seconds, 6);
    ws_json_end_object(j);
}

ws_handled ws_handle_stats(ws_exchange *ex)
{
    ws_json j;
    if (!ws_exchange_needs_view(ex) || !ws_exchange_no_params(ex))
        return WS_ANSWERED;
    ws_exchange_json(ex, "no-store");
    ws_json_init(&j, &ex->response.body);
    ws_json_object(&j);
    ws_json_key(&j, "index");
    ws_json_raw(&j, ws_str_make(ex->view->describe.ptr, ex->view->describe.len));
    write_server_stats(ex->server, &j);
    ws_json_end_object(&j);
    return WS_ANSWERED;
}

/* --- /v1/config --- */

typedef struct {
    ws_server *server;
    ws_gauges gauges;
} observation;

/* What the value came to, and what is true now. */
static void observe(void *ctx, ws_key key, ws_json *j)
{
    const observation *o = ctx;
    const ws_server *server = o->server;
    switch (key) {
    case WS_KEY_HTTP_LISTEN:
        ws_json_kcstr(j, "observed", server->bound);
        break;
    case WS_KEY_HTTP_WORKERS:
        ws_json_ku64(j, "effective", server->workers);
        ws_json_ku64(j, "observed", o->gauges.pool.workers_alive);
        break;
    case WS_KEY_HTTP_QUEUE:
        ws_json_ku64(j, "effective", server->queue_capacity);
        ws_json_ku64(j, "observed",
                     o->gauges.pool.queued[WS_LANE_LIGHT] + o->gauges.pool.queued[WS_LANE_HEAVY]);
        break;
    case WS_KEY_HTTP_MAX_CONNECTIONS:
        ws_json_ku64(j, "effective", server->max_connections);
        ws_json_ku64(j, "observed", server->n_conns);
        break;
    case WS_KEY_INDEX_DIR:
    case WS_KEY_INDEX_REFRESH_MS:
        ws_json_ku64(j, "observed", server->view ? server->view->generation : 0);
        break;
    default:
        break;
    }
}

static void write_limits(ws_server *server, ws_json *j)
{
    static const struct {
        const char *name;
        uint64_t value;
    } fixed[] = {
        {"request_line_bytes", WS_REQUEST_LINE_MAX},
        {"head_bytes", WS_HEAD_MAX},
        {"head_fields", WS_HEAD_FIELDS_MAX},
        {"json_depth", WS_JSON_DEPTH_MAX},
        {"pending_output_bytes", WS_PENDING_OUTPUT_MAX},
        {"pending_input_bytes", WS_PENDING_INPUT_MAX},
        {"pipelined_per_turn", WS_REQUESTS_PER_TURN},
    };
    uint64_t value = 0;
    ws_json_key(j, "limits");
    ws_json_object(j);
    for (size_t i = 0; i < WS_ARRAY_LEN(fixed); i++)
        ws_json_ku64(j, fixed[i].name, fixed[i].value);
    ws_index_get_limit(server->index, WS_LIMIT_QUERY_CODE_POINTS, &value);
    ws_json_ku64(j, "query_code_points", value);
    ws_index_get_limit(server->index, WS_LIMIT_QUERY_TERMS, &value);
    ws_json_ku64(j, "query_terms", value);
    ws_index_get_limit(server->index, WS_LIMIT_RESULT_WINDOW, &value);
    ws_json_ku64(j, "result_window", value);
    ws_json_end_object(j);
}

ws_handled ws_handle_config(ws_exchange *ex)
{
    ws_server *server = ex->server;
    observation o = {.server = server};
    ws_buf keys;
    ws_json j;
    char hash[16];
    if (!ws_exchange_no_params(ex))
        return WS_ANSWERED;
    ws_server_gauges(server, &o.gauges);
    ws_buf_init(&keys);
    ws_config_write(&server->config, &keys, observe, &o);
    ws_exchange_json(ex, "no-store");
    ws_json_init(&j, &ex->response.body);
    ws_json_object(&j);
    ws_json_key(&j, "config");
    ws_json_raw(&j, ws_buf_slice(&keys));
    write_limits(server, &j);
    snprintf(hash, sizeof hash, "%08x", (unsigned)server->config_hash);
    ws_json_kcstr(&j, "hash", hash);
    ws_json_end_object(&j);
    if (ws_buf_status(&keys) < 0)
        ws_exchange_out_of_memory(ex);
    ws_buf_fini(&keys);
    return WS_ANSWERED;
}
