/* The plan of one segment: what it lacks is left out, what is left is ordered. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "engine/query/plan.h"

typedef struct {
    ws_segment_plan *out;
    const ws_plan *plan;
    ws_arena *arena;
    uint32_t *number; /* list of the query -> list of the segment, WS_NO_LIST */
} builder;

/* --- lists --- */

static int is_present(const builder *b, uint32_t list)
{
    return list != WS_NO_LIST && b->number[list] != WS_NO_LIST;
}

static ws_status open_list(builder *b, uint32_t i, ws_segment_list *list)
{
    const ws_query_list *asked = &b->plan->query->lists[i];
    const ws_plan_list *planned = &b->plan->lists[i];
    WS_TRY(ws_postings_open(&list->postings, b->out->segment, &planned->infos[b->out->index]));
    list->unit = planned->unit;
    list->table = NULL;
    list->norms = NULL;
    list->matches = list->drives = list->filled = 0;
    list->counted = list->block = list->ahead = list->at = list->next = 0;
    memset(list->bits, 0, sizeof list->bits);
    if (list->unit == 0)
        return WS_OK;
    list->table = b->plan->tables->streams[asked->field][asked->stream];
    WS_TRY(ws_segment_norms(b->out->segment, asked->field, asked->stream, &list->norms));
    return list->norms ? WS_OK : WS_ERR_CORRUPT;
}

static ws_status open_lists(builder *b)
{
    uint32_t n = b->plan->query->n_lists, present = 0;
    b->number = ws_arena_alloc(b->arena, n * sizeof *b->number);
    if (!b->number)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < n; i++)
        b->number[i] = b->plan->lists[i].infos[b->out->index].df ? present++ : WS_NO_LIST;
    b->out->lists = ws_arena_alloc(b->arena, present * sizeof *b->out->lists);
    if (!b->out->lists)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < n; i++)
        if (b->number[i] != WS_NO_LIST)
            WS_TRY(open_list(b, i, &b->out->lists[b->number[i]]));
    b->out->n_lists = present;
    return WS_OK;
}

static uint64_t df_of(const builder *b, uint32_t list)
{
    return b->out->lists[list].postings.term.df;
}

/* --- places --- */

static int has_all_bigrams(const builder *b, const ws_query_place *place)
{
    for (uint32_t i = 0; i < place->n_bigrams; i++)
        if (!is_present(b, b->plan->query->bigrams[place->first_bigram + i]))
            return 0;
    return place->n_bigrams != 0;
}

/* Returns how many documents may match the place; 0 when none can. */
static ws_status make_place(builder *b, const ws_query_place *from, ws_segment_place *to,
                            uint64_t *most)
{
    uint64_t rarest = UINT64_MAX;
    *to =
        (ws_segment_place){is_present(b, from->word) ? b->number[from->word] : WS_NO_LIST, 0, NULL};
    *most = to->word == WS_NO_LIST ? 0 : df_of(b, to->word);
    if (!has_all_bigrams(b, from))
        return WS_OK;
    uint32_t *bigrams = ws_arena_alloc(b->arena, from->n_bigrams * sizeof *bigrams);
    if (!bigrams)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < from->n_bigrams; i++) {
        bigrams[i] = b->number[b->plan->query->bigrams[from->first_bigram + i]];
        rarest = WS_MIN(rarest, df_of(b, bigrams[i]));
    }
    to->n_bigrams = from->n_bigrams;
    to->bigrams = bigrams;
    *most += rarest;
    return WS_OK;
}

static void mark_place(builder *b, const ws_segment_place *place, uint8_t positive)
{
    if (place->word != WS_NO_LIST) {
        b->out->lists[place->word].matches = 1;
        b->out->lists[place->word].drives |= positive;
    }
    for (uint32_t i = 0; i < place->n_bigrams; i++) {
        b->out->lists[place->bigrams[i]].matches = 1;
        b->out->lists[place->bigrams[i]].drives |= positive;
    }
}

/* --- alternatives --- */

/* Distinct lists of a phrase, rarest first: a candidate is dropped as early as possible. Insertion:
 * phrases are short. */
static ws_status order_lists(builder *b, ws_segment_alternative *a)
{
    a->n_lists = 0;
    a->lists = ws_arena_alloc(b->arena, a->n_places * sizeof *a->lists);
    a->index = ws_arena_alloc(b->arena, a->n_places * sizeof *a->index);
    if (!a->lists || !a->index)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < a->n_places; i++) {
        uint32_t list = a->places[i].word, at = 0;
        while (at < a->n_lists && a->lists[at] != list)
            at++;
        if (at < a->n_lists)
            continue;
        for (a->n_lists++; at && df_of(b, a->lists[at - 1]) > df_of(b, list); at--)
            a->lists[at] = a->lists[at - 1];
        a->lists[at] = list;
    }
    return WS_OK;
}

static ws_status finish_phrase(builder *b, uint32_t unit, ws_segment_alternative *a)
{
    a->unit = unit;
    a->table = NULL;
    a->norms = NULL;
    WS_TRY(order_lists(b, a));
    if (unit == 0)
        return WS_OK;
    a->table = b->plan->tables->streams[a->field][WS_STREAM_WORD];
    WS_TRY(ws_segment_norms(b->out->segment, a->field, WS_STREAM_WORD, &a->norms));
    return a->norms ? WS_OK : WS_ERR_CORRUPT;
}

/* *most 0: no document can match, `to` is not to be used. */
static ws_status make_alternative(builder *b, const ws_query_clause *clause, uint32_t which,
                                  ws_segment_alternative *to, uint64_t *most)
{
    const ws_query_alternative *from = &b->plan->query->alternatives[which];
    *most = UINT64_MAX;
    memset(to, 0, sizeof *to);
    to->field = from->field;
    to->n_places = from->n_places;
    to->places = ws_arena_alloc(b->arena, from->n_places * sizeof *to->places);
    if (!to->places)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < from->n_places && *most; i++) {
        uint64_t here = 0;
        WS_TRY(
            make_place(b, &b->plan->query->places[from->first_place + i], &to->places[i], &here));
        *most = WS_MIN(*most, here);
    }
    if (*most == 0)
        return WS_OK;
    for (uint32_t i = 0; i < to->n_places; i++)
        mark_place(b, &to->places[i], !clause->negative);
    return clause->phrase ? finish_phrase(b, b->plan->phrase_units[which], to) : WS_OK;
}

/* --- clauses --- */

static ws_status make_clause(builder *b, uint32_t which, ws_segment_clause *to)
{
    const ws_query_clause *from = &b->plan->query->clauses[which];
    *to = (ws_segment_clause){from->phrase, b->plan->repeats[which], 0, NULL, 0};
    to->alternatives = ws_arena_alloc(b->arena, from->n_alternatives * sizeof *to->alternatives);
    if (!to->alternatives)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < from->n_alternatives; i++) {
        uint64_t most = 0;
        WS_TRY(make_alternative(b, from, from->first_alternative + i,
                                &to->alternatives[to->n_alternatives], &most));
        to->n_alternatives += most != 0;
        to->most += most;
    }
    return WS_OK;
}

static int compare_clauses(const void *x, const void *y)
{
    const ws_segment_clause *a = x, *b = y;
    return a->phrase != b->phrase ? a->phrase - b->phrase
                                  : (a->most > b->most) - (a->most < b->most);
}

static ws_status make_clauses(builder *b)
{
    const ws_query *q = b->plan->query;
    ws_segment_plan *out = b->out;
    out->positive = ws_arena_alloc(b->arena, q->n_clauses * sizeof *out->positive);
    out->negative = ws_arena_alloc(b->arena, q->n_clauses * sizeof *out->negative);
    if (!out->positive || !out->negative)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < q->n_clauses; i++) {
        ws_segment_clause *to = q->clauses[i].negative ? &out->negative[out->n_negative]
                                                       : &out->positive[out->n_positive];
        if (b->plan->repeats[i] == 0)
            continue;
        WS_TRY(make_clause(b, i, to));
        if (to->n_alternatives == 0 && !q->clauses[i].negative && q->op == WS_OPERATOR_AND) {
            out->n_positive = 0; /* one of the words is not in this segment */
            return WS_OK;
        }
        out->n_positive += to->n_alternatives && !q->clauses[i].negative;
        out->n_negative += to->n_alternatives && q->clauses[i].negative;
    }
    qsort(out->positive, out->n_positive, sizeof *out->positive, compare_clauses);
    qsort(out->negative, out->n_negative, sizeof *out->negative, compare_clauses);
    return WS_OK;
}

ws_status ws_plan_segment(ws_segment_plan *out, const ws_plan *plan, uint32_t index,
                          ws_arena *arena, int *matches)
{
    const ws_snapshot_segment *s = &plan->snapshot->segments[index];
    builder b = {out, plan, arena, NULL};
    memset(out, 0, sizeof *out);
    out->segment = s->segment;
    out->live = &s->live;
    out->index = index;
    out->n_docs = s->segment->meta.n_docs;
    out->op = plan->query->op;
    *matches = 0;
    WS_TRY(open_lists(&b));
    WS_TRY(make_clauses(&b));
    *matches = out->n_positive != 0;
    return WS_OK;
}
