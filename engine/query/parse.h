/* From text to an analysed query (docs/search.md): cut, analysed, posting lists merged. Total but
 * for the filter. */
#ifndef WS_QUERY_PARSE_H
#define WS_QUERY_PARSE_H

#include "engine/query/query_int.h"

typedef struct {
    const ws_schema *schema;
    ws_analyzer *analyzer;                 /* borrowed for the call */
    ws_str text;                           /* any bytes */
    ws_str filter;                         /* engine/query/filter.h; empty = none */
    uint32_t op;                           /* WS_OPERATOR_* */
    uint64_t max_code_points, max_clauses; /* what is beyond is clipped before it is analysed */
    uint32_t keep_stop_words;
} ws_query_request;

/* Makes a query; everything it holds is its own. One reference: free with ws_query_free.
 * Returns WS_OK or WS_TRUNCATED. Errors: WS_ERR_SYNTAX, WS_ERR_SCHEMA (filter; offset into it),
 * WS_ERR_ARG (op), WS_ERR_NOMEM. [1] per analyzer. Linear in what is not clipped. */
ws_status ws_query_make(ws_query **out, const ws_query_request *request, ws_error *error);

/* Why something was left out: bits. */
#define WS_QUERY_CLIPPED_TEXT    1u
#define WS_QUERY_CLIPPED_CLAUSES 2u
#define WS_QUERY_NO_POSITIONS    4u /* a phrase asked a field that keeps none */

/* Writes query->describe and query->key from everything else. In query_describe.c and
 * query_key.c. */
ws_status ws_query_write_description(ws_query *query, const ws_query_request *request,
                                     uint32_t warnings);
ws_status ws_query_write_key(ws_query *query, uint32_t warnings);

#endif
