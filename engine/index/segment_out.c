/* Writing a segment container, to a file or to memory. The header names the number of documents,
 * which is known last: the first 64 KiB are kept, so that their sum can be taken when it is. */
#include <errno.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "engine/index/segment_file.h"
#include "engine/index/small_file.h"

#define ENDIAN_MARK 0x0a0b0c0du

struct ws_segment_out {
    int to_file;
    ws_file_writer file;
    ws_buf memory;
    uint64_t id, fingerprint;
    uint32_t n_docs;
    uint64_t length;            /* of the file so far */
    ws_hasher *section, *block; /* of the section, and of the 64 KiB block, being written */
    int in_section;
    uint64_t section_offset; /* of the section being written */
    ws_section_entry *sections;
    uint32_t n_sections, sections_cap;
    uint8_t *first;   /* the first 64 KiB of the file */
    ws_buf sums;      /* u64 by 64 KiB block; [0] is set by finish */
    int sums_done;    /* BLOCK_SUMS is being written: no more sums */
    ws_status status; /* sticky */
};

static void put_header(const ws_segment_out *out, uint8_t header[WS_SEGMENT_HEADER_BYTES])
{
    memset(header, 0, WS_SEGMENT_HEADER_BYTES);
    memcpy(header, WS_MAGIC_SEGMENT, WS_MAGIC_BYTES);
    ws_store_u16le(header + 8, WS_FORMAT_MAJOR);
    ws_store_u16le(header + 10, WS_FORMAT_MINOR);
    ws_store_u32le(header + 12, ENDIAN_MARK);
    ws_store_u64le(header + 32, out->id);
    ws_store_u64le(header + 40, out->fingerprint);
    ws_store_u32le(header + 48, out->n_docs);
}

/* --- bytes --- */

static ws_status store(ws_segment_out *out, const uint8_t *bytes, size_t n)
{
    if (out->to_file) {
        ws_file_writer_append(&out->file, bytes, n);
        return out->file.status;
    }
    ws_buf_append(&out->memory, bytes, n);
    return ws_buf_status(&out->memory);
}

static void sum_bytes(ws_segment_out *out, const uint8_t *bytes, size_t n)
{
    while (n) {
        size_t at = (size_t)(out->length % WS_SUM_BLOCK_BYTES),
               take = WS_MIN(n, WS_SUM_BLOCK_BYTES - at);
        if (out->length < WS_SUM_BLOCK_BYTES)
            memcpy(out->first + at, bytes, take);
        ws_hasher_update(out->block, bytes, take);
        out->length += take;
        bytes += take;
        n -= take;
        if (out->length % WS_SUM_BLOCK_BYTES == 0) {
            ws_buf_u64le(&out->sums, ws_hasher_digest(out->block));
            ws_hasher_reset(out->block);
        }
    }
}

/* After an error bytes are only counted: callers go on to compute offsets until finish tells them.
 */
static void emit(ws_segment_out *out, const void *bytes, size_t n)
{
    if (n == 0)
        return;
    if (!out->status)
        out->status = store(out, bytes, n);
    if (out->status || out->sums_done)
        out->length += n;
    else
        sum_bytes(out, bytes, n);
}

static void align(ws_segment_out *out)
{
    static const uint8_t zeros[WS_SECTION_ALIGN] = {0};
    emit(out, zeros, (size_t)(-out->length % WS_SECTION_ALIGN));
}

/* --- life --- */

ws_status ws_segment_out_new(ws_segment_out **result, const char *path, uint64_t segment_id,
                             uint64_t fingerprint, ws_error *error)
{
    uint8_t header[WS_SEGMENT_HEADER_BYTES];
    *result = NULL;
    ws_segment_out *out = ws_calloc(1, sizeof *out);
    if (!out)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a segment");
    out->id = segment_id;
    out->fingerprint = fingerprint;
    ws_buf_init(&out->memory);
    ws_buf_init(&out->sums);
    out->section = ws_hasher_new();
    out->block = ws_hasher_new();
    out->first = ws_malloc(WS_SUM_BLOCK_BYTES);
    ws_status status = out->section && out->block && out->first
                           ? WS_OK
                           : ws_error_set(error, WS_ERR_NOMEM, "no memory for a segment");
    if (!status && path) {
        status = ws_file_writer_open(&out->file, path, error);
        out->to_file = status == WS_OK;
    }
    if (status) {
        ws_segment_out_free(out);
        return status;
    }
    put_header(out, header);
    emit(out, header, sizeof header);
    *result = out;
    return WS_OK;
}

void ws_segment_out_free(ws_segment_out *out)
{
    if (!out)
        return;
    if (out->to_file)
        ws_file_writer_abort(&out->file);
    ws_buf_fini(&out->memory);
    ws_buf_fini(&out->sums);
    ws_hasher_free(out->section);
    ws_hasher_free(out->block);
    ws_free(out->sections);
    ws_free(out->first);
    ws_free(out);
}

void ws_segment_out_set_docs(ws_segment_out *out, uint32_t n_docs)
{
    out->n_docs = n_docs;
}

/* --- sections --- */

static ws_section_entry *new_entry(ws_segment_out *out)
{
    if (out->n_sections == out->sections_cap) {
        uint32_t cap = out->sections_cap ? out->sections_cap * 2 : 32;
        ws_section_entry *grown = ws_reallocarray(out->sections, cap, sizeof *grown);
        if (!grown)
            return NULL;
        out->sections = grown;
        out->sections_cap = cap;
    }
    return &out->sections[out->n_sections++];
}

void ws_segment_out_begin(ws_segment_out *out, uint32_t kind, uint32_t field, uint32_t stream,
                          uint32_t flags)
{
    align(out);
    out->section_offset = out->length;
    out->in_section = 1;
    ws_section_entry *entry = out->status ? NULL : new_entry(out);
    if (!entry) {
        out->status = out->status ? out->status : WS_ERR_NOMEM;
        return;
    }
    *entry = (ws_section_entry){
        (uint16_t)kind, (uint8_t)field, (uint8_t)stream, flags, out->length, 0, 0};
    ws_hasher_reset(out->section);
}

void ws_segment_out_write(ws_segment_out *out, const void *bytes, size_t n)
{
    if (!out->status && n)
        ws_hasher_update(out->section, bytes, n);
    emit(out, bytes, n);
}

uint64_t ws_segment_out_section_length(const ws_segment_out *out)
{
    return out->in_section ? out->length - out->section_offset : 0;
}

ws_status ws_segment_out_status(const ws_segment_out *out)
{
    return out->status;
}

void ws_segment_out_end(ws_segment_out *out)
{
    if (!out->status && out->in_section) {
        ws_section_entry *entry = &out->sections[out->n_sections - 1];
        entry->length = out->length - entry->offset;
        entry->hash = ws_hasher_digest(out->section);
    }
    out->in_section = 0;
}

void ws_segment_out_section(ws_segment_out *out, uint32_t kind, uint32_t field, uint32_t stream,
                            const void *bytes, size_t n)
{
    ws_segment_out_begin(out, kind, field, stream, 0);
    ws_segment_out_write(out, bytes, n);
    ws_segment_out_end(out);
}

static void write_bytes(void *ctx, const void *bytes, size_t n)
{
    ws_segment_out_write(ctx, bytes, n);
}

void ws_segment_out_spool(ws_segment_out *out, uint32_t kind, uint32_t field, uint32_t stream,
                          ws_spool *spool, uint32_t padding)
{
    static const uint8_t zeros[WS_SECTION_PADDING] = {0};
    ws_segment_out_begin(out, kind, field, stream, 0);
    ws_status status = ws_spool_replay(spool, write_bytes, out, NULL);
    ws_segment_out_write(out, zeros, WS_MIN(padding, WS_SECTION_PADDING));
    ws_segment_out_end(out);
    if (!out->status && status)
        out->status = status;
}

/* --- the end --- */

/* The sum of block 0 with the header as it will be. */
static void patch_first_sum(ws_segment_out *out, const uint8_t header[WS_SEGMENT_HEADER_BYTES],
                            uint64_t covered)
{
    memcpy(out->first, header, WS_SEGMENT_HEADER_BYTES);
    size_t n = (size_t)WS_MIN(covered, (uint64_t)WS_SUM_BLOCK_BYTES);
    ws_store_u64le(out->sums.data, ws_hash64(out->first, n));
}

static void write_sums(ws_segment_out *out, const uint8_t header[WS_SEGMENT_HEADER_BYTES])
{
    align(out);
    uint64_t covered = out->length;
    if (covered % WS_SUM_BLOCK_BYTES)
        ws_buf_u64le(&out->sums, ws_hasher_digest(out->block));
    out->status = out->status ? out->status : ws_buf_status(&out->sums);
    if (out->status)
        return;
    patch_first_sum(out, header, covered);
    out->sums_done = 1;
    ws_segment_out_section(out, WS_KIND_BLOCK_SUMS, WS_ALL_FIELDS, WS_ALL_STREAMS, out->sums.data,
                           out->sums.len);
}

static void put_entry(ws_buf *table, const ws_section_entry *e)
{
    ws_buf_u16le(table, e->kind);
    ws_buf_u8(table, e->field);
    ws_buf_u8(table, e->stream);
    ws_buf_u32le(table, e->flags);
    ws_buf_u64le(table, e->offset);
    ws_buf_u64le(table, e->length);
    ws_buf_u64le(table, e->hash);
}

static void write_table(ws_segment_out *out, const uint8_t header[WS_SEGMENT_HEADER_BYTES],
                        uint64_t *tail_hash)
{
    ws_buf table;
    ws_buf_init(&table);
    align(out);
    uint64_t offset = out->length;
    ws_buf_append(&table, header, WS_SEGMENT_HEADER_BYTES);
    for (uint32_t i = 0; i < out->n_sections; i++)
        put_entry(&table, &out->sections[i]);
    uint64_t file_length = offset + table.len - WS_SEGMENT_HEADER_BYTES + WS_SEGMENT_TAIL_BYTES;
    ws_buf_u64le(&table, offset);
    ws_buf_u32le(&table, out->n_sections);
    ws_buf_u32le(&table, 0);
    ws_buf_u64le(&table, file_length);
    *tail_hash = ws_hash64(table.data, table.len);
    ws_buf_u64le(&table, *tail_hash);
    ws_buf_append(&table, WS_MAGIC_END, WS_MAGIC_BYTES);
    out->status = out->status ? out->status : ws_buf_status(&table);
    if (!out->status)
        emit(out, table.data + WS_SEGMENT_HEADER_BYTES, table.len - WS_SEGMENT_HEADER_BYTES);
    ws_buf_fini(&table);
}

static ws_status pwrite_all(int fd, const uint8_t *bytes, size_t n, const char *path,
                            ws_error *error)
{
    for (size_t done = 0; done < n;) {
        ssize_t put = pwrite(fd, bytes + done, n - done, (off_t)done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return ws_error_errno(error, put ? errno : EIO, path, "cannot write");
        done += (size_t)put;
    }
    return WS_OK;
}

static ws_status rewrite_header(ws_segment_out *out, const uint8_t header[WS_SEGMENT_HEADER_BYTES],
                                ws_error *error)
{
    if (!out->to_file) {
        memcpy(out->memory.data, header, WS_SEGMENT_HEADER_BYTES);
        return WS_OK;
    }
    ws_status status = ws_file_writer_flush(&out->file);
    if (!status)
        return pwrite_all(out->file.fd, header, WS_SEGMENT_HEADER_BYTES, out->file.path, error);
    if (error)
        *error = out->file.error;
    return status;
}

/* The first error, with the file's own words where the file has failed. */
static ws_status tell(const ws_segment_out *out, ws_error *error)
{
    if (out->to_file && out->file.status) {
        if (error)
            *error = out->file.error;
        return out->file.status;
    }
    return ws_error_set(error, out->status, "cannot write the segment: %s",
                        ws_status_text(out->status));
}

ws_status ws_segment_out_finish(ws_segment_out *out, uint64_t *length, uint64_t *tail_hash,
                                ws_error *error)
{
    uint8_t header[WS_SEGMENT_HEADER_BYTES];
    *length = *tail_hash = 0;
    if (!out->status && (out->n_docs == 0 || out->n_docs > WS_DOCS_MAX))
        return ws_error_set(error, WS_ERR_STATE, "a segment of %u documents", out->n_docs);
    put_header(out, header);
    write_sums(out, header);
    write_table(out, header, tail_hash);
    if (out->status)
        return tell(out, error);
    *length = out->length;
    WS_TRY(rewrite_header(out, header, error));
    return out->to_file ? ws_finish_file(&out->file, "segment.sync", "segment.rename", error)
                        : WS_OK;
}

ws_status ws_segment_out_take(ws_segment_out *out, uint8_t **data, size_t *size)
{
    if (out->to_file)
        return WS_ERR_STATE;
    *data = out->memory.data;
    *size = out->memory.len;
    ws_buf_init(&out->memory);
    return WS_OK;
}
