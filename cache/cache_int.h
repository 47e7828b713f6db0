/* The cache's inside, for its files and their tests. */
#ifndef WS_CACHE_CACHE_INT_H
#define WS_CACHE_CACHE_INT_H

#include <pthread.h>

#include "cache/flight.h"
#include "cache/policy.h"
#include "cache/reclaim.h"
#include "cache/slab.h"
#include "cache/table.h"
#include "wikisearch/cache.h"

#define WS_SHARDS_MAX     64u
#define WS_TICK_NS        100000000u
#define WS_RECENT         32u /* removals that a shard remembers, a power of two */
#define WS_CAUSES         6u  /* WS_CACHE_NO_REASON to WS_CACHE_REMOVED, and replaced */
#define WS_CAUSE_REPLACED 5u

/* Unlinked entries that wait for their last reader, linked by `next`. */
typedef struct {
    uint32_t head, count;
    uint64_t bytes;
} ws_retired;

typedef struct {
    uint32_t hash;
    uint8_t cause, candidate_count, victim_count;
} ws_removal;

/* A part of the cache, by the upper bits of the hash: its own table, policy, mutex. */
typedef struct {
    _Atomic(ws_table *) table; /* read without a lock */
    atomic_uint n_flights;     /* listed ones; read without a lock */
    char pad[64 - sizeof(void *) - sizeof(unsigned)];

    pthread_mutex_t mutex; /* all that follows */
    ws_policy policy;
    ws_retired retired;
    ws_table *retired_tables;
    ws_flight *flights;
    uint32_t spare[WS_CLASS_PAGES]; /* free cells by class, linked by `next` */
    uint64_t spare_bytes;
    uint64_t share;      /* of the limit: table, live entries, retired, spare */
    uint64_t live_bytes; /* cells of entries in the table */
    uint32_t swept;      /* next bucket to look through for expired entries */
    uint32_t n_recent;
    ws_removal recent[WS_RECENT]; /* a ring */
    uint64_t removed[WS_CAUSES];
    uint64_t puts, refused, loads, load_failures, coalesced, overtaken;
    uint64_t counts[WS_READER_COUNTS]; /* of callers without a record */
    char pad_end[64];
} __attribute__((aligned(64))) ws_shard;

struct ws_cache {
    /* read by every call, never written after new */
    ws_readers readers;
    const char *base;
    ws_shard *shards;
    uint32_t n_shards, shard_shift; /* shard = hash64 >> shift, 64 - log2(n_shards) */
    uint64_t seed[2];
    uint32_t stale_ticks, ttl_ticks, ttl_access_ticks, negative_ticks;
    uint32_t uses_time, unit;
    uint64_t largest; /* weight that is still stored */
    uint64_t fixed_bytes;
    uint64_t (*clock)(void *ctx);
    void *clock_ctx;
    uint64_t clock_start;
    ws_slab slab;
    void *shard_memory;

    char pad[64];
    _Atomic uint32_t tick; /* since new, from 1 on */
    char pad2[60];
    ws_account account;
    ws_sketch sketch;
    atomic_uint sketch_full; /* more entries than it was made for */
    _Atomic uint64_t n_entries;
};

/* A key, hashed. */
typedef struct {
    ws_str key;
    uint64_t hash64;
    uint32_t hash;
} ws_key;

/* An entry that is to be made. */
typedef struct {
    ws_str value;
    uint64_t stamp;
    uint32_t cost_us, negative;
} ws_fill;

/* Multiplies two keyed halves to 128 bits and folds them (the step of wyhash, Wang Yi). */
static inline ws_key ws_key_of(const ws_cache *c, const uint8_t key16[16], ws_str bytes)
{
    uint64_t low = ws_load_u64le(key16) ^ c->seed[0], high = ws_load_u64le(key16 + 8) ^ c->seed[1];
    unsigned __int128 product = (unsigned __int128)low * high;
    uint64_t h = (uint64_t)product ^ (uint64_t)(product >> 64);
    ws_str key = bytes.len ? bytes : (ws_str){(const char *)key16, WS_CACHE_KEY_HASH_BYTES};
    return (ws_key){key, h, (uint32_t)h};
}

static inline ws_shard *ws_shard_of(const ws_cache *c, ws_key k)
{
    return &c->shards[c->n_shards == 1 ? 0 : k.hash64 >> c->shard_shift];
}

static inline uint32_t ws_cache_now(const ws_cache *c)
{
    return atomic_load_explicit(&c->tick, memory_order_relaxed);
}

static inline ws_table *ws_shard_table(const ws_shard *s)
{
    return atomic_load_explicit(&s->table, memory_order_relaxed);
}

/* --- time.c --- */
void ws_cache_read_clock(ws_cache *c); /* nothing without TTLs */

/* What an entry is for a caller with `stamp` now: MISS, HIT, STALE or NEGATIVE. Marks the beginning
 * of its stale time. */
uint32_t ws_entry_judge(const ws_cache *c, ws_entry *e, uint64_t stamp);

/* --- shard.c: all under the shard's mutex --- */
ws_status ws_shard_init(ws_cache *c, ws_shard *s, uint32_t entries);
void ws_shard_fini(ws_cache *c, ws_shard *s);

/* Makes an entry for a key that is not in the table yet. The mutex is let go while much is copied.
 * Returns its reference, or 0: no room. */
uint32_t ws_shard_make(ws_cache *c, ws_shard *s, ws_key k, const ws_fill *fill);

/* Puts an entry that was made into the table, in place of the one that is there, and evicts what is
 * too much. `pin`: 1 adds a pin first. WS_ERR_CONFLICT, WS_ERR_LIMIT: it is gone. */
ws_status ws_shard_publish(ws_cache *c, ws_shard *s, ws_key k, uint32_t ref, int pin);

/* Takes an entry out of table and policy; its cell is freed when nobody reads it. */
void ws_shard_remove(ws_cache *c, ws_shard *s, uint32_t ref, uint32_t cause);

/* Evicts one entry whatever the capacity; 0 when there is none. */
int ws_shard_evict_one(ws_cache *c, ws_shard *s);

uint32_t ws_shard_find(const ws_cache *c, const ws_shard *s, ws_key k);

/* --- spare.c: cells --- */
uint32_t ws_shard_cell(ws_cache *c, ws_shard *s, size_t bytes, uint32_t *class);
void ws_shard_retire(ws_cache *c, ws_shard *s, uint32_t ref);
void ws_shard_reclaim(ws_cache *c, ws_shard *s);      /* frees what nobody reads */
void ws_shard_reclaim_some(ws_cache *c, ws_shard *s); /* the same, when it is worth it */
void ws_shard_flush_spare(ws_cache *c, ws_shard *s);
void ws_shard_drop_cell(ws_cache *c, ws_shard *s, uint32_t ref); /* a made entry, never published */

/* --- load.c --- */

/* No load of this key (NULL: of any) that is under way is stored any more. */
void ws_shard_overtake(ws_shard *s, const ws_key *k);

/* --- lookup.c --- */

/* Fills a view; `pin` is its slot, or NULL when the entry has a counted pin for it. */
void ws_view_set(ws_cache_view *view, uint32_t state, ws_entry *e, void *pin);

static inline void ws_entry_pin(ws_entry *e)
{
    atomic_fetch_add_explicit(&e->state, WS_STATE_PIN, memory_order_relaxed);
}
void ws_entry_unpin(ws_entry *e); /* frees a detached one with its last pin */

/* --- cache.c --- */

/* The window's share of the capacity, in thousandths: what an adaptive controller turns. */
void ws_cache_set_window(ws_cache *c, uint32_t permille);
ws_status ws_cache_put_fill(ws_cache *c, ws_key k, const ws_fill *fill);

/* Doubles the sketch when there are many more entries than it was made for. Without a mutex. */
void ws_cache_grow_sketch(ws_cache *c);

/* --- check.c: for tests --- */

/* Checks every invariant with all shards locked; no loads may be under way, and readers may hold
 * views but not call. NULL, or what is broken. */
const char *ws_cache_check(ws_cache *c);

#endif
