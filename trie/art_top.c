/* The k best keys below some places.
 *
 * Candidates are slots with what is known of them: the maximum below. Since every candidate holds
 * at least one key with exactly its maximum, the k best candidates are enough: one that k others
 * precede cannot have a part in the answer. So a sorted list of k is all there is, no heap, and it
 * does not matter in which order its nodes are opened. They are opened in rounds, all of the list
 * at once: the nodes of a round are fetched from memory at the same time, where opening the best
 * one first, one after the other, would wait for each of them. When only leaves are left, they are
 * the answer.
 *
 * Equal maxima are ordered as their keys are. Each candidate knows the node that it came from and
 * its place among the slots there, which are in the order of their bytes; going up to the node that
 * two candidates have in common tells their order without looking at a key.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "trie/art_int.h"

#define NOWHERE 0xffffu /* the table of opened nodes was full: keys must be compared */

#define PREFETCH_LINES 3u

typedef struct {
    const ws_art *art;
    ws_art_opened *opened;
    uint32_t n_opened;
    ws_art_candidate *list; /* best first */
    uint32_t n, k;
} state;

/* --- order --- */

static ws_str first_key(const ws_art *art, uint64_t slot, char buffer[WS_ART_KEY_MAX])
{
    while (!ws_art_is_leaf(slot)) {
        uint32_t n, i = 0;
        const ws_art_slot *slots = ws_art_slots(ws_art_node_at(art->pool, slot), &n);
        while (!(slot = ws_art_load(&slots[i])))
            i++;
    }
    return ws_str_make(buffer, art->key(art->key_ctx, ws_art_leaf_id(slot), buffer));
}

static __attribute__((noinline)) int key_before(const ws_art *art, uint64_t a, uint64_t b)
{
    char key_a[WS_ART_KEY_MAX], key_b[WS_ART_KEY_MAX];
    return ws_str_cmp(first_key(art, a, key_a), first_key(art, b, key_b)) < 0;
}

static int way_before(const state *s, ws_art_opened a, ws_art_opened b)
{
    while (a.level > b.level)
        a = s->opened[a.parent];
    while (b.level > a.level)
        b = s->opened[b.parent];
    while (a.parent != b.parent) {
        a = s->opened[a.parent];
        b = s->opened[b.parent];
    }
    return a.order < b.order;
}

static int before(const state *s, const ws_art_candidate *a, const ws_art_candidate *b)
{
    uint32_t max_a = ws_art_slot_max(a->slot), max_b = ws_art_slot_max(b->slot);
    if (max_a != max_b)
        return max_a > max_b;
    if (a->way.level == NOWHERE || b->way.level == NOWHERE)
        return key_before(s->art, a->slot, b->slot);
    return way_before(s, a->way, b->way);
}

/* --- the list --- */

static void offer(state *s, const ws_art_candidate *c)
{
    uint32_t i = s->n;
    if (i == s->k) {
        if (!before(s, c, &s->list[i - 1]))
            return;
        i--;
    } else {
        s->n++;
    }
    for (; i > 0 && before(s, c, &s->list[i - 1]); i--)
        s->list[i] = s->list[i - 1];
    s->list[i] = *c;
}

/* Below this no candidate can enter. */
static uint32_t threshold(const state *s)
{
    return s->n == s->k ? ws_art_slot_max(s->list[s->n - 1].slot) : 0;
}

static uint32_t prefetch_nodes(const state *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        if (ws_art_is_leaf(s->list[i].slot))
            continue;
        const char *node = (const char *)ws_art_node_at(s->art->pool, s->list[i].slot);
        for (uint32_t line = 0; line < PREFETCH_LINES; line++)
            __builtin_prefetch(node + 64 * line);
        n++;
    }
    return n;
}

/* --- opening a node --- */

/* The way of a node's children, but for their order. */
static ws_art_opened way_below(state *s, const ws_art_candidate *node)
{
    ws_art_opened way = {0, NOWHERE, 0, node->way.root};
    if (s->n_opened == WS_ART_OPENED_MAX || node->way.level >= NOWHERE - 1)
        return way;
    way.parent = (uint16_t)s->n_opened;
    way.level = (uint16_t)(node->way.level + 1);
    s->opened[s->n_opened++] = node->way;
    return way;
}

static void open_node(state *s, const ws_art_candidate *node, uint32_t floor)
{
    uint32_t n, least = WS_MAX(floor, threshold(s));
    const ws_art_slot *slots = ws_art_slots(ws_art_node_at(s->art->pool, node->slot), &n);
    ws_art_candidate child = {0, way_below(s, node)};
    for (uint32_t i = 0; i < n; i++) {
        child.slot = ws_art_load(&slots[i]);
        if (ws_art_slot_max(child.slot) < least || !child.slot)
            continue;
        child.way.order = (uint16_t)i;
        offer(s, &child);
        least = WS_MAX(floor, threshold(s));
    }
}

/* Opens all nodes of the list; `next` becomes the list. What the worst of a full list promises, no
 * candidate of the next one may fall short of. */
static void open_all(state *s, ws_art_candidate *next)
{
    const ws_art_candidate *list = s->list;
    uint32_t n = s->n, floor = threshold(s);
    s->list = next;
    s->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (ws_art_is_leaf(list[i].slot))
            offer(s, &list[i]);
        else
            open_node(s, &list[i], floor);
    }
}

uint32_t ws_art_top(const ws_art *art, const ws_art_place *places, uint32_t n_places, uint32_t k,
                    ws_art_top_scratch *scratch, ws_art_hit *hits)
{
    state s = {art, scratch->opened, 0, scratch->lists[0], 0, k};
    uint32_t nodes;
    for (uint32_t i = 0; i < n_places; i++) {
        ws_art_candidate c = {places[i].slot, {NOWHERE, 0, (uint16_t)i, (uint16_t)i}};
        offer(&s, &c);
    }
    for (uint32_t round = 1; (nodes = prefetch_nodes(&s)) > 0; round++) {
        scratch->visited += nodes;
        open_all(&s, scratch->lists[round & 1]);
    }
    for (uint32_t i = 0; i < s.n; i++)
        hits[i] = (ws_art_hit){ws_art_leaf_id(s.list[i].slot), ws_art_slot_max(s.list[i].slot),
                               s.list[i].way.root};
    return s.n;
}
