#define _GNU_SOURCE /* syscall */
#include "cache/reclaim.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"

/* From linux/membarrier.h, which is not everywhere. */
#define MEMBARRIER_PRIVATE_EXPEDITED          8
#define MEMBARRIER_REGISTER_PRIVATE_EXPEDITED 16

#define THREADS_MIN 1u
#define THREADS_MAX 4096u

static uint32_t records_for(uint32_t threads)
{
    uint32_t n = THREADS_MIN;
    while (n < threads && n < THREADS_MAX)
        n *= 2;
    return n;
}

size_t ws_readers_bytes(uint32_t threads)
{
    return ((size_t)records_for(threads) + 1) * sizeof(ws_reader);
}

/* ThreadSanitizer sees no membarrier: under it readers fence. */
static uint32_t must_fence(void)
{
#if defined(SYS_membarrier) && !defined(WS_TSAN)
    return syscall(SYS_membarrier, MEMBARRIER_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0;
#else
    return 1;
#endif
}

ws_status ws_readers_init(ws_readers *r, uint32_t threads)
{
    memset(r, 0, sizeof *r);
    uint8_t *memory = ws_calloc(1, ws_readers_bytes(threads));
    if (!memory)
        return WS_ERR_NOMEM;
    r->memory = memory;
    r->readers = (ws_reader *)(void *)(memory + (-(uintptr_t)memory & (sizeof(ws_reader) - 1)));
    r->n = records_for(threads);
    r->fence = must_fence();
    return WS_OK;
}

void ws_readers_fini(ws_readers *r)
{
    ws_free(r->memory);
    memset(r, 0, sizeof *r);
}

ws_reader *ws_readers_claim(ws_readers *r, uintptr_t self)
{
    uint32_t at = (uint32_t)((uint64_t)self * 0x9e3779b97f4a7c15u >> 32) & (r->n - 1);
    for (uint32_t i = 0; i < r->n; i++, at = (at + 1) & (r->n - 1)) {
        ws_reader *reader = &r->readers[at];
        uintptr_t owner = atomic_load_explicit(&reader->owner, memory_order_relaxed);
        if (owner == self)
            return reader;
        /* The exchange is a full fence on both sides: see ws_readers_sync. */
        if (owner == 0 && atomic_compare_exchange_strong(&reader->owner, &owner, self)) {
            atomic_fetch_add(&r->owned, 1);
            return reader;
        }
    }
    return NULL;
}

static int owns_record(const ws_readers *r, uintptr_t self)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (atomic_load_explicit(&r->readers[i].owner, memory_order_relaxed) == self)
            return 1;
    return 0;
}

/* With no other reader there is nobody to wait for: one that claims its record after this load
 * fences by claiming, and then sees what was unlinked. */
void ws_readers_sync(ws_readers *r, uintptr_t self)
{
    ws_full_fence();
    unsigned owned = atomic_load(&r->owned);
    if (owned == 0 || (owned == 1 && owns_record(r, self)))
        return;
#if defined(SYS_membarrier)
    if (!r->fence)
        syscall(SYS_membarrier, MEMBARRIER_PRIVATE_EXPEDITED, 0, 0);
#endif
}

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

uint32_t ws_readers_pins_max(const ws_readers *r)
{
    return r->n * WS_READER_SLOTS;
}

uint32_t ws_readers_pins(const ws_readers *r, uint32_t *pins, uint32_t cap)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const ws_reader *reader = &r->readers[i];
        if (!atomic_load_explicit(&reader->owner, memory_order_acquire))
            continue;
        for (uint32_t k = 0; k < WS_READER_SLOTS; k++) {
            uint32_t ref = atomic_load_explicit(&reader->slots[k], memory_order_acquire);
            if (ref && n++ < cap)
                pins[n - 1] = ref;
        }
    }
    if (n > 1 && n <= cap)
        qsort(pins, n, sizeof *pins, compare);
    return n;
}

int ws_readers_hold_table(const ws_readers *r, const void *table)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (atomic_load_explicit(&r->readers[i].table, memory_order_acquire) == table)
            return 1;
    return 0;
}
