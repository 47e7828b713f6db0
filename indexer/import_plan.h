/* How an import divides its memory ceiling. Pure arithmetic.
 *
 *   ceiling = decompressor + reading (input buffer, a line) + queue + parse trees + ingest
 *
 * A document may be as long as a 64th of the ceiling and a 48th of one worker's share of the ingest
 * memory, 8 MiB at most: of a long one there are a line, a batch, a parse tree (about four times
 * its length) and its tokens (about thirty times) at the same time. */
#ifndef WS_INDEXER_IMPORT_PLAN_H
#define WS_INDEXER_IMPORT_PLAN_H

#include <stddef.h>

#include "wikisearch/status.h"

#define WS_PLAN_THREADS_MAX 64u
#define WS_PLAN_WORKER_MIN  (12ull << 20) /* ingest memory of one worker that makes sense */
#define WS_PLAN_INGEST_MIN  (16ull << 20) /* what ws_ingest_open insists on */

typedef struct {
    uint32_t threads;        /* workers, fewer than asked for when the memory is little */
    uint64_t document_bytes; /* longest document */
    uint64_t large_bytes;    /* a document from this length on needs care, see import_worker.h */
    uint64_t queue_bytes;    /* batches */
    uint64_t ingest_memory;  /* for ws_ingest_options.memory */
} ws_import_plan;

/* Most that a decompressor may take under a ceiling, so that the rest can still work. */
uint64_t ws_import_plan_decoder_max(uint64_t ceiling);

/* Divides.
 *   ceiling  bytes
 *   threads  workers wanted, 1 to WS_PLAN_THREADS_MAX
 *   decoder  bytes that the inputs' decompressor takes
 * Errors: WS_ERR_LIMIT when the ceiling is too low, with the least one that would do in the
 * message. */
ws_status ws_import_make_plan(ws_import_plan *plan, uint64_t ceiling, uint32_t threads,
                              uint64_t decoder, ws_error *error);

#endif
