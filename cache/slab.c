#define _GNU_SOURCE /* madvise */
#include "cache/slab.h"

#include <sys/mman.h>

#include "base/mem.h"
#include "cache/entry.h"
#include "cache/sanitizer.h"

/* pages[]: what a page is. */
#define PAGE_INSIDE   0u  /* neither first nor last of a free extent, nor first of a run */
#define PAGE_FREE     1u  /* the first of a free extent: runs[].free has its length */
#define PAGE_FREE_END 2u  /* the last of one of several pages: as above */
#define PAGE_RUN      64u /* + class */
#define PAGE_LARGE    255u

#define NO_PAGE        0u
#define RUNS_MIN       128u
#define RUN_ALWAYS     16384u
#define BINS_EXACT     64u
#define BIN_TRIES      16u /* extents of a bin that are looked at for one that is long enough */
#define UNITS_PER_PAGE (WS_PAGE_BYTES / WS_REF_UNIT)
#define ARENA_MAX      (((uint64_t)1 << 36) - WS_SLAB_FIRST_PAGE * WS_PAGE_BYTES)

static char *page_at(const ws_slab *s, uint32_t page)
{
    return s->base + (size_t)page * WS_PAGE_BYTES;
}

static uint32_t pages_of(size_t bytes)
{
    return (uint32_t)((bytes + WS_PAGE_BYTES - 1) / WS_PAGE_BYTES);
}

/* --- lists of pages: free extents of a bin, runs of a class with free cells --- */

static void list_push(ws_slab *s, uint32_t *head, uint32_t page)
{
    s->runs[page].prev = NO_PAGE;
    s->runs[page].next = *head;
    if (*head)
        s->runs[*head].prev = page;
    *head = page;
}

static void list_remove(ws_slab *s, uint32_t *head, uint32_t page)
{
    ws_run *r = &s->runs[page];
    *(r->prev ? &s->runs[r->prev].next : head) = r->next;
    if (r->next)
        s->runs[r->next].prev = r->prev;
}

/* --- extents --- */

/* Up to 64 pages a bin each; above, four for a power of two. */
static uint32_t bin_of(uint32_t n)
{
    if (n <= BINS_EXACT)
        return n - 1;
    uint32_t log = ws_bits_u32(n) - 1;
    return BINS_EXACT + (log - 6) * 4 + (n >> (log - 2) & 3);
}

static void put_extent(ws_slab *s, uint32_t page, uint32_t n)
{
    if (n > 1)
        s->pages[page + n - 1] = PAGE_FREE_END;
    s->pages[page] = PAGE_FREE;
    s->runs[page].free = s->runs[page + n - 1].free = n;
    list_push(s, &s->bins[bin_of(n)], page);
}

/* Returns its length. */
static uint32_t take_extent(ws_slab *s, uint32_t page)
{
    uint32_t n = (uint32_t)s->runs[page].free;
    list_remove(s, &s->bins[bin_of(n)], page);
    s->pages[page] = s->pages[page + n - 1] = PAGE_INSIDE;
    return n;
}

/* Frees pages and joins them with free neighbours. */
static void free_pages(ws_slab *s, uint32_t page, uint32_t n)
{
    uint32_t after = page + n, before = page - 1;
    if (after < s->n_pages && s->pages[after] == PAGE_FREE)
        n += take_extent(s, after);
    if (page > WS_SLAB_FIRST_PAGE &&
        (s->pages[before] == PAGE_FREE_END || s->pages[before] == PAGE_FREE)) {
        uint32_t length = (uint32_t)s->runs[before].free;
        page -= length;
        n += take_extent(s, page);
    }
    put_extent(s, page, n);
}

static uint32_t find_in_bin(const ws_slab *s, uint32_t bin, uint32_t n)
{
    uint32_t page = s->bins[bin];
    for (uint32_t i = 0; page && i < BIN_TRIES; i++, page = s->runs[page].next)
        if (s->runs[page].free >= n)
            return page;
    return NO_PAGE;
}

/* n pages from the shortest extents that have them; the rest of the extent stays free. NO_PAGE when
 * there is none. */
static uint32_t alloc_pages(ws_slab *s, uint32_t n)
{
    uint32_t page = NO_PAGE;
    for (uint32_t bin = bin_of(n); bin < WS_SLAB_BINS && page == NO_PAGE; bin++)
        page = find_in_bin(s, bin, n);
    if (page == NO_PAGE)
        return NO_PAGE;
    uint32_t length = take_extent(s, page);
    if (length > n)
        put_extent(s, page + n, length - n);
    return page;
}

/* --- setting up --- */

static uint32_t arena_pages(uint64_t bytes)
{
    return (uint32_t)(bytes / WS_PAGE_BYTES) + WS_SLAB_FIRST_PAGE;
}

uint64_t ws_slab_overhead(uint64_t bytes)
{
    return (uint64_t)arena_pages(bytes) * (sizeof(ws_run) + 2);
}

/* Behind the last page the kernel must not make a huge page: it would be more than was asked
 * for. */
static void keep_tail_small(const ws_slab *s)
{
    size_t used = (size_t)(s->n_pages - WS_SLAB_FIRST_PAGE) * WS_PAGE_BYTES;
    size_t whole = used & ~(WS_HUGE_PAGE - 1);
    if (whole < used)
        madvise(s->arena + whole, s->map_bytes - whole, MADV_NOHUGEPAGE);
}

static uint32_t classes_for(uint64_t bytes)
{
    uint64_t most = WS_MAX(bytes / RUNS_MIN, (uint64_t)RUN_ALWAYS);
    uint32_t orders = 0;
    while (orders < WS_RUN_SIZES && ((uint64_t)WS_PAGE_BYTES << orders) <= most)
        orders++;
    return WS_SMALL_CLASSES + WS_CLASSES_A_RUN * orders;
}

ws_status ws_slab_init(ws_slab *s, ws_account *account, uint64_t bytes)
{
    memset(s, 0, sizeof *s);
    if (bytes > ARENA_MAX)
        return WS_ERR_LIMIT;
    if (pthread_mutex_init(&s->mutex, NULL))
        return WS_ERR_NOMEM;
    s->account = account;
    s->n_classes = classes_for(bytes);
    s->n_pages = arena_pages(bytes);
    s->map_bytes = (bytes + WS_HUGE_PAGE - 1) & ~((uint64_t)WS_HUGE_PAGE - 1);
    s->arena = ws_alloc_huge(s->map_bytes);
    s->runs = ws_calloc(s->n_pages, sizeof *s->runs);
    s->pages = ws_calloc(s->n_pages, 1);
    s->back = ws_calloc(s->n_pages, 1);
    if (!s->arena || !s->runs || !s->pages || !s->back) {
        ws_slab_fini(s);
        return WS_ERR_NOMEM;
    }
    s->base = (char *)((uintptr_t)s->arena - (size_t)WS_SLAB_FIRST_PAGE * WS_PAGE_BYTES);
    keep_tail_small(s);
    ws_poison(s->arena, s->map_bytes);
    free_pages(s, WS_SLAB_FIRST_PAGE, s->n_pages - WS_SLAB_FIRST_PAGE);
    return WS_OK;
}

void ws_slab_fini(ws_slab *s)
{
    if (!s->n_pages)
        return;
    if (s->arena)
        ws_unpoison(s->arena, s->map_bytes);
    ws_free_huge(s->arena, s->map_bytes);
    ws_free(s->runs);
    ws_free(s->pages);
    ws_free(s->back);
    pthread_mutex_destroy(&s->mutex);
    memset(s, 0, sizeof *s);
}

/* --- cells --- */

static uint64_t all_cells(uint32_t class)
{
    return UINT64_MAX >> (64 - ws_class_run_cells(class));
}

static uint32_t run_pages(uint32_t class)
{
    return 1u << ws_class_run_order(class);
}

static uint64_t run_bytes(uint32_t class)
{
    return (uint64_t)WS_PAGE_BYTES * run_pages(class);
}

/* A new run at the head of its class's list; 0 when there is no room. */
static int claim_run(ws_slab *s, uint32_t class)
{
    if (!ws_account_take(s->account, run_bytes(class)))
        return 0;
    uint32_t page = alloc_pages(s, run_pages(class));
    if (page == NO_PAGE) {
        ws_account_give(s->account, run_bytes(class));
        return 0;
    }
    for (uint32_t i = 0; i < run_pages(class); i++)
        s->back[page + i] = (uint8_t)i;
    s->run_bytes += run_bytes(class);
    s->pages[page] = (uint8_t)(PAGE_RUN + class);
    s->runs[page].free = all_cells(class);
    list_push(s, &s->partial[class], page);
    return 1;
}

static void give_run(ws_slab *s, uint32_t page, uint32_t class)
{
    list_remove(s, &s->partial[class], page);
    s->pages[page] = PAGE_INSIDE;
    s->run_bytes -= run_bytes(class);
    free_pages(s, page, run_pages(class));
    ws_account_give(s->account, run_bytes(class));
}

static uint32_t cell_ref(uint32_t page, uint32_t class, uint32_t cell)
{
    return page * UNITS_PER_PAGE + cell * (ws_class_cell_bytes(class) / WS_REF_UNIT);
}

static uint32_t alloc_cell(ws_slab *s, uint32_t class)
{
    if (!s->partial[class] && !claim_run(s, class))
        return 0;
    uint32_t page = s->partial[class], cell = (uint32_t)__builtin_ctzll(s->runs[page].free);
    s->runs[page].free &= s->runs[page].free - 1;
    if (!s->runs[page].free)
        list_remove(s, &s->partial[class], page);
    return cell_ref(page, class, cell);
}

static void free_cell(ws_slab *s, uint32_t ref, uint32_t class)
{
    uint32_t page = ref / UNITS_PER_PAGE - s->back[ref / UNITS_PER_PAGE];
    uint32_t cell = (ref - page * UNITS_PER_PAGE) / (ws_class_cell_bytes(class) / WS_REF_UNIT);
    if (!s->runs[page].free)
        list_push(s, &s->partial[class], page);
    s->runs[page].free |= (uint64_t)1 << cell;
    if (s->runs[page].free == all_cells(class))
        give_run(s, page, class);
}

/* --- whole pages --- */

static uint32_t alloc_large(ws_slab *s, size_t bytes)
{
    uint32_t n = pages_of(bytes);
    uint64_t size = (uint64_t)n * WS_PAGE_BYTES;
    if (!ws_account_take(s->account, size))
        return 0;
    uint32_t page = alloc_pages(s, n);
    if (page == NO_PAGE) {
        ws_account_give(s->account, size);
        return 0;
    }
    s->pages[page] = PAGE_LARGE;
    s->runs[page].free = n;
    s->run_bytes += size;
    return page * UNITS_PER_PAGE;
}

static void free_large(ws_slab *s, uint32_t ref, size_t bytes)
{
    uint32_t page = ref / UNITS_PER_PAGE, n = pages_of(bytes);
    s->pages[page] = PAGE_INSIDE;
    s->run_bytes -= (uint64_t)n * WS_PAGE_BYTES;
    free_pages(s, page, n);
    ws_account_give(s->account, (uint64_t)n * WS_PAGE_BYTES);
}

uint32_t ws_slab_alloc(ws_slab *s, uint32_t class, size_t bytes)
{
    pthread_mutex_lock(&s->mutex);
    uint32_t ref = class < WS_CLASS_PAGES ? alloc_cell(s, class) : alloc_large(s, bytes);
    pthread_mutex_unlock(&s->mutex);
    if (ref)
        ws_unpoison(s->base + (size_t)ref * WS_REF_UNIT, ws_class_weight(class, bytes));
    return ref;
}

void ws_slab_free(ws_slab *s, uint32_t ref, uint32_t class, size_t bytes)
{
    ws_poison(s->base + (size_t)ref * WS_REF_UNIT, ws_class_weight(class, bytes));
    pthread_mutex_lock(&s->mutex);
    if (class < WS_CLASS_PAGES)
        free_cell(s, ref, class);
    else
        free_large(s, ref, bytes);
    pthread_mutex_unlock(&s->mutex);
}

void ws_slab_release(ws_slab *s)
{
    pthread_mutex_lock(&s->mutex);
    for (uint32_t bin = 0; bin < WS_SLAB_BINS; bin++)
        for (uint32_t page = s->bins[bin]; page; page = s->runs[page].next)
            madvise(page_at(s, page), s->runs[page].free * WS_PAGE_BYTES, MADV_DONTNEED);
    pthread_mutex_unlock(&s->mutex);
}

/* --- looking over it --- */

typedef struct {
    void (*visit)(void *ctx, uint32_t ref, uint32_t class);
    void *ctx;
    uint64_t run_bytes, listed;
} survey;

/* What begins at `page`; returns how many pages it has, 0 when it is broken. */
static uint32_t survey_page(ws_slab *s, uint32_t page, survey *v)
{
    uint32_t kind = s->pages[page];
    if (kind == PAGE_FREE) {
        uint32_t n = (uint32_t)s->runs[page].free, after = page + n;
        int joined = after < s->n_pages && s->pages[after] == PAGE_FREE;
        return joined || s->runs[after - 1].free != n ? 0 : n;
    }
    if (kind == PAGE_LARGE) {
        v->visit(v->ctx, page * UNITS_PER_PAGE, WS_CLASS_PAGES);
        v->run_bytes += s->runs[page].free * WS_PAGE_BYTES;
        return (uint32_t)s->runs[page].free;
    }
    if (kind < PAGE_RUN || kind >= PAGE_RUN + WS_CLASS_PAGES)
        return 0;
    uint32_t class = kind - PAGE_RUN;
    if (s->runs[page].free == all_cells(class) || s->runs[page].free & ~all_cells(class))
        return 0;
    for (uint32_t i = 0; i < ws_class_run_cells(class); i++)
        if (!(s->runs[page].free >> i & 1))
            v->visit(v->ctx, cell_ref(page, class, i), class);
    v->run_bytes += run_bytes(class);
    v->listed += s->runs[page].free != 0;
    return 1u << ws_class_run_order(class);
}

static uint64_t count_listed(const ws_slab *s)
{
    uint64_t n = 0;
    for (uint32_t class = 0; class < WS_CLASS_PAGES; class ++)
        for (uint32_t page = s->partial[class]; page; page = s->runs[page].next)
            n += s->pages[page] == PAGE_RUN + class && s->runs[page].free != 0;
    return n;
}

const char *ws_slab_check(ws_slab *s, void (*visit)(void *ctx, uint32_t ref, uint32_t class),
                          void *ctx)
{
    survey v = {visit, ctx, 0, 0};
    const char *broken = NULL;
    pthread_mutex_lock(&s->mutex);
    for (uint32_t page = WS_SLAB_FIRST_PAGE; page < s->n_pages && !broken;) {
        uint32_t n = survey_page(s, page, &v);
        broken = n && n <= s->n_pages - page ? NULL : "a page belongs to nothing";
        page += n;
    }
    if (!broken && v.run_bytes != s->run_bytes)
        broken = "bytes of runs do not add up";
    if (!broken && v.listed != count_listed(s))
        broken = "lists of runs with free cells are wrong";
    pthread_mutex_unlock(&s->mutex);
    return broken;
}
