#include "cache/cache_int.h"

#define MS_A_TICK (WS_TICK_NS / 1000000u)

static int64_t fresh_ms(const ws_cache *c, const ws_entry *e)
{
    uint32_t fresh = atomic_load_explicit(&e->fresh, memory_order_relaxed);
    return fresh ? (int64_t)(int32_t)(fresh - ws_cache_now(c)) * MS_A_TICK : INT64_MAX;
}

static void explain_entry(const ws_cache *c, const ws_entry *e, ws_cache_explanation *x)
{
    uint32_t state = atomic_load_explicit(&e->state, memory_order_relaxed);
    x->region = e->region;
    x->hits = atomic_load_explicit(&e->counter, memory_order_relaxed);
    x->negative = (state & WS_STATE_NEGATIVE) != 0;
    x->refreshing = (state & WS_STATE_REFRESHING) != 0;
    x->pins = state / WS_STATE_PIN;
    x->stamp = e->stamp;
    x->bytes = ws_class_weight(e->class, ws_entry_bytes(e->key_len, e->value_len));
    x->value_bytes = e->value_len;
    x->cost_us = ws_entry_cost(e);
    x->fresh_ms = fresh_ms(c, e);
}

/* The latest removal of this hash that the shard remembers. */
static void explain_absence(const ws_shard *s, uint32_t hash, ws_cache_explanation *x)
{
    uint32_t known = WS_MIN(s->n_recent, WS_RECENT);
    for (uint32_t i = 1; i <= known; i++) {
        const ws_removal *r = &s->recent[(s->n_recent - i) % WS_RECENT];
        if (r->hash != hash)
            continue;
        x->reason = r->cause;
        x->candidate_count = r->candidate_count;
        x->victim_count = r->victim_count;
        return;
    }
}

static uint32_t is_loading(const ws_shard *s, ws_key k)
{
    for (const ws_flight *f = s->flights; f; f = f->next)
        if (ws_flight_is(f, k.hash, k.key))
            return 1;
    return 0;
}

void ws_cache_explain(ws_cache *c, const uint8_t key16[16], ws_str key_bytes,
                      ws_cache_explanation *out)
{
    ws_cache_explanation x = WS_CACHE_EXPLANATION_INIT;
    ws_key k = ws_key_of(c, key16, key_bytes);
    ws_shard *s = ws_shard_of(c, k);
    pthread_mutex_lock(&s->mutex);
    uint32_t ref = ws_shard_find(c, s, k);
    if (ref)
        explain_entry(c, ws_entry_at(c->base, ref), &x);
    else
        explain_absence(s, k.hash, &x);
    x.loading = is_loading(s, k);
    x.frequency = ws_sketch_estimate(&c->sketch, k.hash);
    x.shard = (uint32_t)(s - c->shards);
    pthread_mutex_unlock(&s->mutex);
    x.size = WS_MIN(out->size, (uint32_t)sizeof x);
    memcpy(out, &x, x.size);
}
