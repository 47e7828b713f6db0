/* MANIFEST in memory and in bytes (docs/format.md section 7). */
#include "engine/index/manifest.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"

#define HEAD_BYTES    104u
#define SEGMENT_BYTES 56u
#define STREAM_BYTES  24u

void ws_manifest_init(ws_manifest *m)
{
    memset(m, 0, sizeof *m);
    ws_buf_init(&m->user_map);
    ws_schema_init_default(&m->schema);
}

void ws_manifest_fini(ws_manifest *m)
{
    ws_free(m->segments);
    ws_buf_fini(&m->user_map);
    m->segments = NULL;
    m->n_segments = 0;
}

ws_status ws_manifest_copy(ws_manifest *to, const ws_manifest *from)
{
    ws_manifest_segment *segments = ws_reallocarray(NULL, from->n_segments + 1u, sizeof *segments);
    ws_buf user_map;
    if (!segments)
        return WS_ERR_NOMEM;
    ws_buf_init(&user_map);
    ws_buf_append(&user_map, from->user_map.data, from->user_map.len);
    if (ws_buf_status(&user_map)) {
        ws_free(segments);
        return WS_ERR_NOMEM;
    }
    if (from->n_segments)
        memcpy(segments, from->segments, from->n_segments * sizeof *segments);
    ws_manifest_fini(to);
    *to = *from;
    to->segments = segments;
    to->user_map = user_map;
    return WS_OK;
}

/* --- encoding --- */

static void put_segment(ws_buf *out, const ws_manifest_segment *s)
{
    ws_buf_u64le(out, s->id);
    ws_buf_u64le(out, s->length);
    ws_buf_u64le(out, s->tail_hash);
    ws_buf_u32le(out, s->n_docs);
    ws_buf_u32le(out, s->n_deleted);
    ws_buf_u64le(out, s->live_generation);
    ws_buf_u64le(out, s->live_hash);
    ws_buf_u32le(out, s->in_epoch);
    ws_buf_u32le(out, 0);
}

static void put_stream(ws_buf *out, const ws_manifest_stream *s)
{
    ws_buf_u8(out, s->field);
    ws_buf_u8(out, s->stream);
    ws_buf_u16le(out, 0);
    ws_buf_u32le(out, 0);
    ws_buf_u64le(out, s->n_docs);
    ws_buf_u64le(out, s->sum_length);
}

static void put_head(const ws_manifest *m, size_t schema_bytes, size_t total, ws_buf *out)
{
    ws_buf_append(out, WS_MAGIC_MANIFEST, WS_MAGIC_BYTES);
    ws_buf_u16le(out, WS_FORMAT_MAJOR);
    ws_buf_u16le(out, WS_FORMAT_MINOR);
    ws_buf_u32le(out, (uint32_t)total);
    ws_buf_u64le(out, m->generation);
    ws_buf_u64le(out, m->previous_generation);
    ws_buf_u64le(out, m->commit_time_ns);
    ws_buf_u64le(out, m->epoch);
    ws_buf_u64le(out, m->epoch_docs);
    ws_buf_u64le(out, m->next_doc_key);
    ws_buf_u64le(out, m->next_segment_id);
    ws_buf_u64le(out, m->fingerprint);
    ws_buf_u32le(out, m->n_segments);
    ws_buf_u32le(out, m->n_streams);
    ws_buf_u32le(out, (uint32_t)schema_bytes);
    ws_buf_u32le(out, (uint32_t)m->user_map.len);
    ws_buf_u32le(out, (uint32_t)strlen(m->suggest_file));
    ws_buf_u32le(out, 0);
}

void ws_manifest_encode(const ws_manifest *m, ws_buf *out)
{
    ws_buf schema;
    size_t start = out->len;
    ws_buf_init(&schema);
    ws_schema_encode(&m->schema, &schema);
    size_t total = HEAD_BYTES + (size_t)m->n_segments * SEGMENT_BYTES +
                   (size_t)m->n_streams * STREAM_BYTES + schema.len + m->user_map.len +
                   strlen(m->suggest_file) + 8;
    put_head(m, schema.len, total, out);
    for (uint32_t i = 0; i < m->n_segments; i++)
        put_segment(out, &m->segments[i]);
    for (uint32_t i = 0; i < m->n_streams; i++)
        put_stream(out, &m->streams[i]);
    ws_buf_append(out, schema.data, schema.len);
    ws_buf_append(out, m->user_map.data, m->user_map.len);
    ws_buf_cstr(out, m->suggest_file);
    if (ws_buf_status(&schema) || ws_buf_status(out))
        out->status = WS_ERR_NOMEM;
    else
        ws_buf_u64le(out, ws_hash64(out->data + start, out->len - start));
    ws_buf_fini(&schema);
}

/* --- decoding --- */

typedef struct {
    uint32_t n_segments, n_streams, schema, user_map, suggest;
} counts;

static ws_status check_frame(ws_str bytes, ws_error *error)
{
    const uint8_t *p = (const uint8_t *)bytes.ptr;
    if (bytes.len < HEAD_BYTES + 8 || memcmp(p, WS_MAGIC_MANIFEST, WS_MAGIC_BYTES) != 0)
        return ws_error_set(error, WS_ERR_CORRUPT, "not a manifest");
    if (ws_load_u32le(p + 12) != bytes.len ||
        ws_hash64(p, bytes.len - 8) != ws_load_u64le(p + bytes.len - 8))
        return ws_error_set(error, WS_ERR_CORRUPT, "the manifest does not match its hash");
    if (ws_load_u16le(p + 8) != WS_FORMAT_MAJOR)
        return ws_error_set(error, WS_ERR_VERSION, "format %u.%u is not readable by this version",
                            ws_load_u16le(p + 8), ws_load_u16le(p + 10));
    return WS_OK;
}

static ws_status read_counts(ws_str bytes, counts *c, ws_error *error)
{
    const uint8_t *p = (const uint8_t *)bytes.ptr + 80;
    *c = (counts){ws_load_u32le(p), ws_load_u32le(p + 4), ws_load_u32le(p + 8),
                  ws_load_u32le(p + 12), ws_load_u32le(p + 16)};
    uint64_t total = HEAD_BYTES + (uint64_t)c->n_segments * SEGMENT_BYTES +
                     (uint64_t)c->n_streams * STREAM_BYTES + c->schema + (uint64_t)c->user_map +
                     c->suggest + 8;
    if (c->n_segments > WS_MAX_SEGMENTS || c->n_streams > WS_MAX_TEXT_FIELDS * WS_SCHEMA_STREAMS ||
        c->user_map > WS_USER_MAP_MAX || c->suggest >= sizeof((ws_manifest *)0)->suggest_file ||
        total != bytes.len)
        return ws_error_set(error, WS_ERR_CORRUPT, "the manifest's counts are not possible");
    return WS_OK;
}

static int read_segment(const uint8_t *p, ws_manifest_segment *s)
{
    *s = (ws_manifest_segment){
        .id = ws_load_u64le(p),
        .length = ws_load_u64le(p + 8),
        .tail_hash = ws_load_u64le(p + 16),
        .n_docs = ws_load_u32le(p + 24),
        .n_deleted = ws_load_u32le(p + 28),
        .live_generation = ws_load_u64le(p + 32),
        .live_hash = ws_load_u64le(p + 40),
        .in_epoch = ws_load_u32le(p + 48),
    };
    return s->n_docs >= 1 && s->n_docs <= WS_DOCS_MAX && s->n_deleted <= s->n_docs &&
           s->in_epoch <= 1 && (s->live_generation || !s->n_deleted);
}

static ws_status read_segments(ws_manifest *m, const uint8_t *p, ws_error *error)
{
    uint64_t documents = 0;
    m->segments = ws_reallocarray(NULL, m->n_segments + 1u, sizeof *m->segments);
    if (!m->segments)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a manifest");
    for (uint32_t i = 0; i < m->n_segments; i++)
        if (!read_segment(p + (size_t)i * SEGMENT_BYTES, &m->segments[i]) ||
            (i && m->segments[i].id <= m->segments[i - 1].id) ||
            m->segments[i].id >= m->next_segment_id)
            return ws_error_set(error, WS_ERR_CORRUPT, "segment %u of the manifest is not possible",
                                i);
    for (uint32_t i = 0; i < m->n_segments; i++)
        documents += m->segments[i].n_docs;
    /* They are numbered through in 32 bits (ws_snapshot_segment.first_doc). */
    return documents <= UINT32_MAX
               ? WS_OK
               : ws_error_set(error, WS_ERR_CORRUPT, "more than 2^32 - 1 documents");
}

static ws_status read_streams(ws_manifest *m, const uint8_t *p, ws_error *error)
{
    for (uint32_t i = 0; i < m->n_streams; i++, p += STREAM_BYTES) {
        m->streams[i] =
            (ws_manifest_stream){p[0], p[1], ws_load_u64le(p + 8), ws_load_u64le(p + 16)};
        if (p[0] >= m->schema.n_fields || p[1] >= WS_SCHEMA_STREAMS ||
            ws_manifest_find_stream(m, p[0], p[1]) != &m->streams[i])
            return ws_error_set(error, WS_ERR_CORRUPT, "statistics of an unknown stream");
    }
    return WS_OK;
}

/* Pairs must fill the map exactly. */
static int user_map_is_sound(const ws_buf *map)
{
    if (map->len == 0)
        return 1;
    const uint8_t *p = map->data, *end = p + map->len;
    for (int odd = 0; p < end || odd; odd = !odd) {
        if (end - p < 2 || end - p - 2 < ws_load_u16le(p))
            return 0;
        p += 2 + ws_load_u16le(p);
    }
    return 1;
}

static void read_head(ws_manifest *m, const uint8_t *p, const counts *c)
{
    uint64_t *numbers[] = {&m->generation,      &m->previous_generation, &m->commit_time_ns,
                           &m->epoch,           &m->epoch_docs,          &m->next_doc_key,
                           &m->next_segment_id, &m->fingerprint};
    for (size_t i = 0; i < WS_ARRAY_LEN(numbers); i++)
        *numbers[i] = ws_load_u64le(p + 16 + i * 8);
    m->n_segments = c->n_segments;
    m->n_streams = c->n_streams;
}

static ws_status read_rest(ws_manifest *m, ws_str bytes, const counts *c, ws_error *error)
{
    const uint8_t *p = (const uint8_t *)bytes.ptr + HEAD_BYTES;
    const uint8_t *streams = p + (size_t)c->n_segments * SEGMENT_BYTES;
    const uint8_t *tail = streams + (size_t)c->n_streams * STREAM_BYTES;
    WS_TRY(read_segments(m, p, error));
    if (ws_schema_decode(&m->schema, ws_str_make((const char *)tail, c->schema)))
        return ws_error_set(error, WS_ERR_CORRUPT, "the manifest's schema is not possible");
    WS_TRY(read_streams(m, streams, error));
    tail += c->schema;
    ws_buf_append(&m->user_map, tail, c->user_map);
    memcpy(m->suggest_file, tail + c->user_map, c->suggest);
    if (ws_buf_status(&m->user_map))
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a manifest");
    if (!user_map_is_sound(&m->user_map) || strlen(m->suggest_file) != c->suggest ||
        strchr(m->suggest_file, '/'))
        return ws_error_set(error, WS_ERR_CORRUPT,
                            "the manifest's user map or suggest file is not possible");
    return WS_OK;
}

ws_status ws_manifest_decode(ws_manifest *m, ws_str bytes, ws_error *error)
{
    counts c;
    ws_manifest_init(m);
    WS_TRY(check_frame(bytes, error));
    WS_TRY(read_counts(bytes, &c, error));
    read_head(m, (const uint8_t *)bytes.ptr, &c);
    ws_status status = read_rest(m, bytes, &c, error);
    if (status)
        ws_manifest_fini(m);
    return status;
}

/* --- user map --- */

/* The pair of a key: offset of its key's length in the map, and its whole length; 0 when there is
 * none. */
static size_t find_pair(const ws_buf *map, ws_str key, size_t *at)
{
    for (*at = 0; *at < map->len;) {
        size_t key_length = ws_load_u16le(map->data + *at);
        size_t value_length = ws_load_u16le(map->data + *at + 2 + key_length);
        if (ws_str_eq(key, ws_str_make((const char *)map->data + *at + 2, key_length)))
            return 4 + key_length + value_length;
        *at += 4 + key_length + value_length;
    }
    return 0;
}

ws_status ws_user_map_get(const ws_manifest *m, ws_str key, ws_str *value)
{
    size_t at, n = find_pair(&m->user_map, key, &at);
    if (n == 0)
        return WS_ERR_NOT_FOUND;
    *value = ws_str_make((const char *)m->user_map.data + at + 4 + key.len, n - 4 - key.len);
    return WS_OK;
}

ws_status ws_user_map_set(ws_manifest *m, ws_str key, ws_str value)
{
    size_t at, n = find_pair(&m->user_map, key, &at);
    size_t added = value.ptr ? 4 + key.len + value.len : 0;
    if (m->user_map.len - n + added > WS_USER_MAP_MAX)
        return WS_ERR_LIMIT;
    WS_TRY(ws_buf_reserve(&m->user_map, added));
    if (n) {
        memmove(m->user_map.data + at, m->user_map.data + at + n, m->user_map.len - at - n);
        m->user_map.len -= n;
    }
    if (!value.ptr)
        return WS_OK;
    ws_buf_u16le(&m->user_map, (uint16_t)key.len);
    ws_buf_str(&m->user_map, key);
    ws_buf_u16le(&m->user_map, (uint16_t)value.len);
    ws_buf_str(&m->user_map, value);
    return ws_buf_status(&m->user_map);
}

/* --- questions --- */

const ws_manifest_stream *ws_manifest_find_stream(const ws_manifest *m, uint32_t field,
                                                  uint32_t stream)
{
    for (uint32_t i = 0; i < m->n_streams; i++)
        if (m->streams[i].field == field && m->streams[i].stream == stream)
            return &m->streams[i];
    return NULL;
}

void ws_segment_file_name(char *out, uint64_t id)
{
    snprintf(out, 64, "seg-%016llx.wsg", (unsigned long long)id);
}

void ws_live_file_name(char *out, uint64_t id, uint64_t generation)
{
    snprintf(out, 64, "del-%016llx-%016llx.wsd", (unsigned long long)id,
             (unsigned long long)generation);
}
