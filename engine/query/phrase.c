#include "engine/query/phrase.h"

#include "base/bytes.h"
#include "base/error.h"

#define POLL_DOCUMENTS 64u

/* Absolute positions of a posting, in t->positions. */
static ws_status load_positions(ws_traversal *t, ws_segment_list *list, uint32_t index, uint32_t *n)
{
    ws_postings *p = &list->postings;
    WS_TRY(ws_postings_load_tfs(p));
    *n = p->tfs[index];
    /* A block of 128 positions has at least 2 bytes: a tf beyond this was never written, and must
     * not size a buffer. */
    uint64_t most =
        p->term.cf == 1 ? 1 : WS_MIN(p->term.cf, (p->term.pos_length + 1) / 2 * WS_POSITION_BLOCK);
    if (*n > most)
        return WS_ERR_CORRUPT;
    WS_TRY(ws_number_room_for(&t->positions, *n));
    return ws_postings_positions(p, index, t->positions.values);
}

/* Beginnings of the phrase that the first list allows. */
static ws_status begin_starts(ws_traversal *t, uint32_t offset, uint32_t n_positions, uint32_t *n)
{
    const uint32_t *positions = t->positions.values;
    WS_TRY(ws_number_room_for(&t->starts, n_positions));
    *n = 0;
    for (uint32_t i = 0; i < n_positions; i++)
        if (positions[i] >= offset)
            t->starts.values[(*n)++] = positions[i] - offset;
    return WS_OK;
}

/* Keeps the beginnings that have one of the positions at `offset`. Both ascend; each step moves one
 * or both on without a branch, because which it is cannot be guessed. */
static uint32_t keep_starts(ws_traversal *t, uint32_t offset, uint32_t n_positions, uint32_t n)
{
    const uint32_t *positions = t->positions.values;
    uint32_t *starts = t->starts.values, kept = 0;
    for (uint32_t i = 0, at = 0; i < n && at < n_positions;) {
        uint64_t wanted = (uint64_t)starts[i] + offset, there = positions[at];
        starts[kept] = starts[i];
        kept += wanted == there;
        i += wanted <= there;
        at += there <= wanted;
    }
    return kept;
}

/* Applies one list: it may stand at several places of the phrase. */
static ws_status apply_list(ws_traversal *t, const ws_segment_alternative *a, uint32_t list,
                            uint32_t n_positions, int begun, uint32_t *n)
{
    for (uint32_t place = 0; place < a->n_places && !(begun && *n == 0); place++) {
        if (a->places[place].word != list)
            continue;
        if (begun)
            *n = keep_starts(t, place, n_positions, *n);
        else
            WS_TRY(begin_starts(t, place, n_positions, n));
        begun = 1;
    }
    return WS_OK;
}

ws_status ws_phrase_count(ws_traversal *t, const ws_segment_alternative *a, const uint32_t *index,
                          uint32_t *tf)
{
    ws_segment_list *lists = t->segment->lists;
    *tf = 0;
    if (a->n_places == 1) {
        ws_postings *only = &lists[a->lists[0]].postings;
        WS_TRY(ws_postings_load_tfs(only));
        *tf = only->tfs[index[0]];
        return WS_OK;
    }
    for (uint32_t i = 0; i < a->n_lists && (i == 0 || *tf); i++) {
        uint32_t n_positions;
        WS_TRY(load_positions(t, &lists[a->lists[i]], index[i], &n_positions));
        WS_TRY(apply_list(t, a, a->lists[i], n_positions, i != 0, tf));
    }
    return WS_OK;
}

/* --- over a window --- */

static ws_status find_postings(ws_traversal *t, const ws_segment_alternative *a, uint32_t doc,
                               uint32_t *index)
{
    for (uint32_t i = 0; i < a->n_lists; i++) {
        uint32_t found;
        WS_TRY(ws_window_seek(t, &t->segment->lists[a->lists[i]], doc, &index[i], &found));
        if (found != doc)
            return WS_ERR_CORRUPT; /* it was there a moment ago */
    }
    return WS_OK;
}

static void add_score(ws_traversal *t, const ws_segment_alternative *a, uint32_t repeats,
                      uint32_t base, uint32_t at, uint32_t tf)
{
    t->scores[at] += repeats * ws_score_posting(a->table, a->unit, tf, a->norms[base + at]);
    t->touched |= 1ull << (at / 64);
}

static ws_status check_document(ws_traversal *t, const ws_segment_alternative *a, uint32_t repeats,
                                uint32_t base, uint32_t at, uint64_t *match)
{
    uint32_t tf;
    WS_TRY(find_postings(t, a, base + at, a->index));
    WS_TRY(ws_phrase_count(t, a, a->index, &tf));
    if (tf == 0)
        return WS_OK;
    match[at / 64] |= 1ull << (at % 64);
    if (a->unit)
        add_score(t, a, repeats, base, at, tf);
    return WS_OK;
}

ws_status ws_phrase_match(ws_traversal *t, const ws_segment_alternative *a, uint32_t repeats,
                          uint32_t base, const uint64_t candidates[WS_WINDOW_WORDS],
                          uint64_t match[WS_WINDOW_WORDS])
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
        for (uint64_t bits = candidates[w]; bits; bits &= bits - 1) {
            if (++n % POLL_DOCUMENTS == 0) {
                ws_status status = ws_budget_poll(t->budget, t->postings);
                if (status)
                    return status;
            }
            WS_TRY(check_document(t, a, repeats, base, w * 64 + (uint32_t)__builtin_ctzll(bits),
                                  match));
        }
    return WS_OK;
}
