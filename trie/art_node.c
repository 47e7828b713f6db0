/* Nodes: layout, search for a child, copies that grow, shrink or get another prefix.
 *
 * A node that readers can reach is never changed but for its slots; so every change of shape is a
 * copy, made from the list of (byte, slot) of the old one. */
#include <string.h>

#include "base/bytes.h"
#include "trie/art_int.h"

uint32_t ws_art_node_units(uint32_t type)
{
    static const uint16_t bytes[] = {sizeof(ws_art_node4), sizeof(ws_art_node16),
                                     sizeof(ws_art_node48), sizeof(ws_art_node256)};
    return (ws_pool_units(bytes[type]) + 7) & ~7u; /* whole cache lines: a Node4 is one */
}

ws_art_slot *ws_art_slots(ws_art_node *node, uint32_t *n)
{
    *n = node->n;
    switch (node->type) {
    case WS_ART_NODE4:
        return ((ws_art_node4 *)(void *)node)->slots;
    case WS_ART_NODE16:
        return ((ws_art_node16 *)(void *)node)->slots;
    case WS_ART_NODE48:
        return ((ws_art_node48 *)(void *)node)->slots;
    default:
        *n = 256;
        return ((ws_art_node256 *)(void *)node)->slots;
    }
}

ws_art_slot *ws_art_child(ws_art_node *node, uint8_t byte)
{
    switch (node->type) {
    case WS_ART_NODE4: {
        ws_art_node4 *four = (void *)node;
        int i = ws_art_find16_scalar(four->keys, node->n, byte);
        return i < 0 ? NULL : &four->slots[i];
    }
    case WS_ART_NODE16: {
        ws_art_node16 *sixteen = (void *)node;
        int i = ws_art_find16(sixteen->keys, node->n, byte);
        return i < 0 ? NULL : &sixteen->slots[i];
    }
    case WS_ART_NODE48: {
        ws_art_node48 *many = (void *)node;
        uint8_t i = many->index[byte];
        return i ? &many->slots[i - 1] : NULL;
    }
    default: {
        ws_art_slot *slot = &((ws_art_node256 *)(void *)node)->slots[byte];
        return ws_art_load(slot) ? slot : NULL;
    }
    }
}

static uint32_t bytes_of_index(const uint8_t index[256], uint8_t bytes[256])
{
    uint32_t n = 0;
    for (uint32_t word = 0; word < 256; word += 8) {
        uint64_t eight;
        memcpy(&eight, index + word, sizeof eight);
        if (eight == 0)
            continue;
        for (uint32_t i = 0; i < 8; i++)
            if (index[word + i])
                bytes[n++] = (uint8_t)(word + i);
    }
    return n;
}

uint32_t ws_art_node_bytes(const ws_art_node *node, uint8_t bytes[256])
{
    uint32_t n = 0;
    switch (node->type) {
    case WS_ART_NODE4:
        memcpy(bytes, ((const ws_art_node4 *)(const void *)node)->keys, node->n);
        return node->n;
    case WS_ART_NODE16:
        memcpy(bytes, ((const ws_art_node16 *)(const void *)node)->keys, node->n);
        return node->n;
    case WS_ART_NODE48:
        return bytes_of_index(((const ws_art_node48 *)(const void *)node)->index, bytes);
    default:
        for (uint32_t i = 0; i < 256; i++)
            if (ws_art_load(&((const ws_art_node256 *)(const void *)node)->slots[i]))
                bytes[n++] = (uint8_t)i;
        return n;
    }
}

uint32_t ws_art_node_max(ws_art_node *node)
{
    uint32_t n, max = 0;
    ws_art_slot *slots = ws_art_slots(node, &n);
    for (uint32_t i = 0; i < n; i++)
        max = WS_MAX(max, ws_art_slot_max(ws_art_load(&slots[i])));
    return max;
}

/* --- making --- */

static uint32_t type_for(uint32_t n)
{
    return n <= 4    ? WS_ART_NODE4
           : n <= 16 ? WS_ART_NODE16
           : n <= 48 ? WS_ART_NODE48
                     : WS_ART_NODE256;
}

static void fill_keys(ws_art_node *node, const uint8_t *bytes, uint32_t n)
{
    if (node->type == WS_ART_NODE4) {
        memset(((ws_art_node4 *)(void *)node)->keys, 0, 8);
        memcpy(((ws_art_node4 *)(void *)node)->keys, bytes, n);
    } else if (node->type == WS_ART_NODE16) {
        memset(((ws_art_node16 *)(void *)node)->keys, 0, 16);
        memcpy(((ws_art_node16 *)(void *)node)->keys, bytes, n);
    } else if (node->type == WS_ART_NODE48) {
        uint8_t *index = ((ws_art_node48 *)(void *)node)->index;
        memset(index, 0, 256);
        for (uint32_t i = 0; i < n; i++)
            index[bytes[i]] = (uint8_t)(i + 1);
    }
}

uint32_t ws_art_node_new(ws_pool *pool, const uint8_t *prefix, uint32_t prefix_length,
                         const uint8_t *bytes, const uint64_t *slots, uint32_t n)
{
    uint32_t type = type_for(n), capacity;
    uint32_t ref = ws_pool_alloc(pool, ws_art_node_units(type));
    if (!ref)
        return 0;
    ws_art_node *node = ws_pool_at(pool, ref);
    memset(node, 0, sizeof *node);
    node->type = (uint8_t)type;
    node->n = (uint8_t)n;
    node->prefix_length = (uint8_t)prefix_length;
    if (prefix_length)
        memcpy(node->prefix, prefix, prefix_length);
    fill_keys(node, bytes, n);
    ws_art_slot *to = ws_art_slots(node, &capacity);
    if (type == WS_ART_NODE256)
        for (uint32_t i = 0; i < 256; i++)
            atomic_init(&to[i], 0);
    for (uint32_t i = 0; i < n; i++)
        atomic_init(&to[type == WS_ART_NODE256 ? bytes[i] : i], slots[i]);
    return ref;
}

/* The children as a list; returns how many. */
static uint32_t gather(const ws_art_node *node, uint8_t bytes[256], uint64_t list[257])
{
    uint32_t capacity, n = ws_art_node_bytes(node, bytes);
    const ws_art_slot *slots = ws_art_slots((ws_art_node *)(uintptr_t)node, &capacity);
    for (uint32_t i = 0; i < n; i++)
        list[i] = ws_art_load(&slots[node->type == WS_ART_NODE256 ? bytes[i] : i]);
    return n;
}

uint32_t ws_art_node_add(ws_pool *pool, ws_art_node *node, uint8_t byte, uint64_t slot)
{
    uint8_t bytes[257];
    uint64_t list[257];
    uint32_t n = gather(node, bytes, list), at = 0;
    while (at < n && bytes[at] < byte)
        at++;
    memmove(bytes + at + 1, bytes + at, n - at);
    memmove(list + at + 1, list + at, (n - at) * sizeof *list);
    bytes[at] = byte;
    list[at] = slot;
    return ws_art_node_new(pool, node->prefix, node->prefix_length, bytes, list, n + 1);
}

uint32_t ws_art_node_drop(ws_pool *pool, ws_art_node *node, uint8_t byte)
{
    uint8_t bytes[257];
    uint64_t list[257];
    uint32_t n = gather(node, bytes, list), kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (bytes[i] == byte)
            continue;
        bytes[kept] = bytes[i];
        list[kept++] = list[i];
    }
    return ws_art_node_new(pool, node->prefix, node->prefix_length, bytes, list, kept);
}

uint32_t ws_art_node_prefixed(ws_pool *pool, const ws_art_node *node, const uint8_t *prefix,
                              uint32_t prefix_length)
{
    uint8_t bytes[257];
    uint64_t list[257];
    uint32_t n = gather(node, bytes, list);
    return ws_art_node_new(pool, prefix, prefix_length, bytes, list, n);
}

uint32_t ws_art_common(const ws_art_node *node, ws_str key, size_t depth)
{
    uint32_t i = 0;
    while (i < node->prefix_length && depth + i < key.len &&
           node->prefix[i] == (uint8_t)key.ptr[depth + i])
        i++;
    return i;
}
