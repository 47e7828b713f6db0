/* XXH3 under our names, so that the library behind it is named once. [any]. */
#ifndef WS_BASE_HASH_H
#define WS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t lo, hi;
} ws_hash128;

uint64_t ws_hash64(const void *bytes, size_t n);                     /* XXH3-64, seed 0 */
/* for tables keyed by user data */
uint64_t ws_hash64_seed(const void *bytes, size_t n, uint64_t seed);
ws_hash128 ws_hash128_of(const void *bytes, size_t n);               /* XXH3-128, seed 0 */

/* Incremental XXH3-64: new allocates (NULL when short of memory), update any number of times,
 * digest may be read at any point. */
typedef struct ws_hasher ws_hasher;
ws_hasher *ws_hasher_new(void);
void ws_hasher_free(ws_hasher *h);
void ws_hasher_reset(ws_hasher *h);
void ws_hasher_update(ws_hasher *h, const void *bytes, size_t n);
uint64_t ws_hasher_digest(const ws_hasher *h);

#endif
