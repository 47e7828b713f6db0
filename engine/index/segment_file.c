#include "engine/index/segment_file.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"

#define ENDIAN_MARK  0x0a0b0c0du
#define MAX_SECTIONS 1024u

static ws_status corrupt(const ws_segment_file *file, ws_error *error, uint64_t offset,
                         const char *what)
{
    return ws_error_at(error, WS_ERR_CORRUPT, file->path, offset, "%s", what);
}

static ws_status check_header(ws_segment_file *file, ws_error *error)
{
    const uint8_t *h = file->map.data;
    if (file->map.size < WS_SEGMENT_HEADER_BYTES + WS_SEGMENT_TAIL_BYTES)
        return corrupt(file, error, 0, "too short for a segment");
    if (memcmp(h, WS_MAGIC_SEGMENT, WS_MAGIC_BYTES) != 0)
        return corrupt(file, error, 0, "not a segment file");
    if (ws_load_u32le(h + 12) != ENDIAN_MARK)
        return corrupt(file, error, 12, "wrong byte order mark");
    file->id = ws_load_u64le(h + 32);
    file->fingerprint = ws_load_u64le(h + 40);
    file->n_docs = ws_load_u32le(h + 48);
    return WS_OK;
}

/* After the hash has been compared: a flipped bit in the version is damage, not a newer format. */
static ws_status check_version(const ws_segment_file *file, ws_error *error)
{
    const uint8_t *h = file->map.data;
    if (ws_load_u16le(h + 8) != WS_FORMAT_MAJOR || ws_load_u64le(h + 16) != 0)
        return ws_error_at(error, WS_ERR_VERSION, file->path, 8,
                           "format %u.%u is not readable by this version", ws_load_u16le(h + 8),
                           ws_load_u16le(h + 10));
    if (file->n_docs < 1 || file->n_docs > WS_DOCS_MAX)
        return corrupt(file, error, 48, "impossible document count");
    return WS_OK;
}

/* The hash covers header, table and the tail before it. */
static ws_status hash_structure(const uint8_t *header, const uint8_t *table, size_t n,
                                uint64_t *hash)
{
    ws_hasher *h = ws_hasher_new();
    if (!h)
        return WS_ERR_NOMEM;
    ws_hasher_update(h, header, WS_SEGMENT_HEADER_BYTES);
    ws_hasher_update(h, table, n);
    *hash = ws_hasher_digest(h);
    ws_hasher_free(h);
    return WS_OK;
}

static ws_status check_tail(ws_segment_file *file, uint64_t *table_offset, ws_error *error)
{
    uint64_t size = file->map.size, at = size - WS_SEGMENT_TAIL_BYTES, hash;
    const uint8_t *tail = file->map.data + at;
    if (memcmp(tail + 32, WS_MAGIC_END, WS_MAGIC_BYTES) != 0)
        return corrupt(file, error, at + 32, "no end mark: the file was cut");
    *table_offset = ws_load_u64le(tail);
    file->n_sections = ws_load_u32le(tail + 8);
    if (ws_load_u64le(tail + 16) != size)
        return corrupt(file, error, at + 16, "the file's length is not the one written");
    if (file->n_sections > MAX_SECTIONS || *table_offset > at ||
        at - *table_offset != (uint64_t)file->n_sections * WS_SECTION_ENTRY_BYTES)
        return corrupt(file, error, at, "impossible section table");
    file->tail_hash = ws_load_u64le(tail + 24);
    const uint8_t *table = file->map.data + *table_offset;
    if (hash_structure(file->map.data, table, (size_t)(tail + 24 - table), &hash))
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a hash");
    return hash == file->tail_hash
               ? WS_OK
               : corrupt(file, error, *table_offset, "section table does not match its hash");
}

static ws_status parse_entry(ws_segment_file *file, uint64_t table_offset, uint32_t i,
                             uint64_t *end, ws_error *error)
{
    uint64_t at = table_offset + (uint64_t)i * WS_SECTION_ENTRY_BYTES;
    const uint8_t *p = file->map.data + at;
    ws_section_entry *e = &file->sections[i];
    e->kind = ws_load_u16le(p);
    e->field = p[2];
    e->stream = p[3];
    e->flags = ws_load_u32le(p + 4);
    e->offset = ws_load_u64le(p + 8);
    e->length = ws_load_u64le(p + 16);
    e->hash = ws_load_u64le(p + 24);
    if (e->offset < *end || e->offset % WS_SECTION_ALIGN ||
        !ws_range_ok(e->offset, e->length, table_offset))
        return corrupt(file, error, at, "section outside its place");
    if ((e->kind == 0 || e->kind > WS_KIND_MAX) && !(e->flags & WS_SECTION_MAY_IGNORE))
        return ws_error_at(error, WS_ERR_VERSION, file->path, at, "section kind %u is unknown",
                           e->kind);
    *end = e->offset + e->length;
    return WS_OK;
}

static ws_status parse_table(ws_segment_file *file, uint64_t table_offset, ws_error *error)
{
    uint64_t end = WS_SEGMENT_HEADER_BYTES;
    file->sections = ws_calloc(file->n_sections + 1u, sizeof *file->sections);
    if (!file->sections)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a section table");
    for (uint32_t i = 0; i < file->n_sections; i++)
        WS_TRY(parse_entry(file, table_offset, i, &end, error));
    return WS_OK;
}

ws_status ws_segment_file_verify_section(const ws_segment_file *file, uint32_t index)
{
    const ws_section_entry *e = &file->sections[index];
    return ws_hash64(file->map.data + e->offset, e->length) == e->hash ? WS_OK : WS_ERR_CORRUPT;
}

static ws_status verify_kind(const ws_segment_file *file, uint32_t kind, ws_error *error)
{
    for (uint32_t i = 0; i < file->n_sections; i++)
        if (file->sections[i].kind == kind && ws_segment_file_verify_section(file, i) != WS_OK)
            return ws_error_at(error, WS_ERR_CORRUPT, file->path, file->sections[i].offset,
                               "section %s does not match its hash", ws_kind_name(kind));
    return WS_OK;
}

/* The bytes between the sums and the table are the only ones that no hash covers. */
static ws_status check_gap(const ws_segment_file *file, uint64_t from, uint64_t to, ws_error *error)
{
    if (to - from >= WS_SECTION_ALIGN)
        return corrupt(file, error, from, "bytes between the sums and the section table");
    for (uint64_t at = from; at < to; at++)
        if (file->map.data[at])
            return corrupt(file, error, at, "padding is not zero");
    return WS_OK;
}

static ws_status find_sums(ws_segment_file *file, uint64_t table_offset, ws_error *error)
{
    const ws_section_entry *last = file->n_sections ? &file->sections[file->n_sections - 1] : NULL;
    if (!last || last->kind != WS_KIND_BLOCK_SUMS)
        return corrupt(file, error, 0, "BLOCK_SUMS is not the last section");
    file->sums = file->map.data + last->offset;
    file->sums_offset = last->offset;
    file->n_sums = (last->offset + WS_SUM_BLOCK_BYTES - 1) / WS_SUM_BLOCK_BYTES;
    if (last->length != file->n_sums * 8)
        return corrupt(file, error, last->offset, "BLOCK_SUMS has an impossible size");
    WS_TRY(check_gap(file, last->offset + last->length, table_offset, error));
    return verify_kind(file, WS_KIND_BLOCK_SUMS, error);
}

static int block_is_good(const ws_segment_file *file, uint64_t block)
{
    uint64_t from = block * WS_SUM_BLOCK_BYTES;
    size_t n = (size_t)WS_MIN((uint64_t)WS_SUM_BLOCK_BYTES, file->sums_offset - from);
    return ws_hash64(file->map.data + from, n) == ws_load_u64le(file->sums + block * 8);
}

ws_status ws_segment_file_verify_blocks(const ws_segment_file *file, uint64_t *bad)
{
    for (uint64_t b = 0; b < file->n_sums; b++)
        if (!block_is_good(file, b)) {
            *bad = b * WS_SUM_BLOCK_BYTES;
            return WS_ERR_CORRUPT;
        }
    return WS_OK;
}

static ws_status verify_all(const ws_segment_file *file, ws_error *error)
{
    uint64_t bad;
    if (ws_segment_file_verify_blocks(file, &bad))
        return corrupt(file, error, bad, "a block does not match its sum");
    return WS_OK;
}

static ws_status ready_seen(ws_segment_file *file, ws_error *error)
{
    size_t words = (size_t)(file->n_sums + 63) / 64;
    file->seen = ws_calloc(words + 1, sizeof *file->seen);
    return file->seen ? WS_OK
                      : ws_error_set(error, WS_ERR_NOMEM, "no memory for the sums of a segment");
}

static ws_status validate(ws_segment_file *file, uint32_t verify, ws_error *error)
{
    uint64_t table_offset = 0;
    WS_TRY(check_header(file, error));
    WS_TRY(check_tail(file, &table_offset, error));
    WS_TRY(check_version(file, error));
    WS_TRY(parse_table(file, table_offset, error));
    WS_TRY(find_sums(file, table_offset, error));
    WS_TRY(verify_kind(file, WS_KIND_META, error));
    if (verify == WS_VERIFY_FULL)
        return verify_all(file, error);
    return verify == WS_VERIFY_LAZY ? ready_seen(file, error) : WS_OK;
}

ws_status ws_segment_file_open(ws_segment_file *file, const char *path, uint32_t access,
                               uint32_t verify, ws_error *error)
{
    memset(file, 0, sizeof *file);
    if (strlen(path) >= sizeof file->path)
        return ws_error_set(error, WS_ERR_LIMIT, "the path is too long");
    memcpy(file->path, path, strlen(path) + 1);
    ws_status status =
        ws_map_open(&file->map, path, access == WS_ACCESS_READ ? WS_MAP_READ : WS_MAP_MMAP, error);
    if (!status)
        status = validate(file, verify, error);
    if (status)
        ws_segment_file_close(file);
    return status;
}

ws_status ws_segment_file_open_memory(ws_segment_file *file, uint8_t *data, size_t size,
                                      ws_error *error)
{
    memset(file, 0, sizeof *file);
    file->map = (ws_map){data, size, WS_MAP_READ};
    ws_status status = validate(file, WS_VERIFY_OFF, error);
    if (status)
        ws_segment_file_close(file);
    return status;
}

void ws_segment_file_close(ws_segment_file *file)
{
    ws_map_close(&file->map);
    ws_free(file->sections);
    ws_free((void *)file->seen);
    file->sections = NULL;
    file->seen = NULL;
}

ws_section ws_segment_file_section(const ws_segment_file *file, uint32_t kind, uint32_t field,
                                   uint32_t stream)
{
    ws_section none = {NULL, 0};
    for (uint32_t i = 0; i < file->n_sections; i++) {
        const ws_section_entry *e = &file->sections[i];
        if (e->kind == kind && e->field == field && e->stream == stream)
            return (ws_section){file->map.data + e->offset, e->length};
    }
    return none;
}

static ws_status verify_block(ws_segment_file *file, uint64_t block)
{
    if (!block_is_good(file, block))
        return WS_ERR_CORRUPT;
    /* relaxed: the bit says only that these bytes, which never change, were good */
    atomic_fetch_or_explicit(&file->seen[block / 64], 1ull << (block % 64), memory_order_relaxed);
    return WS_OK;
}

ws_status ws_segment_file_touch_slow(ws_segment_file *file, const uint8_t *ptr, size_t n)
{
    uint64_t from = (uint64_t)(ptr - file->map.data), last = (from + n - 1) / WS_SUM_BLOCK_BYTES;
    for (uint64_t b = from / WS_SUM_BLOCK_BYTES; b <= last && b < file->n_sums; b++)
        if (!(atomic_load_explicit(&file->seen[b / 64], memory_order_relaxed) >> (b % 64) & 1))
            WS_TRY(verify_block(file, b));
    return WS_OK;
}
