/* GET and POST /v1/search. */
#ifndef WS_SERVER_SEARCH_H
#define WS_SERVER_SEARCH_H

#include "server/exchange.h"
#include "server/params.h"

/* Parameters, in the order of the table in search.c. */
enum {
    WS_SEARCH_Q,
    WS_SEARCH_LIMIT,
    WS_SEARCH_OFFSET,
    WS_SEARCH_FILTER,
    WS_SEARCH_OPERATOR,
    WS_SEARCH_SNIPPET_LEN,
    WS_SEARCH_HIGHLIGHT,
    WS_SEARCH_TRACK_TOTAL,
    WS_SEARCH_TIMEOUT_MS,
    WS_SEARCH_PROFILE,
    WS_SEARCH_PARAMS
};

#define WS_SEARCH_WARNINGS 4u

typedef struct ws_search_task ws_search_task;
struct ws_search_task {
    ws_param_value params[WS_SEARCH_PARAMS];
    ws_query *query;
    ws_cost estimate, cost;
    uint64_t parse_ns, score_ns, fetch_ns, output_ns; /* wall time */
    uint8_t query_class;                              /* ws_class */
    uint8_t partial;                                  /* the budget ended the search */
    uint8_t ran;                                      /* a worker got to it */
    uint32_t n_warnings;
    char warnings[WS_SEARCH_WARNINGS][32]; /* codes, for the counters */
};

/* Queries that decode more postings than this are heavy: about a millisecond of work. */
#define WS_HEAVY_POSTINGS 200000u

void ws_search_task_free(ws_search_task *task); /* NULL does nothing; the memory is the arena's */

/* Adds a finished search to the counters. [I/O thread] */
void ws_search_count(const ws_exchange *ex, ws_metrics *metrics);

/* Appends the header line "X-WS: q=..." that tells the load harness where the time went. */
void ws_search_write_timing(const ws_exchange *ex, uint32_t config_hash, ws_buf *out);

/* Writes the body of an answer.
 *   status  of ws_search and ws_results_fetch: WS_OK or WS_PARTIAL */
void ws_search_render(ws_exchange *ex, const ws_results *results);

#endif
