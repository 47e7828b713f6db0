/* A search from plan to page: every segment traversed with one heap, the page cut out of it. */
#ifndef WS_QUERY_EXEC_H
#define WS_QUERY_EXEC_H

#include "engine/query/results_int.h"
#include "engine/query/score.h"

/* Working memory of searches. [1]. It grows to what the largest query needed and stays. */
typedef struct ws_search_memory ws_search_memory;
ws_status ws_search_memory_new(ws_search_memory **out);
void ws_search_memory_free(ws_search_memory *memory); /* NULL does nothing */

/* Runs a query.
 *   snapshot, query  one reference each is taken for the results
 *   tables           of the snapshot's manifest
 *   options          checked by the caller; offset + limit may be 0
 *   budget           NULL = unlimited
 *   out              new results with ids and scores (also with WS_PARTIAL)
 * Returns WS_OK or WS_PARTIAL. Errors: WS_ERR_CANCELLED, WS_ERR_CORRUPT, WS_ERR_NOMEM. [1] per
 * memory. */
ws_status ws_search_run(ws_snapshot *snapshot, ws_query *query, const ws_score_tables *tables,
                        const ws_search_options *options, ws_search_memory *memory,
                        const ws_budget *budget, ws_results **out, ws_error *error);

/* What a search would cost at most, from the dictionary alone: n_terms, document_frequency,
 * postings, blocks, windows. No allocation. Errors: WS_ERR_CORRUPT. [any] */
ws_status ws_search_estimate(const ws_snapshot *snapshot, const ws_query *query, ws_cost *cost);

#endif
