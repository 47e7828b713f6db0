/* Log-linear latency histogram: fixed size, relative error <= 1/64, mergeable without loss.
 *
 * Values are u64 (nanoseconds by custom). Bucket of v: v itself below 128, else 64 sub-buckets per
 * power of two. Recording is one add; [1] per histogram, or one per thread and merge (the record
 * uses relaxed atomics, so that another thread may read while it runs). Source: the log-linear
 * scheme of HdrHistogram (Tene).
 */
#ifndef WS_BASE_HISTOGRAM_H
#define WS_BASE_HISTOGRAM_H

#include <stdint.h>

#define WS_HISTOGRAM_SUB_BITS 6
#define WS_HISTOGRAM_BUCKETS  ((64 - WS_HISTOGRAM_SUB_BITS + 1) << WS_HISTOGRAM_SUB_BITS)

typedef struct {
    uint64_t count, sum, min, max; /* min is UINT64_MAX while empty */
    uint64_t buckets[WS_HISTOGRAM_BUCKETS];
} ws_histogram;

void ws_histogram_init(ws_histogram *h);
void ws_histogram_record(ws_histogram *h, uint64_t value); /* O(1) */
void ws_histogram_merge(ws_histogram *into, const ws_histogram *from);

/* Smallest recorded-bucket upper bound with at least `quantile` (0 to 1) of the values at or below
 * it, clamped to [min, max]; 0 when empty. */
uint64_t ws_histogram_quantile(const ws_histogram *h, double quantile);

/* Number of values whose bucket lies at or below `value` (for cumulative exports). */
uint64_t ws_histogram_count_le(const ws_histogram *h, uint64_t value);

uint32_t ws_histogram_bucket(uint64_t value);       /* bucket index of a value */
uint64_t ws_histogram_bucket_upper(uint32_t index); /* largest value in a bucket */

#endif
