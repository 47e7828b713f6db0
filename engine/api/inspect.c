/* One thing of an index in detail: a term, a document, a segment. */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/api/describe.h"
#include "engine/api/schema_json.h"
#include "engine/index/column.h"
#include "engine/index/dictionary.h"
#include "engine/index/id_map.h"
#include "engine/index/norm.h"
#include "engine/index/postings.h"

#define SAMPLE_POSTINGS  5u
#define SAMPLE_POSITIONS 16u
#define SAMPLE_VALUES    16u

/* --- terms --- */

typedef struct {
    const ws_snapshot *s;
    ws_json *j;
    ws_term_info *infos; /* one a segment */
    uint32_t n_found;
    ws_status status;
} term_writer;

static ws_status write_positions(ws_postings *p, uint32_t index, ws_json *j)
{
    if (!p->term.positions)
        return WS_OK;
    uint32_t *positions = ws_reallocarray(NULL, p->tfs[index], sizeof *positions);
    if (!positions)
        return WS_ERR_NOMEM;
    ws_status status = ws_postings_positions(p, index, positions);
    ws_json_key(j, "positions");
    ws_json_array(j);
    for (uint32_t i = 0; status == WS_OK && i < p->tfs[index] && i < SAMPLE_POSITIONS; i++)
        ws_json_u64(j, positions[i]);
    ws_json_end_array(j);
    ws_free(positions);
    return status;
}

/* The first documents that have the term. */
static ws_status write_first(const ws_snapshot_segment *in, const ws_term_info *info, ws_json *j)
{
    char buffer[WS_ID_MAX];
    ws_str id;
    ws_status status;
    ws_postings *p = ws_malloc(sizeof *p);
    if (!p)
        return WS_ERR_NOMEM;
    status = ws_postings_open(p, in->segment, info);
    if (!status)
        status = ws_postings_load(p, 0);
    if (!status)
        status = ws_postings_load_tfs(p);
    ws_json_key(j, "first");
    ws_json_array(j);
    for (uint32_t i = 0; !status && i < p->n && i < SAMPLE_POSTINGS; i++) {
        status = ws_segment_id(in->segment, p->docs[i], buffer, &id);
        if (status)
            break;
        ws_json_object(j);
        ws_json_kstr(j, "id", id);
        ws_json_ku64(j, "tf", p->tfs[i]);
        ws_json_kbool(j, "deleted", !ws_live_test(&in->live, p->docs[i]));
        status = write_positions(p, i, j);
        ws_json_end_object(j);
    }
    ws_json_end_array(j);
    ws_free(p);
    return status;
}

static ws_status write_in_segment(const ws_snapshot_segment *in, const ws_term_info *info,
                                  ws_json *j)
{
    ws_json_object(j);
    ws_json_khex(j, "segment", in->segment->file.id);
    ws_json_ku64(j, "df", info->df);
    ws_json_ku64(j, "cf", info->cf);
    ws_json_ku64(j, "blocks", (info->df + WS_POSTING_BLOCK - 1) / WS_POSTING_BLOCK);
    ws_json_ku64(j, "doc_bytes", info->doc_length);
    ws_json_ku64(j, "tf_bytes", info->tf_length);
    ws_json_ku64(j, "position_bytes", info->pos_length);
    ws_status status = write_first(in, info, j);
    ws_json_end_object(j);
    return status;
}

static ws_status write_term(term_writer *w, uint32_t field, uint32_t stream, ws_str term)
{
    uint8_t key[WS_TERM_KEY_MAX];
    uint64_t df;
    size_t n = ws_term_key(field, stream, term, key, NULL);
    ws_status status =
        ws_snapshot_find_term(w->s, ws_str_make((const char *)key, n), w->infos, &df);
    if (status == WS_ERR_NOT_FOUND || (status == WS_OK && df == 0))
        return WS_OK;
    WS_TRY(status);
    w->n_found++;
    ws_json_object(w->j);
    ws_json_kcstr(w->j, "field", w->s->manifest.schema.fields[field].name);
    ws_json_kcstr(w->j, "stream", ws_stream_name(stream));
    ws_json_kstr(w->j, "term", term);
    ws_json_ku64(w->j, "df", df);
    ws_json_key(w->j, "segments");
    ws_json_array(w->j);
    for (uint32_t i = 0; status == WS_OK && i < w->s->manifest.n_segments; i++)
        if (w->infos[i].df)
            status = write_in_segment(&w->s->segments[i], &w->infos[i], w->j);
    ws_json_end_array(w->j);
    ws_json_end_object(w->j);
    return status;
}

static int seen_before(const ws_tokens *tokens, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (tokens->tokens[i].stream == tokens->tokens[n].stream &&
            ws_str_eq(tokens->tokens[i].text, tokens->tokens[n].text))
            return 1;
    return 0;
}

/* The text as a term as it stands, then what the analyzer makes of it. */
static ws_status write_field_terms(term_writer *w, ws_analyzer *analyzer, uint32_t field,
                                   ws_str text)
{
    ws_tokens tokens;
    uint32_t kind = w->s->manifest.schema.fields[field].analyzer;
    WS_TRY(ws_analyzer_run(analyzer, kind, WS_ANALYZE_QUERY, text, &tokens));
    for (uint32_t stream = 0; stream < WS_STREAMS; stream++) {
        int made = 0;
        for (uint32_t i = 0; i < tokens.n_tokens; i++)
            made |= tokens.tokens[i].stream == stream && ws_str_eq(tokens.tokens[i].text, text);
        if (!made)
            WS_TRY(write_term(w, field, stream, text));
    }
    for (uint32_t i = 0; i < tokens.n_tokens; i++)
        if (!seen_before(&tokens, i))
            WS_TRY(write_term(w, field, tokens.tokens[i].stream, tokens.tokens[i].text));
    return WS_OK;
}

/* "field:text" asks one text field, anything else all of them. */
static int split_field(const ws_schema *schema, ws_str *text)
{
    const char *colon = text->len ? memchr(text->ptr, ':', text->len) : NULL;
    if (!colon)
        return -1;
    size_t n = (size_t)(colon - text->ptr);
    int field = ws_schema_find(schema, ws_str_make(text->ptr, n));
    if (field < 0 || schema->fields[field].type != WS_FIELD_TEXT)
        return -1;
    *text = ws_str_sub(*text, n + 1, text->len);
    return field;
}

static ws_status inspect_term(ws_index *index, const ws_snapshot *s, ws_str text, ws_json *j)
{
    ws_analyzer *analyzer;
    term_writer w = {.s = s, .j = j};
    int only = split_field(&index->schema, &text);
    WS_TRY(ws_index_lend_analyzer(index, &analyzer));
    w.infos = ws_calloc(s->manifest.n_segments + 1u, sizeof *w.infos);
    ws_status status = w.infos ? WS_OK : WS_ERR_NOMEM;
    ws_json_kstr(j, "text", text);
    ws_json_key(j, "terms");
    ws_json_array(j);
    for (uint32_t f = 0; status == WS_OK && f < index->schema.n_fields; f++)
        if (index->schema.fields[f].type == WS_FIELD_TEXT && (only < 0 || (uint32_t)only == f))
            status = write_field_terms(&w, analyzer, f, text);
    ws_json_end_array(j);
    ws_free(w.infos);
    ws_index_give_back(index, analyzer);
    return status == WS_OK && w.n_found == 0 ? WS_ERR_NOT_FOUND : status;
}

/* --- documents --- */

static ws_status write_lengths(const ws_schema *schema, ws_segment *segment, uint32_t doc,
                               ws_json *j)
{
    const uint8_t *norms;
    ws_json_key(j, "lengths"); /* as the score sees them: in one byte */
    ws_json_array(j);
    for (uint32_t f = 0; f < schema->n_fields; f++)
        for (uint32_t s = 0; schema->fields[f].type == WS_FIELD_TEXT && s < WS_STREAMS; s++) {
            WS_TRY(ws_segment_norms(segment, f, s, &norms));
            if (!norms || !norms[doc])
                continue;
            ws_json_object(j);
            ws_json_kcstr(j, "field", schema->fields[f].name);
            ws_json_kcstr(j, "stream", ws_stream_name(s));
            ws_json_ku64(j, "tokens", ws_norm_decode(norms[doc]));
            ws_json_end_object(j);
        }
    ws_json_end_array(j);
    return WS_OK;
}

static ws_status write_stored(const ws_schema *schema, ws_segment *segment, uint32_t doc,
                              ws_json *j)
{
    ws_stored_reader *reader;
    ws_json_key(j, "stored");
    ws_json_array(j);
    ws_status status = segment->stored_dir.data ? ws_stored_reader_new(&reader) : WS_ERR_NOT_FOUND;
    if (status == WS_OK) {
        status = ws_stored_open(reader, segment, doc);
        for (uint32_t i = 0; status == WS_OK && i < ws_stored_count(reader); i++) {
            const ws_stored_head *head = ws_stored_value_head(reader, i);
            ws_json_object(j);
            if (head->field < schema->n_fields)
                ws_json_kcstr(j, "field", schema->fields[head->field].name);
            ws_json_ku64(j, "bytes", head->raw_length);
            ws_json_ku64(j, "chunks", head->n_chunks);
            ws_json_end_object(j);
        }
        ws_stored_reader_free(reader);
    }
    ws_json_end_array(j);
    return status == WS_ERR_NOT_FOUND ? WS_OK : status;
}

static ws_status write_keywords(ws_segment *segment, uint32_t f, uint32_t doc, ws_json *j)
{
    uint32_t ordinals[SAMPLE_VALUES], n;
    ws_str value;
    WS_TRY(ws_column_ordinals(segment, f, doc, ordinals, SAMPLE_VALUES, &n));
    ws_json_array(j);
    for (uint32_t i = 0; i < n && i < SAMPLE_VALUES; i++) {
        WS_TRY(ws_column_value(segment, f, ordinals[i], &value));
        ws_json_str(j, value);
    }
    ws_json_end_array(j);
    return WS_OK;
}

static ws_status write_column(ws_segment *segment, uint32_t f, uint32_t doc, ws_json *j)
{
    int64_t number;
    int present;
    if (ws_column_type(segment, f) != WS_COLUMN_INT)
        return write_keywords(segment, f, doc, j);
    WS_TRY(ws_column_int(segment, f, doc, &number, &present));
    if (present)
        ws_json_i64(j, number);
    else
        ws_json_null(j);
    return WS_OK;
}

static ws_status write_columns(const ws_schema *schema, ws_segment *segment, uint32_t doc,
                               ws_json *j)
{
    ws_json_key(j, "columns");
    ws_json_object(j);
    for (uint32_t f = 0; f < schema->n_fields; f++) {
        if (ws_column_type(segment, f) == 0)
            continue;
        ws_json_key(j, schema->fields[f].name);
        WS_TRY(write_column(segment, f, doc, j));
    }
    ws_json_end_object(j);
    return WS_OK;
}

static ws_status inspect_doc(ws_index *index, const ws_snapshot *s, ws_str id, ws_json *j)
{
    uint32_t at, doc;
    WS_TRY(ws_snapshot_find_id(s, id, &at, &doc));
    ws_segment *segment = s->segments[at].segment;
    ws_json_kstr(j, "id", id);
    ws_json_khex(j, "segment", segment->file.id);
    ws_json_ku64(j, "document", doc);
    ws_json_ku64(j, "doc_key", ws_segment_doc_key(segment, doc));
    WS_TRY(write_lengths(&index->schema, segment, doc, j));
    WS_TRY(write_stored(&index->schema, segment, doc, j));
    return write_columns(&index->schema, segment, doc, j);
}

/* --- segments --- */

static void write_section(const ws_schema *schema, const ws_section_entry *entry, ws_json *j)
{
    ws_json_object(j);
    ws_json_kcstr(j, "kind", ws_kind_name(entry->kind));
    if (entry->field < schema->n_fields)
        ws_json_kcstr(j, "field", schema->fields[entry->field].name);
    if (entry->stream < WS_STREAMS)
        ws_json_kcstr(j, "stream", ws_stream_name(entry->stream));
    ws_json_ku64(j, "offset", entry->offset);
    ws_json_ku64(j, "bytes", entry->length);
    ws_json_end_object(j);
}

static void write_streams(const ws_schema *schema, const ws_segment_meta *meta, ws_json *j)
{
    ws_json_key(j, "streams");
    ws_json_array(j);
    for (uint32_t i = 0; i < meta->n_streams; i++) {
        const ws_stream_meta *m = &meta->streams[i];
        ws_json_object(j);
        if (m->field < schema->n_fields)
            ws_json_kcstr(j, "field", schema->fields[m->field].name);
        ws_json_kcstr(j, "stream", ws_stream_name(m->stream));
        ws_json_ku64(j, "documents", m->n_docs);
        ws_json_ku64(j, "length", m->sum_length);
        ws_json_ku64(j, "terms", m->n_terms);
        ws_json_kbool(j, "positions", m->flags & 1);
        ws_json_end_object(j);
    }
    ws_json_end_array(j);
}

static void write_segment(const ws_schema *schema, const ws_manifest_segment *entry,
                          const ws_segment *segment, ws_json *j)
{
    const ws_segment_meta *meta = &segment->meta;
    ws_json_khex(j, "segment", entry->id);
    ws_json_kcstr(j, "path", segment->file.path);
    ws_json_ku64(j, "documents", entry->n_docs - entry->n_deleted);
    ws_json_ku64(j, "deleted", entry->n_deleted);
    ws_json_ku64(j, "bytes", entry->length);
    ws_json_khex(j, "analysis", segment->file.fingerprint);
    ws_json_ku64(j, "min_doc_key", meta->min_doc_key);
    ws_json_ku64(j, "max_doc_key", meta->max_doc_key);
    ws_json_ku64(j, "terms", meta->n_terms);
    ws_json_ku64(j, "postings", meta->n_postings);
    ws_json_ku64(j, "positions", meta->n_positions);
    ws_json_ku64(j, "long_terms", meta->n_long_terms);
    write_streams(schema, meta, j);
    ws_json_key(j, "sections");
    ws_json_array(j);
    for (uint32_t i = 0; i < segment->file.n_sections; i++)
        write_section(schema, &segment->file.sections[i], j);
    ws_json_end_array(j);
}

static ws_status inspect_segment(ws_index *index, const ws_snapshot *s, ws_str text, ws_json *j)
{
    char digits[17], *end;
    if (text.len < 1 || text.len >= sizeof digits)
        return WS_ERR_ARG;
    memcpy(digits, text.ptr, text.len);
    digits[text.len] = 0;
    if (strspn(digits, "0123456789abcdefABCDEF") != text.len)
        return WS_ERR_ARG;
    uint64_t id = strtoull(digits, &end, 16);
    for (uint32_t i = 0; i < s->manifest.n_segments; i++)
        if (s->manifest.segments[i].id == id) {
            write_segment(&index->schema, &s->manifest.segments[i], s->segments[i].segment, j);
            return WS_OK;
        }
    return WS_ERR_NOT_FOUND;
}

/* --- the door --- */

static ws_status inspect(ws_index *index, const ws_snapshot *s, const char *kind, ws_str argument,
                         ws_json *j)
{
    if (!strcmp(kind, "term"))
        return inspect_term(index, s, argument, j);
    if (!strcmp(kind, "doc"))
        return inspect_doc(index, s, argument, j);
    return !strcmp(kind, "segment") ? inspect_segment(index, s, argument, j) : WS_ERR_ARG;
}

static ws_status explain(ws_status status, const char *kind, ws_str argument, ws_error *error)
{
    if (status == WS_ERR_NOT_FOUND)
        return ws_error_set(error, status, "no %s " WS_STR_FMT, kind, WS_STR_ARG(argument));
    if (status == WS_ERR_ARG)
        return ws_error_set(error, status,
                            "cannot inspect %s " WS_STR_FMT
                            ": term TEXT, doc ID or segment NUMBER (hexadecimal)",
                            kind, WS_STR_ARG(argument));
    return ws_error_set(error, status, "cannot inspect %s " WS_STR_FMT ": %s", kind,
                        WS_STR_ARG(argument), ws_status_text(status));
}

ws_status ws_index_inspect(ws_index *index, const char *kind, ws_str argument, ws_text *out,
                           ws_error *error)
{
    ws_buf buf;
    ws_json j;
    *out = (ws_text){NULL, 0};
    WS_TRY(ws_index_check_process(index));
    ws_snapshot *s = ws_index_pin(index);
    ws_buf_init(&buf);
    ws_json_init(&j, &buf);
    ws_json_object(&j);
    ws_status status = inspect(index, s, kind, argument, &j);
    ws_json_end_object(&j);
    ws_snapshot_unref(s);
    if (status == WS_OK)
        return ws_buf_to_text(&buf, out, error);
    ws_buf_fini(&buf);
    return explain(status, kind, argument, error);
}
