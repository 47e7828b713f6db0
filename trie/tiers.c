#include "trie/tiers.h"

#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"

#define FUZZY_UNITS_MIN 4u

typedef struct {
    const ws_entries *entries;
    const ws_typed *typed;
    const ws_trees *trees;
    ws_tiers_scratch *scratch;
    uint32_t k;
    uint32_t tier;
    ws_str key;   /* what this tier looks for; fuzzy: what was typed */
    int initials; /* `key` is initials */
    int verify;   /* each candidate is checked (mixed) */
} finder;

/* --- what the keys cover --- */

/* Bytes of `normal` up to the end of the character that key number n - 1 falls into. */
static uint32_t end_of_keys(ws_str normal, size_t n, int initials)
{
    size_t keys = 0, at = 0;
    while (at < normal.len && keys < n) {
        char one[8];
        uint32_t c;
        size_t length = ws_utf8_decode(normal, at, &c);
        ws_str character = ws_str_make(normal.ptr + at, length);
        keys += initials ? ws_chosung_key(character, one, sizeof one)
                         : ws_jamo_key(character, one, sizeof one);
        at += length;
    }
    return (uint32_t)at;
}

/* Where the last syllable typed holds the first consonant of the entry's next one (ㄷ핞 for
 * 대한ㅎ...), that one is covered too. */
static size_t covered_initials(const finder *f, ws_str normal)
{
    char last[8], there[8];
    size_t n = f->key.len, from = ws_utf8_floor(f->typed->text, f->typed->text.len - 1);
    size_t n_last = ws_jamo_key(ws_str_sub(f->typed->text, from, f->typed->text.len), last, 8);
    uint32_t c, end = end_of_keys(normal, n, 1);
    ws_utf8_decode(f->typed->text, from, &c);
    size_t start = ws_utf8_floor(normal, end - 1);
    size_t n_there = ws_jamo_key(ws_str_sub(normal, start, end), there, 8);
    return ws_is_syllable(c) && n_last > n_there ? n + 1 : n;
}

/* The one found before in this tier is often spelled alike up to there: then it ends there. */
static int is_covered_alike(const finder *f, const ws_entry *entry, uint32_t *end)
{
    const ws_tiers_scratch *s = f->scratch;
    if (f->tier > WS_TIER_PREFIX || s->n == 0)
        return 0;
    const ws_entry *other = ws_entry_at(f->entries, s->found[s->n - 1].ref);
    ws_str a = ws_entry_surface(entry), b = ws_entry_surface(other);
    if ((entry->flags & WS_ENTRY_NORMAL) == WS_ENTRY_NORMAL_STORED ||
        (other->flags & WS_ENTRY_NORMAL) == WS_ENTRY_NORMAL_STORED)
        return 0;
    *end = s->found[s->n - 1].covered;
    return *end <= a.len && memcmp(a.ptr, b.ptr, *end) == 0;
}

static uint32_t covered(const finder *f, const ws_entry *entry, uint32_t place)
{
    char buffer[WS_ENTRY_TEXT_MAX];
    uint32_t end;
    if (is_covered_alike(f, entry, &end))
        return end;
    ws_str normal = ws_entry_normal(entry, buffer);
    if (f->tier == WS_TIER_FUZZY)
        return end_of_keys(normal, ws_fuzzy_length(f->key, f->scratch->edits[place]), 0);
    if (f->verify)
        return end_of_keys(normal, covered_initials(f, normal), 1);
    return end_of_keys(normal, f->key.len, f->initials);
}

/* --- one candidate --- */

static int is_verified(const finder *f, const ws_entry *entry)
{
    char buffer[WS_ENTRY_TEXT_MAX];
    return ws_chosung_match(f->typed->text, ws_entry_normal(entry, buffer));
}

static uint64_t hash_key(const finder *f, const ws_entry *entry)
{
    char key[WS_KEY_MAX];
    /* Without contexts keys are unique. */
    if (atomic_load_explicit(&f->entries->n_contexts, memory_order_relaxed) == 1)
        return 0;
    return ws_hash64(key, ws_entry_key(entry, key));
}

/* 1 when an entry found before has this target, or this key. */
static int is_known(const finder *f, uint32_t ref, uint64_t target, uint64_t key)
{
    const ws_tiers_scratch *s = f->scratch;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->found[i].ref == ref || s->targets[i] == target || (key && s->keys[i] == key))
            return 1;
    return 0;
}

static void take(finder *f, const ws_art_hit *hit)
{
    ws_tiers_scratch *s = f->scratch;
    const ws_entry *entry = ws_entry_at(f->entries, hit->id);
    ws_str to = ws_entry_target(entry);
    uint64_t target = ws_hash64(to.ptr, to.len), key = hash_key(f, entry);
    if (is_known(f, hit->id, target, key) || (f->verify && !is_verified(f, entry)))
        return;
    uint32_t end = covered(f, entry, hit->root);
    s->targets[s->n] = target;
    s->keys[s->n] = key;
    s->found[s->n++] = (ws_completion){hit->id, hit->score, f->tier, end};
}

/* --- one tier --- */

/* One wait for all of them, not one for each. */
static void prefetch_entries(const finder *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to && i < from + WS_TIERS_K_MAX; i++)
        __builtin_prefetch(ws_entry_at(f->entries, f->scratch->hits[i].id));
}

/* Takes the best ones below some places. Those that are known already are among the first: as many
 * more are asked for, and all that may be looked at when that was not enough. */
static void take_best(finder *f, const ws_art *art, const ws_art_place *places, uint32_t n_places)
{
    ws_tiers_scratch *s = f->scratch;
    uint32_t wanted = f->verify ? WS_TIERS_LOOK : WS_MIN(f->k, WS_TIERS_LOOK), done = 0;
    for (;;) {
        uint32_t n = ws_art_top(art, places, n_places, wanted, &s->top, s->hits);
        prefetch_entries(f, done, n);
        for (uint32_t i = done; i < n && s->n < f->k; i++)
            take(f, &s->hits[i]);
        s->looked += n;
        if (s->n == f->k || n < wanted || wanted == WS_TIERS_LOOK)
            return;
        done = n;
        wanted = WS_TIERS_LOOK;
    }
}

static void find_prefix(finder *f, const ws_art *art, ws_str prefix)
{
    ws_art_place place;
    f->scratch->leaf.id = UINT32_MAX; /* an id's key is another one in another tree */
    if (f->scratch->n < f->k && ws_art_start(art, &place) &&
        ws_art_walk(art, &place, prefix, &f->scratch->leaf))
        take_best(f, art, &place, 1);
}

/* The entry with exactly this key: its tree keys go on with byte 0. */
static void find_exact(finder *f, ws_str key)
{
    char with_end[WS_TYPED_KEY_MAX + 1];
    uint32_t k = f->k;
    if (key.len == 0)
        return;
    memcpy(with_end, key.ptr, key.len);
    with_end[key.len] = 0;
    f->k = WS_MIN(k, f->scratch->n + 1);
    find_prefix(f, &f->trees->keys, ws_str_make(with_end, key.len + 1));
    f->k = k;
}

static void literal(finder *f, ws_str key, uint32_t exact_tier, uint32_t prefix_tier)
{
    f->key = key;
    f->tier = exact_tier;
    find_exact(f, key);
    f->tier = prefix_tier;
    find_prefix(f, &f->trees->keys, key);
}

static void by_initials(finder *f, ws_str initials, uint32_t tier, int verify)
{
    f->key = initials;
    f->tier = tier;
    f->initials = 1;
    f->verify = verify;
    find_prefix(f, &f->trees->initials, initials);
    f->initials = f->verify = 0;
}

static void other_layouts(finder *f)
{
    for (uint32_t i = 0; i < 2; i++)
        if (f->typed->layouts[i].n)
            literal(f, ws_typed_str(&f->typed->layouts[i]), WS_TIER_LAYOUT, WS_TIER_LAYOUT);
}

static void one_edit_away(finder *f)
{
    f->key = ws_typed_str(&f->typed->key);
    f->tier = WS_TIER_FUZZY;
    if (f->scratch->n == f->k)
        return;
    uint32_t n = ws_fuzzy_places(&f->trees->keys, f->key, f->scratch);
    if (n)
        take_best(f, &f->trees->keys, f->scratch->places, n);
}

/* The tiers behind the literal ones. */
static void other_readings(finder *f, ws_typed *typed, uint32_t tiers)
{
    ws_typed_complete(typed);
    if (typed->is_chosung && (tiers & 1u << WS_TIER_CHOSUNG))
        by_initials(f, ws_typed_str(&typed->key), WS_TIER_CHOSUNG, 0);
    if (typed->is_mixed && (tiers & 1u << WS_TIER_MIXED))
        by_initials(f, ws_typed_str(&typed->initials), WS_TIER_MIXED, 1);
    if (tiers & 1u << WS_TIER_LAYOUT)
        other_layouts(f);
    if (typed->n_units >= FUZZY_UNITS_MIN && (tiers & 1u << WS_TIER_FUZZY))
        one_edit_away(f);
}

uint32_t ws_tiers_find(const ws_entries *entries, ws_typed *typed, const ws_tiers_options *options,
                       ws_tiers_scratch *scratch)
{
    finder f = {.entries = entries,
                .typed = typed,
                .trees = entries->contexts[options->context],
                .scratch = scratch,
                .k = WS_MIN(options->k, WS_TIERS_K_MAX)};
    scratch->n = 0;
    scratch->looked = scratch->top.visited = 0;
    uint32_t tiers = options->tiers;
    if (tiers & (1u << WS_TIER_EXACT | 1u << WS_TIER_PREFIX))
        literal(&f, ws_typed_str(&typed->key), WS_TIER_EXACT, WS_TIER_PREFIX);
    if (scratch->n < f.k)
        other_readings(&f, typed, tiers);
    return scratch->n;
}
