#include "server/exchange.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "server/params.h"
#include "server/search.h"
#include "server/server.h"
#include "server/uri.h"

ws_exchange *ws_exchange_new(ws_server *server, struct ws_conn *conn, ws_view *view)
{
    ws_exchange *ex = ws_calloc(1, sizeof *ex);
    if (ex == NULL)
        return NULL;
    ex->server = server;
    ex->conn = conn;
    ex->view = view ? ws_view_ref(view) : NULL;
    ws_arena_init(&ex->arena);
    ws_buf_init(&ex->response.body);
    ws_buf_init(&ex->response.headers);
    ex->received_ns = ws_now_ns();
    return ex;
}

void ws_exchange_free(ws_exchange *ex)
{
    if (ex == NULL)
        return;
    ws_search_task_free(ex->task);
    ws_request_free(ex->request);
    ws_view_unref(ex->view);
    ws_buf_fini(&ex->response.body);
    ws_buf_fini(&ex->response.headers);
    ws_arena_fini(&ex->arena);
    ws_free(ex);
}

/* --- for handlers --- */

void ws_exchange_fail(ws_exchange *ex, ws_status status, const ws_error *error, const char *what)
{
    switch (status) {
    case WS_ERR_CANCELLED:
        ws_problem_set(&ex->problem, WS_PROBLEM_SHUTTING_DOWN, "the request was cancelled");
        break;
    case WS_ERR_RANGE:
    case WS_ERR_LIMIT:
        ws_problem_set(&ex->problem, WS_PROBLEM_LIMIT_EXCEEDED, "%s", error->message);
        return;
    case WS_ERR_NOMEM:
        ws_exchange_out_of_memory(ex);
        break;
    default:
        ws_problem_set(&ex->problem, WS_PROBLEM_INTERNAL,
                       "something went wrong; the log says what, under this request id");
        break;
    }
    snprintf(ex->failure, sizeof ex->failure, "%s: %s (%d)%s%s", what,
             error->message[0] ? error->message : ws_status_text(status), (int)status,
             error->path[0] ? ", " : "", error->path);
}

ws_handled ws_exchange_out_of_memory(ws_exchange *ex)
{
    ws_problem_set(&ex->problem, WS_PROBLEM_OVERLOADED, "out of memory");
    return WS_ANSWERED;
}

int ws_exchange_needs_view(ws_exchange *ex)
{
    if (ex->view)
        return 1;
    ws_problem_set(&ex->problem, WS_PROBLEM_NOT_READY, "the index is not open yet");
    return 0;
}

int ws_exchange_no_params(ws_exchange *ex)
{
    return ws_params_from_query(NULL, 0, ex->request->query, &ex->arena, NULL, &ex->problem);
}

void ws_exchange_json(ws_exchange *ex, const char *cache_control)
{
    ex->response.content_type = "application/json; charset=utf-8";
    ws_buf_printf(&ex->response.headers, "Cache-Control: %s\r\n", cache_control);
}

uint64_t ws_exchange_timeout_ms(const ws_exchange *ex)
{
    const ws_config *config = &ex->server->config;
    if (ws_config_number(config, WS_KEY_HTTP_QUEUE_POLICY) == WS_QUEUE_UNBOUNDED)
        return 0;
    return ws_config_number(config, WS_KEY_SEARCH_TIMEOUT_MS);
}

void ws_exchange_start_budget(ws_exchange *ex, uint64_t milliseconds)
{
    uint64_t now = ws_now_ns(), elapsed = (now - ex->received_ns) / 1000000u;
    if (milliseconds)
        milliseconds = milliseconds > elapsed ? milliseconds - elapsed : 1;
    ex->job.deadline_ns = milliseconds ? now + milliseconds * 1000000u : 0;
    ws_budget_init(&ex->budget, (uint32_t)milliseconds, 0);
}

ws_handled ws_exchange_work(ws_exchange *ex, ws_lane lane,
                            void (*run)(ws_job *job, ws_worker *worker))
{
    ex->job.lane = (uint8_t)lane;
    ex->job.run = run;
    ws_exchange_start_budget(ex, ws_exchange_timeout_ms(ex));
    return WS_NEEDS_WORK;
}

/* True when an entity tag is in an If-None-Match list (weak comparison, RFC 9110 13.1.2). */
static int list_has(ws_str list, ws_str etag)
{
    if (ws_str_eq(list, WS_STR("*")))
        return 1;
    for (size_t i = 0; i + etag.len <= list.len; i++) {
        if (memcmp(list.ptr + i, etag.ptr, etag.len) == 0)
            return 1;
    }
    return 0;
}

void ws_exchange_tag(ws_exchange *ex, const char *etag)
{
    ws_buf_printf(&ex->response.headers, "ETag: %s\r\n", etag);
    if (list_has(ex->request->fields[WS_HEADER_IF_NONE_MATCH], ws_cstr(etag))) {
        ex->response.status = 304;
        ws_buf_clear(&ex->response.body);
        ex->response.fixed_len = 0;
    }
}

/* --- before the body --- */

static void refuse_method(ws_exchange *ex)
{
    ws_problem_set(&ex->problem, WS_PROBLEM_METHOD_NOT_ALLOWED, "%s is not allowed here",
                   ws_method_name(ex->request->method));
    ws_buf_cstr(&ex->response.headers, "Allow: ");
    ws_route_write_allow(ex->route, &ex->response.headers);
    ws_buf_cstr(&ex->response.headers, "\r\n");
}

static void answer_options(ws_exchange *ex)
{
    ex->response.status = 204;
    ws_buf_cstr(&ex->response.headers, "Allow: ");
    ws_route_write_allow(ex->route, &ex->response.headers);
    ws_buf_cstr(&ex->response.headers, "\r\n");
}

static int has_dot_segment(ws_str path)
{
    for (size_t from = 0; from <= path.len;) {
        size_t to = from;
        while (to < path.len && path.ptr[to] != '/')
            to++;
        ws_str segment = ws_str_sub(path, from, to);
        if (ws_str_eq(segment, WS_STR(".")) || ws_str_eq(segment, WS_STR("..")))
            return 1;
        from = to + 1;
    }
    return 0;
}

/* The path must be decodable as a whole, and not climb. */
static int check_path(ws_exchange *ex)
{
    ws_str decoded;
    ws_decode_result result = ws_percent_decode(ex->request->path, 0, &ex->arena, &decoded);
    if (result == WS_DECODE_NOMEM) {
        ws_exchange_out_of_memory(ex);
        return 0;
    }
    if (result != WS_DECODE_OK) {
        ws_problem_set(&ex->problem,
                       result == WS_DECODE_UTF8 ? WS_PROBLEM_INVALID_UTF8 : WS_PROBLEM_BAD_REQUEST,
                       "in the path: %s", ws_decode_text(result));
        return 0;
    }
    if (!has_dot_segment(decoded))
        return 1;
    ws_problem_set(&ex->problem, WS_PROBLEM_BAD_REQUEST, "the path has a \".\" or \"..\" segment");
    return 0;
}

static int is_json_type(ws_str type)
{
    size_t end = 0;
    while (end < type.len && type.ptr[end] != ';' && type.ptr[end] != ' ')
        end++;
    return ws_field_name_is(ws_str_sub(type, 0, end), "application/json");
}

static int check_entity(ws_exchange *ex)
{
    const ws_request *request = ex->request;
    ws_str coding = request->fields[WS_HEADER_CONTENT_ENCODING];
    ws_str expect = request->fields[WS_HEADER_EXPECT];
    int has_body = request->framing == WS_FRAMING_CHUNKED || request->content_length > 0;
    if (expect.len && request->minor > 0 && !ws_field_name_is(expect, "100-continue")) {
        ws_problem_set(&ex->problem, WS_PROBLEM_EXPECTATION_FAILED,
                       "the only expectation understood is 100-continue");
        return 0;
    }
    if (request->method != WS_METHOD_POST || !has_body)
        return 1;
    if (coding.len && !ws_field_name_is(coding, "identity")) {
        ws_problem_set(&ex->problem, WS_PROBLEM_UNSUPPORTED_ENCODING,
                       "bodies must not be compressed");
        return 0;
    }
    if (is_json_type(request->fields[WS_HEADER_CONTENT_TYPE]))
        return 1;
    ws_problem_set(&ex->problem, WS_PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                   "the body must be Content-Type: application/json");
    return 0;
}

static int find_route(ws_exchange *ex)
{
    ws_str argument;
    ex->route = ws_route_find(ex->request->path, &argument, &ex->problem);
    if (ex->route == NULL)
        return 0;
    /* The whole path was decodable, so its parts are; only memory can fail. */
    if (argument.len && ws_percent_decode(argument, 0, &ex->arena, &ex->argument) != WS_DECODE_OK) {
        ws_exchange_out_of_memory(ex);
        return 0;
    }
    return 1;
}

void ws_exchange_route(ws_exchange *ex, int loopback)
{
    unsigned method = ex->request->method;
    if (method == WS_METHOD_CONNECT || method == WS_METHOD_TRACE) {
        refuse_method(ex);
        return;
    }
    if (method == WS_METHOD_OPTIONS && ws_str_eq(ex->request->path, WS_STR("*"))) {
        answer_options(ex);
        return;
    }
    if (!check_path(ex) || !find_route(ex))
        return;
    if (method == WS_METHOD_OPTIONS)
        answer_options(ex);
    else if (!(ex->route->allow & WS_ALLOW(method)))
        refuse_method(ex);
    else if (ws_auth_check(&ex->server->config, (ws_access)ex->route->access, ex->request, loopback,
                           &ex->problem))
        check_entity(ex);
}

/* --- the answer --- */

void ws_exchange_render_problem(ws_exchange *ex)
{
    ws_problem *problem = &ex->problem;
    ws_response *response = &ex->response;
    response->status = ws_problem_status(problem->kind);
    response->content_type = "application/problem+json";
    response->fixed = NULL;
    ws_buf_clear(&response->body);
    if (problem->kind != WS_PROBLEM_METHOD_NOT_ALLOWED) /* that one needs its Allow */
        ws_buf_clear(&response->headers);
    ws_problem_write(&response->body, problem, ex->request ? ex->request->path : WS_STR(""),
                     ws_cstr(ex->id));
    ws_buf_cstr(&response->headers, "Cache-Control: no-store\r\n");
    if (problem->retry_after_s)
        ws_buf_printf(&response->headers, "Retry-After: %u\r\n", problem->retry_after_s);
    if (response->status == 401)
        ws_buf_cstr(&response->headers, "WWW-Authenticate: Bearer realm=\"wikisearch\"\r\n");
}

static const char *reason(unsigned status)
{
    static const struct {
        uint16_t status;
        const char *phrase;
    } phrases[] = {
        {200, "OK"},
        {204, "No Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
    };
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        if (phrases[i].status == status)
            return phrases[i].phrase;
    }
    return "Unknown";
}

static void write_timing(const ws_exchange *ex, ws_buf *out)
{
    const ws_job *job = &ex->job;
    uint64_t queue = job->started_ns > job->queued_ns ? job->started_ns - job->queued_ns : 0;
    uint64_t exec = job->finished_ns > job->started_ns ? job->finished_ns - job->started_ns
                                                       : ws_now_ns() - ex->received_ns;
    ws_buf_printf(out, "Server-Timing: queue;dur=%.3f, exec;dur=%.3f, cpu;dur=%.3f\r\n",
                  (double)queue * 1e-6, (double)exec * 1e-6, (double)ex->cpu_ns * 1e-6);
}

void ws_exchange_write_head(ws_exchange *ex, int close, const char *date, size_t body_len,
                            ws_buf *out)
{
    const ws_response *response = &ex->response;
    unsigned status = response->status ? response->status : 200;
    ws_buf_printf(out, "HTTP/1.1 %u %s\r\nServer: wikisearchd\r\nDate: %s\r\n", status,
                  reason(status), date);
    if (status != 204 && status != 304)
        ws_buf_printf(out, "Content-Length: %zu\r\n", body_len);
    if (response->content_type && body_len)
        ws_buf_printf(out, "Content-Type: %s\r\n", response->content_type);
    ws_buf_cstr(out, "X-Content-Type-Options: nosniff\r\n");
    ws_buf_printf(out, "X-Request-Id: %s\r\n", ex->id);
    if (ex->view)
        ws_buf_printf(out, "WS-Index-Generation: %llu\r\n",
                      (unsigned long long)ex->view->generation);
    write_timing(ex, out);
    if (ex->route && (ex->route->label == WS_ROUTE_SEARCH || ex->route->label == WS_ROUTE_DOC))
        ws_buf_cstr(out, "X-WS-Cache: bypass\r\n");
    if (ex->request && ws_str_eq(ex->request->fields[WS_HEADER_X_WS], WS_STR("1")))
        ws_search_write_timing(ex, ex->server->config_hash, out);
    ws_buf_append(out, response->headers.data, response->headers.len);
    if (close)
        ws_buf_cstr(out, "Connection: close\r\n");
    else if (ex->request && ex->request->minor == 0)
        ws_buf_cstr(out, "Connection: keep-alive\r\n");
    ws_buf_cstr(out, "\r\n");
}
