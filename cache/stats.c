#include "cache/cache_int.h"

static void add_shard(ws_shard *s, ws_cache_counters *o)
{
    const ws_queue *q = s->policy.queues;
    o->hits += s->counts[WS_COUNT_HIT];
    o->stale += s->counts[WS_COUNT_STALE];
    o->negative += s->counts[WS_COUNT_NEGATIVE];
    o->misses += s->counts[WS_COUNT_MISS];
    o->loading += s->counts[WS_COUNT_LOADING];
    o->loads += s->loads;
    o->load_failures += s->load_failures;
    o->coalesced += s->coalesced;
    o->overtaken += s->overtaken;
    o->puts += s->puts;
    o->replaced += s->removed[WS_CAUSE_REPLACED];
    o->refused += s->refused;
    o->evicted += s->removed[WS_CACHE_EVICTED];
    o->rejected += s->removed[WS_CACHE_REJECTED];
    o->expired += s->removed[WS_CACHE_EXPIRED];
    o->invalidated += s->removed[WS_CACHE_REMOVED];
    o->entries += ws_shard_table(s)->count;
    o->window_bytes += q[WS_REGION_WINDOW].weight;
    o->probation_bytes += q[WS_REGION_PROBATION].weight;
    o->protected_bytes += q[WS_REGION_PROTECTED].weight;
    o->window_target += s->policy.window_target;
    o->retired_bytes += s->retired.bytes;
    o->spare_bytes += s->spare_bytes;
    for (const ws_table *t = s->retired_tables; t; t = t->retired)
        o->table_bytes += ws_table_bytes(t);
    o->table_bytes += ws_table_bytes(ws_shard_table(s));
}

static uint64_t read_count(const ws_reader *r, uint32_t what)
{
    return atomic_load_explicit(&r->counts[what], memory_order_relaxed);
}

static void add_readers(const ws_readers *readers, ws_cache_counters *o)
{
    for (uint32_t i = 0; i < readers->n; i++) {
        const ws_reader *r = &readers->readers[i];
        o->hits += read_count(r, WS_COUNT_HIT);
        o->stale += read_count(r, WS_COUNT_STALE);
        o->negative += read_count(r, WS_COUNT_NEGATIVE);
        o->misses += read_count(r, WS_COUNT_MISS);
        o->loading += read_count(r, WS_COUNT_LOADING);
    }
}

void ws_cache_stats(ws_cache *c, ws_cache_counters *out)
{
    ws_cache_counters all = WS_CACHE_COUNTERS_INIT;
    all.shards = c->n_shards;
    for (uint32_t i = 0; i < c->n_shards; i++) {
        pthread_mutex_lock(&c->shards[i].mutex);
        add_shard(&c->shards[i], &all);
        all.sketch_bytes = ws_sketch_bytes(&c->sketch);
        pthread_mutex_unlock(&c->shards[i].mutex);
    }
    add_readers(&c->readers, &all);
    all.fixed_bytes = c->fixed_bytes;
    all.bytes_limit = c->account.limit;
    all.bytes = atomic_load_explicit(&c->account.taken, memory_order_relaxed);
    uint32_t size = WS_MIN(out->size, (uint32_t)sizeof all);
    all.size = size;
    memcpy(out, &all, size);
}
