/* Changing an index: documents in, a commit makes them durable and visible.
 *
 * One writer per index, across all processes (flock on DIR/LOCK, which dies with the process). A
 * writer belongs to one thread at a time. What was not committed is gone when the writer is closed
 * or the process dies.
 */
#ifndef WIKISEARCH_WRITER_H
#define WIKISEARCH_WRITER_H

#include "wikisearch/index.h"

WS_BEGIN_DECLS

typedef struct ws_writer ws_writer;
typedef struct ws_doc ws_doc;

/* Makes an empty document; free with ws_doc_free. It may be reset and reused. [1] */
WS_API ws_status ws_doc_new(ws_doc **out);
WS_API void ws_doc_free(ws_doc *doc);
WS_API void ws_doc_reset(ws_doc *doc);

/* Sets (text, int, stored) or adds to (multi keyword) a field.
 *   field  name in the schema, checked at put; copied
 *   value  bytes, copied; an int field takes decimal digits
 * Errors: WS_ERR_NOMEM. [1] */
WS_API ws_status ws_doc_set(ws_doc *doc, ws_str field, ws_str value);

typedef struct {
    uint32_t size;
    uint32_t reserved;
    uint64_t memory; /* ceiling for what is not flushed yet, bytes; 0 = 256 MiB */
} ws_writer_options;
#define WS_WRITER_OPTIONS_INIT                                                                     \
 {                                                                                                 \
  sizeof(ws_writer_options), 0, 0                                                                  \
 }

/* Takes the writer's lock, removes leftovers of a crashed writer.
 * Errors: WS_ERR_LOCKED (message names the pid), WS_ERR_ANALYSIS, WS_ERR_IO, WS_ERR_NOMEM. The
 * index must outlive the writer. */
WS_API ws_status ws_writer_open(ws_writer **out, ws_index *index, const ws_writer_options *options,
                                ws_error *error);

/* Releases the lock and discards what was not committed; NULL does nothing. */
WS_API void ws_writer_close(ws_writer *writer);

#define WS_PUT_CREATE 1u /* WS_ERR_CONFLICT when the id exists */

/* Adds a document, or replaces the one with this id (its DOC_KEY stays).
 *   id     1 to 512 bytes of printable UTF-8 (else WS_ERR_UTF8 or WS_ERR_RANGE)
 *   doc    copied
 *   flags  0 or WS_PUT_*
 * Returns WS_OK or WS_TRUNCATED (a limit clipped the document; error says which). Errors:
 * WS_ERR_SCHEMA, WS_ERR_LIMIT, WS_ERR_CONFLICT, WS_ERR_NOMEM, WS_ERR_IO. Flushes a segment when the
 * ceiling is reached. */
WS_API ws_status ws_writer_put(ws_writer *writer, ws_str id, const ws_doc *doc, uint32_t flags,
                               ws_error *error);

/* The same from one JSON object; the id is in the key that the schema names. Unknown keys are
 * ignored and counted. Errors: as ws_writer_put, and WS_ERR_SYNTAX with the offset. */
WS_API ws_status ws_writer_put_json(ws_writer *writer, ws_str json, uint32_t flags,
                                    ws_error *error);

/* Deletes by id. WS_ERR_NOT_FOUND when there is none. */
WS_API ws_status ws_writer_delete(ws_writer *writer, ws_str id, ws_error *error);

typedef struct {
    const char *key, *value; /* NUL-terminated; all pairs together at most 4 KiB */
} ws_user_pair;

typedef struct {
    uint32_t size;
    uint32_t n_pairs;
    /* merged into the user map that every commit carries forward; value NULL removes */
    const ws_user_pair *pairs;
} ws_commit_options;
#define WS_COMMIT_OPTIONS_INIT                                                                     \
 {                                                                                                 \
  sizeof(ws_commit_options), 0, NULL                                                               \
 }

/* Makes everything so far durable and visible as one new generation.
 *   options     NULL = no user pairs
 *   generation  out: its number; NULL allowed
 * On return the new MANIFEST and all it names are on disk (fsync of files, then of the directory).
 * Without changes it still writes a generation when there are user pairs, else returns the present
 * one. Errors: WS_ERR_NOSPC, WS_ERR_IO, WS_ERR_FSYNC_FAILED (the writer is then good for closing
 * only). */
WS_API ws_status ws_writer_commit(ws_writer *writer, const ws_commit_options *options,
                                  uint64_t *generation, ws_error *error);

typedef struct {
    uint32_t size;
    /* merge until at most this many are left; 0 = only what the tiers ask for */
    uint32_t max_segments;
} ws_merge_options;
#define WS_MERGE_OPTIONS_INIT                                                                      \
 {                                                                                                 \
  sizeof(ws_merge_options), 0                                                                      \
 }

/* Merges committed segments and commits the result. Documents waiting in the writer are committed
 * first. Errors: as ws_writer_commit; WS_ERR_CANCELLED leaves the index as it was. */
WS_API ws_status ws_writer_merge(ws_writer *writer, const ws_merge_options *options,
                                 const ws_budget *budget, ws_error *error);

WS_END_DECLS

#endif
