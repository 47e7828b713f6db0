#include "base/arena.h"

#include <string.h>

#include "base/mem.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define PIECES 400u

typedef struct {
    unsigned char *at;
    size_t size;
    unsigned char fill;
} piece;

static int count_allocation(void *ctx, size_t size)
{
    (void)size;
    ++*(size_t *)ctx;
    return 0;
}

static int fail_always(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return 1;
}

static void remove_hook(void)
{
    ws_mem_set_fault(NULL, NULL);
}

static int holds(const piece *p)
{
    for (size_t i = 0; i < p->size; i++) {
        if (p->at[i] != p->fill)
            return 0;
    }
    return 1;
}

/* Every piece keeps its own bytes, whatever is allocated and written after it. */
static void fill_and_verify(ws_arena *arena, ws_rng *rng)
{
    static piece pieces[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        piece *p = &pieces[i];
        p->size = ws_rng_skewed(rng, ws_rng_below(rng, 20) ? 10 : 18);
        p->fill = (unsigned char)i;
        p->at = ws_arena_alloc(arena, p->size);
        cr_assert_not_null(p->at);
        cr_assert_eq((uintptr_t)p->at % 16, 0);
        memset(p->at, p->fill, p->size);
    }
    for (size_t i = 0; i < PIECES; i++)
        cr_assert(holds(&pieces[i]), "piece %zu, seed %llu", i, (unsigned long long)rng->seed);
}

Test(arena, pieces_do_not_overlap)
{
    ws_rng rng = ws_rng_seeded(11);
    ws_arena arena;
    ws_arena_init(&arena);
    for (int round = 0; round < 20; round++) {
        fill_and_verify(&arena, &rng);
        ws_arena_reset(&arena);
    }
    ws_arena_fini(&arena);
    cr_assert_null(arena.first);
    cr_assert_eq(arena.total, 0);
}

Test(arena, same_requests_after_reset_allocate_nothing, .fini = remove_hook)
{
    size_t allocations = 0;
    ws_arena arena;
    ws_arena_init(&arena);
    ws_mem_set_fault(count_allocation, &allocations);
    for (int round = 0; round < 5; round++) {
        size_t before = allocations;
        ws_rng rng = ws_rng_make(5);
        fill_and_verify(&arena, &rng);
        cr_assert(round == 0 ? allocations > before : allocations == before, "round %d", round);
        ws_arena_reset(&arena);
    }
    ws_arena_fini(&arena);
}

Test(arena, other_orders_of_requests_do_not_add_blocks_for_ever)
{
    ws_rng rng = ws_rng_seeded(8);
    ws_arena arena;
    ws_arena_init(&arena);
    size_t after_warm_up = 0;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 20; i++)
            cr_assert_not_null(ws_arena_alloc(&arena, ws_rng_skewed(&rng, 18)));
        ws_arena_reset(&arena);
        if (round == 99)
            after_warm_up = arena.total;
    }
    cr_assert_leq(arena.total, after_warm_up + (1u << 20));
    ws_arena_fini(&arena);
}

Test(arena, serves_a_request_beyond_the_largest_block)
{
    ws_arena arena;
    ws_arena_init(&arena);
    char *small = ws_arena_alloc(&arena, 10);
    char *large = ws_arena_alloc(&arena, (size_t)5 << 20);
    cr_assert(small && large);
    memset(large, 1, (size_t)5 << 20);
    cr_assert_geq(arena.total, (size_t)5 << 20);
    ws_arena_fini(&arena);
}

Test(arena, copies_with_a_nul)
{
    ws_arena arena;
    ws_arena_init(&arena);
    ws_str out, in = {"a\0b", 3};
    cr_assert_eq(ws_arena_str(&arena, in, &out), WS_OK);
    cr_assert_eq(out.len, 3);
    cr_assert_arr_eq(out.ptr, "a\0b\0", 4);
    cr_assert_eq(ws_arena_str(&arena, (ws_str){NULL, 0}, &out), WS_OK);
    cr_assert_eq(out.len, 0);
    cr_assert_str_eq(ws_arena_dup(&arena, "xyz", 2), "xy");
    ws_arena_fini(&arena);
}

Test(arena, calloc_zeroes_reused_memory)
{
    ws_arena arena;
    unsigned char zeros[64] = {0};
    ws_arena_init(&arena);
    memset(ws_arena_alloc(&arena, 64), 0xff, 64);
    ws_arena_reset(&arena);
    cr_assert_arr_eq(ws_arena_calloc(&arena, 8, 8), zeros, 64);
    ws_arena_fini(&arena);
}

Test(arena, short_memory_is_null_and_overflow_too, .fini = remove_hook)
{
    ws_arena arena;
    ws_str out = {"x", 1};
    ws_arena_init(&arena);
    cr_assert_null(ws_arena_alloc(&arena, SIZE_MAX));
    cr_assert_null(ws_arena_alloc(&arena, SIZE_MAX - 8));
    cr_assert_null(ws_arena_calloc(&arena, SIZE_MAX / 2, 4));
    cr_assert_null(ws_arena_dup(&arena, "", SIZE_MAX));
    ws_mem_set_fault(fail_always, NULL);
    cr_assert_null(ws_arena_alloc(&arena, 1));
    cr_assert_eq(ws_arena_str(&arena, (ws_str){"abc", 3}, &out), WS_ERR_NOMEM);
    cr_assert(out.ptr == NULL && out.len == 0);
    ws_mem_set_fault(NULL, NULL);
    cr_assert_not_null(ws_arena_alloc(&arena, 1));
    ws_arena_fini(&arena);
}
