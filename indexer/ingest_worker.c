/* One thread's share of an ingest: analyse, invert, flush. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "indexer/ingest_int.h"

#define VALUES_MAX  1024u
#define TOKEN_CHUNK 256u
#define MAP_CHUNK   1024u

ws_status ws_ingest_worker_new(ws_ingest_worker **out, ws_ingest *ingest, ws_error *error)
{
    const ws_schema *schema = &ingest->manifest.schema;
    ws_status status = WS_OK;
    *out = NULL;
    ws_ingest_worker *w = ws_calloc(1, sizeof *w);
    if (!w)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a worker");
    w->ingest = ingest;
    w->share = ingest->memory / ingest->n_workers;
    for (uint32_t f = 0; !status && f < schema->n_fields; f++)
        if (schema->fields[f].type == WS_FIELD_TEXT)
            status = ws_analyzer_new(&w->analyzers[f], error);
    if (status) {
        ws_ingest_worker_free(w);
        return status;
    }
    *out = w;
    return WS_OK;
}

/* --- memory --- */

static uint64_t held(const ws_ingest_worker *w)
{
    uint64_t bytes = w->inverter ? ws_inverter_memory(w->inverter) : 0;
    bytes += w->sequences_cap * sizeof *w->sequences;
    for (uint32_t f = 0; f < w->ingest->manifest.schema.n_fields; f++)
        bytes += w->analyzers[f] ? ws_analyzer_memory(w->analyzers[f]) : 0;
    return bytes;
}

static void charge(ws_ingest_worker *w)
{
    uint64_t now = held(w);
    uint64_t total = atomic_fetch_add(&w->ingest->held, now - w->charged) + now - w->charged;
    uint64_t peak = atomic_load(&w->ingest->peak);
    w->charged = now;
    while (total > peak && !atomic_compare_exchange_weak(&w->ingest->peak, &peak, total))
        ;
}

static void drop_inverter(ws_ingest_worker *w)
{
    ws_inverter_free(w->inverter);
    ws_free(w->sequences);
    w->inverter = NULL;
    w->sequences = NULL;
    w->sequences_cap = 0;
    charge(w);
}

void ws_ingest_worker_free(ws_ingest_worker *w)
{
    if (!w)
        return;
    drop_inverter(w);
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        ws_analyzer_free(w->analyzers[f]);
    atomic_fetch_sub(&w->ingest->held, w->charged);
    ws_free(w);
}

/* --- flush --- */

static ws_status mark_dead(ws_ingest_worker *w, ws_member *member)
{
    for (uint32_t d = 0; d < member->entry.n_docs; d++)
        if (w->sequences[d] == WS_DEAD_SEQUENCE)
            WS_TRY(ws_member_delete(member, d));
    return WS_OK;
}

/* Hands the finished output over to the ingest as a pending member. */
static ws_status hand_over(ws_ingest_worker *w, ws_segment_out *out, uint64_t id, ws_error *error)
{
    uint64_t length, hash;
    ws_member member;
    WS_TRY(ws_segment_out_finish(out, &length, &hash, error));
    WS_TRY(ws_ingest_open_output(w->ingest, out, id, length, hash, &member, error));
    member.pending = 1;
    ws_status status = mark_dead(w, &member);
    if (!status) {
        member.sequences = w->sequences;
        status = ws_ingest_add_member(w->ingest, &member);
    }
    if (status) {
        member.sequences = NULL; /* still the worker's */
        ws_member_fini(w->ingest, &member);
        return status;
    }
    w->sequences = NULL;
    w->sequences_cap = 0;
    return WS_OK;
}

static ws_status flush_segment(ws_ingest_worker *w, ws_error *error)
{
    ws_ingest *ingest = w->ingest;
    char path[4096];
    ws_segment_out *out;
    pthread_mutex_lock(&ingest->mutex);
    uint64_t id = ingest->next_segment_id++;
    pthread_mutex_unlock(&ingest->mutex);
    WS_TRY(ws_ingest_segment_path(ingest, id, path, sizeof path));
    WS_TRY(ws_segment_out_new(&out, ingest->dir[0] ? path : NULL, id, ingest->fingerprint, error));
    ws_status status = ws_inverter_flush(w->inverter, out);
    if (status)
        ws_error_at(error, status, path, 0, "cannot write the segment: %s", ws_status_text(status));
    else
        status = hand_over(w, out, id, error);
    ws_segment_out_free(out);
    return status;
}

ws_status ws_ingest_worker_flush(ws_ingest_worker *w, ws_error *error)
{
    if (w->failed)
        return ws_error_set(error, w->failed, "the writer failed before: %s",
                            ws_status_text(w->failed));
    if (!w->inverter || ws_inverter_docs(w->inverter) == 0)
        return WS_OK;
    ws_status status = flush_segment(w, error);
    drop_inverter(w);
    w->failed = status;
    atomic_fetch_add(&w->ingest->flushes, 1);
    return status;
}

/* --- finding what an id replaces --- */

static int find_in_worker(const ws_ingest_worker *w, ws_str id, uint32_t *doc)
{
    return w->inverter &&
           ws_id_writer_find(ws_inverter_parts(w->inverter)->ids, id, doc) == WS_OK &&
           w->sequences[*doc] != WS_DEAD_SEQUENCE;
}

/* DOC_KEY that a document with this id has already. Committed ones are looked up without the lock:
 * they change only while no worker runs. Uncommitted ones count only with one worker; with more the
 * outcome would depend on timing, and nobody has seen their keys yet. */
static int existing_key(ws_ingest_worker *w, ws_str id, uint64_t *key)
{
    ws_ingest *ingest = w->ingest;
    uint32_t doc;
    int alone = ingest->n_workers == 1, found = 0;
    if (alone && find_in_worker(w, id, &doc)) {
        *key = ws_id_writer_doc_key(ws_inverter_parts(w->inverter)->ids, doc);
        return 1;
    }
    pthread_mutex_lock(&ingest->mutex);
    for (uint32_t i = ingest->n_members; i-- > 0 && !found;) {
        const ws_member *m = &ingest->members[i];
        if ((!m->pending || alone) && ws_member_find(m, id, &doc)) {
            *key = ws_segment_doc_key(m->ids, doc);
            found = 1;
        }
    }
    pthread_mutex_unlock(&ingest->mutex);
    return found;
}

int ws_ingest_exists(ws_ingest *ingest, ws_ingest_worker *w, ws_str id)
{
    uint32_t doc;
    int found = w && find_in_worker(w, id, &doc);
    pthread_mutex_lock(&ingest->mutex);
    for (uint32_t i = 0; i < ingest->n_members && !found; i++)
        found = ws_member_find(&ingest->members[i], id, &doc);
    pthread_mutex_unlock(&ingest->mutex);
    return found;
}

ws_status ws_ingest_delete(ws_ingest *ingest, ws_ingest_worker *w, ws_str id, ws_error *error)
{
    uint32_t doc;
    ws_status status = WS_ERR_NOT_FOUND;
    if (find_in_worker(w, id, &doc)) {
        w->sequences[doc] = WS_DEAD_SEQUENCE;
        status = WS_OK;
    }
    for (uint32_t i = 0; i < ingest->n_members && (status == WS_OK || status == WS_ERR_NOT_FOUND);
         i++)
        if (ws_member_find(&ingest->members[i], id, &doc))
            status = ws_member_delete(&ingest->members[i], doc);
    return status ? ws_error_set(error, status, "cannot delete " WS_STR_FMT ": %s", WS_STR_ARG(id),
                                 ws_status_text(status))
                  : WS_OK;
}

/* --- one document --- */

static ws_status check_id(ws_str id, ws_error *error)
{
    if (id.len < 1 || id.len > WS_ID_MAX)
        return ws_error_set(error, WS_ERR_RANGE, "an id has 1 to %u bytes, this one %zu", WS_ID_MAX,
                            id.len);
    if (!ws_utf8_valid(id))
        return ws_error_set(error, WS_ERR_UTF8, "the id is not UTF-8");
    for (size_t i = 0; i < id.len; i++)
        if ((uint8_t)id.ptr[i] < 0x20 || id.ptr[i] == 0x7f)
            return ws_error_set(error, WS_ERR_UTF8, "the id has a control character at byte %zu",
                                i);
    return WS_OK;
}

/* Values by field: the last one of fields that hold one. */
static const ws_ingest_value *value_of(const ws_ingest_document *doc, uint32_t field)
{
    for (uint32_t i = doc->n_values; i-- > 0;)
        if (doc->values[i].field == field)
            return &doc->values[i];
    return NULL;
}

static ws_status check_document(const ws_ingest_worker *w, const ws_ingest_document *doc,
                                ws_error *error)
{
    const ws_schema *schema = &w->ingest->manifest.schema;
    uint64_t bytes = 0;
    int64_t number;
    WS_TRY(check_id(doc->id, error));
    if (doc->n_values > VALUES_MAX)
        return ws_error_set(error, WS_ERR_LIMIT, "%u values, at most %u", doc->n_values,
                            VALUES_MAX);
    for (uint32_t i = 0; i < doc->n_values; i++) {
        const ws_ingest_value *v = &doc->values[i];
        if (v->field >= schema->n_fields)
            return ws_error_set(error, WS_ERR_SCHEMA, "field number %u is not in the schema",
                                v->field);
        if (schema->fields[v->field].type == WS_FIELD_INT && !ws_str_to_i64(v->bytes, &number))
            return ws_error_set(error, WS_ERR_SCHEMA, "field %s holds no integer",
                                schema->fields[v->field].name);
        bytes += v->bytes.len;
    }
    if (bytes > w->ingest->document_bytes)
        return ws_error_set(error, WS_ERR_LIMIT, "%llu bytes, at most %llu",
                            (unsigned long long)bytes,
                            (unsigned long long)w->ingest->document_bytes);
    return WS_OK;
}

static ws_status analyse(ws_ingest_worker *w, const ws_ingest_document *doc,
                         ws_tokens tokens[WS_MAX_FIELDS], uint64_t *n_tokens, uint64_t *bytes)
{
    const ws_schema *schema = &w->ingest->manifest.schema;
    *n_tokens = *bytes = 0;
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        memset(&tokens[f], 0, sizeof tokens[f]);
        const ws_ingest_value *v =
            schema->fields[f].type == WS_FIELD_TEXT ? value_of(doc, f) : NULL;
        if (!v)
            continue;
        WS_TRY(ws_analyzer_run(w->analyzers[f], schema->fields[f].analyzer, WS_ANALYZE_INDEX,
                               v->bytes, &tokens[f]));
        *n_tokens += tokens[f].n_tokens;
        *bytes += v->bytes.len;
    }
    return WS_OK;
}

/* Bytes that the document may add beside its tokens: stored text, columns, lengths, ids. */
static uint64_t other_cost(const ws_ingest_document *doc)
{
    uint64_t bytes = 4096;
    for (uint32_t i = 0; i < doc->n_values; i++)
        bytes += 2 * doc->values[i].bytes.len + 64;
    return bytes;
}

static ws_status ready_inverter(ws_ingest_worker *w)
{
    if (w->inverter)
        return WS_OK;
    return ws_inverter_new(&w->inverter, &w->ingest->manifest.schema, w->ingest->dictionary,
                           w->ingest->dir[0] ? w->ingest->dir : NULL);
}

/* Makes room under the ceiling: flushes what is there, or refuses a document that would not fit
 * even then. */
static ws_status make_room(ws_ingest_worker *w, const ws_ingest_document *doc, uint64_t n_tokens,
                           uint64_t bytes, ws_error *error)
{
    for (;;) {
        WS_TRY(ready_inverter(w));
        uint64_t need = held(w) + ws_inverter_cost(w->inverter, n_tokens, bytes) + other_cost(doc);
        if (need <= w->share)
            return WS_OK;
        if (ws_inverter_docs(w->inverter) == 0)
            return ws_error_set(error, WS_ERR_LIMIT,
                                "the document needs %llu bytes of memory, its share is %llu",
                                (unsigned long long)need, (unsigned long long)w->share);
        WS_TRY(ws_ingest_worker_flush(w, error));
    }
}

static ws_status add_tokens(ws_ingest_worker *w, uint32_t field, const ws_tokens *tokens,
                            uint32_t lengths[WS_SCHEMA_STREAMS])
{
    ws_inverter_token chunk[TOKEN_CHUNK];
    for (uint32_t i = 0; i < tokens->n_tokens;) {
        uint32_t n = 0;
        for (; n < TOKEN_CHUNK && i < tokens->n_tokens; i++, n++) {
            const ws_token *t = &tokens->tokens[i];
            chunk[n] =
                (ws_inverter_token){t->text.ptr, (uint32_t)t->text.len, t->position, t->stream};
        }
        WS_TRY(ws_inverter_tokens(w->inverter, field, chunk, n));
    }
    memcpy(lengths, tokens->counts, WS_SCHEMA_STREAMS * sizeof *lengths);
    return WS_OK;
}

/* Where the words at position 0, 64, 128, ... begin in the text. */
static ws_status add_map(ws_ingest_worker *w, uint32_t field, const ws_tokens *tokens)
{
    ws_segment_parts *parts = ws_inverter_parts(w->inverter);
    uint32_t small[MAP_CHUNK], n = 0;
    uint32_t cap = tokens->n_positions / WS_TOKEN_MAP_INTERVAL + 1;
    uint32_t *offsets = cap > MAP_CHUNK ? ws_reallocarray(NULL, cap, sizeof *offsets) : small;
    if (!offsets)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < tokens->n_tokens; i++)
        if (tokens->tokens[i].position >= n * WS_TOKEN_MAP_INTERVAL && n < cap)
            offsets[n++] = tokens->tokens[i].start;
    ws_status status = ws_stored_writer_add_map(parts->stored, field, offsets, n);
    if (offsets != small)
        ws_free(offsets);
    return status;
}

static ws_status add_texts(ws_ingest_worker *w, const ws_tokens tokens[WS_MAX_FIELDS],
                           uint32_t lengths[WS_MAX_FIELDS][WS_SCHEMA_STREAMS])
{
    const ws_schema *schema = &w->ingest->manifest.schema;
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        if (schema->fields[f].type != WS_FIELD_TEXT)
            continue;
        WS_TRY(add_tokens(w, f, &tokens[f], lengths[f]));
        if ((schema->fields[f].flags & WS_FIELD_IS_STORED) &&
            ws_schema_has_positions(schema, f, WS_STREAM_WORD))
            WS_TRY(add_map(w, f, &tokens[f]));
        atomic_fetch_add_explicit(&w->ingest->replaced_utf8, tokens[f].n_replaced,
                                  memory_order_relaxed);
        atomic_fetch_add_explicit(&w->ingest->truncated_terms, tokens[f].n_long,
                                  memory_order_relaxed);
    }
    return WS_OK;
}

static ws_status add_stored(ws_ingest_worker *w, const ws_ingest_document *doc)
{
    const ws_schema *schema = &w->ingest->manifest.schema;
    ws_segment_parts *parts = ws_inverter_parts(w->inverter);
    ws_stored_value values[VALUES_MAX];
    uint32_t n = 0;
    if (!parts->stored)
        return WS_OK;
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        const ws_field *field = &schema->fields[f];
        if (!(field->flags & WS_FIELD_IS_STORED))
            continue;
        int several = field->type == WS_FIELD_STORED || (field->flags & WS_FIELD_MULTI);
        for (uint32_t i = 0; i < doc->n_values; i++)
            if (doc->values[i].field == f && (several || value_of(doc, f) == &doc->values[i]))
                values[n++] = (ws_stored_value){(uint8_t)f, doc->values[i].bytes};
    }
    return ws_stored_writer_add(parts->stored, values, n);
}

static ws_status add_keywords(ws_ingest_worker *w, const ws_ingest_document *doc, uint32_t f)
{
    ws_str values[VALUES_MAX];
    uint32_t n = 0;
    ws_column_writer *column = ws_inverter_parts(w->inverter)->columns[f];
    int several = w->ingest->manifest.schema.fields[f].flags & WS_FIELD_MULTI;
    for (uint32_t i = 0; i < doc->n_values; i++)
        if (doc->values[i].field == f && (several || value_of(doc, f) == &doc->values[i]))
            values[n++] = doc->values[i].bytes;
    return ws_column_writer_add_keywords(column, values, n);
}

static ws_status add_columns(ws_ingest_worker *w, const ws_ingest_document *doc)
{
    const ws_schema *schema = &w->ingest->manifest.schema;
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        ws_column_writer *column = ws_inverter_parts(w->inverter)->columns[f];
        if (!column)
            continue;
        if (schema->fields[f].type == WS_FIELD_KEYWORD) {
            WS_TRY(add_keywords(w, doc, f));
            continue;
        }
        int64_t number = 0;
        const ws_ingest_value *v = value_of(doc, f);
        int present = v && ws_str_to_i64(v->bytes, &number);
        WS_TRY(ws_column_writer_add_int(column, present, number));
    }
    return WS_OK;
}

static ws_status keep_sequence(ws_ingest_worker *w, uint64_t sequence)
{
    uint32_t doc = ws_inverter_docs(w->inverter);
    if (doc == w->sequences_cap) {
        uint32_t cap = w->sequences_cap ? w->sequences_cap * 2 : 1024;
        uint64_t *grown = ws_reallocarray(w->sequences, cap, sizeof *grown);
        if (!grown)
            return WS_ERR_NOMEM;
        w->sequences = grown;
        w->sequences_cap = cap;
    }
    w->sequences[doc] = sequence;
    return WS_OK;
}

static ws_status add_parts(ws_ingest_worker *w, const ws_ingest_document *doc,
                           const ws_tokens tokens[WS_MAX_FIELDS], uint64_t key, uint64_t sequence)
{
    uint32_t lengths[WS_MAX_FIELDS][WS_SCHEMA_STREAMS] = {{0}};
    uint32_t earlier;
    WS_TRY(keep_sequence(w, sequence));
    if (find_in_worker(w, doc->id, &earlier)) {
        w->sequences[earlier] = WS_DEAD_SEQUENCE;
        atomic_fetch_add(&w->ingest->replaced, 1);
    }
    WS_TRY(add_stored(w, doc));
    WS_TRY(add_texts(w, tokens, lengths));
    WS_TRY(add_columns(w, doc));
    return ws_inverter_end(w->inverter, (const uint32_t(*)[WS_SCHEMA_STREAMS])lengths, doc->id,
                           key);
}

ws_status ws_ingest_worker_add(ws_ingest_worker *w, const ws_ingest_document *doc,
                               uint64_t sequence, ws_error *error)
{
    ws_tokens tokens[WS_MAX_FIELDS];
    uint64_t n_tokens, bytes, key;
    if (w->failed)
        return ws_error_set(error, w->failed, "the writer failed before: %s",
                            ws_status_text(w->failed));
    WS_TRY(check_document(w, doc, error));
    ws_status status = analyse(w, doc, tokens, &n_tokens, &bytes);
    if (status)
        return ws_error_set(error, status, "cannot analyse the document: %s",
                            ws_status_text(status));
    WS_TRY(make_room(w, doc, n_tokens, bytes, error));
    if (!existing_key(w, doc->id, &key))
        key = w->ingest->manifest.next_doc_key + sequence;
    status = add_parts(w, doc, tokens, key, sequence);
    w->failed = status;
    charge(w);
    if (status)
        return ws_error_set(error, status, "cannot add the document: %s", ws_status_text(status));
    atomic_fetch_add_explicit(&w->ingest->documents, 1, memory_order_relaxed);
    return WS_OK;
}
