/* All there is to say about an index, as one JSON object. */
#include "engine/api/describe.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/api/schema_json.h"

void ws_json_khex(ws_json *j, const char *key, uint64_t value)
{
    char digits[20];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)value);
    ws_json_kcstr(j, key, digits);
}

ws_status ws_buf_to_text(ws_buf *buf, ws_text *out, ws_error *error)
{
    ws_buf_u8(buf, 0);
    ws_status status = ws_buf_status(buf);
    *out = (ws_text){NULL, 0};
    if (status) {
        ws_buf_fini(buf);
        return ws_error_set(error, status, "no memory for the description");
    }
    *out = (ws_text){(char *)buf->data, buf->len - 1};
    ws_buf_init(buf); /* the text owns the bytes now */
    return WS_OK;
}

void ws_segment_section_bytes(const ws_segment *segment, uint64_t bytes[WS_KIND_MAX + 1])
{
    const ws_segment_file *file = &segment->file;
    for (uint32_t i = 0; i < file->n_sections; i++)
        if (file->sections[i].kind <= WS_KIND_MAX)
            bytes[file->sections[i].kind] += file->sections[i].length;
}

void ws_json_sections(ws_json *j, const uint64_t bytes[WS_KIND_MAX + 1])
{
    ws_json_object(j);
    for (uint32_t kind = 1; kind <= WS_KIND_MAX; kind++)
        if (bytes[kind])
            ws_json_ku64(j, ws_kind_name(kind), bytes[kind]);
    ws_json_end_object(j);
}

/* --- parts --- */

static void write_counts(const ws_index *index, const ws_snapshot *s, ws_json *j)
{
    const ws_manifest *m = &s->manifest;
    ws_json_ku64(j, "generation", m->generation);
    ws_json_ku64(j, "previous_generation", m->previous_generation);
    ws_json_ku64(j, "documents", s->n_docs - s->n_deleted);
    ws_json_ku64(j, "deleted", s->n_deleted);
    ws_json_ku64(j, "epoch", m->epoch);
    ws_json_ku64(j, "epoch_documents", m->epoch_docs);
    ws_json_ku64(j, "next_doc_key", m->next_doc_key);
    ws_json_ku64(j, "commit_time", m->commit_time_ns / 1000000000u);
    ws_json_kbool(j, "fallback", s->fallback != 0);
    ws_json_khex(j, "analysis", m->fingerprint);
    ws_json_kbool(j, "analysis_ok", m->fingerprint == index->fingerprint);
    ws_json_ku64(j, "bytes", ws_snapshot_bytes(s));
}

static void write_totals(const ws_snapshot *s, ws_json *j)
{
    uint64_t terms = 0, postings = 0, positions = 0, bytes[WS_KIND_MAX + 1] = {0};
    for (uint32_t i = 0; i < s->manifest.n_segments; i++) {
        const ws_segment *segment = s->segments[i].segment;
        terms += segment->meta.n_terms;
        postings += segment->meta.n_postings;
        positions += segment->meta.n_positions;
        ws_segment_section_bytes(segment, bytes);
    }
    ws_json_ku64(j, "terms", terms);
    ws_json_ku64(j, "postings", postings);
    ws_json_ku64(j, "positions", positions);
    ws_json_key(j, "sections");
    ws_json_sections(j, bytes);
}

static void write_streams(const ws_snapshot *s, ws_json *j)
{
    const ws_manifest *m = &s->manifest;
    ws_json_key(j, "streams");
    ws_json_array(j);
    for (uint32_t i = 0; i < m->n_streams; i++) {
        ws_json_object(j);
        if (m->streams[i].field < m->schema.n_fields)
            ws_json_kcstr(j, "field", m->schema.fields[m->streams[i].field].name);
        ws_json_kcstr(j, "stream", ws_stream_name(m->streams[i].stream));
        ws_json_ku64(j, "documents", m->streams[i].n_docs);
        ws_json_ku64(j, "length", m->streams[i].sum_length);
        ws_json_end_object(j);
    }
    ws_json_end_array(j);
}

static void write_segments(const ws_snapshot *s, ws_json *j)
{
    ws_json_key(j, "segments");
    ws_json_array(j);
    for (uint32_t i = 0; i < s->manifest.n_segments; i++) {
        const ws_manifest_segment *entry = &s->manifest.segments[i];
        const ws_segment_meta *meta = &s->segments[i].segment->meta;
        ws_json_object(j);
        ws_json_khex(j, "segment", entry->id);
        ws_json_ku64(j, "documents", entry->n_docs - entry->n_deleted);
        ws_json_ku64(j, "deleted", entry->n_deleted);
        ws_json_ku64(j, "bytes", entry->length);
        ws_json_ku64(j, "terms", meta->n_terms);
        ws_json_ku64(j, "postings", meta->n_postings);
        ws_json_kbool(j, "in_epoch", entry->in_epoch != 0);
        ws_json_end_object(j);
    }
    ws_json_end_array(j);
}

/* Cuts one (u16 length, bytes) off the front of *rest; 0 at the end. */
static int take_string(ws_str *rest, ws_str *out)
{
    if (rest->len < 2)
        return 0;
    size_t n = ws_load_u16le(rest->ptr);
    if (n > rest->len - 2)
        return 0;
    *out = ws_str_make(rest->ptr + 2, n);
    *rest = ws_str_make(rest->ptr + 2 + n, rest->len - 2 - n);
    return 1;
}

static void write_user_map(const ws_snapshot *s, ws_json *j)
{
    ws_str rest = ws_buf_slice(&s->manifest.user_map), key, value;
    ws_json_key(j, "user");
    ws_json_object(j);
    while (take_string(&rest, &key) && take_string(&rest, &value)) {
        ws_json_key_str(j, key);
        ws_json_str(j, value);
    }
    ws_json_end_object(j);
}

ws_status ws_index_describe(ws_index *index, ws_text *out, ws_error *error)
{
    ws_buf buf;
    ws_json json, *j = &json;
    *out = (ws_text){NULL, 0};
    WS_TRY(ws_index_check_process(index));
    ws_snapshot *s = ws_index_pin(index);
    ws_buf_init(&buf);
    ws_json_init(j, &buf);
    ws_json_object(j);
    write_counts(index, s, j);
    write_totals(s, j);
    write_streams(s, j);
    write_segments(s, j);
    ws_json_key(j, "schema");
    ws_schema_write_json(&s->manifest.schema, j);
    write_user_map(s, j);
    ws_json_end_object(j);
    ws_snapshot_unref(s);
    return ws_buf_to_text(&buf, out, error);
}
