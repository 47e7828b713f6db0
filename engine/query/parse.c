#include "engine/query/parse.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/query/cut.h"
#include "engine/query/filter.h"
#include "engine/query/score.h"
#include "engine/query/stop.h"

/* A query while it is made. Arrays are the query's, grown in its arena: an outgrown one stays
 * there, so at most half is wasted. */
typedef struct {
    ws_query *query;
    const ws_query_request *request;
    uint32_t lists_cap, places_cap, bigrams_cap, alternatives_cap, clauses_cap, ignored_cap;
    int keep_stop_words;
    uint32_t *slots; /* hash table over query->lists: list + 1, 0 = empty */
    uint32_t n_slots;
    uint32_t warnings;
} builder;

/* `array` with room for one more; NULL when memory is short. */
static void *grown(builder *b, void *array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    uint32_t more = *cap ? *cap * 2 : 16;
    void *copy = ws_arena_alloc(&b->query->arena, more * size);
    if (!copy)
        return NULL;
    if (n)
        memcpy(copy, array, n * size);
    *cap = more;
    return copy;
}

/* --- posting lists, each once --- */

static uint32_t *find_slot(const builder *b, ws_str key)
{
    uint64_t at = ws_hash64(key.ptr, key.len);
    for (;; at++) {
        uint32_t *slot = &b->slots[at & (b->n_slots - 1)];
        if (*slot == 0 || ws_str_eq(b->query->lists[*slot - 1].key, key))
            return slot;
    }
}

static ws_status grow_slots(builder *b)
{
    if (b->query->n_lists * 2 < b->n_slots)
        return WS_OK;
    b->n_slots = b->n_slots ? b->n_slots * 2 : 64;
    b->slots = ws_arena_calloc(&b->query->arena, b->n_slots, sizeof *b->slots);
    if (!b->slots)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < b->query->n_lists; i++)
        *find_slot(b, b->query->lists[i].key) = i + 1;
    return WS_OK;
}

static ws_status new_list(builder *b, ws_str key, uint32_t *slot)
{
    ws_query *q = b->query;
    ws_query_list *lists = grown(b, q->lists, q->n_lists, &b->lists_cap, sizeof *lists);
    if (!lists)
        return WS_ERR_NOMEM;
    q->lists = lists;
    ws_query_list *list = &lists[q->n_lists];
    WS_TRY(ws_arena_str(&q->arena, key, &list->key));
    list->field = (uint8_t)key.ptr[0];
    list->stream = (uint8_t)key.ptr[1];
    list->multiplicity = 0;
    *slot = ++q->n_lists;
    return WS_OK;
}

/* List of a token; times: how often it is scored for this occurrence. */
static ws_status add_list(builder *b, uint32_t field, const ws_token *token, uint32_t times,
                          uint32_t *list)
{
    uint8_t bytes[WS_TERM_KEY_MAX];
    ws_str key = {(const char *)bytes, ws_term_key(field, token->stream, token->text, bytes, NULL)};
    WS_TRY(grow_slots(b));
    uint32_t *slot = find_slot(b, key);
    if (*slot == 0)
        WS_TRY(new_list(b, key, slot));
    *list = *slot - 1;
    b->query->lists[*list].multiplicity += times;
    return WS_OK;
}

/* --- places --- */

static ws_status add_places(builder *b, uint32_t n, uint32_t *first)
{
    ws_query *q = b->query;
    *first = q->n_places;
    for (uint32_t i = 0; i < n; i++) {
        ws_query_place *places = grown(b, q->places, q->n_places, &b->places_cap, sizeof *places);
        if (!places)
            return WS_ERR_NOMEM;
        q->places = places;
        places[q->n_places++] = (ws_query_place){WS_NO_LIST, 0, 0};
    }
    return WS_OK;
}

/* Bigrams of a place come one after the other (engine/text/analyzer.h). */
static ws_status add_bigram(builder *b, ws_query_place *place, uint32_t list)
{
    ws_query *q = b->query;
    uint32_t *bigrams = grown(b, q->bigrams, q->n_bigrams, &b->bigrams_cap, sizeof *bigrams);
    if (!bigrams)
        return WS_ERR_NOMEM;
    q->bigrams = bigrams;
    if (place->n_bigrams++ == 0)
        place->first_bigram = q->n_bigrams;
    bigrams[q->n_bigrams++] = list;
    return WS_OK;
}

static int is_scored(const builder *b, uint32_t field, uint32_t stream,
                     const ws_clause_text *clause)
{
    return !clause->negative && !clause->phrase &&
           ws_score_weight(b->request->schema, field, stream) != 0;
}

/* A token of a word clause: words and in-stem bigrams match, every token of a weight above 0
 * scores. */
static ws_status add_word_token(builder *b, const ws_clause_text *clause, uint32_t field,
                                const ws_token *token, ws_query_place *place)
{
    uint32_t list, scored = (uint32_t)is_scored(b, field, token->stream, clause);
    int in_stem = token->stream == WS_STREAM_BIGRAM && (token->flags & WS_TOKEN_IN_STEM);
    if (!scored && !in_stem && token->stream != WS_STREAM_WORD)
        return WS_OK;
    WS_TRY(add_list(b, field, token, scored, &list));
    if (token->stream == WS_STREAM_WORD)
        place->word = list;
    return in_stem ? add_bigram(b, place, list) : WS_OK;
}

/* --- alternatives and clauses --- */

/* Positions are asked of every field but for a phrase of one place, which its tf answers. */
static int can_answer(builder *b, const ws_clause_text *clause, uint32_t field, uint32_t n_places)
{
    if (!clause->phrase || n_places == 1 ||
        ws_schema_has_positions(b->request->schema, field, WS_STREAM_WORD))
        return 1;
    b->warnings |= WS_QUERY_NO_POSITIONS;
    return 0;
}

static ws_status fill_word(builder *b, const ws_clause_text *clause, uint32_t field,
                           const ws_tokens *tokens, ws_query_place *places)
{
    for (uint32_t i = 0; i < tokens->n_tokens; i++)
        WS_TRY(add_word_token(b, clause, field, &tokens->tokens[i],
                              &places[tokens->tokens[i].position]));
    return WS_OK;
}

/* A place of a phrase asks for its surface, and only without one for its word: so surfaces are
 * taken first. */
static ws_status fill_phrase(builder *b, uint32_t field, const ws_tokens *tokens,
                             ws_query_place *places)
{
    static const uint8_t order[] = {WS_STREAM_SURFACE, WS_STREAM_WORD};
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < tokens->n_tokens; i++) {
            const ws_token *t = &tokens->tokens[i];
            if (t->stream == order[pass] && places[t->position].word == WS_NO_LIST)
                WS_TRY(add_list(b, field, t, 0, &places[t->position].word));
        }
    return WS_OK;
}

static ws_status add_alternative(builder *b, const ws_clause_text *clause, uint32_t field,
                                 const ws_tokens *tokens)
{
    ws_query *q = b->query;
    uint32_t first;
    if (tokens->n_positions == 0 || !can_answer(b, clause, field, tokens->n_positions))
        return WS_OK;
    WS_TRY(add_places(b, tokens->n_positions, &first));
    ws_query_place *places = &q->places[first];
    if (clause->phrase)
        WS_TRY(fill_phrase(b, field, tokens, places));
    else
        WS_TRY(fill_word(b, clause, field, tokens, places));
    ws_query_alternative *all =
        grown(b, q->alternatives, q->n_alternatives, &b->alternatives_cap, sizeof *all);
    if (!all)
        return WS_ERR_NOMEM;
    q->alternatives = all;
    all[q->n_alternatives++] = (ws_query_alternative){(uint8_t)field, first, tokens->n_positions};
    return WS_OK;
}

static int is_text(const ws_schema *schema, uint32_t field, uint32_t kind)
{
    return schema->fields[field].type == WS_FIELD_TEXT && schema->fields[field].analyzer == kind;
}

static int has_kind(const ws_schema *schema, uint32_t kind)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (is_text(schema, f, kind))
            return 1;
    return 0;
}

static ws_status add_alternatives(builder *b, const ws_clause_text *clause)
{
    const ws_schema *schema = b->request->schema;
    for (uint32_t kind = WS_ANALYZER_STANDARD; kind <= WS_ANALYZER_KEYWORD; kind++) {
        ws_tokens tokens;
        if (!has_kind(schema, kind))
            continue;
        WS_TRY(
            ws_analyzer_run(b->request->analyzer, kind, WS_ANALYZE_QUERY, clause->text, &tokens));
        for (uint32_t f = 0; f < schema->n_fields; f++)
            if (is_text(schema, f, kind))
                WS_TRY(add_alternative(b, clause, f, &tokens));
    }
    return WS_OK;
}

static ws_status add_clause(builder *b, const ws_clause_text *text)
{
    ws_query *q = b->query;
    ws_query_clause clause = {text->phrase, text->negative, q->n_alternatives, 0, text->text};
    WS_TRY(add_alternatives(b, text));
    clause.n_alternatives = q->n_alternatives - clause.first_alternative;
    if (clause.n_alternatives == 0)
        return WS_OK;
    ws_query_clause *clauses = grown(b, q->clauses, q->n_clauses, &b->clauses_cap, sizeof *clauses);
    if (!clauses)
        return WS_ERR_NOMEM;
    q->clauses = clauses;
    clauses[q->n_clauses++] = clause;
    q->n_positive += !clause.negative;
    return WS_OK;
}

/* --- stop words --- */

/* In a field of another analyzer a stop word may be a whole value, or a token like any other. */
static int all_standard(const ws_schema *schema)
{
    return !has_kind(schema, WS_ANALYZER_WHITESPACE) && !has_kind(schema, WS_ANALYZER_KEYWORD);
}

static int is_left_out(const builder *b, const ws_clause_text *clause)
{
    return !b->keep_stop_words && !clause->phrase && !clause->negative &&
           ws_is_stop_word(clause->text);
}

static ws_status leave_out(builder *b, ws_str text)
{
    ws_query *q = b->query;
    ws_str *ignored = grown(b, q->ignored, q->n_ignored, &b->ignored_cap, sizeof *ignored);
    if (!ignored)
        return WS_ERR_NOMEM;
    q->ignored = ignored;
    ignored[q->n_ignored++] = text;
    return WS_OK;
}

/* --- the whole --- */

static ws_status add_clauses(builder *b, ws_str text)
{
    ws_cutter cutter = {text, 0};
    ws_clause_text clause;
    for (uint64_t n = 0; ws_cut_next(&cutter, &clause); n++) {
        if (n == b->request->max_clauses) {
            b->warnings |= WS_QUERY_CLIPPED_CLAUSES;
            return WS_OK;
        }
        WS_TRY(is_left_out(b, &clause) ? leave_out(b, clause.text) : add_clause(b, &clause));
    }
    return WS_OK;
}

/* Nothing but stop words selects: begin again and keep them. */
static void start_again(builder *b)
{
    ws_query *q = b->query;
    q->n_lists = q->n_places = q->n_bigrams = 0;
    q->n_alternatives = q->n_clauses = q->n_ignored = 0;
    if (b->n_slots)
        memset(b->slots, 0, b->n_slots * sizeof *b->slots);
    b->keep_stop_words = 1;
}

static ws_status add_text(builder *b)
{
    const ws_query_request *r = b->request;
    ws_str text = ws_str_sub(r->text, 0, ws_cut_limit(r->text, r->max_code_points));
    b->warnings |= text.len < r->text.len ? WS_QUERY_CLIPPED_TEXT : 0;
    b->keep_stop_words = r->keep_stop_words || !all_standard(r->schema);
    WS_TRY(ws_arena_str(&b->query->arena, text, &text));
    WS_TRY(add_clauses(b, text));
    if (b->query->n_positive || !b->query->n_ignored)
        return WS_OK;
    start_again(b);
    return add_clauses(b, text);
}

static ws_status build(builder *b, ws_error *error)
{
    ws_query *q = b->query;
    WS_TRY(ws_filter_parse(b->request->schema, b->request->filter, &q->arena, &q->predicates,
                           &q->n_predicates, error));
    ws_status status = add_text(b);
    if (!status)
        status = ws_query_write_description(q, b->request, b->warnings);
    if (!status)
        status = ws_query_write_key(q, b->warnings);
    if (status)
        return ws_error_set(error, status, "cannot make a query: %s", ws_status_text(status));
    q->clipped =
        b->warnings & (WS_QUERY_CLIPPED_TEXT | WS_QUERY_CLIPPED_CLAUSES) ? WS_TRUNCATED : WS_OK;
    return q->clipped;
}

ws_status ws_query_make(ws_query **out, const ws_query_request *request, ws_error *error)
{
    *out = NULL;
    if (request->op > WS_OPERATOR_AND)
        return ws_error_set(error, WS_ERR_ARG, "unknown operator %u", request->op);
    builder b = {.query = ws_calloc(1, sizeof(ws_query)), .request = request};
    if (!b.query)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a query");
    ws_arena_init(&b.query->arena);
    atomic_store_explicit(&b.query->references, 1, memory_order_relaxed);
    b.query->op = request->op;
    ws_status status = build(&b, error);
    if (status < 0) {
        ws_query_unref(b.query);
        return status;
    }
    *out = b.query;
    return status;
}

ws_query *ws_query_ref(ws_query *query)
{
    atomic_fetch_add_explicit(&query->references, 1, memory_order_relaxed);
    return query;
}

void ws_query_unref(ws_query *query)
{
    /* Acquire and release: the last one sees what the others did before it frees. */
    if (!query || atomic_fetch_sub_explicit(&query->references, 1, memory_order_acq_rel) != 1)
        return;
    ws_arena_fini(&query->arena);
    ws_free(query);
}
