/* The hit path: no lock, no clock, no copy. */
#include "base/mem.h"
#include "cache/cache_int.h"

/* The hit path is one function without calls; what is rare stays out of its registers. */
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE  __attribute__((noinline))

#define ACCESS_GRAIN (1000000000u / WS_TICK_NS) /* `accessed` is written once a second */

static ALWAYS_INLINE void set_view(ws_cache_view *view, uint32_t state, ws_entry *e, void *pin)
{
    view->value = ws_entry_value(e);
    view->stamp = e->stamp;
    view->state = state;
    view->refresh = 0;
    view->cost_us = ws_entry_cost(e);
    view->reserved = 0;
    view->private_entry = e;
    view->private_pin = pin;
}

void ws_view_set(ws_cache_view *view, uint32_t state, ws_entry *e, void *pin)
{
    set_view(view, state, e, pin);
}

static void no_view(ws_cache_view *view, uint32_t state)
{
    *view = (ws_cache_view){.state = state};
}

/* --- finding --- */

/* The table in the shard's hand, kept from being freed by the record. */
static ALWAYS_INLINE ws_table *hold_table(const ws_cache *c, const ws_shard *s, ws_reader *r)
{
    ws_table *t = atomic_load_explicit(&s->table, memory_order_acquire);
    for (;;) {
        atomic_store_explicit(&r->table, t, memory_order_release);
        ws_readers_pin_fence(&c->readers);
        ws_table *now = atomic_load_explicit(&s->table, memory_order_acquire);
        if (now == t)
            return t;
        t = now;
    }
}

/* The entry in a slot, pinned, or NULL when it is another key's. The slot is read again behind the
 * pin: if it still holds the reference, the entry was not retired before the pin could be seen. */
static ALWAYS_INLINE ws_entry *pin_slot(const ws_cache *c, const ws_bucket *b, uint32_t slot,
                                        _Atomic uint32_t *pin, ws_key k)
{
    uint32_t ref = atomic_load_explicit(&b->refs[slot], memory_order_acquire);
    while (ref) {
        ws_entry *e = ws_entry_at(c->base, ref);
        __builtin_prefetch((const char *)e + 64); /* most keys reach into the second line */
        atomic_store_explicit(pin, ref, memory_order_release);
        ws_readers_pin_fence(&c->readers);
        uint32_t now = atomic_load_explicit(&b->refs[slot], memory_order_acquire);
        if (now == ref)
            return ws_entry_is(e, k.hash, k.key) ? e : NULL;
        ref = now;
    }
    return NULL;
}

static ALWAYS_INLINE ws_entry *search_bucket(const ws_cache *c, const ws_bucket *b,
                                             _Atomic uint32_t *pin, ws_key k)
{
    for (uint32_t match = ws_bucket_match(b, k.hash); match; match &= match - 1) {
        ws_entry *e = pin_slot(c, b, (uint32_t)__builtin_ctz(match), pin, k);
        if (e)
            return e;
    }
    return NULL;
}

/* The other buckets of a key that may have spilled. */
static NEVER_INLINE ws_entry *search_further(const ws_cache *c, const ws_table *t,
                                             _Atomic uint32_t *pin, ws_key k)
{
    ws_entry *e = NULL;
    for (uint32_t i = 1; i < WS_TABLE_PROBES && !e; i++)
        e = search_bucket(c, &t->buckets[ws_table_probe(t, k.hash, i)], pin, k);
    return e;
}

static ALWAYS_INLINE ws_entry *search_table(const ws_cache *c, const ws_table *t,
                                            _Atomic uint32_t *pin, ws_key k)
{
    const ws_bucket *home = &t->buckets[ws_table_home(t, k.hash)];
    ws_entry *e = search_bucket(c, home, pin, k);
    if (e || !atomic_load_explicit(&home->spilled, memory_order_acquire))
        return e;
    return search_further(c, t, pin, k);
}

/* The entry of a key, pinned by `pin`, or NULL and `pin` empty. Nothing found in a table that was
 * replaced meanwhile means nothing. */
static ALWAYS_INLINE ws_entry *find_pinned(const ws_cache *c, const ws_shard *s, ws_reader *r,
                                           _Atomic uint32_t *pin, ws_key k)
{
    ws_entry *e;
    ws_table *t;
    do {
        t = hold_table(c, s, r);
        e = search_table(c, t, pin, k);
    } while (!e && atomic_load_explicit(&s->table, memory_order_acquire) != t);
    atomic_store_explicit(&r->table, NULL, memory_order_release);
    if (!e)
        atomic_store_explicit(pin, 0, memory_order_release);
    return e;
}

/* --- what was found --- */

/* 1 for one caller of those who find an entry stale. */
static uint32_t claim_refresh(ws_entry *e)
{
    uint32_t had = atomic_load_explicit(&e->state, memory_order_relaxed);
    if (had & WS_STATE_REFRESHING)
        return 0;
    had = atomic_fetch_or_explicit(&e->state, WS_STATE_REFRESHING, memory_order_relaxed);
    return !(had & WS_STATE_REFRESHING);
}

static void note_access(const ws_cache *c, ws_entry *e)
{
    ws_entry_touch(e);
    if (c->ttl_access_ticks) {
        uint32_t now = ws_cache_now(c);
        if (now - atomic_load_explicit(&e->accessed, memory_order_relaxed) >= ACCESS_GRAIN)
            atomic_store_explicit(&e->accessed, now, memory_order_relaxed);
    }
}

static uint32_t count_of(uint32_t state)
{
    static const uint8_t counts[] = {[WS_CACHE_MISS] = WS_COUNT_MISS,
                                     [WS_CACHE_HIT] = WS_COUNT_HIT,
                                     [WS_CACHE_STALE] = WS_COUNT_STALE,
                                     [WS_CACHE_NEGATIVE] = WS_COUNT_NEGATIVE,
                                     [WS_CACHE_LOADING] = WS_COUNT_LOADING};
    return counts[state];
}

/* Nothing usable is in the table: is it on its way? */
static uint32_t miss(ws_cache *c, ws_shard *s, ws_key k, uint64_t stamp)
{
    uint32_t state = WS_CACHE_MISS;
    ws_cache_read_clock(c);
    if (atomic_load_explicit(&s->n_flights, memory_order_acquire)) {
        pthread_mutex_lock(&s->mutex);
        if (ws_flight_find(s->flights, k.hash, k.key, stamp))
            state = WS_CACHE_LOADING;
        pthread_mutex_unlock(&s->mutex);
    }
    return state;
}

/* A thread without a record, or with all its pins in use. */
static NEVER_INLINE uint32_t get_locked(ws_cache *c, ws_shard *s, ws_key k, uint64_t stamp,
                                        ws_cache_view *view)
{
    uint32_t state = WS_CACHE_MISS;
    pthread_mutex_lock(&s->mutex);
    uint32_t ref = ws_shard_find(c, s, k);
    ws_entry *e = ref ? ws_entry_at(c->base, ref) : NULL;
    if (e)
        state = ws_entry_judge(c, e, stamp);
    if (state == WS_CACHE_MISS && ws_flight_find(s->flights, k.hash, k.key, stamp))
        state = WS_CACHE_LOADING;
    if (state == WS_CACHE_MISS || state == WS_CACHE_LOADING) {
        no_view(view, state);
    } else {
        ws_entry_pin(e);
        note_access(c, e);
        ws_view_set(view, state, e, NULL);
        view->refresh = state == WS_CACHE_STALE && claim_refresh(e);
    }
    s->counts[count_of(state)]++;
    pthread_mutex_unlock(&s->mutex);
    if (state == WS_CACHE_MISS || state == WS_CACHE_LOADING)
        ws_cache_read_clock(c);
    return state;
}

static _Atomic uint32_t *free_pin(ws_reader *r)
{
    for (uint32_t i = 0; i < WS_READER_SLOTS; i++)
        if (!atomic_load_explicit(&r->slots[i], memory_order_acquire))
            return &r->slots[i];
    return NULL;
}

static NEVER_INLINE uint32_t get_other(ws_cache *c, ws_shard *s, ws_key k, uint64_t stamp,
                                       ws_entry *e, _Atomic uint32_t *pin, ws_cache_view *view)
{
    uint32_t state = e ? ws_entry_judge(c, e, stamp) : WS_CACHE_MISS;
    if (state != WS_CACHE_MISS) {
        note_access(c, e);
        ws_view_set(view, state, e, pin);
        view->refresh = state == WS_CACHE_STALE && claim_refresh(e);
        return state;
    }
    if (e)
        atomic_store_explicit(pin, 0, memory_order_release);
    state = miss(c, s, k, stamp);
    no_view(view, state);
    return state;
}

/* Fresh without a look at the clock: it has this stamp, no TTL, and is not negative. */
static int is_plainly_fresh(const ws_cache *c, const ws_entry *e, uint64_t stamp)
{
    return e->stamp == stamp && !atomic_load_explicit(&e->fresh, memory_order_relaxed) &&
           !c->ttl_access_ticks &&
           !(atomic_load_explicit(&e->state, memory_order_relaxed) & WS_STATE_NEGATIVE);
}

uint32_t ws_cache_get(ws_cache *c, const uint8_t key16[16], ws_str key_bytes, uint64_t stamp,
                      ws_cache_view *view)
{
    ws_key k = ws_key_of(c, key16, key_bytes);
    ws_shard *s = ws_shard_of(c, k);
    ws_reader *r = ws_readers_mine(&c->readers, (uintptr_t)pthread_self());
    _Atomic uint32_t *pin = r ? free_pin(r) : NULL;
    if (!pin)
        return get_locked(c, s, k, stamp, view);
    ws_entry *e = find_pinned(c, s, r, pin, k);
    if (e && is_plainly_fresh(c, e, stamp)) {
        ws_entry_touch(e);
        set_view(view, WS_CACHE_HIT, e, pin);
        ws_reader_count(r, WS_COUNT_HIT);
        return WS_CACHE_HIT;
    }
    uint32_t state = get_other(c, s, k, stamp, e, pin, view);
    ws_reader_count(r, count_of(state));
    return state;
}

/* --- ending a view --- */

/* A detached entry is a heap block of its own. */
void ws_entry_unpin(ws_entry *e)
{
    uint32_t had = atomic_fetch_sub_explicit(&e->state, WS_STATE_PIN, memory_order_acq_rel);
    if (had / WS_STATE_PIN == 1 && had & WS_STATE_DETACHED)
        ws_free(e);
}

void ws_cache_view_fini(ws_cache_view *view)
{
    ws_entry *e = view->private_entry;
    if (!e)
        return;
    if (view->refresh)
        atomic_fetch_and_explicit(&e->state, ~WS_STATE_REFRESHING, memory_order_relaxed);
    if (view->private_pin)
        atomic_store_explicit((_Atomic uint32_t *)view->private_pin, 0, memory_order_release);
    else
        ws_entry_unpin(e);
    view->private_entry = NULL;
}
