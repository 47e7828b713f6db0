#include "engine/index/dictionary_writer.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"

#define HASH_RECORD 12u

void ws_dictionary_writer_init(ws_dictionary_writer *w, const char *spool_dir, size_t spool_limit)
{
    memset(w, 0, sizeof *w);
    ws_buf_init(&w->block);
    ws_spool_init(&w->data, spool_dir, spool_limit);
    ws_spool_init(&w->offsets, spool_dir, spool_limit);
    ws_spool_init(&w->hashes, spool_dir, spool_limit);
}

void ws_dictionary_writer_fini(ws_dictionary_writer *w)
{
    ws_buf_fini(&w->block);
    ws_spool_fini(&w->data);
    ws_spool_fini(&w->offsets);
    ws_spool_fini(&w->hashes);
}

static void append_u32(ws_spool *spool, uint64_t value)
{
    uint8_t bytes[4];
    ws_store_u32le(bytes, (uint32_t)value);
    ws_spool_append(spool, bytes, sizeof bytes);
}

static void begin_block(ws_dictionary_writer *w, const ws_term_info *info)
{
    append_u32(&w->offsets, ws_spool_length(&w->data));
    w->n_blocks++;
    ws_buf_varint(&w->block, info->doc_offset);
    ws_buf_varint(&w->block, info->tf_offset);
    ws_buf_varint(&w->block, info->pos_offset);
    ws_buf_varint(&w->block, info->dir_offset);
    ws_buf_varint(&w->block, info->posdir_offset);
}

static void end_block(ws_dictionary_writer *w)
{
    ws_spool_append(&w->data, w->block.data, w->block.len);
    ws_buf_clear(&w->block);
    w->n_in_block = 0;
}

static size_t shared_bytes(const ws_dictionary_writer *w, ws_str key)
{
    size_t n = 0, most = w->n_in_block ? WS_MIN(key.len, w->last_length) : 0;
    while (n < most && (uint8_t)key.ptr[n] == w->last_key[n])
        n++;
    return n;
}

static void put_info(ws_buf *b, const ws_term_info *info)
{
    ws_buf_varint(b, info->df);
    if (info->df == 1) {
        ws_buf_varint(b, info->doc);
        ws_buf_varint(b, info->cf - 1);
        if (info->positions)
            ws_buf_varint(b, info->cf == 1 ? info->position : info->pos_length);
        return;
    }
    ws_buf_varint(b, info->cf - info->df);
    ws_buf_varint(b, info->doc_length);
    if (info->cf > info->df)
        ws_buf_varint(b, info->tf_length);
    if (info->positions)
        ws_buf_varint(b, info->pos_length);
}

static void keep_hash(ws_dictionary_writer *w, ws_str key)
{
    uint8_t record[HASH_RECORD];
    ws_store_u64le(record, ws_hash64(key.ptr, key.len));
    ws_store_u32le(record + 8, w->n_blocks - 1);
    ws_spool_append(&w->hashes, record, sizeof record);
}

ws_status ws_dictionary_writer_add(ws_dictionary_writer *w, ws_str key, const ws_term_info *info)
{
    if (key.len < 2 || key.len > WS_TERM_KEY_MAX ||
        (w->n_terms &&
         ws_str_cmp(key, ws_str_make((const char *)w->last_key, w->last_length)) <= 0))
        return WS_ERR_ARG;
    if (w->n_in_block == 0)
        begin_block(w, info);
    size_t shared = shared_bytes(w, key);
    ws_buf_varint(&w->block, shared);
    ws_buf_varint(&w->block, key.len - shared);
    ws_buf_append(&w->block, key.ptr + shared, key.len - shared);
    put_info(&w->block, info);
    keep_hash(w, key);
    memcpy(w->last_key, key.ptr, key.len);
    w->last_length = key.len;
    w->n_terms++;
    WS_TRY(ws_buf_status(&w->block));
    if (++w->n_in_block == WS_TERMS_PER_BLOCK)
        end_block(w);
    return WS_OK;
}

/* --- finish --- */

static void write_bytes(void *ctx, const void *bytes, size_t n)
{
    ws_segment_out_write(ctx, bytes, n);
}

static ws_status write_blocks(ws_dictionary_writer *w, ws_segment_out *out)
{
    uint8_t head[16] = {0};
    append_u32(&w->offsets, ws_spool_length(&w->data));
    if (ws_spool_length(&w->data) > UINT32_MAX)
        return WS_ERR_LIMIT;
    ws_store_u64le(head, w->n_terms);
    ws_store_u32le(head + 8, w->n_blocks);
    ws_segment_out_begin(out, WS_KIND_TERM_BLOCKS, WS_ALL_FIELDS, WS_ALL_STREAMS, 0);
    ws_segment_out_write(out, head, sizeof head);
    ws_status status = ws_spool_replay(&w->offsets, write_bytes, out, NULL);
    if (!status)
        status = ws_spool_replay(&w->data, write_bytes, out, NULL);
    ws_segment_out_end(out);
    return status;
}

typedef struct {
    uint32_t *slots;
    uint64_t n_slots;
    unsigned block_bits;
    uint8_t partial[HASH_RECORD]; /* a record cut by a chunk boundary */
    size_t n_partial;
} hash_table;

static void insert(hash_table *t, const uint8_t *record)
{
    uint64_t hash = ws_load_u64le(record);
    uint32_t block = ws_load_u32le(record + 8);
    uint64_t fingerprint = hash & ((1ull << (32 - t->block_bits)) - 1);
    uint64_t at = (hash >> 32) * t->n_slots >> 32;
    while (t->slots[at])
        at = at + 1 == t->n_slots ? 0 : at + 1;
    ws_store_u32le(&t->slots[at], (uint32_t)(fingerprint << t->block_bits | (block + 1u)));
}

static void insert_records(void *ctx, const void *bytes, size_t n)
{
    hash_table *t = ctx;
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i++) {
        t->partial[t->n_partial++] = p[i];
        if (t->n_partial == HASH_RECORD) {
            insert(t, t->partial);
            t->n_partial = 0;
        }
    }
}

static ws_status write_hash(ws_dictionary_writer *w, ws_segment_out *out)
{
    uint8_t head[16] = {0};
    hash_table t = {.n_slots = w->n_terms * 20 / 17 + 1, .block_bits = ws_bits_u32(w->n_blocks)};
    t.slots = ws_calloc(t.n_slots, sizeof *t.slots);
    if (!t.slots)
        return WS_ERR_NOMEM;
    ws_status status = ws_spool_replay(&w->hashes, insert_records, &t, NULL);
    ws_store_u64le(head, t.n_slots);
    ws_store_u32le(head + 8, t.block_bits);
    ws_segment_out_begin(out, WS_KIND_TERM_HASH, WS_ALL_FIELDS, WS_ALL_STREAMS, 0);
    ws_segment_out_write(out, head, sizeof head);
    ws_segment_out_write(out, t.slots, t.n_slots * sizeof *t.slots);
    ws_segment_out_end(out);
    ws_free(t.slots);
    return status;
}

ws_status ws_dictionary_writer_finish(ws_dictionary_writer *w, ws_segment_out *out)
{
    if (w->n_in_block)
        end_block(w);
    WS_TRY(write_blocks(w, out));
    return write_hash(w, out);
}
