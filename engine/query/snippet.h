/* Choosing what to show: a window of positions in a document, then a cut of the text around its
 * matches. [any] (no state). */
#ifndef WS_QUERY_SNIPPET_H
#define WS_QUERY_SNIPPET_H

#include "engine/query/highlight.h"

/* A position at which a word of the query stands. */
typedef struct {
    uint32_t position, word;
} ws_snippet_event;

/* Sorts events and returns the position where the best window of `width` positions begins: most
 * distinct words, then the earliest. n >= 1. */
uint32_t ws_snippet_window(ws_snippet_event *events, uint32_t n, uint32_t width);

/* Cuts at most `code_points` code points out of `text` around the best group of matches (most
 * distinct words, then the earliest), at word boundaries where there are any near. Without matches:
 * the beginning. *from and *to lie on code-point boundaries. */
void ws_snippet_cut(ws_str text, const ws_highlight_match *matches, uint32_t n,
                    uint32_t code_points, uint32_t *from, uint32_t *to);

#endif
