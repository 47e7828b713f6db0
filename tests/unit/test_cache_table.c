/* The table against an array of what is in it. */
#include "cache/table.h"

#include <stdlib.h>

#include "tests/support/rng.h"
#include "tests/support/test.h"

#define KEYS 3000u
#define CELL 4u /* references a cell takes: header and key in 64 bytes */

typedef struct {
    ws_rng rng;
    char *arena;
    uint32_t ref[KEYS]; /* of a key, 0 = not in */
    ws_table *table;
    uint32_t mask; /* of hashes: few bits make many collide */
} world;

static uint32_t hash_of(const world *w, uint32_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & w->mask;
}

static uint32_t make(world *w, uint32_t key, uint32_t copy)
{
    uint32_t ref = (1 + key * 2 + copy) * CELL;
    ws_entry *e = ws_entry_at(w->arena, ref);
    e->hash = hash_of(w, key);
    e->key_len = sizeof key;
    memcpy(e->bytes, &key, sizeof key);
    return ref;
}

static void begin(world *w, uint64_t seed, uint32_t entries, uint32_t mask)
{
    memset(w, 0, sizeof *w);
    w->rng = ws_rng_seeded(seed);
    w->mask = mask;
    w->arena = calloc(2 * KEYS + 2, CELL * WS_REF_UNIT);
    w->table = ws_table_new(entries);
    cr_assert_not_null(w->table);
    cr_assert_eq((uintptr_t)w->table->buckets % 64, 0u);
    cr_assert_eq(ws_table_bytes(w->table), ws_table_bytes_for(entries));
}

static void end(world *w)
{
    ws_table_free(w->table);
    free(w->arena);
}

static uint32_t find(const world *w, uint32_t key)
{
    ws_str bytes = {(const char *)&key, sizeof key};
    return ws_table_find(w->table, w->arena, hash_of(w, key), bytes);
}

static void check_all(const world *w)
{
    uint32_t n = 0;
    for (uint32_t key = 0; key < KEYS; key++) {
        cr_assert_eq(find(w, key), w->ref[key], "seed %llu", (unsigned long long)w->rng.seed);
        n += w->ref[key] != 0;
    }
    cr_assert_eq(w->table->count, n);
}

static uint32_t change(world *w, uint32_t key)
{
    uint32_t old = w->ref[key], hash = hash_of(w, key);
    if (!old) {
        uint32_t ref = make(w, key, 0);
        if (!ws_table_insert(w->table, hash, ref))
            return 1;
        w->ref[key] = ref;
    } else if (ws_rng_below(&w->rng, 3) == 0) {
        w->ref[key] = make(w, key, old == (1 + key * 2) * CELL);
        ws_table_replace(w->table, hash, old, w->ref[key]);
    } else {
        ws_table_remove(w->table, hash, old);
        w->ref[key] = 0;
    }
    return 0;
}

Test(cache_table, finds_what_is_in_it_and_nothing_else)
{
    world w;
    begin(&w, 1, KEYS / 4 * 3, UINT32_MAX); /* 60 % of the keys are in, most of the time */
    uint32_t refused = 0;
    for (uint32_t step = 0; step < 40000; step++) {
        refused += change(&w, (uint32_t)ws_rng_below(&w.rng, KEYS));
        if (step % 4000 == 0)
            check_all(&w);
    }
    check_all(&w);
    cr_assert_eq(refused, 0u, "at this load every bucket finds room nearby");
    end(&w);
}

/* Hashes of few values: buckets overflow, and an insertion that finds no room changes nothing. */
Test(cache_table, colliding_hashes_are_refused_not_lost)
{
    world w;
    begin(&w, 2, KEYS, 0xf0000000u);
    uint32_t refused = 0;
    for (uint32_t step = 0; step < 20000; step++) {
        refused += change(&w, (uint32_t)ws_rng_below(&w.rng, KEYS));
        if (step % 2000 == 0)
            check_all(&w);
    }
    cr_assert_gt(refused, 0u);
    end(&w);
}

Test(cache_table, a_copy_into_a_larger_one_has_everything)
{
    world w;
    begin(&w, 3, KEYS / 3, UINT32_MAX);
    uint32_t full_at = 0;
    for (uint32_t key = 0; key < KEYS; key++) {
        if (!full_at && ws_table_is_full(w.table))
            full_at = key;
        if (ws_table_is_full(w.table)) {
            ws_table *old = w.table;
            w.table = ws_table_new(old->count * 2);
            cr_assert_eq(ws_table_copy(w.table, old, w.arena), 1);
            ws_table_clear(old);
            for (uint32_t b = 0; b < old->n_buckets; b++)
                for (uint32_t i = 0; i < WS_BUCKET_SLOTS; i++)
                    cr_assert_eq(atomic_load(&old->buckets[b].refs[i]), 0u);
            ws_table_free(old);
        }
        cr_assert_eq(change(&w, key), 0u);
    }
    cr_assert_geq(full_at, KEYS / 3);
    check_all(&w);
    end(&w);
}

/* The tag match may name slots that do not match, but never misses one that does. */
Test(cache_table, tag_match_misses_none)
{
    ws_rng rng = ws_rng_seeded(4);
    for (uint32_t step = 0; step < 100000; step++) {
        uint8_t tags[8], tag = (uint8_t)ws_rng_below(&rng, 4);
        for (uint32_t i = 0; i < 8; i++)
            tags[i] = (uint8_t)ws_rng_below(&rng, 4);
        uint32_t match = ws_tags_match(ws_load_u64le(tags), tag);
        int first = 1;
        for (uint32_t i = 0; i < 8; i++) {
            int bit = match >> i & 1;
            cr_assert(tags[i] != tag || bit, "seed %llu", (unsigned long long)rng.seed);
            cr_assert(!first || tags[i] == tag || !bit, "exact up to the first one that matches");
            first &= tags[i] != tag;
        }
    }
}

Test(cache_table, both_ways_to_match_a_bucket_find_the_same_slot_first)
{
    ws_rng rng = ws_rng_seeded(5);
    _Alignas(64) ws_bucket b;
    for (uint32_t step = 0; step < 100000; step++) {
        uint64_t low = 0;
        for (uint32_t i = 0; i < 8; i++)
            low |= ws_rng_below(&rng, 6) << (8 * i);
        atomic_store(&b.tags_low, low);
        atomic_store(&b.tags_high, (uint32_t)ws_rng_below(&rng, 6) * 0x01010101u);
        atomic_store(&b.spilled, (uint32_t)ws_rng_below(&rng, 6));
        uint32_t tag = (uint32_t)ws_rng_below(&rng, 6);
        uint32_t one = ws_bucket_match(&b, tag), two = ws_bucket_match_scalar(&b, tag);
        cr_assert_eq(one & (0u - one), two & (0u - two), "seed %llu", (unsigned long long)rng.seed);
        cr_assert_eq(one & ~two, 0u, "none is missed");
    }
}
