/* The invariants of a whole cache, for tests. */
#include "base/mem.h"
#include "cache/cache_int.h"

/* Live, retired and spare cells found on the cache's side; the slab's side crosses them out. */
typedef struct {
    ws_cache *c;
    uint8_t *seen; /* by reference */
    uint64_t cells, crossed;
    const char *broken;
} audit;

static void see(audit *a, uint32_t ref)
{
    if (a->seen[ref])
        a->broken = "a cell is in two places";
    a->seen[ref] = 1;
    a->cells++;
}

static void check_queue(audit *a, const ws_shard *s, uint32_t region)
{
    const ws_queue *q = &s->policy.queues[region];
    uint64_t weight = 0;
    uint32_t count = 0, prev = 0;
    for (uint32_t ref = q->head; ref && !a->broken; ref = ws_entry_at(a->c->base, ref)->next) {
        const ws_entry *e = ws_entry_at(a->c->base, ref);
        see(a, ref);
        if (e->region != region || e->prev != prev)
            a->broken = "a queue's links or regions are wrong";
        if (atomic_load(&e->counter) > WS_COUNTER_MAX)
            a->broken = "a counter is above its maximum";
        if (ws_table_find(ws_shard_table(s), a->c->base, e->hash, ws_entry_key(e)) != ref)
            a->broken = "an entry in a queue is not in the table";
        weight += ws_policy_weight(&s->policy, e);
        count++;
        prev = ref;
    }
    if (!a->broken && (weight != q->weight || count != q->count || prev != q->tail))
        a->broken = "a queue's sums are wrong";
}

static void check_lists(audit *a, const ws_shard *s)
{
    uint64_t retired = 0, spare = 0;
    for (uint32_t ref = s->retired.head; ref; ref = ws_entry_at(a->c->base, ref)->next) {
        const ws_entry *e = ws_entry_at(a->c->base, ref);
        see(a, ref);
        retired += ws_class_weight(e->class, ws_entry_bytes(e->key_len, e->value_len));
    }
    for (uint32_t class = 0; class < WS_CLASS_PAGES; class ++)
        for (uint32_t ref = s->spare[class]; ref; ref = ws_entry_at(a->c->base, ref)->next) {
            see(a, ref);
            spare += ws_class_cell_bytes(class);
        }
    if (retired != s->retired.bytes || spare != s->spare_bytes)
        a->broken = "bytes of retired or spare cells are wrong";
}

static uint64_t check_shard(audit *a, const ws_shard *s)
{
    uint32_t count = 0;
    for (uint32_t region = WS_REGION_WINDOW; region < WS_REGIONS && !a->broken; region++) {
        check_queue(a, s, region);
        count += s->policy.queues[region].count;
    }
    if (a->broken)
        return 0;
    check_lists(a, s);
    if (count != ws_shard_table(s)->count)
        a->broken = "the table has entries that no queue has";
    if (ws_policy_total(&s->policy) > s->policy.capacity)
        a->broken = "the entries weigh more than the capacity";
    if (!a->c->unit && ws_policy_total(&s->policy) != s->live_bytes)
        a->broken = "bytes of live entries are wrong";
    uint64_t bytes = ws_table_bytes(ws_shard_table(s));
    for (const ws_table *t = s->retired_tables; t; t = t->retired)
        bytes += ws_table_bytes(t);
    return bytes;
}

static void cross_out(void *ctx, uint32_t ref, uint32_t class)
{
    audit *a = ctx;
    (void)class;
    if (!a->seen[ref])
        a->broken = "the slab has a cell that the cache has lost";
    a->crossed++;
}

static const char *check_locked(ws_cache *c, audit *a)
{
    uint64_t bytes = c->fixed_bytes + ws_sketch_bytes(&c->sketch) + c->slab.run_bytes;
    for (uint32_t i = 0; i < c->n_shards && !a->broken; i++)
        bytes += check_shard(a, &c->shards[i]);
    if (a->broken)
        return a->broken;
    const char *broken = ws_slab_check(&c->slab, cross_out, a);
    if (broken || a->broken)
        return broken ? broken : a->broken;
    if (a->crossed != a->cells)
        return "the cache has a cell that the slab has not given";
    if (bytes != atomic_load(&c->account.taken))
        return "the account differs from the sum of its parts";
    return bytes <= c->account.limit ? NULL : "more is taken than the limit";
}

const char *ws_cache_check(ws_cache *c)
{
    audit a = {c, NULL, 0, 0, NULL};
    a.seen = ws_calloc((size_t)c->slab.n_pages * (WS_PAGE_BYTES / WS_REF_UNIT), 1);
    if (!a.seen)
        return "no memory for the check";
    for (uint32_t i = 0; i < c->n_shards; i++)
        pthread_mutex_lock(&c->shards[i].mutex);
    const char *broken = check_locked(c, &a);
    for (uint32_t i = c->n_shards; i-- > 0;)
        pthread_mutex_unlock(&c->shards[i].mutex);
    ws_free(a.seen);
    return broken;
}
