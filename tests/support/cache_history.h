/* Histories of concurrent calls on one key of a cache, and whether some order of them explains what
 * they returned (linearizability: Wing and Gong, "Testing and Verifying Concurrent Objects", 1993;
 * with the memory of visited states of Lowe, "Testing for Linearizability", 2017). [1].
 *
 * The sequential cache that a history is held against is relaxed where a cache may be: a miss is
 * always allowed, and the value is gone then. What a key may be:
 *
 *   PUT v        the value is v
 *   GET v        the value was v
 *   GET miss     the value is gone
 *   INVALIDATE   the value is gone; loads that have begun are overtaken
 *   LOAD v       two moments: it begins; it ends, and the value is v unless it was overtaken
 *   JOIN v       load v has begun, has not ended, and is not overtaken
 */
#ifndef WS_TESTS_SUPPORT_CACHE_HISTORY_H
#define WS_TESTS_SUPPORT_CACHE_HISTORY_H

#include <stdint.h>

enum { HISTORY_PUT, HISTORY_GET, HISTORY_MISS, HISTORY_INVALIDATE, HISTORY_LOAD, HISTORY_JOIN };

typedef struct {
    uint32_t kind;
    uint32_t version;          /* unique per put and load, from 1 on */
    uint64_t called, returned; /* of one counter: returned < called means before */
} ws_history_call;

#define WS_HISTORY_MAX 30 /* calls; a load counts twice */

/* 1 when an order exists. */
int ws_history_is_linearizable(const ws_history_call *calls, uint32_t n);

#endif
