#include "indexer/import_queue.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"

void ws_import_queue_init(ws_import_queue *q, uint32_t n_workers, size_t bytes_max)
{
    memset(q, 0, sizeof *q);
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->work, NULL);
    pthread_cond_init(&q->change, NULL);
    q->last = &q->first;
    q->n_workers = n_workers;
    q->bytes_max = bytes_max;
}

void ws_batch_free(ws_batch *batch)
{
    if (!batch)
        return;
    ws_free(batch->data);
    ws_free(batch->lines);
    ws_free(batch);
}

static void free_list(ws_batch *batch)
{
    while (batch) {
        ws_batch *next = batch->next;
        ws_batch_free(batch);
        batch = next;
    }
}

void ws_import_queue_fini(ws_import_queue *q)
{
    free_list(q->first);
    free_list(q->free);
    pthread_mutex_destroy(&q->mutex);
    pthread_cond_destroy(&q->work);
    pthread_cond_destroy(&q->change);
}

/* --- batches --- */

static ws_batch *new_batch(void)
{
    ws_batch *batch = ws_calloc(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->lines = ws_reallocarray(NULL, WS_BATCH_LINES, sizeof *batch->lines);
    if (!batch->lines) {
        ws_batch_free(batch);
        return NULL;
    }
    return batch;
}

ws_batch *ws_import_queue_batch(ws_import_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    ws_batch *batch = q->free;
    if (batch)
        q->free = batch->next;
    pthread_mutex_unlock(&q->mutex);
    if (!batch)
        return new_batch();
    batch->next = NULL;
    batch->len = batch->n_lines = 0;
    batch->commit_after = 0;
    return batch;
}

static ws_status reserve(ws_batch *batch, size_t n)
{
    if (batch->len + n <= batch->cap)
        return WS_OK;
    size_t cap = WS_MAX(batch->len + n, (size_t)WS_BATCH_BYTES);
    uint8_t *grown = ws_realloc(batch->data, cap);
    if (!grown)
        return WS_ERR_NOMEM;
    batch->data = grown;
    batch->cap = cap;
    return WS_OK;
}

ws_status ws_batch_add(ws_batch *batch, const ws_line *line, uint64_t number)
{
    WS_TRY(reserve(batch, line->bytes.len));
    batch->lines[batch->n_lines++] = (ws_batch_line){
        (uint32_t)batch->len, (uint32_t)line->bytes.len, line->offset, number, line->too_long};
    if (line->bytes.len)
        memcpy(batch->data + batch->len, line->bytes.ptr, line->bytes.len);
    batch->len += line->bytes.len;
    return WS_OK;
}

/* A batch that held a long line gives its memory back. */
static void recycle(ws_import_queue *q, ws_batch *batch)
{
    if (batch->cap > WS_BATCH_BYTES) {
        ws_free(batch->data);
        batch->data = NULL;
        batch->cap = 0;
    }
    batch->next = q->free;
    q->free = batch;
}

/* --- reader --- */

/* Memory that a batch holds, however little of it is used: a queue of empty lines is bounded too.
 */
static size_t memory_of(const ws_batch *batch)
{
    return batch->cap + WS_BATCH_LINES * sizeof *batch->lines;
}

static ws_status failure(const ws_import_queue *q, ws_error *error)
{
    if (q->failed && error)
        *error = q->error;
    return q->failed;
}

ws_status ws_import_queue_push(ws_import_queue *q, ws_batch *batch, ws_error *error)
{
    pthread_mutex_lock(&q->mutex);
    while (!q->failed && q->bytes && q->bytes + memory_of(batch) > q->bytes_max)
        pthread_cond_wait(&q->change, &q->mutex);
    batch->next = NULL;
    *q->last = batch;
    q->last = &batch->next;
    q->bytes += memory_of(batch);
    ws_status status = failure(q, error);
    pthread_cond_signal(&q->work);
    pthread_mutex_unlock(&q->mutex);
    return status;
}

ws_status ws_import_queue_barrier(ws_import_queue *q, ws_error *error)
{
    pthread_mutex_lock(&q->mutex);
    while (q->first || q->n_busy)
        pthread_cond_wait(&q->change, &q->mutex);
    if (!q->failed) {
        q->flush_wanted++;
        q->n_flushed = 0;
        pthread_cond_broadcast(&q->work);
        while (q->n_flushed < q->n_workers)
            pthread_cond_wait(&q->change, &q->mutex);
    }
    ws_status status = failure(q, error);
    pthread_mutex_unlock(&q->mutex);
    return status;
}

void ws_import_queue_close(ws_import_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    q->closed = 1;
    pthread_cond_broadcast(&q->work);
    pthread_mutex_unlock(&q->mutex);
}

/* --- workers --- */

static ws_batch *pop(ws_import_queue *q)
{
    ws_batch *batch = q->first;
    q->first = batch->next;
    if (!q->first)
        q->last = &q->first;
    q->n_busy++;
    return batch;
}

ws_take ws_import_queue_take(ws_import_queue *q, uint64_t *flushes, ws_batch **batch)
{
    ws_take what = WS_TAKE_END;
    pthread_mutex_lock(&q->mutex);
    while (!q->first && *flushes == q->flush_wanted && !q->closed)
        pthread_cond_wait(&q->work, &q->mutex);
    if (q->first) {
        *batch = pop(q);
        what = WS_TAKE_BATCH;
    } else if (*flushes != q->flush_wanted) {
        *flushes = q->flush_wanted;
        what = WS_TAKE_FLUSH;
    }
    pthread_mutex_unlock(&q->mutex);
    return what;
}

void ws_import_queue_done(ws_import_queue *q, ws_batch *batch)
{
    pthread_mutex_lock(&q->mutex);
    q->bytes -= memory_of(batch);
    q->n_busy--;
    recycle(q, batch);
    pthread_cond_signal(&q->change);
    pthread_mutex_unlock(&q->mutex);
}

void ws_import_queue_flushed(ws_import_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    q->n_flushed++;
    pthread_cond_signal(&q->change);
    pthread_mutex_unlock(&q->mutex);
}

void ws_import_queue_fail(ws_import_queue *q, ws_status status, const ws_error *error)
{
    pthread_mutex_lock(&q->mutex);
    if (!q->failed) {
        q->failed = status;
        q->error = *error;
    }
    pthread_cond_signal(&q->change);
    pthread_mutex_unlock(&q->mutex);
}
