/* Cells for entries: one stretch of address space, backed by huge pages, cut into runs of cells of
 * one size (cache/slab_class.h).
 *
 *   arena   | page 64 | page 65 | ...     pages are numbered from 64, so that reference 0 is none
 *           and the first run can be as large as any
 *   run     1 to 64 pages, aligned to its size; cells of one class, one bit each in `free`
 *
 * Pages are managed by a buddy system (Knowlton 1965); an entry beyond 32 KiB gets whole pages, and
 * what a power of two would waste behind them is given back at once. A run is claimed when its
 * class has no free cell and given back with its last cell: what is counted in the account is the
 * runs, that is, what can really be touched.
 *
 * Invariants: a page is in one free block or one run; a run with free cells is in its class's list;
 * no run is entirely free.
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
#define WS_SLAB_ORDERS     25u /* free blocks of 1 to 2^24 pages: 64 GiB */

typedef struct {
    uint64_t free;       /* bit i: cell i is free; runs only */
    uint32_t next, prev; /* pages: in the list of the class, or of the order */
} ws_run;

typedef struct {
    pthread_mutex_t mutex;
    ws_account *account;
    char *arena;
    char *base; /* what references count from: WS_SLAB_FIRST_PAGE pages before the arena */
    size_t map_bytes;
    uint32_t n_pages;
    ws_run *runs;   /* by first page */
    uint8_t *pages; /* by first page: what begins here */
    uint32_t partial[WS_CLASS_PAGES];
    uint32_t blocks[WS_SLAB_ORDERS];
    uint64_t run_bytes; /* claimed */
} ws_slab;

/* Sets up an arena for `bytes` of cells (at most 64 GiB - 256 KiB). Its tables are not counted: see
 * ws_slab_overhead. WS_ERR_NOMEM, WS_ERR_LIMIT. */
ws_status ws_slab_init(ws_slab *slab, ws_account *account, uint64_t bytes);
void ws_slab_fini(ws_slab *slab); /* also after a failed init of zeroed storage */

/* Bytes of tables that a slab for `bytes` of cells has. */
uint64_t ws_slab_overhead(uint64_t bytes);

/* A cell of `class`, for WS_CLASS_PAGES of `bytes` bytes; its reference, or 0 when the limit or the
 * arena has no room. O(1), for pages O(log n). */
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
