#include "base/mem.h"

#include <string.h>

#include "tests/support/test.h"

typedef struct {
    size_t calls, fail_at, last_size;
} countdown;

static int fail_nth(void *ctx, size_t size)
{
    countdown *c = ctx;
    c->last_size = size;
    return ++c->calls == c->fail_at;
}

static void remove_hook(void)
{
    ws_mem_set_fault(NULL, NULL);
}

Test(mem, zero_bytes_is_a_block)
{
    void *a = ws_malloc(0), *b = ws_calloc(0, 8), *c = ws_realloc(NULL, 0);
    cr_assert_not_null(a);
    cr_assert_not_null(b);
    cr_assert_not_null(c);
    ws_free(a);
    ws_free(b);
    ws_free(c);
    ws_free(NULL);
}

Test(mem, calloc_is_zeroed_and_checks_overflow)
{
    unsigned char zeros[80] = {0}, *a = ws_calloc(10, 8);
    cr_assert_arr_eq(a, zeros, 80);
    ws_free(a);
    cr_assert_null(ws_calloc(SIZE_MAX / 2, 3));
    cr_assert_null(ws_reallocarray(NULL, SIZE_MAX / 2, 3));
}

Test(mem, memdup0_adds_a_nul)
{
    char *copy = ws_memdup0("a\0bc", 3), *empty = ws_memdup0(NULL, 0);
    cr_assert_arr_eq(copy, "a\0b\0", 4);
    cr_assert_str_eq(empty, "");
    ws_free(copy);
    ws_free(empty);
    cr_assert_null(ws_memdup0("", SIZE_MAX));
}

Test(mem, hook_fails_the_allocation_it_chooses, .fini = remove_hook)
{
    countdown c = {0, 3, 0};
    ws_mem_set_fault(fail_nth, &c);
    char *a = ws_malloc(8), *b = ws_calloc(2, 8);
    cr_assert(a && b);
    cr_assert_eq(c.last_size, 16);
    strcpy(a, "kept");
    cr_assert_null(ws_realloc(a, 100));
    cr_assert_eq(c.last_size, 100);
    cr_assert_str_eq(a, "kept");
    a = ws_realloc(a, 100);
    cr_assert_str_eq(a, "kept");
    cr_assert_eq(c.calls, 4);
    ws_mem_set_fault(NULL, NULL);
    ws_free(ws_malloc(1));
    cr_assert_eq(c.calls, 4);
    ws_free(a);
    ws_free(b);
}

Test(mem, huge_blocks_are_aligned_and_zeroed)
{
    unsigned char *block = ws_alloc_huge(2 * WS_HUGE_PAGE);
    cr_assert_not_null(block);
    cr_assert_eq((uintptr_t)block % WS_HUGE_PAGE, 0u);
    for (size_t i = 0; i < 2 * WS_HUGE_PAGE; i += 4096)
        cr_assert_eq(block[i], 0);
    block[0] = block[2 * WS_HUGE_PAGE - 1] = 1;
    ws_free_huge(block, 2 * WS_HUGE_PAGE);
    ws_free_huge(NULL, WS_HUGE_PAGE);
    cr_assert_null(ws_alloc_huge(SIZE_MAX));
}
