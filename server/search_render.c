#include <jansson.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "base/utf16.h"
#include "server/search.h"

/* --- hits --- */

static void write_spans(ws_json *j, const char *name, ws_str text, const ws_span *spans, uint32_t n)
{
    ws_utf16_walk walk;
    ws_utf16_begin(&walk, text);
    ws_json_key(j, name);
    ws_json_array(j);
    for (uint32_t i = 0; i < n; i++) {
        ws_json_array(j);
        ws_json_u64(j, ws_utf16_units(&walk, spans[i].start));
        ws_json_u64(j, ws_utf16_units(&walk, spans[i].end));
        ws_json_end_array(j);
    }
    ws_json_end_array(j);
}

static void write_value(ws_json *j, const ws_view_field *field, ws_str value)
{
    int64_t number;
    if (field->is_int && ws_str_to_i64(value, &number))
        ws_json_i64(j, number);
    else
        ws_json_str(j, value);
}

/* A stored field that the document doesn't have is left out; one with several values is an array.
 */
static void write_field(ws_json *j, const ws_results *results, uint32_t i,
                        const ws_view_field *field)
{
    ws_str value, name = ws_cstr(field->name);
    if (ws_results_field(results, i, name, 0, &value) != WS_OK)
        return;
    ws_json_key_str(j, name);
    if (!field->is_multi) {
        write_value(j, field, value);
        return;
    }
    ws_json_array(j);
    for (uint32_t n = 0; ws_results_field(results, i, name, n, &value) == WS_OK; n++)
        write_value(j, field, value);
    ws_json_end_array(j);
}

static void write_hit(ws_json *j, const ws_exchange *ex, const ws_results *results, uint32_t i)
{
    ws_hit hit = {.size = sizeof hit};
    if (ws_results_hit(results, i, &hit) < 0)
        return;
    ws_json_object(j);
    ws_json_kstr(j, "id", hit.id);
    ws_json_key(j, "_score");
    ws_json_double(j, hit.score_value, 6);
    if (hit.fetched) {
        ws_json_kstr(j, "title", hit.title);
        ws_json_kstr(j, "snippet", hit.snippet);
        ws_json_key(j, "_highlight");
        ws_json_object(j);
        write_spans(j, "title", hit.title, hit.title_spans, hit.n_title_spans);
        write_spans(j, "snippet", hit.snippet, hit.snippet_spans, hit.n_snippet_spans);
        ws_json_end_object(j);
        for (uint32_t f = 0; f < ex->view->n_fields; f++)
            write_field(j, results, i, &ex->view->fields[f]);
    }
    ws_json_end_object(j);
}

/* --- the query as it was understood --- */

static void remember_warning(ws_search_task *task, const char *code)
{
    if (task->n_warnings == WS_SEARCH_WARNINGS || strlen(code) >= sizeof task->warnings[0])
        return;
    memcpy(task->warnings[task->n_warnings++], code, strlen(code) + 1);
}

static void write_strings(ws_json *j, const json_t *strings)
{
    ws_json_array(j);
    for (size_t i = 0; i < json_array_size(strings); i++) {
        const json_t *s = json_array_get(strings, i);
        ws_json_str(j, ws_str_make(json_string_value(s), json_string_length(s)));
    }
    ws_json_end_array(j);
}

static void write_query(ws_json *j, const ws_search_task *task, const json_t *description)
{
    const json_t *normalized = json_object_get(description, "normalized");
    ws_json_key(j, "query");
    ws_json_object(j);
    ws_json_kstr(j, "q", task->params[WS_SEARCH_Q].text);
    ws_json_kstr(j, "normalized",
                 ws_str_make(json_string_value(normalized), json_string_length(normalized)));
    ws_json_key(j, "terms");
    write_strings(j, json_object_get(description, "terms"));
    ws_json_key(j, "ignored");
    write_strings(j, json_object_get(description, "ignored"));
    ws_json_kbool(j, "relaxed", 0);
    ws_json_end_object(j);
}

static void write_warnings(ws_json *j, ws_search_task *task, const json_t *description)
{
    const json_t *warnings = json_object_get(description, "warnings");
    ws_json_key(j, "warnings");
    ws_json_array(j);
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const json_t *w = json_array_get(warnings, i);
        const char *code = json_string_value(json_object_get(w, "code"));
        if (code == NULL)
            continue;
        remember_warning(task, code);
        ws_json_object(j);
        ws_json_kcstr(j, "code", code);
        ws_json_kcstr(j, "message", json_string_value(json_object_get(w, "message")));
        ws_json_end_object(j);
    }
    ws_json_end_array(j);
}

/* --- the whole --- */

static void write_total(ws_json *j, const ws_results *results)
{
    uint64_t value = 0;
    uint32_t relation = WS_RELATION_EQ;
    ws_results_total(results, &value, &relation);
    ws_json_key(j, "total");
    ws_json_object(j);
    ws_json_ku64(j, "value", value);
    ws_json_kcstr(j, "relation", relation == WS_RELATION_EQ ? "eq" : "gte");
    ws_json_end_object(j);
}

static void write_profile(ws_json *j, const ws_exchange *ex, uint64_t output_start)
{
    const ws_search_task *task = ex->task;
    const ws_cost *cost = &task->cost;
    uint64_t now = ws_now_ns();
    ws_json_key(j, "took_ms");
    ws_json_double(j, (double)(now - ex->received_ns) * 1e-6, 3);
    ws_json_key(j, "cost");
    ws_json_object(j);
    ws_json_ku64(j, "estimate", task->estimate.postings);
    ws_json_ku64(j, "postings", cost->postings);
    ws_json_ku64(j, "blocks", cost->blocks);
    ws_json_ku64(j, "windows", cost->windows);
    ws_json_ku64(j, "scored", cost->scored);
    ws_json_ku64(j, "fetch_bytes", cost->fetch_bytes);
    ws_json_ku64(j, "analysed_bytes", cost->analysed_bytes);
    ws_json_ku64(j, "cpu_us", (cost->score_cpu_ns + cost->fetch_cpu_ns) / 1000);
    ws_json_ku64(j, "score_us", task->score_ns / 1000);
    ws_json_ku64(j, "fetch_us", task->fetch_ns / 1000);
    ws_json_ku64(j, "output_us", (now - output_start) / 1000);
    ws_json_ku64(j, "queue_us", (ex->job.started_ns - ex->job.queued_ns) / 1000);
    ws_json_end_object(j);
}

/* The time ended before a single document was found: an empty page would be a wrong answer. */
static int has_nothing(const ws_search_task *task, const ws_results *results)
{
    uint64_t value = 0;
    uint32_t relation = WS_RELATION_EQ;
    ws_results_total(results, &value, &relation);
    return task->partial && ws_results_count(results) == 0 && value == 0 &&
           task->params[WS_SEARCH_LIMIT].number > 0;
}

void ws_search_render(ws_exchange *ex, const ws_results *results)
{
    ws_search_task *task = ex->task;
    uint64_t start = ws_now_ns();
    ws_json j;
    if (has_nothing(task, results)) {
        ws_problem_set(&ex->problem, WS_PROBLEM_TIMEOUT_NO_RESULTS,
                       "the time for this search ended before anything was found");
        return;
    }
    ws_str text = ws_query_describe(task->query);
    json_t *description = json_loadb(text.ptr, text.len, 0, NULL);
    ws_exchange_json(ex, "no-cache");
    ws_json_init(&j, &ex->response.body);
    ws_json_object(&j);
    ws_json_key(&j, "hits");
    ws_json_array(&j);
    for (uint32_t i = 0; i < ws_results_count(results); i++)
        write_hit(&j, ex, results, i);
    ws_json_end_array(&j);
    write_total(&j, results);
    write_query(&j, task, description);
    ws_json_kbool(&j, "partial", task->partial);
    ws_json_key(&j, "degraded");
    ws_json_array(&j);
    ws_json_end_array(&j);
    write_warnings(&j, task, description);
    ws_json_ku64(&j, "generation", ex->view->generation);
    if (task->params[WS_SEARCH_PROFILE].number)
        write_profile(&j, ex, start);
    ws_json_end_object(&j);
    json_decref(description);
    task->output_ns = ws_now_ns() - start;
}
