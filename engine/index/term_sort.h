/* Sorting term numbers by key without allocation: the order in which a segment's dictionary is
 * written. */
#ifndef WS_INDEX_TERM_SORT_H
#define WS_INDEX_TERM_SORT_H

#include <stdint.h>

#include "wikisearch/status.h"

typedef struct {
    uint64_t prefix; /* of ws_sort_prefix or ws_sort_term_prefix, the same for all */
    uint32_t term;
} ws_sort_key;

/* Key of a term; called on equal prefixes only. */
typedef ws_str (*ws_sort_key_fn)(const void *ctx, uint32_t term);

/* First 8 bytes of a key as a number that orders like the bytes. */
uint64_t ws_sort_prefix(ws_str key);

/* The same of a term key (docs/format.md section 4), with more of the term: field (below 64) and
 * stream (below 4) are one byte. */
uint64_t ws_sort_term_prefix(ws_str key);

/* Sorts keys[n] ascending. O(n log n) on average; the stack is 64 ranges, whatever the input. */
void ws_sort_terms(ws_sort_key *keys, uint32_t n, ws_sort_key_fn key_of, const void *ctx);

#endif
