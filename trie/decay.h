/* Popularity with forward exponential decay, in fixed point.
 *
 * An event at time t weighs 2^((t - origin) / half-life); a score is S = log2 of the sum of
 * weights. All sums grow older at the same rate, so the order of S is right at every later time and
 * nothing is ever recomputed because time has passed. Source: Cormode, Shkapenyuk, Srivastava, Xu,
 * "Forward decay" (2009).
 *
 * Numbers are unsigned with 32 bits behind the point and at most 16 before it (65,536 half-lives);
 * trees keep the upper 32 of the 48 bits (16.16). The lower ones let a score of a million events
 * grow by one more. Integer arithmetic: the same on every machine. [any]
 */
#ifndef WS_TRIE_DECAY_H
#define WS_TRIE_DECAY_H

#include <stdint.h>

#define WS_DECAY_ONE         ((uint64_t)1 << 32)
#define WS_DECAY_MAX         (((uint64_t)1 << 48) - 1)
#define WS_DECAY_HALF_LIFE   ((uint64_t)7 * 24 * 3600 * 1000) /* default, milliseconds */
#define WS_DECAY_MAX_HALF_MS ((uint64_t)1 << 40)

/* log2 of the weight of an event `since_origin_ms` after the origin; 0 when it was before.
 *   half_life_ms  1 to WS_DECAY_MAX_HALF_MS */
uint64_t ws_decay_age(int64_t since_origin_ms, uint64_t half_life_ms);

/* log2(1 + weight): the score of something that was there from the origin. */
uint64_t ws_decay_prior(uint64_t weight);

/* log2(2^score + 2^age): one more event. Within 2^-30 of the truth, never less than either. */
uint64_t ws_decay_add(uint64_t score, uint64_t age);

/* log2(2^score - 2^age): an event taken back; 0 when nothing is left. */
uint64_t ws_decay_sub(uint64_t score, uint64_t age);

/* The score as trees keep it, and as a number: how many events of the present age it is worth. */
static inline uint32_t ws_decay_16(uint64_t score)
{
    return (uint32_t)(score >> 16);
}

double ws_decay_count(uint64_t score, uint64_t age);

#endif
