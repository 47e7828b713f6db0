#include "cache/policy.h"

#include "cache/slab_class.h"

#define JITTER_COUNT_MIN 6u /* a halving leaves 15 at 7: only what is warm has a chance */
#define JITTER_MASK      127u

static ws_entry *at(const ws_policy *p, uint32_t ref)
{
    return ws_entry_at(p->base, ref);
}

uint64_t ws_policy_weight(const ws_policy *p, const ws_entry *e)
{
    return p->unit ? 1 : ws_class_weight(e->class, ws_entry_bytes(e->key_len, e->value_len));
}

uint64_t ws_policy_total(const ws_policy *p)
{
    return p->queues[WS_REGION_WINDOW].weight + p->queues[WS_REGION_PROBATION].weight +
           p->queues[WS_REGION_PROTECTED].weight;
}

void ws_policy_init(ws_policy *p, const char *base, ws_sketch *sketch, uint64_t seed, uint32_t unit)
{
    memset(p, 0, sizeof *p);
    p->base = base;
    p->sketch = sketch;
    p->random = seed | 1;
    p->unit = unit;
}

/* --- queues --- */

static void push(ws_policy *p, uint32_t region, uint32_t ref)
{
    ws_queue *q = &p->queues[region];
    ws_entry *e = at(p, ref);
    e->region = (uint8_t)region;
    e->next = 0;
    e->prev = q->tail;
    if (q->tail)
        at(p, q->tail)->next = ref;
    else
        q->head = ref;
    q->tail = ref;
    q->count++;
    q->weight += ws_policy_weight(p, e);
}

static void unlink_entry(ws_policy *p, uint32_t ref)
{
    ws_entry *e = at(p, ref);
    ws_queue *q = &p->queues[e->region];
    *(e->prev ? &at(p, e->prev)->next : &q->head) = e->next;
    *(e->next ? &at(p, e->next)->prev : &q->tail) = e->prev;
    q->count--;
    q->weight -= ws_policy_weight(p, e);
    e->region = WS_REGION_NONE;
    if (p->candidate == ref)
        p->candidate = 0;
}

static void move(ws_policy *p, uint32_t region, uint32_t ref)
{
    unlink_entry(p, ref);
    push(p, region, ref);
}

/* --- settings --- */

void ws_policy_set_window(ws_policy *p, uint64_t target)
{
    p->window_target = WS_MIN(target, p->capacity);
    p->protected_target =
        (p->capacity - p->window_target) / 5 * 4 + (p->capacity - p->window_target) % 5 * 4 / 5;
}

void ws_policy_set_capacity(ws_policy *p, uint64_t capacity)
{
    uint64_t had = p->capacity;
    p->capacity = capacity;
    ws_policy_set_window(p,
                         had ? (uint64_t)((double)p->window_target / (double)had * (double)capacity)
                             : p->window_target);
}

/* --- prefetching --- */

void ws_policy_prefetch_entries(const ws_policy *p)
{
    __builtin_prefetch(at(p, p->queues[WS_REGION_WINDOW].head), 1);
    __builtin_prefetch(at(p, p->queues[WS_REGION_PROBATION].head), 1);
}

void ws_policy_prefetch_counts(const ws_policy *p)
{
    uint32_t candidate = p->queues[WS_REGION_WINDOW].head;
    uint32_t victim = p->queues[WS_REGION_PROBATION].head;
    if (candidate) {
        const ws_entry *e = at(p, candidate);
        ws_sketch_prefetch(p->sketch, e->hash);
        if (e->next)
            __builtin_prefetch(at(p, e->next), 1);
    }
    if (victim)
        ws_sketch_prefetch(p->sketch, at(p, victim)->hash);
}

/* --- what happens to entries --- */

void ws_policy_insert(ws_policy *p, uint32_t ref)
{
    ws_sketch_add(p->sketch, at(p, ref)->hash, 1);
    push(p, WS_REGION_WINDOW, ref);
}

void ws_policy_remove(ws_policy *p, uint32_t ref)
{
    if (at(p, ref)->region != WS_REGION_NONE)
        unlink_entry(p, ref);
}

void ws_policy_replace(ws_policy *p, uint32_t old, uint32_t ref)
{
    ws_entry *from = at(p, old), *to = at(p, ref);
    ws_queue *q = &p->queues[from->region];
    ws_sketch_add(p->sketch, to->hash, 1);
    to->region = from->region;
    to->next = from->next;
    to->prev = from->prev;
    *(to->prev ? &at(p, to->prev)->next : &q->head) = ref;
    *(to->next ? &at(p, to->next)->prev : &q->tail) = ref;
    q->weight += ws_policy_weight(p, to) - ws_policy_weight(p, from);
    atomic_store_explicit(&to->counter, atomic_load_explicit(&from->counter, memory_order_relaxed),
                          memory_order_relaxed);
    from->region = WS_REGION_NONE;
    if (p->candidate == old)
        p->candidate = ref;
}

/* Gives the hits since the last look to the sketch; returns how many there were. */
static uint32_t fold(ws_policy *p, ws_entry *e)
{
    uint32_t hits = atomic_load_explicit(&e->counter, memory_order_relaxed);
    if (hits) {
        ws_sketch_add(p->sketch, e->hash, hits);
        atomic_store_explicit(&e->counter, 0, memory_order_relaxed);
    }
    return hits;
}

static int is_expired(const ws_policy *p, const ws_entry *e)
{
    uint32_t fresh = atomic_load_explicit(&e->fresh, memory_order_relaxed);
    return fresh && (int32_t)(p->now - fresh) >= (int32_t)p->stale_ticks;
}

/* --- eviction --- */

static int jitter(ws_policy *p)
{
    p->random ^= p->random << 13; /* xorshift64 (Marsaglia 2003) */
    p->random ^= p->random >> 7;
    p->random ^= p->random << 17;
    return (p->random >> 20 & JITTER_MASK) == 0;
}

static void shrink_window(ws_policy *p)
{
    uint32_t ref = p->queues[WS_REGION_WINDOW].head;
    fold(p, at(p, ref));
    move(p, WS_REGION_PROBATION, ref);
    p->candidate = ref;
}

/* One turn of the protected clock: its head goes round when it was hit, else back to probation. */
static void turn_protected(ws_policy *p)
{
    uint32_t ref = p->queues[WS_REGION_PROTECTED].head;
    move(p, fold(p, at(p, ref)) ? WS_REGION_PROTECTED : WS_REGION_PROBATION, ref);
}

/* Promotes what was hit in probation, up to the first entry that was not; returns it, the next
 * victim, or 0. The candidate at the tail is not promoted. */
static uint32_t find_victim(ws_policy *p)
{
    const ws_queue *probation = &p->queues[WS_REGION_PROBATION];
    const ws_queue *protected = &p->queues[WS_REGION_PROTECTED];
    while (probation->head && probation->head != p->candidate) {
        uint32_t ref = probation->head;
        ws_entry *e = at(p, ref);
        if (is_expired(p, e) || !fold(p, e))
            return ref;
        move(p, WS_REGION_PROTECTED, ref);
        while (protected->weight > p->protected_target && protected->head != ref)
            turn_protected(p);
    }
    if (probation->head)
        return probation->head;
    return protected->head ? protected->head : p->queues[WS_REGION_WINDOW].head;
}

static uint32_t leave(ws_policy *p, uint32_t ref)
{
    unlink_entry(p, ref);
    return ref;
}

/* The one of the two that goes. */
static uint32_t contest(ws_policy *p, uint32_t candidate, uint32_t victim, ws_contest *result)
{
    uint32_t c = ws_sketch_estimate(p->sketch, at(p, candidate)->hash);
    uint32_t v = ws_sketch_estimate(p->sketch, at(p, victim)->hash);
    int wins = c > v || (c >= JITTER_COUNT_MIN && jitter(p));
    *result = (ws_contest){wins ? WS_EVICT_VICTIM : WS_EVICT_REJECTED, c, v};
    return wins ? victim : candidate;
}

uint32_t ws_policy_evict(ws_policy *p, int force, ws_contest *result)
{
    ws_contest ignored;
    result = result ? result : &ignored;
    for (;;) {
        if (p->queues[WS_REGION_WINDOW].weight > p->window_target)
            shrink_window(p);
        else if (ws_policy_total(p) <= p->capacity && !force)
            return 0;
        if (ws_policy_total(p) <= p->capacity && !force)
            continue;
        uint32_t candidate = p->candidate, victim = find_victim(p);
        if (!victim)
            return 0;
        *result = (ws_contest){WS_EVICT_VICTIM, 0, 0};
        if (is_expired(p, at(p, victim)))
            result->cause = WS_EVICT_EXPIRED;
        else if (candidate && candidate != victim)
            victim = contest(p, candidate, victim, result);
        return leave(p, victim);
    }
}
