/* The tiers: which segments to merge next. Sizes within a factor of 8 form a tier; 8 of a tier
 * merge, so that a document is rewritten about log8(index size / flush size) times. */
#include "base/bytes.h"
#include "engine/index/merge.h"

#define FAN_IN        8u
#define TIER_FACTOR   8u
#define DELETED_SHARE 30u /* percent: rewrite a segment for its deleted documents alone */
#define FLOOR_BYTES                                                                                \
 (1u << 20) /* smaller segments count as this, so that the smallest form one tier */

typedef struct {
    uint64_t bytes; /* without the share of deleted documents, at least the floor */
    uint32_t index;
} candidate;

static uint64_t live_bytes(uint64_t bytes, uint32_t docs, uint32_t deleted)
{
    uint64_t live = docs ? (uint64_t)((double)bytes * (double)(docs - deleted) / (double)docs) : 0;
    return WS_MAX(live, (uint64_t)FLOOR_BYTES);
}

static uint32_t sorted_candidates(const uint64_t *bytes, const uint32_t *docs,
                                  const uint32_t *deleted, uint32_t n, uint64_t max_bytes,
                                  candidate *out)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < n && m < WS_MAX_SEGMENTS; i++) {
        candidate c = {live_bytes(bytes[i], docs[i], deleted[i]), i};
        if (bytes[i] > max_bytes)
            continue;
        uint32_t at = m++;
        for (; at > 0 && out[at - 1].bytes > c.bytes; at--)
            out[at] = out[at - 1];
        out[at] = c;
    }
    return m;
}

static uint32_t take(const candidate *from, uint32_t n, uint32_t *picks)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at > 0 && picks[at - 1] > from[i].index; at--)
            picks[at] = picks[at - 1];
        picks[at] = from[i].index;
    }
    return n;
}

/* A full tier among the candidates, smallest first; 0 when there is none that fits max_bytes. */
static uint32_t full_tier(const candidate *c, uint32_t n, const uint64_t *bytes, uint64_t max_bytes,
                          uint32_t *picks)
{
    for (uint32_t first = 0; first + FAN_IN <= n; first++) {
        uint64_t total = 0;
        if (c[first + FAN_IN - 1].bytes > c[first].bytes * TIER_FACTOR)
            continue;
        for (uint32_t i = 0; i < FAN_IN; i++)
            total += bytes[c[first + i].index];
        if (total <= max_bytes)
            return take(c + first, FAN_IN, picks);
    }
    return 0;
}

uint32_t ws_merge_pick(const uint64_t *bytes, const uint32_t *docs, const uint32_t *deleted,
                       uint32_t n, uint64_t max_bytes, uint32_t *picks)
{
    candidate c[WS_MAX_SEGMENTS];
    uint32_t m = sorted_candidates(bytes, docs, deleted, n, max_bytes, c);
    for (uint32_t i = 0; i < m; i++) {
        uint32_t s = c[i].index;
        if ((uint64_t)deleted[s] * 100 > (uint64_t)docs[s] * DELETED_SHARE)
            return take(&c[i], 1, picks);
    }
    return full_tier(c, m, bytes, max_bytes, picks);
}
