#include "tests/support/cache_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "cache_model: %s\n", what);
    abort();
}

/* --- queues --- */

static void push(ws_model_queue *q, ws_model_entry e)
{
    if (q->n == q->cap) {
        q->cap = q->cap ? q->cap * 2 : 16;
        q->entries = realloc(q->entries, q->cap * sizeof *q->entries);
        must(q->entries != NULL, "no memory");
    }
    q->entries[q->n++] = e;
}

static ws_model_entry take(ws_model_queue *q, uint32_t place)
{
    ws_model_entry e = q->entries[place];
    memmove(q->entries + place, q->entries + place + 1, (q->n - place - 1) * sizeof e);
    q->n--;
    return e;
}

int ws_cache_model_where(const ws_cache_model *m, uint32_t id, uint32_t *place)
{
    for (int k = 0; k < WS_MODEL_QUEUES; k++)
        for (*place = 0; *place < m->queues[k].n; ++*place)
            if (m->queues[k].entries[*place].id == id)
                return k;
    return -1;
}

uint64_t ws_cache_model_weight(const ws_cache_model *m, uint32_t queue)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < m->queues[queue].n; i++)
        sum += m->queues[queue].entries[i].weight;
    return sum;
}

static uint64_t total(const ws_cache_model *m)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < WS_MODEL_QUEUES; k++)
        sum += ws_cache_model_weight(m, k);
    return sum;
}

/* --- life of an entry --- */

void ws_cache_model_init(ws_cache_model *m, uint32_t sketch_entries, uint64_t sketch_seed,
                         uint64_t seed, uint64_t capacity, uint64_t window)
{
    memset(m, 0, sizeof *m);
    must(ws_sketch_init(&m->sketch, sketch_entries, sketch_seed) == WS_OK, "no memory");
    m->random = seed | 1;
    m->capacity = capacity;
    m->window_target = window;
}

void ws_cache_model_fini(ws_cache_model *m)
{
    for (uint32_t k = 0; k < WS_MODEL_QUEUES; k++)
        free(m->queues[k].entries);
    ws_sketch_fini(&m->sketch);
}

void ws_cache_model_insert(ws_cache_model *m, uint32_t id, uint32_t hash, uint64_t weight)
{
    ws_sketch_add(&m->sketch, hash, 1);
    push(&m->queues[WS_MODEL_WINDOW], (ws_model_entry){id, hash, 0, 0, weight});
}

static ws_model_entry *find(ws_cache_model *m, uint32_t id)
{
    uint32_t place;
    int k = ws_cache_model_where(m, id, &place);
    must(k >= 0, "no such entry");
    return &m->queues[k].entries[place];
}

void ws_cache_model_hit(ws_cache_model *m, uint32_t id)
{
    ws_model_entry *e = find(m, id);
    e->hits += e->hits < 15;
}

void ws_cache_model_expire(ws_cache_model *m, uint32_t id)
{
    find(m, id)->expired = 1;
}

void ws_cache_model_remove(ws_cache_model *m, uint32_t id)
{
    uint32_t place;
    int k = ws_cache_model_where(m, id, &place);
    take(&m->queues[k], place);
    if (m->has_candidate && m->candidate == id)
        m->has_candidate = 0;
}

void ws_cache_model_replace(ws_cache_model *m, uint32_t old, uint32_t id, uint64_t weight)
{
    ws_model_entry *e = find(m, old);
    ws_sketch_add(&m->sketch, e->hash, 1);
    e->id = id;
    e->weight = weight;
    e->expired = 0;
    if (m->has_candidate && m->candidate == old)
        m->candidate = id;
}

/* --- eviction --- */

static uint32_t fold(ws_cache_model *m, ws_model_entry *e)
{
    uint32_t hits = e->hits;
    if (hits)
        ws_sketch_add(&m->sketch, e->hash, hits);
    e->hits = 0;
    return hits;
}

static uint64_t protected_target(const ws_cache_model *m)
{
    return (m->capacity - m->window_target) * 4 / 5;
}

/* Empties the window down to its target by one entry. */
static void leave_window(ws_cache_model *m)
{
    ws_model_entry e = take(&m->queues[WS_MODEL_WINDOW], 0);
    fold(m, &e);
    push(&m->queues[WS_MODEL_PROBATION], e);
    m->has_candidate = 1;
    m->candidate = e.id;
}

static void promote(ws_cache_model *m)
{
    ws_model_queue *protected = &m->queues[WS_MODEL_PROTECTED];
    ws_model_entry e = take(&m->queues[WS_MODEL_PROBATION], 0);
    push(protected, e);
    while (ws_cache_model_weight(m, WS_MODEL_PROTECTED) > protected_target(m) &&
           protected->entries[0].id != e.id) {
        ws_model_entry oldest = take(protected, 0);
        uint32_t hits = fold(m, &oldest);
        push(hits ? protected : &m->queues[WS_MODEL_PROBATION], oldest);
    }
}

/* The queue whose head is the victim. */
static int victim_queue(ws_cache_model *m)
{
    ws_model_queue *probation = &m->queues[WS_MODEL_PROBATION];
    while (probation->n) {
        ws_model_entry *head = &probation->entries[0];
        if ((m->has_candidate && head->id == m->candidate) || head->expired || !fold(m, head))
            return WS_MODEL_PROBATION;
        promote(m);
    }
    if (m->queues[WS_MODEL_PROTECTED].n)
        return WS_MODEL_PROTECTED;
    return m->queues[WS_MODEL_WINDOW].n ? WS_MODEL_WINDOW : -1;
}

static int jitter(ws_cache_model *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (m->random >> 20) % 128 == 0;
}

int ws_cache_model_evict(ws_cache_model *m, int force, uint32_t *id)
{
    int over = 0;
    do {
        if (ws_cache_model_weight(m, WS_MODEL_WINDOW) > m->window_target)
            leave_window(m);
        else if (total(m) <= m->capacity && !force)
            return 0;
        over = total(m) > m->capacity || force;
    } while (!over);
    int had_candidate = m->has_candidate;
    uint32_t candidate = m->candidate;
    int k = victim_queue(m);
    if (k < 0)
        return 0;
    ws_model_entry victim = m->queues[k].entries[0];
    *id = victim.id;
    if (!victim.expired && had_candidate && candidate != victim.id) {
        uint32_t c = ws_sketch_estimate(&m->sketch, find(m, candidate)->hash);
        uint32_t v = ws_sketch_estimate(&m->sketch, victim.hash);
        if (!(c > v || (c >= 6 && jitter(m))))
            *id = candidate;
    }
    ws_cache_model_remove(m, *id);
    return 1;
}

/* --- exact reference policies --- */

/* Recency lists by id: next and prev of each, 3 lists, time of last use orders nothing else. */
typedef struct {
    uint32_t *next, *prev;
    uint8_t *list; /* 0 = out, else 1 + list */
    uint32_t n_ids;
    uint32_t count[3];
} lists;

static void lists_init(lists *l, uint32_t n_ids)
{
    l->n_ids = n_ids;
    l->next = calloc((size_t)n_ids + 3, sizeof *l->next);
    l->prev = calloc((size_t)n_ids + 3, sizeof *l->prev);
    l->list = calloc(n_ids, 1);
    must(l->next && l->prev && l->list, "no memory");
    memset(l->count, 0, sizeof l->count);
    for (uint32_t k = 0; k < 3; k++)
        l->next[n_ids + k] = l->prev[n_ids + k] = n_ids + k;
}

static void lists_fini(lists *l)
{
    free(l->next);
    free(l->prev);
    free(l->list);
}

static void take_id(lists *l, uint32_t id)
{
    l->next[l->prev[id]] = l->next[id];
    l->prev[l->next[id]] = l->prev[id];
    l->count[l->list[id] - 1]--;
    l->list[id] = 0;
}

static void put_youngest(lists *l, uint32_t k, uint32_t id)
{
    uint32_t head = l->n_ids + k;
    if (l->list[id])
        take_id(l, id);
    l->next[id] = l->next[head];
    l->prev[id] = head;
    l->prev[l->next[head]] = id;
    l->next[head] = id;
    l->list[id] = (uint8_t)(k + 1);
    l->count[k]++;
}

static uint32_t oldest(const lists *l, uint32_t k)
{
    return l->prev[l->n_ids + k];
}

uint64_t ws_reference_lru(const uint32_t *ids, size_t n, uint32_t n_ids, uint32_t entries)
{
    lists l;
    uint64_t hits = 0;
    lists_init(&l, n_ids);
    for (size_t i = 0; i < n; i++) {
        hits += l.list[ids[i]] != 0;
        put_youngest(&l, 0, ids[i]);
        if (l.count[0] > entries)
            take_id(&l, oldest(&l, 0));
    }
    lists_fini(&l);
    return hits;
}

static uint32_t hash_of(uint32_t id)
{
    return (uint32_t)((id + 1) * 0x9e3779b97f4a7c15u >> 32);
}

static void strict_hit(lists *l, uint32_t id, uint32_t protected_max)
{
    if (l->list[id] == 1 + WS_MODEL_WINDOW) {
        put_youngest(l, WS_MODEL_WINDOW, id);
        return;
    }
    put_youngest(l, WS_MODEL_PROTECTED, id);
    if (l->count[WS_MODEL_PROTECTED] > protected_max)
        put_youngest(l, WS_MODEL_PROBATION, oldest(l, WS_MODEL_PROTECTED));
}

static void strict_miss(lists *l, ws_sketch *s, uint32_t id, uint32_t window, uint32_t entries)
{
    put_youngest(l, WS_MODEL_WINDOW, id);
    if (l->count[WS_MODEL_WINDOW] <= window)
        return;
    uint32_t candidate = oldest(l, WS_MODEL_WINDOW);
    put_youngest(l, WS_MODEL_PROBATION, candidate);
    if (l->count[0] + l->count[1] + l->count[2] <= entries)
        return;
    uint32_t victim = oldest(l, WS_MODEL_PROBATION);
    uint32_t c = ws_sketch_estimate(s, hash_of(candidate));
    uint32_t v = ws_sketch_estimate(s, hash_of(victim));
    take_id(l, c > v ? victim : candidate);
}

uint64_t ws_reference_wtinylfu(const uint32_t *ids, size_t n, uint32_t n_ids, uint32_t entries,
                               uint64_t seed)
{
    lists l;
    ws_sketch s;
    uint32_t window = entries - (uint32_t)((uint64_t)entries * 99 / 100);
    uint32_t protected_max = (uint32_t)((uint64_t)(entries - window) * 4 / 5);
    uint64_t hits = 0;
    lists_init(&l, n_ids);
    must(ws_sketch_init(&s, entries, seed) == WS_OK, "no memory");
    for (size_t i = 0; i < n; i++) {
        ws_sketch_add(&s, hash_of(ids[i]), 1);
        if (l.list[ids[i]]) {
            hits++;
            strict_hit(&l, ids[i], protected_max);
        } else {
            strict_miss(&l, &s, ids[i], window, entries);
        }
    }
    ws_sketch_fini(&s);
    lists_fini(&l);
    return hits;
}
