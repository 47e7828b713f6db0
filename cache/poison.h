/* Marks free cells for AddressSanitizer, which knows nothing of memory inside a mapping. */
#ifndef WS_CACHE_POISON_H
#define WS_CACHE_POISON_H

#include <stddef.h>

#if defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define WS_HAS_POISON 1
# endif
#elif defined(__SANITIZE_ADDRESS__)
# define WS_HAS_POISON 1
#endif

#ifdef WS_HAS_POISON
void __asan_poison_memory_region(void const volatile *address, size_t size);
void __asan_unpoison_memory_region(void const volatile *address, size_t size);
# define ws_poison(address, size)   __asan_poison_memory_region(address, size)
# define ws_unpoison(address, size) __asan_unpoison_memory_region(address, size)
#else
# define ws_poison(address, size)   ((void)(address), (void)(size))
# define ws_unpoison(address, size) ((void)(address), (void)(size))
#endif

#endif
