/* One segment searched: what every traversal gets, and gives back. [1]. */
#ifndef WS_QUERY_TRAVERSAL_H
#define WS_QUERY_TRAVERSAL_H

#include "base/budget.h"
#include "base/heap.h"
#include "engine/query/plan.h"

/* Numbers with room for `cap`; grown, never shrunk. */
typedef struct {
    uint32_t *values;
    uint32_t cap;
} ws_number_room;

typedef struct {
    const ws_plan *plan;
    ws_segment_plan *segment;
    ws_top *top;                      /* shared by all segments: its worst score is the threshold */
    const ws_budget *budget;          /* NULL = unlimited */
    uint32_t *scores;                 /* [WS_WINDOW_DOCS], all 0 between windows */
    uint64_t touched;                 /* bit i: scores[64 i ... 64 i + 63] may not be 0 */
    ws_number_room starts, positions; /* phrases */
    /* counts, added to over the segments */
    uint64_t total; /* documents that match */
    uint64_t postings, blocks, positions_decoded, windows, scored;
} ws_traversal;

/* Finds every document of the segment that matches (docs/search.md), counts it, and offers it to
 * the heap with its score. WS_OK; WS_PARTIAL when the budget ended: what was counted and offered is
 * right. Errors: WS_ERR_CANCELLED, WS_ERR_CORRUPT, WS_ERR_NOMEM. All three give the same results on
 * any plan, but for the operator: windowed_or takes clauses by OR, windowed_and by AND; with one
 * positive clause either will do. */
typedef ws_status (*ws_traverse_fn)(ws_traversal *t);
ws_status ws_traverse_exhaustive(ws_traversal *t);
ws_status ws_traverse_windowed_or(ws_traversal *t);
ws_status ws_traverse_windowed_and(ws_traversal *t);

/* The traversal for a segment plan. */
ws_traverse_fn ws_traversal_choose(const ws_segment_plan *segment);

/* Counts the decoded block of a list, the first time. A window may come back to a block for tfs or
 * positions: that is no new posting. */
static inline void ws_traversal_count(ws_traversal *t, ws_segment_list *list)
{
    const ws_postings *p = &list->postings;
    if (p->block < list->counted || p->block == WS_NO_BLOCK)
        return;
    list->counted = p->block + 1;
    t->blocks++;
    t->postings += p->n;
}

/* Makes room for n numbers; WS_ERR_NOMEM. */
ws_status ws_number_room_for(ws_number_room *room, uint32_t n);

#endif
