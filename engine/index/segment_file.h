/* Container of a segment: header, sections, table, tail, hashes (docs/format.md section 2). Knows
 * nothing of what sections mean.
 *
 * Reading: open validates structure once (magic, version, table in range, ordered, no overlap,
 * aligned, unknown kinds, tail hash, file length), and the hashes of META, STORED_DIR's head and
 * BLOCK_SUMS; after that every section is a plain slice. Payload is verified lazily by
 * ws_segment_file_touch.
 */
#ifndef WS_INDEX_SEGMENT_FILE_H
#define WS_INDEX_SEGMENT_FILE_H

#include <stdatomic.h>

#include "base/file.h"
#include "engine/index/format.h"
#include "engine/index/spool.h"
#include "wikisearch/index.h"

typedef struct {
    const uint8_t *data;
    uint64_t size;
} ws_section; /* {NULL, 0} = absent */

typedef struct {
    uint16_t kind;
    uint8_t field, stream;
    uint32_t flags;
    uint64_t offset, length, hash;
} ws_section_entry;

typedef struct {
    ws_map map;
    char path[4096];      /* for messages; "" for memory */
    uint64_t id;          /* segment number */
    uint64_t fingerprint; /* analysis fingerprint */
    uint64_t tail_hash;   /* identity */
    uint32_t n_docs;
    uint32_t n_sections;
    ws_section_entry *sections;
    const uint8_t *sums; /* u64le[n_sums] */
    uint64_t n_sums, sums_offset;
    _Atomic uint64_t *seen; /* one bit per 64 KiB block verified; NULL with WS_VERIFY_OFF */
} ws_segment_file;

/* Opens `path`. verify = WS_VERIFY_*, access = WS_ACCESS_*. Errors: WS_ERR_CORRUPT (error says
 * where), WS_ERR_VERSION, WS_ERR_NOT_FOUND, WS_ERR_IO, WS_ERR_NOMEM. */
ws_status ws_segment_file_open(ws_segment_file *file, const char *path, uint32_t access,
                               uint32_t verify, ws_error *error);

/* The same over bytes in memory; takes ownership of `data` (ws_malloc'ed) also on failure. */
ws_status ws_segment_file_open_memory(ws_segment_file *file, uint8_t *data, size_t size,
                                      ws_error *error);
void ws_segment_file_close(ws_segment_file *file);

/* The section of a kind, field and stream; WS_ALL_* match exactly that value. Absent: {NULL, 0}.
 * O(sections). */
ws_section ws_segment_file_section(const ws_segment_file *file, uint32_t kind, uint32_t field,
                                   uint32_t stream);

/* Verifies the 64 KiB blocks under [ptr, ptr + n) that were not yet seen good. ptr must lie in the
 * file. WS_ERR_CORRUPT names block and path through the return code only (hot path). [any] */
ws_status ws_segment_file_touch_slow(ws_segment_file *file, const uint8_t *ptr, size_t n);
static inline ws_status ws_segment_file_touch(ws_segment_file *file, const void *ptr, size_t n)
{
    if (!file->seen || n == 0)
        return WS_OK;
    uint64_t first = (uint64_t)((const uint8_t *)ptr - file->map.data) / WS_SUM_BLOCK_BYTES;
    uint64_t last =
        ((uint64_t)((const uint8_t *)ptr - file->map.data) + n - 1) / WS_SUM_BLOCK_BYTES;
    if (first == last &&
        (atomic_load_explicit(&file->seen[first / 64], memory_order_relaxed) >> (first % 64) & 1))
        return WS_OK;
    return ws_segment_file_touch_slow(file, (const uint8_t *)ptr, n);
}

/* Checks the hash of a whole section (check --level normal). */
ws_status ws_segment_file_verify_section(const ws_segment_file *file, uint32_t index);

/* Checks the sum of every 64 KiB block before BLOCK_SUMS, padding included. *bad = offset of the
 * first block that fails; untouched when none does. */
ws_status ws_segment_file_verify_blocks(const ws_segment_file *file, uint64_t *bad);

/* --- writing --- */

/* Output of a segment: a file or memory. Sections are added one after the other; each is hashed, 64
 * KiB sums are kept on the way. */
typedef struct ws_segment_out ws_segment_out;

/* path NULL = memory. `segment_id`, `fingerprint` and `n_docs` go into the header (n_docs may be
 * set later, before finish). */
ws_status ws_segment_out_new(ws_segment_out **out, const char *path, uint64_t segment_id,
                             uint64_t fingerprint, ws_error *error);
void ws_segment_out_set_docs(ws_segment_out *out, uint32_t n_docs);
void ws_segment_out_begin(ws_segment_out *out, uint32_t kind, uint32_t field, uint32_t stream,
                          uint32_t flags);
/* errors are sticky until finish */
void ws_segment_out_write(ws_segment_out *out, const void *bytes, size_t n);
void ws_segment_out_end(ws_segment_out *out);
/* of the section being written */
uint64_t ws_segment_out_section_length(const ws_segment_out *out);
/* the sticky status, for writers that can stop early */
ws_status ws_segment_out_status(const ws_segment_out *out);
void ws_segment_out_section(ws_segment_out *out, uint32_t kind, uint32_t field, uint32_t stream,
                            const void *bytes, size_t n); /* begin + write + end */
void ws_segment_out_spool(ws_segment_out *out, uint32_t kind, uint32_t field, uint32_t stream,
                          /* a whole spool, then `padding` zero bytes */
                          ws_spool *spool, uint32_t padding);

/* Writes sums, table, tail; fdatasync; rename to the final name (not yet a durable name: the
 * committer syncs the directory).
 *   length, tail_hash  out: what the manifest records. Failpoints segment.sync, segment.rename. */
ws_status ws_segment_out_finish(ws_segment_out *out, uint64_t *length, uint64_t *tail_hash,
                                ws_error *error);

/* After finish of a memory output: the bytes; the caller owns them (ws_free). */
ws_status ws_segment_out_take(ws_segment_out *out, uint8_t **data, size_t *size);
void ws_segment_out_free(ws_segment_out *out); /* removes an unfinished file */

#endif
