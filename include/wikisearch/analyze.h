/* What the analyzer makes of a text: for debugging a search that finds too little or too much. */
#ifndef WIKISEARCH_ANALYZE_H
#define WIKISEARCH_ANALYZE_H

#include "wikisearch/index.h"

WS_BEGIN_DECLS

typedef struct {
    ws_str text;         /* as it is stored in the dictionary; valid during the callback */
    const char *stream;  /* "word", "bigram" or "surface" */
    uint32_t start, end; /* bytes of the text given */
    uint32_t position;   /* word number, from 0 */
} ws_analyzed_token;
typedef void (*ws_analyze_fn)(void *ctx, const ws_analyzed_token *token);

#define WS_ANALYZE_AS_INDEX 0u
#define WS_ANALYZE_AS_QUERY 1u

/* Analyses a text as a field of an index would be, or by the default rules.
 *   index  NULL = the standard analyzer
 *   field  text field of the index; empty = the last text field
 * Errors: WS_ERR_SCHEMA, WS_ERR_LIMIT, WS_ERR_NOMEM. [any] */
WS_API ws_status ws_analyze(ws_index *index, ws_str field, ws_str text, uint32_t mode,
                            ws_analyze_fn callback, void *ctx, ws_error *error);

/* Hash of the analyzer's tokens on a probe text: equal values analyse alike. [any]. About a
 * millisecond. */
WS_API ws_status ws_fingerprint(uint64_t *fingerprint);

WS_END_DECLS

#endif
