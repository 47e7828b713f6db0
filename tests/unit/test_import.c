/* A whole import in process: what it reports, and that it survives any allocation or durable step
 * that fails. */
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"
#include "indexer/import.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"
#include "wikisearch/wikisearch.h"

#define DOCS  60
#define EVERY 20

static char dir[WS_TMPDIR_CAP], file[WS_TMPDIR_CAP + 16], index_dir[WS_TMPDIR_CAP + 16];

static void setup(void)
{
    ws_tmpdir_make(dir);
    ws_tmpdir_path(file, sizeof file, dir, "file");
    ws_tmpdir_path(index_dir, sizeof index_dir, dir, "index");
    char text[DOCS * 128];
    size_t at = 0;
    for (int i = 0; i < DOCS; i++)
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "{\"id\": %d, \"title\": \"title %d\", \"text\": \"a text of some words\"}\n", i, i);
    ws_tmpdir_write(file, text, at);
}

static void teardown(void)
{
    ws_tmpdir_remove(dir);
}

typedef struct {
    uint64_t generation, documents;
    uint32_t n_commits, n_messages;
    atomic_int *stop; /* set at the first commit */
} heard;

static void on_commit(void *ctx, uint64_t generation, uint64_t documents)
{
    heard *h = ctx;
    cr_assert_gt(generation, h->generation);
    h->generation = generation;
    h->documents = documents;
    h->n_commits++;
    if (h->stop)
        atomic_store(h->stop, 1);
}

static void on_message(void *ctx, const char *text)
{
    heard *h = ctx;
    h->n_messages += text[0] != 0;
}

static ws_import_options options_for(heard *h)
{
    static const char *files[] = {file};
    return (ws_import_options){
        .dir = index_dir,
        .files = files,
        .n_files = 1,
        .memory = 64u << 20,
        .threads = 2,
        .commit_every = EVERY,
        .events = {h, NULL, on_commit, on_message},
    };
}

/* Documents of the index; 0 when nothing was committed. */
static uint64_t held(void)
{
    ws_index *index;
    ws_index_stats_data stats = {.size = sizeof stats};
    ws_status status = ws_index_open(&index, index_dir, NULL, NULL, NULL);
    if (status == WS_ERR_NOT_FOUND)
        return 0;
    cr_assert_geq(status, 0);
    cr_assert_eq(ws_index_stats(index, &stats), WS_OK);
    ws_index_close(index);
    return stats.n_docs;
}

Test(import, reports_and_commits, .init = setup, .fini = teardown)
{
    heard h = {0};
    ws_import_report report;
    ws_error error = {0};
    ws_import_options options = options_for(&h);
    cr_assert_eq(ws_import_run(&options, &report, &error), WS_OK, "%s", error.message);
    cr_assert_eq(report.documents, (uint64_t)DOCS);
    cr_assert_eq(report.bad, 0u);
    cr_assert_eq(report.bytes, report.file_bytes);
    cr_assert_eq(h.n_commits, (uint32_t)(DOCS / EVERY));
    cr_assert_eq(h.documents, (uint64_t)DOCS);
    cr_assert_eq(h.n_messages, 0u);
    cr_assert_geq(report.generation, h.generation);
    cr_assert_eq(held(), (uint64_t)DOCS);
}

Test(import, a_stop_commits_what_was_read, .init = setup, .fini = teardown)
{
    atomic_int stop = 0;
    heard h = {.stop = &stop};
    ws_import_report report;
    ws_error error = {0};
    ws_import_options options = options_for(&h);
    options.stop = &stop;
    cr_assert_eq(ws_import_run(&options, &report, &error), WS_ERR_CANCELLED);
    cr_assert_geq(report.documents, (uint64_t)EVERY);
    cr_assert_eq(held(), report.documents);
    cr_assert_eq(h.documents, report.documents);
    options = options_for(&h);
    h.stop = NULL;
    options.resume = 1;
    cr_assert_eq(ws_import_run(&options, &report, &error), WS_OK, "%s", error.message);
    cr_assert_eq(report.resumed_at + report.documents, (uint64_t)DOCS);
    cr_assert_eq(h.n_messages, 1u, "that it resumes");
    cr_assert_eq(held(), (uint64_t)DOCS);
}

Test(import, arguments_are_checked, .init = setup, .fini = teardown)
{
    heard h = {0};
    ws_import_report report;
    ws_error error;
    ws_import_options options = options_for(&h);
    options.n_files = 0;
    cr_assert_eq(ws_import_run(&options, &report, &error), WS_ERR_ARG);
    options = options_for(&h);
    options.memory = 1u << 20;
    cr_assert_eq(ws_import_run(&options, &report, &error), WS_ERR_LIMIT);
    cr_assert_eq(report.has_generation, 0u);
}

/* --- failures --- */

static atomic_size_t allocations;
static size_t failing;

static int fail_one(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return atomic_fetch_add(&allocations, 1) + 1 == failing;
}

/* Whatever failed: the index is as of a commit, and the next import goes through. */
static void check_after(const heard *h, ws_status status, const char *what, size_t n)
{
    uint64_t documents = held();
    cr_assert(documents == h->documents || documents == h->documents + EVERY, "%s %zu: %u of %u",
              what, n, (unsigned)documents, (unsigned)h->documents);
    cr_assert(status < 0 || documents == DOCS, "%s %zu: said to be fine", what, n);
}

Test(import, a_failed_allocation_ends_it_in_order, .init = setup, .fini = teardown)
{
    ws_status status = WS_ERR_NOMEM;
    size_t total = SIZE_MAX;
    for (size_t n = 1; n <= total; n += 1 + n / 8) {
        heard h = {0};
        ws_import_report report;
        ws_error error = {0};
        ws_import_options options = options_for(&h);
        atomic_store(&allocations, 0);
        failing = n;
        ws_mem_set_fault(fail_one, NULL);
        status = ws_import_run(&options, &report, &error);
        ws_mem_set_fault(NULL, NULL);
        if (status >= 0 && atomic_load(&allocations) < n)
            total = n; /* it needs no more than that */
        check_after(&h, status, "allocation", n);
        ws_tmpdir_remove(index_dir);
    }
    cr_assert_eq(status, WS_OK, "the last one was never reached");
}

Test(import, a_failed_step_ends_it_in_order, .init = setup, .fini = teardown)
{
    static const char *const steps[] = {
        "file.create", "file.write",  "file.sync",    "file.rename",
        "dir.sync",    "file.unlink", "segment.sync", "commit.manifest.rename"};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (size_t n = 1; n <= 5; n++) {
            heard h = {0};
            ws_import_report report;
            ws_error error = {0};
            ws_import_options options = options_for(&h);
            char spec[64];
            snprintf(spec, sizeof spec, "%s:%s:%zu", steps[s], n % 2 ? "eio" : "enospc", n);
            cr_assert_eq(ws_failpoint_set(spec), WS_OK);
            ws_status status = ws_import_run(&options, &report, &error);
            cr_assert_eq(ws_failpoint_set(NULL), WS_OK);
            cr_assert(status >= 0 || error.message[0], "%s says nothing", spec);
            check_after(&h, status, spec, n);
            ws_tmpdir_remove(index_dir);
        }
}
