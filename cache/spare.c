/* A shard's cells: where they come from, and when they may be used again. */
#include "base/mem.h"
#include "cache/cache_int.h"

/* With no room for a new run a cell up to half as large again will do. */
#define CLASSES_UP  4u
#define EVICT_TIMES 2u  /* a put evicts at most so many times its size, */
#define EVICT_SHARE 64u /* and this part of the share */
/* Retired cells, and spare ones, take at most this part of the shard's share each. */
#define POOL_SHARE     128u
#define RETIRED_ENOUGH 32u
#define PINS_USUALLY   256u

static size_t entry_bytes(const ws_entry *e)
{
    return ws_entry_bytes(e->key_len, e->value_len);
}

static uint64_t entry_weight(const ws_entry *e)
{
    return ws_class_weight(e->class, entry_bytes(e));
}

/* --- spare cells --- */

/* A spare cell keeps its class and its link, and nothing else of it may be touched. */
static void poison_spare(ws_entry *e)
{
    ws_poison(e->bytes, ws_class_cell_bytes(e->class) - WS_ENTRY_HEADER);
}

static void give_cell(ws_cache *c, ws_shard *s, uint32_t ref)
{
    ws_entry *e = ws_entry_at(c->base, ref);
    if (e->class >= WS_CLASS_PAGES || s->spare_bytes + entry_weight(e) > s->share / POOL_SHARE) {
        ws_slab_free(&c->slab, ref, e->class, entry_bytes(e));
        return;
    }
    s->spare_bytes += entry_weight(e);
    e->next = s->spare[e->class];
    s->spare[e->class] = ref;
    poison_spare(e);
}

static uint32_t take_spare(ws_cache *c, ws_shard *s, uint32_t class)
{
    uint32_t ref = class < WS_CLASS_PAGES ? s->spare[class] : 0;
    if (ref) {
        ws_entry *e = ws_entry_at(c->base, ref);
        s->spare[class] = e->next;
        s->spare_bytes -= ws_class_cell_bytes(class);
        ws_unpoison(e->bytes, ws_class_cell_bytes(class) - WS_ENTRY_HEADER);
    }
    return ref;
}

void ws_shard_flush_spare(ws_cache *c, ws_shard *s)
{
    for (uint32_t class = 0; class < WS_CLASS_PAGES && s->spare_bytes; class ++) {
        uint32_t ref;
        while ((ref = take_spare(c, s, class)))
            ws_slab_free(&c->slab, ref, class, 0);
    }
}

void ws_shard_drop_cell(ws_cache *c, ws_shard *s, uint32_t ref)
{
    give_cell(c, s, ref);
}

/* --- retired cells --- */

void ws_shard_retire(ws_cache *c, ws_shard *s, uint32_t ref)
{
    ws_entry *e = ws_entry_at(c->base, ref);
    e->next = s->retired.head;
    s->retired.head = ref;
    s->retired.count++;
    s->retired.bytes += entry_weight(e);
}

static int is_pinned(const uint32_t *pins, uint32_t n, uint32_t ref)
{
    uint32_t low = 0;
    while (n) {
        uint32_t half = n / 2;
        if (pins[low + half] < ref) {
            low += half + 1;
            n -= half + 1;
        } else if (pins[low + half] == ref) {
            return 1;
        } else {
            n = half;
        }
    }
    return 0;
}

static void free_unread(ws_cache *c, ws_shard *s, const uint32_t *pins, uint32_t n_pins)
{
    uint32_t ref = s->retired.head;
    s->retired = (ws_retired){0, 0, 0};
    while (ref) {
        ws_entry *e = ws_entry_at(c->base, ref);
        uint32_t next = e->next;
        /* Acquire: what the last reader did happens before the cell is written again. */
        uint32_t state = atomic_load_explicit(&e->state, memory_order_acquire);
        if (state >= WS_STATE_PIN || is_pinned(pins, n_pins, ref))
            ws_shard_retire(c, s, ref);
        else
            give_cell(c, s, ref);
        ref = next;
    }
}

static void free_tables(ws_cache *c, ws_shard *s)
{
    ws_table **link = &s->retired_tables;
    while (*link) {
        ws_table *t = *link;
        if (ws_readers_hold_table(&c->readers, t)) {
            link = &t->retired;
            continue;
        }
        *link = t->retired;
        ws_account_give(&c->account, ws_table_bytes(t));
        ws_table_free(t);
    }
}

/* With room for every pin that there can be. */
static void reclaim_with_many_pins(ws_cache *c, ws_shard *s)
{
    uint32_t room = ws_readers_pins_max(&c->readers);
    uint32_t *pins = ws_reallocarray(NULL, room, sizeof *pins);
    if (pins)
        free_unread(c, s, pins, ws_readers_pins(&c->readers, pins, room));
    ws_free(pins); /* no memory: what is retired waits */
}

void ws_shard_reclaim(ws_cache *c, ws_shard *s)
{
    uint32_t pins[PINS_USUALLY];
    if (!s->retired.count && !s->retired_tables)
        return;
    ws_readers_sync(&c->readers, (uintptr_t)pthread_self());
    uint32_t n = ws_readers_pins(&c->readers, pins, PINS_USUALLY);
    if (n <= PINS_USUALLY)
        free_unread(c, s, pins, n);
    else
        reclaim_with_many_pins(c, s);
    free_tables(c, s);
}

void ws_shard_reclaim_some(ws_cache *c, ws_shard *s)
{
    if (s->retired.count >= RETIRED_ENOUGH || s->retired.bytes > s->share / POOL_SHARE)
        ws_shard_reclaim(c, s);
}

/* --- cells for entries --- */

static uint32_t cell_of(ws_cache *c, ws_shard *s, uint32_t class, size_t bytes)
{
    uint32_t ref = take_spare(c, s, class);
    return ref ? ref : ws_slab_alloc(&c->slab, class, bytes);
}

/* From the class itself or one a little larger. */
static uint32_t try_cell(ws_cache *c, ws_shard *s, size_t bytes, uint32_t *class)
{
    uint32_t wanted = ws_slab_class_of(&c->slab, bytes), last = wanted + CLASSES_UP;
    last = wanted < c->slab.n_classes ? WS_MIN(last, c->slab.n_classes - 1) : wanted;
    for (*class = wanted; *class <= last; ++*class) {
        uint32_t ref = cell_of(c, s, *class, bytes);
        if (ref)
            return ref;
    }
    return 0;
}

/* Evicts entries of `bytes` together; what they were worth is added to *freed. 0: there are none.
 */
static int evict_for(ws_cache *c, ws_shard *s, size_t bytes, uint64_t *freed)
{
    uint64_t goal = *freed + bytes;
    while (*freed < goal) {
        uint64_t before = s->live_bytes;
        if (!ws_shard_evict_one(c, s))
            return 0;
        *freed += before - s->live_bytes;
    }
    return 1;
}

/* Victims of other sizes leave holes elsewhere. What is evicted is bounded: a value for which there
 * is no place must not empty the shard. */
uint32_t ws_shard_cell(ws_cache *c, ws_shard *s, size_t bytes, uint32_t *class)
{
    uint64_t freed = 0;
    for (;;) {
        uint32_t ref = try_cell(c, s, bytes, class);
        if (ref)
            return ref;
        ws_shard_reclaim(c, s);
        ws_shard_flush_spare(c, s);
        ref = try_cell(c, s, bytes, class);
        if (ref || freed > EVICT_TIMES * bytes + s->share / EVICT_SHARE ||
            !evict_for(c, s, WS_MAX(bytes, s->share / 512), &freed))
            return ref;
    }
}
