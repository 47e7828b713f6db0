/* Reading stored documents: a record's head, then single chunks. */
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/stored_int.h"

typedef struct {
    uint32_t raw, packed;
    uint64_t from; /* packed bytes begin, in the record's chunk area */
} chunk_place;

struct ws_stored_reader {
    ZSTD_DCtx *context;
    ws_stored_head heads[WS_STORED_VALUES_MAX];
    uint32_t n;
    ws_buf places;       /* chunk_place[], the short chunk first */
    const uint8_t *area; /* packed chunks of the record */
    ws_buf shorts, chunk;
    uint64_t bytes;
};

ws_status ws_stored_reader_new(ws_stored_reader **out)
{
    ws_stored_reader *r = ws_calloc(1, sizeof *r);
    *out = r;
    if (!r)
        return WS_ERR_NOMEM;
    r->context = ZSTD_createDCtx_advanced(ws_zstd_memory);
    if (r->context)
        return WS_OK;
    ws_free(r);
    *out = NULL;
    return WS_ERR_NOMEM;
}

void ws_stored_reader_free(ws_stored_reader *r)
{
    if (!r)
        return;
    ZSTD_freeDCtx(r->context);
    ws_buf_fini(&r->places);
    ws_buf_fini(&r->shorts);
    ws_buf_fini(&r->chunk);
    ws_free(r);
}

/* --- where things are --- */

ws_status ws_stored_record(ws_segment *s, uint32_t doc, ws_str *record)
{
    if (doc >= s->meta.n_docs || !s->stored_dir.size)
        return WS_ERR_NOT_FOUND;
    const uint8_t *offsets = s->stored_dir.data + WS_STORED_DIR_HEAD + (size_t)doc * 8;
    WS_TRY(ws_segment_file_touch(&s->file, offsets, 16));
    uint64_t from = ws_load_u64le(offsets), to = ws_load_u64le(offsets + 8);
    if (from > to || to > s->stored.size)
        return WS_ERR_CORRUPT;
    WS_TRY(ws_segment_file_touch(&s->file, s->stored.data + from, to - from));
    *record = ws_str_make((const char *)s->stored.data + from, to - from);
    return WS_OK;
}

/* The dictionary belongs to the segment: the context borrows it until the next record is opened. */
static ws_status use_dictionary(ws_stored_reader *r, ws_segment *segment)
{
    ws_stored_dictionary *dictionary;
    WS_TRY(ws_segment_dictionary(segment, &dictionary));
    ZSTD_DCtx_refDDict(r->context, dictionary ? dictionary->decompress : NULL);
    return WS_OK;
}

/* --- unpacking --- */

static const chunk_place *place_of(const ws_stored_reader *r, uint32_t i)
{
    return (const chunk_place *)(const void *)r->places.data + i;
}

static ws_status unpack(ws_stored_reader *r, uint32_t i, ws_buf *out)
{
    const chunk_place *p = place_of(r, i);
    const uint8_t *from = r->area + p->from;
    r->bytes += p->raw;
    if (p->packed == p->raw) {
        ws_buf_append(out, from, p->raw);
        return ws_buf_status(out);
    }
    uint8_t *room = ws_buf_extend(out, p->raw);
    if (!room)
        return WS_ERR_NOMEM;
    size_t made = ZSTD_decompressDCtx(r->context, room, p->raw, from, p->packed);
    return made == p->raw ? WS_OK : WS_ERR_CORRUPT;
}

/* --- the head --- */

typedef struct {
    const uint8_t *p, *end;
} cursor;

static int take(cursor *c, uint64_t *value, uint64_t most)
{
    c->p = c->p ? ws_varint_get(c->p, c->end, value) : NULL;
    return c->p && *value <= most;
}

static int parse_head(cursor *c, ws_stored_head *head, uint32_t *n_chunks)
{
    uint64_t length, chunks;
    if (c->p >= c->end)
        return 0;
    head->field = *c->p++;
    if (!take(c, &length, UINT32_MAX) || !take(c, &chunks, length / (WS_STORED_CHUNK_MAX - 4) + 1))
        return 0;
    head->raw_length = (uint32_t)length;
    head->n_chunks = (uint32_t)chunks;
    head->first_chunk = *n_chunks;
    *n_chunks += head->n_chunks;
    return 1;
}

static int parse_places(ws_stored_reader *r, cursor *c, uint32_t n_chunks)
{
    uint64_t at = 0;
    ws_buf_clear(&r->places);
    for (uint32_t i = 0; i < n_chunks; i++) {
        uint64_t raw, packed,
            most = i ? WS_STORED_CHUNK_MAX : (uint64_t)WS_STORED_SHORT_MAX * WS_STORED_VALUES_MAX;
        if (!take(c, &raw, most) || !take(c, &packed, raw))
            return 0;
        chunk_place place = {(uint32_t)raw, (uint32_t)packed, at};
        ws_buf_append(&r->places, &place, sizeof place);
        at += packed;
    }
    r->area = c->p;
    return (uint64_t)(c->end - c->p) == at;
}

/* The chunks of each value must add up to it, the short values to the short chunk. */
static int lengths_agree(ws_stored_reader *r)
{
    uint64_t shorts = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const ws_stored_head *h = &r->heads[i];
        uint64_t sum = 0;
        for (uint32_t k = 0; k < h->n_chunks; k++)
            sum += place_of(r, h->first_chunk + k)->raw;
        if (h->n_chunks ? sum != h->raw_length : h->raw_length > WS_STORED_SHORT_MAX)
            return 0;
        shorts += h->n_chunks ? 0 : h->raw_length;
    }
    return shorts == place_of(r, 0)->raw;
}

static ws_status parse_record(ws_stored_reader *r, ws_str record)
{
    cursor c = {(const uint8_t *)record.ptr, (const uint8_t *)record.ptr + record.len};
    uint64_t n;
    uint32_t n_chunks = 1; /* the short chunk is number 0 */
    r->n = 0;
    if (!take(&c, &n, WS_STORED_VALUES_MAX))
        return WS_ERR_CORRUPT;
    for (uint32_t i = 0; i < n; i++)
        if (!parse_head(&c, &r->heads[i], &n_chunks))
            return WS_ERR_CORRUPT;
    r->n = (uint32_t)n;
    if (!parse_places(r, &c, n_chunks))
        return WS_ERR_CORRUPT;
    WS_TRY(ws_buf_status(&r->places));
    return lengths_agree(r) ? WS_OK : WS_ERR_CORRUPT;
}

static void slice_shorts(ws_stored_reader *r)
{
    size_t at = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        ws_stored_head *h = &r->heads[i];
        h->short_bytes = ws_str_make(NULL, 0);
        if (h->n_chunks)
            continue;
        h->short_bytes = ws_str_make((const char *)r->shorts.data + at, h->raw_length);
        at += h->raw_length;
    }
}

ws_status ws_stored_open(ws_stored_reader *r, ws_segment *segment, uint32_t doc)
{
    ws_str record;
    r->n = 0;
    WS_TRY(ws_stored_record(segment, doc, &record));
    WS_TRY(use_dictionary(r, segment));
    ws_status status = parse_record(r, record);
    ws_buf_clear(&r->shorts);
    if (!status)
        status = unpack(r, 0, &r->shorts);
    if (status) {
        r->n = 0;
        return status;
    }
    slice_shorts(r);
    return WS_OK;
}

/* --- values --- */

uint32_t ws_stored_count(const ws_stored_reader *r)
{
    return r->n;
}

const ws_stored_head *ws_stored_value_head(const ws_stored_reader *r, uint32_t i)
{
    return i < r->n ? &r->heads[i] : NULL;
}

int ws_stored_find(const ws_stored_reader *r, uint32_t field, uint32_t nth)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->heads[i].field == field && nth-- == 0)
            return (int)i;
    return -1;
}

ws_status ws_stored_chunk(ws_stored_reader *r, uint32_t i, uint32_t offset, ws_str *chunk,
                          uint32_t *chunk_offset)
{
    if (i >= r->n)
        return WS_ERR_RANGE;
    const ws_stored_head *h = &r->heads[i];
    *chunk_offset = 0;
    *chunk = h->short_bytes;
    if (h->n_chunks == 0)
        return WS_OK;
    uint32_t k = 0, at = 0;
    for (; k + 1 < h->n_chunks && offset >= at + place_of(r, h->first_chunk + k)->raw; k++)
        at += place_of(r, h->first_chunk + k)->raw;
    ws_buf_clear(&r->chunk);
    WS_TRY(unpack(r, h->first_chunk + k, &r->chunk));
    *chunk = ws_buf_slice(&r->chunk);
    *chunk_offset = at;
    return WS_OK;
}

ws_status ws_stored_whole(ws_stored_reader *r, uint32_t i, ws_buf *out)
{
    if (i >= r->n)
        return WS_ERR_RANGE;
    const ws_stored_head *h = &r->heads[i];
    if (h->n_chunks == 0)
        ws_buf_str(out, h->short_bytes);
    for (uint32_t k = 0; k < h->n_chunks; k++)
        WS_TRY(unpack(r, h->first_chunk + k, out));
    return ws_buf_status(out);
}

uint64_t ws_stored_bytes(const ws_stored_reader *r)
{
    return r->bytes;
}
