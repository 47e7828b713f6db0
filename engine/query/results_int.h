/* Results: what the traversal leaves (entries), what fetch adds. */
#ifndef WS_QUERY_RESULTS_INT_H
#define WS_QUERY_RESULTS_INT_H

#include "base/arena.h"
#include "base/heap.h"
#include "engine/index/snapshot.h"
#include "engine/query/query_int.h"
#include "wikisearch/search.h"

typedef struct {
    uint32_t fetched;
    ws_str id, title, snippet;
    uint32_t snippet_offset;
    ws_span *title_spans, *snippet_spans;
    uint32_t n_title_spans, n_snippet_spans;
    struct ws_result_value { /* short stored values, by field */
        uint8_t field;
        ws_str bytes;
    } * values;
    uint32_t n_values;
} ws_result_hit;

struct ws_results {
    ws_arena arena;        /* owns all strings and arrays */
    ws_snapshot *snapshot; /* one reference */
    ws_query *query;       /* one reference */
    ws_top_entry *entries; /* the page: n_hits, best first; .segment is the index in the snapshot */
    ws_result_hit *hits;   /* n_hits */
    uint32_t n_hits;
    uint64_t total;
    uint32_t relation;
    ws_cost cost;
    struct ws_scratch *scratch; /* the caller's, for fetches; NULL = a temporary one per fetch */
};

/* Fetch of hits [from, from + n): stored fields, snippet, spans. In engine/query/fetch.c. `reader`
 * and `analyzer` belong to the calling thread; both non-NULL. */
struct ws_stored_reader;
ws_status ws_results_fetch_with(ws_results *results, uint32_t from, uint32_t n,
                                const ws_fetch_options *options, struct ws_stored_reader *reader,
                                ws_analyzer *analyzer, const ws_budget *budget, ws_error *error);

#endif
