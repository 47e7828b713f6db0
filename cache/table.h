/* From a key's hash to its entry: buckets of one cache line, read without a lock.
 *
 *   bucket, 64 bytes   | tags 0..7 | tags 8..11 | spilled | refs 0..11     |
 *                      0           8            12        16               64
 *
 * The bucket of a hash is chosen by its upper bits, the tag is its lowest byte. An entry whose
 * bucket is full goes into one of WS_TABLE_PROBES - 1 others; `spilled` counts them in the bucket
 * they come from, so that a search goes on only where somebody went on. Nothing moves within a
 * table: a reader that finds a slot filled finds the entry there or its successor. An empty slot
 * has reference 0; its tag means nothing.
 *
 * A table that is too full is replaced by a larger one. The old one's slots are cleared after the
 * new one is in its place, so a reader that still has the old one in hand finds nothing in it and
 * looks again (cache/lookup.c).
 *
 * Reading is [any]; changing is the shard's, under its mutex.
 */
#ifndef WS_CACHE_TABLE_H
#define WS_CACHE_TABLE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "cache/entry.h"
#include "cache/sanitizer.h"

#if defined(__SSE2__) && !defined(WS_TSAN)
# include <emmintrin.h>
#endif

#define WS_BUCKET_SLOTS 12u
#define WS_TABLE_PROBES 4u

typedef struct {
    _Atomic uint64_t tags_low;
    _Atomic uint32_t tags_high;
    _Atomic uint32_t spilled;
    _Atomic uint32_t refs[WS_BUCKET_SLOTS];
} ws_bucket;
_Static_assert(sizeof(ws_bucket) == 64, "a bucket is a cache line");

typedef struct ws_table {
    uint32_t n_buckets;
    uint32_t count; /* entries */
    void *memory;
    struct ws_table *retired; /* next of the tables that wait for their last reader */
    char pad[64 - 2 * sizeof(uint32_t) - 2 * sizeof(void *)];
    ws_bucket buckets[];
} ws_table;
_Static_assert(offsetof(ws_table, buckets) == 64, "buckets begin on a line of their own");

/* A table with room for `entries` at a load of 3/4. NULL: no memory. Free with ws_table_free. */
ws_table *ws_table_new(uint32_t entries);
void ws_table_free(ws_table *table);
size_t ws_table_bytes(const ws_table *table);
size_t ws_table_bytes_for(uint32_t entries);

/* 1 when one entry more would make it too full. */
int ws_table_is_full(const ws_table *table);

/* Puts an entry in; 0 when its four buckets have no room. Release: what was written to the entry
 * before is seen by who finds it. */
int ws_table_insert(ws_table *table, uint32_t hash, uint32_t ref);

/* Puts `ref` where `old` is; takes one out. The entry must be there. */
void ws_table_replace(ws_table *table, uint32_t hash, uint32_t old, uint32_t ref);
void ws_table_remove(ws_table *table, uint32_t hash, uint32_t ref);

/* Reference of the entry with this hash and key, or 0. Under the mutex. */
uint32_t ws_table_find(const ws_table *table, const char *base, uint32_t hash, ws_str key);

/* Copies every entry of `from` into the empty table `to`; 0 when one found no room. */
int ws_table_copy(ws_table *to, const ws_table *from, const char *base);
void ws_table_clear(ws_table *table);

static inline uint32_t ws_table_home(const ws_table *t, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * t->n_buckets >> 32);
}

/* The bucket tried in step i; step 0 is the home. The others lie anywhere: neighbours of a full
 * bucket would fill up with it. */
static inline uint32_t ws_table_probe(const ws_table *t, uint32_t hash, uint32_t i)
{
    return ws_table_home(t, i ? (hash ^ hash >> 15) * (0x9e3779b1u + 2 * i) : hash);
}

static inline void ws_table_prefetch(const ws_table *t, uint32_t hash)
{
    __builtin_prefetch(&t->buckets[ws_table_home(t, hash)], 1);
}

/* Slots whose tag may be `tag`, a bit each: exact for the lowest, others may be wrong, which the
 * comparison of hashes finds out. (Zero bytes in a word: Mycroft 1987. The multiplication gathers
 * their highest bits: 8 * i + 7 goes to 56 + i.) No branch: where in the bucket an entry is cannot
 * be predicted. */
static inline uint32_t ws_tags_match(uint64_t tags, uint8_t tag)
{
    uint64_t x = tags ^ (0x0101010101010101u * tag);
    uint64_t zero = (x - 0x0101010101010101u) & ~x & 0x8080808080808080u;
    return (uint32_t)((zero >> 7) * 0x0102040810204080u >> 56);
}

static inline uint32_t ws_bucket_match_scalar(const ws_bucket *b, uint32_t hash)
{
    uint64_t low = atomic_load_explicit(&b->tags_low, memory_order_relaxed);
    uint64_t high = atomic_load_explicit(&b->tags_high, memory_order_relaxed);
    uint32_t in_high = ws_tags_match(high, (uint8_t)hash) & 15;
    return ws_tags_match(low, (uint8_t)hash) | in_high << 8;
}

/* SSE2 is there on every x86-64. The load is of 16 bytes that others may be writing: each byte is
 * an old or a new one, and a wrong tag is found out. */
static inline uint32_t ws_bucket_match(const ws_bucket *b, uint32_t hash)
{
#if defined(__SSE2__) && !defined(WS_TSAN)
    __m128i tags = _mm_load_si128((const __m128i *)(const void *)b);
    __m128i equal = _mm_cmpeq_epi8(tags, _mm_set1_epi8((char)hash));
    return (uint32_t)_mm_movemask_epi8(equal) & 0xfff;
#else
    return ws_bucket_match_scalar(b, hash);
#endif
}

/* Keys are short: eight bytes at a time, the last eight overlapping, beats a call of memcmp. */
static inline int ws_bytes_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
    if (n < 8)
        return memcmp(a, b, n) == 0;
    for (size_t i = 0; i + 8 < n; i += 8)
        if (ws_load_u64le(a + i) != ws_load_u64le(b + i))
            return 0;
    return ws_load_u64le(a + n - 8) == ws_load_u64le(b + n - 8);
}

static inline int ws_entry_is(const ws_entry *e, uint32_t hash, ws_str key)
{
    return e->hash == hash && e->key_len == key.len &&
           ws_bytes_equal(e->bytes, (const uint8_t *)key.ptr, key.len);
}

#endif
