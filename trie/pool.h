/* Memory of the suggest structures: blocks of 8-byte units in chunks that never move, named by
 * 32-bit references.
 *
 *   reference = chunk number << 16 | unit in the chunk           2^31 units = 16 GiB at most
 *
 * One writer allocates and retires; readers inside an epoch follow references. A retired block
 * comes back to the free list of its size when no reader can see it any more. Chunks beyond the
 * first ones come on huge pages: a walk touches a dozen of them at random.
 *
 * Blocks of a multiple of 8 units begin at cache lines, in chunks of their own; the others lie
 * close together.
 */
#ifndef WS_TRIE_POOL_H
#define WS_TRIE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "trie/epoch.h"
#include "wikisearch/status.h"

#define WS_POOL_UNIT       8u
#define WS_POOL_CHUNK_BITS 16u  /* units of a chunk, as a power of two: 512 KiB */
#define WS_POOL_UNITS_MAX  320u /* the largest block */
#define WS_POOL_REFS       (1u << 31)

typedef struct {
    uint64_t epoch; /* when it was unlinked */
    uint32_t ref, units;
} ws_pool_retired;

typedef struct {
    uint8_t **chunks;  /* by chunk number; the table has its full size from the start */
    uint32_t n_chunks; /* that have memory; the last ones may not be in use yet */
    struct {
        uint32_t next, end;               /* references of the chunk being filled */
    } areas[2];                           /* [1]: whole cache lines */
    void *small[4];                       /* the first chunks as they were allocated */
    uint32_t filling;                     /* chunks in use */
    uint32_t max_chunks;                  /* a bound for tests; the table's size by default */
    uint64_t used_units;                  /* in blocks handed out, retired ones included */
    uint32_t free[WS_POOL_UNITS_MAX + 1]; /* by size: first free block, linked by its first word */
    ws_pool_retired *retired;             /* ring, in order of epoch */
    size_t retired_cap, retired_first, n_retired;
    ws_epoch epoch;
} ws_pool;

/* Sets up an empty pool in the caller's storage (about 7 KiB). WS_ERR_NOMEM. */
ws_status ws_pool_init(ws_pool *pool);
void ws_pool_fini(ws_pool *pool);

/* Makes sure that blocks of `units` in all can be allocated and `blocks` retired without failing:
 * so an operation fails before it has changed anything, or not at all. Also gives back retired
 * blocks that have become free. WS_ERR_NOMEM, WS_ERR_LIMIT (16 GiB). Writer. */
ws_status ws_pool_reserve(ws_pool *pool, uint32_t units, uint32_t blocks);

/* The second half of it: room to retire `blocks` blocks. WS_ERR_NOMEM. Writer. */
ws_status ws_pool_reserve_blocks(ws_pool *pool, uint32_t blocks);

/* A block of 1 to WS_POOL_UNITS_MAX units, not zeroed; 0 when it was not reserved and there is
 * none. Writer. */
uint32_t ws_pool_alloc(ws_pool *pool, uint32_t units);

/* Gives back a block that no reader has ever seen. Writer. */
void ws_pool_free(ws_pool *pool, uint32_t ref, uint32_t units);

/* Gives back a block that was unlinked just now. Writer; reserved before. */
void ws_pool_retire(ws_pool *pool, uint32_t ref, uint32_t units);

/* Address of a block. Inside an epoch, or the writer. */
static inline void *ws_pool_at(const ws_pool *pool, uint32_t ref)
{
    uint8_t *chunk = pool->chunks[ref >> WS_POOL_CHUNK_BITS];
    return chunk + (size_t)(ref & ((1u << WS_POOL_CHUNK_BITS) - 1)) * WS_POOL_UNIT;
}

static inline uint32_t ws_pool_units(size_t bytes)
{
    return (uint32_t)((bytes + WS_POOL_UNIT - 1) / WS_POOL_UNIT);
}

/* Bytes of the chunks in use, free blocks and the part not yet filled included. */
uint64_t ws_pool_bytes(const ws_pool *pool);

/* Bytes in blocks that are handed out; retired ones until they come back. */
uint64_t ws_pool_used_bytes(const ws_pool *pool);

#endif
