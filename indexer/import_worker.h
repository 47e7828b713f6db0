/* Worker threads of an import: they take batches, parse them, and add the documents to their own
 * share of the ingest. */
#ifndef WS_INDEXER_IMPORT_WORKER_H
#define WS_INDEXER_IMPORT_WORKER_H

#include "indexer/import.h"
#include "indexer/import_queue.h"
#include "indexer/jsonl.h"

#define WS_LARGE_DOCUMENT (1u << 20) /* a document of so many bytes is large in any case */
#define WS_IMPORT_STACK   (512u << 10)

/* What the workers share. */
typedef struct {
    ws_import_queue queue;
    ws_ingest *ingest;
    const ws_schema *schema;
    ws_str lang;                          /* value for lang_field where a document has none */
    int lang_field;                       /* -1 = none */
    uint64_t document_bytes, large_bytes; /* as planned */
    /* Held while a large document is worked on: several parse trees of that size would not fit the
     * ceiling. For the same reason the worker flushes before it, as its tokens come on top of what
     * it holds. */
    pthread_mutex_t large;
    pthread_mutex_t mutex; /* guards the report's bad documents and counts */
    ws_import_report *report;
} ws_import_shared;

typedef struct {
    ws_import_shared *shared;
    ws_ingest_worker *ingest;
    ws_jsonl *parser;
    pthread_t thread;
    int started;
} ws_import_worker;

/* Makes and starts a worker. */
ws_status ws_import_worker_start(ws_import_worker *worker, ws_import_shared *shared,
                                 ws_error *error);

/* Waits for its end (the queue must be closed) and frees it. */
void ws_import_worker_join(ws_import_worker *worker);

/* One line of a batch as a document. `value` and `digits` are storage for the format `lines`. Also
 * used for sampling. */
ws_status ws_import_parse(const ws_import_shared *shared, ws_jsonl *parser, const ws_batch *batch,
                          const ws_batch_line *line, ws_ingest_value *value, char digits[24],
                          ws_ingest_document *document, ws_error *error);

/* Counts a bad document and keeps it among the first ones. */
void ws_import_note_bad(ws_import_shared *shared, const ws_batch *batch, const ws_batch_line *line,
                        const char *reason);

#endif
