/* POST /v1/analyze: the tokens of a text. */
#include "base/json.h"
#include "base/str.h"
#include "base/utf16.h"
#include "server/exchange.h"
#include "server/params.h"
#include "server/server.h"

#define TEXT_MAX 65536u

enum { ANALYZE_TEXT, ANALYZE_FIELD, ANALYZE_MODE, ANALYZE_PARAMS };

static const char *const modes[] = {"index", "query", NULL};

/* clang-format off */
static const ws_param_spec specs[ANALYZE_PARAMS] = {
    [ANALYZE_TEXT] = {"text", WS_PARAM_TEXT, 0, TEXT_MAX, 0, NULL},
    [ANALYZE_FIELD] = {"field", WS_PARAM_TEXT, 0, 64, 0, NULL},
    [ANALYZE_MODE] = {"mode", WS_PARAM_CHOICE, 0, 0, WS_ANALYZE_AS_INDEX, modes},
};
/* clang-format on */

typedef struct {
    ws_json json;
    ws_utf16_walk starts, ends;
} writing;

static void write_token(void *ctx, const ws_analyzed_token *token)
{
    writing *w = ctx;
    ws_json *j = &w->json;
    ws_json_object(j);
    ws_json_kstr(j, "token", token->text);
    ws_json_kcstr(j, "stream", token->stream);
    ws_json_ku64(j, "start", ws_utf16_units(&w->starts, token->start));
    ws_json_ku64(j, "end", ws_utf16_units(&w->ends, token->end));
    ws_json_ku64(j, "position", token->position);
    ws_json_end_object(j);
}

static void analyze(ws_exchange *ex, const ws_param_value *values)
{
    ws_error error = {.code = WS_OK};
    writing w;
    ws_str text = values[ANALYZE_TEXT].text;
    ws_utf16_begin(&w.starts, text);
    ws_utf16_begin(&w.ends, text);
    ws_json_init(&w.json, &ex->response.body);
    ws_json_object(&w.json);
    ws_json_key(&w.json, "tokens");
    ws_json_array(&w.json);
    ws_status status = ws_analyze(ex->server->index, values[ANALYZE_FIELD].text, text,
                                  (uint32_t)values[ANALYZE_MODE].number, write_token, &w, &error);
    ws_json_end_array(&w.json);
    ws_json_end_object(&w.json);
    if (status == WS_ERR_SCHEMA) {
        ws_problem_set(&ex->problem, WS_PROBLEM_INVALID_PARAMETER, "%s", error.message);
        ws_problem_point(&ex->problem, WS_STR("field"), "unknown_field");
    } else if (status < 0) {
        ws_exchange_fail(ex, status, &error, "analyze");
    }
}

static void run_analyze(ws_job *job, struct ws_worker *worker)
{
    ws_exchange *ex = (ws_exchange *)job;
    ws_param_value values[ANALYZE_PARAMS];
    (void)worker;
    ws_params_init(specs, ANALYZE_PARAMS, values);
    ws_exchange_json(ex, "no-store");
    if (ws_params_from_json(specs, ANALYZE_PARAMS, ws_buf_slice(&ex->request->body), &ex->arena,
                            values, &ex->problem) &&
        ws_params_require(specs, ANALYZE_TEXT, values, &ex->problem))
        analyze(ex, values);
}

ws_handled ws_handle_analyze(ws_exchange *ex)
{
    if (!ws_exchange_needs_view(ex) || !ws_exchange_no_params(ex))
        return WS_ANSWERED;
    return ws_exchange_work(ex, ex->request->body.len > 4096 ? WS_LANE_HEAVY : WS_LANE_LIGHT,
                            run_analyze);
}
