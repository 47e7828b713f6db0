/* Cells for entries: one stretch of address space, backed by huge pages, cut into runs of cells of
 * one size (cache/slab_class.h).
 *
 *   arena   | page 64 | page 65 | ...     pages are numbered from 64, so that reference 0 is none
 *           and the first run can be as large as any
 *   run     1 to 64 pages; cells of one class, one bit each in `free`
 *
 * Free pages are extents, joined with their neighbours when freed and found by length (segregated
 * fits; Knuth, The Art of Computer Programming 2.5). An entry beyond 32 KiB gets whole pages. A run
 * is claimed when its class has no free cell and given back with its last cell: what is counted in
 * the account is the runs, that is, what can really be touched.
 *
 * Invariants: a page is in one free extent or one run; two free extents never touch; a run with
 * free cells is in its class's list; no run is entirely free.
 *
 * [any], by a mutex inside. No call touches a cell's memory; under AddressSanitizer free cells are
 * poisoned.
 */
#ifndef WS_CACHE_SLAB_H
#define WS_CACHE_SLAB_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/account.h"
#include "cache/slab_class.h"
#include "wikisearch/status.h"

#define WS_SLAB_FIRST_PAGE 64u
#define WS_SLAB_BINS       140u /* extents of up to 2^25 pages */

typedef struct {
    uint64_t free;       /* runs: bit i = cell i is free; extents and large entries: pages */
    uint32_t next, prev; /* pages: in the list of the class, or of the bin */
} ws_run;

typedef struct {
    pthread_mutex_t mutex;
    ws_account *account;
    char *arena;
    char *base; /* what references count from: WS_SLAB_FIRST_PAGE pages before the arena */
    size_t map_bytes;
    uint32_t n_pages;
    ws_run *runs;   /* by first page */
    uint8_t *pages; /* by page: what it is */
    uint8_t *back;  /* by page of a run: how many pages it begins before */
    uint32_t partial[WS_CLASS_PAGES];
    uint32_t bins[WS_SLAB_BINS];
    uint32_t n_classes; /* larger ones would have runs too large for this arena */
    uint64_t run_bytes; /* claimed */
} ws_slab;

/* Sets up an arena for `bytes` of cells (at most 64 GiB - 256 KiB). Its tables are not counted: see
 * ws_slab_overhead. WS_ERR_NOMEM, WS_ERR_LIMIT. */
ws_status ws_slab_init(ws_slab *slab, ws_account *account, uint64_t bytes);
void ws_slab_fini(ws_slab *slab); /* also after a failed init of zeroed storage */

/* Bytes of tables that a slab for `bytes` of cells has. */
uint64_t ws_slab_overhead(uint64_t bytes);

/* The class for `bytes` bytes: ws_class_of, or whole pages where a run of that class would be more
 * than 1/128 of the arena (and 16 KiB), since most of it would stay empty. */
static inline uint32_t ws_slab_class_of(const ws_slab *slab, size_t bytes)
{
    uint32_t class = ws_class_of(bytes);
    return class < slab->n_classes ? class : WS_CLASS_PAGES;
}

/* A cell of `class`, for WS_CLASS_PAGES of `bytes` bytes; its reference, or 0 when the limit or the
 * arena has no room. O(1). */
uint32_t ws_slab_alloc(ws_slab *slab, uint32_t class, size_t bytes);

/* Gives a cell back; class and bytes as they were asked for. */
void ws_slab_free(ws_slab *slab, uint32_t ref, uint32_t class, size_t bytes);

/* Tells the kernel that free blocks hold nothing: their memory goes back to it. */
void ws_slab_release(ws_slab *slab);

/* Calls visit(ctx, ref, class) for each cell in use (class WS_CLASS_PAGES: once, with its first
 * page), after checking the invariants. Returns NULL, or what is broken. For tests. */
const char *ws_slab_check(ws_slab *slab, void (*visit)(void *ctx, uint32_t ref, uint32_t class),
                          void *ctx);

#endif
