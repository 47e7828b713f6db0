#include "trie/entries.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "engine/text/jamo.h"
#include "trie/decay.h"

/* Four trees change together: what they may need is reserved before the first does. */
#define PUT_UNITS     (4 * WS_ART_UNITS + 2 * 100)
#define PUT_BLOCKS    (4 * WS_ART_BLOCKS + 1)
#define REMOVE_UNITS  (4 * WS_ART_DELETE_UNITS)
#define REMOVE_BLOCKS (4 * WS_ART_DELETE_BLOCKS + 1)

/* --- keys --- */

size_t ws_entry_key(const ws_entry *entry, char out[WS_KEY_MAX])
{
    char buffer[WS_ENTRY_TEXT_MAX];
    return ws_jamo_key(ws_entry_normal(entry, buffer), out, WS_KEY_MAX);
}

static size_t end_key(const ws_entry *entry, char *out, size_t n)
{
    out[n++] = 0;
    out[n++] = (char)entry->context;
    return n;
}

static size_t keys_key(const void *ctx, uint32_t ref, char out[WS_ART_KEY_MAX])
{
    const ws_entry *entry = ws_entry_at(ctx, ref);
    return end_key(entry, out, ws_entry_key(entry, out));
}

static size_t initials_key(const void *ctx, uint32_t ref, char out[WS_ART_KEY_MAX])
{
    char buffer[WS_ENTRY_TEXT_MAX];
    const ws_entry *entry = ws_entry_at(ctx, ref);
    ws_str normal = ws_entry_normal(entry, buffer);
    size_t n = ws_chosung_key(normal, out, WS_ENTRY_TEXT_MAX);
    out[n++] = 0;
    n += ws_jamo_key(normal, out + n, WS_KEY_MAX);
    return end_key(entry, out, n);
}

_Static_assert(WS_ENTRY_TEXT_MAX + WS_ENTRY_TEXT_MAX / 3 * 5 + 3 <= WS_ART_KEY_MAX,
               "a key's length");

/* A Hangul symbol at the start of a character: symbols are UTF-8 continuation bytes, so characters
 * of other scripts are skipped whole. */
static int has_hangul(ws_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        uint8_t b = (uint8_t)key.ptr[i];
        if (b >= WS_JAMO_CONSONANT && b < WS_JAMO_END)
            return 1;
        if (b >= 0xc0)
            i += b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1;
    }
    return 0;
}

/* --- the set --- */

static void init_trees(ws_entries *entries, ws_trees *trees)
{
    ws_art_init(&trees->keys, &entries->pool, keys_key, entries);
    ws_art_init(&trees->initials, &entries->pool, initials_key, entries);
}

ws_status ws_entries_init(ws_entries *entries)
{
    memset(entries, 0, sizeof *entries);
    init_trees(entries, &entries->all);
    entries->contexts[0] = &entries->all;
    atomic_init(&entries->n_contexts, 1);
    return ws_pool_init(&entries->pool);
}

void ws_entries_fini(ws_entries *entries)
{
    uint32_t n = atomic_load_explicit(&entries->n_contexts, memory_order_relaxed);
    for (uint32_t i = 1; i < n; i++) {
        ws_free(entries->contexts[i]);
        ws_free(entries->names[i]);
    }
    ws_pool_fini(&entries->pool);
}

uint32_t ws_entries_find_context(const ws_entries *entries, ws_str name)
{
    /* Acquire: the names below the number are written. */
    uint32_t n = atomic_load_explicit(&entries->n_contexts, memory_order_acquire);
    if (name.len == 0)
        return 0;
    for (uint32_t i = 1; i < n; i++)
        if (ws_str_eq(ws_cstr(entries->names[i]), name))
            return i;
    return UINT32_MAX;
}

ws_status ws_entries_context(ws_entries *entries, ws_str name, int add, uint32_t *context)
{
    uint32_t n = atomic_load_explicit(&entries->n_contexts, memory_order_relaxed);
    *context = ws_entries_find_context(entries, name);
    if (*context != UINT32_MAX || !add)
        return WS_OK;
    if (name.len > WS_ENTRY_TEXT_MAX || memchr(name.ptr, 0, name.len))
        return WS_ERR_ARG;
    if (n == WS_CONTEXTS_MAX)
        return WS_ERR_LIMIT;
    ws_trees *trees = ws_malloc(sizeof *trees);
    char *copy = ws_memdup0(name.ptr, name.len);
    if (!trees || !copy) {
        ws_free(trees);
        ws_free(copy);
        return WS_ERR_NOMEM;
    }
    init_trees(entries, trees);
    entries->contexts[n] = trees;
    entries->names[n] = copy;
    *context = n;
    atomic_store_explicit(&entries->n_contexts, n + 1, memory_order_release);
    return WS_OK;
}

uint64_t ws_entries_bytes(const ws_entries *entries)
{
    return sizeof *entries + ws_pool_bytes(&entries->pool) +
           (uint64_t)(entries->n_contexts - 1) * sizeof(ws_trees);
}

/* --- records --- */

static uint32_t normal_kind(const ws_entry_text *text)
{
    if (ws_str_eq(text->surface, text->normal))
        return WS_ENTRY_NORMAL_SAME;
    if (text->surface.len != text->normal.len)
        return WS_ENTRY_NORMAL_STORED;
    for (size_t i = 0; i < text->normal.len; i++) {
        uint8_t b = (uint8_t)text->surface.ptr[i];
        if ((char)(b + (b >= 'A' && b <= 'Z' ? 32 : 0)) != text->normal.ptr[i])
            return WS_ENTRY_NORMAL_STORED;
    }
    return WS_ENTRY_NORMAL_LOWER;
}

static uint8_t *copy_bytes(uint8_t *to, ws_str from)
{
    memcpy(to, from.ptr, from.len);
    return to + from.len;
}

/* A new record, which nothing refers to yet. Reserved before. */
static uint32_t make_record(ws_entries *entries, const ws_entry_text *text)
{
    uint32_t kind = normal_kind(text);
    int stored = kind == WS_ENTRY_NORMAL_STORED;
    int target = text->target.len && !ws_str_eq(text->target, text->surface);
    size_t bytes = offsetof(ws_entry, rest) + 1 + text->surface.len +
                   (stored ? 1 + text->normal.len : 0) + (target ? 1 + text->target.len : 0);
    uint32_t ref = ws_pool_alloc(&entries->pool, ws_pool_units(bytes));
    ws_entry *e = ws_pool_at(&entries->pool, ref);
    atomic_init(&e->score, ws_decay_16(text->score));
    atomic_init(&e->fraction, (uint16_t)text->score);
    e->context = (uint8_t)text->context;
    e->flags =
        (uint8_t)(kind | (target ? WS_ENTRY_TARGET : 0) | (text->learned ? WS_ENTRY_LEARNED : 0));
    uint8_t *p = e->rest;
    *p++ = (uint8_t)text->surface.len;
    if (stored)
        *p++ = (uint8_t)text->normal.len;
    if (target)
        *p++ = (uint8_t)text->target.len;
    p = copy_bytes(p, text->surface);
    if (stored)
        p = copy_bytes(p, text->normal);
    if (target)
        copy_bytes(p, text->target);
    return ref;
}

static void retire_record(ws_entries *entries, uint32_t ref)
{
    ws_pool_retire(&entries->pool, ref, ws_pool_units(ws_entry_bytes(ws_entry_at(entries, ref))));
}

/* --- all trees of an entry --- */

typedef struct {
    ws_art *trees[4];
    ws_str keys[4];
    uint32_t n;
    char key[WS_ART_KEY_MAX], initials[WS_ART_KEY_MAX];
} places;

/* K is made once: it is a part of both tree keys. */
static void make_keys(const ws_entry *entry, ws_str key, places *p, ws_str keys[2])
{
    char buffer[WS_ENTRY_TEXT_MAX];
    memcpy(p->key, key.ptr, key.len);
    keys[0] = ws_str_make(p->key, end_key(entry, p->key, key.len));
    keys[1] = ws_str_make(NULL, 0);
    if (!has_hangul(key))
        return;
    size_t n = ws_chosung_key(ws_entry_normal(entry, buffer), p->initials, WS_ENTRY_TEXT_MAX);
    p->initials[n++] = 0;
    memcpy(p->initials + n, keys[0].ptr, keys[0].len);
    keys[1] = ws_str_make(p->initials, n + keys[0].len);
}

static void find_places(ws_entries *entries, uint32_t ref, ws_str key, places *p)
{
    const ws_entry *entry = ws_entry_at(entries, ref);
    ws_str keys[2];
    make_keys(entry, key, p, keys);
    p->n = 0;
    for (uint32_t context = 0;; context = entry->context) {
        ws_trees *trees = entries->contexts[context];
        for (uint32_t i = 0; i < 2; i++) {
            if (!keys[i].len)
                continue;
            p->trees[p->n] = i ? &trees->initials : &trees->keys;
            p->keys[p->n++] = keys[i];
        }
        if (context == entry->context)
            return;
    }
}

static void find_places_of(ws_entries *entries, uint32_t ref, places *p)
{
    char key[WS_KEY_MAX];
    size_t n = ws_entry_key(ws_entry_at(entries, ref), key);
    find_places(entries, ref, ws_str_make(key, n), p);
}

void ws_entries_set_score(ws_entries *entries, uint32_t ref, uint64_t score)
{
    places p;
    ws_entry *entry = ws_pool_at(&entries->pool, ref);
    uint32_t old = atomic_load_explicit(&entry->score, memory_order_relaxed);
    atomic_store_explicit(&entry->score, ws_decay_16(score), memory_order_relaxed);
    atomic_store_explicit(&entry->fraction, (uint16_t)score, memory_order_relaxed);
    if (old == ws_decay_16(score))
        return;
    find_places_of(entries, ref, &p);
    for (uint32_t i = 0; i < p.n; i++)
        ws_art_set_score(p.trees[i], p.keys[i], ws_decay_16(score));
}

static int is_learned(const ws_entries *entries, uint32_t ref)
{
    return (ws_entry_at(entries, ref)->flags & WS_ENTRY_LEARNED) != 0;
}

/* The new text takes the place of an entry with its key and context. */
static void replace(ws_entries *entries, uint32_t old, const ws_entry_text *text, uint32_t *ref)
{
    places p;
    ws_entry_text kept = *text;
    kept.learned = text->learned && is_learned(entries, old);
    kept.score = WS_MAX(text->score, ws_entry_score(ws_entry_at(entries, old)));
    *ref = make_record(entries, &kept);
    entries->n_learned -= (uint64_t)(!kept.learned && is_learned(entries, old));
    find_places_of(entries, *ref, &p);
    for (uint32_t i = 0; i < p.n; i++)
        ws_art_replace(p.trees[i], p.keys[i], *ref, ws_decay_16(kept.score));
    retire_record(entries, old);
}

static void insert(ws_entries *entries, const ws_entry_text *text, ws_str key, uint32_t *ref)
{
    places p;
    *ref = make_record(entries, text);
    find_places(entries, *ref, key, &p);
    for (uint32_t i = 0; i < p.n; i++)
        ws_art_insert(p.trees[i], p.keys[i], *ref, ws_decay_16(text->score));
    entries->n_learned += text->learned != 0;
}

static ws_status check_text(const ws_entries *entries, const ws_entry_text *text, ws_str key)
{
    if (text->surface.len == 0 || text->surface.len > WS_ENTRY_TEXT_MAX ||
        text->normal.len > WS_ENTRY_TEXT_MAX || text->target.len > WS_ENTRY_TEXT_MAX)
        return WS_ERR_ARG;
    if (text->context >= atomic_load_explicit(&entries->n_contexts, memory_order_relaxed))
        return WS_ERR_ARG;
    return key.len == 0 || key.len > WS_KEY_MAX || memchr(key.ptr, 0, key.len) ? WS_ERR_ARG : WS_OK;
}

ws_status ws_entries_put(ws_entries *entries, const ws_entry_text *text, uint32_t *ref)
{
    char buffer[WS_KEY_MAX];
    uint32_t made;
    ws_str key = ws_str_make(buffer, ws_jamo_key(text->normal, buffer, sizeof buffer));
    WS_TRY(check_text(entries, text, key));
    WS_TRY(ws_pool_reserve(&entries->pool, PUT_UNITS, PUT_BLOCKS));
    uint32_t old = ws_entries_find(entries, key, text->context);
    if (!old)
        insert(entries, text, key, &made);
    else if (text->score > ws_entry_score(ws_entry_at(entries, old)) ||
             (is_learned(entries, old) && !text->learned))
        replace(entries, old, text, &made);
    else
        made = old;
    if (ref)
        *ref = made;
    return WS_OK;
}

ws_status ws_entries_add(ws_entries *entries, const ws_entry_text *text, ws_str key)
{
    uint32_t ref;
    WS_TRY(check_text(entries, text, key));
    WS_TRY(ws_pool_reserve(&entries->pool, PUT_UNITS, PUT_BLOCKS));
    insert(entries, text, key, &ref);
    return WS_OK;
}

uint32_t ws_entries_find(const ws_entries *entries, ws_str key, uint32_t context)
{
    char full[WS_KEY_MAX + 2];
    uint32_t ref;
    if (key.len > WS_KEY_MAX)
        return 0;
    memcpy(full, key.ptr, key.len);
    full[key.len] = 0;
    full[key.len + 1] = (char)context;
    return ws_art_search(&entries->all.keys, ws_str_make(full, key.len + 2), &ref, NULL) ? 0 : ref;
}

ws_status ws_entries_remove(ws_entries *entries, uint32_t ref)
{
    places p;
    WS_TRY(ws_pool_reserve(&entries->pool, REMOVE_UNITS, REMOVE_BLOCKS));
    find_places_of(entries, ref, &p);
    for (uint32_t i = 0; i < p.n; i++)
        ws_art_delete(p.trees[i], p.keys[i], NULL);
    entries->n_learned -= (uint64_t)is_learned(entries, ref);
    retire_record(entries, ref);
    return WS_OK;
}
