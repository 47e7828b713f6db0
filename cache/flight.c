#include "cache/flight.h"

#include <time.h>

#include "base/mem.h"

/* The leader is not counted: it leaves by its result. */
static uint32_t free_when_empty(ws_flight_state s)
{
    return s.waiters ? 0 : WS_FLIGHT_DO_FREE;
}

static ws_flight_state ask(ws_flight_state s, uint32_t *todo)
{
    if (s.phase == WS_FLIGHT_NONE) {
        *todo = WS_FLIGHT_DO_LOAD;
        return (ws_flight_state){WS_FLIGHT_LOADING, 0, 0};
    }
    if (s.phase != WS_FLIGHT_LOADING || s.overtaken) {
        *todo = WS_FLIGHT_DO_ANEW;
        return s;
    }
    s.waiters++;
    *todo = WS_FLIGHT_DO_WAIT;
    return s;
}

static ws_flight_state end(ws_flight_state s, uint32_t phase, uint32_t *todo)
{
    s.phase = phase;
    *todo = WS_FLIGHT_DO_UNLIST | (s.waiters ? WS_FLIGHT_DO_WAKE : 0) | free_when_empty(s);
    if (phase == WS_FLIGHT_DONE && !s.overtaken)
        *todo |= WS_FLIGHT_DO_STORE;
    return s;
}

ws_flight_state ws_flight_step(ws_flight_state s, uint32_t event, uint32_t *todo)
{
    *todo = 0;
    switch (event) {
    case WS_FLIGHT_ASK:
        return ask(s, todo);
    case WS_FLIGHT_LEAVE:
        s.waiters--;
        *todo = s.phase == WS_FLIGHT_LOADING ? 0 : free_when_empty(s);
        return s;
    case WS_FLIGHT_INVALIDATE:
        if (s.phase == WS_FLIGHT_LOADING) {
            s.overtaken = 1;
            *todo = WS_FLIGHT_DO_UNLIST;
        }
        return s;
    case WS_FLIGHT_SUCCEED:
        return end(s, WS_FLIGHT_DONE, todo);
    case WS_FLIGHT_FAIL:
        return end(s, WS_FLIGHT_FAILED, todo);
    default:
        return end(s, WS_FLIGHT_GIVEN_UP, todo);
    }
}

static int init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes))
        return 0;
    int failed = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) ||
                 pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return !failed;
}

ws_flight *ws_flight_new(uint32_t hash, ws_str key, uint64_t stamp)
{
    uint32_t todo;
    ws_flight *f = ws_malloc(sizeof *f + key.len);
    if (!f)
        return NULL;
    memset(f, 0, sizeof *f);
    if (!init_condition(&f->changed)) {
        ws_free(f);
        return NULL;
    }
    f->state = ws_flight_step(f->state, WS_FLIGHT_ASK, &todo);
    f->hash = hash;
    f->stamp = stamp;
    f->key_len = key.len;
    memcpy(f->key, key.ptr, key.len);
    return f;
}

void ws_flight_free(ws_flight *f)
{
    pthread_cond_destroy(&f->changed);
    ws_free(f);
}

ws_flight *ws_flight_find(ws_flight *list, uint32_t hash, ws_str key, uint64_t stamp)
{
    for (ws_flight *f = list; f; f = f->next)
        if (f->stamp == stamp && ws_flight_is(f, hash, key))
            return f;
    return NULL;
}
