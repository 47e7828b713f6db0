/* MANIFEST: one generation of an index, and the commit that replaces it (docs/format.md sections 1
 * and 7). */
#ifndef WS_INDEX_MANIFEST_H
#define WS_INDEX_MANIFEST_H

#include "base/file.h"
#include "engine/index/schema.h"

typedef struct {
    uint64_t id, length, tail_hash;
    uint32_t n_docs, n_deleted;
    uint64_t live_generation, live_hash; /* 0 = all live */
    uint32_t in_epoch;
} ws_manifest_segment;

typedef struct {
    uint8_t field, stream;
    uint64_t n_docs, sum_length;
} ws_manifest_stream;

typedef struct {
    uint64_t generation, previous_generation;
    uint64_t commit_time_ns;
    uint64_t epoch, epoch_docs;
    uint64_t next_doc_key, next_segment_id;
    uint64_t fingerprint;
    uint32_t n_segments, n_streams;
    ws_manifest_segment *segments; /* heap */
    ws_manifest_stream streams[WS_MAX_TEXT_FIELDS * WS_SCHEMA_STREAMS];
    ws_schema schema;
    ws_buf user_map;        /* encoded pairs */
    char suggest_file[256]; /* "" = none */
} ws_manifest;

void ws_manifest_init(ws_manifest *m); /* empty: generation 0, epoch 0, default schema */
void ws_manifest_fini(ws_manifest *m);
ws_status ws_manifest_copy(ws_manifest *to, const ws_manifest *from);

void ws_manifest_encode(const ws_manifest *m, ws_buf *out);
/* validates everything: CORRUPT, VERSION */
ws_status ws_manifest_decode(ws_manifest *m, ws_str bytes, ws_error *error);

/* Reads DIR/MANIFEST; when that is damaged, MANIFEST.prev and WS_FALLBACK with `error` filled.
 * WS_ERR_NOT_FOUND when there is neither. */
ws_status ws_manifest_read(ws_manifest *m, const char *dir, ws_error *error);

/* Reads DIR/MANIFEST.prev alone. WS_ERR_NOT_FOUND, WS_ERR_CORRUPT, WS_ERR_IO, WS_ERR_NOMEM. */
ws_status ws_manifest_read_previous(ws_manifest *m, const char *dir, ws_error *error);

/* Generation in DIR/MANIFEST without decoding the rest (64 bytes); for refresh. Damaged or missing:
 * error. */
ws_status ws_manifest_peek(const char *dir, uint64_t *generation, ws_error *error);

/* The commit of docs/format.md section 1 from "fsync directory" on: segment and live files are
 * already written and renamed. On return WS_OK the generation is durable. WS_ERR_FSYNC_FAILED is
 * final. Failpoints: commit.dir1, commit.prev, commit.manifest.write, commit.manifest.sync,
 * commit.manifest.rename, commit.dir2. */
ws_status ws_manifest_commit(const ws_manifest *m, const char *dir, ws_error *error);

/* Unlinks *.tmp, segment and live files that neither MANIFEST nor MANIFEST.prev names. Only the
 * lock's owner calls it. Failpoint commit.unlink. */
ws_status ws_manifest_sweep(const char *dir, ws_error *error);

/* User map: value of a key (slice of m) or WS_ERR_NOT_FOUND; set replaces, value.ptr NULL removes;
 * WS_ERR_LIMIT beyond 4 KiB. */
ws_status ws_user_map_get(const ws_manifest *m, ws_str key, ws_str *value);
ws_status ws_user_map_set(ws_manifest *m, ws_str key, ws_str value);

/* NULL: none */
const ws_manifest_stream *ws_manifest_find_stream(const ws_manifest *m, uint32_t field,
                                                  uint32_t stream);

/* Names of files: out[64]. */
void ws_segment_file_name(char *out, uint64_t id);
void ws_live_file_name(char *out, uint64_t id, uint64_t generation);

#endif
