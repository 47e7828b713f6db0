#include "indexer/import_worker.h"

#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

#define LANG_VALUES_MAX 1025u

/* --- bad documents --- */

static uint32_t place_among_bad(const ws_import_report *report, uint64_t document)
{
    uint32_t at = report->n_bad_kept;
    while (at > 0 && report->bad_kept[at - 1].documents > document)
        at--;
    return at;
}

/* Workers meet bad documents in any order; those with the least numbers are kept. */
static void keep_bad(ws_import_report *report, const ws_import_bad *bad)
{
    uint32_t at = place_among_bad(report, bad->documents), n = report->n_bad_kept;
    if (at == WS_IMPORT_BAD_KEPT)
        return;
    uint32_t moved = (n < WS_IMPORT_BAD_KEPT ? n : WS_IMPORT_BAD_KEPT - 1) - at;
    memmove(&report->bad_kept[at + 1], &report->bad_kept[at], moved * sizeof *bad);
    report->bad_kept[at] = *bad;
    report->n_bad_kept += n < WS_IMPORT_BAD_KEPT;
}

void ws_import_note_bad(ws_import_shared *shared, const ws_batch *batch, const ws_batch_line *line,
                        const char *reason)
{
    ws_import_bad bad = {.documents = batch->first_document + (uint64_t)(line - batch->lines),
                         .offset = line->offset,
                         .file = batch->file};
    snprintf(bad.reason, sizeof bad.reason, "%.*s", (int)sizeof bad.reason - 1, reason);
    pthread_mutex_lock(&shared->mutex);
    shared->report->bad++;
    keep_bad(shared->report, &bad);
    pthread_mutex_unlock(&shared->mutex);
}

/* --- one document --- */

ws_status ws_import_parse(const ws_import_shared *shared, ws_jsonl *parser, const ws_batch *batch,
                          const ws_batch_line *line, ws_ingest_value *value, char digits[24],
                          ws_ingest_document *document, ws_error *error)
{
    ws_str text = ws_str_make((const char *)batch->data + line->start, line->length);
    if (line->too_long)
        return ws_error_set(
            error, WS_ERR_LIMIT,
            "longer than %llu bytes, which is the most with this --memory and --threads",
            (unsigned long long)shared->document_bytes);
    if (batch->format == WS_IMPORT_LINES)
        return ws_lines_document(shared->schema, text, line->number, value, digits, document);
    return ws_jsonl_parse(parser, text, line->number, document, error);
}

static int has_field(const ws_ingest_document *document, uint32_t field)
{
    for (uint32_t i = 0; i < document->n_values; i++)
        if (document->values[i].field == field)
            return 1;
    return 0;
}

/* Adds --lang to a document that has no language of its own. `values` has room for one more than
 * any document holds. */
static void add_lang(const ws_import_shared *shared, ws_ingest_document *document,
                     ws_ingest_value *values)
{
    uint32_t n = document->n_values;
    if (shared->lang_field < 0 || n + 1 >= LANG_VALUES_MAX ||
        has_field(document, (uint32_t)shared->lang_field))
        return;
    if (n)
        memcpy(values, document->values, n * sizeof *values);
    values[n] = (ws_ingest_value){(uint32_t)shared->lang_field, shared->lang};
    document->values = values;
    document->n_values = n + 1;
}

/* Statuses that condemn the document, not the import. */
static int is_documents_fault(ws_status status)
{
    return status == WS_ERR_SYNTAX || status == WS_ERR_SCHEMA || status == WS_ERR_RANGE ||
           status == WS_ERR_UTF8 || status == WS_ERR_LIMIT;
}

static ws_status add_line(ws_import_worker *w, const ws_batch *batch, const ws_batch_line *line,
                          ws_error *error)
{
    ws_ingest_value value, with_lang[LANG_VALUES_MAX];
    ws_ingest_document document;
    char digits[24];
    ws_status status =
        ws_import_parse(w->shared, w->parser, batch, line, &value, digits, &document, error);
    if (status < 0)
        return status;
    add_lang(w->shared, &document, with_lang);
    uint64_t sequence = batch->first_sequence + (uint64_t)(line - batch->lines);
    return ws_ingest_worker_add(w->ingest, &document, sequence, error);
}

static ws_status add_large(ws_import_worker *w, const ws_batch *batch, const ws_batch_line *line,
                           ws_error *error)
{
    pthread_mutex_lock(&w->shared->large);
    ws_status status = ws_ingest_worker_flush(w->ingest, error);
    if (!status)
        status = add_line(w, batch, line, error);
    ws_jsonl_reset(w->parser);
    pthread_mutex_unlock(&w->shared->large);
    return status;
}

static ws_status add_one(ws_import_worker *w, const ws_batch *batch, const ws_batch_line *line,
                         ws_error *error)
{
    memset(error, 0, sizeof *error);
    ws_status status = line->length >= w->shared->large_bytes ? add_large(w, batch, line, error)
                                                              : add_line(w, batch, line, error);
    if (!is_documents_fault(status))
        return status;
    ws_import_note_bad(w->shared, batch, line,
                       error->message[0] ? error->message : ws_status_text(status));
    return WS_OK;
}

/* --- the thread --- */

static void work_on(ws_import_worker *w, ws_batch *batch)
{
    ws_error error;
    ws_status status = WS_OK;
    for (uint32_t i = 0; i < batch->n_lines && status >= 0; i++)
        status = add_one(w, batch, &batch->lines[i], &error);
    if (status < 0)
        ws_import_queue_fail(&w->shared->queue, status, &error);
}

static void flush(ws_import_worker *w)
{
    ws_error error = {0};
    ws_status status = ws_ingest_worker_flush(w->ingest, &error);
    if (status < 0)
        ws_import_queue_fail(&w->shared->queue, status, &error);
    ws_import_queue_flushed(&w->shared->queue);
}

static int has_failed(ws_import_queue *q)
{
    pthread_mutex_lock(&q->mutex);
    int failed = q->failed != WS_OK;
    pthread_mutex_unlock(&q->mutex);
    return failed;
}

static void *run(void *ctx)
{
    ws_import_worker *w = ctx;
    ws_import_queue *q = &w->shared->queue;
    uint64_t flushes = 0;
    ws_batch *batch;
    for (;;) {
        switch (ws_import_queue_take(q, &flushes, &batch)) {
        case WS_TAKE_BATCH:
            if (!has_failed(q))
                work_on(w, batch);
            ws_import_queue_done(q, batch);
            break;
        case WS_TAKE_FLUSH:
            flush(w);
            break;
        default:
            return NULL;
        }
    }
}

ws_status ws_import_worker_start(ws_import_worker *w, ws_import_shared *shared, ws_error *error)
{
    pthread_attr_t attr;
    memset(w, 0, sizeof *w);
    w->shared = shared;
    WS_TRY(ws_ingest_worker_new(&w->ingest, shared->ingest, error));
    if (ws_jsonl_new(&w->parser, shared->schema))
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for a worker");
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, WS_IMPORT_STACK);
    int failed = pthread_create(&w->thread, &attr, run, w);
    pthread_attr_destroy(&attr);
    if (failed)
        return ws_error_errno(error, failed, NULL, "cannot start a thread");
    w->started = 1;
    return WS_OK;
}

static void add_counts(ws_import_worker *w)
{
    ws_jsonl_counts counts;
    ws_jsonl_get_counts(w->parser, &counts);
    w->shared->report->ignored_keys += counts.ignored_keys;
    w->shared->report->replaced_utf8 += counts.replaced_utf8;
}

void ws_import_worker_join(ws_import_worker *w)
{
    if (w->started)
        pthread_join(w->thread, NULL);
    if (w->parser)
        add_counts(w);
    ws_jsonl_free(w->parser);
    ws_ingest_worker_free(w->ingest);
    memset(w, 0, sizeof *w);
}
