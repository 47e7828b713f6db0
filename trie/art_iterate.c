/* Walking along keys, and visiting all below a place in order. */
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "trie/art_int.h"

/* --- places --- */

int ws_art_start(const ws_art *art, ws_art_place *place)
{
    *place = (ws_art_place){ws_art_load(&art->root), 0, 0};
    return place->slot != 0;
}

static ws_str leaf_key(const ws_art *art, uint64_t slot, ws_art_leaf_key *leaf)
{
    uint32_t id = ws_art_leaf_id(slot);
    if (leaf->id != id) {
        leaf->n = art->key(art->key_ctx, id, leaf->bytes);
        leaf->id = id;
    }
    return ws_str_make(leaf->bytes, leaf->n);
}

static int walk_leaf(const ws_art *art, ws_art_place *place, ws_str bytes, ws_art_leaf_key *leaf)
{
    ws_str key = leaf_key(art, place->slot, leaf);
    size_t at = place->depth + place->within;
    if (at > key.len || !ws_str_starts_with(ws_str_sub(key, at, key.len), bytes))
        return 0;
    place->within += (uint32_t)bytes.len;
    return 1;
}

int ws_art_walk(const ws_art *art, ws_art_place *place, ws_str bytes, ws_art_leaf_key *leaf)
{
    for (size_t i = 0; i < bytes.len; i++) {
        if (ws_art_is_leaf(place->slot))
            return walk_leaf(art, place, ws_str_sub(bytes, i, bytes.len), leaf);
        ws_art_node *node = ws_art_node_at(art->pool, place->slot);
        uint8_t byte = (uint8_t)bytes.ptr[i];
        if (place->within < node->prefix_length) {
            if (node->prefix[place->within++] != byte)
                return 0;
            continue;
        }
        const ws_art_slot *child = ws_art_child(node, byte);
        if (!child)
            return 0;
        *place = (ws_art_place){ws_art_load(child), place->depth + place->within + 1, 0};
    }
    return 1;
}

uint32_t ws_art_next_bytes(const ws_art *art, const ws_art_place *place, uint8_t bytes[256],
                           ws_art_leaf_key *leaf)
{
    if (ws_art_is_leaf(place->slot)) {
        ws_str key = leaf_key(art, place->slot, leaf);
        size_t at = place->depth + place->within;
        if (at >= key.len)
            return 0;
        bytes[0] = (uint8_t)key.ptr[at];
        return 1;
    }
    const ws_art_node *node = ws_art_node_at(art->pool, place->slot);
    if (place->within < node->prefix_length) {
        bytes[0] = node->prefix[place->within];
        return 1;
    }
    return ws_art_node_bytes(node, bytes);
}

/* --- visiting --- */

/* A node being visited and its next slot. A path has at most a node a byte. */
typedef struct {
    ws_art_slot *slots;
    uint32_t next, n;
} level;

static void enter(const ws_art *art, uint64_t slot, level *l)
{
    l->slots = ws_art_slots(ws_art_node_at(art->pool, slot), &l->n);
    l->next = 0;
}

static int visit_below(const ws_art *art, uint64_t slot, ws_art_visit_fn visit, void *ctx)
{
    level levels[WS_ART_KEY_MAX];
    uint32_t n = 0;
    if (ws_art_is_leaf(slot))
        return visit(ctx, ws_art_leaf_id(slot), ws_art_slot_max(slot));
    enter(art, slot, &levels[n++]);
    while (n > 0) {
        level *l = &levels[n - 1];
        if (l->next == l->n) {
            n--;
            continue;
        }
        slot = ws_art_load(&l->slots[l->next++]);
        if (slot && !ws_art_is_leaf(slot)) {
            enter(art, slot, &levels[n++]);
        } else if (slot) {
            int result = visit(ctx, ws_art_leaf_id(slot), ws_art_slot_max(slot));
            if (result)
                return result;
        }
    }
    return 0;
}

int ws_art_iterate_prefix(const ws_art *art, ws_str prefix, ws_art_visit_fn visit, void *ctx)
{
    ws_art_leaf_key leaf;
    ws_art_place place;
    leaf.id = UINT32_MAX;
    if (!ws_art_start(art, &place) || !ws_art_walk(art, &place, prefix, &leaf))
        return 0;
    return visit_below(art, place.slot, visit, ctx);
}

int ws_art_iterate(const ws_art *art, ws_art_visit_fn visit, void *ctx)
{
    return ws_art_iterate_prefix(art, ws_str_make(NULL, 0), visit, ctx);
}

/* The first or the last child. */
static uint64_t end_child(const ws_art *art, uint64_t slot, int last)
{
    uint32_t n;
    const ws_art_slot *slots = ws_art_slots(ws_art_node_at(art->pool, slot), &n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t child = ws_art_load(&slots[last ? n - 1 - i : i]);
        if (child)
            return child;
    }
    return 0;
}

static ws_status end_leaf(const ws_art *art, int last, uint32_t *id, uint32_t *score)
{
    uint64_t slot = ws_art_load(&art->root);
    while (slot && !ws_art_is_leaf(slot))
        slot = end_child(art, slot, last);
    if (!slot)
        return WS_ERR_NOT_FOUND;
    if (id)
        *id = ws_art_leaf_id(slot);
    if (score)
        *score = ws_art_slot_max(slot);
    return WS_OK;
}

ws_status ws_art_minimum(const ws_art *art, uint32_t *id, uint32_t *score)
{
    return end_leaf(art, 0, id, score);
}

ws_status ws_art_maximum(const ws_art *art, uint32_t *id, uint32_t *score)
{
    return end_leaf(art, 1, id, score);
}
