/* What the sanitizers must be told: free cells inside a mapping (AddressSanitizer knows only the
 * heap), and full fences (ThreadSanitizer knows only atomic operations). */
#ifndef WS_CACHE_SANITIZER_H
#define WS_CACHE_SANITIZER_H

#include <stdatomic.h>
#include <stddef.h>

#if defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define WS_ASAN 1
# endif
# if __has_feature(thread_sanitizer)
#  define WS_TSAN 1
# endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(WS_ASAN)
# define WS_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(WS_TSAN)
# define WS_TSAN 1
#endif

#ifdef WS_ASAN
void __asan_poison_memory_region(void const volatile *address, size_t size);
void __asan_unpoison_memory_region(void const volatile *address, size_t size);
# define ws_poison(address, size)   __asan_poison_memory_region(address, size)
# define ws_unpoison(address, size) __asan_unpoison_memory_region(address, size)
#else
# define ws_poison(address, size)   ((void)(address), (void)(size))
# define ws_unpoison(address, size) ((void)(address), (void)(size))
#endif

/* A full fence. Under ThreadSanitizer an exchange, which it understands and x86 orders as well. */
static inline void ws_full_fence(void)
{
#ifdef WS_TSAN
    static atomic_uint fence;
    atomic_fetch_add(&fence, 1);
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

#endif
