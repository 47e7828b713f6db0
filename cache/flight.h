/* One load of a key that several callers wait for: its state machine, a pure function, so that a
 * test can go through all of its histories, and the record that carries it. */
#ifndef WS_CACHE_FLIGHT_H
#define WS_CACHE_FLIGHT_H

#include <pthread.h>
#include <stdint.h>

#include "cache/entry.h"
#include "wikisearch/status.h"

/* --- the state machine --- */

#define WS_FLIGHT_NONE     0u /* nobody loads */
#define WS_FLIGHT_LOADING  1u
#define WS_FLIGHT_DONE     2u /* there is a value, or the knowledge that there is none */
#define WS_FLIGHT_FAILED   3u /* the loader's error is everybody's */
#define WS_FLIGHT_GIVEN_UP 4u /* the loader's budget ended: who waits tries for himself */

typedef struct {
    uint32_t phase;
    uint32_t overtaken; /* 1: invalidated since it began */
    uint32_t waiters;
} ws_flight_state;

#define WS_FLIGHT_ASK        0u /* a caller wants the value */
#define WS_FLIGHT_LEAVE      1u /* a waiter has taken its outcome, or its budget ended */
#define WS_FLIGHT_INVALIDATE 2u
#define WS_FLIGHT_SUCCEED    3u /* the loader returned */
#define WS_FLIGHT_FAIL       4u
#define WS_FLIGHT_GIVE_UP    5u

/* What the caller of the step has to do. */
#define WS_FLIGHT_DO_LOAD   1u /* call the loader */
#define WS_FLIGHT_DO_WAIT   2u
#define WS_FLIGHT_DO_ANEW   4u  /* begin another flight: this one is none of the caller's */
#define WS_FLIGHT_DO_STORE  8u  /* put the value into the cache */
#define WS_FLIGHT_DO_WAKE   16u /* wake who waits */
#define WS_FLIGHT_DO_UNLIST 32u /* nobody may join any more */
#define WS_FLIGHT_DO_FREE   64u /* nobody needs it any more */

/* The state after `event`; *todo = WS_FLIGHT_DO_*. Under the shard's mutex. */
ws_flight_state ws_flight_step(ws_flight_state state, uint32_t event, uint32_t *todo);

/* --- the record --- */

typedef struct ws_flight {
    struct ws_flight *next; /* in the shard's list */
    ws_flight_state state;
    uint32_t hash, listed;
    uint64_t stamp;
    pthread_cond_t changed;
    ws_status status; /* once it is over */
    ws_entry *result; /* with a pin of the flight's, or NULL */
    size_t key_len;
    uint8_t key[];
} ws_flight;

/* A new flight, loading. NULL: no memory. */
ws_flight *ws_flight_new(uint32_t hash, ws_str key, uint64_t stamp);
void ws_flight_free(ws_flight *flight);

/* The flight in a list for this key and stamp, or NULL. */
ws_flight *ws_flight_find(ws_flight *list, uint32_t hash, ws_str key, uint64_t stamp);

static inline int ws_flight_is(const ws_flight *f, uint32_t hash, ws_str key)
{
    return f->hash == hash && f->key_len == key.len && memcmp(f->key, key.ptr, key.len) == 0;
}

#endif
