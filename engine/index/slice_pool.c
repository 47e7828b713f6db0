#include "engine/index/slice_pool.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"

#define FIRST_BYTES 16u
#define LAST_LEVEL  8u /* 16 << 8 = 4,096 */
#define NEXT_BYTES  4u

static uint32_t slice_bytes(uint32_t level)
{
    return FIRST_BYTES << level;
}

void ws_slice_pool_init(ws_slice_pool *pool)
{
    memset(pool, 0, sizeof *pool);
    pool->used = WS_POOL_BLOCK;
}

void ws_slice_pool_fini(ws_slice_pool *pool)
{
    for (uint32_t i = 0; i < pool->n_blocks; i++)
        ws_free_huge(pool->blocks[i], WS_POOL_BLOCK);
    ws_slice_pool_init(pool);
}

size_t ws_slice_pool_memory(const ws_slice_pool *pool)
{
    return (size_t)pool->n_blocks * WS_POOL_BLOCK;
}

ws_status ws_slice_pool_take(ws_slice_pool *pool, uint32_t n, uint32_t *ref)
{
    if (n > WS_POOL_BLOCK - pool->used) {
        if (pool->n_blocks == WS_POOL_MAX_BLOCKS)
            return WS_ERR_NOMEM;
        uint8_t *block = ws_alloc_huge(WS_POOL_BLOCK);
        if (!block)
            return WS_ERR_NOMEM;
        pool->blocks[pool->n_blocks++] = block;
        pool->used = 0;
    }
    *ref = ((pool->n_blocks - 1) << WS_POOL_BLOCK_BITS) + pool->used;
    pool->used += n;
    return WS_OK;
}

/* The chain is empty or its slice is full: begins the next slice, names it in the old one. */
ws_status ws_slice_put_slow(ws_slice_pool *pool, ws_slice_chain *chain, uint8_t byte)
{
    uint32_t level = chain->started ? WS_MIN(chain->level + 1u, LAST_LEVEL) : 0, ref;
    WS_TRY(ws_slice_pool_take(pool, slice_bytes(level), &ref));
    if (chain->started)
        ws_store_u32le(ws_slice_pool_at(pool, chain->cursor), ref);
    else
        chain->head = ref;
    chain->started = 1;
    chain->level = level & 15u;
    chain->cursor = ref;
    chain->room = (slice_bytes(level) - NEXT_BYTES) & 0xfffu;
    return ws_slice_put(pool, chain, byte);
}

ws_status ws_slice_put_long(ws_slice_pool *pool, ws_slice_chain *chain, uint32_t value)
{
    while (value >= 0x80) {
        WS_TRY(ws_slice_put(pool, chain, (uint8_t)(value | 0x80)));
        value >>= 7;
    }
    return ws_slice_put(pool, chain, (uint8_t)value);
}

void ws_slice_reader_init(ws_slice_reader *r, const ws_slice_pool *pool,
                          const ws_slice_chain *chain)
{
    r->pool = pool;
    r->at = chain->started ? ws_slice_pool_at(pool, chain->head) : NULL;
    r->end = chain->started ? ws_slice_pool_at(pool, chain->cursor) : NULL;
    r->level = 0;
    r->room = slice_bytes(0) - NEXT_BYTES;
}

static uint8_t next_byte(ws_slice_reader *r)
{
    if (r->room == 0) {
        r->at = ws_slice_pool_at(r->pool, ws_load_u32le(r->at));
        r->level = WS_MIN(r->level + 1, LAST_LEVEL);
        r->room = slice_bytes(r->level) - NEXT_BYTES;
    }
    r->room--;
    return *r->at++;
}

uint32_t ws_slice_get_slow(ws_slice_reader *r)
{
    uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = next_byte(r);
        value |= (uint32_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}
