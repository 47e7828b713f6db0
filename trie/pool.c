#include "trie/pool.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"

#define CHUNK_UNITS  (1u << WS_POOL_CHUNK_BITS)
#define CHUNK_BYTES  ((size_t)CHUNK_UNITS * WS_POOL_UNIT)
#define CHUNKS_MAX   (WS_POOL_REFS >> WS_POOL_CHUNK_BITS)
#define SMALL_CHUNKS WS_ARRAY_LEN(((ws_pool *)0)->small)      /* allocated one by one */
#define SLAB_CHUNKS  ((uint32_t)(WS_HUGE_PAGE / CHUNK_BYTES)) /* behind them: a huge page each */
#define LINE         64u
#define LINE_UNITS   (LINE / WS_POOL_UNIT)
#define RECLAIM_AT   64u /* retired blocks that are worth a look at the readers */

ws_status ws_pool_init(ws_pool *pool)
{
    memset(pool, 0, sizeof *pool);
    ws_epoch_init(&pool->epoch);
    pool->max_chunks = CHUNKS_MAX;
    pool->chunks = ws_calloc(CHUNKS_MAX, sizeof *pool->chunks);
    return pool->chunks ? WS_OK : WS_ERR_NOMEM;
}

void ws_pool_fini(ws_pool *pool)
{
    for (uint32_t i = 0; i < pool->n_chunks && i < SMALL_CHUNKS; i++)
        ws_free(pool->small[i]);
    for (uint32_t i = SMALL_CHUNKS; i < pool->n_chunks; i += SLAB_CHUNKS)
        ws_free_huge(pool->chunks[i], WS_HUGE_PAGE);
    ws_free(pool->chunks);
    ws_free(pool->retired);
    memset(pool, 0, sizeof *pool);
}

/* The first chunks one by one, at a cache line; then the parts of a huge page. */
static ws_status add_chunks(ws_pool *pool)
{
    uint32_t n = pool->n_chunks < SMALL_CHUNKS ? 1 : SLAB_CHUNKS;
    if (pool->n_chunks + n > pool->max_chunks)
        return WS_ERR_LIMIT;
    uint8_t *memory = n == 1 ? ws_malloc(CHUNK_BYTES + LINE) : ws_alloc_huge(WS_HUGE_PAGE);
    if (!memory)
        return WS_ERR_NOMEM;
    if (n == 1) {
        pool->small[pool->n_chunks] = memory;
        memory += -(uintptr_t)memory & (LINE - 1);
    }
    for (uint32_t i = 0; i < n; i++)
        pool->chunks[pool->n_chunks + i] = memory + i * CHUNK_BYTES;
    pool->n_chunks += n;
    return WS_OK;
}

/* --- retired blocks --- */

static void give_back(ws_pool *pool, uint64_t before)
{
    while (pool->n_retired) {
        const ws_pool_retired *r = &pool->retired[pool->retired_first];
        if (r->epoch >= before)
            return;
        ws_pool_free(pool, r->ref, r->units);
        pool->retired_first = (pool->retired_first + 1) & (pool->retired_cap - 1);
        pool->n_retired--;
    }
}

static ws_status grow_ring(ws_pool *pool, size_t wanted)
{
    size_t cap = pool->retired_cap ? pool->retired_cap : 128;
    while (cap < wanted)
        cap *= 2;
    ws_pool_retired *ring = ws_reallocarray(NULL, cap, sizeof *ring);
    if (!ring)
        return WS_ERR_NOMEM;
    for (size_t i = 0; i < pool->n_retired; i++)
        ring[i] = pool->retired[(pool->retired_first + i) & (pool->retired_cap - 1)];
    ws_free(pool->retired);
    pool->retired = ring;
    pool->retired_cap = cap;
    pool->retired_first = 0;
    return WS_OK;
}

ws_status ws_pool_reserve_blocks(ws_pool *pool, uint32_t blocks)
{
    if (pool->n_retired >= RECLAIM_AT)
        give_back(pool, ws_epoch_advance(&pool->epoch));
    return pool->n_retired + blocks > pool->retired_cap ? grow_ring(pool, pool->n_retired + blocks)
                                                        : WS_OK;
}

ws_status ws_pool_reserve(ws_pool *pool, uint32_t units, uint32_t blocks)
{
    assert(units + WS_POOL_UNITS_MAX < CHUNK_UNITS);
    WS_TRY(ws_pool_reserve_blocks(pool, blocks));
    uint32_t wanted = pool->filling;
    for (uint32_t i = 0; i < 2; i++)
        wanted += pool->areas[i].end - pool->areas[i].next < units;
    while (pool->n_chunks < wanted)
        WS_TRY(add_chunks(pool));
    return WS_OK;
}

void ws_pool_retire(ws_pool *pool, uint32_t ref, uint32_t units)
{
    assert(pool->n_retired < pool->retired_cap);
    size_t at = (pool->retired_first + pool->n_retired++) & (pool->retired_cap - 1);
    pool->retired[at] = (ws_pool_retired){ws_epoch_now(&pool->epoch), ref, units};
}

/* --- blocks --- */

/* Turns an area to the next chunk; what was left of the old one becomes free blocks. The first line
 * of all stays unused: reference 0 is no block. */
static int next_chunk(ws_pool *pool, uint32_t area)
{
    if (pool->filling == pool->n_chunks)
        return 0;
    uint32_t next = pool->areas[area].next, end = pool->areas[area].end;
    while (next < end) {
        uint32_t units = WS_MIN(end - next, WS_POOL_UNITS_MAX);
        pool->used_units += units;
        ws_pool_free(pool, next, units);
        next += units;
    }
    next = pool->filling++ << WS_POOL_CHUNK_BITS;
    pool->areas[area].end = next + CHUNK_UNITS;
    pool->areas[area].next = next ? next : LINE_UNITS;
    return 1;
}

uint32_t ws_pool_alloc(ws_pool *pool, uint32_t units)
{
    assert(units > 0 && units <= WS_POOL_UNITS_MAX);
    uint32_t ref = pool->free[units], area = units % LINE_UNITS == 0;
    if (ref) {
        memcpy(&pool->free[units], ws_pool_at(pool, ref), sizeof ref);
    } else {
        if (pool->areas[area].end - pool->areas[area].next < units && !next_chunk(pool, area))
            return 0;
        ref = pool->areas[area].next;
        pool->areas[area].next += units;
    }
    pool->used_units += units;
    return ref;
}

void ws_pool_free(ws_pool *pool, uint32_t ref, uint32_t units)
{
    memcpy(ws_pool_at(pool, ref), &pool->free[units], sizeof ref);
    pool->free[units] = ref;
    pool->used_units -= units;
}

uint64_t ws_pool_bytes(const ws_pool *pool)
{
    uint64_t unused = 0;
    for (uint32_t i = 0; i < 2; i++)
        unused += pool->areas[i].end - pool->areas[i].next;
    return (uint64_t)pool->filling * CHUNK_BYTES - unused * WS_POOL_UNIT +
           pool->retired_cap * sizeof *pool->retired;
}

uint64_t ws_pool_used_bytes(const ws_pool *pool)
{
    return pool->used_units * WS_POOL_UNIT;
}
