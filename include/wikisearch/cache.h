/* A cache of byte strings within a byte limit; stands alone, knows nothing of search.
 *
 * W-TinyLFU with lazy promotion decides who stays. A hit takes no lock and copies nothing: it gives
 * a view of the value where it lies, which stays as it is until the view is finished, whatever
 * happens to the entry meanwhile. Entries carry the caller's stamp (an index generation): an entry
 * with an older stamp is stale at once, without a clock. Several callers that miss one key at once
 * cause one load.
 *
 *   ws_cache_get_or_load -> use view.value -> ws_cache_view_fini
 *
 * A key is 16 bytes of hash and the bytes that were hashed; entries are told apart by the bytes,
 * always. With empty key bytes the hash itself is the key.
 *
 * The limit is exact: it covers values, keys, headers, tables, the sketch and memory that waits for
 * its last reader, and is never exceeded. What it does not cover: values that a load delivered
 * without storing them, and the bookkeeping of loads under way.
 *
 * Time goes in steps of 100 ms, and a hit does not look at the clock: who uses TTLs calls
 * ws_cache_tick from a timer (misses and puts do it by themselves).
 */
#ifndef WIKISEARCH_CACHE_H
#define WIKISEARCH_CACHE_H

#include <stdint.h>

#include "wikisearch/budget.h"
#include "wikisearch/status.h"

WS_BEGIN_DECLS

typedef struct ws_cache ws_cache;

#define WS_CACHE_KEY_HASH_BYTES 16
#define WS_CACHE_KEY_MAX        65535u /* key bytes */

typedef struct {
    uint32_t size;
    uint32_t shards;           /* a power of two up to 64; 0 = by cores and size */
    uint64_t bytes;            /* the limit; at least 64 KiB, at most 64 GiB - 256 KiB */
    uint64_t entries;          /* at most so many entries, each counting the same; 0 = only bytes */
    uint64_t expected_entries; /* size of the sketch at the start; 0 = one for each KiB */
    uint32_t ttl_ms;           /* fresh so long after it was put; 0 = for ever */
    uint32_t ttl_access_ms;    /* dropped when not hit for so long (to about a second); 0 = never */
    uint32_t stale_ms;         /* served so long when not fresh any more; 0 = not at all */
    uint32_t negative_ttl_ms;  /* how long "there is none" is believed; 0 = never stored */
    uint32_t max_threads;      /* threads that hit without a lock, default 64, at most 4,096 */
    uint32_t reserved;
    uint64_t seed; /* of every hash; 0 = random */
    /* Monotonic nanoseconds, for tests; NULL = CLOCK_MONOTONIC_COARSE. [any] */
    uint64_t (*clock)(void *ctx);
    void *clock_ctx;
} ws_cache_options;
#define WS_CACHE_OPTIONS_INIT                                                                      \
 {                                                                                                 \
  sizeof(ws_cache_options), 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0                                 \
 }

/* Makes an empty cache.
 *   out      new cache; free with ws_cache_free
 *   options  bytes must be set
 * Errors: WS_ERR_ARG, WS_ERR_RANGE, WS_ERR_NOMEM, WS_ERR_LIMIT (the limit does not hold even the
 * empty tables). The address space of the whole limit is reserved, not its memory. [any] */
WS_API ws_status ws_cache_new(ws_cache **out, const ws_cache_options *options, ws_error *error);

/* Frees; every view must be finished and every load over. NULL does nothing. [1] */
WS_API void ws_cache_free(ws_cache *cache);

/* What a question for a key came to. */
#define WS_CACHE_MISS     0u
#define WS_CACHE_HIT      1u
#define WS_CACHE_STALE    2u /* has an older stamp or its TTL has passed, within stale_ms */
#define WS_CACHE_NEGATIVE 3u /* known not to exist; the value is empty, or what the put gave */
#define WS_CACHE_LOADING  4u /* not here, but somebody is loading it */

/* A value in use. The caller's storage; set by the calls below whatever they return. */
typedef struct {
    ws_str value;     /* valid until ws_cache_view_fini */
    uint64_t stamp;   /* of the entry */
    uint32_t state;   /* WS_CACHE_* */
    uint32_t refresh; /* 1: stale, and this caller is the one to refresh it */
    uint32_t cost_us; /* what the put said, to 1/1000 */
    uint32_t reserved;
    void *private_entry, *private_pin;
} ws_cache_view;

/* Looks a key up.
 *   key16      hash of the key, 16 bytes
 *   key_bytes  at most WS_CACHE_KEY_MAX, compared byte by byte
 *   stamp      the caller's: entries with another one are not fresh. Stamps grow; an entry with a
 *              later stamp than the caller's is a miss for it, and stays
 *   view       out; finish it with ws_cache_view_fini when HIT, STALE or NEGATIVE (harmless else)
 * Returns WS_CACHE_*. With STALE one caller has view->refresh = 1: it should see to a new value
 * (ws_cache_put, ws_cache_refresh); the right is given back with the view. The stale time of an
 * entry begins when its TTL passes, or when somebody first asks with a later stamp.
 * [any], no lock on a hit, no allocation, O(key length). */
WS_API uint32_t ws_cache_get(ws_cache *cache, const uint8_t key16[WS_CACHE_KEY_HASH_BYTES],
                             ws_str key_bytes, uint64_t stamp, ws_cache_view *view);

/* Ends the use of a view, in any thread. A finished or zeroed view is fine. [1] per view. */
WS_API void ws_cache_view_fini(ws_cache_view *view);

/* What a loader gives. */
typedef struct {
    ws_str value;     /* copied by the cache after the loader returned */
    uint32_t cost_us; /* what making it cost */
    uint32_t reserved;
    void (*release)(void *release_ctx); /* called after the copy; NULL allowed */
    void *release_ctx;
} ws_cache_loaded;

/* Makes a value. WS_OK: loaded->value is it. WS_ERR_NOT_FOUND: there is none (stored as such with
 * negative_ttl_ms; loaded->value may say more). WS_PARTIAL, WS_ERR_CANCELLED: its budget ended;
 * others who wait try themselves. Any other error goes to all who wait. No lock is held; it may use
 * the cache, but not ask for the same key. */
typedef ws_status (*ws_cache_loader)(void *ctx, const ws_budget *budget, ws_cache_loaded *loaded);

/* Looks a key up, and loads it when it is not there or this caller has to refresh it. Callers that
 * ask for a key that is being loaded (with their stamp) wait for that load.
 *   budget  NULL = unlimited; ends the waiting, and is handed to the loader
 *   view    out; its state: HIT, STALE, NEGATIVE; MISS = loaded by this call; LOADING = another
 *           call's load
 * A load that was begun before ws_cache_invalidate of its key is delivered to those who waited then
 * and not stored; who asks later begins a new one. When a refresh fails, the stale value is what is
 * returned.
 * Returns WS_OK (also with NEGATIVE, and when the value was too large to be stored); WS_PARTIAL:
 * the budget ended before there was a value, or the loader said so (then view has its value).
 * Errors: the loader's, WS_ERR_CANCELLED, WS_ERR_ARG, WS_ERR_NOMEM.
 * [any] */
WS_API ws_status ws_cache_get_or_load(ws_cache *cache, const uint8_t key16[WS_CACHE_KEY_HASH_BYTES],
                                      ws_str key_bytes, uint64_t stamp, ws_cache_loader loader,
                                      void *ctx, const ws_budget *budget, ws_cache_view *view);

/* Loads a key whatever is there, unless somebody else is loading it (then nothing is done): what
 * the one with view->refresh asks a worker to do.
 * Returns and errors as above; WS_ERR_CONFLICT when it is being loaded. [any] */
WS_API ws_status ws_cache_refresh(ws_cache *cache, const uint8_t key16[WS_CACHE_KEY_HASH_BYTES],
                                  ws_str key_bytes, uint64_t stamp, ws_cache_loader loader,
                                  void *ctx, const ws_budget *budget);

/* What an entry depends on; reserved for invalidation by term. */
typedef struct ws_cache_deps ws_cache_deps;

/* Stores a value, in place of the one that is there.
 *   value    copied; {NULL, 0} = there is none (a negative entry)
 *   cost_us  what making it cost, for statistics and later for the policy
 *   deps     must be NULL for now
 * Returns WS_OK. Not stored: WS_ERR_LIMIT (larger than an eighth of the limit or than half a shard,
 * or no room could be made; negative without negative_ttl_ms), WS_ERR_CONFLICT (one with a later
 * stamp is there), WS_ERR_ARG, WS_ERR_NOMEM. What was there before stays, except with WS_OK. [any],
 * one lock of 1/shards of the cache. */
WS_API ws_status ws_cache_put(ws_cache *cache, const uint8_t key16[WS_CACHE_KEY_HASH_BYTES],
                              ws_str key_bytes, uint64_t stamp, ws_str value, uint32_t cost_us,
                              const ws_cache_deps *deps);

/* Removes an entry, and sees to it that no load begun before is stored. Does not wait for loads.
 * Returns 1 when an entry was there. [any] */
WS_API uint32_t ws_cache_invalidate(ws_cache *cache, const uint8_t key16[WS_CACHE_KEY_HASH_BYTES],
                                    ws_str key_bytes);

/* The same for every key, shard by shard. [any] */
WS_API void ws_cache_clear(ws_cache *cache);

/* Evicts until at most `bytes` are taken, as far as views allow, and gives free memory back to the
 * system. The limit stays. [any] */
WS_API void ws_cache_trim(ws_cache *cache, uint64_t bytes);

/* Reads the clock, and drops expired entries of a part of the cache (all of it in about a minute of
 * calls each 100 ms). [any] */
WS_API void ws_cache_tick(ws_cache *cache);

typedef struct {
    uint32_t size;
    uint32_t shards;
    uint64_t hits, stale, negative, misses, loading;  /* answers of ws_cache_get */
    uint64_t loads, load_failures, coalesced;         /* loaders called, failed, waited for */
    uint64_t overtaken;                               /* loads not stored: invalidated meanwhile */
    uint64_t puts, replaced, refused;                 /* refused: WS_ERR_LIMIT, WS_ERR_CONFLICT */
    uint64_t evicted, rejected, expired, invalidated; /* removals by cause */
    uint64_t entries;
    uint64_t bytes_limit, bytes;                             /* the limit, what is taken of it */
    uint64_t window_bytes, probation_bytes, protected_bytes; /* cells of live entries */
    uint64_t retired_bytes, spare_bytes; /* cells that wait for readers, free ones */
    uint64_t table_bytes, sketch_bytes, fixed_bytes;
    uint64_t window_target; /* as window_bytes */
    uint64_t cost_saved_us; /* reserved: 0 */
} ws_cache_counters;
#define WS_CACHE_COUNTERS_INIT                                                                     \
 {                                                                                                 \
  .size = sizeof(ws_cache_counters)                                                                \
 }

/* Fills *out (set out->size first). Sums over shards that are looked at one after the other. [any]
 */
WS_API void ws_cache_stats(ws_cache *cache, ws_cache_counters *out);

/* Where a key stands, or why it is not there. */
#define WS_CACHE_ABSENT    0u
#define WS_CACHE_IN_WINDOW 1u
#define WS_CACHE_PROBATION 2u
#define WS_CACHE_PROTECTED 3u
#define WS_CACHE_NO_REASON 0u
#define WS_CACHE_REJECTED  1u /* lost its contest: candidate_count against victim_count */
#define WS_CACHE_EVICTED   2u /* was the victim */
#define WS_CACHE_EXPIRED   3u
#define WS_CACHE_REMOVED   4u /* invalidated */

typedef struct {
    uint32_t size;
    uint32_t region;    /* WS_CACHE_ABSENT... */
    uint32_t loading;   /* 1: being loaded */
    uint32_t frequency; /* the sketch's estimate, 0 to 15 */
    uint32_t hits;      /* since the policy last looked, up to 15 */
    uint32_t negative, refreshing, pins;
    uint64_t stamp, bytes; /* bytes: its cell */
    uint32_t value_bytes, cost_us;
    int64_t fresh_ms; /* time left to be fresh; INT64_MAX = for ever */
    uint32_t reason;  /* for an absent one, when it left lately; WS_CACHE_REJECTED... */
    uint32_t candidate_count, victim_count;
    uint32_t shard;
} ws_cache_explanation;
#define WS_CACHE_EXPLANATION_INIT                                                                  \
 {                                                                                                 \
  .size = sizeof(ws_cache_explanation)                                                             \
 }

/* Explains a key (set out->size first). Not a use of the entry. [any], one lock of 1/shards. */
WS_API void ws_cache_explain(ws_cache *cache, const uint8_t key16[WS_CACHE_KEY_HASH_BYTES],
                             ws_str key_bytes, ws_cache_explanation *out);

WS_END_DECLS

#endif
