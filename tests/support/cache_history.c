#include "tests/support/cache_history.h"

#include <stdlib.h>
#include <string.h>

#define MOMENTS (2 * WS_HISTORY_MAX)
#define SLOTS   (1u << 16)

/* A call, or one of the two moments of a load. */
typedef struct {
    uint32_t kind, version;
    uint64_t called, returned;
    int after; /* the moment that must come first, or -1 */
    int is_end;
    int load; /* number of the load begun or joined, or -1 */
} moment;

/* What was done, and what the cache is then. */
typedef struct {
    uint64_t done;
    uint64_t overtaken; /* loads by number */
    uint32_t version;   /* 0 = gone */
} state;

typedef struct {
    moment moments[MOMENTS];
    uint32_t n;
    state *visited;
    uint8_t *filled;
    uint32_t n_visited;
} search;

static void add(search *s, const ws_history_call *c, int after, int is_end, int load)
{
    s->moments[s->n++] = (moment){c->kind, c->version, c->called, c->returned, after, is_end, load};
}

/* Loads get numbers; a join refers to its load by the version. */
static void build(search *s, const ws_history_call *calls, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        add(s, &calls[i], -1, 0, calls[i].kind == HISTORY_LOAD ? (int)i : -1);
        if (calls[i].kind == HISTORY_LOAD)
            add(s, &calls[i], (int)s->n - 1, 1, (int)i);
    }
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = 0; k < n && s->moments[i].kind == HISTORY_JOIN; k++)
            if (calls[k].kind == HISTORY_LOAD && calls[k].version == s->moments[i].version)
                s->moments[i].load = (int)k;
}

static int is_load_open(const search *s, uint64_t done, int load)
{
    int begun = 0, ended = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->moments[i].kind == HISTORY_LOAD && s->moments[i].load == load && done >> i & 1) {
            begun |= !s->moments[i].is_end;
            ended |= s->moments[i].is_end;
        }
    return begun && !ended;
}

/* The state after moment i; 0 when what it returned is impossible here. */
static int apply(const search *s, state *st, uint32_t i)
{
    const moment *m = &s->moments[i];
    switch (m->kind) {
    case HISTORY_PUT:
        st->version = m->version;
        break;
    case HISTORY_GET:
        if (st->version != m->version)
            return 0;
        break;
    case HISTORY_MISS:
        st->version = 0;
        break;
    case HISTORY_INVALIDATE:
        st->version = 0;
        for (uint32_t k = 0; k < s->n; k++)
            if (s->moments[k].kind == HISTORY_LOAD && is_load_open(s, st->done, s->moments[k].load))
                st->overtaken |= (uint64_t)1 << s->moments[k].load;
        break;
    case HISTORY_LOAD:
        if (m->is_end && !(st->overtaken >> m->load & 1))
            st->version = m->version;
        break;
    default:
        if (m->load < 0 || !is_load_open(s, st->done, m->load) || st->overtaken >> m->load & 1)
            return 0;
    }
    st->done |= (uint64_t)1 << i;
    return 1;
}

/* No moment that is still to come returned before i was called. */
static int may_be_next(const search *s, uint64_t done, uint32_t i)
{
    const moment *m = &s->moments[i];
    if (done >> i & 1 || (m->after >= 0 && !(done >> m->after & 1)))
        return 0;
    for (uint32_t k = 0; k < s->n; k++)
        if (!(done >> k & 1) && s->moments[k].returned < m->called)
            return 0;
    return 1;
}

static int visit(search *s, state st)
{
    uint64_t h = (st.done * 0x9e3779b97f4a7c15u) ^ (st.overtaken * 0xbf58476d1ce4e5b9u) ^
                 (st.version * 0x94d049bb133111ebu);
    for (uint32_t at = (uint32_t)(h >> 40) % SLOTS;; at = (at + 1) % SLOTS) {
        if (!s->filled[at]) {
            if (++s->n_visited > SLOTS / 2)
                abort(); /* histories of this size never come near */
            s->filled[at] = 1;
            s->visited[at] = st;
            return 1;
        }
        const state *v = &s->visited[at];
        if (v->done == st.done && v->overtaken == st.overtaken && v->version == st.version)
            return 0;
    }
}

static int explore(search *s, state st)
{
    if (st.done == UINT64_MAX >> (64 - s->n))
        return 1;
    if (!visit(s, st))
        return 0;
    for (uint32_t i = 0; i < s->n; i++) {
        state next = st;
        if (may_be_next(s, st.done, i) && apply(s, &next, i) && explore(s, next))
            return 1;
    }
    return 0;
}

int ws_history_is_linearizable(const ws_history_call *calls, uint32_t n)
{
    search s;
    memset(&s, 0, sizeof s);
    if (n == 0)
        return 1;
    if (n > WS_HISTORY_MAX)
        abort();
    s.visited = malloc(SLOTS * sizeof *s.visited);
    s.filled = calloc(SLOTS, 1);
    if (!s.visited || !s.filled)
        abort();
    build(&s, calls, n);
    int ok = explore(&s, (state){0, 0, 0});
    free(s.visited);
    free(s.filled);
    return ok;
}
