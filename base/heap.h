/* The k best of (score descending, key ascending), fed one by one. [1]. No allocation.
 *
 * `key` is the DOC_KEY, so that equal scores order the same in every copy of an index. */
#ifndef WS_BASE_HEAP_H
#define WS_BASE_HEAP_H

#include <stdint.h>

typedef struct {
    uint64_t key;
    uint32_t score;
    uint32_t segment, doc;
} ws_top_entry;

typedef struct {
    ws_top_entry *entries; /* caller's array of `k`; worst at [0] once full */
    uint32_t k, n;
} ws_top;

void ws_top_init(ws_top *top, ws_top_entry *entries, uint32_t k);

/* True when an entry with this score could still enter (equal scores can: the key decides). */
static inline int ws_top_wants(const ws_top *top, uint32_t score)
{
    return top->n < top->k || score >= top->entries[0].score;
}

void ws_top_offer(ws_top *top, ws_top_entry entry); /* O(log k) */
void ws_top_sort(ws_top *top);                      /* best first; the heap is no heap afterwards */

/* True when `a` ranks before `b`. */
static inline int ws_top_before(const ws_top_entry *a, const ws_top_entry *b)
{
    return a->score != b->score ? a->score > b->score : a->key < b->key;
}

#endif
