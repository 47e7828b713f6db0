/* Adaptive radix tree from byte keys to (id, score), whose child slots carry the largest score
 * below them: the k best keys under a prefix come out best first, without looking at the others.
 *
 * Source: Leis, Kemper, Neumann, "The adaptive radix tree" (2013): Node4, 16, 48, 256, path
 * compression, lazy expansion of leaves. Ours on top: the maxima, copy-on-write for readers without
 * locks, 32-bit references into a pool. Plain operations are named as in libart.
 *
 * Keys live outside: the tree asks for the key of an id when it must compare. No key may be a
 * prefix of another one (end them in a byte that they hold nowhere else). Order is the bytewise
 * order of keys. Scores are unsigned; a larger one is better.
 *
 * Threads: one writer (insert, delete, replace, set_score); any readers at the same time, each
 * inside an epoch of the pool (trie/epoch.h). A reader sees every change either whole or not at
 * all, except that maxima may be a moment older or younger than the leaves below them.
 */
#ifndef WS_TRIE_ART_H
#define WS_TRIE_ART_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "trie/pool.h"
#include "wikisearch/status.h"

#define WS_ART_KEY_MAX 768u        /* bytes of a key */
#define WS_ART_ID_MAX  0x7fffffffu /* ids have 31 bits */

/* What an insert and a delete may need (ws_pool_reserve): a chain of Node4 for a long common prefix
 * and copies of the largest node. */
#define WS_ART_UNITS         1200u
#define WS_ART_BLOCKS        4u
#define WS_ART_DELETE_UNITS  540u
#define WS_ART_DELETE_BLOCKS 68u /* a chain of WS_ART_KEY_MAX bytes may go at once */

/* Writes the key of an id into out and returns its length, at most WS_ART_KEY_MAX. [any] */
typedef size_t (*ws_art_key_fn)(const void *ctx, uint32_t id, char out[WS_ART_KEY_MAX]);

/* A child slot: reference of what is below and the largest score there, read and written as one. */
typedef _Atomic uint64_t ws_art_slot;

typedef struct {
    ws_art_slot root; /* 0 = empty */
    ws_pool *pool;    /* borrowed; several trees may share it */
    ws_art_key_fn key;
    const void *key_ctx;
    uint64_t n; /* keys; writer's */
} ws_art;

/* Sets up an empty tree on a pool, which must outlive it. O(1). */
void ws_art_init(ws_art *art, ws_pool *pool, ws_art_key_fn key, const void *key_ctx);

/* Inserts a key. Errors: WS_ERR_CONFLICT when it is there, WS_ERR_ARG when it is empty or too long,
 * or one key would be a prefix of the other, WS_ERR_NOMEM. Nothing has changed after an error.
 * Writer. O(key). */
ws_status ws_art_insert(ws_art *art, ws_str key, uint32_t id, uint32_t score);

/* Finds a key; id and score may be NULL. WS_ERR_NOT_FOUND. [any] in an epoch. O(key). */
ws_status ws_art_search(const ws_art *art, ws_str key, uint32_t *id, uint32_t *score);

/* Removes a key; *id (NULL allowed) = what it had. WS_ERR_NOT_FOUND, WS_ERR_NOMEM (nothing
 * changed). Maxima fall as they must. Writer. O(key + nodes on the path). */
ws_status ws_art_delete(ws_art *art, ws_str key, uint32_t *id);

/* Gives a key another score; raises reach all ancestors, a fall is recomputed upwards. Allocates
 * nothing. WS_ERR_NOT_FOUND. Writer. O(key). */
ws_status ws_art_set_score(ws_art *art, ws_str key, uint32_t score);

/* Gives a key another id and score (the new id has the same key). Allocates nothing.
 * WS_ERR_NOT_FOUND. Writer. */
ws_status ws_art_replace(ws_art *art, ws_str key, uint32_t id, uint32_t score);

/* Called once a key, in order; not 0 ends the iteration. */
typedef int (*ws_art_visit_fn)(void *ctx, uint32_t id, uint32_t score);

/* Visits all keys, or those that begin with a prefix, in order. Returns what the last call of
 * `visit` returned, 0 when there was none. [any] in an epoch; O(keys visited). */
int ws_art_iterate(const ws_art *art, ws_art_visit_fn visit, void *ctx);
int ws_art_iterate_prefix(const ws_art *art, ws_str prefix, ws_art_visit_fn visit, void *ctx);

/* The first and the last key. WS_ERR_NOT_FOUND when the tree is empty. [any] in an epoch. O(depth).
 */
ws_status ws_art_minimum(const ws_art *art, uint32_t *id, uint32_t *score);
ws_status ws_art_maximum(const ws_art *art, uint32_t *id, uint32_t *score);

/* --- walking, for prefix searches --- */

/* The key of the leaf that was asked for last, so that walking along a leaf builds its key once. */
typedef struct {
    uint32_t id; /* UINT32_MAX = none */
    size_t n;
    char bytes[WS_ART_KEY_MAX];
} ws_art_leaf_key;

/* A place in the tree: bytes [0, depth + within) of some keys have been walked. */
typedef struct {
    uint64_t slot;   /* value of the slot of the node or leaf */
    uint32_t depth;  /* bytes before it */
    uint32_t within; /* bytes of its own prefix (of a leaf: of its key from `depth`) walked */
} ws_art_place;

/* The place before the first byte. 0 when the tree is empty. */
int ws_art_start(const ws_art *art, ws_art_place *place);

/* Goes on by some bytes; 0 when no key continues so (the place is undefined then). [any] in an
 * epoch. */
int ws_art_walk(const ws_art *art, ws_art_place *place, ws_str bytes, ws_art_leaf_key *leaf);

/* The bytes by which keys go on from here, ascending; returns how many (1 to 256; 0 at the end of a
 * leaf's key). */
uint32_t ws_art_next_bytes(const ws_art *art, const ws_art_place *place, uint8_t bytes[256],
                           ws_art_leaf_key *leaf);

/* --- the best ones --- */

#define WS_ART_TOP_MAX 256u

typedef struct {
    uint32_t id, score;
    uint32_t root; /* index of the place that it was found under */
} ws_art_hit;

#define WS_ART_OPENED_MAX 2048u

/* How a node or candidate was reached. */
typedef struct {
    uint16_t parent; /* index of the opened node that it came from */
    uint16_t level;  /* opened nodes above it */
    uint16_t order;  /* number among the slots there, or of the place */
    uint16_t root;   /* the place */
} ws_art_opened;

typedef struct {
    uint64_t slot;
    ws_art_opened way;
} ws_art_candidate;

/* Working memory of one reader; needs no initialisation but visited = 0. 24 KiB. */
typedef struct {
    uint64_t visited; /* nodes opened, added up by every call */
    ws_art_candidate lists[2][WS_ART_TOP_MAX];
    ws_art_opened opened[WS_ART_OPENED_MAX];
} ws_art_top_scratch;

/* The k best keys below some places, by (score descending, key ascending).
 *   places   disjoint, ascending in key order; at most 65,534
 *   k        1 to WS_ART_TOP_MAX
 *   hits     hits[k]
 * Returns how many there are. Exact while nothing changes; beside a writer each hit is one that
 * the tree had during the call. [any] in an epoch. No allocation. O(k * depth) nodes. */
uint32_t ws_art_top(const ws_art *art, const ws_art_place *places, uint32_t n_places, uint32_t k,
                    ws_art_top_scratch *scratch, ws_art_hit *hits);

#endif
