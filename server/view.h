/* One generation of the index as the daemon serves it: a pinned searcher and what was learnt about
 * it once.
 *
 * Built on a worker, swapped in by the I/O thread; requests hold a reference, so that each is
 * answered from one generation. */
#ifndef WS_SERVER_VIEW_H
#define WS_SERVER_VIEW_H

#include <stdatomic.h>

#include "wikisearch/search.h"

typedef struct {
    char *name;   /* NUL-terminated */
    int is_int;   /* written as a number */
    int is_multi; /* written as an array */
} ws_view_field;

typedef struct {
    atomic_uint references;
    ws_searcher *searcher;
    uint64_t generation;
    ws_index_stats_data stats;
    ws_text describe;      /* JSON object of ws_index_describe */
    ws_view_field *fields; /* stored fields that hits show: no text fields */
    uint32_t n_fields;
} ws_view;

/* Opens the current generation of an index; one reference. Errors: as ws_searcher_open,
 * ws_index_describe. [any] */
ws_status ws_view_open(ws_view **out, ws_index *index, ws_error *error);

ws_view *ws_view_ref(ws_view *view); /* [any] */
void ws_view_unref(ws_view *view);   /* [any]; NULL does nothing; the last one frees */

#endif
