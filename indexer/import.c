#ifndef _GNU_SOURCE
# define _GNU_SOURCE /* CPU_COUNT */
#endif
#include "indexer/import.h"

#include <sched.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "indexer/import_plan.h"
#include "indexer/import_reader.h"
#include "indexer/import_worker.h"

#define SAMPLE_BATCHES 4u
#define SAMPLE_BYTES   (1u << 20)
#define SAMPLES_MAX    2048u

typedef struct {
    const ws_import_options *options;
    ws_import_report *report;
    ws_import_plan plan;
    ws_import_reader reader;
    ws_import_shared shared;
    ws_import_worker workers[WS_PLAN_THREADS_MAX];
    uint32_t n_workers;
    ws_import_position pushed;    /* behind the last batch given to the workers */
    ws_import_position committed; /* as of the last commit */
    ws_status input_failed;       /* of an input, or the interruption: what came before it counts */
} driver;

static void say(const driver *d, const char *text)
{
    if (d->options->events.message)
        d->options->events.message(d->options->events.ctx, text);
}

static int stopped(const driver *d)
{
    return d->options->stop && atomic_load_explicit(d->options->stop, memory_order_relaxed);
}

/* --- setting up --- */

static uint32_t cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return (uint32_t)WS_MIN(WS_MAX(n, 1), (int)WS_PLAN_THREADS_MAX);
}

static ws_status make_plan(driver *d, ws_error *error)
{
    char text[128];
    uint32_t wanted =
        d->options->threads ? WS_MIN(d->options->threads, WS_PLAN_THREADS_MAX) : cores();
    WS_TRY(
        ws_import_make_plan(&d->plan, d->report->memory, wanted, d->reader.decoder_memory, error));
    d->reader.line_max = d->plan.document_bytes;
    d->shared.document_bytes = d->plan.document_bytes;
    d->shared.large_bytes = d->plan.large_bytes;
    d->report->threads = d->plan.threads;
    if (d->plan.threads < wanted) {
        snprintf(text, sizeof text,
                 "%u threads instead of %u: the memory does not suffice for more", d->plan.threads,
                 wanted);
        say(d, text);
    }
    return WS_OK;
}

static void say_fallback(const driver *d, const ws_error *error)
{
    char text[600];
    if (error)
        snprintf(text, sizeof text, "%s: %s; the generation before it is used", error->path,
                 error->message);
    say(d, error ? text : "MANIFEST was damaged; the generation before it is used");
}

static ws_status open_ingest(driver *d, ws_error *error)
{
    ws_ingest_options options = {
        .dir = d->options->dir,
        .schema = d->options->schema,
        .memory = d->plan.ingest_memory,
        .n_workers = d->plan.threads,
        .document_bytes = d->plan.document_bytes,
    };
    ws_status status = ws_ingest_open(&d->shared.ingest, &options, error);
    if (status == WS_FALLBACK)
        say_fallback(d, error);
    WS_TRY(status);
    d->shared.schema = ws_ingest_schema(d->shared.ingest);
    return WS_OK;
}

static ws_status check_schema(driver *d, ws_error *error)
{
    const ws_schema *schema = d->shared.schema;
    if (d->options->format == WS_IMPORT_LINES && ws_schema_body_field(schema) < 0)
        return ws_error_set(error, WS_ERR_SCHEMA,
                            "the format lines needs a text field in the schema");
    d->shared.lang_field = -1;
    if (!d->options->lang)
        return WS_OK;
    d->shared.lang = ws_cstr(d->options->lang);
    d->shared.lang_field = ws_schema_find(schema, ws_cstr("lang"));
    if (d->shared.lang_field < 0)
        return ws_error_set(error, WS_ERR_SCHEMA, "--lang needs a field \"lang\" in the schema");
    return WS_OK;
}

static ws_status resume(driver *d, ws_error *error)
{
    ws_str value;
    ws_checkpoint checkpoint;
    char text[512];
    if (!d->options->resume)
        return WS_OK;
    if (ws_user_map_get(ws_ingest_manifest(d->shared.ingest), ws_cstr(WS_CHECKPOINT_KEY), &value) ||
        ws_checkpoint_decode(&checkpoint, value)) {
        say(d, "nothing to resume: beginning at the first document");
        return WS_OK;
    }
    WS_TRY(ws_import_reader_resume(&d->reader, &checkpoint, error));
    d->pushed = d->committed = d->reader.at;
    d->report->resumed_at = d->reader.at.documents;
    snprintf(text, sizeof text, "resuming %s behind document %llu, byte %llu", checkpoint.path,
             (unsigned long long)checkpoint.documents, (unsigned long long)checkpoint.offset);
    say(d, text);
    return WS_OK;
}

/* --- the dictionary for stored text --- */

typedef struct {
    ws_str texts[SAMPLES_MAX];
    uint32_t n;
} sample_list;

static ws_status sample_line(driver *d, ws_jsonl *parser, const ws_batch *batch,
                             const ws_batch_line *line, sample_list *list)
{
    ws_ingest_value value;
    ws_ingest_document document;
    char digits[24];
    int body = ws_schema_body_field(d->shared.schema);
    ws_status status =
        ws_import_parse(&d->shared, parser, batch, line, &value, digits, &document, NULL);
    if (status)
        return status == WS_ERR_NOMEM
                   ? status
                   : WS_OK; /* a bad document is reported by the worker that meets it */
    for (uint32_t i = 0; i < document.n_values; i++) {
        ws_str bytes = document.values[i].bytes;
        if ((int)document.values[i].field != body || bytes.len == 0)
            continue;
        char *copy = ws_memdup0(bytes.ptr, WS_MIN(bytes.len, (size_t)WS_STORED_CHUNK_MAX));
        if (!copy)
            return WS_ERR_NOMEM;
        list->texts[list->n++] = (ws_str){copy, WS_MIN(bytes.len, (size_t)WS_STORED_CHUNK_MAX)};
        break;
    }
    return WS_OK;
}

static ws_status train_on(driver *d, ws_batch *const *batches, uint32_t n, sample_list *list)
{
    ws_jsonl *parser;
    ws_status status = ws_jsonl_new(&parser, d->shared.schema);
    for (uint32_t b = 0; b < n; b++)
        for (uint32_t i = 0; !status && i < batches[b]->n_lines && list->n < SAMPLES_MAX; i++)
            if (batches[b]->lines[i].length < d->plan.large_bytes)
                status = sample_line(d, parser, batches[b], &batches[b]->lines[i], list);
    ws_jsonl_free(parser);
    return status ? status : ws_ingest_train(d->shared.ingest, list->texts, list->n);
}

/* The first bodies train the dictionary of a new index. */
static ws_status train(driver *d, ws_batch *const *batches, uint32_t n, ws_error *error)
{
    if (ws_ingest_manifest(d->shared.ingest)->n_segments)
        return WS_OK;
    sample_list *list = ws_calloc(1, sizeof *list);
    ws_status status = list ? train_on(d, batches, n, list) : WS_ERR_NOMEM;
    for (uint32_t i = 0; list && i < list->n; i++)
        ws_free((char *)list->texts[i].ptr);
    ws_free(list);
    return status ? ws_error_set(error, status, "cannot train the dictionary: %s",
                                 ws_status_text(status))
                  : WS_OK;
}

/* --- committing --- */

static ws_status merge(driver *d, ws_error *error)
{
    uint32_t merged;
    ws_status status = ws_ingest_merge(d->shared.ingest, 0, d->options->budget, &merged, error);
    return status == WS_ERR_CANCELLED || status == WS_PARTIAL ? WS_OK : status;
}

static ws_status commit(driver *d, ws_error *error)
{
    ws_checkpoint checkpoint;
    char text[WS_CHECKPOINT_BYTES];
    uint64_t generation;
    WS_TRY(ws_import_queue_barrier(&d->shared.queue, error));
    ws_import_reader_checkpoint(&d->reader, &d->pushed, &checkpoint);
    ws_checkpoint_encode(&checkpoint, text);
    ws_user_pair pair = {WS_CHECKPOINT_KEY, text};
    WS_TRY(ws_ingest_commit(d->shared.ingest, d->pushed.documents - d->committed.documents, &pair,
                            1, &generation, error));
    d->committed = d->pushed;
    if (d->options->events.committed)
        d->options->events.committed(d->options->events.ctx, generation, d->committed.documents);
    return merge(d, error);
}

/* --- the loop --- */

static ws_status push(driver *d, ws_batch *batch, ws_error *error)
{
    ws_import_progress progress;
    ws_import_position after = batch->after;
    int due = batch->commit_after;
    WS_TRY(ws_import_queue_push(&d->shared.queue, batch, error));
    d->pushed = after;
    if (d->options->events.progress) {
        ws_import_reader_progress(&d->reader, &progress);
        d->options->events.progress(d->options->events.ctx, &progress);
    }
    return due ? commit(d, error) : WS_OK;
}

/* Next batch; NULL at the end, after an error of the input (kept in d->input_failed) and after an
 * interruption. */
static ws_batch *next(driver *d, ws_error *error)
{
    ws_batch *batch;
    if (d->input_failed)
        return NULL;
    if (stopped(d)) {
        d->input_failed = ws_error_set(error, WS_ERR_CANCELLED, "interrupted");
        return NULL;
    }
    ws_status status = ws_import_reader_next(&d->reader, &d->shared.queue, &batch, error);
    if (status && status != WS_ERR_NOT_FOUND)
        d->input_failed = status;
    return batch;
}

/* The first batches, before there are workers. */
static uint32_t read_first(driver *d, ws_batch **batches, ws_error *error)
{
    uint32_t n = 0;
    for (size_t bytes = 0; n < SAMPLE_BATCHES && bytes < SAMPLE_BYTES; n++) {
        batches[n] = next(d, error);
        if (!batches[n])
            break;
        bytes += batches[n]->len;
    }
    return n;
}

static ws_status start_workers(driver *d, ws_error *error)
{
    while (d->n_workers < d->plan.threads)
        WS_TRY(ws_import_worker_start(&d->workers[d->n_workers++], &d->shared, error));
    return WS_OK;
}

static ws_status push_all(driver *d, ws_batch **first, uint32_t n, ws_error *input_error,
                          ws_error *error)
{
    ws_batch *batch;
    for (uint32_t i = 0; i < n; i++) {
        batch = first[i];
        first[i] = NULL;
        WS_TRY(push(d, batch, error));
    }
    while ((batch = next(d, input_error)))
        WS_TRY(push(d, batch, error));
    if (d->pushed.documents == d->committed.documents &&
        ws_ingest_manifest(d->shared.ingest)->generation)
        return WS_OK;
    return commit(d, error);
}

static ws_status work(driver *d, ws_error *input_error, ws_error *error)
{
    ws_batch *first[SAMPLE_BATCHES] = {NULL};
    uint32_t n = read_first(d, first, input_error);
    ws_status status = train(d, first, n, error);
    if (!status)
        status = start_workers(d, error);
    if (!status)
        status = push_all(d, first, n, input_error, error);
    for (uint32_t i = 0; i < n; i++)
        ws_batch_free(first[i]);
    ws_import_queue_close(&d->shared.queue);
    for (uint32_t i = 0; i < d->n_workers; i++)
        ws_import_worker_join(&d->workers[i]);
    return status;
}

/* --- from beginning to end --- */

static void fill_report(driver *d)
{
    ws_ingest_counts counts;
    ws_import_progress progress;
    ws_import_report *report = d->report;
    ws_import_reader_progress(&d->reader, &progress);
    report->documents = d->pushed.documents - report->resumed_at;
    report->bytes = progress.bytes;
    report->file_bytes = progress.file_bytes;
    if (!d->shared.ingest)
        return;
    ws_ingest_get_counts(d->shared.ingest, &counts);
    report->replaced = counts.replaced;
    report->truncated_terms = counts.truncated_terms;
    report->replaced_utf8 += counts.replaced_utf8; /* to those of the parsers */
    report->peak_memory = counts.peak_memory;
    report->flushes = counts.flushes;
    report->merges = counts.merges;
    report->generation = ws_ingest_manifest(d->shared.ingest)->generation;
    report->has_generation = report->generation != 0;
}

static ws_status run_with_reader(driver *d, ws_error *error)
{
    ws_error input_error = {0};
    WS_TRY(make_plan(d, error));
    WS_TRY(open_ingest(d, error));
    WS_TRY(check_schema(d, error));
    WS_TRY(resume(d, error));
    ws_import_queue_init(&d->shared.queue, d->plan.threads, (size_t)d->plan.queue_bytes);
    ws_status status = work(d, &input_error, error);
    fill_report(d);
    ws_import_queue_fini(&d->shared.queue);
    if (status || !d->input_failed)
        return status;
    if (error)
        *error = input_error;
    return d->input_failed;
}

static ws_status run(driver *d, ws_error *error)
{
    pthread_mutex_init(&d->shared.large, NULL);
    pthread_mutex_init(&d->shared.mutex, NULL);
    ws_status status = ws_import_reader_init(&d->reader, d->options, error);
    if (!status)
        status = run_with_reader(d, error);
    ws_import_reader_fini(&d->reader);
    ws_ingest_close(d->shared.ingest);
    pthread_mutex_destroy(&d->shared.large);
    pthread_mutex_destroy(&d->shared.mutex);
    return status;
}

ws_status ws_import_run(const ws_import_options *options, ws_import_report *report, ws_error *error)
{
    memset(report, 0, sizeof *report);
    report->memory = options->memory ? options->memory : WS_IMPORT_MEMORY;
    if (options->n_files == 0)
        return ws_error_set(error, WS_ERR_ARG, "no input");
    uint64_t wall = ws_now_ns(), cpu = ws_process_cpu_ns();
    driver *d = ws_calloc(1, sizeof *d);
    if (!d)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for the import");
    d->options = options;
    d->report = report;
    d->shared.report = report;
    ws_status status = run(d, error);
    ws_free(d);
    report->wall_ns = ws_now_ns() - wall;
    report->cpu_ns = ws_process_cpu_ns() - cpu;
    return status;
}
