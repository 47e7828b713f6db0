/* Searching, inserting and scoring. */
#include "trie/art.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"
#include "trie/art_int.h"

void ws_art_init(ws_art *art, ws_pool *pool, ws_art_key_fn key, const void *key_ctx)
{
    memset(art, 0, sizeof *art);
    art->pool = pool;
    art->key = key;
    art->key_ctx = key_ctx;
}

static ws_str key_of(const ws_art *art, uint64_t leaf, char buffer[WS_ART_KEY_MAX])
{
    return ws_str_make(buffer, art->key(art->key_ctx, ws_art_leaf_id(leaf), buffer));
}

/* --- searching --- */

ws_status ws_art_search(const ws_art *art, ws_str key, uint32_t *id, uint32_t *score)
{
    char buffer[WS_ART_KEY_MAX];
    uint64_t slot = ws_art_load(&art->root);
    for (size_t depth = 0; slot && !ws_art_is_leaf(slot); depth++) {
        ws_art_node *node = ws_art_node_at(art->pool, slot);
        if (ws_art_common(node, key, depth) < node->prefix_length)
            return WS_ERR_NOT_FOUND;
        depth += node->prefix_length;
        const ws_art_slot *child =
            depth < key.len ? ws_art_child(node, (uint8_t)key.ptr[depth]) : NULL;
        slot = child ? ws_art_load(child) : 0;
    }
    if (!slot || !ws_str_eq(key_of(art, slot, buffer), key))
        return WS_ERR_NOT_FOUND;
    if (id)
        *id = ws_art_leaf_id(slot);
    if (score)
        *score = ws_art_slot_max(slot);
    return WS_OK;
}

ws_status ws_art_find_path(const ws_art *art, ws_str key, ws_art_path *path)
{
    char buffer[WS_ART_KEY_MAX];
    ws_art_slot *at = (ws_art_slot *)(uintptr_t)&art->root;
    uint64_t slot = ws_art_load(at);
    path->n = 0;
    path->slots[path->n++] = at;
    if (key.len > WS_ART_KEY_MAX)
        return WS_ERR_NOT_FOUND;
    for (size_t depth = 0; slot && !ws_art_is_leaf(slot); depth++) {
        ws_art_node *node = ws_art_node_at(art->pool, slot);
        if (ws_art_common(node, key, depth) < node->prefix_length)
            return WS_ERR_NOT_FOUND;
        depth += node->prefix_length;
        at = depth < key.len ? ws_art_child(node, (uint8_t)key.ptr[depth]) : NULL;
        if (!at)
            return WS_ERR_NOT_FOUND;
        path->bytes[path->n] = (uint8_t)key.ptr[depth];
        path->slots[path->n++] = at;
        slot = ws_art_load(at);
    }
    return slot && ws_str_eq(key_of(art, slot, buffer), key) ? WS_OK : WS_ERR_NOT_FOUND;
}

/* --- maxima --- */

/* Raises the maxima of slots[0, n). From the bottom up: a reader that sees an ancestor's new
 * maximum finds what it promises. */
static void raise_path(const ws_art_path *path, uint32_t n, uint32_t score)
{
    while (n-- > 0) {
        uint64_t slot = ws_art_load(path->slots[n]);
        if (ws_art_slot_max(slot) >= score)
            return; /* and so have all above it */
        ws_art_store(path->slots[n], ws_art_slot_make(ws_art_slot_ref(slot), score));
    }
}

void ws_art_settle(const ws_art *art, const ws_art_path *path, uint32_t n)
{
    while (n-- > 0) {
        uint64_t slot = ws_art_load(path->slots[n]);
        uint32_t max = ws_art_node_max(ws_art_node_at(art->pool, slot));
        if (ws_art_slot_max(slot) == max)
            return;
        ws_art_store(path->slots[n], ws_art_slot_make(ws_art_slot_ref(slot), max));
    }
}

/* Gives the leaf at the end of a path another id and score. */
static void change_leaf(const ws_art *art, const ws_art_path *path, uint32_t id, uint32_t score)
{
    uint32_t above = path->n - 1;
    uint64_t old = ws_art_load(path->slots[above]);
    ws_art_store(path->slots[above], ws_art_slot_make(WS_ART_LEAF | id, score));
    if (score >= ws_art_slot_max(old))
        raise_path(path, above, score);
    else
        ws_art_settle(art, path, above);
}

ws_status ws_art_replace(ws_art *art, ws_str key, uint32_t id, uint32_t score)
{
    ws_art_path path;
    WS_TRY(ws_art_find_path(art, key, &path));
    change_leaf(art, &path, id, score);
    return WS_OK;
}

ws_status ws_art_set_score(ws_art *art, ws_str key, uint32_t score)
{
    ws_art_path path;
    WS_TRY(ws_art_find_path(art, key, &path));
    uint64_t leaf = ws_art_load(path.slots[path.n - 1]);
    change_leaf(art, &path, ws_art_leaf_id(leaf), score);
    return WS_OK;
}

/* --- inserting --- */

/* Nodes for two keys that part after `common` bytes from `depth`: one Node4 with both, below as
 * many chained ones as the common part needs. Returns the reference of the topmost, 0 when there is
 * no room. */
static uint32_t make_fork(ws_pool *pool, const uint8_t *common_bytes, uint32_t common,
                          const uint8_t bytes[2], const uint64_t slots[2])
{
    uint32_t max = WS_MAX(ws_art_slot_max(slots[0]), ws_art_slot_max(slots[1]));
    uint32_t last = common % (WS_ART_PREFIX_MAX + 1), at = common - last;
    uint32_t ref = ws_art_node_new(pool, common_bytes + at, last, bytes, slots, 2);
    while (ref && at > 0) {
        uint64_t below = ws_art_slot_make(ref, max);
        at -= WS_ART_PREFIX_MAX + 1;
        ref = ws_art_node_new(pool, common_bytes + at, WS_ART_PREFIX_MAX,
                              common_bytes + at + WS_ART_PREFIX_MAX, &below, 1);
    }
    return ref;
}

/* The two sides of a fork in the order of their bytes. */
static uint32_t fork_between(ws_pool *pool, const uint8_t *common_bytes, uint32_t common,
                             uint8_t byte_a, uint64_t slot_a, uint8_t byte_b, uint64_t slot_b)
{
    uint8_t bytes[2] = {byte_a, byte_b};
    uint64_t slots[2] = {slot_a, slot_b};
    if (byte_a > byte_b) {
        bytes[0] = byte_b, bytes[1] = byte_a;
        slots[0] = slot_b, slots[1] = slot_a;
    }
    return make_fork(pool, common_bytes, common, bytes, slots);
}

/* Readers see the node that has taken the place of `old` and holds `leaf` too. */
static void publish(ws_art_slot *at, uint32_t ref, uint64_t old, uint64_t leaf)
{
    uint32_t max = WS_MAX(ws_art_slot_max(old), ws_art_slot_max(leaf));
    ws_art_store(at, ws_art_slot_make(ref, max));
}

/* The leaf at `old` and the new one part somewhere behind `depth`. */
static ws_status split_leaf(ws_art *art, ws_art_slot *at, uint64_t old, ws_str key, size_t depth,
                            uint64_t leaf)
{
    char buffer[WS_ART_KEY_MAX];
    ws_str other = key_of(art, old, buffer);
    size_t end = depth, shorter = WS_MIN(key.len, other.len);
    while (end < shorter && key.ptr[end] == other.ptr[end])
        end++;
    if (end == shorter)
        return key.len == other.len ? WS_ERR_CONFLICT : WS_ERR_ARG;
    uint32_t ref =
        fork_between(art->pool, (const uint8_t *)key.ptr + depth, (uint32_t)(end - depth),
                     (uint8_t)other.ptr[end], old, (uint8_t)key.ptr[end], leaf);
    if (!ref)
        return WS_ERR_NOMEM;
    publish(at, ref, old, leaf);
    return WS_OK;
}

/* The key leaves a node's prefix after `common` bytes. */
static ws_status split_prefix(ws_art *art, ws_art_slot *at, uint64_t old, ws_str key, size_t depth,
                              uint32_t common, uint64_t leaf)
{
    ws_art_node *node = ws_art_node_at(art->pool, old);
    if (depth + common >= key.len)
        return WS_ERR_ARG;
    uint32_t rest = ws_art_node_prefixed(art->pool, node, node->prefix + common + 1,
                                         node->prefix_length - common - 1u);
    if (!rest)
        return WS_ERR_NOMEM;
    uint32_t ref = fork_between(art->pool, node->prefix, common, node->prefix[common],
                                ws_art_slot_make(rest, ws_art_slot_max(old)),
                                (uint8_t)key.ptr[depth + common], leaf);
    if (!ref)
        return WS_ERR_NOMEM;
    publish(at, ref, old, leaf);
    ws_pool_retire(art->pool, ws_art_slot_ref(old), ws_art_node_units(node->type));
    return WS_OK;
}

static ws_status add_child(ws_art *art, ws_art_slot *at, uint64_t old, uint8_t byte, uint64_t leaf)
{
    ws_art_node *node = ws_art_node_at(art->pool, old);
    uint32_t ref = ws_art_node_add(art->pool, node, byte, leaf);
    if (!ref)
        return WS_ERR_NOMEM;
    publish(at, ref, old, leaf);
    ws_pool_retire(art->pool, ws_art_slot_ref(old), ws_art_node_units(node->type));
    return WS_OK;
}

/* Walks down as far as the key goes and adds the leaf there; path = the slots above the one that
 * was changed, and that one. */
static ws_status add_leaf(ws_art *art, ws_str key, uint64_t leaf, ws_art_path *path)
{
    ws_art_slot *at = &art->root;
    for (size_t depth = 0;; depth++) {
        uint64_t slot = ws_art_load(at);
        path->slots[path->n++] = at;
        if (!slot) {
            ws_art_store(at, leaf);
            return WS_OK;
        }
        if (ws_art_is_leaf(slot))
            return split_leaf(art, at, slot, key, depth, leaf);
        ws_art_node *node = ws_art_node_at(art->pool, slot);
        uint32_t common = ws_art_common(node, key, depth);
        if (common < node->prefix_length)
            return split_prefix(art, at, slot, key, depth, common, leaf);
        depth += common;
        if (depth >= key.len)
            return WS_ERR_ARG;
        ws_art_slot *child = ws_art_child(node, (uint8_t)key.ptr[depth]);
        if (!child)
            return add_child(art, at, slot, (uint8_t)key.ptr[depth], leaf);
        at = child;
    }
}

ws_status ws_art_insert(ws_art *art, ws_str key, uint32_t id, uint32_t score)
{
    ws_art_path path;
    path.n = 0;
    if (key.len == 0 || key.len > WS_ART_KEY_MAX || id > WS_ART_ID_MAX)
        return WS_ERR_ARG;
    WS_TRY(ws_pool_reserve(art->pool, WS_ART_UNITS, WS_ART_BLOCKS));
    WS_TRY(add_leaf(art, key, ws_art_slot_make(WS_ART_LEAF | id, score), &path));
    raise_path(&path, path.n - 1, score);
    art->n++;
    return WS_OK;
}
