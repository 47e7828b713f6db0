#include "server/search.h"

#include "base/clock.h"
#include "base/str.h"
#include "server/server.h"

#define Q_MAX       16384u
#define FILTER_MAX  4096u
#define BODY_MAX    131072u /* more than q and filter can need, with every character escaped */
#define QUICK_BODY  4096u   /* read on the I/O thread up to here, */
#define QUICK_TEXT  256u    /* and analysed there up to here */
#define TIMEOUT_MAX 60000u

static const char *const operators[] = {"or", "and", NULL};
static const char *const totals[] = {"exact", "true", "false", NULL};

/* clang-format off */
static const ws_param_spec specs[WS_SEARCH_PARAMS] = {
    [WS_SEARCH_Q] = {"q", WS_PARAM_TEXT, 0, Q_MAX, 0, NULL},
    [WS_SEARCH_LIMIT] = {"limit", WS_PARAM_NUMBER, 0, 100, 20, NULL},
    [WS_SEARCH_OFFSET] = {"offset", WS_PARAM_NUMBER, 0, UINT32_MAX, 0, NULL},
    [WS_SEARCH_FILTER] = {"filter", WS_PARAM_TEXT, 0, FILTER_MAX, 0, NULL},
    [WS_SEARCH_OPERATOR] = {"operator", WS_PARAM_CHOICE, 0, 0, WS_OPERATOR_OR, operators},
    [WS_SEARCH_SNIPPET_LEN] = {"snippet_len", WS_PARAM_NUMBER, 0, 1000, 160, NULL},
    [WS_SEARCH_HIGHLIGHT] = {"highlight", WS_PARAM_BOOL, 0, 1, 1, NULL},
    [WS_SEARCH_TRACK_TOTAL] = {"track_total", WS_PARAM_CHOICE, 0, 0, 0, totals},
    [WS_SEARCH_TIMEOUT_MS] = {"timeout_ms", WS_PARAM_NUMBER, 1, TIMEOUT_MAX, 0, NULL},
    [WS_SEARCH_PROFILE] = {"profile", WS_PARAM_BOOL, 0, 1, 0, NULL},
};
/* clang-format on */

void ws_search_task_free(ws_search_task *task)
{
    if (task)
        ws_query_free(task->query);
}

/* --- what is asked --- */

static int check_window(ws_exchange *ex)
{
    ws_search_task *task = ex->task;
    uint64_t window = ws_config_number(&ex->server->config, WS_KEY_LIMIT_RESULT_WINDOW);
    uint64_t limit = task->params[WS_SEARCH_LIMIT].number;
    uint64_t offset = task->params[WS_SEARCH_OFFSET].number;
    if (offset + limit <= window)
        return 1;
    ws_problem_set(&ex->problem, WS_PROBLEM_LIMIT_EXCEEDED,
                   "offset + limit is %llu, the maximum is %llu",
                   (unsigned long long)(offset + limit), (unsigned long long)window);
    ws_problem_point(&ex->problem, WS_STR("offset"), "out_of_range");
    ex->problem.max = window > limit ? window - limit : 0;
    ex->problem.has_max = 1;
    return 0;
}

static int read_params(ws_exchange *ex)
{
    ws_search_task *task = ex->task;
    ws_params_init(specs, WS_SEARCH_PARAMS, task->params);
    if (!ws_params_from_query(specs, WS_SEARCH_PARAMS, ex->request->query, &ex->arena, task->params,
                              &ex->problem))
        return 0;
    if (ex->request->body.len && ex->request->method == WS_METHOD_POST &&
        !ws_params_from_json(specs, WS_SEARCH_PARAMS, ws_buf_slice(&ex->request->body), &ex->arena,
                             task->params, &ex->problem))
        return 0;
    return ws_params_require(specs, WS_SEARCH_Q, task->params, &ex->problem) && check_window(ex);
}

static void set_query_problem(ws_exchange *ex, ws_status status, const ws_error *error)
{
    if (status == WS_ERR_SYNTAX || status == WS_ERR_SCHEMA || status == WS_ERR_RANGE) {
        ws_problem_set(&ex->problem, WS_PROBLEM_INVALID_FILTER, "%s (byte %llu)", error->message,
                       (unsigned long long)error->offset);
        ws_problem_point(&ex->problem, WS_STR("filter"), "invalid");
        return;
    }
    ws_exchange_fail(ex, status, error, "query");
}

/* Analyses the query and says what it will cost. */
static int parse_query(ws_exchange *ex)
{
    ws_search_task *task = ex->task;
    ws_error error = {.code = WS_OK};
    ws_query_options options = WS_QUERY_OPTIONS_INIT;
    uint64_t start = ws_now_ns();
    options.op = (uint32_t)task->params[WS_SEARCH_OPERATOR].number;
    options.filter = task->params[WS_SEARCH_FILTER].text;
    ws_status status = ws_query_parse(&task->query, ex->server->index,
                                      task->params[WS_SEARCH_Q].text, &options, &error);
    task->estimate.size = sizeof task->estimate;
    if (status >= 0)
        status = ws_query_estimate(ex->view->searcher, task->query, &task->estimate);
    if (status < 0) {
        set_query_problem(ex, status, &error);
        return 0;
    }
    task->query_class =
        (uint8_t)ws_class_of(task->estimate.document_frequency, ex->view->stats.n_docs);
    task->parse_ns += ws_now_ns() - start;
    return 1;
}

/* --- the work --- */

static void run_search(ws_job *job, ws_worker *worker)
{
    ws_exchange *ex = (ws_exchange *)job;
    ws_search_task *task = ex->task;
    ws_error error = {.code = WS_OK};
    ws_results *results = NULL;
    ws_search_options options = WS_SEARCH_OPTIONS_INIT;
    ws_fetch_options fetch = WS_FETCH_OPTIONS_INIT;
    task->ran = 1;
    options.limit = (uint32_t)task->params[WS_SEARCH_LIMIT].number;
    options.offset = (uint32_t)task->params[WS_SEARCH_OFFSET].number;
    options.total =
        task->params[WS_SEARCH_TRACK_TOTAL].number == 2 ? WS_TOTAL_NONE : WS_TOTAL_EXACT;
    fetch.snippet_code_points = (uint32_t)task->params[WS_SEARCH_SNIPPET_LEN].number;
    fetch.highlight = (uint32_t)task->params[WS_SEARCH_HIGHLIGHT].number;
    fetch.full_body = ex->server->highlight_full;

    uint64_t start = ws_now_ns();
    ws_status status = ws_search(ex->view->searcher, task->query, &options, worker->scratch,
                                 &ex->budget, &results, &error);
    uint64_t scored = ws_now_ns();
    task->partial = status == WS_PARTIAL;
    if (status >= 0)
        status =
            ws_results_fetch(results, 0, ws_results_count(results), &fetch, &ex->budget, &error);
    task->partial |= status == WS_PARTIAL;
    task->score_ns = scored - start;
    task->fetch_ns = ws_now_ns() - scored;
    task->cost.size = sizeof task->cost;
    if (results)
        ws_results_cost(results, &task->cost);
    if (status < 0)
        ws_exchange_fail(ex, status, &error, "search");
    else
        ws_search_render(ex, results);
    ws_results_free(results);
}

/* Reads what is too long for the I/O thread; then the search itself is queued by its cost. */
static void run_preparation(ws_job *job, ws_worker *worker)
{
    ws_exchange *ex = (ws_exchange *)job;
    (void)worker;
    if (ex->task->query == NULL && (ex->task->params[WS_SEARCH_Q].given || read_params(ex)))
        parse_query(ex);
}

static uint64_t timeout_ms(const ws_exchange *ex)
{
    uint64_t asked = ex->task->params[WS_SEARCH_TIMEOUT_MS].number;
    return asked ? asked : ws_exchange_timeout_ms(ex);
}

static ws_handled queue_search(ws_exchange *ex)
{
    if (ex->problem.kind != WS_PROBLEM_NONE)
        return WS_ANSWERED;
    ws_lane lane = ex->task->estimate.postings > WS_HEAVY_POSTINGS ? WS_LANE_HEAVY : WS_LANE_LIGHT;
    ws_exchange_work(ex, lane, run_search);
    ws_exchange_start_budget(ex, timeout_ms(ex));
    return WS_NEEDS_WORK;
}

static ws_handled queue_preparation(ws_exchange *ex)
{
    ex->resume = queue_search;
    return ws_exchange_work(ex, WS_LANE_HEAVY, run_preparation); /* its cost is not known */
}

ws_handled ws_handle_search(ws_exchange *ex)
{
    if (!ws_exchange_needs_view(ex))
        return WS_ANSWERED;
    ws_search_task *task = ws_arena_calloc(&ex->arena, 1, sizeof *task);
    if (task == NULL)
        return ws_exchange_out_of_memory(ex);
    ex->task = task;
    task->query_class = WS_CLASS_OTHER;
    if (ex->request->body.len > BODY_MAX) {
        ws_problem_set(&ex->problem, WS_PROBLEM_LIMIT_EXCEEDED,
                       "the body of a search is at most %u bytes", BODY_MAX);
        return WS_ANSWERED;
    }
    if (ex->request->body.len > QUICK_BODY)
        return queue_preparation(ex);
    if (!read_params(ex))
        return WS_ANSWERED;
    if (task->params[WS_SEARCH_Q].text.len + task->params[WS_SEARCH_FILTER].text.len > QUICK_TEXT)
        return queue_preparation(ex);
    return parse_query(ex) ? queue_search(ex) : WS_ANSWERED;
}

/* --- afterwards --- */

void ws_search_count(const ws_exchange *ex, ws_metrics *metrics)
{
    const ws_search_task *task = ex->task;
    if (task == NULL || !task->ran)
        return;
    metrics->searches[task->query_class]++;
    metrics->worker_cpu_ns[task->query_class] += ex->job.cpu_ns;
    metrics->query_timeouts += task->partial;
    metrics->postings += task->cost.postings;
    metrics->blocks += task->cost.blocks;
    metrics->fetch_bytes += task->cost.fetch_bytes;
    ws_histogram_record(&metrics->query_terms, task->cost.n_terms);
    ws_histogram_record(&metrics->phase[WS_PHASE_PARSE], task->parse_ns);
    ws_histogram_record(&metrics->phase[WS_PHASE_SCORE], task->score_ns);
    ws_histogram_record(&metrics->phase[WS_PHASE_FETCH], task->fetch_ns);
    ws_histogram_record(&metrics->phase[WS_PHASE_SERIALISE], task->output_ns);
    for (uint32_t i = 0; i < task->n_warnings; i++)
        ws_metrics_warning(metrics, ws_cstr(task->warnings[i]));
}

void ws_search_write_timing(const ws_exchange *ex, uint32_t config_hash, ws_buf *out)
{
    static const ws_search_task none = {.query_class = WS_CLASS_OTHER};
    const ws_search_task *task = ex->task ? ex->task : &none;
    uint64_t queue =
        ex->job.started_ns > ex->job.queued_ns ? ex->job.started_ns - ex->job.queued_ns : 0;
    ws_buf_printf(out, "X-WS: q=%llu,p=%llu,c=0,s=%llu,f=%llu,o=%llu;post=%llu;cpu=%llu;",
                  (unsigned long long)(queue / 1000), (unsigned long long)(task->parse_ns / 1000),
                  (unsigned long long)(task->score_ns / 1000),
                  (unsigned long long)(task->fetch_ns / 1000),
                  (unsigned long long)(task->output_ns / 1000),
                  (unsigned long long)task->cost.postings, (unsigned long long)(ex->cpu_ns / 1000));
    ws_buf_printf(out, "class=%s;cfg=%08x\r\n", ws_class_name((ws_class)task->query_class),
                  (unsigned)config_hash);
}
