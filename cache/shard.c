/* Entries in and out of a shard. Everything here holds the shard's mutex. */
#include "base/mem.h"
#include "cache/cache_int.h"

#define COPY_LOCKED  4096u /* values up to this are copied under the mutex */
#define TABLE_GROWTH 3u    /* by a half */
#define LIVE_PARTS   64u   /* of the share 63 are for live entries, one for cells on their way */

static void set_capacity(ws_cache *c, ws_shard *s)
{
    uint64_t table = ws_table_bytes(ws_shard_table(s));
    uint64_t room = s->share > table ? s->share - table : 0;
    if (!c->unit)
        ws_policy_set_capacity(&s->policy, room - room / LIVE_PARTS);
}

ws_status ws_shard_init(ws_cache *c, ws_shard *s, uint32_t entries)
{
    if (!ws_account_take(&c->account, ws_table_bytes_for(entries)))
        return WS_ERR_LIMIT;
    ws_table *t = ws_table_new(entries);
    if (!t) {
        ws_account_give(&c->account, ws_table_bytes_for(entries));
        return WS_ERR_NOMEM;
    }
    atomic_store_explicit(&s->table, t, memory_order_release);
    set_capacity(c, s);
    return WS_OK;
}

void ws_shard_fini(ws_cache *c, ws_shard *s)
{
    ws_table_free(ws_shard_table(s));
    while (s->retired_tables) {
        ws_table *next = s->retired_tables->retired;
        ws_table_free(s->retired_tables);
        s->retired_tables = next;
    }
    (void)c;
    pthread_mutex_destroy(&s->mutex);
}

uint32_t ws_shard_find(const ws_cache *c, const ws_shard *s, ws_key k)
{
    return ws_table_find(ws_shard_table(s), c->base, k.hash, k.key);
}

/* --- making --- */

static void fill_header(const ws_cache *c, ws_entry *e, ws_key k, const ws_fill *fill,
                        uint32_t class)
{
    uint32_t now = ws_cache_now(c), ttl = fill->negative ? c->negative_ticks : c->ttl_ticks;
    e->stamp = fill->stamp;
    e->hash = k.hash;
    e->next = e->prev = 0;
    e->value_len = (uint32_t)fill->value.len;
    atomic_init(&e->state, fill->negative ? WS_STATE_NEGATIVE : 0);
    atomic_init(&e->fresh, ttl ? now + ttl : 0);
    atomic_init(&e->accessed, now);
    e->key_len = (uint16_t)k.key.len;
    e->cost = ws_entry_pack_cost(fill->cost_us);
    atomic_init(&e->counter, 0);
    e->class = (uint8_t) class;
    e->region = WS_REGION_NONE;
    e->unused = 0;
}

static void fill_bytes(ws_entry *e, ws_key k, const ws_fill *fill)
{
    memcpy(e->bytes, k.key.ptr, k.key.len);
    if (fill->value.len)
        memcpy(e->bytes + k.key.len, fill->value.ptr, fill->value.len);
}

uint32_t ws_shard_make(ws_cache *c, ws_shard *s, ws_key k, const ws_fill *fill)
{
    size_t bytes = ws_entry_bytes(k.key.len, fill->value.len);
    uint32_t class = ws_slab_class_of(&c->slab, bytes);
    if (ws_class_weight(class, bytes) > c->largest)
        return 0;
    uint32_t ref = ws_shard_cell(c, s, bytes, &class);
    if (!ref)
        return 0;
    ws_entry *e = ws_entry_at(c->base, ref);
    fill_header(c, e, k, fill, class);
    int apart = fill->value.len > COPY_LOCKED;
    if (apart)
        pthread_mutex_unlock(&s->mutex);
    fill_bytes(e, k, fill);
    if (apart)
        pthread_mutex_lock(&s->mutex);
    return ref;
}

/* --- leaving --- */

static void remember(ws_shard *s, uint32_t hash, uint32_t cause, ws_contest contest)
{
    s->removed[cause]++;
    if (cause != WS_CAUSE_REPLACED)
        s->recent[s->n_recent++ % WS_RECENT] = (ws_removal){
            hash, (uint8_t)cause, (uint8_t)contest.candidate_count, (uint8_t)contest.victim_count};
}

/* What is in no queue any more leaves the table. */
static void leave_table(ws_cache *c, ws_shard *s, uint32_t ref, uint32_t cause, ws_contest contest)
{
    ws_entry *e = ws_entry_at(c->base, ref);
    ws_table_remove(ws_shard_table(s), e->hash, ref);
    s->live_bytes -= ws_class_weight(e->class, ws_entry_bytes(e->key_len, e->value_len));
    atomic_fetch_sub_explicit(&c->n_entries, 1, memory_order_relaxed);
    remember(s, e->hash, cause, contest);
    ws_shard_retire(c, s, ref);
}

void ws_shard_remove(ws_cache *c, ws_shard *s, uint32_t ref, uint32_t cause)
{
    ws_policy_remove(&s->policy, ref);
    leave_table(c, s, ref, cause, (ws_contest){0, 0, 0});
}

static int evict(ws_cache *c, ws_shard *s, int force)
{
    static const uint32_t causes[] = {[WS_EVICT_REJECTED] = WS_CACHE_REJECTED,
                                      [WS_EVICT_VICTIM] = WS_CACHE_EVICTED,
                                      [WS_EVICT_EXPIRED] = WS_CACHE_EXPIRED};
    ws_contest contest = {0, 0, 0};
    s->policy.now = ws_cache_now(c);
    uint32_t ref = ws_policy_evict(&s->policy, force, &contest);
    if (ref)
        leave_table(c, s, ref, causes[contest.cause], contest);
    return ref != 0;
}

int ws_shard_evict_one(ws_cache *c, ws_shard *s)
{
    return evict(c, s, 1);
}

/* --- the table --- */

/* A table half as large again in its place. Readers that are in the old one find it cleared and
 * look again. 0: no room for it, or no memory. */
static int grow_table(ws_cache *c, ws_shard *s)
{
    ws_table *old = ws_shard_table(s);
    uint32_t entries = old->n_buckets * WS_BUCKET_SLOTS / 4 * 3 / 2 * TABLE_GROWTH;
    size_t bytes = ws_table_bytes_for(entries);
    if (!ws_account_take(&c->account, bytes))
        return 0;
    ws_table *t = ws_table_new(entries);
    if (!t || !ws_table_copy(t, old, c->base)) {
        ws_table_free(t);
        ws_account_give(&c->account, bytes);
        return 0;
    }
    atomic_store_explicit(&s->table, t, memory_order_release);
    ws_table_clear(old);
    old->retired = s->retired_tables;
    s->retired_tables = old;
    set_capacity(c, s);
    return 1;
}

/* All buckets of a hash are full and the table cannot grow (one put in thousands at full load): the
 * first entry of its home goes. */
static void make_place(ws_cache *c, ws_shard *s, uint32_t hash)
{
    const ws_table *t = ws_shard_table(s);
    const ws_bucket *home = &t->buckets[ws_table_home(t, hash)];
    uint32_t ref = atomic_load_explicit(&home->refs[0], memory_order_relaxed);
    if (ref)
        ws_shard_remove(c, s, ref, WS_CACHE_EVICTED);
}

/* A full table that finds no room to grow stays as full as it is. */
static int insert(ws_cache *c, ws_shard *s, ws_key k, uint32_t ref)
{
    if (ws_table_is_full(ws_shard_table(s)) && !grow_table(c, s))
        ws_shard_evict_one(c, s);
    if (ws_table_insert(ws_shard_table(s), k.hash, ref))
        return 1;
    if (!grow_table(c, s))
        make_place(c, s, k.hash);
    return ws_table_insert(ws_shard_table(s), k.hash, ref);
}

/* --- publishing --- */

static void replace(ws_cache *c, ws_shard *s, ws_key k, uint32_t old, uint32_t ref)
{
    ws_entry *e = ws_entry_at(c->base, old);
    ws_table_replace(ws_shard_table(s), k.hash, old, ref);
    ws_policy_replace(&s->policy, old, ref);
    s->live_bytes -= ws_class_weight(e->class, ws_entry_bytes(e->key_len, e->value_len));
    remember(s, k.hash, WS_CAUSE_REPLACED, (ws_contest){0, 0, 0});
    ws_shard_retire(c, s, old);
}

/* More entries than the sketch has words for two of: it should grow (ws_cache_grow_sketch). */
static void watch_sketch(ws_cache *c)
{
    uint64_t n = atomic_load_explicit(&c->n_entries, memory_order_relaxed);
    if (n > (uint64_t)c->sketch.n_blocks * 16 && n < UINT32_MAX / 16)
        atomic_store_explicit(&c->sketch_full, 1, memory_order_relaxed);
}

ws_status ws_shard_publish(ws_cache *c, ws_shard *s, ws_key k, uint32_t ref, int pin)
{
    ws_entry *e = ws_entry_at(c->base, ref);
    ws_policy_prefetch_counts(&s->policy);
    uint32_t leaving = s->policy.queues[WS_REGION_WINDOW].head;
    if (leaving)
        ws_table_prefetch(ws_shard_table(s), ws_entry_at(c->base, leaving)->hash);
    uint32_t old = ws_shard_find(c, s, k);
    if (old && ws_entry_at(c->base, old)->stamp > e->stamp) {
        ws_shard_drop_cell(c, s, ref);
        return WS_ERR_CONFLICT;
    }
    if (!old && !insert(c, s, k, ref)) {
        ws_shard_drop_cell(c, s, ref);
        return WS_ERR_LIMIT;
    }
    if (pin)
        ws_entry_pin(e);
    s->live_bytes += ws_class_weight(e->class, ws_entry_bytes(e->key_len, e->value_len));
    if (old) {
        replace(c, s, k, old, ref);
    } else {
        ws_policy_insert(&s->policy, ref);
        atomic_fetch_add_explicit(&c->n_entries, 1, memory_order_relaxed);
    }
    while (evict(c, s, 0))
        ;
    ws_shard_reclaim_some(c, s);
    s->puts++;
    watch_sketch(c);
    return WS_OK;
}
