/* Frequency sketch: how often was a key asked for lately, in four bits.
 *
 * A count-min sketch of depth 4 whose four counters of a key lie in one cache line (Cormode and
 * Muthukrishnan 2005; the blocked form and the halving are those of TinyLFU: Einziger, Friedman,
 * Manes, "TinyLFU: A Highly Efficient Cache Admission Policy", 2017):
 *
 *   block, 64 bytes    | row 0        | row 1        | row 2        | row 3        |
 *                      | word0  word1 | word0  word1 | word0  word1 | word0  word1 |
 *   word, 64 bits      16 counters of 4 bits, 0 to 15
 *
 * Invariants: a counter never exceeds 15; the estimate of a key is never below the number of its
 * increments (up to 15) since the last halving of its block.
 *
 * Where it differs from Caffeine: the halving is not one sweep over everything but n_words / 64
 * words with each increment once the sample is full, so that no call pays for all of it; the number
 * of blocks is any number, not a power of two; the hash is keyed.
 *
 * [any]: shards share one sketch. Words are read and written as relaxed atomics; two threads in the
 * same word may lose an increment, never more.
 */
#ifndef WS_CACHE_SKETCH_H
#define WS_CACHE_SKETCH_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "wikisearch/status.h"

#define WS_SKETCH_MAX 15u /* largest count */

typedef struct {
    _Atomic uint64_t *words; /* n_blocks * 8, aligned to 64 */
    void *memory;
    uint32_t n_blocks;
    uint64_t seed;
    uint64_t sample;            /* increments until counts are halved */
    _Atomic uint64_t additions; /* since the last halving, halved with the counters */
    atomic_uint halving;        /* 1 while a sweep is under way */
    _Atomic uint64_t cursor;    /* next word of the sweep */
    _Atomic uint64_t odd;       /* odd counters that the sweep has met */
} ws_sketch;

/* Sets up an empty sketch.
 *   entries  keys that are worth remembering: one word of 16 counters each (at least 256), and a
 *            sample of 10 increments each
 *   seed     of the hash: who does not know it cannot make keys collide
 * WS_ERR_NOMEM. */
ws_status ws_sketch_init(ws_sketch *sketch, uint32_t entries, uint64_t seed);
void ws_sketch_fini(ws_sketch *sketch); /* frees; fine after a failed init */

/* Doubles the sketch until it has a word for each of `entries` keys; estimates stay what they were.
 * [1]: nobody else may use the sketch meanwhile. WS_ERR_NOMEM leaves it as it was. */
ws_status ws_sketch_grow(ws_sketch *sketch, uint32_t entries);

/* Counts `n` (0 to 15) more accesses of a key, and does its share of a halving. One cache line. */
void ws_sketch_add(ws_sketch *sketch, uint32_t hash, uint32_t n);

/* The estimate, 0 to 15. One cache line. */
uint32_t ws_sketch_estimate(const ws_sketch *sketch, uint32_t hash);

/* Loads the line of a key that will be asked for. */
void ws_sketch_prefetch(const ws_sketch *sketch, uint32_t hash);

size_t ws_sketch_bytes(const ws_sketch *sketch); /* memory that it takes */
size_t ws_sketch_bytes_for(uint32_t entries);    /* that one for `entries` would take */

#endif
