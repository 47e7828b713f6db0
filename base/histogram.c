#include "base/histogram.h"

#include <string.h>

#include "base/bytes.h"

#define SUB_COUNT (1u << WS_HISTOGRAM_SUB_BITS)

/* One thread writes, others may read: plain loads and stores would be a data race, a locked add
 * would cost more than the rest of the record. */
static uint64_t peek(const uint64_t *field)
{
    return __atomic_load_n(field, __ATOMIC_RELAXED);
}

static void poke(uint64_t *field, uint64_t value)
{
    __atomic_store_n(field, value, __ATOMIC_RELAXED);
}

void ws_histogram_init(ws_histogram *h)
{
    memset(h, 0, sizeof *h);
    h->min = UINT64_MAX;
}

/* Bits of a value with top bit e: the 7 leading ones select the bucket, the e - 6 others are
 * dropped. Values below 128 lose nothing. */
uint32_t ws_histogram_bucket(uint64_t value)
{
    unsigned bits = ws_bits_u64(value);
    unsigned dropped = bits > WS_HISTOGRAM_SUB_BITS + 1 ? bits - WS_HISTOGRAM_SUB_BITS - 1 : 0;
    return dropped * SUB_COUNT + (uint32_t)(value >> dropped);
}

uint64_t ws_histogram_bucket_upper(uint32_t index)
{
    if (index < 2 * SUB_COUNT)
        return index;
    unsigned dropped = index / SUB_COUNT - 1;
    uint64_t leading = SUB_COUNT + index % SUB_COUNT;
    /* The last bucket ends at 2^64 - 1: the shift wraps to 0 and the subtraction to the maximum. */
    return ((leading + 1) << dropped) - 1;
}

void ws_histogram_record(ws_histogram *h, uint64_t value)
{
    uint64_t *bucket = &h->buckets[ws_histogram_bucket(value)];
    poke(bucket, peek(bucket) + 1);
    poke(&h->sum, peek(&h->sum) + value);
    if (value < peek(&h->min))
        poke(&h->min, value);
    if (value > peek(&h->max))
        poke(&h->max, value);
    poke(&h->count, peek(&h->count) + 1);
}

void ws_histogram_merge(ws_histogram *into, const ws_histogram *from)
{
    for (uint32_t i = 0; i < WS_HISTOGRAM_BUCKETS; i++) {
        uint64_t n = peek(&from->buckets[i]);
        if (n)
            poke(&into->buckets[i], peek(&into->buckets[i]) + n);
    }
    poke(&into->sum, peek(&into->sum) + peek(&from->sum));
    poke(&into->min, WS_MIN(peek(&into->min), peek(&from->min)));
    poke(&into->max, WS_MAX(peek(&into->max), peek(&from->max)));
    poke(&into->count, peek(&into->count) + peek(&from->count));
}

/* Smallest rank r >= 1 with r / count >= quantile. */
static uint64_t rank_of(uint64_t count, double quantile)
{
    double exact = quantile * (double)count;
    uint64_t rank = exact >= (double)count ? count : exact > 0 ? (uint64_t)exact : 0;
    rank += (double)rank < exact && rank < count;
    return rank ? rank : 1;
}

uint64_t ws_histogram_quantile(const ws_histogram *h, double quantile)
{
    uint64_t count = peek(&h->count), min = peek(&h->min), max = peek(&h->max);
    if (!count)
        return 0;
    uint64_t rank = rank_of(count, quantile), seen = 0;
    for (uint32_t i = 0; i < WS_HISTOGRAM_BUCKETS; i++) {
        seen += peek(&h->buckets[i]);
        if (seen >= rank)
            return WS_MIN(WS_MAX(ws_histogram_bucket_upper(i), min), max);
    }
    return max;
}

uint64_t ws_histogram_count_le(const ws_histogram *h, uint64_t value)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < WS_HISTOGRAM_BUCKETS && ws_histogram_bucket_upper(i) <= value; i++)
        n += peek(&h->buckets[i]);
    return n;
}
