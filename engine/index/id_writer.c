/* Collecting ids and DOC_KEYs, and writing ID_MAP and DOC_KEY. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/id_map.h"
#include "engine/index/id_map_int.h"

#define FIRST_SLOTS 1024u

struct ws_id_writer {
    ws_buf bytes;    /* ids, one after the other */
    ws_buf offsets;  /* u32 host order: where each begins; one more than documents */
    ws_buf keys;     /* u64 host order */
    uint32_t *slots; /* document + 1 by hash; the later document of an id */
    uint32_t n_slots, n, used;
    int all_decimal, ascending;
    uint64_t last_decimal, least_decimal, most_decimal;
};

ws_status ws_id_writer_new(ws_id_writer **out)
{
    ws_id_writer *w = ws_calloc(1, sizeof *w);
    *out = w;
    if (!w)
        return WS_ERR_NOMEM;
    ws_buf_init(&w->bytes);
    ws_buf_init(&w->offsets);
    ws_buf_init(&w->keys);
    w->slots = ws_calloc(FIRST_SLOTS, sizeof *w->slots);
    w->n_slots = FIRST_SLOTS;
    w->all_decimal = w->ascending = 1;
    w->least_decimal = UINT64_MAX;
    ws_buf_append(&w->offsets, &w->n, sizeof w->n);
    if (w->slots && !ws_buf_status(&w->offsets))
        return WS_OK;
    ws_id_writer_free(w);
    *out = NULL;
    return WS_ERR_NOMEM;
}

void ws_id_writer_free(ws_id_writer *w)
{
    if (!w)
        return;
    ws_buf_fini(&w->bytes);
    ws_buf_fini(&w->offsets);
    ws_buf_fini(&w->keys);
    ws_free(w->slots);
    ws_free(w);
}

static uint32_t offset_of(const ws_id_writer *w, uint32_t doc)
{
    uint32_t offset;
    memcpy(&offset, w->offsets.data + (size_t)doc * 4, 4);
    return offset;
}

static ws_str id_of(const ws_id_writer *w, uint32_t doc)
{
    uint32_t from = offset_of(w, doc);
    return ws_str_make((const char *)w->bytes.data + from, offset_of(w, doc + 1) - from);
}

uint64_t ws_id_writer_doc_key(const ws_id_writer *w, uint32_t doc)
{
    uint64_t key;
    memcpy(&key, w->keys.data + (size_t)doc * 8, 8);
    return key;
}

/* Slot of an id: where it is, or the empty one where it belongs. */
static uint32_t find_slot(const ws_id_writer *w, const uint32_t *slots, uint32_t n_slots, ws_str id)
{
    uint32_t at = (uint32_t)(ws_hash64(id.ptr, id.len) % n_slots);
    while (slots[at] && !ws_str_eq(id_of(w, slots[at] - 1), id))
        at = at + 1 == n_slots ? 0 : at + 1;
    return at;
}

static ws_status grow(ws_id_writer *w)
{
    uint32_t n_slots = w->n_slots * 2;
    uint32_t *slots = ws_calloc(n_slots, sizeof *slots);
    if (!slots)
        return WS_ERR_NOMEM;
    for (uint32_t i = 0; i < w->n_slots; i++)
        if (w->slots[i])
            slots[find_slot(w, slots, n_slots, id_of(w, w->slots[i] - 1))] = w->slots[i];
    ws_free(w->slots);
    w->slots = slots;
    w->n_slots = n_slots;
    return WS_OK;
}

static void note_decimal(ws_id_writer *w, ws_str id)
{
    uint64_t value;
    if (!w->all_decimal || !ws_id_decimal(id, &value)) {
        w->all_decimal = 0;
        return;
    }
    w->ascending = w->ascending && (w->n == 0 || value > w->last_decimal);
    w->last_decimal = value;
    w->least_decimal = WS_MIN(w->least_decimal, value);
    w->most_decimal = WS_MAX(w->most_decimal, value);
}

ws_status ws_id_writer_add(ws_id_writer *w, ws_str id, uint64_t doc_key)
{
    if ((uint64_t)w->used * 5 >= (uint64_t)w->n_slots * 4)
        WS_TRY(grow(w));
    if (w->bytes.len + id.len > UINT32_MAX)
        return WS_ERR_LIMIT;
    note_decimal(w, id);
    ws_buf_append(&w->bytes, id.ptr, id.len);
    uint32_t end = (uint32_t)w->bytes.len;
    ws_buf_append(&w->offsets, &end, sizeof end);
    ws_buf_append(&w->keys, &doc_key, sizeof doc_key);
    WS_TRY(ws_buf_status(&w->bytes));
    WS_TRY(ws_buf_status(&w->offsets));
    WS_TRY(ws_buf_status(&w->keys));
    uint32_t at = find_slot(w, w->slots, w->n_slots, id);
    w->used += w->slots[at] == 0;
    w->slots[at] = ++w->n;
    return WS_OK;
}

size_t ws_id_writer_memory(const ws_id_writer *w)
{
    return w->bytes.cap + w->offsets.cap + w->keys.cap + (size_t)w->n_slots * 4;
}

uint32_t ws_id_writer_count(const ws_id_writer *w)
{
    return w->n;
}

ws_status ws_id_writer_find(const ws_id_writer *w, ws_str id, uint32_t *doc)
{
    uint32_t slot = w->slots[find_slot(w, w->slots, w->n_slots, id)];
    if (slot == 0)
        return WS_ERR_NOT_FOUND;
    *doc = slot - 1;
    return WS_OK;
}

/* --- writing --- */

static void write_u32(ws_segment_out *out, uint32_t value)
{
    uint8_t bytes[4];
    ws_store_u32le(bytes, value);
    ws_segment_out_write(out, bytes, sizeof bytes);
}

static void write_u64(ws_segment_out *out, uint64_t value, uint32_t width)
{
    uint8_t bytes[8];
    ws_store_u64le(bytes, value);
    ws_segment_out_write(out, bytes, width);
}

static void write_padding(ws_segment_out *out)
{
    write_u64(out, 0, (uint32_t)(-ws_segment_out_section_length(out) % 4));
}

static uint32_t bytes_for(uint64_t value)
{
    return WS_MAX((ws_bits_u64(value) + 7) / 8, 1u);
}

static void write_bytes_map(const ws_id_writer *w, ws_segment_out *out)
{
    write_u32(out, WS_ID_BYTES);
    write_u32(out, w->n_slots);
    for (uint32_t d = 0; d <= w->n; d++)
        write_u32(out, offset_of(w, d));
    ws_segment_out_write(out, w->bytes.data, w->bytes.len);
    write_padding(out);
}

static void write_decimal_map(const ws_id_writer *w, ws_segment_out *out, uint32_t n_slots)
{
    uint32_t width = bytes_for(w->most_decimal - w->least_decimal);
    write_u32(out, WS_ID_DECIMAL);
    write_u32(out, n_slots);
    write_u32(out, width);
    write_u32(out, 0);
    write_u64(out, w->least_decimal, 8);
    for (uint32_t d = 0; d < w->n; d++) {
        uint64_t value = 0;
        ws_id_decimal(id_of(w, d), &value);
        write_u64(out, value - w->least_decimal, width);
    }
    write_padding(out);
}

static void write_id_map(const ws_id_writer *w, ws_segment_out *out)
{
    uint32_t n_slots = w->all_decimal && w->ascending ? 0 : w->n_slots;
    ws_segment_out_begin(out, WS_KIND_ID_MAP, WS_ALL_FIELDS, WS_ALL_STREAMS, 0);
    if (w->all_decimal)
        write_decimal_map(w, out, n_slots);
    else
        write_bytes_map(w, out);
    for (uint32_t i = 0; i < n_slots; i++)
        write_u32(out, w->slots[i]);
    ws_segment_out_end(out);
}

static void write_keys(const ws_id_writer *w, ws_segment_out *out)
{
    uint64_t least = UINT64_MAX, most = 0;
    int linear = 1;
    for (uint32_t d = 0; d < w->n; d++) {
        uint64_t key = ws_id_writer_doc_key(w, d);
        least = WS_MIN(least, key);
        most = WS_MAX(most, key);
        linear = linear && key == ws_id_writer_doc_key(w, 0) + d;
    }
    uint32_t width = linear ? 0 : bytes_for(most - least);
    ws_segment_out_begin(out, WS_KIND_DOC_KEY, WS_ALL_FIELDS, WS_ALL_STREAMS, 0);
    write_u32(out, linear ? WS_KEY_LINEAR : WS_KEY_WIDTH);
    write_u32(out, width);
    write_u64(out, least, 8);
    for (uint32_t d = 0; d < w->n && !linear; d++)
        write_u64(out, ws_id_writer_doc_key(w, d) - least, width);
    ws_segment_out_end(out);
}

ws_status ws_id_writer_finish(ws_id_writer *w, ws_segment_out *out)
{
    write_id_map(w, out);
    write_keys(w, out);
    return WS_OK;
}
