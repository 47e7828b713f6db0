#include "engine/index/live.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "engine/index/manifest.h"
#include "engine/index/small_file.h"

#define HEAD_BYTES 32u

static size_t n_words(uint32_t n_docs)
{
    return ((size_t)n_docs + 63) / 64;
}

/* All bits of the last word that are documents. */
static uint64_t last_mask(uint32_t n_docs)
{
    return n_docs % 64 ? (1ull << (n_docs % 64)) - 1 : UINT64_MAX;
}

/* Word i when every document lives. */
static uint64_t full_word(uint32_t n_docs, size_t i)
{
    return i + 1 == n_words(n_docs) ? last_mask(n_docs) : UINT64_MAX;
}

ws_status ws_live_init(ws_live *live, uint64_t segment_id, uint32_t n_docs)
{
    *live = (ws_live){.segment_id = segment_id, .n_docs = n_docs};
    live->words = ws_malloc(n_words(n_docs) * 8);
    if (!live->words)
        return WS_ERR_NOMEM;
    for (size_t i = 0; i < n_words(n_docs); i++)
        live->words[i] = full_word(n_docs, i);
    return WS_OK;
}

ws_status ws_live_copy(ws_live *to, const ws_live *from)
{
    *to = *from;
    if (!from->words)
        return WS_OK;
    to->words = ws_malloc(n_words(from->n_docs) * 8);
    if (!to->words)
        return WS_ERR_NOMEM;
    memcpy(to->words, from->words, n_words(from->n_docs) * 8);
    return WS_OK;
}

void ws_live_fini(ws_live *live)
{
    ws_free(live->words);
    live->words = NULL;
}

int ws_live_delete(ws_live *live, uint32_t doc)
{
    uint64_t bit = 1ull << (doc % 64);
    if (!(live->words[doc / 64] & bit))
        return 0;
    live->words[doc / 64] &= ~bit;
    live->n_deleted++;
    return 1;
}

static void encode(const ws_live *live, ws_buf *out, uint64_t *hash)
{
    ws_buf_append(out, WS_MAGIC_DELETES, WS_MAGIC_BYTES);
    ws_buf_u64le(out, live->segment_id);
    ws_buf_u64le(out, live->generation);
    ws_buf_u32le(out, live->n_docs);
    ws_buf_u32le(out, live->n_deleted);
    for (size_t i = 0; i < n_words(live->n_docs); i++)
        ws_buf_u64le(out, live->words ? live->words[i] : full_word(live->n_docs, i));
    *hash = ws_hash64(out->data, out->len);
    ws_buf_u64le(out, *hash);
}

ws_status ws_live_write(const ws_live *live, const char *dir, uint64_t *hash, ws_error *error)
{
    char name[64];
    ws_buf bytes;
    ws_live_file_name(name, live->segment_id, live->generation);
    ws_buf_init(&bytes);
    encode(live, &bytes, hash);
    ws_status status = ws_buf_status(&bytes);
    if (status)
        ws_error_at(error, status, dir, 0, "no memory for the live bits of a segment");
    else
        status = ws_small_file_write(dir, name, ws_buf_slice(&bytes), "segment.sync",
                                     "segment.rename", error);
    ws_buf_fini(&bytes);
    return status;
}

static uint32_t count_dead(const ws_live *live)
{
    uint32_t alive = 0;
    for (size_t i = 0; i < n_words(live->n_docs); i++)
        alive += (uint32_t)__builtin_popcountll(live->words[i]);
    return live->n_docs - alive;
}

/* Compares everything but the bits. */
static int head_matches(const ws_live *live, const uint8_t *p, size_t size, uint64_t hash)
{
    return size == HEAD_BYTES + n_words(live->n_docs) * 8 + 8 &&
           memcmp(p, WS_MAGIC_DELETES, WS_MAGIC_BYTES) == 0 &&
           ws_load_u64le(p + 8) == live->segment_id && ws_load_u64le(p + 16) == live->generation &&
           ws_load_u32le(p + 24) == live->n_docs && ws_load_u32le(p + 28) == live->n_deleted &&
           ws_load_u64le(p + size - 8) == hash && ws_hash64(p, size - 8) == hash;
}

static ws_status decode(ws_live *live, const uint8_t *p, size_t size, uint64_t hash)
{
    size_t n = n_words(live->n_docs);
    if (n == 0 || !head_matches(live, p, size, hash))
        return WS_ERR_CORRUPT;
    live->words = ws_malloc(n * 8);
    if (!live->words)
        return WS_ERR_NOMEM;
    for (size_t i = 0; i < n; i++)
        live->words[i] = ws_load_u64le(p + HEAD_BYTES + i * 8);
    return (live->words[n - 1] & ~last_mask(live->n_docs)) == 0 &&
                   count_dead(live) == live->n_deleted
               ? WS_OK
               : WS_ERR_CORRUPT;
}

ws_status ws_live_read(ws_live *live, const char *dir, uint64_t segment_id, uint64_t generation,
                       uint32_t n_docs, uint32_t n_deleted, uint64_t hash, ws_error *error)
{
    char name[64], path[4096];
    uint8_t *data;
    size_t size;
    *live = (ws_live){.segment_id = segment_id,
                      .generation = generation,
                      .n_docs = n_docs,
                      .n_deleted = n_deleted};
    ws_live_file_name(name, segment_id, generation);
    if (ws_path_join(path, sizeof path, dir, name))
        return ws_error_at(error, WS_ERR_LIMIT, dir, 0, "the path is too long");
    ws_status status =
        ws_file_read(path, HEAD_BYTES + n_words(n_docs) * 8 + 8, &data, &size, error);
    if (status == WS_ERR_LIMIT)
        return ws_error_at(error, WS_ERR_CORRUPT, path, 0,
                           "more live bits than the segment has documents");
    WS_TRY(status);
    status = decode(live, data, size, hash);
    ws_free(data);
    if (status) {
        ws_live_fini(live);
        return ws_error_at(error, status, path, 0,
                           status == WS_ERR_NOMEM ? "no memory for live bits"
                                                  : "live bits are not what MANIFEST says");
    }
    return WS_OK;
}
