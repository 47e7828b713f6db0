/* Token maps, and the structure of all stored sections at open. */
#include "base/error.h"
#include "base/str.h"
#include "engine/index/stored_int.h"

ws_status ws_token_map_bytes(ws_segment *s, uint32_t field, uint32_t doc, ws_str *bytes)
{
    const ws_section *map = &s->token_map[field];
    if (!map->size || doc >= s->meta.n_docs)
        return WS_ERR_NOT_FOUND;
    const uint8_t *starts = map->data + (size_t)doc * 4,
                  *area = map->data + ((size_t)s->meta.n_docs + 1) * 4;
    WS_TRY(ws_segment_file_touch(&s->file, starts, 8));
    uint32_t from = ws_load_u32le(starts), to = ws_load_u32le(starts + 4);
    if (from > to || to > map->size - ((uint64_t)s->meta.n_docs + 1) * 4)
        return WS_ERR_CORRUPT;
    WS_TRY(ws_segment_file_touch(&s->file, area + from, to - from));
    *bytes = ws_str_make((const char *)area + from, to - from);
    return WS_OK;
}

ws_status ws_token_map_find(ws_segment *s, uint32_t field, uint32_t doc, uint32_t position,
                            uint32_t *byte_offset, uint32_t *from_position)
{
    ws_str bytes;
    if (field >= WS_MAX_FIELDS)
        return WS_ERR_NOT_FOUND;
    WS_TRY(ws_token_map_bytes(s, field, doc, &bytes));
    const uint8_t *p = (const uint8_t *)bytes.ptr, *end = p + bytes.len;
    uint64_t offset = 0, gap;
    for (uint32_t entry = 0; entry <= position / WS_TOKEN_MAP_INTERVAL; entry++) {
        if (p == end)
            return WS_ERR_NOT_FOUND;
        p = ws_varint_get(p, end, &gap);
        if (!p || gap > UINT32_MAX - offset)
            return WS_ERR_CORRUPT;
        offset += gap;
    }
    *byte_offset = (uint32_t)offset;
    *from_position = position / WS_TOKEN_MAP_INTERVAL * WS_TOKEN_MAP_INTERVAL;
    return WS_OK;
}

static ws_status bad(const ws_segment *s, ws_error *error, const char *what)
{
    return ws_error_at(error, WS_ERR_CORRUPT, s->file.path, 0, "%s", what);
}

static ws_status validate_directory(const ws_segment *s, ws_error *error)
{
    uint64_t n = s->meta.n_docs;
    if (s->stored_dir.size != WS_STORED_DIR_HEAD + (n + 1) * 8)
        return bad(s, error, "STORED_DIR has an impossible size");
    if (ws_load_u64le(s->stored_dir.data + s->stored_dir.size - 8) != s->stored.size)
        return bad(s, error, "STORED does not end with its last record");
    const uint8_t *offsets = s->stored_dir.data + WS_STORED_DIR_HEAD;
    uint64_t before = ws_stored_dictionary_length(s);
    for (uint64_t d = 0; d <= n; d++) {
        uint64_t offset = ws_load_u64le(offsets + d * 8);
        if (offset < before || offset > s->stored.size)
            return bad(s, error, "STORED_DIR offsets do not ascend inside STORED");
        before = offset;
    }
    return WS_OK;
}

static ws_status validate_map(const ws_segment *s, ws_section map, ws_error *error)
{
    uint64_t n = s->meta.n_docs;
    if (map.size < (n + 1) * 4)
        return bad(s, error, "TOKEN_MAP is too short");
    for (uint64_t d = 0; d < n; d++)
        if (ws_load_u32le(map.data + d * 4) > ws_load_u32le(map.data + d * 4 + 4))
            return bad(s, error, "TOKEN_MAP starts do not ascend");
    return ws_load_u32le(map.data + n * 4) == map.size - (n + 1) * 4
               ? WS_OK
               : bad(s, error, "TOKEN_MAP has an impossible size");
}

ws_status ws_segment_validate_stored(ws_segment *s, ws_error *error)
{
    if (s->stored_dir.size)
        WS_TRY(validate_directory(s, error));
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        if (s->token_map[f].size)
            WS_TRY(validate_map(s, s->token_map[f], error));
    return WS_OK;
}
