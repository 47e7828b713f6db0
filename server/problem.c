#include "server/problem.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/str.h"

/* clang-format off */
static const struct {
    uint16_t status;
    const char *code, *title;
} kinds[WS_PROBLEMS] = {
    [WS_PROBLEM_NONE] = {200, "none", "No problem"},
    [WS_PROBLEM_BAD_REQUEST] = {400, "bad_request", "Malformed HTTP request"},
    [WS_PROBLEM_INVALID_JSON] = {400, "invalid_json", "The body is not the JSON expected"},
    [WS_PROBLEM_INVALID_UTF8] = {400, "invalid_utf8", "Text is not valid UTF-8"},
    [WS_PROBLEM_INVALID_PARAMETER] = {400, "invalid_parameter", "Invalid parameter"},
    [WS_PROBLEM_UNKNOWN_PARAMETER] = {400, "unknown_parameter", "Unknown parameter"},
    [WS_PROBLEM_LIMIT_EXCEEDED] = {400, "limit_exceeded", "Limit exceeded"},
    [WS_PROBLEM_INVALID_FILTER] = {400, "invalid_filter", "Invalid filter"},
    [WS_PROBLEM_MISSING_KEY] = {401, "missing_key", "An API key is required"},
    [WS_PROBLEM_INVALID_KEY] = {401, "invalid_key", "The API key is not valid"},
    [WS_PROBLEM_INSUFFICIENT_SCOPE] = {403, "insufficient_scope", "Not allowed for this client"},
    [WS_PROBLEM_INDEX_NOT_FOUND] = {404, "index_not_found", "No such index"},
    [WS_PROBLEM_DOCUMENT_NOT_FOUND] = {404, "document_not_found", "No such document"},
    [WS_PROBLEM_NO_SUCH_ROUTE] = {404, "no_such_route", "Nothing at this path"},
    [WS_PROBLEM_METHOD_NOT_ALLOWED] = {405, "method_not_allowed", "Method not allowed here"},
    [WS_PROBLEM_REQUEST_TIMEOUT] = {408, "request_timeout", "The request came too slowly"},
    [WS_PROBLEM_BODY_TOO_LARGE] = {413, "body_too_large", "Body too large"},
    [WS_PROBLEM_URI_TOO_LONG] = {414, "uri_too_long", "Request line too long"},
    [WS_PROBLEM_UNSUPPORTED_MEDIA_TYPE] = {415, "unsupported_media_type", "Unsupported media type"},
    [WS_PROBLEM_UNSUPPORTED_ENCODING] = {415, "unsupported_encoding", "Unsupported content coding"},
    [WS_PROBLEM_EXPECTATION_FAILED] = {417, "expectation_failed", "Expectation not supported"},
    [WS_PROBLEM_HEADERS_TOO_LARGE] = {431, "headers_too_large", "Header section too large"},
    [WS_PROBLEM_INTERNAL] = {500, "internal", "Internal error"},
    [WS_PROBLEM_METHOD_UNKNOWN] = {501, "method_unknown", "Unknown method"},
    [WS_PROBLEM_TRANSFER_CODING_UNSUPPORTED] =
        {501, "transfer_coding_unsupported", "Unsupported transfer coding"},
    [WS_PROBLEM_OVERLOADED] = {503, "overloaded", "Too busy"},
    [WS_PROBLEM_SHUTTING_DOWN] = {503, "shutting_down", "Shutting down"},
    [WS_PROBLEM_NOT_READY] = {503, "not_ready", "Not ready"},
    [WS_PROBLEM_TIMEOUT_NO_RESULTS] =
        {503, "timeout_no_results", "The time ended before there was a result"},
    [WS_PROBLEM_HTTP_VERSION_UNSUPPORTED] =
        {505, "http_version_unsupported", "HTTP version not supported"},
};
/* clang-format on */

uint16_t ws_problem_status(ws_problem_kind kind)
{
    return kinds[kind].status;
}

const char *ws_problem_code(ws_problem_kind kind)
{
    return kinds[kind].code;
}

const char *ws_problem_title(ws_problem_kind kind)
{
    return kinds[kind].title;
}

/* Cuts a NUL-terminated text that was clipped by a buffer at its last whole code point. */
static void trim_code_point(char *text, size_t len)
{
    size_t start = len;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0 || (unsigned char)text[start - 1] < 0xc0)
        return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t need = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (len - start < need)
        text[start - 1] = 0;
}

void ws_problem_set(ws_problem *problem, ws_problem_kind kind, const char *format, ...)
{
    *problem = (ws_problem){.kind = kind, .retry_after_s = kinds[kind].status == 503};
    va_list args;
    va_start(args, format);
    int n = vsnprintf(problem->detail, sizeof problem->detail, format, args);
    va_end(args);
    if (n >= (int)sizeof problem->detail)
        trim_code_point(problem->detail, sizeof problem->detail - 1);
}

void ws_problem_point(ws_problem *problem, ws_str name, const char *item_code)
{
    size_t n = WS_MIN(name.len, sizeof problem->pointer - 2);
    problem->pointer[0] = '/';
    if (n)
        memcpy(problem->pointer + 1, name.ptr, n);
    problem->pointer[n + 1] = 0;
    if (n < name.len)
        trim_code_point(problem->pointer, n + 1);
    problem->item_code = item_code;
}

void ws_problem_write(ws_buf *out, const ws_problem *problem, ws_str instance, ws_str request_id)
{
    ws_json j;
    char type[64];
    ws_json_init(&j, out);
    ws_json_object(&j);
    snprintf(type, sizeof type, "/errors/%s", ws_problem_code(problem->kind));
    ws_json_kcstr(&j, "type", type);
    ws_json_kcstr(&j, "title", ws_problem_title(problem->kind));
    ws_json_ku64(&j, "status", ws_problem_status(problem->kind));
    ws_json_kcstr(&j, "code", ws_problem_code(problem->kind));
    if (problem->detail[0])
        ws_json_kcstr(&j, "detail", problem->detail);
    if (instance.len)
        ws_json_kstr(&j, "instance", instance);
    if (request_id.len)
        ws_json_kstr(&j, "request_id", request_id);
    if (problem->pointer[0]) {
        ws_json_key(&j, "errors");
        ws_json_array(&j);
        ws_json_object(&j);
        ws_json_kcstr(&j, "pointer", problem->pointer);
        if (problem->item_code)
            ws_json_kcstr(&j, "code", problem->item_code);
        if (problem->has_max)
            ws_json_ku64(&j, "max", problem->max);
        ws_json_end_object(&j);
        ws_json_end_array(&j);
    }
    ws_json_end_object(&j);
}
