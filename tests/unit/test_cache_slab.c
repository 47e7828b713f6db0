/* The slab against a list of the cells it gave. */
#include <stdlib.h>

#include "base/mem.h"
#include "cache/entry.h"
#include "cache/slab.h"
#include "tests/support/faults.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define CELLS 4000u

typedef struct {
    uint32_t ref, class;
    size_t bytes;
    uint8_t mark;
} cell;

typedef struct {
    ws_rng rng;
    ws_account account;
    ws_slab slab;
    cell cells[CELLS];
    uint32_t n;
    uint64_t visited, visited_refs;
} world;

static world w;

static void begin(uint64_t seed, uint64_t bytes, uint64_t limit)
{
    memset(&w, 0, sizeof w);
    w.rng = ws_rng_seeded(seed);
    w.account.limit = limit;
    cr_assert_eq(ws_slab_init(&w.slab, &w.account, bytes), WS_OK);
}

static uint8_t *bytes_of(const cell *c)
{
    return (uint8_t *)ws_entry_at(w.slab.base, c->ref);
}

static size_t size_of(const cell *c)
{
    return ws_class_weight(c->class, c->bytes);
}

static int alloc_one(size_t bytes)
{
    cell *c = &w.cells[w.n];
    *c = (cell){0, ws_class_of(bytes), bytes, (uint8_t)ws_rng_u32(&w.rng)};
    c->ref = ws_slab_alloc(&w.slab, c->class, bytes);
    if (!c->ref)
        return 0;
    memset(bytes_of(c), c->mark, size_of(c)); /* another cell's bytes would be overwritten */
    w.n++;
    return 1;
}

static void free_one(uint32_t i)
{
    const cell *c = &w.cells[i];
    for (size_t k = 0; k < size_of(c); k++)
        cr_assert_eq(bytes_of(c)[k], c->mark, "seed %llu", (unsigned long long)w.rng.seed);
    ws_slab_free(&w.slab, c->ref, c->class, c->bytes);
    w.cells[i] = w.cells[--w.n];
}

static void visit(void *ctx, uint32_t ref, uint32_t class)
{
    (void)ctx;
    w.visited++;
    w.visited_refs += (uint64_t)ref * 131 + class;
}

static void check(void)
{
    uint64_t refs = 0;
    w.visited = w.visited_refs = 0;
    const char *broken = ws_slab_check(&w.slab, visit, NULL);
    cr_assert_null(broken, "%s, seed %llu", broken, (unsigned long long)w.rng.seed);
    for (uint32_t i = 0; i < w.n; i++)
        refs += (uint64_t)w.cells[i].ref * 131 + w.cells[i].class;
    cr_assert_eq(w.visited, w.n);
    cr_assert_eq(w.visited_refs, refs);
    cr_assert_eq(atomic_load(&w.account.taken), w.slab.run_bytes);
    cr_assert_leq(w.slab.run_bytes, w.account.limit);
}

Test(cache_slab, a_class_holds_every_size_and_the_one_before_does_not)
{
    for (size_t bytes = 1; bytes <= WS_CELL_MAX; bytes++) {
        uint32_t class = ws_class_of(bytes);
        cr_assert_lt(class, WS_CLASS_PAGES);
        cr_assert_geq(ws_class_cell_bytes(class), bytes);
        cr_assert(class == 0 || ws_class_cell_bytes(class - 1) < bytes, "%zu bytes", bytes);
        cr_assert(bytes < 256 || ws_class_cell_bytes(class) - bytes <= bytes / 7 + 16, "%zu bytes",
                  bytes);
    }
    cr_assert_eq(ws_class_of(WS_CELL_MAX + 1), WS_CLASS_PAGES);
    for (uint32_t class = 0; class < WS_CLASS_PAGES; class ++) {
        uint32_t cells = ws_class_run_cells(class),
                 run = WS_PAGE_BYTES << ws_class_run_order(class);
        cr_assert_leq(cells, 64u);
        cr_assert_leq(cells * ws_class_cell_bytes(class), run);
        cr_assert_eq(ws_class_cell_bytes(class) % 16, 0u);
    }
}

static size_t some_size(void)
{
    switch (ws_rng_below(&w.rng, 8)) {
    case 0:
        return 1 + ws_rng_below(&w.rng, 200000);
    case 1:
        return 1 + ws_rng_below(&w.rng, 40000);
    default:
        return 1 + ws_rng_skewed(&w.rng, 12);
    }
}

Test(cache_slab, random_cells_never_overlap_and_all_come_back)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        begin(seed, (uint64_t)4 << 20, (uint64_t)3 << 20);
        uint32_t refused = 0;
        for (uint32_t step = 0; step < 30000; step++) {
            if (w.n < CELLS && ws_rng_below(&w.rng, 100) < (step / 5000 % 2 ? 40u : 60u))
                refused += !alloc_one(some_size());
            else if (w.n)
                free_one((uint32_t)ws_rng_below(&w.rng, w.n));
            if (step % 500 == 0)
                check();
        }
        cr_assert_gt(refused, 0u, "the limit was reached");
        while (w.n)
            free_one(w.n - 1);
        check();
        cr_assert_eq(w.slab.run_bytes, 0u);
        cr_assert_gt(ws_slab_alloc(&w.slab, WS_CLASS_PAGES, (size_t)2 << 20), 0u,
                     "free pages joined again");
        ws_slab_fini(&w.slab);
    }
}

Test(cache_slab, cells_fill_the_limit_to_the_last_run)
{
    begin(9, (uint64_t)1 << 20, (uint64_t)1 << 20);
    while (w.n < CELLS && alloc_one(1000))
        ;
    check();
    uint32_t class = ws_class_of(1000);
    uint32_t runs = (1u << 20) / (WS_PAGE_BYTES << ws_class_run_order(class));
    cr_assert_eq(w.n, runs * ws_class_run_cells(class));
    cr_assert_eq(w.slab.run_bytes, (uint64_t)1 << 20);
    ws_slab_release(&w.slab);
    check();
    ws_slab_fini(&w.slab);
}

Test(cache_slab, a_large_entry_takes_its_pages_and_no_more)
{
    begin(10, (uint64_t)1 << 20, (uint64_t)1 << 20);
    cr_assert(alloc_one(5 * 4096 * 2 + 1)); /* 11 pages, not 16 */
    cr_assert_eq(atomic_load(&w.account.taken), 11u * 4096);
    check();
    free_one(0);
    cr_assert_eq(atomic_load(&w.account.taken), 0u);
    ws_slab_fini(&w.slab);
}

Test(cache_slab, setting_up_fails_cleanly)
{
    ws_faults faults;
    int failed = 1;
    for (uint64_t n = 0; failed; n++) {
        ws_account account = {1 << 20, 0};
        ws_slab slab;
        ws_faults_arm(&faults, n);
        ws_status status = ws_slab_init(&slab, &account, 1 << 20);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK);
        ws_slab_fini(&slab);
    }
    ws_account account = {UINT64_MAX, 0};
    ws_slab slab;
    cr_assert_eq(ws_slab_init(&slab, &account, (uint64_t)1 << 40), WS_ERR_LIMIT);
}
