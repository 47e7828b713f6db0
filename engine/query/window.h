/* Windows of 4,096 documents: a bit a document for each posting list, a score a document, words
 * combined 64 documents at a time. [1].
 *
 *   documents   base ................................ base + 4095
 *   bits        64 words of 64, document base + d at bit d % 64 of word d / 64
 *   scores      4,096 sums of contributions; cleared by the 64 documents that were touched
 */
#ifndef WS_QUERY_WINDOW_H
#define WS_QUERY_WINDOW_H

#include "engine/query/traversal.h"

/* First index in [from, n) with docs[index] >= target, n when there is none. The halves are chosen
 * without a branch: it would be guessed wrong every other time. */
static inline uint32_t ws_window_lower_bound(const uint32_t *docs, uint32_t from, uint32_t n,
                                             uint32_t target)
{
    uint32_t left = n - from;
    while (left) {
        uint32_t half = left / 2, beyond = docs[from + half] < target;
        from += beyond ? half + 1 : 0;
        left = beyond ? left - half - 1 : half;
    }
    return from;
}

static inline uint32_t ws_window_base(uint32_t doc)
{
    return doc & ~(WS_WINDOW_DOCS - 1);
}

/* Decodes a block unless it is the decoded one; counts it the first time. */
ws_status ws_window_load(ws_traversal *t, ws_segment_list *list, uint32_t block);

/* Moves list->block to the block where the window at `base` begins. */
void ws_window_enter(ws_segment_list *list, uint32_t base);

/* Finds the first posting with document >= target, from list->block on, and decodes its block:
 * *index its place there, *doc its document or WS_NO_DOC when there is none. Targets of a window
 * may come in any order. */
ws_status ws_window_seek(ws_traversal *t, ws_segment_list *list, uint32_t target, uint32_t *index,
                         uint32_t *doc);

/* Sets the bits of docs[from, to) of the decoded block. */
void ws_window_mark(ws_segment_list *list, uint32_t from, uint32_t to, uint32_t base);

/* Adds the contributions of postings [from, to) of the decoded block; loads its tfs. list->unit is
 * not 0. */
ws_status ws_window_score(ws_traversal *t, ws_segment_list *list, uint32_t from, uint32_t to,
                          uint32_t base);

/* Documents of the window that are live and pass the filter. */
void ws_window_allowed(const ws_segment_plan *segment, uint32_t base,
                       uint64_t bits[WS_WINDOW_WORDS]);

int ws_window_is_empty(const uint64_t bits[WS_WINDOW_WORDS]);
uint32_t ws_window_count(const uint64_t bits[WS_WINDOW_WORDS]);

/* Counts the documents that match, offers them with their scores, and clears the scores. */
void ws_window_collect(ws_traversal *t, uint32_t base, const uint64_t match[WS_WINDOW_WORDS]);

/* Begins a window: counts it and asks the budget. */
ws_status ws_window_begin(ws_traversal *t);

#endif
