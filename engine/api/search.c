/* Searchers, scratch memory, and the public search. */
#include "base/error.h"
#include "base/mem.h"
#include "engine/api/api_int.h"
#include "engine/query/exec.h"

/* --- searchers --- */

ws_status ws_searcher_open(ws_searcher **out, ws_index *index, ws_error *error)
{
    *out = NULL;
    WS_TRY(ws_index_check_process(index));
    ws_searcher *s = ws_calloc(1, sizeof *s);
    if (!s)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a searcher");
    s->snapshot = ws_index_pin(index);
    s->schema = index->schema;
    s->pid = index->pid;
    atomic_store_explicit(&s->references, 1, memory_order_relaxed);
    for (uint32_t i = 1; i < WS_LIMITS; i++)
        ws_index_get_limit(index, i, &s->limits[i]);
    ws_score_tables *tables;
    ws_status status = ws_score_tables_new(&tables, &s->snapshot->manifest);
    s->scores = tables;
    if (status) {
        ws_searcher_close(s);
        return ws_error_set(error, status, "no memory for the tables of scores");
    }
    *out = s;
    return WS_OK;
}

void ws_searcher_close(ws_searcher *s)
{
    /* Acquire and release: the last one sees what the others did before it frees. */
    if (!s || atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1)
        return;
    ws_score_tables *tables = (ws_score_tables *)s->scores; /* ours; const for those who score */
    ws_score_tables_free(tables);
    ws_snapshot_unref(s->snapshot);
    ws_free(s);
}

uint64_t ws_searcher_generation(const ws_searcher *s)
{
    return s->snapshot->manifest.generation;
}

/* --- scratch --- */

ws_status ws_scratch_new(ws_scratch **out)
{
    ws_search_memory *memory;
    *out = NULL;
    WS_TRY(ws_search_memory_new(&memory));
    ws_scratch *scratch = ws_calloc(1, sizeof *scratch);
    if (!scratch) {
        ws_search_memory_free(memory);
        return WS_ERR_NOMEM;
    }
    scratch->search = memory;
    *out = scratch;
    return WS_OK;
}

void ws_scratch_free(ws_scratch *scratch)
{
    if (!scratch)
        return;
    ws_stored_reader_free(scratch->reader);
    ws_analyzer_free(scratch->analyzer);
    ws_search_memory_free(scratch->search);
    ws_free(scratch);
}

/* --- search --- */

static ws_status check_options(const ws_searcher *s, const ws_search_options *o, ws_error *error)
{
    if (o->total > WS_TOTAL_NONE || o->traversal > WS_TRAVERSAL_EXHAUSTIVE)
        return ws_error_set(error, WS_ERR_ARG, "ws_search_options: unknown total or traversal");
    uint64_t last = (uint64_t)o->offset + o->limit;
    if (last > s->limits[WS_LIMIT_RESULT_WINDOW])
        return ws_error_set(error, WS_ERR_RANGE, "offset + limit is %llu, the maximum is %llu",
                            (unsigned long long)last,
                            (unsigned long long)s->limits[WS_LIMIT_RESULT_WINDOW]);
    return WS_OK;
}

ws_status ws_search(ws_searcher *s, const ws_query *query, const ws_search_options *options,
                    ws_scratch *scratch, const ws_budget *budget, ws_results **out, ws_error *error)
{
    ws_search_options o = WS_SEARCH_OPTIONS_INIT;
    ws_scratch *temporary = NULL;
    *out = NULL;
    if (s->pid != getpid())
        return ws_error_set(error, WS_ERR_STATE, "the searcher was opened before a fork");
    WS_TRY(ws_api_read_options(&o, sizeof o, options, "ws_search_options", error));
    WS_TRY(check_options(s, &o, error));
    if (!scratch) {
        WS_TRY(ws_scratch_new(&temporary));
        scratch = temporary;
    }
    ws_query *shared = (ws_query *)query; /* only its reference count is written */
    ws_status status =
        ws_search_run(s->snapshot, shared, s->scores, &o, scratch->search, budget, out, error);
    if (*out)
        (*out)->scratch = temporary ? NULL : scratch;
    ws_scratch_free(temporary);
    return status;
}
