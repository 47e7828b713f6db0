/* Writing STORED, STORED_DIR and TOKEN_MAP. */
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/stored_int.h"

struct ws_stored_writer {
    ws_stored_dictionary *dictionary;
    ZSTD_CCtx *context;
    ws_spool records, offsets; /* offsets: u64 by document, from the first record */
    ws_buf record, shorts,
        packed;   /* of the document being added: head, short values, all chunks as packed */
    ws_buf chunk; /* room for one packed chunk */
    uint32_t n_docs;
    ws_spool map_bytes[WS_MAX_FIELDS], map_starts[WS_MAX_FIELDS];
    uint8_t has_map[WS_MAX_FIELDS];
    ws_stored_reader *reader; /* for copies that must be packed again */
    ws_buf whole;
};

/* Frames carry neither size, checksum nor dictionary id: the record and the block sums have them.
 */
static ws_status make_context(ws_stored_writer *w, int level)
{
    const ZSTD_CDict *compressor;
    w->context = ZSTD_createCCtx_advanced(ws_zstd_memory);
    if (!w->context)
        return WS_ERR_NOMEM;
    ZSTD_CCtx_setParameter(w->context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(w->context, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(w->context, ZSTD_c_checksumFlag, 0);
    ZSTD_CCtx_setParameter(w->context, ZSTD_c_dictIDFlag, 0);
    if (!w->dictionary)
        return WS_OK;
    WS_TRY(ws_stored_dictionary_compressor(w->dictionary, &compressor));
    ZSTD_CCtx_refCDict(w->context, compressor);
    return WS_OK;
}

ws_status ws_stored_writer_new(ws_stored_writer **out, ws_stored_dictionary *dictionary,
                               const char *spool_dir, size_t spool_limit, int level)
{
    ws_stored_writer *w = ws_calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return WS_ERR_NOMEM;
    w->dictionary = ws_stored_dictionary_ref(dictionary);
    ws_spool_init(&w->records, spool_dir, spool_limit);
    ws_spool_init(&w->offsets, spool_dir, spool_limit);
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++) {
        ws_spool_init(&w->map_bytes[f], spool_dir, spool_limit);
        ws_spool_init(&w->map_starts[f], spool_dir, spool_limit);
    }
    ws_status status = make_context(w, level);
    if (status) {
        ws_stored_writer_free(w);
        return status;
    }
    *out = w;
    return WS_OK;
}

void ws_stored_writer_free(ws_stored_writer *w)
{
    if (!w)
        return;
    ws_stored_dictionary_unref(w->dictionary);
    ZSTD_freeCCtx(w->context);
    ws_spool_fini(&w->records);
    ws_spool_fini(&w->offsets);
    ws_buf_fini(&w->record);
    ws_buf_fini(&w->shorts);
    ws_buf_fini(&w->packed);
    ws_buf_fini(&w->chunk);
    ws_buf_fini(&w->whole);
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++) {
        ws_spool_fini(&w->map_bytes[f]);
        ws_spool_fini(&w->map_starts[f]);
    }
    ws_stored_reader_free(w->reader);
    ws_free(w);
}

size_t ws_stored_writer_memory(const ws_stored_writer *w)
{
    size_t bytes = ws_spool_memory(&w->records) + ws_spool_memory(&w->offsets) + w->record.cap +
                   w->shorts.cap + w->packed.cap + w->chunk.cap + w->whole.cap +
                   ZSTD_sizeof_CCtx(w->context);
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        bytes += ws_spool_memory(&w->map_bytes[f]) + ws_spool_memory(&w->map_starts[f]);
    return bytes;
}

/* --- one record --- */

/* Appends the text packed to w->packed; *n its bytes (n = text.len: as it is). */
static ws_status pack(ws_stored_writer *w, ws_str text, size_t *n)
{
    ws_buf_clear(&w->chunk);
    size_t bound = ZSTD_compressBound(text.len);
    uint8_t *room = ws_buf_extend(&w->chunk, bound);
    if (!room)
        return WS_ERR_NOMEM;
    size_t made = ZSTD_compress2(w->context, room, bound, text.ptr, text.len);
    if (ZSTD_isError(made))
        return WS_ERR_NOMEM; /* the only way a sound call fails */
    *n = made < text.len ? made : text.len;
    ws_buf_append(&w->packed, made < text.len ? (const void *)room : text.ptr, *n);
    return ws_buf_status(&w->packed);
}

/* Length of the next chunk: at most the limit, cut before a continuation byte. */
static size_t chunk_length(ws_str rest)
{
    size_t n = rest.len;
    if (n <= WS_STORED_CHUNK_MAX)
        return n;
    n = WS_STORED_CHUNK_MAX;
    while (n > WS_STORED_CHUNK_MAX - 4 && ((uint8_t)rest.ptr[n] & 0xc0) == 0x80)
        n--;
    return n;
}

static uint32_t count_chunks(ws_str value)
{
    uint32_t n = 0;
    for (size_t at = 0; at < value.len; n++)
        at += chunk_length(ws_str_sub(value, at, value.len));
    return n;
}

static int is_short(ws_str value)
{
    return value.len <= WS_STORED_SHORT_MAX;
}

static void put_heads(ws_stored_writer *w, const ws_stored_value *values, uint32_t n)
{
    ws_buf_varint(&w->record, n);
    for (uint32_t i = 0; i < n; i++) {
        ws_buf_u8(&w->record, values[i].field);
        ws_buf_varint(&w->record, values[i].bytes.len);
        ws_buf_varint(&w->record, is_short(values[i].bytes) ? 0 : count_chunks(values[i].bytes));
        if (is_short(values[i].bytes))
            ws_buf_str(&w->shorts, values[i].bytes);
    }
}

static ws_status put_chunk(ws_stored_writer *w, ws_str text)
{
    size_t n = 0;
    if (text.len)
        WS_TRY(pack(w, text, &n));
    ws_buf_varint(&w->record, text.len);
    ws_buf_varint(&w->record, n);
    return WS_OK;
}

static ws_status put_chunks(ws_stored_writer *w, ws_str value)
{
    for (size_t at = 0; at < value.len;) {
        size_t n = chunk_length(ws_str_sub(value, at, value.len));
        WS_TRY(put_chunk(w, ws_str_sub(value, at, at + n)));
        at += n;
    }
    return WS_OK;
}

static ws_status append_record(ws_stored_writer *w, ws_str head, ws_str chunks)
{
    uint8_t offset[8];
    ws_store_u64le(offset, ws_spool_length(&w->records));
    ws_spool_append(&w->offsets, offset, sizeof offset);
    ws_spool_append(&w->records, head.ptr, head.len);
    ws_spool_append(&w->records, chunks.ptr, chunks.len);
    w->n_docs++;
    return w->records.status ? w->records.status : w->offsets.status;
}

ws_status ws_stored_writer_add(ws_stored_writer *w, const ws_stored_value *values, uint32_t n)
{
    if (n > WS_STORED_VALUES_MAX)
        return WS_ERR_LIMIT;
    for (uint32_t i = 0; i < n; i++)
        if (values[i].bytes.len > UINT32_MAX)
            return WS_ERR_LIMIT;
    ws_buf_clear(&w->record);
    ws_buf_clear(&w->shorts);
    ws_buf_clear(&w->packed);
    put_heads(w, values, n);
    WS_TRY(put_chunk(w, ws_buf_slice(&w->shorts)));
    for (uint32_t i = 0; i < n; i++)
        if (!is_short(values[i].bytes))
            WS_TRY(put_chunks(w, values[i].bytes));
    WS_TRY(ws_buf_status(&w->record));
    WS_TRY(ws_buf_status(&w->shorts));
    return append_record(w, ws_buf_slice(&w->record), ws_buf_slice(&w->packed));
}

/* --- token maps --- */

static void put_start(ws_stored_writer *w, uint32_t field)
{
    uint8_t start[4];
    ws_store_u32le(start, (uint32_t)ws_spool_length(&w->map_bytes[field]));
    ws_spool_append(&w->map_starts[field], start, sizeof start);
    w->has_map[field] = 1;
}

/* Gives the documents before `doc` empty maps: those of a segment without a map of this field. */
static void fill_starts(ws_stored_writer *w, uint32_t field, uint32_t doc)
{
    while (!w->map_starts[field].status &&
           ws_spool_length(&w->map_starts[field]) < (uint64_t)doc * 4)
        put_start(w, field);
}

ws_status ws_stored_writer_add_map(ws_stored_writer *w, uint32_t field, const uint32_t *offsets,
                                   uint32_t n)
{
    uint32_t before = 0;
    put_start(w, field);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t bytes[10];
        if (offsets[i] < before)
            return WS_ERR_ARG;
        ws_spool_append(&w->map_bytes[field], bytes, ws_varint_put(bytes, offsets[i] - before));
        before = offsets[i];
    }
    return w->map_starts[field].status ? w->map_starts[field].status : w->map_bytes[field].status;
}

/* --- copying from a segment --- */

static int same_dictionary(const ws_stored_writer *w, ws_segment *from)
{
    ws_str theirs = {(const char *)from->stored.data, ws_stored_dictionary_length(from)};
    return ws_str_eq(ws_stored_dictionary_bytes(w->dictionary), theirs);
}

static ws_status pack_again(ws_stored_writer *w, ws_segment *from, uint32_t doc)
{
    ws_stored_value values[WS_STORED_VALUES_MAX];
    size_t starts[WS_STORED_VALUES_MAX + 1];
    if (!w->reader)
        WS_TRY(ws_stored_reader_new(&w->reader));
    WS_TRY(ws_stored_open(w->reader, from, doc));
    uint32_t n = ws_stored_count(w->reader);
    ws_buf_clear(&w->whole);
    for (uint32_t i = 0; i < n; i++) {
        starts[i] = w->whole.len;
        WS_TRY(ws_stored_whole(w->reader, i, &w->whole));
    }
    starts[n] = w->whole.len;
    for (uint32_t i = 0; i < n; i++)
        values[i] =
            (ws_stored_value){ws_stored_value_head(w->reader, i)->field,
                              {(const char *)w->whole.data + starts[i], starts[i + 1] - starts[i]}};
    return ws_stored_writer_add(w, values, n);
}

static ws_status copy_maps(ws_stored_writer *w, ws_segment *from, uint32_t doc)
{
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++) {
        ws_str bytes;
        if (!from->token_map[f].size)
            continue;
        WS_TRY(ws_token_map_bytes(from, f, doc, &bytes));
        fill_starts(w, f, w->n_docs - 1);
        put_start(w, f);
        ws_spool_append(&w->map_bytes[f], bytes.ptr, bytes.len);
        WS_TRY(w->map_bytes[f].status);
    }
    return WS_OK;
}

ws_status ws_stored_writer_copy(ws_stored_writer *w, ws_segment *from, uint32_t doc)
{
    ws_str record;
    if (same_dictionary(w, from)) {
        WS_TRY(ws_stored_record(from, doc, &record));
        WS_TRY(append_record(w, record, ws_str_make(NULL, 0)));
    } else {
        WS_TRY(pack_again(w, from, doc));
    }
    return copy_maps(w, from, doc);
}

/* --- writing --- */

static void write_bytes(void *ctx, const void *bytes, size_t n)
{
    ws_segment_out_write(ctx, bytes, n);
}

typedef struct {
    ws_segment_out *out;
    uint64_t base;
    uint8_t partial[8];
    size_t n;
} offset_shift;

/* Record offsets count from the first record; in the file they count from the dictionary before it.
 */
static void write_shifted(void *ctx, const void *bytes, size_t n)
{
    offset_shift *s = ctx;
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++) {
        s->partial[s->n++] = p[i];
        if (s->n < sizeof s->partial)
            continue;
        ws_store_u64le(s->partial, ws_load_u64le(s->partial) + s->base);
        ws_segment_out_write(s->out, s->partial, sizeof s->partial);
        s->n = 0;
    }
}

static ws_status write_records(ws_stored_writer *w, ws_segment_out *out)
{
    ws_str dictionary = ws_stored_dictionary_bytes(w->dictionary);
    uint8_t head[8] = {0}, end[8];
    ws_segment_out_begin(out, WS_KIND_STORED, WS_ALL_FIELDS, WS_ALL_STREAMS, 0);
    ws_segment_out_write(out, dictionary.ptr, dictionary.len);
    WS_TRY(ws_spool_replay(&w->records, write_bytes, out, NULL));
    ws_segment_out_end(out);
    offset_shift shift = {.out = out, .base = dictionary.len};
    ws_store_u32le(head, (uint32_t)dictionary.len);
    ws_store_u64le(end, dictionary.len + ws_spool_length(&w->records));
    ws_segment_out_begin(out, WS_KIND_STORED_DIR, WS_ALL_FIELDS, WS_ALL_STREAMS, 0);
    ws_segment_out_write(out, head, sizeof head);
    WS_TRY(ws_spool_replay(&w->offsets, write_shifted, &shift, NULL));
    ws_segment_out_write(out, end, sizeof end);
    ws_segment_out_end(out);
    return WS_OK;
}

static ws_status write_map(ws_stored_writer *w, uint32_t field, ws_segment_out *out)
{
    if (ws_spool_length(&w->map_bytes[field]) > UINT32_MAX)
        return WS_ERR_LIMIT;
    if (ws_spool_length(&w->map_starts[field]) > (uint64_t)w->n_docs * 4)
        return WS_ERR_STATE; /* more maps than documents */
    fill_starts(w, field, w->n_docs + 1);
    ws_segment_out_begin(out, WS_KIND_TOKEN_MAP, field, WS_ALL_STREAMS, 0);
    WS_TRY(ws_spool_replay(&w->map_starts[field], write_bytes, out, NULL));
    WS_TRY(ws_spool_replay(&w->map_bytes[field], write_bytes, out, NULL));
    ws_segment_out_end(out);
    return WS_OK;
}

ws_status ws_stored_writer_finish(ws_stored_writer *w, ws_segment_out *out)
{
    WS_TRY(write_records(w, out));
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        if (w->has_map[f])
            WS_TRY(write_map(w, f, out));
    return WS_OK;
}
