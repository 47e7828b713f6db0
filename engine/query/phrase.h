/* Phrases: the positions of candidate documents, checked. [1]. */
#ifndef WS_QUERY_PHRASE_H
#define WS_QUERY_PHRASE_H

#include "engine/query/window.h"

/* Occurrences of a phrase in a document that holds all of its terms: positions p with place i at p
 * + i for every i.
 *   index  [n_lists of the alternative]: each list's posting of that document, its block decoded
 *   tf     out
 * Errors: WS_ERR_CORRUPT, WS_ERR_NOMEM. */
ws_status ws_phrase_count(ws_traversal *t, const ws_segment_alternative *a, const uint32_t *index,
                          uint32_t *tf);

/* Of the candidates of a window, those in which the phrase occurs: sets their bits in `match`, and
 * when the alternative scores adds its contribution to their scores.
 *   candidates  hold every term of the phrase
 *   repeats     how often the query has the phrase
 * Asks the budget every 64 documents. Errors: as above, WS_ERR_CANCELLED; WS_PARTIAL. */
ws_status ws_phrase_match(ws_traversal *t, const ws_segment_alternative *a, uint32_t repeats,
                          uint32_t base, const uint64_t candidates[WS_WINDOW_WORDS],
                          uint64_t match[WS_WINDOW_WORDS]);

#endif
