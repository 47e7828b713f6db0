/* Deleting: the node that loses a child is replaced by a smaller copy, by its last child, or goes.
 */
#include "base/error.h"
#include "trie/art_int.h"

#include <string.h>

static void retire(ws_art *art, uint64_t slot)
{
    if (!ws_art_is_leaf(slot))
        ws_pool_retire(art->pool, ws_art_slot_ref(slot),
                       ws_art_node_units(ws_art_node_at(art->pool, slot)->type));
}

/* The child that stays when `byte` goes from a node of two. */
static uint64_t other_child(ws_art_node *node, uint8_t byte, uint8_t *other)
{
    uint8_t bytes[256];
    ws_art_node_bytes(node, bytes);
    *other = bytes[0] == byte ? bytes[1] : bytes[0];
    return ws_art_load(ws_art_child(node, *other));
}

/* A node of which one child is left: the child takes the node's prefix and byte in front of its
 * own, when they fit. *out = the slot in the node's place. 0 when there is no room. */
static int join_last(ws_art *art, ws_art_node *node, uint8_t byte, uint64_t child, uint64_t *out)
{
    uint8_t prefix[WS_ART_PREFIX_MAX + 1];
    *out = child;
    if (ws_art_is_leaf(child))
        return 1;
    ws_art_node *below = ws_art_node_at(art->pool, child);
    uint32_t n = node->prefix_length, total = n + 1 + below->prefix_length, ref;
    if (total <= WS_ART_PREFIX_MAX) {
        memcpy(prefix, node->prefix, n);
        prefix[n] = byte;
        memcpy(prefix + n + 1, below->prefix, below->prefix_length);
        ref = ws_art_node_prefixed(art->pool, below, prefix, total);
    } else {
        ref = ws_art_node_new(art->pool, node->prefix, n, &byte, &child, 1);
    }
    if (!ref)
        return 0;
    if (total <= WS_ART_PREFIX_MAX)
        retire(art, child);
    *out = ws_art_slot_make(ref, ws_art_slot_max(child));
    return 1;
}

/* What stands in a node's place without its child `byte`. */
static int without(ws_art *art, ws_art_node *node, uint8_t byte, uint64_t *out)
{
    uint8_t other;
    if (ws_art_count(node) == 2) {
        uint64_t child = other_child(node, byte, &other);
        return join_last(art, node, other, child, out);
    }
    uint32_t ref = ws_art_node_drop(art->pool, node, byte);
    if (!ref)
        return 0;
    *out = ws_art_slot_make(ref, ws_art_node_max(ws_art_node_at(art->pool, ref)));
    return 1;
}

/* A chain above a leaf is of no use: the leaf moves up. Returns the index of the slot that it
 * comes to. */
static uint32_t climb(ws_art *art, const ws_art_path *path, uint32_t at)
{
    while (at > 0) {
        uint64_t above = ws_art_load(path->slots[at - 1]);
        if (ws_art_count(ws_art_node_at(art->pool, above)) != 1)
            break;
        at--;
    }
    return at;
}

ws_status ws_art_delete(ws_art *art, ws_str key, uint32_t *id)
{
    ws_art_path path;
    WS_TRY(ws_pool_reserve_blocks(art->pool, WS_ART_DELETE_BLOCKS));
    WS_TRY(ws_art_find_path(art, key, &path));
    /* A full pool is no reason to refuse: the copy is small, and often a free block fits it. */
    (void)ws_pool_reserve(art->pool, WS_ART_DELETE_UNITS, WS_ART_DELETE_BLOCKS);
    uint64_t leaf = ws_art_load(path.slots[path.n - 1]), put = 0;
    uint32_t at = 0;
    if (path.n > 1) {
        at = path.n - 2;
        uint64_t old = ws_art_load(path.slots[at]);
        if (!without(art, ws_art_node_at(art->pool, old), path.bytes[path.n - 1], &put))
            return WS_ERR_NOMEM;
        retire(art, old);
        uint32_t top = ws_art_is_leaf(put) ? climb(art, &path, at) : at;
        for (uint32_t i = top; i < at; i++)
            retire(art, ws_art_load(path.slots[i]));
        at = top;
    }
    ws_art_store(path.slots[at], put);
    ws_art_settle(art, &path, at);
    art->n--;
    if (id)
        *id = ws_art_leaf_id(leaf);
    return WS_OK;
}
