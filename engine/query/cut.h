/* Cutting what a person typed into clauses (docs/search.md). Total: any bytes give some clauses.
 * [any]. */
#ifndef WS_QUERY_CUT_H
#define WS_QUERY_CUT_H

#include "wikisearch/status.h"

typedef struct {
    ws_str text; /* slice of the text, without - and quotes; never empty */
    uint8_t phrase, negative;
} ws_clause_text;

typedef struct {
    ws_str text;
    size_t at; /* 0 at first */
} ws_cutter;

/* Next clause; 0 at the end. Phrases without text are passed over. Linear in all. */
int ws_cut_next(ws_cutter *cutter, ws_clause_text *clause);

/* Bytes of the first n code points, or text.len; a byte that is no part of valid UTF-8 counts as
 * one. Does not look further. */
size_t ws_cut_limit(ws_str text, uint64_t n);

#endif
