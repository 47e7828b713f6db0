/* The one door to the heap, with a hook that lets tests make any allocation fail.
 *
 * All of these are [any]. The hook is process-wide test equipment: set it before threads start.
 * Without a hook the cost is one relaxed load beside malloc.
 */
#ifndef WS_BASE_MEM_H
#define WS_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/* Returns `size` bytes (0 is served as 1) aligned for any type, or NULL. Free with ws_free. */
void *ws_malloc(size_t size);

/* Zeroed blocks of WS_HUGE_PAGE bytes and multiples, aligned to that and backed by huge pages where
 * the kernel has them: tables that are hit at random cost a page walk less. NULL when memory is
 * short. The hook above all applies. Give back with ws_free_huge and the same size; NULL does
 * nothing. */
#define WS_HUGE_PAGE ((size_t)2 << 20)
void *ws_alloc_huge(size_t size);
void ws_free_huge(void *ptr, size_t size);

/* Returns count * size zeroed bytes, or NULL on failure or overflow. */
void *ws_calloc(size_t count, size_t size);

/* Resizes like realloc; on failure NULL, and the old block stays. */
void *ws_realloc(void *ptr, size_t size);

/* Resizes to count * size bytes with an overflow check. */
void *ws_reallocarray(void *ptr, size_t count, size_t size);

/* Frees what the functions above returned; NULL does nothing. */
void ws_free(void *ptr);

/* Copies `len` bytes and adds a NUL; NULL on failure. */
char *ws_memdup0(const char *ptr, size_t len);

/* Fault hook: called before each allocation with its size; returning nonzero makes it fail.
 * `hook` NULL removes it. Returns nothing; not thread-safe against running allocations. */
typedef int (*ws_mem_fault_fn)(void *ctx, size_t size);
void ws_mem_set_fault(ws_mem_fault_fn hook, void *ctx);

#endif
