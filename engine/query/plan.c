#include "engine/query/plan.h"

#include "base/bytes.h"
#include "base/error.h"

#define UNITS_MAX                                                                                  \
 ((uint64_t)1 << 31) /* the sum of all units stays below, so no score overflows                    \
                      */

/* --- document frequencies --- */

static ws_status find_lists(ws_plan *plan, ws_arena *arena)
{
    const ws_query *q = plan->query;
    uint32_t n_segments = plan->snapshot->manifest.n_segments;
    plan->lists = ws_arena_calloc(arena, q->n_lists, sizeof *plan->lists);
    if (!plan->lists)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < q->n_lists; i++) {
        ws_plan_list *list = &plan->lists[i];
        list->infos = ws_arena_calloc(arena, n_segments, sizeof *list->infos);
        if (!list->infos)
            return WS_ERR_NOMEM;
        WS_TRY(ws_snapshot_find_term(plan->snapshot, q->lists[i].key, list->infos, &list->df));
        plan->document_frequency += q->lists[i].stream == WS_STREAM_WORD ? list->df : 0;
    }
    return WS_OK;
}

/* --- clauses that are there twice --- */

static int places_equal(const ws_query *q, const ws_query_place *a, const ws_query_place *b)
{
    return a->word == b->word && a->n_bigrams == b->n_bigrams &&
           (a->n_bigrams == 0 || memcmp(&q->bigrams[a->first_bigram], &q->bigrams[b->first_bigram],
                                        a->n_bigrams * sizeof *q->bigrams) == 0);
}

static int alternatives_equal(const ws_query *q, const ws_query_alternative *a,
                              const ws_query_alternative *b)
{
    if (a->field != b->field || a->n_places != b->n_places)
        return 0;
    for (uint32_t i = 0; i < a->n_places; i++)
        if (!places_equal(q, &q->places[a->first_place + i], &q->places[b->first_place + i]))
            return 0;
    return 1;
}

static int clauses_equal(const ws_query *q, const ws_query_clause *a, const ws_query_clause *b)
{
    if (a->phrase != b->phrase || a->negative != b->negative ||
        a->n_alternatives != b->n_alternatives)
        return 0;
    for (uint32_t i = 0; i < a->n_alternatives; i++)
        if (!alternatives_equal(q, &q->alternatives[a->first_alternative + i],
                                &q->alternatives[b->first_alternative + i]))
            return 0;
    return 1;
}

static ws_status count_repeats(ws_plan *plan, ws_arena *arena)
{
    const ws_query *q = plan->query;
    plan->repeats = ws_arena_calloc(arena, q->n_clauses, sizeof *plan->repeats);
    if (!plan->repeats)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < q->n_clauses; i++) {
        uint32_t first = 0;
        while (!clauses_equal(q, &q->clauses[first], &q->clauses[i]))
            first++;
        plan->repeats[first]++;
    }
    return WS_OK;
}

/* --- units --- */

static const ws_score_table *table_of(const ws_plan *plan, uint32_t field, uint32_t stream)
{
    return field < WS_MAX_FIELDS && stream < WS_SCHEMA_STREAMS
               ? plan->tables->streams[field][stream]
               : NULL;
}

static uint64_t list_unit(const ws_plan *plan, uint32_t i, uint32_t shift)
{
    const ws_query_list *list = &plan->query->lists[i];
    const ws_score_table *table = table_of(plan, list->field, list->stream);
    if (!table || !list->multiplicity || !plan->lists[i].df)
        return 0;
    return (ws_score_unit(ws_score_idf(table->n_docs, plan->lists[i].df), table->weight) >> shift) *
           list->multiplicity;
}

/* 0 when a place's term is nowhere: the phrase is then nowhere too. */
static uint64_t phrase_unit(const ws_plan *plan, const ws_query_alternative *a, uint32_t shift)
{
    const ws_score_table *table = table_of(plan, a->field, WS_STREAM_WORD);
    uint64_t sum = 0;
    if (!table)
        return 0;
    for (uint32_t i = 0; i < a->n_places; i++) {
        uint32_t list = plan->query->places[a->first_place + i].word;
        if (list == WS_NO_LIST || plan->lists[list].df == 0)
            return 0;
        sum += ws_score_unit(ws_score_idf(table->n_docs, plan->lists[list].df), table->weight) >>
               shift;
    }
    return sum;
}

static uint64_t set_list_units(ws_plan *plan, uint32_t shift)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < plan->query->n_lists; i++) {
        uint64_t unit = list_unit(plan, i, shift);
        plan->lists[i].unit = (uint32_t)unit;
        sum += unit;
    }
    return sum;
}

static uint64_t set_phrase_units(ws_plan *plan, uint32_t shift)
{
    const ws_query *q = plan->query;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < q->n_clauses; i++) {
        const ws_query_clause *c = &q->clauses[i];
        for (uint32_t k = c->first_alternative; k < c->first_alternative + c->n_alternatives; k++) {
            uint64_t unit =
                c->phrase && !c->negative ? phrase_unit(plan, &q->alternatives[k], shift) : 0;
            plan->phrase_units[k] = (uint32_t)unit;
            sum += unit;
        }
    }
    return sum;
}

ws_status ws_plan_make(ws_plan *plan, const ws_snapshot *snapshot, const ws_query *query,
                       const ws_score_tables *tables, ws_arena *arena)
{
    memset(plan, 0, sizeof *plan);
    plan->snapshot = snapshot;
    plan->query = query;
    plan->tables = tables;
    WS_TRY(find_lists(plan, arena));
    WS_TRY(count_repeats(plan, arena));
    plan->phrase_units = ws_arena_calloc(arena, query->n_alternatives, sizeof *plan->phrase_units);
    if (!plan->phrase_units)
        return WS_ERR_NOMEM;
    while (set_list_units(plan, plan->shift) + set_phrase_units(plan, plan->shift) >= UNITS_MAX)
        plan->shift++;
    return WS_OK;
}
