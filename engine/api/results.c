/* The public side of results: fetching and looking at hits. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/api/api_int.h"
#include "engine/query/results_int.h"

static ws_status ready_scratch(ws_scratch *scratch, ws_error *error)
{
    if (!scratch->reader) {
        ws_status status = ws_stored_reader_new(&scratch->reader);
        if (status)
            return ws_error_set(error, status, "no memory to read documents");
    }
    return scratch->analyzer ? WS_OK : ws_analyzer_new(&scratch->analyzer, error);
}

ws_status ws_results_fetch(ws_results *results, uint32_t from, uint32_t n,
                           const ws_fetch_options *options, const ws_budget *budget,
                           ws_error *error)
{
    ws_fetch_options o = WS_FETCH_OPTIONS_INIT;
    ws_scratch temporary = {NULL, NULL, NULL};
    ws_scratch *scratch = results->scratch ? results->scratch : &temporary;
    WS_TRY(ws_api_read_options(&o, sizeof o, options, "ws_fetch_options", error));
    ws_status status = ready_scratch(scratch, error);
    if (!status)
        status = ws_results_fetch_with(results, from, n, &o, scratch->reader, scratch->analyzer,
                                       budget, error);
    ws_stored_reader_free(temporary.reader);
    ws_analyzer_free(temporary.analyzer);
    return status;
}

uint32_t ws_results_count(const ws_results *results)
{
    return results->n_hits;
}

ws_status ws_results_hit(const ws_results *results, uint32_t i, ws_hit *hit)
{
    if (i >= results->n_hits)
        return WS_ERR_RANGE;
    const ws_top_entry *entry = &results->entries[i];
    const ws_result_hit *from = &results->hits[i];
    ws_hit full = {
        .score = entry->score,
        .score_value =
            (double)entry->score / (double)(1u << 20) * (double)(1ull << results->cost.scale_shift),
        .doc_key = entry->key,
        .id = from->id,
        .title = from->title,
        .snippet = from->snippet,
        .title_spans = from->title_spans,
        .snippet_spans = from->snippet_spans,
        .n_title_spans = from->n_title_spans,
        .n_snippet_spans = from->n_snippet_spans,
        .fetched = from->fetched,
        .snippet_offset = from->snippet_offset,
    };
    return ws_api_write_answer(hit, &full, sizeof full);
}

ws_status ws_results_field(const ws_results *results, uint32_t i, ws_str field, uint32_t nth,
                           ws_str *value)
{
    int wanted = ws_schema_find(&results->snapshot->manifest.schema, field);
    *value = ws_str_make(NULL, 0);
    if (i >= results->n_hits)
        return WS_ERR_RANGE;
    const ws_result_hit *hit = &results->hits[i];
    for (uint32_t v = 0; v < hit->n_values; v++)
        if (hit->values[v].field == wanted && nth-- == 0) {
            *value = hit->values[v].bytes;
            return WS_OK;
        }
    return WS_ERR_NOT_FOUND;
}

void ws_results_total(const ws_results *results, uint64_t *value, uint32_t *relation)
{
    *value = results->total;
    if (relation)
        *relation = results->relation;
}

void ws_results_cost(const ws_results *results, ws_cost *cost)
{
    (void)ws_api_write_answer(cost, &results->cost, sizeof results->cost);
}

void ws_results_free(ws_results *results)
{
    if (!results)
        return;
    ws_snapshot_unref(results->snapshot);
    ws_query_unref(results->query);
    ws_arena_fini(&results->arena);
    ws_free(results);
}
