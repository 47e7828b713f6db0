/* From ranked documents to what a page shows: stored values, a snippet of one chunk, highlights. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/index/id_map.h"
#include "engine/index/postings.h"
#include "engine/index/stored.h"
#include "engine/query/results_int.h"
#include "engine/query/snippet.h"

#define ANALYSED_MAX   1024u /* bytes of a body that a snippet analyses */
#define LEAD_BYTES     160u  /* analysed before the expected place of the first match */
#define SLACK_BYTES    64u   /* analysed after the end of a snippet that begins there */
#define BLANK_NEAR     64u   /* bytes within which a piece prefers to begin and end at blanks */
#define EVENTS_MAX     2048u /* positions looked at in a document */
#define EVENTS_BY_WORD 256u
#define MATCHES_MAX    512u
#define WINDOW_WORDS   24u

typedef struct {
    ws_results *results;
    const ws_schema *schema;
    const ws_fetch_options *options;
    ws_stored_reader *reader;
    ws_analyzer *analyzer;
    int title, body; /* text fields, -1 = none; title is -1 when there is only one text field */
    ws_highlight_words title_words, body_words;
    ws_term_info *
        *terms; /* by segment, then by word of the body; NULL until a hit of the segment comes */
    ws_postings postings;
    uint32_t *positions;
    uint32_t positions_cap;
    ws_snippet_event events[EVENTS_MAX];
    ws_highlight_match matches[MATCHES_MAX];
    ws_buf whole;
} fetcher;

/* --- positions of the query's words in a document --- */

/* The words' terms in a segment, looked up once. df = 0 where it has none. */
static ws_status segment_terms(fetcher *f, uint32_t segment, const ws_term_info **out)
{
    ws_term_info *infos = f->terms[segment];
    *out = infos;
    if (infos)
        return WS_OK;
    infos = ws_arena_calloc(&f->results->arena, f->body_words.n + 1u, sizeof *infos);
    if (!infos)
        return WS_ERR_NOMEM;
    for (uint32_t w = 0; w < f->body_words.n; w++) {
        ws_str key = f->results->query->lists[f->body_words.words[w].list].key;
        ws_status status =
            ws_dictionary_find(f->results->snapshot->segments[segment].segment, key, &infos[w]);
        if (status == WS_ERR_NOT_FOUND)
            infos[w].df = 0;
        else
            WS_TRY(status);
    }
    *out = f->terms[segment] = infos;
    return WS_OK;
}

static ws_status need_positions(fetcher *f, uint32_t n)
{
    if (n <= f->positions_cap)
        return WS_OK;
    uint32_t *grown = ws_reallocarray(f->positions, n + 256ull, sizeof *grown);
    if (!grown)
        return WS_ERR_NOMEM;
    f->positions = grown;
    f->positions_cap = n + 256;
    return WS_OK;
}

static ws_status word_events(fetcher *f, ws_segment *segment, const ws_term_info *info,
                             uint32_t doc, uint32_t word, uint32_t *n)
{
    ws_postings *p = &f->postings;
    uint32_t found;
    if (info->df == 0 || !info->positions)
        return WS_OK;
    WS_TRY(ws_postings_open(p, segment, info));
    WS_TRY(ws_postings_seek(p, doc, &found));
    if (found != doc)
        return WS_OK;
    WS_TRY(ws_postings_load_tfs(p));
    uint32_t tf = p->tfs[p->index];
    WS_TRY(need_positions(f, tf));
    WS_TRY(ws_postings_positions(p, p->index, f->positions));
    for (uint32_t i = 0; i < tf && i < EVENTS_BY_WORD && *n < EVENTS_MAX; i++)
        f->events[(*n)++] = (ws_snippet_event){f->positions[i], word};
    return WS_OK;
}

/* Position where the best window begins, or -1 when no word of the query stands there as a word. */
static ws_status best_position(fetcher *f, const ws_top_entry *entry, int64_t *position)
{
    const ws_term_info *infos;
    uint32_t n = 0;
    *position = -1;
    WS_TRY(segment_terms(f, entry->segment, &infos));
    for (uint32_t w = 0; w < f->body_words.n; w++)
        WS_TRY(word_events(f, f->results->snapshot->segments[entry->segment].segment, &infos[w],
                           entry->doc, w, &n));
    if (n)
        *position = ws_snippet_window(f->events, n, WINDOW_WORDS);
    return WS_OK;
}

/* Byte of the body near a position: the token map has every 64th, the rest is interpolated. */
static ws_status near_byte(ws_segment *segment, uint32_t field, uint32_t doc, uint32_t position,
                           uint32_t length, uint32_t *byte)
{
    uint32_t from, from_position, next, next_position;
    ws_status status = ws_token_map_find(segment, field, doc, position, &from, &from_position);
    *byte = 0;
    if (status == WS_ERR_NOT_FOUND)
        return WS_OK;
    WS_TRY(status);
    status = ws_token_map_find(segment, field, doc, from_position + WS_TOKEN_MAP_INTERVAL, &next,
                               &next_position);
    if (status == WS_ERR_NOT_FOUND)
        next = WS_MIN(length, from + ANALYSED_MAX / 2);
    else
        WS_TRY(status);
    uint64_t gap = next > from ? next - from : 0;
    *byte = from + (uint32_t)(gap * (position - from_position) / WS_TOKEN_MAP_INTERVAL);
    return WS_OK;
}

/* --- the piece of the body to analyse --- */

/* A chunk of the body, and whether the body begins and ends with it: elsewhere words may be cut. */
typedef struct {
    ws_str text;
    uint32_t offset;
    int is_first, is_last;
} body_chunk;

/* The beginning of a word at or after `from`, when a blank is near. */
static size_t next_word(ws_str text, size_t from)
{
    const char *blank = memchr(text.ptr + from, ' ', WS_MIN(text.len - from, (size_t)BLANK_NEAR));
    return blank ? (size_t)(blank - text.ptr) + 1 : from;
}

/* The end of a word at or before `to`, when a blank is near and after `from`. */
static size_t last_word(ws_str text, size_t from, size_t to)
{
    for (size_t i = to; i > from && to - i < BLANK_NEAR; i--)
        if (text.ptr[i - 1] == ' ')
            return i - 1;
    return to;
}

/* Bytes of a chunk around `byte`: what a snippet with a match there can show, at most ANALYSED_MAX,
 * of whole words where possible: a piece of a word would be taken for another word. */
static ws_str piece_around(const body_chunk *c, uint32_t byte, uint32_t code_points)
{
    ws_str text = c->text;
    size_t at = WS_MIN((size_t)byte, text.len), from = at > LEAD_BYTES ? at - LEAD_BYTES : 0;
    size_t to = at + ws_utf8_skip(ws_str_sub(text, at, text.len), code_points) + SLACK_BYTES;
    if (to >= text.len) { /* the end: what is missing behind comes before */
        to = text.len;
        from = WS_MIN(from, to - WS_MIN(to, (size_t)code_points * 3));
        from = WS_MAX(from, at - WS_MIN(at, (size_t)ANALYSED_MAX / 2));
    }
    to = WS_MIN(to, from + ANALYSED_MAX); /* the match stays inside */
    from = ws_utf8_ceil(text, from);
    to = ws_utf8_floor(text, to);
    if (from > 0 || !c->is_first)
        from = next_word(text, from);
    if (to < text.len || !c->is_last)
        to = last_word(text, from, to);
    return ws_str_sub(text, from, to);
}

/* Where a typed word occurs in the chunk by its bytes: for words that match inside other words
 * only. */
static uint32_t typed_byte(const fetcher *f, ws_str chunk)
{
    const ws_query *q = f->results->query;
    for (uint32_t c = 0; c < q->n_clauses; c++) {
        ws_str typed = q->clauses[c].text;
        const char *at = q->clauses[c].negative || typed.len == 0
                             ? NULL
                             : memmem(chunk.ptr, chunk.len, typed.ptr, typed.len);
        if (at)
            return (uint32_t)(at - chunk.ptr);
    }
    return 0;
}

static ws_status read_chunk(fetcher *f, uint32_t value, uint32_t byte, uint32_t length,
                            body_chunk *c)
{
    WS_TRY(ws_stored_chunk(f->reader, value, byte, &c->text, &c->offset));
    c->is_first = c->offset == 0;
    c->is_last = c->offset + c->text.len == length;
    return WS_OK;
}

static ws_status choose_piece(fetcher *f, const ws_top_entry *entry, uint32_t value,
                              uint32_t length, ws_str *piece, uint32_t *piece_offset)
{
    int64_t position;
    uint32_t byte = 0;
    body_chunk c;
    WS_TRY(best_position(f, entry, &position));
    if (position >= 0)
        WS_TRY(near_byte(f->results->snapshot->segments[entry->segment].segment, (uint32_t)f->body,
                         entry->doc, (uint32_t)position, length, &byte));
    WS_TRY(read_chunk(f, value, byte, length, &c));
    byte = position >= 0 ? byte - WS_MIN(byte, c.offset) : typed_byte(f, c.text);
    *piece = piece_around(&c, byte, f->options->snippet_code_points);
    *piece_offset = c.offset + (uint32_t)(piece->ptr - c.text.ptr);
    return WS_OK;
}

static ws_status whole_body(fetcher *f, uint32_t value, ws_str *piece, uint32_t *piece_offset)
{
    ws_buf_clear(&f->whole);
    WS_TRY(ws_stored_whole(f->reader, value, &f->whole));
    *piece = ws_buf_slice(&f->whole);
    *piece_offset = 0;
    return WS_OK;
}

/* --- highlights --- */

static ws_status find_matches(fetcher *f, uint32_t field, const ws_highlight_words *words,
                              ws_str text, uint32_t *n)
{
    ws_tokens tokens;
    *n = 0;
    if (!f->options->highlight || words->n == 0)
        return WS_OK;
    WS_TRY(ws_analyzer_run(f->analyzer, f->schema->fields[field].analyzer, WS_ANALYZE_INDEX, text,
                           &tokens));
    f->results->cost.analysed_bytes += text.len;
    *n = ws_highlight_find(words, text, &tokens, f->matches, MATCHES_MAX);
    return WS_OK;
}

/* Spans of the matches in [from, to), in the results' arena. */
static ws_status keep_spans(fetcher *f, uint32_t n, uint32_t from, uint32_t to, ws_span **spans,
                            uint32_t *n_spans)
{
    *n_spans = 0;
    *spans = NULL;
    if (n == 0)
        return WS_OK;
    *spans = ws_arena_calloc(&f->results->arena, n, sizeof **spans);
    if (!*spans)
        return WS_ERR_NOMEM;
    *n_spans = ws_highlight_spans(f->matches, n, from, to, *spans);
    return WS_OK;
}

/* --- one hit --- */

/* A stored value as a whole, in the results' arena. */
static ws_status keep_value(fetcher *f, uint32_t value, ws_str *out)
{
    const ws_stored_head *head = ws_stored_value_head(f->reader, value);
    if (head->n_chunks == 0)
        return ws_arena_str(&f->results->arena, head->short_bytes, out);
    ws_buf_clear(&f->whole);
    WS_TRY(ws_stored_whole(f->reader, value, &f->whole));
    return ws_arena_str(&f->results->arena, ws_buf_slice(&f->whole), out);
}

static ws_status fetch_title(fetcher *f, ws_result_hit *hit)
{
    uint32_t n;
    int value = f->title < 0 ? -1 : ws_stored_find(f->reader, (uint32_t)f->title, 0);
    if (value < 0)
        return WS_OK;
    WS_TRY(keep_value(f, (uint32_t)value, &hit->title));
    WS_TRY(find_matches(f, (uint32_t)f->title, &f->title_words, hit->title, &n));
    return keep_spans(f, n, 0, (uint32_t)hit->title.len, &hit->title_spans, &hit->n_title_spans);
}

static ws_status fetch_snippet(fetcher *f, const ws_top_entry *entry, ws_result_hit *hit)
{
    ws_str piece;
    uint32_t offset, n, from, to;
    int value = f->body < 0 || !f->options->snippet_code_points
                    ? -1
                    : ws_stored_find(f->reader, (uint32_t)f->body, 0);
    if (value < 0)
        return WS_OK;
    uint32_t length = ws_stored_value_head(f->reader, (uint32_t)value)->raw_length;
    if (f->options->full_body)
        WS_TRY(whole_body(f, (uint32_t)value, &piece, &offset));
    else
        WS_TRY(choose_piece(f, entry, (uint32_t)value, length, &piece, &offset));
    WS_TRY(find_matches(f, (uint32_t)f->body, &f->body_words, piece, &n));
    ws_snippet_cut(piece, f->matches, n, f->options->snippet_code_points, &from, &to);
    WS_TRY(ws_arena_str(&f->results->arena, ws_str_sub(piece, from, to), &hit->snippet));
    hit->snippet_offset = offset + from;
    return keep_spans(f, n, from, to, &hit->snippet_spans, &hit->n_snippet_spans);
}

static int is_shown_apart(const fetcher *f, uint32_t field)
{
    return (int)field == f->title || (int)field == f->body;
}

static ws_status fetch_values(fetcher *f, ws_result_hit *hit)
{
    uint32_t count = ws_stored_count(f->reader);
    hit->values = ws_arena_calloc(&f->results->arena, count + 1u, sizeof *hit->values);
    if (!hit->values)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t field = ws_stored_value_head(f->reader, i)->field;
        if (field >= f->schema->n_fields)
            return WS_ERR_CORRUPT;
        if (is_shown_apart(f, field))
            continue;
        hit->values[hit->n_values].field = field;
        WS_TRY(keep_value(f, i, &hit->values[hit->n_values++].bytes));
    }
    return WS_OK;
}

static ws_status fetch_hit(fetcher *f, uint32_t i)
{
    const ws_top_entry *entry = &f->results->entries[i];
    ws_result_hit *hit = &f->results->hits[i];
    if (hit->fetched)
        return WS_OK;
    hit->n_values = hit->n_title_spans = hit->n_snippet_spans = 0;
    ws_status status = ws_stored_open(
        f->reader, f->results->snapshot->segments[entry->segment].segment, entry->doc);
    if (status == WS_ERR_NOT_FOUND) { /* the schema stores nothing */
        hit->fetched = 1;
        return WS_OK;
    }
    WS_TRY(status);
    WS_TRY(fetch_title(f, hit));
    WS_TRY(fetch_values(f, hit));
    WS_TRY(fetch_snippet(f, entry, hit));
    hit->fetched = 1;
    return WS_OK;
}

/* --- all of them --- */

static ws_status fetch_range(fetcher *f, uint32_t from, uint32_t n, const ws_budget *budget,
                             ws_error *error)
{
    for (uint32_t i = from; i < f->results->n_hits && i - from < n; i++) {
        ws_status status = ws_budget_poll(budget, 0);
        if (status)
            return status < 0 ? ws_error_set(error, status, "the fetch was cancelled") : status;
        status = fetch_hit(f, i);
        if (status)
            return ws_error_set(error, status, "cannot read document %u of segment %u: %s",
                                f->results->entries[i].doc, f->results->entries[i].segment,
                                ws_status_text(status));
    }
    return WS_OK;
}

static ws_status prepare(fetcher *f)
{
    int title = ws_schema_title_field(f->schema);
    f->body = ws_schema_body_field(f->schema);
    f->title = title == f->body ? -1 : title;
    if (f->title >= 0)
        ws_highlight_collect(f->results->query, (uint32_t)f->title, &f->title_words);
    if (f->body >= 0)
        ws_highlight_collect(f->results->query, (uint32_t)f->body, &f->body_words);
    f->terms = ws_arena_calloc(&f->results->arena, f->results->snapshot->manifest.n_segments + 1u,
                               sizeof *f->terms);
    return f->terms ? WS_OK : WS_ERR_NOMEM;
}

ws_status ws_results_fetch_with(ws_results *results, uint32_t from, uint32_t n,
                                const ws_fetch_options *options, ws_stored_reader *reader,
                                ws_analyzer *analyzer, const ws_budget *budget, ws_error *error)
{
    uint64_t start = ws_thread_cpu_ns(), bytes = ws_stored_bytes(reader);
    fetcher *f = ws_calloc(1, sizeof *f);
    if (!f)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory to fetch");
    f->results = results;
    f->schema = &results->snapshot->manifest.schema;
    f->options = options;
    f->reader = reader;
    f->analyzer = analyzer;
    ws_buf_init(&f->whole);
    ws_status status = prepare(f);
    if (!status)
        status = fetch_range(f, from, n, budget, error);
    ws_buf_fini(&f->whole);
    ws_free(f->positions);
    ws_free(f);
    results->cost.fetch_bytes += ws_stored_bytes(reader) - bytes;
    results->cost.fetch_cpu_ns += ws_thread_cpu_ns() - start;
    return status;
}
