#include "engine/index/segment.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "engine/index/stored.h"

#define META_HEAD   56u
#define META_STREAM 24u
#define HEAD_BYTES  64u /* the longest head of a section fits */

static ws_status bad_meta(const ws_segment *s, ws_error *error)
{
    return ws_error_at(error, WS_ERR_CORRUPT, s->file.path, 0, "META is not possible");
}

static void parse_stream(const uint8_t *p, ws_stream_meta *stream)
{
    stream->field = p[0];
    stream->stream = p[1];
    stream->flags = p[2];
    stream->n_docs = ws_load_u32le(p + 4);
    stream->sum_length = ws_load_u64le(p + 8);
    stream->n_terms = ws_load_u64le(p + 16);
}

static ws_status parse_meta(ws_segment *s, ws_error *error)
{
    ws_section meta =
        ws_segment_file_section(&s->file, WS_KIND_META, WS_ALL_FIELDS, WS_ALL_STREAMS);
    const uint8_t *p = meta.data;
    if (meta.size < META_HEAD)
        return bad_meta(s, error);
    s->meta.n_docs = ws_load_u32le(p);
    s->meta.n_streams = ws_load_u32le(p + 4);
    s->meta.n_terms = ws_load_u64le(p + 8);
    s->meta.n_postings = ws_load_u64le(p + 16);
    s->meta.n_positions = ws_load_u64le(p + 24);
    s->meta.min_doc_key = ws_load_u64le(p + 32);
    s->meta.max_doc_key = ws_load_u64le(p + 40);
    s->meta.n_long_terms = ws_load_u64le(p + 48);
    if (s->meta.n_docs != s->file.n_docs || s->meta.n_streams > WS_ARRAY_LEN(s->meta.streams) ||
        meta.size != META_HEAD + (uint64_t)s->meta.n_streams * META_STREAM)
        return bad_meta(s, error);
    for (uint32_t i = 0; i < s->meta.n_streams; i++) {
        ws_stream_meta *stream = &s->meta.streams[i];
        parse_stream(p + META_HEAD + (size_t)i * META_STREAM, stream);
        if (stream->field >= WS_MAX_FIELDS || stream->stream >= 3 ||
            stream->n_docs > s->meta.n_docs ||
            ws_segment_stream(s, stream->field, stream->stream) != stream)
            return bad_meta(s, error);
    }
    return WS_OK;
}

static ws_section whole(const ws_segment *s, uint32_t kind)
{
    return ws_segment_file_section(&s->file, kind, WS_ALL_FIELDS, WS_ALL_STREAMS);
}

static void find_sections(ws_segment *s)
{
    s->term_hash = whole(s, WS_KIND_TERM_HASH);
    s->term_blocks = whole(s, WS_KIND_TERM_BLOCKS);
    s->doc_ids = whole(s, WS_KIND_DOC_IDS);
    s->tf = whole(s, WS_KIND_TF);
    s->block_dir = whole(s, WS_KIND_BLOCK_DIR);
    s->pos = whole(s, WS_KIND_POS);
    s->pos_dir = whole(s, WS_KIND_POS_DIR);
    s->id_map = whole(s, WS_KIND_ID_MAP);
    s->doc_key = whole(s, WS_KIND_DOC_KEY);
    s->stored = whole(s, WS_KIND_STORED);
    s->stored_dir = whole(s, WS_KIND_STORED_DIR);
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++) {
        s->token_map[f] = ws_segment_file_section(&s->file, WS_KIND_TOKEN_MAP, f, WS_ALL_STREAMS);
        s->column[f] = ws_segment_file_section(&s->file, WS_KIND_COLUMN, f, WS_ALL_STREAMS);
        for (uint32_t st = 0; st < 3; st++)
            s->norms[f][st] = ws_segment_file_section(&s->file, WS_KIND_NORMS, f, st);
    }
}

/* One that META does not name must not be there: everything that looks takes it for whole. */
static int has_stray_norms(const ws_segment *s)
{
    uint32_t present = 0, named = 0;
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        for (uint32_t st = 0; st < 3; st++)
            present += s->norms[f][st].size != 0;
    for (uint32_t i = 0; i < s->meta.n_streams; i++)
        named += s->norms[s->meta.streams[i].field][s->meta.streams[i].stream].size != 0;
    return present != named;
}

static ws_status validate_norms(const ws_segment *s, ws_error *error)
{
    if (has_stray_norms(s))
        return ws_error_at(error, WS_ERR_CORRUPT, s->file.path, 0,
                           "there are NORMS of a stream that META does not name");
    for (uint32_t i = 0; i < s->meta.n_streams; i++) {
        const ws_stream_meta *m = &s->meta.streams[i];
        if (s->norms[m->field][m->stream].size != s->meta.n_docs)
            return ws_error_at(error, WS_ERR_CORRUPT, s->file.path, 0,
                               "NORMS of field %u, stream %u has %llu bytes, not %u", m->field,
                               m->stream, (unsigned long long)s->norms[m->field][m->stream].size,
                               s->meta.n_docs);
    }
    return WS_OK;
}

static ws_status verify_head(ws_segment *s, ws_section section, ws_error *error)
{
    if (ws_segment_file_touch(&s->file, section.data,
                              (size_t)WS_MIN(section.size, (uint64_t)HEAD_BYTES)))
        return ws_error_at(error, WS_ERR_CORRUPT, s->file.path,
                           (uint64_t)(section.data - s->file.map.data),
                           "the block in which a section begins does not match its sum");
    return WS_OK;
}

/* Heads (encodings, widths, bases) are read at every access: verified here, once. */
static ws_status verify_heads(ws_segment *s, ws_error *error)
{
    const ws_section headed[] = {s->term_hash, s->term_blocks, s->id_map, s->doc_key,
                                 s->stored_dir};
    for (size_t i = 0; i < WS_ARRAY_LEN(headed); i++)
        WS_TRY(verify_head(s, headed[i], error));
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        WS_TRY(verify_head(s, s->column[f], error));
    return WS_OK;
}

static ws_status validate(ws_segment *s, ws_error *error)
{
    WS_TRY(parse_meta(s, error));
    find_sections(s);
    WS_TRY(verify_heads(s, error));
    WS_TRY(validate_norms(s, error));
    WS_TRY(ws_segment_validate_dictionary(s, error));
    WS_TRY(ws_segment_validate_identity(s, error));
    WS_TRY(ws_segment_validate_stored(s, error));
    return ws_segment_validate_columns(s, error);
}

static ws_status finish_open(ws_segment *s, const ws_segment_options *options, ws_segment **out,
                             ws_error *error)
{
    s->bitpack = ws_bitpack_for(options->isa);
    atomic_store(&s->references, 1);
    ws_status status = validate(s, error);
    if (status) {
        ws_segment_unref(s);
        return status;
    }
    *out = s;
    return WS_OK;
}

ws_status ws_segment_open(ws_segment **out, const char *path, const ws_segment_options *options,
                          ws_error *error)
{
    *out = NULL;
    ws_segment *s = ws_calloc(1, sizeof *s);
    if (!s)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a segment");
    ws_status status =
        ws_segment_file_open(&s->file, path, options->access, options->verify, error);
    if (status) {
        ws_free(s);
        return status;
    }
    return finish_open(s, options, out, error);
}

ws_status ws_segment_open_memory(ws_segment **out, uint8_t *data, size_t size,
                                 const ws_segment_options *options, ws_error *error)
{
    *out = NULL;
    ws_segment *s = ws_calloc(1, sizeof *s);
    if (!s) {
        ws_free(data);
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a segment");
    }
    ws_status status = ws_segment_file_open_memory(&s->file, data, size, error);
    if (status) {
        ws_free(s);
        return status;
    }
    return finish_open(s, options, out, error);
}

ws_segment *ws_segment_ref(ws_segment *segment)
{
    atomic_fetch_add_explicit(&segment->references, 1, memory_order_relaxed);
    return segment;
}

void ws_segment_unref(ws_segment *segment)
{
    /* acq_rel: the last owner must see what the others did before it closes. */
    if (!segment || atomic_fetch_sub_explicit(&segment->references, 1, memory_order_acq_rel) != 1)
        return;
    ws_stored_dictionary_unref(atomic_load_explicit(&segment->dictionary, memory_order_relaxed));
    ws_segment_file_close(&segment->file);
    ws_free(segment);
}

const ws_stream_meta *ws_segment_stream(const ws_segment *segment, uint32_t field, uint32_t stream)
{
    for (uint32_t i = 0; i < segment->meta.n_streams; i++)
        if (segment->meta.streams[i].field == field && segment->meta.streams[i].stream == stream)
            return &segment->meta.streams[i];
    return NULL;
}

ws_status ws_segment_norms(ws_segment *segment, uint32_t field, uint32_t stream,
                           const uint8_t **norms)
{
    const ws_section *section = &segment->norms[field][stream];
    *norms = section->size ? section->data : NULL;
    return ws_segment_file_touch(&segment->file, section->data, section->size);
}
