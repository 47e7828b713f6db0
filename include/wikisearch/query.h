/* From what a person typed to a query.
 *
 * Default syntax, total: words, "phrases", -words and -"phrases". Whatever does not fit is text. No
 * user text is an error.
 */
#ifndef WIKISEARCH_QUERY_H
#define WIKISEARCH_QUERY_H

#include "wikisearch/index.h"

WS_BEGIN_DECLS

typedef struct ws_query ws_query;
typedef struct ws_searcher ws_searcher;

#define WS_OPERATOR_OR  0u /* a document needs one of the words */
#define WS_OPERATOR_AND 1u /* it needs all of them */

typedef struct {
    uint32_t size;
    uint32_t op;   /* WS_OPERATOR_* */
    ws_str filter; /* field = "value", field != "value", and for int fields < <= > >=, joined by
                      AND; empty = none */
    /* 0: English stop words (the, of) are left out when other words select; 1: they are kept */
    uint32_t keep_stop_words;
    uint32_t reserved; /* 0 */
} ws_query_options;
#define WS_QUERY_OPTIONS_INIT                                                                      \
 {                                                                                                 \
  sizeof(ws_query_options), 0, {0, 0}, 0, 0                                                        \
 }

/* Parses and analyses.
 *   out      new query, immutable; free with ws_query_free
 *   text     any bytes; clipped at the limits (said in ws_query_describe)
 *   options  NULL = defaults
 * Returns WS_OK, or WS_TRUNCATED when a limit clipped it. Errors: WS_ERR_SYNTAX or WS_ERR_SCHEMA
 * (filter only; offset into the filter), WS_ERR_NOMEM. [any]. Microseconds. */
WS_API ws_status ws_query_parse(ws_query **out, ws_index *index, ws_str text,
                                const ws_query_options *options, ws_error *error);
WS_API void ws_query_free(ws_query *query);

/* 128-bit key of what is asked, the page left out: equal keys on equal generations give equal
 * results. [any], no index access. */
WS_API void ws_query_key(const ws_query *query, uint8_t key[16]);

/* JSON object about the query: "normalized", "terms" (words in order), "ignored"
 * (stop words left out, as typed), "warnings" ([{"code","message"}]). Static for the life of the
 * query. [any] */
WS_API ws_str ws_query_describe(const ws_query *query);

/* Number of words and phrases that select documents; 0 means that nothing can match. [any] */
WS_API uint32_t ws_query_n_clauses(const ws_query *query);

/* What a search did, or would do: counts, not times, except the last. */
typedef struct {
    uint32_t size;
    uint32_t n_terms;                    /* posting lists */
    uint64_t document_frequency;         /* sum over the words (word stream) */
    uint64_t postings;                   /* decoded (estimate: upper bound) */
    uint64_t blocks;                     /* posting blocks decoded */
    uint64_t positions;                  /* positions decoded */
    uint64_t windows;                    /* document windows visited */
    uint64_t scored;                     /* documents scored */
    uint64_t fetch_bytes;                /* stored bytes decompressed by fetch */
    uint64_t analysed_bytes;             /* bytes analysed for snippets */
    uint64_t score_cpu_ns, fetch_cpu_ns; /* thread CPU time of search and fetch */
    /* bits by which the score scale was lowered for this query; 0 nearly always */
    uint32_t scale_shift;
    uint32_t reserved;
} ws_cost;

/* Cost before running, from the dictionary alone. [any]. Microseconds. */
WS_API ws_status ws_query_estimate(const ws_searcher *searcher, const ws_query *query,
                                   ws_cost *cost);

WS_END_DECLS

#endif
