#include "engine/query/exec.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "engine/index/id_map.h"
#include "engine/query/filter.h"
#include "engine/query/traversal.h"

struct ws_search_memory {
    ws_arena arena;                   /* of one search */
    ws_arena segment;                 /* of one segment: reset for the next */
    ws_number_room starts, positions; /* as ws_traversal */
    uint32_t scores[WS_WINDOW_DOCS];
};

ws_status ws_search_memory_new(ws_search_memory **out)
{
    *out = ws_calloc(1, sizeof **out);
    if (!*out)
        return WS_ERR_NOMEM;
    ws_arena_init(&(*out)->arena);
    ws_arena_init(&(*out)->segment);
    return WS_OK;
}

void ws_search_memory_free(ws_search_memory *memory)
{
    if (!memory)
        return;
    ws_arena_fini(&memory->arena);
    ws_arena_fini(&memory->segment);
    ws_free(memory->starts.values);
    ws_free(memory->positions.values);
    ws_free(memory);
}

/* --- segments --- */

static int has_several_places(const ws_segment_clause *clause)
{
    for (uint32_t i = 0; i < clause->n_alternatives; i++)
        if (clause->alternatives[i].n_places > 1)
            return 1;
    return 0;
}

ws_traverse_fn ws_traversal_choose(const ws_segment_plan *segment)
{
    if (segment->n_positive > 1)
        return segment->op == WS_OPERATOR_AND ? ws_traverse_windowed_and : ws_traverse_windowed_or;
    return has_several_places(&segment->positive[0]) ? ws_traverse_windowed_and
                                                     : ws_traverse_windowed_or;
}

static ws_status filter_segment(ws_segment_plan *segment, const ws_query *query, ws_arena *arena)
{
    size_t bytes = ((size_t)segment->n_docs + 63) / 64 * sizeof(uint64_t);
    if (query->n_predicates == 0)
        return WS_OK;
    uint64_t *bits = ws_arena_alloc(arena, bytes), *room = ws_arena_alloc(arena, bytes);
    if (!bits || !room)
        return WS_ERR_NOMEM;
    WS_TRY(ws_filter_match(segment->segment, query->predicates, query->n_predicates, bits, room));
    segment->accepted = bits;
    return WS_OK;
}

static uint64_t positions_decoded(const ws_segment_plan *segment)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < segment->n_lists; i++)
        sum += segment->lists[i].postings.n_positions_decoded;
    return sum;
}

static ws_status search_segment(ws_traversal *t, uint32_t index, uint32_t traversal,
                                ws_arena *arena)
{
    ws_segment_plan segment;
    int matches = 0;
    ws_arena_reset(arena);
    WS_TRY(ws_plan_segment(&segment, t->plan, index, arena, &matches));
    if (!matches)
        return WS_OK;
    WS_TRY(filter_segment(&segment, t->plan->query, arena));
    t->segment = &segment;
    ws_traverse_fn traverse = traversal == WS_TRAVERSAL_EXHAUSTIVE ? ws_traverse_exhaustive
                                                                   : ws_traversal_choose(&segment);
    ws_status status = traverse(t);
    t->positions_decoded += positions_decoded(&segment);
    t->segment = NULL;
    return status;
}

static ws_status search_segments(ws_traversal *t, uint32_t traversal, ws_arena *arena)
{
    for (uint32_t i = 0; i < t->plan->snapshot->manifest.n_segments; i++) {
        ws_status status = search_segment(t, i, traversal, arena);
        if (status)
            return status;
    }
    return WS_OK;
}

/* --- the page --- */

static ws_status copy_id(ws_results *r, uint32_t i)
{
    char buffer[WS_ID_MAX];
    ws_str id;
    const ws_top_entry *e = &r->entries[i];
    WS_TRY(ws_segment_id(r->snapshot->segments[e->segment].segment, e->doc, buffer, &id));
    return ws_arena_str(&r->arena, id, &r->hits[i].id);
}

static ws_status cut_page(ws_results *r, ws_top *top, const ws_search_options *options)
{
    ws_top_sort(top);
    uint32_t n = top->n > options->offset ? WS_MIN(top->n - options->offset, options->limit) : 0;
    r->entries = ws_arena_alloc(&r->arena, n * sizeof *r->entries);
    r->hits = ws_arena_calloc(&r->arena, n, sizeof *r->hits);
    if (!r->entries || !r->hits)
        return WS_ERR_NOMEM;
    if (n)
        memcpy(r->entries, top->entries + options->offset, n * sizeof *r->entries);
    for (uint32_t i = 0; i < n; i++)
        WS_TRY(copy_id(r, i));
    r->n_hits = n;
    return WS_OK;
}

static ws_results *new_results(ws_snapshot *snapshot, ws_query *query)
{
    ws_results *r = ws_calloc(1, sizeof *r);
    if (!r)
        return NULL;
    ws_arena_init(&r->arena);
    r->snapshot = ws_snapshot_ref(snapshot);
    r->query = ws_query_ref(query);
    return r;
}

static void drop_results(ws_results *r)
{
    ws_snapshot_unref(r->snapshot);
    ws_query_unref(r->query);
    ws_arena_fini(&r->arena);
    ws_free(r);
}

/* --- the whole --- */

static void set_cost(ws_results *r, const ws_plan *plan, const ws_traversal *t, uint64_t started_ns)
{
    r->cost = (ws_cost){
        .size = sizeof r->cost,
        .n_terms = plan->query->n_lists,
        .document_frequency = plan->document_frequency,
        .postings = t->postings,
        .blocks = t->blocks,
        .positions = t->positions_decoded,
        .windows = t->windows,
        .scored = t->scored,
        .score_cpu_ns = ws_thread_cpu_ns() - started_ns,
        .scale_shift = plan->shift,
    };
}

/* Entries for the best k: no more than there are documents, and one at least, which an empty heap
 * compares with. */
static ws_status make_heap(ws_top *top, const ws_snapshot *snapshot,
                           const ws_search_options *options, ws_arena *arena)
{
    uint64_t k = WS_MIN((uint64_t)options->offset + options->limit, snapshot->n_docs);
    k = options->limit ? k : 0;
    ws_top_entry *entries = ws_arena_alloc(arena, (k + 1) * sizeof *entries);
    if (!entries)
        return WS_ERR_NOMEM;
    entries[0] = (ws_top_entry){0, UINT32_MAX, 0, 0};
    ws_top_init(top, entries, (uint32_t)k);
    return WS_OK;
}

static ws_status run(ws_results *r, const ws_score_tables *tables, const ws_search_options *options,
                     ws_search_memory *memory, const ws_budget *budget)
{
    ws_plan plan;
    ws_top top;
    uint64_t started = ws_thread_cpu_ns();
    WS_TRY(ws_plan_make(&plan, r->snapshot, r->query, tables, &memory->arena));
    WS_TRY(make_heap(&top, r->snapshot, options, &memory->arena));
    ws_traversal t = {.plan = &plan,
                      .top = &top,
                      .budget = budget,
                      .scores = memory->scores,
                      .starts = memory->starts,
                      .positions = memory->positions};
    ws_status status = search_segments(&t, options->traversal, &memory->segment);
    memory->starts = t.starts;
    memory->positions = t.positions;
    if (status) /* stopped within a window */
        memset(memory->scores, 0, sizeof memory->scores);
    WS_TRY(status);
    WS_TRY(cut_page(r, &top, options));
    r->total = t.total;
    r->relation =
        status == WS_PARTIAL || options->total == WS_TOTAL_NONE ? WS_RELATION_GTE : WS_RELATION_EQ;
    set_cost(r, &plan, &t, started);
    return status;
}

ws_status ws_search_run(ws_snapshot *snapshot, ws_query *query, const ws_score_tables *tables,
                        const ws_search_options *options, ws_search_memory *memory,
                        const ws_budget *budget, ws_results **out, ws_error *error)
{
    *out = NULL;
    ws_results *r = new_results(snapshot, query);
    if (!r)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for results");
    ws_arena_reset(&memory->arena);
    ws_status status = run(r, tables, options, memory, budget);
    if (status < 0) {
        drop_results(r);
        return ws_error_set(error, status, "search: %s", ws_status_text(status));
    }
    *out = r;
    return status;
}

/* --- before --- */

static ws_status count_list(const ws_snapshot *snapshot, const ws_query_list *list, ws_cost *cost)
{
    uint64_t in_epoch = 0, all = 0;
    for (uint32_t i = 0; i < snapshot->manifest.n_segments; i++) {
        ws_term_info info;
        ws_status status = ws_dictionary_find(snapshot->segments[i].segment, list->key, &info);
        if (status == WS_ERR_NOT_FOUND)
            continue;
        WS_TRY(status);
        all += info.df;
        in_epoch += snapshot->segments[i].in_epoch ? info.df : 0;
        cost->blocks += (info.df + WS_POSTING_BLOCK - 1) / WS_POSTING_BLOCK;
    }
    cost->postings += all;
    if (list->stream == WS_STREAM_WORD)
        cost->document_frequency += in_epoch ? in_epoch : all;
    return WS_OK;
}

ws_status ws_search_estimate(const ws_snapshot *snapshot, const ws_query *query, ws_cost *cost)
{
    *cost = (ws_cost){.size = sizeof *cost, .n_terms = query->n_lists};
    for (uint32_t i = 0; i < query->n_lists; i++)
        WS_TRY(count_list(snapshot, &query->lists[i], cost));
    for (uint32_t i = 0; i < snapshot->manifest.n_segments; i++)
        cost->windows +=
            (snapshot->manifest.segments[i].n_docs + WS_WINDOW_DOCS - 1) / WS_WINDOW_DOCS;
    return WS_OK;
}
