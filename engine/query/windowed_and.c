/* AND: windows of 4,096 documents, but only those in which every clause may match. Bits first,
 * rarest clause first, each clause asked only for the documents that are left: where these are
 * fewer than the blocks of a list, the list is probed for them instead of decoded. Scores last, for
 * what matches. */
#include "base/bytes.h"
#include "base/error.h"
#include "engine/query/clause.h"

/* --- which windows --- */

static ws_status next_of_list(ws_traversal *t, uint32_t list, uint32_t target, uint32_t *doc)
{
    uint32_t index;
    return ws_window_seek(t, &t->segment->lists[list], target, &index, doc);
}

/* Lower bounds of the first document >= target that matches. */
static ws_status next_of_place(ws_traversal *t, const ws_segment_place *place, uint32_t target,
                               uint32_t *doc)
{
    uint32_t word = WS_NO_DOC, all = place->n_bigrams ? target : WS_NO_DOC;
    if (place->word != WS_NO_LIST)
        WS_TRY(next_of_list(t, place->word, target, &word));
    for (uint32_t i = 0; i < place->n_bigrams && all < word; i++)
        WS_TRY(next_of_list(t, place->bigrams[i], all, &all));
    *doc = WS_MIN(word, all);
    return WS_OK;
}

static ws_status next_of_clause(ws_traversal *t, const ws_segment_clause *clause, uint32_t target,
                                uint32_t *doc)
{
    *doc = WS_NO_DOC;
    for (uint32_t i = 0; i < clause->n_alternatives; i++) {
        const ws_segment_alternative *a = &clause->alternatives[i];
        uint32_t here = target;
        for (uint32_t p = 0; p < a->n_places && here < *doc; p++)
            WS_TRY(next_of_place(t, &a->places[p], here, &here));
        *doc = WS_MIN(*doc, here);
    }
    return WS_OK;
}

/* A clause with several documents a window is there nearly always: asking would cost more than it
 * saves. */
static int is_sparse(const ws_segment_plan *segment, const ws_segment_clause *clause)
{
    return clause->most < segment->n_docs / (WS_WINDOW_DOCS / 4);
}

/* Moves *doc to where every sparse clause may match in its window; WS_NO_DOC at the end. */
static ws_status find_window(ws_traversal *t, uint32_t *doc)
{
    const ws_segment_plan *s = t->segment;
    for (uint32_t i = 0; i < s->n_positive;) {
        uint32_t next = *doc;
        if (is_sparse(s, &s->positive[i]))
            WS_TRY(next_of_clause(t, &s->positive[i], *doc, &next));
        if (next == WS_NO_DOC) {
            *doc = next;
            return WS_OK;
        }
        if (ws_window_base(next) == ws_window_base(*doc)) {
            i++;
        } else {
            *doc = ws_window_base(next);
            i = i == 0 ? 1 : 0; /* the first clause is there */
        }
    }
    return WS_OK;
}

/* --- bits --- */

/* Postings of a list in a window, on average; 1 at least. */
static uint32_t usual_postings(const ws_segment_plan *segment, const ws_segment_list *list)
{
    return (uint32_t)((uint64_t)list->postings.term.df * WS_WINDOW_DOCS / segment->n_docs) + 1;
}

static ws_status probe(ws_traversal *t, ws_segment_list *list, uint32_t base, const uint64_t *asked)
{
    for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
        for (uint64_t bits = asked[w]; bits; bits &= bits - 1) {
            uint32_t doc = base + w * 64 + (uint32_t)__builtin_ctzll(bits), index, found;
            WS_TRY(ws_window_seek(t, list, doc, &index, &found));
            if (found == doc)
                list->bits[w] |= bits & -bits;
        }
    return WS_OK;
}

/* Calls mark or score for the postings of the window, block by block. */
static ws_status take_window(ws_traversal *t, ws_segment_list *list, uint32_t base, int score)
{
    ws_postings *p = &list->postings;
    uint32_t end = base + WS_WINDOW_DOCS;
    for (uint32_t b = list->block; b < p->n_blocks; b++) {
        WS_TRY(ws_window_load(t, list, b));
        uint32_t from = ws_window_lower_bound(p->docs, 0, p->n, base),
                 to = ws_window_lower_bound(p->docs, from, p->n, end);
        if (score)
            WS_TRY(ws_window_score(t, list, from, to, base));
        else
            ws_window_mark(list, from, to, base);
        if (to < p->n)
            break;
    }
    return WS_OK;
}

static ws_status fill(ws_traversal *t, ws_segment_list *list, uint32_t base, const uint64_t *asked)
{
    if (list->filled)
        return WS_OK;
    if (ws_window_count(asked) <= usual_postings(t->segment, list) / WS_POSTING_BLOCK)
        return probe(t, list, base, asked);
    list->filled = 1;
    return take_window(t, list, base, 0);
}

static ws_status match_window(ws_traversal *t, uint32_t base, uint64_t *match)
{
    uint64_t one[WS_WINDOW_WORDS];
    const ws_segment_plan *s = t->segment;
    int dropped = 0;
    ws_window_allowed(s, base, match);
    for (uint32_t i = 0; i < s->n_positive && !ws_window_is_empty(match); i++) {
        const ws_segment_clause *c = &s->positive[i];
        if (c->phrase && !dropped) { /* phrases cost most: everything else first */
            ws_status status = ws_clause_drop_negative(t, fill, base, match);
            if (status)
                return status;
            dropped = 1;
        }
        ws_status status = c->phrase ? ws_clause_match_phrase(t, c, fill, base, match, one)
                                     : ws_clause_match_word(t, c, fill, base, match, one);
        if (status)
            return status;
        memcpy(match, one, sizeof one);
    }
    return dropped ? WS_OK : ws_clause_drop_negative(t, fill, base, match);
}

/* --- scores --- */

static ws_status score_document(ws_traversal *t, ws_segment_list *list, uint32_t base, uint32_t at)
{
    uint32_t index, found;
    WS_TRY(ws_window_seek(t, list, base + at, &index, &found));
    return found == base + at ? ws_window_score(t, list, index, index + 1, base) : WS_OK;
}

static ws_status score_list(ws_traversal *t, ws_segment_list *list, uint32_t base,
                            const uint64_t *match, uint32_t n)
{
    if (n * 4 > usual_postings(t->segment, list))
        return take_window(t, list, base, 1);
    for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
        for (uint64_t bits = match[w]; bits; bits &= bits - 1)
            WS_TRY(score_document(t, list, base, w * 64 + (uint32_t)__builtin_ctzll(bits)));
    return WS_OK;
}

static ws_status score_window(ws_traversal *t, uint32_t base, const uint64_t *match)
{
    uint32_t n = ws_window_count(match);
    for (uint32_t i = 0; i < t->segment->n_lists && n; i++)
        if (t->segment->lists[i].unit)
            WS_TRY(score_list(t, &t->segment->lists[i], base, match, n));
    return WS_OK;
}

/* --- the walk --- */

static void enter_window(ws_segment_plan *segment, uint32_t base)
{
    for (uint32_t i = 0; i < segment->n_lists; i++) {
        ws_segment_list *list = &segment->lists[i];
        ws_window_enter(list, base);
        list->filled = 0;
        if (list->matches)
            memset(list->bits, 0, sizeof list->bits);
    }
}

ws_status ws_traverse_windowed_and(ws_traversal *t)
{
    uint64_t match[WS_WINDOW_WORDS];
    for (uint32_t doc = 0; doc < t->segment->n_docs; doc = ws_window_base(doc) + WS_WINDOW_DOCS) {
        WS_TRY(find_window(t, &doc));
        if (doc == WS_NO_DOC)
            return WS_OK;
        uint32_t base = ws_window_base(doc);
        ws_status status = ws_window_begin(t);
        if (status)
            return status;
        enter_window(t->segment, base);
        status = match_window(t, base, match);
        if (status)
            return status;
        WS_TRY(score_window(t, base, match));
        ws_window_collect(t, base, match);
    }
    return WS_OK;
}
