/* One segment: every hash, then every number that another number can contradict. */
#include <stdio.h>

#include "base/budget.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/check.h"
#include "engine/index/column.h"
#include "engine/index/id_map.h"
#include "engine/index/norm.h"
#include "engine/index/postings.h"
#include "engine/index/stored.h"

#define POLL_DOCS 1024u
#define MAX_CODE  255u

typedef struct {
    ws_segment *segment;
    const ws_schema *schema;
    const ws_budget *budget;
    ws_check_fn callback;
    void *ctx;
    ws_error error;  /* of the step that runs */
    ws_status first; /* the first finding, and its error */
    ws_error first_error;
    ws_postings postings;
    uint32_t *positions;
    uint32_t positions_cap;
    uint64_t n_terms, n_postings, n_positions;
    uint64_t sums[WS_MAX_FIELDS][WS_SCHEMA_STREAMS]; /* occurrences by stream */
    uint64_t terms[WS_MAX_FIELDS][WS_SCHEMA_STREAMS];
} checker;

static ws_status fault(checker *c, const char *what)
{
    return ws_error_at(&c->error, WS_ERR_CORRUPT, c->segment->file.path, 0, "%s", what);
}

/* Something that must be there is not. */
static ws_status must_find(checker *c, ws_status status, const char *what)
{
    return status == WS_ERR_NOT_FOUND ? fault(c, what) : status;
}

/* A deadline that passes ends a check like a cancel: half of one tells nothing. */
static int cancelled(const checker *c, uint64_t n)
{
    return n % POLL_DOCS == 0 && ws_budget_poll(c->budget, 0) != WS_OK;
}

static void report(checker *c, const char *name, ws_status status)
{
    const char *message = c->error.message[0] ? c->error.message : ws_status_text(status);
    ws_check_item item = {c->segment->file.path, name, status ? message : "ok",
                          status ? c->error.offset : 0, status};
    if (c->callback)
        c->callback(c->ctx, &item);
    if (status && !c->first) {
        c->first = status;
        c->first_error = c->error;
        c->first_error.code = status;
    }
    c->error = (ws_error){0};
}

/* --- hashes --- */

/* "META", "NORMS body/1": field by name, stream by number. */
static void name_section(const checker *c, const ws_section_entry *e, char *out, size_t cap)
{
    int n = snprintf(out, cap, "%s", ws_kind_name(e->kind));
    if (e->field < c->schema->n_fields)
        n += snprintf(out + n, cap - (size_t)n, " %s", c->schema->fields[e->field].name);
    if (e->stream != WS_ALL_STREAMS)
        snprintf(out + n, cap - (size_t)n, "/%u", e->stream);
}

static void check_sections(checker *c)
{
    char name[128];
    for (uint32_t i = 0; i < c->segment->file.n_sections && c->first != WS_ERR_CANCELLED; i++) {
        const ws_section_entry *e = &c->segment->file.sections[i];
        ws_status status = ws_segment_file_verify_section(&c->segment->file, i);
        if (status)
            ws_error_at(&c->error, status, c->segment->file.path, e->offset,
                        "does not match its hash");
        name_section(c, e, name, sizeof name);
        report(c, name, cancelled(c, 0) ? WS_ERR_CANCELLED : status);
    }
}

/* Hashes leave out the padding between sections, sums do not. */
static ws_status check_blocks(checker *c)
{
    uint64_t bad;
    if (ws_segment_file_verify_blocks(&c->segment->file, &bad) == WS_OK)
        return WS_OK;
    return ws_error_at(&c->error, WS_ERR_CORRUPT, c->segment->file.path, bad,
                       "64 KiB that do not match their sum");
}

/* --- postings --- */

static ws_status need_positions(checker *c, uint32_t n)
{
    if (n <= c->positions_cap)
        return WS_OK;
    uint32_t *grown = ws_reallocarray(c->positions, n, sizeof *grown);
    if (!grown)
        return WS_ERR_NOMEM;
    c->positions = grown;
    c->positions_cap = n;
    return WS_OK;
}

/* Positions count words: every position lies below the greatest length that the code of the word
 * stream allows. */
static int within_words(const uint8_t *words, uint32_t doc, uint32_t position)
{
    uint8_t code = words ? words[doc] : 0;
    return code == MAX_CODE || position < ws_norm_decode((uint8_t)(code + 1));
}

static ws_status check_positions(checker *c, uint32_t index, const uint8_t *words)
{
    uint32_t tf = c->postings.tfs[index];
    /* A block of 128 positions has 2 bytes at least: no more memory is taken than the file can
     * fill. */
    if (tf > 1 && tf / 64 > c->postings.term.pos_length)
        return fault(c, "a term frequency exceeds the term's occurrences");
    WS_TRY(need_positions(c, tf));
    WS_TRY(ws_postings_positions(&c->postings, index, c->positions));
    for (uint32_t i = 1; i < tf; i++)
        if (c->positions[i] < c->positions[i - 1])
            return fault(c, "positions do not ascend");
    if (!within_words(words, c->postings.docs[index], c->positions[tf - 1]))
        return fault(c, "a position beyond the length of its field");
    c->n_positions += tf;
    return WS_OK;
}

typedef struct {
    const uint8_t *norms, *words; /* of the term's stream, of its field's word stream */
} lengths;

static ws_status check_block(checker *c, uint32_t block, const lengths *l, uint64_t *cf)
{
    ws_postings *p = &c->postings;
    WS_TRY(ws_postings_load(p, block));
    WS_TRY(ws_postings_load_tfs(p));
    for (uint32_t i = 0; i < p->n; i++) {
        if (!l->norms || l->norms[p->docs[i]] == 0)
            return fault(c, "a posting in a document of length 0");
        *cf += p->tfs[i];
        if (p->term.positions)
            WS_TRY(check_positions(c, i, l->words));
    }
    return WS_OK;
}

static ws_status check_term(checker *c, const ws_term_iterator *it)
{
    ws_term_info found;
    lengths l;
    uint64_t cf = 0;
    uint32_t field = it->key[0], stream = it->key[1];
    ws_str key = {(const char *)it->key, it->key_length};
    if (field >= c->schema->n_fields || stream >= WS_SCHEMA_STREAMS)
        return fault(c, "a term of a field that the schema does not have");
    WS_TRY(must_find(c, ws_dictionary_find(c->segment, key, &found),
                     "the hash does not find a term of the dictionary"));
    if (found.df != it->info.df || found.cf != it->info.cf ||
        found.doc_offset != it->info.doc_offset)
        return fault(c, "the hash finds another term");
    WS_TRY(ws_segment_norms(c->segment, field, stream, &l.norms));
    WS_TRY(ws_segment_norms(c->segment, field, 0, &l.words));
    WS_TRY(ws_postings_open(&c->postings, c->segment, &it->info));
    for (uint32_t b = 0; b < c->postings.n_blocks; b++)
        WS_TRY(check_block(c, b, &l, &cf));
    if (cf != it->info.cf)
        return fault(c, "term frequencies do not add up to the term's occurrences");
    c->n_terms++;
    c->n_postings += it->info.df;
    c->sums[field][stream] += cf;
    c->terms[field][stream]++;
    return WS_OK;
}

static ws_status check_terms(checker *c)
{
    ws_term_iterator it;
    uint8_t last[WS_TERM_KEY_MAX];
    size_t last_length = 0;
    ws_status status = ws_term_iterator_init(&it, c->segment, ws_cstr(NULL));
    while (!status && !(status = ws_term_iterator_next(&it))) {
        ws_str key = {(const char *)it.key, it.key_length};
        if (c->n_terms && ws_str_cmp(ws_str_make((const char *)last, last_length), key) >= 0)
            return fault(c, "terms do not ascend");
        memcpy(last, it.key, it.key_length);
        last_length = it.key_length;
        WS_TRY(check_term(c, &it));
        if (cancelled(c, c->n_terms))
            return WS_ERR_CANCELLED;
    }
    return status == WS_ERR_NOT_FOUND ? WS_OK : status;
}

static ws_status check_totals(checker *c)
{
    const ws_segment_meta *m = &c->segment->meta;
    if (c->n_terms != m->n_terms || c->n_postings != m->n_postings ||
        c->n_positions != m->n_positions)
        return fault(c, "META's totals are not those of the postings");
    for (uint32_t i = 0; i < m->n_streams; i++) {
        const ws_stream_meta *s = &m->streams[i];
        const uint8_t *norms;
        uint32_t with = 0;
        WS_TRY(ws_segment_norms(c->segment, s->field, s->stream, &norms));
        for (uint32_t d = 0; d < m->n_docs; d++)
            with += norms[d] != 0;
        if (with != s->n_docs || c->sums[s->field][s->stream] != s->sum_length ||
            c->terms[s->field][s->stream] != s->n_terms)
            return fault(c, "META's statistics are not those of NORMS and postings");
    }
    return WS_OK;
}

static ws_status check_postings(checker *c)
{
    WS_TRY(check_terms(c));
    return check_totals(c);
}

/* --- documents --- */

static ws_status check_identity(checker *c)
{
    char buffer[WS_ID_MAX];
    ws_str id;
    for (uint32_t d = 0; d < c->segment->meta.n_docs; d++) {
        uint32_t found;
        uint64_t key = ws_segment_doc_key(c->segment, d);
        if (cancelled(c, d))
            return WS_ERR_CANCELLED;
        WS_TRY(ws_segment_id(c->segment, d, buffer, &id));
        WS_TRY(
            must_find(c, ws_segment_find_id(c->segment, id, &found), "an id is not found again"));
        if (found < d || key < c->segment->meta.min_doc_key || key > c->segment->meta.max_doc_key)
            return fault(c,
                         "an id finds an earlier document, or a DOC_KEY lies outside META's range");
    }
    return WS_OK;
}

static ws_status check_map(checker *c, uint32_t field, uint32_t doc, uint32_t text_length)
{
    uint32_t offset, position, before = 0;
    for (uint32_t p = 0;; p += WS_TOKEN_MAP_INTERVAL) {
        ws_status status = ws_token_map_find(c->segment, field, doc, p, &offset, &position);
        if (status == WS_ERR_NOT_FOUND)
            return WS_OK;
        WS_TRY(status);
        if (offset < before || offset >= text_length)
            return fault(c, "a token map leaves its text");
        before = offset;
    }
}

static ws_status check_record(checker *c, ws_stored_reader *reader, uint32_t doc, ws_buf *text)
{
    WS_TRY(must_find(c, ws_stored_open(reader, c->segment, doc), "a stored document is missing"));
    for (uint32_t i = 0; i < ws_stored_count(reader); i++) {
        const ws_stored_head *head = ws_stored_value_head(reader, i);
        if (head->field >= c->schema->n_fields)
            return fault(c, "a stored value of a field that the schema does not have");
        ws_buf_clear(text);
        WS_TRY(ws_stored_whole(reader, i, text));
        if (c->segment->token_map[head->field].size)
            WS_TRY(check_map(c, head->field, doc, head->raw_length));
    }
    return WS_OK;
}

static ws_status check_stored(checker *c)
{
    ws_stored_reader *reader;
    ws_buf text;
    ws_status status = WS_OK;
    if (!c->segment->stored_dir.size)
        return WS_OK;
    ws_buf_init(&text);
    WS_TRY(ws_stored_reader_new(&reader));
    for (uint32_t d = 0; !status && d < c->segment->meta.n_docs; d++)
        status = cancelled(c, d) ? WS_ERR_CANCELLED : check_record(c, reader, d, &text);
    ws_stored_reader_free(reader);
    ws_buf_fini(&text);
    return status;
}

static ws_status check_ints(checker *c, uint32_t field)
{
    for (uint32_t d = 0; d < c->segment->meta.n_docs; d++) {
        int64_t value;
        int present;
        WS_TRY(ws_column_int(c->segment, field, d, &value, &present));
    }
    return WS_OK;
}

static ws_status check_keywords(checker *c, uint32_t field)
{
    ws_str before = {NULL, 0}, value;
    uint32_t n;
    for (uint32_t i = 0; i < ws_column_distinct(c->segment, field); i++) {
        WS_TRY(ws_column_value(c->segment, field, i, &value));
        if (i && ws_str_cmp(before, value) >= 0)
            return fault(c, "values of a column do not ascend");
        before = value;
    }
    for (uint32_t d = 0; d < c->segment->meta.n_docs; d++) {
        uint32_t ordinals[1024];
        WS_TRY(ws_column_ordinals(c->segment, field, d, ordinals, WS_ARRAY_LEN(ordinals), &n));
        for (uint32_t i = 1; i < n && i < WS_ARRAY_LEN(ordinals); i++)
            if (ordinals[i] <= ordinals[i - 1])
                return fault(c, "a document's values do not ascend");
    }
    return WS_OK;
}

static ws_status check_columns(checker *c)
{
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++) {
        if (!c->segment->column[f].size)
            continue;
        if (f >= c->schema->n_fields)
            return fault(c, "a column of a field that the schema does not have");
        WS_TRY(ws_column_type(c->segment, f) == WS_COLUMN_INT ? check_ints(c, f)
                                                              : check_keywords(c, f));
    }
    return WS_OK;
}

/* --- all of it --- */

static void run_steps(checker *c, uint32_t level)
{
    static const struct {
        const char *name;
        uint32_t level;
        ws_status (*run)(checker *);
    } steps[] = {
        {"blocks", WS_CHECK_NORMAL, check_blocks},   {"postings", WS_CHECK_DEEP, check_postings},
        {"identity", WS_CHECK_DEEP, check_identity}, {"documents", WS_CHECK_DEEP, check_stored},
        {"columns", WS_CHECK_DEEP, check_columns},
    };
    if (level >= WS_CHECK_NORMAL)
        check_sections(c);
    for (size_t i = 0; i < WS_ARRAY_LEN(steps) && c->first != WS_ERR_CANCELLED; i++)
        if (level >= steps[i].level)
            report(c, steps[i].name, steps[i].run(c));
}

ws_status ws_check_segment(ws_segment *segment, const ws_schema *schema, uint32_t level,
                           ws_check_fn callback, void *ctx, const ws_budget *budget,
                           ws_error *error)
{
    checker *c = ws_calloc(1, sizeof *c);
    if (!c)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a check");
    *c = (checker){
        .segment = segment, .schema = schema, .budget = budget, .callback = callback, .ctx = ctx};
    run_steps(c, level);
    ws_status first = c->first;
    if (first && error)
        *error = c->first_error;
    ws_free(c->positions);
    ws_free(c);
    return first;
}
