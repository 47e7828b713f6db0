/* Places one edit away from what was typed.
 *
 * The walk follows the key as typed; wherever it stands, it tries each edit once and goes on
 * literally. With q = typed and i behind its first key:
 *
 *   substitute  q[0, i) b q[i + 1, n)        delete     q[0, i) q[i + 1, n)
 *   insert      q[0, i) b q[i, n)            transpose  q[0, i) q[i + 1] q[i] q[i + 2, n)
 *
 * Only one-byte units (Hangul keys, letters, digits) are edited: half of a character of another
 * script says nothing. An edit is kept as (where, which, byte); the edited key is never written
 * down.
 */
#include <string.h>

#include "base/str.h"
#include "trie/art_int.h"
#include "trie/tiers.h"

enum { SUBSTITUTE, INSERT, DELETE, TRANSPOSE };

typedef struct {
    const ws_art *art;
    ws_tiers_scratch *scratch;
    ws_str key;
    uint32_t n; /* places found */
} search;

static int is_single(uint8_t byte)
{
    return byte != 0 && byte < 0xc0;
}

static size_t unit_length(uint8_t byte)
{
    return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

uint32_t ws_fuzzy_length(ws_str key, ws_fuzzy_edit edit)
{
    return (uint32_t)key.len + (edit.edit == INSERT) - (edit.edit == DELETE);
}

/* Byte j of the edited key. */
static uint8_t byte_at(ws_str key, ws_fuzzy_edit e, uint32_t j)
{
    if (j >= e.at) {
        if (j == e.at && (e.edit == SUBSTITUTE || e.edit == INSERT))
            return e.byte;
        if (e.edit == INSERT)
            j--;
        else if (e.edit == DELETE || (e.edit == TRANSPOSE && j == e.at))
            j++;
        else if (e.edit == TRANSPOSE && j == e.at + 1u)
            j--;
    }
    return (uint8_t)key.ptr[j];
}

/* Bytewise order of two edited keys; *common = length of what they share. */
static int compare(ws_str key, ws_fuzzy_edit a, ws_fuzzy_edit b, uint32_t *common)
{
    uint32_t n_a = ws_fuzzy_length(key, a), n_b = ws_fuzzy_length(key, b);
    uint32_t j = a.at < b.at ? a.at : b.at;
    for (; j < n_a && j < n_b; j++) {
        int difference = byte_at(key, a, j) - byte_at(key, b, j);
        if (difference) {
            *common = j;
            return difference;
        }
    }
    *common = j;
    return (n_a > n_b) - (n_a < n_b);
}

/* Keeps a place, in the order of the edited keys; the same key comes about in several ways. */
static void keep(search *s, ws_fuzzy_edit edit, const ws_art_place *place)
{
    ws_tiers_scratch *t = s->scratch;
    uint32_t low = 0, high = s->n, common;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = compare(s->key, t->edits[middle], edit, &common);
        if (order == 0)
            return;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (s->n == WS_FUZZY_PLACES_MAX)
        return;
    memmove(&t->edits[low + 1], &t->edits[low], (s->n - low) * sizeof *t->edits);
    memmove(&t->places[low + 1], &t->places[low], (s->n - low) * sizeof *t->places);
    t->edits[low] = edit;
    t->places[low] = *place;
    s->n++;
}

/* Goes on literally from byte `from` of the key. */
static void go_on(search *s, ws_art_place place, size_t from, ws_fuzzy_edit edit)
{
    ws_str rest = ws_str_sub(s->key, from, s->key.len);
    if (ws_art_walk(s->art, &place, rest, &s->scratch->leaf))
        keep(s, edit, &place);
}

static int step(search *s, ws_art_place *place, uint8_t byte)
{
    return ws_art_walk(s->art, place, ws_str_make((const char *)&byte, 1), &s->scratch->leaf);
}

/* All children of a place will be looked at: they are fetched from memory at the same time. An id
 * is the reference of an entry. */
static void prefetch_children(const search *s, const ws_art_place *place)
{
    uint32_t n;
    if (ws_art_is_leaf(place->slot))
        return;
    ws_art_node *node = ws_art_node_at(s->art->pool, place->slot);
    if (place->within < node->prefix_length)
        return;
    const ws_art_slot *slots = ws_art_slots(node, &n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t slot = ws_art_load(&slots[i]);
        if (slot)
            __builtin_prefetch(ws_pool_at(s->art->pool, ws_art_leaf_id(slot)));
    }
}

/* Edits by which the byte that comes next is another one. A substitution of the last byte is found
 * below its deletion; an insertion of the byte that is there anyway, at the end of its run. */
static void try_other_bytes(search *s, const ws_art_place *place, uint16_t i)
{
    uint8_t bytes[256], here = (uint8_t)s->key.ptr[i];
    uint32_t n = ws_art_next_bytes(s->art, place, bytes, &s->scratch->leaf);
    prefetch_children(s, place);
    for (uint32_t j = 0; j < n; j++) {
        ws_art_place next = *place;
        if (!is_single(bytes[j]) || bytes[j] == here || !step(s, &next, bytes[j]))
            continue;
        go_on(s, next, i, (ws_fuzzy_edit){i, INSERT, bytes[j]});
        if (is_single(here) && i + 1u < s->key.len)
            go_on(s, next, i + 1u, (ws_fuzzy_edit){i, SUBSTITUTE, bytes[j]});
    }
}

static void try_edits(search *s, const ws_art_place *place, uint16_t i)
{
    uint8_t here = (uint8_t)s->key.ptr[i];
    uint8_t next = i + 1u < s->key.len ? (uint8_t)s->key.ptr[i + 1] : 0;
    try_other_bytes(s, place, i);
    if (!is_single(here))
        return;
    go_on(s, *place, i + 1u, (ws_fuzzy_edit){i, DELETE, 0});
    ws_art_place swapped = *place;
    if (is_single(next) && next != here && step(s, &swapped, next) && step(s, &swapped, here))
        go_on(s, swapped, i + 2u, (ws_fuzzy_edit){i, TRANSPOSE, 0});
}

/* In order, what lies below a place comes right behind it. */
static uint32_t drop_nested(search *s)
{
    ws_tiers_scratch *t = s->scratch;
    uint32_t kept = 0, common;
    for (uint32_t i = 0; i < s->n; i++) {
        if (kept) {
            compare(s->key, t->edits[kept - 1], t->edits[i], &common);
            if (common == ws_fuzzy_length(s->key, t->edits[kept - 1]))
                continue;
        }
        t->edits[kept] = t->edits[i];
        t->places[kept++] = t->places[i];
    }
    return kept;
}

uint32_t ws_fuzzy_places(const ws_art *art, ws_str key, ws_tiers_scratch *scratch)
{
    search s = {art, scratch, key, 0};
    ws_art_place place;
    size_t i = unit_length((uint8_t)key.ptr[0]);
    scratch->leaf.id = UINT32_MAX;
    if (i > key.len || !ws_art_start(art, &place) ||
        !ws_art_walk(art, &place, ws_str_sub(key, 0, i), &scratch->leaf))
        return 0;
    while (i < key.len) {
        size_t n = unit_length((uint8_t)key.ptr[i]);
        try_edits(&s, &place, (uint16_t)i);
        if (i + n > key.len || !ws_art_walk(art, &place, ws_str_sub(key, i, i + n), &scratch->leaf))
            break;
        i += n;
    }
    return drop_nested(&s);
}
