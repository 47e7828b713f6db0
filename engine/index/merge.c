#include "engine/index/merge.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/dictionary.h"
#include "engine/index/postings.h"
#include "engine/index/segment_parts.h"

#define SPOOL_BYTES (256u << 10)
#define DEAD        UINT32_MAX
#define POLL_TERMS  1024u

/* One input while it is merged. */
typedef struct {
    ws_segment *segment;
    uint32_t *new_doc; /* by old document; DEAD = deleted */
    ws_term_iterator terms;
    int has_term; /* terms.key is waiting to be merged */
    ws_postings postings;
} source;

typedef struct {
    source *sources;
    uint32_t n;
    const ws_schema *schema;
    ws_segment_parts parts;
    ws_postings_writer *writer;
    uint32_t *positions;
    uint32_t positions_cap;
    uint32_t n_docs;
} merger;

static void merger_fini(merger *m)
{
    for (uint32_t i = 0; m->sources && i < m->n; i++)
        ws_free(m->sources[i].new_doc);
    ws_free(m->sources);
    ws_free(m->positions);
    ws_postings_writer_free(m->writer);
    ws_segment_parts_fini(&m->parts);
}

static ws_status source_init(source *s, const ws_merge_input *input, uint32_t *next_doc)
{
    s->segment = input->segment;
    s->new_doc = ws_reallocarray(NULL, input->segment->meta.n_docs, sizeof *s->new_doc);
    if (!s->new_doc)
        return WS_ERR_NOMEM;
    for (uint32_t d = 0; d < input->segment->meta.n_docs; d++)
        s->new_doc[d] = !input->live || ws_live_test(input->live, d) ? (*next_doc)++ : DEAD;
    return ws_term_iterator_init(&s->terms, s->segment, ws_cstr(NULL));
}

static ws_status advance(source *s)
{
    ws_status status = ws_term_iterator_next(&s->terms);
    s->has_term = status == WS_OK;
    return status == WS_ERR_NOT_FOUND ? WS_OK : status;
}

static ws_status merger_init(merger *m, const ws_merge_input *inputs, uint32_t n,
                             const ws_schema *schema, const char *dir, ws_segment_out *out)
{
    ws_stored_dictionary *dictionary = NULL;
    memset(m, 0, sizeof *m);
    m->schema = schema;
    m->sources = ws_calloc(n, sizeof *m->sources);
    if (!m->sources)
        return WS_ERR_NOMEM;
    m->n = n;
    for (uint32_t i = 0; i < n; i++) {
        WS_TRY(source_init(&m->sources[i], &inputs[i], &m->n_docs));
        WS_TRY(advance(&m->sources[i]));
        if (!dictionary)
            WS_TRY(ws_stored_dictionary_from_segment(&dictionary, inputs[i].segment));
    }
    ws_status status = ws_segment_parts_init(&m->parts, schema, dictionary, dir, SPOOL_BYTES);
    ws_stored_dictionary_unref(dictionary);
    WS_TRY(status);
    return ws_postings_writer_new(&m->writer, out, dir, dir ? SPOOL_BYTES : SIZE_MAX);
}

/* --- postings --- */

static ws_str source_key(const source *s)
{
    return ws_str_make((const char *)s->terms.key, s->terms.key_length);
}

/* Least key over the sources; 0 when all are done. */
static int least_key(const merger *m, ws_str *key)
{
    int found = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const source *s = &m->sources[i];
        if (s->has_term && (!found || ws_str_cmp(source_key(s), *key) < 0)) {
            *key = source_key(s);
            found = 1;
        }
    }
    return found;
}

static ws_status need_positions(merger *m, uint32_t n)
{
    if (n <= m->positions_cap)
        return WS_OK;
    uint32_t cap = WS_MAX(n, WS_MAX(1024u, m->positions_cap + m->positions_cap / 2));
    uint32_t *grown = ws_reallocarray(m->positions, cap, sizeof *grown);
    if (!grown)
        return WS_ERR_NOMEM;
    m->positions = grown;
    m->positions_cap = cap;
    return WS_OK;
}

static ws_status copy_block(merger *m, source *s, uint32_t block, int positions, uint64_t *cf)
{
    ws_postings *p = &s->postings;
    WS_TRY(ws_postings_load(p, block));
    WS_TRY(ws_postings_load_tfs(p));
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t doc = s->new_doc[p->docs[i]];
        if (doc == DEAD)
            continue;
        if (positions) {
            WS_TRY(need_positions(m, p->tfs[i]));
            WS_TRY(ws_postings_positions(p, i, m->positions));
        }
        WS_TRY(ws_postings_writer_add(m->writer, doc, p->tfs[i], positions ? m->positions : NULL));
        *cf += p->tfs[i];
    }
    return WS_OK;
}

/* Merges the term that the sources at `key` share. A term of which nothing lives is dropped by the
 * writer. */
static ws_status merge_term(merger *m, ws_str key)
{
    uint8_t copy[WS_TERM_KEY_MAX];
    memcpy(copy, key.ptr, key.len);
    key.ptr = (const char *)copy;
    uint32_t field = copy[0], stream = copy[1];
    if (field >= m->schema->n_fields || stream >= WS_SCHEMA_STREAMS)
        return WS_ERR_CORRUPT;
    int positions = ws_schema_has_positions(m->schema, field, stream);
    uint64_t cf = 0;
    WS_TRY(ws_postings_writer_begin(m->writer, key, positions));
    for (uint32_t i = 0; i < m->n; i++) {
        source *s = &m->sources[i];
        if (!s->has_term || !ws_str_eq(source_key(s), key))
            continue;
        WS_TRY(ws_postings_open(&s->postings, s->segment, &s->terms.info));
        for (uint32_t b = 0; b < s->postings.n_blocks; b++)
            WS_TRY(copy_block(m, s, b, positions, &cf));
        WS_TRY(advance(s));
    }
    if (cf)
        ws_segment_parts_term(&m->parts, field, stream, cf);
    return ws_postings_writer_end(m->writer);
}

static ws_status merge_terms(merger *m, const ws_budget *budget)
{
    ws_str key = {NULL, 0};
    for (uint64_t n = 0; least_key(m, &key); n++) {
        WS_TRY(merge_term(m, key));
        if (n % POLL_TERMS == 0 && ws_budget_poll(budget, 0) == WS_ERR_CANCELLED)
            return WS_ERR_CANCELLED;
    }
    return WS_OK;
}

/* --- one value a document --- */

static ws_status copy_norms(merger *m, source *s, uint32_t field, uint32_t stream)
{
    const uint8_t *norms;
    WS_TRY(ws_segment_norms(s->segment, field, stream, &norms));
    for (uint32_t d = 0; d < s->segment->meta.n_docs; d++)
        if (s->new_doc[d] != DEAD)
            WS_TRY(ws_segment_parts_norm(&m->parts, field, stream, norms ? norms[d] : 0));
    return WS_OK;
}

static ws_status copy_int(merger *m, source *s, uint32_t field, uint32_t doc)
{
    int64_t value = 0;
    int present = 0;
    if (ws_column_type(s->segment, field))
        WS_TRY(ws_column_int(s->segment, field, doc, &value, &present));
    return ws_column_writer_add_int(m->parts.columns[field], present, value);
}

static ws_status copy_keywords(merger *m, source *s, uint32_t field, uint32_t doc)
{
    enum { CAP = 4096 };
    uint32_t ordinals[CAP], n = 0;
    ws_str values[CAP];
    if (ws_column_type(s->segment, field))
        WS_TRY(ws_column_ordinals(s->segment, field, doc, ordinals, CAP, &n));
    if (n > CAP)
        return WS_ERR_CORRUPT; /* ingest clips a document's values far below */
    for (uint32_t i = 0; i < n; i++)
        WS_TRY(ws_column_value(s->segment, field, ordinals[i], &values[i]));
    return ws_column_writer_add_keywords(m->parts.columns[field], values, n);
}

static ws_status copy_columns(merger *m, source *s, uint32_t doc)
{
    for (uint32_t f = 0; f < m->schema->n_fields; f++) {
        if (!m->parts.columns[f])
            continue;
        if (m->schema->fields[f].type == WS_FIELD_INT)
            WS_TRY(copy_int(m, s, f, doc));
        else
            WS_TRY(copy_keywords(m, s, f, doc));
    }
    return WS_OK;
}

static ws_status copy_documents(merger *m, source *s)
{
    char buffer[WS_ID_MAX];
    ws_str id;
    for (uint32_t d = 0; d < s->segment->meta.n_docs; d++) {
        if (s->new_doc[d] == DEAD)
            continue;
        if (m->parts.stored)
            WS_TRY(ws_stored_writer_copy(m->parts.stored, s->segment, d));
        WS_TRY(copy_columns(m, s, d));
        WS_TRY(ws_segment_id(s->segment, d, buffer, &id));
        WS_TRY(ws_segment_parts_id(&m->parts, id, ws_segment_doc_key(s->segment, d)));
    }
    m->parts.n_long_terms += s->segment->meta.n_long_terms;
    return WS_OK;
}

static ws_status copy_lengths(merger *m)
{
    for (uint32_t f = 0; f < m->schema->n_fields; f++)
        for (uint32_t st = 0; m->schema->fields[f].type == WS_FIELD_TEXT && st < WS_SCHEMA_STREAMS;
             st++)
            for (uint32_t i = 0; i < m->n; i++)
                WS_TRY(copy_norms(m, &m->sources[i], f, st));
    return WS_OK;
}

static ws_status merge_all(merger *m, ws_segment_out *out, const ws_budget *budget)
{
    ws_postings_totals totals;
    WS_TRY(merge_terms(m, budget));
    WS_TRY(ws_postings_writer_finish(m->writer, &totals));
    WS_TRY(copy_lengths(m));
    for (uint32_t i = 0; i < m->n; i++) {
        WS_TRY(copy_documents(m, &m->sources[i]));
        if (ws_budget_poll(budget, 0) == WS_ERR_CANCELLED)
            return WS_ERR_CANCELLED;
    }
    return ws_segment_parts_finish(&m->parts, &totals, out);
}

ws_status ws_merge_segments(const ws_merge_input *inputs, uint32_t n, const ws_schema *schema,
                            const char *dir, ws_segment_out *out, uint32_t *n_docs,
                            const ws_budget *budget)
{
    merger m;
    *n_docs = 0;
    if (n == 0 || n > WS_MERGE_MAX_INPUTS)
        return WS_ERR_ARG;
    ws_status status = merger_init(&m, inputs, n, schema, dir, out);
    if (!status && m.n_docs)
        status = merge_all(&m, out, budget);
    if (!status)
        *n_docs = m.n_docs;
    merger_fini(&m);
    return status;
}
