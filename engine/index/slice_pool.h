/* Byte chains in one pool: each grows by slices of 16 bytes doubling to 4 KiB; nothing moves. [1].
 *
 *   | data ... | next u32 |        a slice; `next` names the following one when the data is full
 *
 * References are offsets into blocks of 2 MiB, so a pool holds at most 4 GiB. Source: the
 * byte-slice pools of in-memory inversion (Moffat and Bell 1995, and Lucene's indexing chain).
 */
#ifndef WS_INDEX_SLICE_POOL_H
#define WS_INDEX_SLICE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "wikisearch/status.h"

#define WS_POOL_BLOCK_BITS 21u
#define WS_POOL_BLOCK      (1u << WS_POOL_BLOCK_BITS)
#define WS_POOL_MAX_BLOCKS 2048u

typedef struct {
    uint8_t *blocks[WS_POOL_MAX_BLOCKS];
    uint32_t n_blocks, used; /* used: bytes of the last block */
} ws_slice_pool;

typedef struct {
    uint32_t head;      /* first slice */
    uint32_t cursor;    /* where the next byte goes */
    uint32_t room : 12; /* bytes left before the slice's `next` */
    uint32_t level : 4; /* size of the slice: 16 << level */
    uint32_t started : 1;
} ws_slice_chain;

void ws_slice_pool_init(ws_slice_pool *pool);
void ws_slice_pool_fini(ws_slice_pool *pool);
size_t ws_slice_pool_memory(const ws_slice_pool *pool);

/* Takes `n` bytes (at most WS_POOL_BLOCK) that lie in one piece; *ref names them. WS_ERR_NOMEM. */
ws_status ws_slice_pool_take(ws_slice_pool *pool, uint32_t n, uint32_t *ref);

static inline uint8_t *ws_slice_pool_at(const ws_slice_pool *pool, uint32_t ref)
{
    return pool->blocks[ref >> WS_POOL_BLOCK_BITS] + (ref & (WS_POOL_BLOCK - 1));
}

/* A zeroed chain is empty. */
ws_status ws_slice_put_slow(ws_slice_pool *pool, ws_slice_chain *chain, uint8_t byte);
WS_MUST_USE static inline ws_status ws_slice_put(ws_slice_pool *pool, ws_slice_chain *chain,
                                                 uint8_t byte)
{
    if (chain->room == 0)
        return ws_slice_put_slow(pool, chain, byte);
    *ws_slice_pool_at(pool, chain->cursor++) = byte;
    chain->room--;
    return WS_OK;
}

ws_status ws_slice_put_long(ws_slice_pool *pool, ws_slice_chain *chain, uint32_t value);
WS_MUST_USE static inline ws_status ws_slice_put_varint(ws_slice_pool *pool, ws_slice_chain *chain,
                                                        uint32_t value)
{
    return value < 0x80 ? ws_slice_put(pool, chain, (uint8_t)value)
                        : ws_slice_put_long(pool, chain, value);
}

/* Reads a chain from its head; the reader trusts what was written. */
typedef struct {
    const ws_slice_pool *pool;
    const uint8_t *at, *end; /* end: the chain's cursor, where reading stops */
    uint32_t room, level;
} ws_slice_reader;

void ws_slice_reader_init(ws_slice_reader *r, const ws_slice_pool *pool,
                          const ws_slice_chain *chain);

static inline int ws_slice_reader_done(const ws_slice_reader *r)
{
    return r->at == r->end;
}

uint32_t ws_slice_get_slow(ws_slice_reader *r);
static inline uint32_t ws_slice_get_varint(ws_slice_reader *r)
{
    if (r->room == 0 || *r->at >= 0x80)
        return ws_slice_get_slow(r);
    r->room--;
    return *r->at++;
}

#endif
