/* Document at a time: every posting of every list in order, every clause asked of every document,
 * in the words of docs/search.md. The reference inside the library: slow, and as plain as can be.
 */
#include "base/bytes.h"
#include "base/error.h"
#include "engine/index/id_map.h"
#include "engine/query/phrase.h"

#define POLL_DOCUMENTS 1024u

static int is_used(const ws_segment_list *list)
{
    return list->matches || list->unit;
}

static ws_status advance(ws_traversal *t, ws_segment_list *list)
{
    WS_TRY(ws_postings_next(&list->postings, &list->next));
    ws_traversal_count(t, list);
    return WS_OK;
}

static int has(const ws_traversal *t, uint32_t list, uint32_t doc)
{
    return list != WS_NO_LIST && t->segment->lists[list].next == doc;
}

/* --- clauses --- */

static int place_matches(const ws_traversal *t, const ws_segment_place *place, uint32_t doc)
{
    if (has(t, place->word, doc))
        return 1;
    for (uint32_t i = 0; i < place->n_bigrams; i++)
        if (!has(t, place->bigrams[i], doc))
            return 0;
    return place->n_bigrams != 0;
}

static int word_matches(const ws_traversal *t, const ws_segment_clause *clause, uint32_t doc)
{
    for (uint32_t i = 0; i < clause->n_alternatives; i++) {
        const ws_segment_alternative *a = &clause->alternatives[i];
        uint32_t p = 0;
        while (p < a->n_places && place_matches(t, &a->places[p], doc))
            p++;
        if (p == a->n_places)
            return 1;
    }
    return 0;
}

/* Occurrences of a phrase in a document, 0 when it lacks one of the terms. */
static ws_status phrase_tf(ws_traversal *t, const ws_segment_alternative *a, uint32_t doc,
                           uint32_t *tf)
{
    *tf = 0;
    for (uint32_t i = 0; i < a->n_lists; i++) {
        if (!has(t, a->lists[i], doc))
            return WS_OK;
        a->index[i] = t->segment->lists[a->lists[i]].postings.index;
    }
    return ws_phrase_count(t, a, a->index, tf);
}

/* Whether a phrase clause matches; *score (NULL for a negative one) grows by what its alternatives
 * contribute. */
static ws_status phrase_matches(ws_traversal *t, const ws_segment_clause *clause, uint32_t doc,
                                int *matches, uint32_t *score)
{
    *matches = 0;
    for (uint32_t i = 0; i < clause->n_alternatives; i++) {
        const ws_segment_alternative *a = &clause->alternatives[i];
        uint32_t tf = 0;
        WS_TRY(phrase_tf(t, a, doc, &tf));
        *matches |= tf != 0;
        if (tf && a->unit && score)
            *score += clause->repeats * ws_score_posting(a->table, a->unit, tf, a->norms[doc]);
    }
    return WS_OK;
}

static ws_status clause_matches(ws_traversal *t, const ws_segment_clause *clause, uint32_t doc,
                                int *matches, uint32_t *score)
{
    if (clause->phrase)
        return phrase_matches(t, clause, doc, matches, score);
    *matches = word_matches(t, clause, doc);
    return WS_OK;
}

/* --- documents --- */

static int is_allowed(const ws_segment_plan *s, uint32_t doc)
{
    return ws_live_test(s->live, doc) &&
           (!s->accepted || (s->accepted[doc / 64] >> (doc % 64) & 1));
}

static ws_status document_matches(ws_traversal *t, uint32_t doc, int *matches, uint32_t *score)
{
    const ws_segment_plan *s = t->segment;
    uint32_t n = 0;
    int one = 0;
    for (uint32_t i = 0; i < s->n_positive; i++) {
        WS_TRY(clause_matches(t, &s->positive[i], doc, &one, score));
        n += one != 0;
    }
    *matches = s->op == WS_OPERATOR_AND ? n == s->n_positive : n != 0;
    for (uint32_t i = 0; i < s->n_negative && *matches; i++) {
        WS_TRY(clause_matches(t, &s->negative[i], doc, &one, NULL));
        *matches = !one;
    }
    return WS_OK;
}

static ws_status add_lists(ws_traversal *t, uint32_t doc, uint32_t *score)
{
    for (uint32_t i = 0; i < t->segment->n_lists; i++) {
        ws_segment_list *list = &t->segment->lists[i];
        if (!list->unit || list->next != doc)
            continue;
        WS_TRY(ws_postings_load_tfs(&list->postings));
        *score += ws_score_posting(list->table, list->unit,
                                   list->postings.tfs[list->postings.index], list->norms[doc]);
    }
    return WS_OK;
}

static ws_status judge(ws_traversal *t, uint32_t doc)
{
    const ws_segment_plan *s = t->segment;
    uint32_t score = 0;
    int matches;
    if (!is_allowed(s, doc))
        return WS_OK;
    WS_TRY(document_matches(t, doc, &matches, &score));
    if (!matches)
        return WS_OK;
    WS_TRY(add_lists(t, doc, &score));
    t->total++;
    t->scored++;
    if (ws_top_wants(t->top, score))
        ws_top_offer(t->top,
                     (ws_top_entry){ws_segment_doc_key(s->segment, doc), score, s->index, doc});
    return WS_OK;
}

/* --- the walk --- */

static uint32_t next_document(const ws_segment_plan *s)
{
    uint32_t next = WS_NO_DOC;
    for (uint32_t i = 0; i < s->n_lists; i++)
        next = WS_MIN(next, is_used(&s->lists[i]) ? s->lists[i].next : WS_NO_DOC);
    return next;
}

/* Moves the lists that stand at `doc`, or all of them at the beginning. */
static ws_status advance_lists(ws_traversal *t, uint32_t doc, int all)
{
    for (uint32_t i = 0; i < t->segment->n_lists; i++) {
        ws_segment_list *list = &t->segment->lists[i];
        if (is_used(list) && (all || list->next == doc))
            WS_TRY(advance(t, list));
    }
    return WS_OK;
}

ws_status ws_traverse_exhaustive(ws_traversal *t)
{
    uint32_t n = 0;
    WS_TRY(advance_lists(t, 0, 1));
    for (uint32_t doc; (doc = next_document(t->segment)) != WS_NO_DOC;) {
        if (n++ % POLL_DOCUMENTS == 0) {
            ws_status status = ws_budget_poll(t->budget, t->postings);
            if (status)
                return status;
        }
        WS_TRY(judge(t, doc));
        WS_TRY(advance_lists(t, doc, 0));
    }
    return WS_OK;
}
