#include "engine/index/id_map.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "engine/index/id_map_int.h"

#define HEAD_BYTES     8u
#define INT_HEAD_BYTES 24u
#define KEY_HEAD_BYTES 16u

/* --- layout --- */

static uint32_t encoding(const ws_segment *s)
{
    return ws_load_u32le(s->id_map.data);
}

static uint32_t n_slots(const ws_segment *s)
{
    return ws_load_u32le(s->id_map.data + 4);
}

static uint32_t id_width(const ws_segment *s)
{
    return ws_load_u32le(s->id_map.data + 8);
}

static uint64_t padded(uint64_t n)
{
    return (n + 3) / 4 * 4;
}

/* Offset of the slots in the section, computed from validated sizes. */
static uint64_t slots_offset(const ws_segment *s)
{
    uint64_t n = s->meta.n_docs;
    if (encoding(s) == WS_ID_DECIMAL)
        return INT_HEAD_BYTES + padded(n * id_width(s));
    return HEAD_BYTES + (n + 1) * 4 + padded(ws_load_u32le(s->id_map.data + HEAD_BYTES + n * 4));
}

static uint64_t load_width(const uint8_t *p, uint32_t width)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; i++)
        value |= (uint64_t)p[i] << (8 * i);
    return value;
}

static uint64_t decimal_id(const ws_segment *s, uint32_t doc)
{
    uint32_t width = id_width(s);
    return ws_load_u64le(s->id_map.data + 16) +
           load_width(s->id_map.data + INT_HEAD_BYTES + (size_t)doc * width, width);
}

/* --- reading --- */

static ws_status touch(ws_segment *s, const uint8_t *p, size_t n)
{
    return ws_segment_file_touch(&s->file, p, n);
}

static ws_status bytes_id(ws_segment *s, uint32_t doc, ws_str *id)
{
    const uint8_t *offsets = s->id_map.data + HEAD_BYTES + (size_t)doc * 4;
    const uint8_t *bytes = s->id_map.data + HEAD_BYTES + ((size_t)s->meta.n_docs + 1) * 4;
    WS_TRY(touch(s, offsets, 8));
    uint32_t from = ws_load_u32le(offsets), to = ws_load_u32le(offsets + 4);
    if (to - from > WS_ID_MAX || from > to)
        return WS_ERR_CORRUPT;
    WS_TRY(touch(s, bytes + from, to - from));
    *id = ws_str_make((const char *)bytes + from, to - from);
    return WS_OK;
}

ws_status ws_segment_id(ws_segment *s, uint32_t doc, char *buffer, ws_str *id)
{
    if (doc >= s->meta.n_docs)
        return WS_ERR_RANGE;
    if (encoding(s) == WS_ID_BYTES)
        return bytes_id(s, doc, id);
    WS_TRY(touch(s, s->id_map.data + INT_HEAD_BYTES + (size_t)doc * id_width(s), id_width(s)));
    int n = snprintf(buffer, WS_ID_MAX, "%llu", (unsigned long long)decimal_id(s, doc));
    *id = ws_str_make(buffer, (size_t)n);
    return WS_OK;
}

int ws_id_decimal(ws_str id, uint64_t *value)
{
    return id.len >= 1 && (id.len == 1 || id.ptr[0] != '0') && ws_str_to_u64(id, value) &&
           *value >> 63 == 0;
}

/* Ids that ascend with the document: no slots. */
static ws_status find_ascending(ws_segment *s, ws_str id, uint32_t *doc)
{
    uint64_t wanted;
    uint32_t low = 0, high = s->meta.n_docs;
    if (!ws_id_decimal(id, &wanted))
        return WS_ERR_NOT_FOUND;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        WS_TRY(
            touch(s, s->id_map.data + INT_HEAD_BYTES + (size_t)middle * id_width(s), id_width(s)));
        if (decimal_id(s, middle) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    *doc = low;
    return low < s->meta.n_docs && decimal_id(s, low) == wanted ? WS_OK : WS_ERR_NOT_FOUND;
}

ws_status ws_segment_find_id(ws_segment *s, ws_str id, uint32_t *doc)
{
    char buffer[WS_ID_MAX];
    uint32_t slots_n = n_slots(s);
    if (slots_n == 0)
        return find_ascending(s, id, doc);
    const uint8_t *slots = s->id_map.data + slots_offset(s);
    uint32_t at = (uint32_t)(ws_hash64(id.ptr, id.len) % slots_n);
    for (uint32_t probes = 0; probes < slots_n; probes++) {
        ws_str found;
        WS_TRY(touch(s, slots + (size_t)at * 4, 4));
        uint32_t slot = ws_load_u32le(slots + (size_t)at * 4);
        if (slot == 0)
            return WS_ERR_NOT_FOUND;
        if (slot > s->meta.n_docs)
            return WS_ERR_CORRUPT;
        WS_TRY(ws_segment_id(s, slot - 1, buffer, &found));
        if (ws_str_eq(found, id)) {
            *doc = slot - 1;
            return WS_OK;
        }
        at = at + 1 == slots_n ? 0 : at + 1;
    }
    return WS_ERR_NOT_FOUND;
}

/* --- DOC_KEY --- */

uint64_t ws_segment_doc_key(const ws_segment *s, uint32_t doc)
{
    uint64_t base = ws_load_u64le(s->doc_key.data + 8);
    if (ws_load_u32le(s->doc_key.data) == WS_KEY_LINEAR)
        return base + doc;
    uint32_t width = ws_load_u32le(s->doc_key.data + 4);
    return base + load_width(s->doc_key.data + KEY_HEAD_BYTES + (size_t)doc * width, width);
}

ws_status ws_segment_find_key(ws_segment *s, uint64_t key, uint32_t *doc)
{
    uint32_t low = 0, high = s->meta.n_docs;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ws_segment_doc_key(s, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    /* Replaced documents keep old keys, so that order is the rule, not a promise: look everywhere
     * before saying no. */
    if (low < s->meta.n_docs && ws_segment_doc_key(s, low) == key) {
        *doc = low;
        return WS_OK;
    }
    for (uint32_t d = 0; d < s->meta.n_docs; d++)
        if (ws_segment_doc_key(s, d) == key) {
            *doc = d;
            return WS_OK;
        }
    return WS_ERR_NOT_FOUND;
}

/* --- validation at open --- */

static ws_status bad(const ws_segment *s, ws_error *error, const char *what)
{
    return ws_error_at(error, WS_ERR_CORRUPT, s->file.path, 0, "%s", what);
}

static ws_status validate_bytes_map(const ws_segment *s, ws_error *error)
{
    uint64_t n = s->meta.n_docs, room = HEAD_BYTES + (n + 1) * 4;
    if (s->id_map.size < room)
        return bad(s, error, "ID_MAP is too short");
    const uint8_t *offsets = s->id_map.data + HEAD_BYTES;
    uint64_t total = ws_load_u32le(offsets + n * 4);
    for (uint64_t i = 0; i < n; i++)
        if (ws_load_u32le(offsets + i * 4) > ws_load_u32le(offsets + i * 4 + 4))
            return bad(s, error, "ID_MAP offsets do not ascend");
    if (s->id_map.size != room + padded(total) + (uint64_t)n_slots(s) * 4 || n_slots(s) == 0)
        return bad(s, error, "ID_MAP has an impossible size");
    return WS_OK;
}

static ws_status validate_decimal_map(const ws_segment *s, ws_error *error)
{
    uint64_t n = s->meta.n_docs;
    if (s->id_map.size < INT_HEAD_BYTES || id_width(s) < 1 || id_width(s) > 8 ||
        s->id_map.size != INT_HEAD_BYTES + padded(n * id_width(s)) + (uint64_t)n_slots(s) * 4)
        return bad(s, error, "ID_MAP has an impossible size");
    return WS_OK;
}

ws_status ws_segment_validate_identity(ws_segment *s, ws_error *error)
{
    if (s->id_map.size < HEAD_BYTES || encoding(s) > WS_ID_DECIMAL)
        return bad(s, error, "ID_MAP is missing or of an unknown encoding");
    WS_TRY(encoding(s) == WS_ID_BYTES ? validate_bytes_map(s, error)
                                      : validate_decimal_map(s, error));
    if (s->doc_key.size < KEY_HEAD_BYTES)
        return bad(s, error, "DOC_KEY is missing");
    uint32_t kind = ws_load_u32le(s->doc_key.data), width = ws_load_u32le(s->doc_key.data + 4);
    if (kind > WS_KEY_WIDTH || width > 8 ||
        s->doc_key.size !=
            KEY_HEAD_BYTES + (kind == WS_KEY_WIDTH ? (uint64_t)s->meta.n_docs * width : 0))
        return bad(s, error, "DOC_KEY has an impossible size");
    /* Keys are read in the inner loop of every search, by a function that cannot fail. */
    return touch(s, s->doc_key.data, s->doc_key.size)
               ? bad(s, error, "DOC_KEY does not match its sums")
               : WS_OK;
}
