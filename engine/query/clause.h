/* Clauses over the bits of a window. [1]. */
#ifndef WS_QUERY_CLAUSE_H
#define WS_QUERY_CLAUSE_H

#include "engine/query/window.h"

/* Makes sure that the bits of a list are right for the documents in `asked`; others may be missing.
 */
typedef ws_status (*ws_fill_fn)(ws_traversal *t, ws_segment_list *list, uint32_t base,
                                const uint64_t *asked);

/* Of the documents `asked`, those that match a word clause. Errors: as the fill function. */
ws_status ws_clause_match_word(ws_traversal *t, const ws_segment_clause *clause, ws_fill_fn fill,
                               uint32_t base, const uint64_t asked[WS_WINDOW_WORDS],
                               uint64_t match[WS_WINDOW_WORDS]);

/* The same for a phrase clause; occurrences of a scoring one are added to the scores. */
ws_status ws_clause_match_phrase(ws_traversal *t, const ws_segment_clause *clause, ws_fill_fn fill,
                                 uint32_t base, const uint64_t asked[WS_WINDOW_WORDS],
                                 uint64_t match[WS_WINDOW_WORDS]);

/* Takes the documents that match a negative clause out of `match`. */
ws_status ws_clause_drop_negative(ws_traversal *t, ws_fill_fn fill, uint32_t base,
                                  uint64_t match[WS_WINDOW_WORDS]);

#endif
