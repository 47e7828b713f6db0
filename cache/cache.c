/* The public calls that change something. */
#define _GNU_SOURCE /* getrandom */
#include "wikisearch/cache.h"

#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "cache/cache_int.h"

#define BYTES_MIN       (64u << 10)
#define BYTES_MAX       (((uint64_t)1 << 36) - WS_SLAB_FIRST_PAGE * WS_PAGE_BYTES)
#define THREADS_DEFAULT 64u
#define THREADS_MAX     4096u
#define ENTRIES_A_SHARD 256u /* fewer, and a shard's policy sees too little */
#define SHARDS_A_CORE   4u
#define BYTES_AN_ENTRY  1024u /* expected, to begin with */
#define WINDOW_PERMILLE 10u
#define LARGEST_PART    8u
#define SWEEP_TICKS     600u /* calls of ws_cache_tick that see every bucket */
#define TTL_MAX_MS      (1u << 31)

/* --- new and free --- */

static ws_status check_options(const ws_cache_options *o, ws_error *error)
{
    if (!o || o->size < sizeof *o)
        return ws_error_set(error, WS_ERR_ARG, "cache options are missing or of another version");
    if (o->shards > WS_SHARDS_MAX || (o->shards & (o->shards - 1)))
        return ws_error_set(error, WS_ERR_ARG, "shards must be a power of two up to %u",
                            WS_SHARDS_MAX);
    if (o->bytes < BYTES_MIN || o->bytes > BYTES_MAX)
        return ws_error_set(error, WS_ERR_RANGE, "cache bytes must be 64 KiB to 64 GiB - 256 KiB");
    if (o->entries > UINT32_MAX / 16 || o->expected_entries > UINT32_MAX / 16 ||
        o->max_threads > THREADS_MAX || o->ttl_ms > TTL_MAX_MS || o->ttl_access_ms > TTL_MAX_MS ||
        o->stale_ms > TTL_MAX_MS || o->negative_ttl_ms > TTL_MAX_MS)
        return ws_error_set(error, WS_ERR_RANGE, "a cache option is out of its range");
    return WS_OK;
}

static uint32_t expected_entries(const ws_cache_options *o)
{
    uint64_t n = o->entries            ? o->entries
                 : o->expected_entries ? o->expected_entries
                                       : o->bytes / BYTES_AN_ENTRY;
    return (uint32_t)WS_MIN(WS_MAX(n, (uint64_t)1), (uint64_t)UINT32_MAX / 16);
}

static uint32_t choose_shards(const ws_cache_options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t most = SHARDS_A_CORE * (uint64_t)WS_MAX(cores, 1L), n = 1;
    if (o->shards)
        return o->shards;
    while (n * 2 <= WS_MIN(most, (uint64_t)WS_SHARDS_MAX) &&
           n * 2 * ENTRIES_A_SHARD <= expected_entries(o) && o->bytes / (n * 2) >= BYTES_MIN)
        n *= 2;
    return (uint32_t)n;
}

static uint32_t ticks(uint32_t ms)
{
    uint64_t ns = (uint64_t)ms * 1000000u;
    return (uint32_t)((ns + WS_TICK_NS - 1) / WS_TICK_NS);
}

static void set_seed(ws_cache *c, uint64_t seed)
{
    uint64_t random[2] = {seed, seed ^ 0x9e3779b97f4a7c15u};
    if (!seed && getrandom(random, sizeof random, GRND_NONBLOCK) != sizeof random) {
        random[0] = ws_wall_ns() * 0xff51afd7ed558ccdu; /* early in boot: better than nothing */
        random[1] = (uint64_t)(uintptr_t)c * 0xc4ceb9fe1a85ec53u;
    }
    c->seed[0] = random[0] * 0xbf58476d1ce4e5b9u | 1;
    c->seed[1] = random[1] * 0x94d049bb133111ebu | 1;
}

static void set_times(ws_cache *c, const ws_cache_options *o)
{
    c->ttl_ticks = ticks(o->ttl_ms);
    c->ttl_access_ticks = ticks(o->ttl_access_ms);
    c->stale_ticks = ticks(o->stale_ms);
    c->negative_ticks = ticks(o->negative_ttl_ms);
    c->uses_time = c->ttl_ticks || c->ttl_access_ticks || c->stale_ticks || c->negative_ticks;
    c->clock = o->clock;
    c->clock_ctx = o->clock_ctx;
    atomic_store_explicit(&c->tick, 1, memory_order_relaxed);
    if (c->uses_time)
        c->clock_start = c->clock ? c->clock(c->clock_ctx) : ws_clock_read(CLOCK_MONOTONIC_COARSE);
}

/* Memory that every cache of these options takes before its first entry. */
static ws_status take_fixed(ws_cache *c, const ws_cache_options *o)
{
    uint32_t threads = o->max_threads ? o->max_threads : THREADS_DEFAULT;
    c->fixed_bytes = sizeof *c + (c->n_shards + 1) * sizeof(ws_shard) + ws_readers_bytes(threads) +
                     ws_slab_overhead(o->bytes);
    if (!ws_account_take(&c->account, c->fixed_bytes) ||
        !ws_account_take(&c->account, ws_sketch_bytes_for(expected_entries(o))))
        return WS_ERR_LIMIT;
    WS_TRY(ws_readers_init(&c->readers, threads));
    WS_TRY(ws_sketch_init(&c->sketch, expected_entries(o), c->seed[0] ^ c->seed[1] << 1));
    WS_TRY(ws_slab_init(&c->slab, &c->account, o->bytes));
    c->base = c->slab.base;
    return WS_OK;
}

/* Mutexes first: a shard whose table could not be made can be ended like any other. */
static ws_status init_shards(ws_cache *c, const ws_cache_options *o)
{
    uint8_t *memory = ws_calloc(c->n_shards + 1, sizeof(ws_shard));
    if (!memory)
        return WS_ERR_NOMEM;
    c->shard_memory = memory;
    c->shards = (ws_shard *)(void *)(memory + (-(uintptr_t)memory & 63));
    uint64_t left = o->bytes - atomic_load(&c->account.taken);
    uint64_t per_shard = o->entries / c->n_shards, more = o->entries % c->n_shards;
    for (uint32_t i = 0; i < c->n_shards; i++) {
        ws_shard *s = &c->shards[i];
        s->share = left / c->n_shards;
        pthread_mutex_init(&s->mutex, NULL);
        ws_policy_init(&s->policy, c->base, &c->sketch, c->seed[1] + i * 2, c->unit);
        if (c->unit)
            ws_policy_set_capacity(&s->policy, per_shard + (i < more));
    }
    uint32_t entries = expected_entries(o) / c->n_shards; /* shards differ a little */
    entries += entries / 16 + 64;
    for (uint32_t i = 0; i < c->n_shards; i++)
        WS_TRY(ws_shard_init(c, &c->shards[i], entries));
    return WS_OK;
}

static ws_status set_up(ws_cache *c, const ws_cache_options *o)
{
    c->account.limit = o->bytes;
    c->n_shards = choose_shards(o);
    c->shard_shift = c->n_shards > 1 ? 64 - (uint32_t)__builtin_ctz(c->n_shards) : 0;
    c->unit = o->entries != 0;
    set_seed(c, o->seed);
    set_times(c, o);
    WS_TRY(take_fixed(c, o));
    WS_TRY(init_shards(c, o));
    c->largest = WS_MIN(o->bytes / LARGEST_PART, c->shards[0].share / 2);
    ws_cache_set_window(c, WINDOW_PERMILLE);
    return WS_OK;
}

ws_status ws_cache_new(ws_cache **out, const ws_cache_options *options, ws_error *error)
{
    *out = NULL;
    WS_TRY(check_options(options, error));
    ws_cache *c = ws_calloc(1, sizeof *c);
    if (!c)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a cache");
    ws_status status = set_up(c, options);
    if (status) {
        ws_cache_free(c);
        return ws_error_set(error, status, "cannot make a cache of %llu bytes: %s",
                            (unsigned long long)options->bytes, ws_status_text(status));
    }
    *out = c;
    return WS_OK;
}

void ws_cache_free(ws_cache *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; c->shards && i < c->n_shards; i++)
        ws_shard_fini(c, &c->shards[i]);
    ws_free(c->shard_memory);
    ws_slab_fini(&c->slab);
    ws_sketch_fini(&c->sketch);
    ws_readers_fini(&c->readers);
    ws_free(c);
}

void ws_cache_set_window(ws_cache *c, uint32_t permille)
{
    for (uint32_t i = 0; i < c->n_shards; i++) {
        ws_shard *s = &c->shards[i];
        pthread_mutex_lock(&s->mutex);
        uint64_t all = s->policy.capacity;
        uint64_t main = all / 1000 * (1000 - permille) + all % 1000 * (1000 - permille) / 1000;
        ws_policy_set_window(&s->policy, all - main);
        pthread_mutex_unlock(&s->mutex);
    }
}

/* --- put --- */

/* Entries turned out smaller than expected. All shards stand still for it, in order. */
void ws_cache_grow_sketch(ws_cache *c)
{
    if (!atomic_load_explicit(&c->sketch_full, memory_order_relaxed))
        return;
    uint64_t wanted = atomic_load_explicit(&c->n_entries, memory_order_relaxed) * 2;
    for (uint32_t i = 0; i < c->n_shards; i++)
        pthread_mutex_lock(&c->shards[i].mutex);
    uint64_t had = ws_sketch_bytes(&c->sketch), more = ws_sketch_bytes_for((uint32_t)wanted) * 2;
    if (atomic_load_explicit(&c->sketch_full, memory_order_relaxed) &&
        ws_account_take(&c->account, more)) {
        ws_sketch_grow(&c->sketch, (uint32_t)wanted);
        ws_account_give(&c->account, more - (ws_sketch_bytes(&c->sketch) - had));
    }
    atomic_store_explicit(&c->sketch_full, 0, memory_order_relaxed);
    for (uint32_t i = c->n_shards; i-- > 0;)
        pthread_mutex_unlock(&c->shards[i].mutex);
}

ws_status ws_cache_put_fill(ws_cache *c, ws_key k, const ws_fill *fill)
{
    ws_shard *s = ws_shard_of(c, k);
    ws_cache_read_clock(c);
    ws_cache_grow_sketch(c);
    pthread_mutex_lock(&s->mutex);
    ws_table_prefetch(ws_shard_table(s), k.hash);
    ws_sketch_prefetch(&c->sketch, k.hash);
    ws_policy_prefetch_entries(&s->policy);
    uint32_t ref = ws_shard_make(c, s, k, fill);
    ws_status status = ref ? ws_shard_publish(c, s, k, ref, 0) : WS_ERR_LIMIT;
    s->refused += status != WS_OK;
    pthread_mutex_unlock(&s->mutex);
    return status;
}

ws_status ws_cache_put(ws_cache *c, const uint8_t key16[16], ws_str key_bytes, uint64_t stamp,
                       ws_str value, uint32_t cost_us, const ws_cache_deps *deps)
{
    ws_fill fill = {value, stamp, cost_us, value.ptr == NULL};
    if (deps || key_bytes.len > WS_CACHE_KEY_MAX || (!value.ptr && value.len))
        return WS_ERR_ARG;
    if (value.len > UINT32_MAX || (fill.negative && !c->negative_ticks))
        return WS_ERR_LIMIT;
    return ws_cache_put_fill(c, ws_key_of(c, key16, key_bytes), &fill);
}

/* --- taking away --- */

uint32_t ws_cache_invalidate(ws_cache *c, const uint8_t key16[16], ws_str key_bytes)
{
    ws_key k = ws_key_of(c, key16, key_bytes);
    ws_shard *s = ws_shard_of(c, k);
    pthread_mutex_lock(&s->mutex);
    uint32_t ref = ws_shard_find(c, s, k);
    if (ref)
        ws_shard_remove(c, s, ref, WS_CACHE_REMOVED);
    ws_shard_overtake(s, &k);
    ws_shard_reclaim_some(c, s);
    pthread_mutex_unlock(&s->mutex);
    return ref != 0;
}

static uint32_t any_entry(const ws_shard *s)
{
    for (uint32_t region = WS_REGION_WINDOW; region < WS_REGIONS; region++)
        if (s->policy.queues[region].head)
            return s->policy.queues[region].head;
    return 0;
}

void ws_cache_clear(ws_cache *c)
{
    for (uint32_t i = 0; i < c->n_shards; i++) {
        ws_shard *s = &c->shards[i];
        uint32_t ref;
        pthread_mutex_lock(&s->mutex);
        while ((ref = any_entry(s)))
            ws_shard_remove(c, s, ref, WS_CACHE_REMOVED);
        ws_shard_overtake(s, NULL);
        ws_shard_reclaim(c, s);
        ws_shard_flush_spare(c, s);
        pthread_mutex_unlock(&s->mutex);
    }
}

/* Round by round from every shard a little, so that none is emptied for the others. */
static int trim_shard(ws_cache *c, ws_shard *s, uint64_t bytes)
{
    pthread_mutex_lock(&s->mutex);
    uint32_t n = s->policy.queues[WS_REGION_WINDOW].count +
                 s->policy.queues[WS_REGION_PROBATION].count +
                 s->policy.queues[WS_REGION_PROTECTED].count;
    int any = 0;
    for (uint32_t i = 0; i < n / 16 + 1; i++)
        any |= ws_shard_evict_one(c, s);
    ws_shard_reclaim(c, s);
    ws_shard_flush_spare(c, s);
    pthread_mutex_unlock(&s->mutex);
    return any && atomic_load(&c->account.taken) > bytes;
}

void ws_cache_trim(ws_cache *c, uint64_t bytes)
{
    int more = atomic_load(&c->account.taken) > bytes;
    while (more) {
        more = 0;
        for (uint32_t i = 0; i < c->n_shards && atomic_load(&c->account.taken) > bytes; i++)
            more |= trim_shard(c, &c->shards[i], bytes);
    }
    ws_slab_release(&c->slab);
}

/* --- tick --- */

static void sweep_bucket(ws_cache *c, ws_shard *s, const ws_bucket *b)
{
    for (uint32_t i = 0; i < WS_BUCKET_SLOTS; i++) {
        uint32_t ref = atomic_load_explicit(&b->refs[i], memory_order_relaxed);
        if (!ref)
            continue;
        ws_entry *e = ws_entry_at(c->base, ref);
        uint32_t now = ws_cache_now(c);
        uint32_t fresh = atomic_load_explicit(&e->fresh, memory_order_relaxed);
        uint32_t accessed = atomic_load_explicit(&e->accessed, memory_order_relaxed);
        if ((fresh && (int32_t)(now - fresh) >= (int32_t)c->stale_ticks) ||
            (c->ttl_access_ticks && now - accessed >= c->ttl_access_ticks))
            ws_shard_remove(c, s, ref, WS_CACHE_EXPIRED);
    }
}

static void sweep_shard(ws_cache *c, ws_shard *s)
{
    if (pthread_mutex_trylock(&s->mutex))
        return;
    const ws_table *t = ws_shard_table(s);
    for (uint32_t n = t->n_buckets / SWEEP_TICKS + 1; n; n--) {
        s->swept = s->swept < t->n_buckets ? s->swept : 0;
        sweep_bucket(c, s, &t->buckets[s->swept++]);
    }
    ws_shard_reclaim_some(c, s);
    pthread_mutex_unlock(&s->mutex);
}

void ws_cache_tick(ws_cache *c)
{
    ws_cache_read_clock(c);
    for (uint32_t i = 0; c->uses_time && i < c->n_shards; i++)
        sweep_shard(c, &c->shards[i]);
}
