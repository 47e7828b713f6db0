/* GET /v1/documents and /v1/documents/{id}. */
#include <stdio.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/str.h"
#include "server/exchange.h"
#include "server/params.h"

#define ID_MAX 512u

enum { LATEST_ORDER, LATEST_LIMIT, LATEST_OFFSET, LATEST_FILTER, LATEST_PARAMS };

static const char *const orders[] = {"latest", NULL};

/* clang-format off */
static const ws_param_spec specs[LATEST_PARAMS] = {
    [LATEST_ORDER] = {"order", WS_PARAM_CHOICE, 0, 0, 0, orders},
    [LATEST_LIMIT] = {"limit", WS_PARAM_NUMBER, 1, 100, 20, NULL},
    [LATEST_OFFSET] = {"offset", WS_PARAM_NUMBER, 0, 9900, 0, NULL},
    [LATEST_FILTER] = {"filter", WS_PARAM_TEXT, 0, 4096, 0, NULL},
};
/* clang-format on */

/* --- one document --- */

static void set_etag(ws_exchange *ex)
{
    char etag[40];
    ws_hash128 hash = ws_hash128_of(ex->response.body.data, ex->response.body.len);
    snprintf(etag, sizeof etag, "\"%016llx%016llx\"", (unsigned long long)hash.hi,
             (unsigned long long)hash.lo);
    ws_exchange_tag(ex, etag);
}

static void run_document(ws_job *job, struct ws_worker *worker)
{
    ws_exchange *ex = (ws_exchange *)job;
    ws_error error = {.code = WS_OK};
    ws_text text = {NULL, 0};
    (void)worker;
    ws_status status = ws_document_get(ex->view->searcher, ex->argument, &text, &error);
    if (status == WS_ERR_NOT_FOUND) {
        ws_problem_set(&ex->problem, WS_PROBLEM_DOCUMENT_NOT_FOUND, "there is no document \"%.*s\"",
                       (int)(ex->argument.len < 128 ? ex->argument.len : 128), ex->argument.ptr);
        return;
    }
    if (status < 0) {
        ws_exchange_fail(ex, status, &error, "document");
        return;
    }
    ws_buf_append(&ex->response.body, text.ptr, text.len);
    ws_text_free(&text);
    ws_exchange_json(ex, "no-cache");
    set_etag(ex);
}

ws_handled ws_handle_document(ws_exchange *ex)
{
    if (!ws_exchange_needs_view(ex) || !ws_exchange_no_params(ex))
        return WS_ANSWERED;
    if (ex->argument.len > ID_MAX) {
        ws_problem_set(&ex->problem, WS_PROBLEM_LIMIT_EXCEEDED, "an id has at most %u bytes",
                       ID_MAX);
        return WS_ANSWERED;
    }
    return ws_exchange_work(ex, WS_LANE_LIGHT, run_document);
}

/* --- the newest ones --- */

static void run_latest(ws_job *job, struct ws_worker *worker)
{
    ws_exchange *ex = (ws_exchange *)job;
    ws_param_value values[LATEST_PARAMS];
    ws_error error = {.code = WS_OK};
    ws_text text = {NULL, 0};
    ws_json j;
    (void)worker;
    ws_params_init(specs, LATEST_PARAMS, values);
    if (!ws_params_from_query(specs, LATEST_PARAMS, ex->request->query, &ex->arena, values,
                              &ex->problem))
        return;
    ws_status status = ws_documents_latest(
        ex->view->searcher, (uint32_t)values[LATEST_OFFSET].number,
        (uint32_t)values[LATEST_LIMIT].number, values[LATEST_FILTER].text, &text, &error);
    if (status == WS_ERR_SYNTAX || status == WS_ERR_SCHEMA) {
        ws_problem_set(&ex->problem, WS_PROBLEM_INVALID_FILTER, "%s (byte %llu)", error.message,
                       (unsigned long long)error.offset);
        ws_problem_point(&ex->problem, WS_STR("filter"), "invalid");
        return;
    }
    if (status < 0) {
        ws_exchange_fail(ex, status, &error, "documents");
        return;
    }
    ws_exchange_json(ex, "no-cache");
    ws_json_init(&j, &ex->response.body);
    ws_json_object(&j);
    ws_json_key(&j, "documents");
    ws_json_raw(&j, ws_str_make(text.ptr, text.len));
    ws_json_ku64(&j, "generation", ex->view->generation);
    ws_json_end_object(&j);
    ws_text_free(&text);
}

ws_handled ws_handle_documents(ws_exchange *ex)
{
    if (!ws_exchange_needs_view(ex))
        return WS_ANSWERED;
    return ws_exchange_work(ex, WS_LANE_LIGHT, run_latest);
}
