/* Who stays: W-TinyLFU with lazy promotion, one instance a shard.
 *
 *              put                 contest: candidate against victim
 *               |                        |
 *    [ window FIFO ] -> candidate -> [ probation FIFO ] -> victim
 *                                        |  ^
 *                        hit since put   v  |  not hit for a round
 *                                     [ protected CLOCK ]
 *
 * A hit only counts in its entry; nothing moves. When an entry reaches the head of a queue its
 * count is folded into the sketch and decides: from probation a hit one is promoted, from protected
 * one that was not hit is demoted, the others go round. An entry that leaves the window is a
 * candidate: it stays when the sketch has seen it more often than the victim, the head of
 * probation. Of candidates that lose but were asked for at least 6 times, one in 128 is let in all
 * the same, lest somebody who inflates the victim's counters keeps everybody out.
 *
 * Sources: W-TinyLFU: Einziger, Friedman, Manes, "TinyLFU: A Highly Efficient Cache Admission
 * Policy", ACM Transactions on Storage 2017. Promotion at the head instead of at the hit: CLOCK
 * (Corbato 1968), S3-FIFO (Yang et al., SOSP 2023). The jitter is Caffeine's.
 *
 * Invariants: an entry is in the queue that its region names, or in none; a queue's weight is the
 * sum of its entries' weights; after ws_policy_evict returned 0, the weights are within capacity.
 *
 * [1]: the shard's mutex is held. Counters and the sketch are atomics, because readers and other
 * shards touch them meanwhile.
 */
#ifndef WS_CACHE_POLICY_H
#define WS_CACHE_POLICY_H

#include "cache/entry.h"
#include "cache/sketch.h"

typedef struct {
    uint32_t head, tail; /* oldest, youngest; 0 = empty */
    uint32_t count;
    uint64_t weight;
} ws_queue;

/* Why an entry was evicted. */
#define WS_EVICT_REJECTED 0u /* a candidate that lost its contest */
#define WS_EVICT_VICTIM   1u /* the head of a queue */
#define WS_EVICT_EXPIRED  2u

typedef struct {
    const char *base; /* of the arena that references count from */
    ws_sketch *sketch;
    uint64_t random;
    uint64_t capacity, window_target, protected_target; /* weights */
    uint32_t unit;                                      /* 1: every entry weighs 1 */
    uint32_t now;                                       /* tick; entries with `fresh` before */
    uint32_t stale_ticks;                               /* it by so much are worth nothing */
    uint32_t candidate;                                 /* latest one out of the window, or 0 */
    ws_queue queues[WS_REGIONS];
} ws_policy;

/* What became of an eviction. */
typedef struct {
    uint32_t cause;                         /* WS_EVICT_* */
    uint32_t candidate_count, victim_count; /* the sketch's, for contests */
} ws_contest;

/*   base    of the arena
 *   sketch  may be shared by other policies
 *   seed    of the jitter
 *   unit    1: count entries; 0: weigh their cells */
void ws_policy_init(ws_policy *policy, const char *base, ws_sketch *sketch, uint64_t seed,
                    uint32_t unit);

/* Most that the entries may weigh together. The window keeps its share. */
void ws_policy_set_capacity(ws_policy *policy, uint64_t capacity);

/* The window's weight from now on, at most the capacity: what an adaptive controller turns. Takes
 * effect with the next evictions, entry by entry. */
void ws_policy_set_window(ws_policy *policy, uint64_t target);

/* An entry that was just made: counts an access and puts it into the window. O(1). */
void ws_policy_insert(ws_policy *policy, uint32_t ref);

/* Takes an entry out of its queue. O(1). */
void ws_policy_remove(ws_policy *policy, uint32_t ref);

/* Puts `ref` into the place of `old`, and counts an access. O(1). */
void ws_policy_replace(ws_policy *policy, uint32_t old, uint32_t ref);

/* The next entry to evict, taken out of its queue; 0 when the weights are within capacity.
 *   force    1: an entry even though they are (0 only when there is none)
 *   contest  out, NULL allowed
 * Amortised O(1): each step moves an entry that was put or hit before. */
uint32_t ws_policy_evict(ws_policy *policy, int force, ws_contest *contest);

/* Loads what the next eviction will look at. Two steps, each needing what the one before loaded:
 * the headers of candidate and victim, then their counters in the sketch. */
void ws_policy_prefetch_entries(const ws_policy *policy);
void ws_policy_prefetch_counts(const ws_policy *policy);

uint64_t ws_policy_weight(const ws_policy *policy, const ws_entry *entry);
uint64_t ws_policy_total(const ws_policy *policy);

#endif
