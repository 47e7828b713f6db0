/* The parts of an import on their own: the plan of memory, checkpoints, the queue, the reader, the
 * list of bad documents. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/str.h"
#include "indexer/import_plan.h"
#include "indexer/import_reader.h"
#include "indexer/import_worker.h"
#include "indexer/progress.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

#define MIB (1ull << 20)

/* --- plan --- */

Test(import_plan, the_parts_stay_below_the_ceiling)
{
    for (uint64_t ceiling = 16 * MIB; ceiling <= 4096 * MIB; ceiling += 16 * MIB)
        for (uint32_t threads = 1; threads <= 64; threads *= 2)
            for (uint64_t decoder = 0; decoder <= 129 * MIB; decoder += 43 * MIB) {
                ws_import_plan p;
                ws_error error;
                if (ws_import_make_plan(&p, ceiling, threads, decoder, &error)) {
                    cr_assert_eq(error.code, WS_ERR_LIMIT);
                    continue;
                }
                cr_assert(p.threads >= 1 && p.threads <= threads);
                uint64_t tree =
                    4 * p.threads * WS_MIN(p.document_bytes, (uint64_t)WS_LARGE_DOCUMENT);
                cr_assert_lt(decoder + p.queue_bytes + 2 * p.document_bytes + tree +
                                 p.ingest_memory,
                             ceiling);
                cr_assert_geq(p.ingest_memory, WS_PLAN_INGEST_MIN);
                cr_assert_geq(p.ingest_memory / p.threads, WS_PLAN_WORKER_MIN);
                cr_assert_leq(p.document_bytes, 8 * MIB);
                cr_assert_leq(p.document_bytes, p.ingest_memory / p.threads / 40);
                cr_assert_lt(p.large_bytes, p.document_bytes);
            }
}

Test(import_plan, the_default_ceiling_bears_long_documents_and_a_long_window)
{
    ws_import_plan p;
    cr_assert_eq(ws_import_make_plan(&p, WS_IMPORT_MEMORY, 2, 129 * MIB, NULL), WS_OK);
    cr_assert_eq(p.threads, 2u);
    cr_assert_geq(p.document_bytes, 3 * MIB);
    cr_assert_gt(p.ingest_memory, 256 * MIB);
    cr_assert_geq(ws_import_plan_decoder_max(WS_IMPORT_MEMORY), 129 * MIB);
    cr_assert_lt(ws_import_plan_decoder_max(64 * MIB), 64 * MIB);
}

Test(import_plan, too_little_names_what_would_do)
{
    ws_import_plan p;
    ws_error error;
    cr_assert_eq(ws_import_make_plan(&p, 4 * MIB, 2, 0, &error), WS_ERR_LIMIT);
    const char *least = strstr(error.message, "at least ");
    cr_assert_not_null(least, "%s", error.message);
    uint64_t mib = strtoull(least + 9, NULL, 10);
    cr_assert_eq(ws_import_make_plan(&p, mib * MIB, 2, 0, &error), WS_OK);
    cr_assert_eq(ws_import_make_plan(&p, (mib - 1) * MIB, 2, 0, &error), WS_ERR_LIMIT);
}

/* --- checkpoint --- */

Test(import_checkpoint, survives_its_text)
{
    ws_rng rng = ws_rng_seeded(4);
    for (int i = 0; i < 200; i++) {
        char text[WS_CHECKPOINT_BYTES], path[1000];
        size_t n = (size_t)ws_rng_below(&rng, sizeof path);
        for (size_t k = 0; k < n; k++)
            path[k] = (char)ws_rng_between(&rng, 33, 126);
        path[n] = 0;
        ws_checkpoint back, c = {.identity = {ws_rng_u64(&rng), ws_rng_u64(&rng)},
                                 .offset = ws_rng_skewed(&rng, 64),
                                 .lines = ws_rng_skewed(&rng, 64),
                                 .documents = ws_rng_skewed(&rng, 64)};
        ws_checkpoint_set_path(&c, path);
        ws_checkpoint_encode(&c, text);
        cr_assert_lt(strlen(text), WS_CHECKPOINT_BYTES - 1);
        cr_assert_eq(ws_checkpoint_decode(&back, ws_cstr(text)), WS_OK, "%s", text);
        cr_assert_eq(back.identity.size, c.identity.size);
        cr_assert_eq(back.identity.hash, c.identity.hash);
        cr_assert_eq(back.offset, c.offset);
        cr_assert_eq(back.lines, c.lines);
        cr_assert_eq(back.documents, c.documents);
        size_t kept = strlen(back.path);
        cr_assert_leq(kept, n);
        cr_assert_str_eq(back.path, path + (n - kept), "its end is kept");
    }
}

Test(import_checkpoint, other_texts_are_refused)
{
    static const char *const texts[] = {"",        "1",    "2 3 4 5 6 7 path", "1 x 4 5 6 7 path",
                                        "1 2 3 4", "hello"};
    ws_checkpoint c;
    char longer[2 * WS_CHECKPOINT_BYTES];
    for (size_t i = 0; i < WS_ARRAY_LEN(texts); i++)
        cr_assert_eq(ws_checkpoint_decode(&c, ws_cstr(texts[i])), WS_ERR_SYNTAX, "%s", texts[i]);
    memset(longer, '1', sizeof longer);
    cr_assert_eq(ws_checkpoint_decode(&c, ws_str_make(longer, sizeof longer)), WS_ERR_SYNTAX);
}

/* --- queue --- */

#define WORKERS 3
#define BATCHES 200

typedef struct {
    ws_import_queue queue;
    pthread_mutex_t mutex;
    uint32_t seen[BATCHES]; /* how often each batch was taken */
    uint32_t flushed;       /* barriers passed by workers */
    uint32_t in_work, flush_in_work;
    int wrong;
    uint32_t fail_at; /* batch that fails, UINT32_MAX = none */
} queue_world;

static void *queue_worker(void *ctx)
{
    queue_world *w = ctx;
    uint64_t flushes = 0;
    ws_batch *batch;
    for (;;) {
        switch (ws_import_queue_take(&w->queue, &flushes, &batch)) {
        case WS_TAKE_BATCH:
            pthread_mutex_lock(&w->mutex);
            w->in_work++;
            w->seen[batch->first_document]++;
            int fails = batch->first_document == w->fail_at;
            pthread_mutex_unlock(&w->mutex);
            if (fails)
                ws_import_queue_fail(&w->queue, WS_ERR_IO,
                                     &(ws_error){.code = WS_ERR_IO, .message = "broken"});
            pthread_mutex_lock(&w->mutex);
            w->in_work--;
            pthread_mutex_unlock(&w->mutex);
            ws_import_queue_done(&w->queue, batch);
            break;
        case WS_TAKE_FLUSH:
            pthread_mutex_lock(&w->mutex);
            w->wrong |= w->in_work != 0; /* a flush begins when every batch is done */
            w->flushed++;
            pthread_mutex_unlock(&w->mutex);
            ws_import_queue_flushed(&w->queue);
            break;
        default:
            return NULL;
        }
    }
}

static ws_status push_number(queue_world *w, uint32_t number)
{
    ws_line line = {.bytes = WS_STR("some bytes of a line")};
    ws_batch *batch = ws_import_queue_batch(&w->queue);
    cr_assert_not_null(batch);
    cr_assert_eq(ws_batch_add(batch, &line, number), WS_OK);
    batch->first_document = number;
    return ws_import_queue_push(&w->queue, batch, NULL);
}

static void run_queue(queue_world *w, uint32_t fail_at)
{
    pthread_t threads[WORKERS];
    uint32_t barriers = 0;
    ws_status status = WS_OK;
    ws_error error = {0};
    memset(w, 0, sizeof *w);
    w->fail_at = fail_at;
    pthread_mutex_init(&w->mutex, NULL);
    ws_import_queue_init(&w->queue, WORKERS, 2 * WS_BATCH_MEMORY);
    for (int i = 0; i < WORKERS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, queue_worker, w), 0);
    for (uint32_t i = 0; i < BATCHES && !status; i++) {
        status = push_number(w, i);
        if (!status && i % 17 == 16) {
            status = ws_import_queue_barrier(&w->queue, &error);
            barriers += status == WS_OK;
            cr_assert(status || w->flushed == barriers * WORKERS);
        }
    }
    if (!status)
        status = ws_import_queue_barrier(&w->queue, &error);
    ws_import_queue_close(&w->queue);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    cr_assert_eq(w->queue.bytes, 0u);
    cr_assert_not(w->wrong);
    cr_assert_eq(status, fail_at < BATCHES ? WS_ERR_IO : WS_OK);
    ws_import_queue_fini(&w->queue);
    pthread_mutex_destroy(&w->mutex);
}

Test(import_queue, every_batch_is_worked_on_once_and_barriers_hold)
{
    queue_world *w = malloc(sizeof *w);
    run_queue(w, UINT32_MAX);
    for (uint32_t i = 0; i < BATCHES; i++)
        cr_assert_eq(w->seen[i], 1u, "batch %u", i);
    free(w);
}

Test(import_queue, a_workers_failure_reaches_the_reader)
{
    queue_world *w = malloc(sizeof *w);
    run_queue(w, 50);
    free(w);
}

/* --- bad documents --- */

Test(import_bad, the_first_twenty_are_kept_in_order)
{
    static ws_import_report report;
    ws_import_shared shared = {.report = &report};
    ws_batch_line line = {.offset = 0};
    ws_rng rng = ws_rng_seeded(5);
    uint32_t order[100];
    pthread_mutex_init(&shared.mutex, NULL);
    for (uint32_t i = 0; i < 100; i++)
        order[i] = i;
    for (uint32_t i = 99; i > 0; i--) {
        uint32_t j = (uint32_t)ws_rng_below(&rng, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (uint32_t i = 0; i < 100; i++) {
        ws_batch batch = {.first_document = order[i], .lines = &line};
        line.offset = 10 * order[i];
        ws_import_note_bad(&shared, &batch, &line, "a reason");
        for (uint32_t k = 1; k < report.n_bad_kept; k++)
            cr_assert_lt(report.bad_kept[k - 1].documents, report.bad_kept[k].documents);
    }
    cr_assert_eq(report.bad, 100u);
    cr_assert_eq(report.n_bad_kept, WS_IMPORT_BAD_KEPT);
    for (uint32_t k = 0; k < WS_IMPORT_BAD_KEPT; k++) {
        cr_assert_eq(report.bad_kept[k].documents, k, "seed %llu", (unsigned long long)rng.seed);
        cr_assert_eq(report.bad_kept[k].offset, 10 * k);
    }
    pthread_mutex_destroy(&shared.mutex);
}

/* --- reader --- */

static char dir[WS_TMPDIR_CAP], one[WS_TMPDIR_CAP + 16], two[WS_TMPDIR_CAP + 16];

static void setup(void)
{
    ws_tmpdir_make(dir);
    ws_tmpdir_path(one, sizeof one, dir, "one");
    ws_tmpdir_path(two, sizeof two, dir, "two");
}

static void teardown(void)
{
    ws_tmpdir_remove(dir);
}

/* "{N}" lines with blank ones between; returns the number of documents. */
static void write_lines(const char *path, uint32_t from, uint32_t n)
{
    ws_buf buf;
    ws_buf_init(&buf);
    for (uint32_t i = from; i < from + n; i++)
        ws_buf_printf(&buf, "{%u}%s\n", i, i % 5 == 0 ? "\n  " : "");
    ws_tmpdir_write(path, buf.data, buf.len);
    ws_buf_fini(&buf);
}

/* Reads all batches from where the reader stands; checks numbers; returns the number of documents.
 */
static uint32_t drain(ws_import_reader *r, ws_import_queue *queue, uint64_t every,
                      ws_import_position *at_commit)
{
    ws_batch *batch;
    ws_error error;
    ws_status status;
    uint32_t n = 0;
    uint64_t sequence = 0;
    while ((status = ws_import_reader_next(r, queue, &batch, &error)) == WS_OK) {
        cr_assert_gt(batch->n_lines, 0u);
        cr_assert_eq(batch->first_sequence, sequence);
        for (uint32_t i = 0; i < batch->n_lines; i++, n++) {
            char expected[16];
            int len =
                snprintf(expected, sizeof expected, "{%u}", (unsigned)(batch->first_document + i));
            ws_str text =
                ws_str_make((char *)batch->data + batch->lines[i].start, batch->lines[i].length);
            while (text.len && text.ptr[0] == ' ')
                text = ws_str_sub(text, 1, text.len);
            cr_assert(ws_str_eq(text, ws_str_make(expected, (size_t)len)), "%.*s", (int)text.len,
                      text.ptr);
        }
        sequence += batch->n_lines;
        cr_assert_eq(batch->after.documents, batch->first_document + batch->n_lines);
        cr_assert_eq(batch->commit_after, batch->after.documents % every == 0);
        if (batch->commit_after) {
            sequence = 0;
            if (at_commit)
                *at_commit++ = batch->after;
        }
        ws_batch_free(batch);
    }
    cr_assert_eq(status, WS_ERR_NOT_FOUND, "%s", error.message);
    return n;
}

static void open_reader(ws_import_reader *r, ws_import_options *options)
{
    ws_error error = {0};
    cr_assert_eq(ws_import_reader_init(r, options, &error), WS_OK, "%s", error.message);
    r->line_max = 1000;
}

Test(import_reader, two_files_are_one_sequence_and_every_commit_can_be_resumed, .init = setup,
     .fini = teardown)
{
    const char *files[] = {one, two};
    ws_import_options options = {.files = files, .n_files = 2, .commit_every = 70};
    ws_import_position commits[16] = {{0, 0, 0, 0}};
    ws_import_reader r;
    ws_import_queue queue;
    write_lines(one, 0, 333);
    write_lines(two, 333, 222);
    ws_import_queue_init(&queue, 1, MIB);
    open_reader(&r, &options);
    cr_assert_eq(drain(&r, &queue, 70, commits), 555u);
    ws_import_progress progress;
    ws_import_reader_progress(&r, &progress);
    cr_assert_eq(progress.documents, 555u);
    cr_assert_eq(progress.file_bytes, progress.file_total);
    ws_import_reader_fini(&r);
    for (uint32_t c = 0; c < 555 / 70; c++) {
        ws_checkpoint checkpoint, back;
        char text[WS_CHECKPOINT_BYTES];
        open_reader(&r, &options);
        ws_import_reader_checkpoint(&r, &commits[c], &checkpoint);
        ws_checkpoint_encode(&checkpoint, text);
        cr_assert_eq(ws_checkpoint_decode(&back, ws_cstr(text)), WS_OK);
        cr_assert_eq(ws_import_reader_resume(&r, &back, NULL), WS_OK);
        cr_assert_eq(drain(&r, &queue, 70, NULL), 555 - 70 * (c + 1), "commit %u", c);
        ws_import_reader_fini(&r);
    }
    ws_import_queue_fini(&queue);
}

Test(import_reader, limit_and_another_input, .init = setup, .fini = teardown)
{
    const char *files[] = {one};
    ws_import_options options = {.files = files, .n_files = 1, .limit = 100};
    ws_import_reader r;
    ws_import_queue queue;
    ws_checkpoint checkpoint = {.identity = {1, 2}, .path = "elsewhere"};
    ws_error error;
    write_lines(one, 0, 333);
    ws_import_queue_init(&queue, 1, MIB);
    open_reader(&r, &options);
    cr_assert_eq(ws_import_reader_resume(&r, &checkpoint, &error), WS_ERR_ARG);
    cr_assert_not_null(strstr(error.message, "elsewhere"));
    cr_assert_eq(drain(&r, &queue, WS_IMPORT_COMMIT_DOCS, NULL), 100u);
    ws_import_reader_fini(&r);
    ws_import_queue_fini(&queue);
}

/* --- progress --- */

Test(import_progress, the_line)
{
    char line[128];
    ws_progress_format(&(ws_import_progress){1234, 50000000, 25, 100}, 2000000000u, line);
    cr_assert_str_eq(line, "1234 documents, 25.0 MB/s, 25 %, 0:06 left");
    ws_progress_format(&(ws_import_progress){1234, 50000000, 25, 0}, 2000000000u, line);
    cr_assert_str_eq(line, "1234 documents, 25.0 MB/s");
    ws_progress_format(&(ws_import_progress){0, 0, 0, 100}, 0, line);
    cr_assert_str_eq(line, "0 documents, 0.0 MB/s");
}
