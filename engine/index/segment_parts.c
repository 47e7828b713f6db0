#include "engine/index/segment_parts.h"

#include "base/bytes.h"
#include "base/error.h"

/* A column exists for keyword and int fields; stored-only and text fields have none. */
static uint32_t column_type(const ws_field *field)
{
    if (field->type == WS_FIELD_INT)
        return WS_COLUMN_INT;
    if (field->type == WS_FIELD_KEYWORD)
        return field->flags & WS_FIELD_MULTI ? WS_COLUMN_MULTI : WS_COLUMN_KEYWORD;
    return 0;
}

/* Level 3: the text's chunks are small, so higher levels win little (docs/benchmarks.md). */
#define STORED_LEVEL 3

ws_status ws_segment_parts_init(ws_segment_parts *parts, const ws_schema *schema,
                                ws_stored_dictionary *dictionary, const char *dir,
                                size_t spool_limit)
{
    memset(parts, 0, sizeof *parts);
    parts->schema = schema;
    parts->min_doc_key = UINT64_MAX;
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
            ws_buf_init(&parts->norms[f][s]);
    ws_status status = ws_id_writer_new(&parts->ids);
    if (!status && ws_schema_stores_any(schema))
        status = ws_stored_writer_new(&parts->stored, dictionary, dir, spool_limit, STORED_LEVEL);
    for (uint32_t f = 0; !status && f < schema->n_fields; f++) {
        uint32_t type = column_type(&schema->fields[f]);
        if (type)
            status = ws_column_writer_new(&parts->columns[f], type);
    }
    if (status)
        ws_segment_parts_fini(parts);
    return status;
}

void ws_segment_parts_fini(ws_segment_parts *parts)
{
    ws_id_writer_free(parts->ids);
    ws_stored_writer_free(parts->stored);
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++) {
        ws_column_writer_free(parts->columns[f]);
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
            ws_buf_fini(&parts->norms[f][s]);
    }
    memset(parts, 0, sizeof *parts);
}

ws_status ws_segment_parts_norm(ws_segment_parts *parts, uint32_t field, uint32_t stream,
                                uint8_t norm)
{
    ws_buf_u8(&parts->norms[field][stream], norm);
    parts->streams[field][stream].n_docs += norm != 0;
    return ws_buf_status(&parts->norms[field][stream]);
}

ws_status ws_segment_parts_id(ws_segment_parts *parts, ws_str id, uint64_t doc_key)
{
    WS_TRY(ws_id_writer_add(parts->ids, id, doc_key));
    parts->min_doc_key = WS_MIN(parts->min_doc_key, doc_key);
    parts->max_doc_key = WS_MAX(parts->max_doc_key, doc_key);
    parts->n_docs++;
    return WS_OK;
}

size_t ws_segment_parts_memory(const ws_segment_parts *parts)
{
    size_t bytes = ws_id_writer_memory(parts->ids);
    bytes += parts->stored ? ws_stored_writer_memory(parts->stored) : 0;
    for (uint32_t f = 0; f < parts->schema->n_fields; f++) {
        bytes += parts->columns[f] ? ws_column_writer_memory(parts->columns[f]) : 0;
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
            bytes += parts->norms[f][s].cap;
    }
    return bytes;
}

void ws_segment_parts_term(ws_segment_parts *parts, uint32_t field, uint32_t stream, uint64_t cf)
{
    parts->streams[field][stream].sum_length += cf;
    parts->streams[field][stream].n_terms++;
}

static void write_norms(ws_segment_parts *parts, ws_segment_out *out)
{
    for (uint32_t f = 0; f < parts->schema->n_fields; f++)
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++) {
            const ws_buf *norms = &parts->norms[f][s];
            if (parts->streams[f][s].n_docs)
                ws_segment_out_section(out, WS_KIND_NORMS, f, s, norms->data, norms->len);
        }
}

static void write_stream(ws_buf *meta, const ws_schema *schema, uint32_t f, uint32_t s,
                         const ws_stream_meta *stream)
{
    ws_buf_u8(meta, (uint8_t)f);
    ws_buf_u8(meta, (uint8_t)s);
    ws_buf_u8(meta, (uint8_t)ws_schema_has_positions(schema, f, s));
    ws_buf_u8(meta, 0);
    ws_buf_u32le(meta, stream->n_docs);
    ws_buf_u64le(meta, stream->sum_length);
    ws_buf_u64le(meta, stream->n_terms);
}

static ws_status write_meta(ws_segment_parts *parts, const ws_postings_totals *totals,
                            ws_segment_out *out)
{
    uint32_t n_streams = 0;
    ws_buf meta;
    ws_buf_init(&meta);
    for (uint32_t f = 0; f < parts->schema->n_fields; f++)
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
            n_streams += parts->streams[f][s].n_docs != 0;
    ws_buf_u32le(&meta, parts->n_docs);
    ws_buf_u32le(&meta, n_streams);
    ws_buf_u64le(&meta, totals->n_terms);
    ws_buf_u64le(&meta, totals->n_postings);
    ws_buf_u64le(&meta, totals->n_positions);
    ws_buf_u64le(&meta, parts->min_doc_key);
    ws_buf_u64le(&meta, parts->max_doc_key);
    ws_buf_u64le(&meta, parts->n_long_terms);
    for (uint32_t f = 0; f < parts->schema->n_fields; f++)
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
            if (parts->streams[f][s].n_docs)
                write_stream(&meta, parts->schema, f, s, &parts->streams[f][s]);
    ws_segment_out_section(out, WS_KIND_META, WS_ALL_FIELDS, WS_ALL_STREAMS, meta.data, meta.len);
    ws_status status = ws_buf_status(&meta);
    ws_buf_fini(&meta);
    return status;
}

ws_status ws_segment_parts_finish(ws_segment_parts *parts, const ws_postings_totals *totals,
                                  ws_segment_out *out)
{
    ws_segment_out_set_docs(out, parts->n_docs);
    write_norms(parts, out);
    WS_TRY(ws_id_writer_finish(parts->ids, out));
    for (uint32_t f = 0; f < parts->schema->n_fields; f++)
        if (parts->columns[f])
            WS_TRY(ws_column_writer_finish(parts->columns[f], out, f));
    if (parts->stored)
        WS_TRY(ws_stored_writer_finish(parts->stored, out));
    return write_meta(parts, totals, out);
}
