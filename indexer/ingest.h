/* From documents to committed segments: what `wikisearch import` and the public writer share.
 *
 *   ws_ingest_open          takes the lock, reads the manifest, sweeps leftovers
 *   ws_ingest_worker_new    one per thread: analyzer + in-memory inversion
 *   ws_ingest_worker_add    analyse and invert one document; flushes a segment when the worker's
 *   share is full
 *   ws_ingest_worker_flush  what is in memory becomes a (not yet committed) segment; each worker in
 *   its own thread
 *   ws_ingest_commit        no worker may run: resolves duplicate ids, writes live bits, MANIFEST:
 *   durable on return
 *   ws_ingest_merge         no worker may run: tiered merges, committed
 *
 * Memory: `memory` bytes cover every worker's inversion, dictionary, stored text, compression and
 * analysis, the id tables of committed segments, and (at commit, when the workers are empty) the
 * mapped inputs and buffers of a merge.
 */
#ifndef WS_INDEXER_INGEST_H
#define WS_INDEXER_INGEST_H

#include "engine/index/manifest.h"
#include "engine/index/schema.h"
#include "engine/index/segment.h"
#include "wikisearch/writer.h"

typedef struct ws_ingest ws_ingest;
typedef struct ws_ingest_worker ws_ingest_worker;

typedef struct {
    const char *dir; /* borrowed until close; NULL = memory */
    /* for a new index; must equal that of an existing one (else WS_ERR_SCHEMA); NULL = the index's
     * own */
    const ws_schema *schema;
    uint64_t memory;         /* ceiling, at least 16 MiB */
    uint32_t n_workers;      /* 1 to 64: the ceiling is shared among them */
    uint64_t document_bytes; /* longest document; 0 = 8 MiB */
} ws_ingest_options;

/* One value of a document. Keyword fields with the multi flag and stored fields may come more than
 * once. */
typedef struct {
    uint32_t field; /* schema ordinal */
    /* UTF-8; invalid sequences of text are replaced when analysed, kept when stored */
    ws_str bytes;
} ws_ingest_value;

typedef struct {
    ws_str id;                     /* 1 to 512 bytes of printable UTF-8 */
    const ws_ingest_value *values; /* any order of fields */
    uint32_t n_values;
} ws_ingest_document;

/* Opens for writing. Creates DIR when it is missing. Errors: WS_ERR_LOCKED, WS_ERR_ANALYSIS,
 * WS_ERR_SCHEMA, WS_ERR_CORRUPT, WS_ERR_IO, WS_ERR_NOMEM. WS_FALLBACK: MANIFEST was damaged, the
 * one before is the base. */
ws_status ws_ingest_open(ws_ingest **out, const ws_ingest_options *options, ws_error *error);
/* after its workers are freed; discards what was not committed */
void ws_ingest_close(ws_ingest *ingest);

const ws_schema *ws_ingest_schema(const ws_ingest *ingest);
const ws_manifest *ws_ingest_manifest(const ws_ingest *ingest); /* as of the last commit */

/* Trains the index's compression dictionary from the first bodies, once, before workers start; does
 * nothing when the index has segments already or the samples are too few. samples: texts one after
 * the other. Optional: a worker without one stores without dictionary. */
ws_status ws_ingest_train(ws_ingest *ingest, const ws_str *samples, uint32_t n);

ws_status ws_ingest_worker_new(ws_ingest_worker **out, ws_ingest *ingest, ws_error *error);
void ws_ingest_worker_free(ws_ingest_worker *worker);

/* Adds or replaces a document.
 *   sequence  place in the input, from 0, below the number reserved by the next commit; it becomes
 *             the DOC_KEY (counted from the manifest's next DOC_KEY) unless the id exists already,
 *             whose DOC_KEY is kept. Ascending per worker. Of two documents with one id in one
 *             commit interval the higher sequence wins
 * Errors: WS_ERR_RANGE, WS_ERR_UTF8 (id), WS_ERR_SCHEMA (value of an int field), WS_ERR_LIMIT (too
 * big for the limit or for the worker's memory): the document is left out and the worker is as it
 * was. WS_ERR_NOMEM, WS_ERR_IO, ...: the worker is good for freeing only. [1] per worker. */
ws_status ws_ingest_worker_add(ws_ingest_worker *worker, const ws_ingest_document *document,
                               uint64_t sequence, ws_error *error);

/* Writes what the worker holds as a segment file, not yet committed, and gives its memory back. */
ws_status ws_ingest_worker_flush(ws_ingest_worker *worker, ws_error *error);

/* Deletes by id: committed, flushed or still in `worker`. WS_ERR_NOT_FOUND. Only with one
 * worker. */
ws_status ws_ingest_delete(ws_ingest *ingest, ws_ingest_worker *worker, ws_str id, ws_error *error);

/* 1 when the id exists (committed, flushed, or in `worker`) and is not deleted. */
int ws_ingest_exists(ws_ingest *ingest, ws_ingest_worker *worker, ws_str id);

/* Makes everything flushed durable as one generation. Workers must have been flushed.
 *   n_sequences  sequences used since the last commit: the next one starts again at 0 beyond them
 *   pairs        user map changes
 *   generation   out; NULL allowed
 * Without changes and pairs: the present generation. WS_ERR_FSYNC_FAILED is final. */
ws_status ws_ingest_commit(ws_ingest *ingest, uint64_t n_sequences, const ws_user_pair *pairs,
                           uint32_t n_pairs, uint64_t *generation, ws_error *error);

/* Merges as the tiers ask (max_segments 0) or until at most max_segments are left, and commits each
 * merge. A merge whose inputs exceed the memory ceiling is left for a call with more memory.
 * *merged (NULL allowed) counts merges. */
ws_status ws_ingest_merge(ws_ingest *ingest, uint32_t max_segments, const ws_budget *budget,
                          uint32_t *merged, ws_error *error);

/* Segments of a memory index after a commit, referenced for the caller: an array of
 * manifest.n_segments, freed with ws_free. */
struct ws_snapshot;
ws_status ws_ingest_snapshot(ws_ingest *ingest, struct ws_snapshot **out, ws_error *error);

typedef struct {
    uint64_t documents, replaced, truncated_terms, replaced_utf8, flushes, merges, peak_memory;
} ws_ingest_counts;
void ws_ingest_get_counts(const ws_ingest *ingest, ws_ingest_counts *counts);

#endif
