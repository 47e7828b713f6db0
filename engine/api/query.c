/* Public queries: the facade lends an analyzer and the limits. */
#include "base/error.h"
#include "engine/api/api_int.h"
#include "engine/query/exec.h"
#include "engine/query/parse.h"

static ws_status set_options(ws_query_request *request, const ws_query_options *options,
                             ws_error *error)
{
    ws_query_options o = WS_QUERY_OPTIONS_INIT;
    WS_TRY(ws_api_read_options(&o, sizeof o, options, "ws_query_options", error));
    request->op = o.op;
    request->filter = o.filter;
    request->keep_stop_words = o.keep_stop_words;
    return WS_OK;
}

ws_status ws_query_parse(ws_query **out, ws_index *index, ws_str text,
                         const ws_query_options *options, ws_error *error)
{
    ws_query_request request = {.schema = &index->schema, .text = text, .op = WS_OPERATOR_OR};
    *out = NULL;
    WS_TRY(ws_index_check_process(index));
    WS_TRY(set_options(&request, options, error));
    WS_TRY(ws_index_get_limit(index, WS_LIMIT_QUERY_CODE_POINTS, &request.max_code_points));
    WS_TRY(ws_index_get_limit(index, WS_LIMIT_QUERY_TERMS, &request.max_clauses));
    ws_status status = ws_index_lend_analyzer(index, &request.analyzer);
    if (status)
        return ws_error_set(error, status, "cannot make an analyzer: %s", ws_status_text(status));
    status = ws_query_make(out, &request, error);
    ws_index_give_back(index, request.analyzer);
    return status;
}

void ws_query_free(ws_query *query)
{
    ws_query_unref(query);
}

void ws_query_key(const ws_query *query, uint8_t key[16])
{
    memcpy(key, query->key, sizeof query->key);
}

ws_str ws_query_describe(const ws_query *query)
{
    return query->describe;
}

uint32_t ws_query_n_clauses(const ws_query *query)
{
    return query->n_positive;
}

ws_status ws_query_estimate(const ws_searcher *searcher, const ws_query *query, ws_cost *cost)
{
    ws_cost full = {.size = sizeof full};
    WS_TRY(ws_search_estimate(searcher->snapshot, query, &full));
    return ws_api_write_answer(cost, &full, sizeof full);
}
