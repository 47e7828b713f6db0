/* An exact LRU over ids: the yardstick of cache-replay. [1]. */
#ifndef WS_INDEXER_TRACE_LRU_H
#define WS_INDEXER_TRACE_LRU_H

#include <stdint.h>

typedef struct ws_trace_lru ws_trace_lru;

/* `entries` from 1 to 2^30. NULL: no memory. */
ws_trace_lru *ws_trace_lru_new(uint32_t entries);
void ws_trace_lru_free(ws_trace_lru *lru);

/* Asks for an id and keeps it. Returns 1 on a hit. O(1). */
int ws_trace_lru_ask(ws_trace_lru *lru, uint64_t id);

#endif
