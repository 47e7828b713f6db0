#include "base/hash.h"

/* Compiled in rather than linked: short keys are the common case and the call would cost more than
 * the hash, and an embedder has one library less to link. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"

#define STATE_ALIGNMENT 64u /* XXH3_state_t wants more than malloc promises */

struct ws_hasher {
    XXH3_state_t state;
    void *block; /* what to free: the hasher lies aligned inside it */
};

uint64_t ws_hash64(const void *bytes, size_t n)
{
    return XXH3_64bits(bytes, n);
}

uint64_t ws_hash64_seed(const void *bytes, size_t n, uint64_t seed)
{
    return XXH3_64bits_withSeed(bytes, n, seed);
}

ws_hash128 ws_hash128_of(const void *bytes, size_t n)
{
    XXH128_hash_t h = XXH3_128bits(bytes, n);
    return (ws_hash128){h.low64, h.high64};
}

ws_hasher *ws_hasher_new(void)
{
    unsigned char *block = ws_malloc(sizeof(ws_hasher) + STATE_ALIGNMENT);
    if (!block)
        return NULL;
    size_t misaligned = (uintptr_t)block & (STATE_ALIGNMENT - 1);
    ws_hasher *h = (void *)(block + (STATE_ALIGNMENT - misaligned));
    h->block = block;
    ws_hasher_reset(h);
    return h;
}

void ws_hasher_free(ws_hasher *h)
{
    if (h)
        ws_free(h->block);
}

void ws_hasher_reset(ws_hasher *h)
{
    XXH3_INITSTATE(&h->state);
    XXH3_64bits_reset(&h->state);
}

void ws_hasher_update(ws_hasher *h, const void *bytes, size_t n)
{
    if (n)
        XXH3_64bits_update(&h->state, bytes, n);
}

uint64_t ws_hasher_digest(const ws_hasher *h)
{
    return XXH3_64bits_digest(&h->state);
}
