/* The state machine of a load, through every interleaving of a small world: 3 keys, 2 threads, 6
 * operations. A hand scheduler takes the steps; what they may lead to is written down here a second
 * time, as rules over versions.
 *
 * The world: each key has a source with a version. An update raises it and then invalidates the
 * key, as a writer does. A question is answered by the stored value, or joins a flight, or begins
 * one; a loader reads the source in one step and returns (well, in error, or out of time) in
 * another. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "cache/flight.h"
#include "tests/support/test.h"

enum { KEYS = 3, THREADS = 2, OPS = 6, FLIGHTS = 8 };
enum { ASK, UPDATE, ASK_FAILS, ASK_GIVES_UP, KINDS };
enum { IDLE, MAY_READ, MAY_RETURN, WAITING, MUST_INVALIDATE };

typedef struct {
    uint8_t used, key, listed, read_version;
    ws_flight_state state;
} flight;

typedef struct {
    uint8_t phase, kind, key, flight, floor; /* floor: the version valid when the question began */
} thread;

typedef struct {
    uint8_t source[KEYS], valid[KEYS], stored[KEYS]; /* versions; stored 0 = nothing */
    flight flights[FLIGHTS];
    thread threads[THREADS];
    uint8_t ops_left, keys_used;
} world;

typedef struct {
    uint64_t states, histories, loads, joins, overtaken, retries;
} counts;

static counts seen;

/* --- rules --- */

static void answered(const thread *t, uint8_t version)
{
    cr_assert_geq(version, t->floor, "an answer older than the invalidation before the question");
}

static void store(world *w, uint8_t key, uint8_t version)
{
    cr_assert_geq(version, w->valid[key], "a load begun before an invalidation was stored");
    w->stored[key] = version;
}

/* --- steps --- */

static uint8_t listed_flight(const world *w, uint8_t key)
{
    for (uint8_t i = 0; i < FLIGHTS; i++)
        if (w->flights[i].used && w->flights[i].listed && w->flights[i].key == key)
            return i;
    return FLIGHTS;
}

static uint32_t step(world *w, uint8_t i, uint32_t event)
{
    uint32_t todo;
    flight *f = &w->flights[i];
    cr_assert(f->used, "a flight was used after it was freed");
    f->state = ws_flight_step(f->state, event, &todo);
    if (todo & WS_FLIGHT_DO_UNLIST)
        f->listed = 0;
    if (todo & WS_FLIGHT_DO_FREE) {
        cr_assert_eq(f->state.waiters, 0u);
        f->used = 0;
    }
    return todo;
}

static void begin_load(world *w, thread *t)
{
    uint8_t i = 0;
    uint32_t todo;
    while (w->flights[i].used)
        i++;
    ws_flight_state none = {0, 0, 0};
    w->flights[i] = (flight){1, t->key, 1, 0, none};
    w->flights[i].state = ws_flight_step(none, WS_FLIGHT_ASK, &todo);
    cr_assert_eq(todo, WS_FLIGHT_DO_LOAD);
    t->flight = i;
    t->phase = MAY_READ;
    seen.loads++;
}

static void ask(world *w, thread *t)
{
    if (w->stored[t->key]) {
        answered(t, w->stored[t->key]);
        t->phase = IDLE;
        return;
    }
    uint8_t i = listed_flight(w, t->key);
    if (i < FLIGHTS && step(w, i, WS_FLIGHT_ASK) & WS_FLIGHT_DO_WAIT) {
        t->flight = i;
        t->phase = WAITING;
        seen.joins++;
    } else {
        begin_load(w, t);
    }
}

static void finish_load(world *w, thread *t)
{
    flight *f = &w->flights[t->flight];
    uint32_t event = t->kind == ASK_FAILS      ? WS_FLIGHT_FAIL
                     : t->kind == ASK_GIVES_UP ? WS_FLIGHT_GIVE_UP
                                               : WS_FLIGHT_SUCCEED;
    uint8_t key = f->key, version = f->read_version;
    seen.overtaken += f->state.overtaken != 0;
    uint32_t todo = step(w, t->flight, event);
    cr_assert_eq((todo & WS_FLIGHT_DO_STORE) != 0,
                 event == WS_FLIGHT_SUCCEED && !f->state.overtaken);
    if (todo & WS_FLIGHT_DO_STORE)
        store(w, key, version);
    if (event == WS_FLIGHT_SUCCEED)
        answered(t, version);
    t->phase = IDLE;
}

static void wake(world *w, thread *t)
{
    flight f = w->flights[t->flight];
    step(w, t->flight, WS_FLIGHT_LEAVE);
    t->phase = IDLE;
    if (f.state.phase == WS_FLIGHT_DONE)
        answered(t, f.read_version);
    if (f.state.phase == WS_FLIGHT_GIVEN_UP) {
        seen.retries++;
        ask(w, t);
    }
}

static void invalidate(world *w, thread *t)
{
    for (uint8_t i = 0; i < FLIGHTS; i++)
        if (w->flights[i].used && w->flights[i].listed && w->flights[i].key == t->key)
            step(w, i, WS_FLIGHT_INVALIDATE);
    w->stored[t->key] = 0;
    w->valid[t->key] = w->source[t->key];
    t->phase = IDLE;
}

/* The step that a busy thread can take; 0 when it has to wait. */
static int go_on(world *w, thread *t)
{
    flight *f = &w->flights[t->flight];
    switch (t->phase) {
    case MAY_READ:
        f->read_version = w->source[t->key];
        t->phase = MAY_RETURN;
        return 1;
    case MAY_RETURN:
        finish_load(w, t);
        return 1;
    case WAITING:
        if (f->state.phase == WS_FLIGHT_LOADING)
            return 0;
        wake(w, t);
        return 1;
    case MUST_INVALIDATE:
        invalidate(w, t);
        return 1;
    default:
        return 0;
    }
}

static void begin(world *w, uint8_t i, uint8_t kind, uint8_t key)
{
    thread *t = &w->threads[i];
    *t = (thread){IDLE, kind, key, 0, w->valid[key]};
    w->ops_left--;
    if (kind == UPDATE) {
        w->source[key]++;
        t->phase = MUST_INVALIDATE;
    } else {
        ask(w, t);
    }
}

static void check_end(const world *w)
{
    for (uint32_t i = 0; i < FLIGHTS; i++)
        cr_assert_not(w->flights[i].used, "a flight was never freed");
    seen.histories++;
}

/* --- a set of states that were gone through --- */

#define SLOTS (1u << 24)
static uint64_t *visited; /* by fingerprint: that two of ten million agree is one in 300,000 */

/* What is over leaves no trace: histories that end in the same world are one. */
static void forget(world *w)
{
    for (uint32_t i = 0; i < THREADS; i++)
        if (w->threads[i].phase == IDLE)
            memset(&w->threads[i], 0, sizeof w->threads[i]);
    for (uint32_t i = 0; i < FLIGHTS; i++)
        if (!w->flights[i].used)
            memset(&w->flights[i], 0, sizeof w->flights[i]);
}

static int visit(const world *w)
{
    uint64_t h = ws_hash64(w, sizeof *w) | 1;
    for (uint32_t at = (uint32_t)(h >> 20) % SLOTS;; at = (at + 1) % SLOTS) {
        if (visited[at] == h)
            return 0;
        if (!visited[at]) {
            visited[at] = h;
            cr_assert_lt(++seen.states, SLOTS / 4 * 3);
            return 1;
        }
    }
}

static void explore(world *w)
{
    int busy = 0;
    forget(w);
    if (!visit(w))
        return;
    for (uint8_t i = 0; i < THREADS; i++) {
        world next = *w;
        if (w->threads[i].phase != IDLE) {
            busy = 1;
            if (go_on(&next, &next.threads[i]))
                explore(&next);
            continue;
        }
        for (uint8_t kind = 0; w->ops_left && kind < KINDS; kind++)
            for (uint8_t key = 0; key <= w->keys_used && key < KEYS; key++) {
                next = *w; /* keys are alike: a new one is the next one */
                next.keys_used = (uint8_t)(w->keys_used + (key == w->keys_used));
                begin(&next, i, kind, key);
                explore(&next);
            }
    }
    if (!busy && !w->ops_left)
        check_end(w);
}

Test(cache_flight, no_interleaving_of_a_small_world_breaks_a_rule, .timeout = 600)
{
    world w;
    memset(&w, 0, sizeof w);
    memset(&seen, 0, sizeof seen);
    visited = calloc(SLOTS, sizeof *visited);
    cr_assert_not_null(visited);
    for (uint32_t k = 0; k < KEYS; k++)
        w.source[k] = w.valid[k] = 1;
    w.ops_left = OPS;
    explore(&w);
    free(visited);
    printf("%llu states, %llu final ones; %llu loads, %llu joined, %llu overtaken, %llu retries\n",
           (unsigned long long)seen.states, (unsigned long long)seen.histories,
           (unsigned long long)seen.loads, (unsigned long long)seen.joins,
           (unsigned long long)seen.overtaken, (unsigned long long)seen.retries);
    cr_assert_gt(seen.joins, 0u);
    cr_assert_gt(seen.overtaken, 0u);
    cr_assert_gt(seen.retries, 0u);
    cr_assert_gt(seen.states, 10000u);
}

/* Rules of the machine alone, for every state and event. */
Test(cache_flight, every_step_of_every_state)
{
    for (uint32_t phase = WS_FLIGHT_LOADING; phase <= WS_FLIGHT_GIVEN_UP; phase++)
        for (uint32_t overtaken = 0; overtaken < 2; overtaken++)
            for (uint32_t waiters = 0; waiters < 4; waiters++) {
                uint32_t todo;
                ws_flight_state s = {phase, overtaken, waiters};
                ws_flight_state asked = ws_flight_step(s, WS_FLIGHT_ASK, &todo);
                int may_join = phase == WS_FLIGHT_LOADING && !overtaken;
                cr_assert_eq(todo, may_join ? WS_FLIGHT_DO_WAIT : WS_FLIGHT_DO_ANEW);
                cr_assert_eq(asked.waiters, waiters + (uint32_t)may_join);
                ws_flight_step(s, WS_FLIGHT_INVALIDATE, &todo);
                cr_assert_eq(todo, phase == WS_FLIGHT_LOADING ? WS_FLIGHT_DO_UNLIST : 0u);
                if (waiters) {
                    ws_flight_step(s, WS_FLIGHT_LEAVE, &todo);
                    cr_assert_eq(
                        todo, phase != WS_FLIGHT_LOADING && waiters == 1 ? WS_FLIGHT_DO_FREE : 0u);
                }
            }
}
