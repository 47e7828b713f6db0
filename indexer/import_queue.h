/* Batches of raw lines between the reader and the workers of an import: bounded by bytes, first in
 * first out, with a barrier for commits.
 *
 * The reader (one thread) fills batches and pushes them; workers take them. A batch goes back to a
 * free list, so that its memory is reused. */
#ifndef WS_INDEXER_IMPORT_QUEUE_H
#define WS_INDEXER_IMPORT_QUEUE_H

#include <pthread.h>

#include "indexer/lines.h"

#define WS_BATCH_BYTES (256u << 10) /* a batch is closed when it holds as much */
#define WS_BATCH_LINES 4096u
/* Of an ordinary batch. */
#define WS_BATCH_MEMORY (WS_BATCH_BYTES + WS_BATCH_LINES * sizeof(ws_batch_line))

typedef struct {
    uint32_t start, length; /* in the batch's data */
    uint64_t offset;        /* in the decompressed stream */
    uint64_t number;        /* line number over all inputs */
    uint8_t too_long;       /* skipped by the splitter: a bad document */
} ws_batch_line;

/* Where the reader stands. */
typedef struct {
    uint32_t file;      /* index of the input */
    uint64_t offset;    /* in its decompressed stream */
    uint64_t lines;     /* over all inputs, blank ones included */
    uint64_t documents; /* over all inputs, bad ones included */
} ws_import_position;

typedef struct ws_batch {
    struct ws_batch *next;
    uint8_t *data;
    size_t len, cap;
    ws_batch_line *lines; /* WS_BATCH_LINES */
    uint32_t n_lines;
    uint32_t file, format;
    uint64_t first_document;  /* number of lines[0] over all inputs */
    uint64_t first_sequence;  /* the same within the commit interval */
    uint8_t commit_after;     /* a commit is due when this batch is done */
    ws_import_position after; /* of the reader behind its last line */
} ws_batch;

typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t work;   /* for workers: something to take, a flush is wanted, or the end */
    pthread_cond_t change; /* for the reader: room, idle, flushed, failed */
    ws_batch *first, **last;
    ws_batch *free;
    size_t bytes, bytes_max; /* memory of the batches queued or being worked on */
    uint32_t n_workers, n_busy;
    uint64_t flush_wanted; /* counts barriers */
    uint32_t n_flushed;    /* workers that passed the present one */
    int closed;
    ws_status failed; /* first fatal error of a worker: batches are then dropped */
    ws_error error;
} ws_import_queue;

void ws_import_queue_init(ws_import_queue *q, uint32_t n_workers, size_t bytes_max);
void ws_import_queue_fini(ws_import_queue *q); /* no thread may use it any more */

/* --- reader --- */

/* A batch from the free list or a new one, empty; NULL when memory is short. */
ws_batch *ws_import_queue_batch(ws_import_queue *q);

/* Appends a line to a batch that the caller fills; WS_ERR_NOMEM. */
ws_status ws_batch_add(ws_batch *batch, const ws_line *line, uint64_t number);

/* Frees a batch that was not pushed. */
void ws_batch_free(ws_batch *batch);

/* Queues a batch (ownership moves); waits while the queue is full. Returns the failure of a worker,
 * if any. */
ws_status ws_import_queue_push(ws_import_queue *q, ws_batch *batch, ws_error *error);

/* Waits until every batch is done, then lets every worker flush, and waits for that too. No worker
 * runs when it returns. */
ws_status ws_import_queue_barrier(ws_import_queue *q, ws_error *error);

/* Lets the workers end once the queue is empty. */
void ws_import_queue_close(ws_import_queue *q);

/* --- workers --- */

typedef enum { WS_TAKE_BATCH, WS_TAKE_FLUSH, WS_TAKE_END } ws_take;

/* Waits for something to do. *flushes = barriers that this worker has passed: its own counter,
 * starts at 0. */
ws_take ws_import_queue_take(ws_import_queue *q, uint64_t *flushes, ws_batch **batch);

/* Gives a batch back. */
void ws_import_queue_done(ws_import_queue *q, ws_batch *batch);

/* Tells that a flush is done. */
void ws_import_queue_flushed(ws_import_queue *q);

/* Tells of a fatal error; the first one counts. */
void ws_import_queue_fail(ws_import_queue *q, ws_status status, const ws_error *error);

#endif
