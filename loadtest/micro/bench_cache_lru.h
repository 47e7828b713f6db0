/* The yardstick of bench_cache: LRU as it is usually written, chains and malloc, one mutex for each
 * of 64 shards. [any]. */
#ifndef WS_LOADTEST_MICRO_BENCH_CACHE_LRU_H
#define WS_LOADTEST_MICRO_BENCH_CACHE_LRU_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_lru bench_lru;

bench_lru *bench_lru_new(size_t bytes); /* of keys, values and nodes */
void bench_lru_free(bench_lru *lru);

/* Copies at most `cap` bytes of the value into `out`; returns its length, 0 = a miss. */
size_t bench_lru_get(bench_lru *lru, const uint8_t key[16], void *out, size_t cap);
void bench_lru_put(bench_lru *lru, const uint8_t key[16], const void *value, size_t size);

#endif
