/* Byte chains against plain arrays. */
#include <stdlib.h>

#include "engine/index/slice_pool.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define CHAINS 50
#define VALUES 4000

Test(slice_pool, chains_grown_in_turns_read_back_what_was_put)
{
    static ws_slice_pool pool;
    static uint32_t values[CHAINS][VALUES];
    ws_slice_chain chains[CHAINS] = {{0}};
    uint32_t counts[CHAINS] = {0};
    ws_rng rng = ws_rng_seeded(7);
    ws_slice_pool_init(&pool);
    for (int i = 0; i < 60000; i++) {
        uint32_t c = (uint32_t)ws_rng_below(&rng, CHAINS);
        uint32_t v = (uint32_t)ws_rng_u64(&rng) >> ws_rng_below(&rng, 32);
        if (counts[c] == VALUES)
            continue;
        cr_assert_eq(ws_slice_put_varint(&pool, &chains[c], v), WS_OK);
        values[c][counts[c]++] = v;
    }
    for (uint32_t c = 0; c < CHAINS; c++) {
        ws_slice_reader r;
        ws_slice_reader_init(&r, &pool, &chains[c]);
        for (uint32_t i = 0; i < counts[c]; i++) {
            cr_assert_not(ws_slice_reader_done(&r), "chain %u ends at %u of %u", c, i, counts[c]);
            cr_assert_eq(ws_slice_get_varint(&r), values[c][i], "chain %u value %u", c, i);
        }
        cr_assert(ws_slice_reader_done(&r), "chain %u goes on", c);
    }
    ws_slice_pool_fini(&pool);
}

Test(slice_pool, an_empty_chain_is_done_at_once)
{
    static ws_slice_pool pool;
    ws_slice_chain chain = {0};
    ws_slice_reader r;
    ws_slice_pool_init(&pool);
    ws_slice_reader_init(&r, &pool, &chain);
    cr_assert(ws_slice_reader_done(&r));
    ws_slice_pool_fini(&pool);
}

Test(slice_pool, a_chain_that_fills_a_slice_exactly_ends_there)
{
    for (uint32_t n = 1; n < 200; n++) {
        static ws_slice_pool pool;
        ws_slice_chain chain = {0};
        ws_slice_reader r;
        ws_slice_pool_init(&pool);
        for (uint32_t i = 0; i < n; i++)
            cr_assert_eq(ws_slice_put(&pool, &chain, (uint8_t)(i & 0x7f)), WS_OK);
        ws_slice_reader_init(&r, &pool, &chain);
        for (uint32_t i = 0; i < n; i++)
            cr_assert_eq(ws_slice_get_varint(&r), i & 0x7f);
        cr_assert(ws_slice_reader_done(&r), "%u bytes", n);
        ws_slice_pool_fini(&pool);
    }
}

Test(slice_pool, memory_is_counted_in_blocks)
{
    static ws_slice_pool pool;
    uint32_t ref;
    ws_slice_pool_init(&pool);
    cr_assert_eq(ws_slice_pool_memory(&pool), 0);
    cr_assert_eq(ws_slice_pool_take(&pool, WS_POOL_BLOCK, &ref), WS_OK);
    cr_assert_eq(ws_slice_pool_take(&pool, 1, &ref), WS_OK);
    cr_assert_eq(ref, WS_POOL_BLOCK);
    cr_assert_eq(ws_slice_pool_memory(&pool), 2u * WS_POOL_BLOCK);
    ws_slice_pool_fini(&pool);
}
