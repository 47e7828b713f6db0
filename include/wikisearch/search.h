/* Running a query: scores first, then, apart because it is the dear half, stored fields and
 * snippets.
 *
 *   ws_searcher_open -> ws_search -> ws_results_fetch -> ws_results_hit ... -> ws_results_free
 *
 * Results are ordered by score descending, then by DOC_KEY ascending: the same in every copy of an
 * index.
 */
#ifndef WIKISEARCH_SEARCH_H
#define WIKISEARCH_SEARCH_H

#include "wikisearch/query.h"

WS_BEGIN_DECLS

typedef struct ws_scratch ws_scratch;
typedef struct ws_results ws_results;

/* Pins the current generation.
 *   out  new searcher; close with ws_searcher_close. It may outlive the index handle
 * [any], and the searcher is [any] too. O(1). */
WS_API ws_status ws_searcher_open(ws_searcher **out, ws_index *index, ws_error *error);
WS_API void ws_searcher_close(ws_searcher *searcher);
WS_API uint64_t ws_searcher_generation(const ws_searcher *searcher);

/* Working memory of one thread: with it, a query allocates nothing after warm-up but its results.
 * [1] */
WS_API ws_status ws_scratch_new(ws_scratch **out);
WS_API void ws_scratch_free(ws_scratch *scratch);

#define WS_TOTAL_EXACT   0u
#define WS_TOTAL_NONE    1u

#define WS_TRAVERSAL_AUTO       0u
#define WS_TRAVERSAL_EXHAUSTIVE 1u /* document by document; the in-library reference */

typedef struct {
    uint32_t size;
    uint32_t limit;     /* hits wanted, default 10 */
    /* hits to skip; offset + limit within WS_LIMIT_RESULT_WINDOW (else WS_ERR_RANGE) */
    uint32_t offset;
    uint32_t total;     /* WS_TOTAL_* */
    uint32_t traversal; /* WS_TRAVERSAL_* */
    uint32_t reserved;
} ws_search_options;
#define WS_SEARCH_OPTIONS_INIT {sizeof(ws_search_options), 10, 0, 0, 0, 0}

/* Finds and ranks; ids and scores only.
 *   options  NULL = defaults
 *   scratch  of this thread; NULL = a temporary one. The results use it for fetches: it must
 *            outlive the last of them
 *   budget   NULL = unlimited
 *   out      new results (also with WS_PARTIAL); free with ws_results_free. They keep their
 *            snapshot alive
 * Returns WS_OK or WS_PARTIAL. Errors: WS_ERR_CANCELLED, WS_ERR_RANGE, WS_ERR_CORRUPT (a block that
 * fails its check), WS_ERR_NOMEM. */
WS_API ws_status ws_search(ws_searcher *searcher, const ws_query *query,
                           const ws_search_options *options, ws_scratch *scratch,
                           const ws_budget *budget, ws_results **out, ws_error *error);

typedef struct {
    uint32_t size;
    uint32_t snippet_code_points; /* default 160; 0 = no snippets */
    uint32_t highlight;           /* 1 (default): find the words in title and snippet */
    /* 1: the whole text instead of a snippet is analysed and highlighted (the bad mode) */
    uint32_t full_body;
} ws_fetch_options;
#define WS_FETCH_OPTIONS_INIT {sizeof(ws_fetch_options), 160, 1, 0}

/* Reads stored fields and makes snippets for hits [from, from + n), clamped.
 * Returns WS_OK or WS_PARTIAL (hits after the one where the budget ended have no fields). Errors:
 * WS_ERR_CORRUPT, WS_ERR_NOMEM, WS_ERR_CANCELLED. [1] per results. */
WS_API ws_status ws_results_fetch(ws_results *results, uint32_t from, uint32_t n,
                                  const ws_fetch_options *options, const ws_budget *budget,
                                  ws_error *error);

/* A byte range [start, end) of a text, on code-point boundaries. */
typedef struct {
    uint32_t start, end;
} ws_span;

typedef struct {
    uint32_t size;
    uint32_t score;      /* fixed point, units of 2^-20 (after the shift in ws_cost.scale_shift) */
    double score_value;  /* the same as a number */
    uint64_t doc_key;
    ws_str id;           /* valid until ws_results_free, as all below */
    ws_str title;        /* first text field; empty before fetch */
    /* plain text cut from the last text field (the body); empty before fetch */
    ws_str snippet;
    const ws_span *title_spans;
    const ws_span *snippet_spans;
    uint32_t n_title_spans, n_snippet_spans;
    uint32_t fetched;    /* 1 after fetch */
    uint32_t snippet_offset; /* byte of the stored body where the snippet begins */
} ws_hit;

/* Number of hits of this page. [1] O(1). */
WS_API uint32_t ws_results_count(const ws_results *results);

/* Fills *hit (set hit->size first). WS_ERR_RANGE when i >= count. O(1). */
WS_API ws_status ws_results_hit(const ws_results *results, uint32_t i, ws_hit *hit);

/* Stored value number `nth` of a field of a fetched hit (keyword, int, stored, title; not the body,
 * see ws_document_get); WS_ERR_NOT_FOUND past the last one. Valid until ws_results_free. */
WS_API ws_status ws_results_field(const ws_results *results, uint32_t i, ws_str field, uint32_t nth,
                                  ws_str *value);

#define WS_RELATION_EQ  0u
#define WS_RELATION_GTE 1u /* the budget ended while counting */
/* Number of documents that match. */
WS_API void ws_results_total(const ws_results *results, uint64_t *value, uint32_t *relation);

/* What the search and the fetches did. Set cost->size first. [1] O(1). */
WS_API void ws_results_cost(const ws_results *results, ws_cost *cost); /* set cost->size first */

/* Frees; NULL does nothing. Everything that hits pointed to is gone. [1] */
WS_API void ws_results_free(ws_results *results);

/* One stored document as a JSON object {"id", every stored field}.
 *   out  new text; ws_text_free
 * Errors: WS_ERR_NOT_FOUND, WS_ERR_CORRUPT, WS_ERR_NOMEM. [any] */
WS_API ws_status ws_document_get(ws_searcher *searcher, ws_str id, ws_text *out, ws_error *error);

/* The newest documents (DOC_KEY descending) as a JSON array of {"id", short stored fields,
 * "snippet": first code points of the body}. limit at most 100. [any] */
WS_API ws_status ws_documents_latest(ws_searcher *searcher, uint32_t offset, uint32_t limit,
                                     ws_str filter, ws_text *out, ws_error *error);

WS_END_DECLS

#endif
