#define _GNU_SOURCE /* MAP_ANONYMOUS, madvise */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Test equipment, the only mutable global of this file. The context is written before the hook is
 * published and read after it, so that a thread that sees the hook sees its context. */
static void *fault_ctx;
static _Atomic(ws_mem_fault_fn) fault_hook;

static int must_fail(size_t size)
{
    if (!atomic_load_explicit(&fault_hook, memory_order_relaxed))
        return 0;
    ws_mem_fault_fn hook = atomic_load_explicit(&fault_hook, memory_order_acquire);
    return hook && hook(fault_ctx, size);
}

void ws_mem_set_fault(ws_mem_fault_fn hook, void *ctx)
{
    fault_ctx = ctx;
    atomic_store_explicit(&fault_hook, hook, memory_order_release);
}

void *ws_malloc(size_t size)
{
    return must_fail(size) ? NULL : malloc(size ? size : 1);
}

void *ws_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || must_fail(bytes))
        return NULL;
    return bytes ? calloc(count, size) : calloc(1, 1);
}

void *ws_realloc(void *ptr, size_t size)
{
    return must_fail(size) ? NULL : realloc(ptr, size ? size : 1);
}

void *ws_reallocarray(void *ptr, size_t count, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : ws_realloc(ptr, bytes);
}

void ws_free(void *ptr)
{
    free(ptr);
}

/* Maps one huge page more than asked and gives back what lies outside the aligned middle: the
 * address space in use is exactly what was asked for. */
void *ws_alloc_huge(size_t size)
{
    if (must_fail(size) || size > SIZE_MAX - WS_HUGE_PAGE)
        return NULL;
    char *map =
        mmap(NULL, size + WS_HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    size_t before = (size_t)(-(uintptr_t)map & (WS_HUGE_PAGE - 1));
    if (before)
        munmap(map, before);
    if (before < WS_HUGE_PAGE)
        munmap(map + before + size, WS_HUGE_PAGE - before);
    madvise(map + before, size, MADV_HUGEPAGE); /* a wish: without it the block works as well */
    return map + before;
}

void ws_free_huge(void *ptr, size_t size)
{
    if (ptr)
        munmap(ptr, size);
}

char *ws_memdup0(const char *ptr, size_t len)
{
    char *copy = len < SIZE_MAX ? ws_malloc(len + 1) : NULL;
    if (!copy)
        return NULL;
    if (len)
        memcpy(copy, ptr, len);
    copy[len] = '\0';
    return copy;
}
