/* Nodes of the adaptive radix tree: for trie/art_*.c and their tests.
 *
 *   slot      ref u32 | max u32        bit 31 of ref: a leaf, the other bits are its id
 *   head      type u8 | n u8 | prefix_length u8 | 0 | prefix[12]                      16 bytes
 *   Node4     head | slot[4] | keys[4], 4 unused                                      56
 *   Node16    head | slot[16] | keys[16]                                             160
 *   Node48    head | slot[48] | index[256]       index = slot + 1, 0 = none           656
 *   Node256   head | slot[256]                   0 = none                           2,064
 *
 * Slots come first: a search for the best ones reads nothing else.
 *
 * Keys ascend; slots of Node4, 16 and 48 are in the order of their keys, without gaps. A prefix
 * longer than 12 bytes continues in chained Node4 of one child. Everything but slots is constant
 * once a node can be reached. n is the number of children, 256 as 0.
 */
#ifndef WS_TRIE_ART_INT_H
#define WS_TRIE_ART_INT_H

#include "trie/art.h"

#define WS_ART_LEAF       0x80000000u
#define WS_ART_PREFIX_MAX 12u

enum { WS_ART_NODE4, WS_ART_NODE16, WS_ART_NODE48, WS_ART_NODE256 };

typedef struct {
    uint8_t type, n, prefix_length, zero;
    uint8_t prefix[WS_ART_PREFIX_MAX];
} ws_art_node;

typedef struct {
    ws_art_node head;
    ws_art_slot slots[4];
    uint8_t keys[8];
} ws_art_node4;

typedef struct {
    ws_art_node head;
    ws_art_slot slots[16];
    uint8_t keys[16];
} ws_art_node16;

typedef struct {
    ws_art_node head;
    ws_art_slot slots[48];
    uint8_t index[256];
} ws_art_node48;

typedef struct {
    ws_art_node head;
    ws_art_slot slots[256];
} ws_art_node256;

_Static_assert(sizeof(ws_art_node4) == 56 && sizeof(ws_art_node16) == 160, "node sizes");
_Static_assert(sizeof(ws_art_node48) == 656 && sizeof(ws_art_node256) == 2064, "node sizes");

/* --- slots --- */

static inline uint64_t ws_art_slot_make(uint32_t ref, uint32_t max)
{
    return (uint64_t)max << 32 | ref;
}

static inline uint32_t ws_art_slot_ref(uint64_t slot)
{
    return (uint32_t)slot;
}

static inline uint32_t ws_art_slot_max(uint64_t slot)
{
    return (uint32_t)(slot >> 32);
}

static inline int ws_art_is_leaf(uint64_t slot)
{
    return (slot & WS_ART_LEAF) != 0;
}

static inline uint32_t ws_art_leaf_id(uint64_t slot)
{
    return ws_art_slot_ref(slot) & ~WS_ART_LEAF;
}

/* Acquire: what the slot refers to was written before the slot was. */
static inline uint64_t ws_art_load(const ws_art_slot *slot)
{
    return atomic_load_explicit(slot, memory_order_acquire);
}

/* Release, also for a new maximum alone: a reader may get the reference from this store. */
static inline void ws_art_store(ws_art_slot *slot, uint64_t value)
{
    atomic_store_explicit(slot, value, memory_order_release);
}

static inline ws_art_node *ws_art_node_at(const ws_pool *pool, uint64_t slot)
{
    return ws_pool_at(pool, ws_art_slot_ref(slot));
}

/* --- nodes --- */

static inline uint32_t ws_art_count(const ws_art_node *node)
{
    return node->type == WS_ART_NODE256 && node->n == 0 ? 256 : node->n;
}

/* Slots of a node and how many there are to look at (256 with holes for Node256). */
ws_art_slot *ws_art_slots(ws_art_node *node, uint32_t *n);

/* The slot of a child, NULL when there is none. */
ws_art_slot *ws_art_child(ws_art_node *node, uint8_t byte);

/* The bytes of the children, ascending; returns how many. */
uint32_t ws_art_node_bytes(const ws_art_node *node, uint8_t bytes[256]);

/* The largest score in the slots. */
uint32_t ws_art_node_max(ws_art_node *node);

uint32_t ws_art_node_units(uint32_t type);

/* A new node of the smallest type for n children; returns its reference, 0 when the pool has no
 * room. */
uint32_t ws_art_node_new(ws_pool *pool, const uint8_t *prefix, uint32_t prefix_length,
                         const uint8_t *bytes, const uint64_t *slots, uint32_t n);

/* A copy with one child more, one less, or another prefix. */
uint32_t ws_art_node_add(ws_pool *pool, ws_art_node *node, uint8_t byte, uint64_t slot);
uint32_t ws_art_node_drop(ws_pool *pool, ws_art_node *node, uint8_t byte);
uint32_t ws_art_node_prefixed(ws_pool *pool, const ws_art_node *node, const uint8_t *prefix,
                              uint32_t prefix_length);

/* Length of what a node's prefix and the key from `depth` have in common. */
uint32_t ws_art_common(const ws_art_node *node, ws_str key, size_t depth);

/* --- the search in sixteen keys (art_find.c): index of `byte` in keys[0, n), or -1. The fast
 * one reads 16 bytes --- */

int ws_art_find16(const uint8_t *keys, uint32_t n, uint8_t byte);
int ws_art_find16_scalar(const uint8_t *keys, uint32_t n, uint8_t byte);

/* --- the way from the root to a leaf, for the writer --- */

typedef struct {
    ws_art_slot *slots[WS_ART_KEY_MAX + 1]; /* slots[0] is the root */
    uint8_t bytes[WS_ART_KEY_MAX + 1];      /* bytes[i] leads from the node at slots[i - 1] to it */
    uint32_t n;
} ws_art_path;

/* Fills the path to a key's leaf. WS_ERR_NOT_FOUND. */
ws_status ws_art_find_path(const ws_art *art, ws_str key, ws_art_path *path);

/* Corrects the maxima of slots[0, n) after what is below slots[n - 1] has changed. */
void ws_art_settle(const ws_art *art, const ws_art_path *path, uint32_t n);

#endif
