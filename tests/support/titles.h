/* Titles with weights for tests of suggest: the full list when there is one, else those of the
 * sample corpus; normalised. [1]. */
#ifndef WS_TESTS_SUPPORT_TITLES_H
#define WS_TESTS_SUPPORT_TITLES_H

#include <stdint.h>

#include "wikisearch/status.h"

typedef struct {
    ws_str surface, normal; /* of at most 255 bytes */
    uint64_t weight;
} ws_title;

typedef struct {
    ws_title *titles;
    uint32_t n;
    int full; /* from the full list */
} ws_titles;

/* Reads up to `max` titles: from the file $WS_TITLES (title TAB lang TAB weight, plain or zstd),
 * evenly over it, else from data/sample. Titles without a key, and those whose key came before, are
 * left out. Failures end the program. */
void ws_titles_read(ws_titles *titles, uint32_t max);
void ws_titles_free(ws_titles *titles);

/* Normalises into memory that lives until the next call. */
ws_str ws_titles_normalise(ws_str text);

#endif
