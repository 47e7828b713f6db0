/* What an import says while it runs: a line that renews itself on a terminal, plain lines for
 * commits anywhere. To stderr. [1]. */
#ifndef WS_INDEXER_PROGRESS_H
#define WS_INDEXER_PROGRESS_H

#include <stdio.h>

#include "indexer/import.h"

typedef struct {
    FILE *out;
    int on_terminal, quiet;
    uint64_t started_ns, drawn_ns;
    int is_drawn; /* the renewed line stands there, without a newline */
} ws_progress;

/* quiet: nothing but what must be said. */
void ws_progress_init(ws_progress *p, FILE *out, int quiet);

/* Callbacks for ws_import_events; ctx is the ws_progress. */
void ws_progress_show(void *ctx, const ws_import_progress *progress);
void ws_progress_committed(void *ctx, uint64_t generation, uint64_t documents);
void ws_progress_message(void *ctx, const char *text);

/* Removes the renewed line. */
void ws_progress_end(ws_progress *p);

/* The renewed line, without \r: "12345 documents, 48.1 MB/s, 37 %, 0:42 left". Pure; `out` has 128
 * bytes. */
void ws_progress_format(const ws_import_progress *progress, uint64_t elapsed_ns, char out[128]);

#endif
