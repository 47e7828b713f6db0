#include "engine/query/clause.h"

#include "base/error.h"
#include "engine/query/phrase.h"

static void take_and(uint64_t *to, const uint64_t *from)
{
    for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
        to[w] &= from[w];
}

/* Leaves in left[] the documents that have all bigrams of a place. */
static ws_status keep_bigrams(ws_traversal *t, const ws_segment_place *place, ws_fill_fn fill,
                              uint32_t base, uint64_t *left)
{
    for (uint32_t i = 0; i < place->n_bigrams && !ws_window_is_empty(left); i++) {
        ws_segment_list *list = &t->segment->lists[place->bigrams[i]];
        WS_TRY(fill(t, list, base, left));
        take_and(left, list->bits);
    }
    return WS_OK;
}

/* Leaves in left[] the documents that match a place: its word, or all of its bigrams. */
static ws_status keep_place(ws_traversal *t, const ws_segment_place *place, ws_fill_fn fill,
                            uint32_t base, uint64_t *left)
{
    uint64_t rest[WS_WINDOW_WORDS];
    if (place->word == WS_NO_LIST)
        return keep_bigrams(t, place, fill, base, left);
    ws_segment_list *word = &t->segment->lists[place->word];
    WS_TRY(fill(t, word, base, left));
    if (place->n_bigrams == 0) {
        take_and(left, word->bits);
        return WS_OK;
    }
    for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++) {
        rest[w] = left[w] & ~word->bits[w];
        left[w] &= word->bits[w];
    }
    WS_TRY(keep_bigrams(t, place, fill, base, rest));
    for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
        left[w] |= rest[w];
    return WS_OK;
}

static ws_status keep_alternative(ws_traversal *t, const ws_segment_alternative *a, ws_fill_fn fill,
                                  uint32_t base, uint64_t *left)
{
    for (uint32_t i = 0; i < a->n_places && !ws_window_is_empty(left); i++)
        WS_TRY(keep_place(t, &a->places[i], fill, base, left));
    return WS_OK;
}

ws_status ws_clause_match_word(ws_traversal *t, const ws_segment_clause *clause, ws_fill_fn fill,
                               uint32_t base, const uint64_t asked[WS_WINDOW_WORDS],
                               uint64_t match[WS_WINDOW_WORDS])
{
    uint64_t left[WS_WINDOW_WORDS];
    memset(match, 0, WS_WINDOW_WORDS * sizeof *match);
    for (uint32_t i = 0; i < clause->n_alternatives; i++) {
        for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
            left[w] = asked[w] & ~match[w];
        WS_TRY(keep_alternative(t, &clause->alternatives[i], fill, base, left));
        for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
            match[w] |= left[w];
    }
    return WS_OK;
}

/* Every alternative is asked of every document: a phrase that stands in title and body scores in
 * both. */
ws_status ws_clause_match_phrase(ws_traversal *t, const ws_segment_clause *clause, ws_fill_fn fill,
                                 uint32_t base, const uint64_t asked[WS_WINDOW_WORDS],
                                 uint64_t match[WS_WINDOW_WORDS])
{
    uint64_t candidates[WS_WINDOW_WORDS];
    memset(match, 0, WS_WINDOW_WORDS * sizeof *match);
    for (uint32_t i = 0; i < clause->n_alternatives; i++) {
        const ws_segment_alternative *a = &clause->alternatives[i];
        memcpy(candidates, asked, sizeof candidates);
        for (uint32_t k = 0; k < a->n_lists && !ws_window_is_empty(candidates); k++) {
            ws_segment_list *list = &t->segment->lists[a->lists[k]];
            WS_TRY(fill(t, list, base, candidates));
            take_and(candidates, list->bits);
        }
        ws_status status = ws_phrase_match(t, a, clause->repeats, base, candidates, match);
        if (status)
            return status;
    }
    return WS_OK;
}

ws_status ws_clause_drop_negative(ws_traversal *t, ws_fill_fn fill, uint32_t base,
                                  uint64_t match[WS_WINDOW_WORDS])
{
    uint64_t drop[WS_WINDOW_WORDS];
    for (uint32_t i = 0; i < t->segment->n_negative && !ws_window_is_empty(match); i++) {
        const ws_segment_clause *c = &t->segment->negative[i];
        ws_status status = c->phrase ? ws_clause_match_phrase(t, c, fill, base, match, drop)
                                     : ws_clause_match_word(t, c, fill, base, match, drop);
        if (status)
            return status;
        for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
            match[w] &= ~drop[w];
    }
    return WS_OK;
}
