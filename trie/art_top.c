/* The k best keys below some places, best first.
 *
 * Candidates are slots with what is known of them: the maximum below. The best one is taken: a leaf
 * is a result, a node gives way to its children. Since every candidate holds at least one key with
 * exactly its maximum, k - found candidates are enough: one that k - found others precede cannot
 * have a part in the answer. So a sorted list of that length is all there is, no heap.
 *
 * Equal maxima are ordered as their keys are. The order of two candidates is that of the bytes on
 * the way to them, of which the first 14 are carried along, behind the number of the place:
 *
 *   high  place u16 | byte 0 .. byte 5        low  byte 6 .. byte 13       counted from the place
 *
 * Candidates never lie below each other, so zeros behind a shorter way don't matter. Where 14 bytes
 * do not decide, the first keys below both are compared.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "trie/art_int.h"

#define CARRIED 16u

typedef struct {
    const ws_art *art;
    ws_art_candidate *list; /* [begin, end): the worst first, the best last */
    uint32_t begin, end;
    uint32_t room; /* results still wanted = candidates worth keeping */
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

static int before(const ws_art *art, const ws_art_candidate *a, const ws_art_candidate *b)
{
    uint32_t max_a = ws_art_slot_max(a->slot), max_b = ws_art_slot_max(b->slot);
    if (max_a != max_b)
        return max_a > max_b;
    if (a->high != b->high)
        return a->high < b->high;
    if (a->low != b->low)
        return a->low < b->low;
    return key_before(art, a->slot, b->slot);
}

/* --- the list --- */

static void prefetch(const state *s, uint64_t slot)
{
    if (ws_art_is_leaf(slot))
        return;
    const char *node = (const char *)ws_art_node_at(s->art->pool, slot);
    __builtin_prefetch(node);
    __builtin_prefetch(node + 64);
}

static void offer(state *s, const ws_art_candidate *c)
{
    uint32_t i;
    if (s->end - s->begin == s->room) {
        if (!before(s->art, c, &s->list[s->begin]))
            return;
        for (i = s->begin; i + 1 < s->end && before(s->art, c, &s->list[i + 1]); i++)
            s->list[i] = s->list[i + 1];
    } else {
        for (i = s->end++; i > s->begin && before(s->art, &s->list[i - 1], c); i--)
            s->list[i] = s->list[i - 1];
    }
    s->list[i] = *c;
    if (s->end - i <= 2) /* it will be opened soon */
        prefetch(s, c->slot);
}

/* Below this no candidate can enter. */
static uint32_t threshold(const state *s)
{
    return s->end - s->begin == s->room ? ws_art_slot_max(s->list[s->begin].slot) : 0;
}

/* --- opening a node --- */

static void carry(ws_art_candidate *c, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = 0; i < n && c->length < CARRIED; i++, c->length++) {
        uint64_t byte = (uint64_t)bytes[i] << (56 - 8 * (c->length & 7));
        *(c->length < 8 ? &c->high : &c->low) |= byte;
    }
}

static void open_node(state *s, const ws_art_candidate *parent)
{
    uint8_t bytes[256];
    uint32_t capacity;
    ws_art_node *node = ws_art_node_at(s->art->pool, parent->slot);
    const ws_art_slot *slots = ws_art_slots(node, &capacity);
    uint32_t n = ws_art_node_bytes(node, bytes);
    ws_art_candidate stem = *parent;
    carry(&stem, node->prefix, node->prefix_length);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t slot = ws_art_load(&slots[node->type == WS_ART_NODE256 ? bytes[i] : i]);
        if (ws_art_slot_max(slot) < threshold(s))
            continue;
        ws_art_candidate child = stem;
        child.slot = slot;
        carry(&child, &bytes[i], 1);
        offer(s, &child);
    }
}

uint32_t ws_art_top(const ws_art *art, const ws_art_place *places, uint32_t n_places, uint32_t k,
                    ws_art_top_scratch *scratch, ws_art_hit *hits)
{
    uint32_t n = 0;
    state s = {art, scratch->list, 0, 0, k};
    for (uint32_t i = 0; i < n_places; i++) {
        ws_art_candidate c = {places[i].slot, (uint64_t)i << 48, 0, 2, i};
        offer(&s, &c);
    }
    while (s.end > s.begin && s.room) {
        ws_art_candidate best = s.list[--s.end];
        if (!ws_art_is_leaf(best.slot)) {
            scratch->visited++;
            open_node(&s, &best);
            continue;
        }
        hits[n++] = (ws_art_hit){ws_art_leaf_id(best.slot), ws_art_slot_max(best.slot), best.root};
        s.room--;
        if (s.end - s.begin > s.room)
            s.begin++; /* the worst has no place any more */
    }
    return n;
}
