#include "cache/table.h"

#include "base/mem.h"

#define LOAD_NUM 3u /* of 4: about 3 % of the entries spill */
#define LOAD_DEN 4u

static uint32_t buckets_for(uint32_t entries)
{
    uint64_t slots = (uint64_t)entries * LOAD_DEN / LOAD_NUM + WS_BUCKET_SLOTS;
    return (uint32_t)WS_MAX(slots / WS_BUCKET_SLOTS + 1, (uint64_t)WS_TABLE_PROBES);
}

size_t ws_table_bytes_for(uint32_t entries)
{
    return sizeof(ws_table) + ((size_t)buckets_for(entries) + 1) * sizeof(ws_bucket);
}

size_t ws_table_bytes(const ws_table *t)
{
    return sizeof(ws_table) + ((size_t)t->n_buckets + 1) * sizeof(ws_bucket);
}

ws_table *ws_table_new(uint32_t entries)
{
    uint8_t *memory = ws_calloc(1, ws_table_bytes_for(entries));
    if (!memory)
        return NULL;
    ws_table *t = (ws_table *)(void *)(memory + (-(uintptr_t)memory & (sizeof(ws_bucket) - 1)));
    t->memory = memory;
    t->n_buckets = buckets_for(entries);
    return t;
}

void ws_table_free(ws_table *t)
{
    if (t)
        ws_free(t->memory);
}

int ws_table_is_full(const ws_table *t)
{
    return (uint64_t)t->count * LOAD_DEN >= (uint64_t)t->n_buckets * WS_BUCKET_SLOTS * LOAD_NUM;
}

/* --- changing, under the mutex --- */

static void set_tag(ws_bucket *b, uint32_t slot, uint8_t tag)
{
    if (slot < 8) {
        uint64_t tags = atomic_load_explicit(&b->tags_low, memory_order_relaxed);
        tags = (tags & ~((uint64_t)0xff << (8 * slot))) | (uint64_t)tag << (8 * slot);
        atomic_store_explicit(&b->tags_low, tags, memory_order_relaxed);
    } else {
        uint32_t shift = 8 * (slot - 8);
        uint32_t tags = atomic_load_explicit(&b->tags_high, memory_order_relaxed);
        tags = (tags & ~(0xffu << shift)) | (uint32_t)tag << shift;
        atomic_store_explicit(&b->tags_high, tags, memory_order_relaxed);
    }
}

static int find_slot(const ws_bucket *b, uint32_t ref)
{
    for (uint32_t i = 0; i < WS_BUCKET_SLOTS; i++)
        if (atomic_load_explicit(&b->refs[i], memory_order_relaxed) == ref)
            return (int)i;
    return -1;
}

static void add_spilled(ws_table *t, uint32_t home, uint32_t change)
{
    ws_bucket *b = &t->buckets[home];
    uint32_t n = atomic_load_explicit(&b->spilled, memory_order_relaxed);
    atomic_store_explicit(&b->spilled, n + change, memory_order_release);
}

/* The entry first, then the count: a reader that sees the count finds the entry. One that does not
 * see it yet is before the insertion. */
int ws_table_insert(ws_table *t, uint32_t hash, uint32_t ref)
{
    uint32_t home = ws_table_home(t, hash);
    for (uint32_t i = 0; i < WS_TABLE_PROBES; i++) {
        uint32_t at = ws_table_probe(t, hash, i);
        ws_bucket *b = &t->buckets[at];
        int slot = find_slot(b, 0);
        if (slot < 0)
            continue;
        set_tag(b, (uint32_t)slot, (uint8_t)hash);
        atomic_store_explicit(&b->refs[slot], ref, memory_order_release);
        if (at != home)
            add_spilled(t, home, 1);
        t->count++;
        return 1;
    }
    return 0;
}

/* Where `ref` is; *at is its bucket. */
static uint32_t locate(const ws_table *t, uint32_t hash, uint32_t ref, uint32_t *at)
{
    for (uint32_t i = 0;; i++) {
        *at = ws_table_probe(t, hash, i);
        int slot = find_slot(&t->buckets[*at], ref);
        if (slot >= 0)
            return (uint32_t)slot;
    }
}

void ws_table_replace(ws_table *t, uint32_t hash, uint32_t old, uint32_t ref)
{
    uint32_t at, slot = locate(t, hash, old, &at);
    atomic_store_explicit(&t->buckets[at].refs[slot], ref, memory_order_release);
}

void ws_table_remove(ws_table *t, uint32_t hash, uint32_t ref)
{
    uint32_t at, slot = locate(t, hash, ref, &at);
    atomic_store_explicit(&t->buckets[at].refs[slot], 0, memory_order_release);
    if (at != ws_table_home(t, hash))
        add_spilled(t, ws_table_home(t, hash), UINT32_MAX);
    t->count--;
}

static uint32_t find_in(const ws_bucket *b, const char *base, uint32_t hash, ws_str key)
{
    for (uint32_t match = ws_bucket_match(b, hash); match; match &= match - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(match);
        uint32_t ref = atomic_load_explicit(&b->refs[slot], memory_order_relaxed);
        if (ref && ws_entry_is(ws_entry_at(base, ref), hash, key))
            return ref;
    }
    return 0;
}

uint32_t ws_table_find(const ws_table *t, const char *base, uint32_t hash, ws_str key)
{
    uint32_t at = ws_table_home(t, hash);
    uint32_t ref = find_in(&t->buckets[at], base, hash, key);
    if (ref || !atomic_load_explicit(&t->buckets[at].spilled, memory_order_relaxed))
        return ref;
    for (uint32_t i = 1; i < WS_TABLE_PROBES && !ref; i++) {
        ref = find_in(&t->buckets[ws_table_probe(t, hash, i)], base, hash, key);
    }
    return ref;
}

int ws_table_copy(ws_table *to, const ws_table *from, const char *base)
{
    for (uint32_t b = 0; b < from->n_buckets; b++)
        for (uint32_t i = 0; i < WS_BUCKET_SLOTS; i++) {
            uint32_t ref = atomic_load_explicit(&from->buckets[b].refs[i], memory_order_relaxed);
            if (ref && !ws_table_insert(to, ws_entry_at(base, ref)->hash, ref))
                return 0;
        }
    return 1;
}

void ws_table_clear(ws_table *t)
{
    for (uint32_t b = 0; b < t->n_buckets; b++)
        for (uint32_t i = 0; i < WS_BUCKET_SLOTS; i++)
            atomic_store_explicit(&t->buckets[b].refs[i], 0, memory_order_release);
}
