/* OR, term at a time within windows of 4,096 documents: each list is decoded once, in order; its
 * postings set bits and add scores; the bits say which documents match. Windows that no list of a
 * positive clause reaches are stepped over.
 *
 * Windows of this size and bit words for dense lists: Lucene's bulk scorers for many clauses
 * (issues 13605, 14155, 14679). */
#include "base/bytes.h"
#include "base/error.h"
#include "engine/query/clause.h"

static int is_used(const ws_segment_list *list)
{
    return list->matches || list->unit;
}

static void stand_at(ws_segment_list *list, uint32_t block, uint32_t at)
{
    list->ahead = block;
    list->at = at;
    list->next = list->postings.docs[at];
}

static void stand_at_end(ws_segment_list *list)
{
    list->ahead = list->postings.n_blocks;
    list->next = WS_NO_DOC;
}

static ws_status go_to(ws_traversal *t, ws_segment_list *list, uint32_t target)
{
    uint32_t index, doc;
    list->block = list->ahead;
    WS_TRY(ws_window_seek(t, list, target, &index, &doc));
    if (doc == WS_NO_DOC)
        stand_at_end(list);
    else
        stand_at(list, list->postings.block, index);
    return WS_OK;
}

/* Postings of the decoded block that lie in the window: bits, scores. */
static ws_status take_part(ws_traversal *t, ws_segment_list *list, uint32_t to, uint32_t base)
{
    if (list->matches) {
        ws_window_mark(list, list->at, to, base);
        list->filled = 1;
    }
    return list->unit ? ws_window_score(t, list, list->at, to, base) : WS_OK;
}

static ws_status take_window(ws_traversal *t, ws_segment_list *list, uint32_t base)
{
    ws_postings *p = &list->postings;
    uint32_t end = base + WS_WINDOW_DOCS;
    list->block = list->ahead;
    while (list->next < end) {
        WS_TRY(ws_window_load(t, list, list->ahead));
        uint32_t to =
            p->docs[p->n - 1] < end ? p->n : ws_window_lower_bound(p->docs, list->at, p->n, end);
        WS_TRY(take_part(t, list, to, base));
        if (to < p->n) {
            stand_at(list, list->ahead, to);
        } else if (list->ahead + 1 < p->n_blocks) {
            WS_TRY(ws_window_load(t, list, list->ahead + 1));
            stand_at(list, list->ahead + 1, 0);
        } else {
            stand_at_end(list);
        }
    }
    return WS_OK;
}

static ws_status take_lists(ws_traversal *t, uint32_t base)
{
    for (uint32_t i = 0; i < t->segment->n_lists; i++) {
        ws_segment_list *list = &t->segment->lists[i];
        if (list->filled)
            memset(list->bits, 0, sizeof list->bits);
        list->filled = 0;
        if (!is_used(list))
            continue;
        if (list->next < base)
            WS_TRY(go_to(t, list, base));
        WS_TRY(take_window(t, list, base));
    }
    return WS_OK;
}

/* The bits are there already. */
static ws_status fill_nothing(ws_traversal *t, ws_segment_list *list, uint32_t base,
                              const uint64_t *asked)
{
    (void)t, (void)list, (void)base, (void)asked;
    return WS_OK;
}

static ws_status match_window(ws_traversal *t, uint32_t base, uint64_t *match)
{
    uint64_t allowed[WS_WINDOW_WORDS], one[WS_WINDOW_WORDS];
    ws_window_allowed(t->segment, base, allowed);
    memset(match, 0, WS_WINDOW_WORDS * sizeof *match);
    for (uint32_t i = 0; i < t->segment->n_positive; i++) {
        const ws_segment_clause *c = &t->segment->positive[i];
        ws_status status = c->phrase
                               ? ws_clause_match_phrase(t, c, fill_nothing, base, allowed, one)
                               : ws_clause_match_word(t, c, fill_nothing, base, allowed, one);
        if (status)
            return status;
        for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
            match[w] |= one[w];
    }
    return ws_clause_drop_negative(t, fill_nothing, base, match);
}

static uint32_t next_document(const ws_segment_plan *segment)
{
    uint32_t next = WS_NO_DOC;
    for (uint32_t i = 0; i < segment->n_lists; i++)
        if (segment->lists[i].drives)
            next = WS_MIN(next, segment->lists[i].next);
    return next;
}

ws_status ws_traverse_windowed_or(ws_traversal *t)
{
    uint64_t match[WS_WINDOW_WORDS];
    for (uint32_t i = 0; i < t->segment->n_lists; i++)
        if (t->segment->lists[i].drives)
            WS_TRY(go_to(t, &t->segment->lists[i], 0));
    for (uint32_t doc; (doc = next_document(t->segment)) != WS_NO_DOC;) {
        uint32_t base = ws_window_base(doc);
        ws_status status = ws_window_begin(t);
        if (status)
            return status;
        WS_TRY(take_lists(t, base));
        status = match_window(t, base, match);
        if (status)
            return status;
        ws_window_collect(t, base, match);
    }
    return WS_OK;
}
