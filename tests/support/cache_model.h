/* The cache's policy, coded a second time in the plainest way: queues are arrays in order, every
 * step walks them. It shares the sketch's code and nothing else. Also two exact reference policies,
 * LRU and W-TinyLFU with promotion at each hit (strict), as yardsticks. [1]. */
#ifndef WS_TESTS_SUPPORT_CACHE_MODEL_H
#define WS_TESTS_SUPPORT_CACHE_MODEL_H

#include "cache/sketch.h"

typedef struct {
    uint32_t id, hash, hits, expired;
    uint64_t weight;
} ws_model_entry;

typedef struct {
    ws_model_entry *entries; /* oldest first */
    uint32_t n, cap;
} ws_model_queue;

enum { WS_MODEL_WINDOW, WS_MODEL_PROBATION, WS_MODEL_PROTECTED, WS_MODEL_QUEUES };

typedef struct {
    ws_sketch sketch;
    uint64_t random;
    uint64_t capacity, window_target;
    int has_candidate;
    uint32_t candidate;
    ws_model_queue queues[WS_MODEL_QUEUES];
} ws_cache_model;

/* Sizes and seeds as given to the policy. */
void ws_cache_model_init(ws_cache_model *m, uint32_t sketch_entries, uint64_t sketch_seed,
                         uint64_t seed, uint64_t capacity, uint64_t window);
void ws_cache_model_fini(ws_cache_model *m);
void ws_cache_model_insert(ws_cache_model *m, uint32_t id, uint32_t hash, uint64_t weight);
void ws_cache_model_hit(ws_cache_model *m, uint32_t id);
void ws_cache_model_remove(ws_cache_model *m, uint32_t id);
void ws_cache_model_replace(ws_cache_model *m, uint32_t old, uint32_t id, uint64_t weight);
void ws_cache_model_expire(ws_cache_model *m, uint32_t id);

/* 1 and the entry to evict in *id, or 0. */
int ws_cache_model_evict(ws_cache_model *m, int force, uint32_t *id);

/* The queue an entry is in, -1 = none; its place from the oldest in *place. */
int ws_cache_model_where(const ws_cache_model *m, uint32_t id, uint32_t *place);
uint64_t ws_cache_model_weight(const ws_cache_model *m, uint32_t queue);

/* Hits of a trace of ids in [0, n_ids) under an exact policy of `entries` entries. */
uint64_t ws_reference_lru(const uint32_t *ids, size_t n, uint32_t n_ids, uint32_t entries);

/* W-TinyLFU as its paper has it: LRU window of 1 %, segmented LRU (80 % protected), every access
 * counted in the sketch at once. */
uint64_t ws_reference_wtinylfu(const uint32_t *ids, size_t n, uint32_t n_ids, uint32_t entries,
                               uint64_t seed);

#endif
