/* The index handle: opening, creating, following generations, limits, user values, the fork check.
 */
#define _XOPEN_SOURCE 700
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "engine/api/api_int.h"
#include "indexer/json_load.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"
#include "wikisearch/wikisearch.h"

static char dir[WS_TMPDIR_CAP];
static ws_schema *schema;

static void setup(void)
{
    ws_tmpdir_make(dir);
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(""), NULL), WS_OK);
}

static void teardown(void)
{
    ws_schema_free(schema);
    ws_tmpdir_remove(dir);
}

static ws_index *open_index(const char *where, const ws_schema *with)
{
    ws_index *index;
    ws_error error = {0};
    ws_status status = ws_index_open(&index, where, with, NULL, &error);
    cr_assert_eq(status, WS_OK, "%d %s", status, error.message);
    return index;
}

static void put(ws_writer *w, const char *id, const char *body)
{
    ws_doc *doc;
    cr_assert_eq(ws_doc_new(&doc), WS_OK);
    cr_assert_eq(ws_doc_set(doc, ws_cstr("body"), ws_cstr(body)), WS_OK);
    cr_assert_eq(ws_doc_set(doc, ws_cstr("lang"), ws_cstr("en")), WS_OK);
    cr_assert_eq(ws_writer_put(w, ws_cstr(id), doc, 0, NULL), WS_OK);
    ws_doc_free(doc);
}

/* Puts one document and commits; returns the generation. */
static uint64_t commit_one(ws_index *index, const char *id)
{
    ws_writer *w;
    uint64_t generation;
    cr_assert_eq(ws_writer_open(&w, index, NULL, NULL), WS_OK);
    put(w, id, "some text");
    cr_assert_eq(ws_writer_commit(w, NULL, &generation, NULL), WS_OK);
    ws_writer_close(w);
    return generation;
}

static ws_index_stats_data stats_of(ws_index *index)
{
    ws_index_stats_data stats = {.size = sizeof stats};
    cr_assert_eq(ws_index_stats(index, &stats), WS_OK);
    return stats;
}

Test(index_api, a_missing_index_is_not_found_and_not_made, .init = setup, .fini = teardown)
{
    ws_index *index;
    ws_error error;
    char missing[WS_TMPDIR_CAP + 16];
    ws_tmpdir_path(missing, sizeof missing, dir, "missing");
    cr_assert_eq(ws_index_open(&index, missing, NULL, NULL, &error), WS_ERR_NOT_FOUND);
    cr_assert_null(index);
    cr_assert_neq(access(missing, F_OK), 0);
    cr_assert_eq(ws_index_open(&index, dir, NULL, NULL, &error), WS_ERR_NOT_FOUND,
                 "an empty directory");
}

Test(index_api, with_a_schema_a_new_one_is_made_and_empty, .init = setup, .fini = teardown)
{
    char made[WS_TMPDIR_CAP + 16];
    ws_tmpdir_path(made, sizeof made, dir, "a/b");
    ws_index *index = open_index(made, schema);
    ws_index_stats_data stats = stats_of(index);
    cr_assert_eq(stats.generation, 0u);
    cr_assert_eq(stats.n_docs, 0u);
    cr_assert_eq(stats.n_segments, 0u);
    cr_assert_eq(stats.analysis_ok, 1u);
    uint64_t generation = 99;
    cr_assert_eq(ws_index_refresh(index, &generation, NULL), WS_OK, "nothing is committed yet");
    cr_assert_eq(generation, 0u);
    commit_one(index, "1");
    stats = stats_of(index);
    cr_assert_eq(stats.generation, 1u);
    cr_assert_eq(stats.n_docs, 1u);
    cr_assert_gt(stats.n_terms, 0u);
    cr_assert_gt(stats.bytes, 0u);
    cr_assert_gt(stats.commit_time_s, 1600000000u);
    cr_assert_eq(stats.next_doc_key, 1u);
    ws_index_close(index);
    index = open_index(made, NULL);
    cr_assert_eq(stats_of(index).n_docs, 1u);
    ws_index_close(index);
}

Test(index_api, another_schema_is_refused, .init = setup, .fini = teardown)
{
    ws_schema *other;
    ws_index *index = open_index(dir, schema);
    ws_error error;
    commit_one(index, "1");
    ws_index_close(index);
    cr_assert_eq(ws_schema_new_json(
                     &other, ws_cstr("{\"fields\":[{\"name\":\"t\",\"type\":\"text\"}]}"), NULL),
                 WS_OK);
    cr_assert_eq(ws_index_open(&index, dir, other, NULL, &error), WS_ERR_SCHEMA);
    cr_assert_null(index);
    ws_schema_free(other);
    ws_index_close(open_index(dir, schema));
}

Test(index_api, arguments_are_checked, .init = setup, .fini = teardown)
{
    ws_index *index;
    ws_error error;
    ws_index_options options = WS_INDEX_OPTIONS_INIT;
    options.size = 0;
    cr_assert_eq(ws_index_open(&index, dir, schema, &options, &error), WS_ERR_ARG);
    options = (ws_index_options)WS_INDEX_OPTIONS_INIT;
    options.access = 7;
    cr_assert_eq(ws_index_open(&index, dir, schema, &options, &error), WS_ERR_ARG);
    cr_assert_eq(ws_index_open(&index, NULL, NULL, NULL, &error), WS_ERR_ARG,
                 "memory needs a schema");
    cr_assert_null(index);
    index = open_index(dir, schema);
    ws_index_stats_data stats = {.size = 0};
    cr_assert_eq(ws_index_stats(index, &stats), WS_ERR_ARG);
    ws_index_close(index);
    ws_index_close(NULL);
}

Test(index_api, every_way_of_opening_holds_the_same, .init = setup, .fini = teardown)
{
    ws_index *index = open_index(dir, schema);
    commit_one(index, "1");
    commit_one(index, "2");
    ws_index_close(index);
    for (uint32_t access = 0; access < 2; access++)
        for (uint32_t verify = 0; verify < 3; verify++) {
            ws_index_options options = WS_INDEX_OPTIONS_INIT;
            options.access = access;
            options.verify = verify;
            options.isa = verify == 0;
            cr_assert_eq(ws_index_open(&index, dir, NULL, &options, NULL), WS_OK);
            cr_assert_eq(stats_of(index).n_docs, 2u);
            ws_index_close(index);
        }
}

Test(index_api, refresh_follows_another_handle, .init = setup, .fini = teardown)
{
    ws_index *writer = open_index(dir, schema), *reader = open_index(dir, schema);
    uint64_t generation;
    for (uint64_t i = 1; i <= 5; i++) {
        char id[8];
        snprintf(id, sizeof id, "%u", (unsigned)i);
        cr_assert_eq(commit_one(writer, id), i);
        cr_assert_eq(stats_of(reader).generation, i - 1, "not before it is asked");
        ws_snapshot *pinned = ws_index_pin(reader);
        cr_assert_eq(ws_index_refresh(reader, &generation, NULL), WS_OK);
        cr_assert_eq(generation, i);
        cr_assert_eq(stats_of(reader).n_docs, i);
        cr_assert_eq(pinned->manifest.generation, i - 1, "what was pinned stays");
        ws_snapshot_unref(pinned);
    }
    cr_assert_eq(ws_index_refresh(reader, NULL, NULL), WS_OK);
    ws_index_close(reader);
    ws_index_close(writer);
}

Test(index_api, refresh_keeps_the_generation_when_the_manifest_is_damaged, .init = setup,
     .fini = teardown)
{
    char path[WS_TMPDIR_CAP + 16];
    ws_index *index = open_index(dir, schema);
    ws_error error = {0};
    commit_one(index, "1");
    commit_one(index, "2");
    ws_tmpdir_path(path, sizeof path, dir, "MANIFEST");
    ws_tmpdir_write(path, "nonsense", 8);
    uint64_t generation;
    cr_assert_eq(ws_index_refresh(index, &generation, &error), WS_FALLBACK);
    cr_assert_eq(generation, 2u);
    cr_assert_eq(stats_of(index).n_docs, 2u);
    ws_index_close(index);
    cr_assert_eq(ws_index_open(&index, dir, NULL, NULL, &error), WS_FALLBACK);
    cr_assert_not_null(strstr(error.path, "MANIFEST"), "%s", error.path);
    cr_assert_eq(stats_of(index).generation, 1u);
    cr_assert_eq(stats_of(index).fallback, 1u);
    ws_index_close(index);
    ws_tmpdir_path(path, sizeof path, dir, "MANIFEST.prev");
    ws_tmpdir_write(path, "nonsense", 8);
    cr_assert_eq(ws_index_open(&index, dir, NULL, NULL, &error), WS_ERR_CORRUPT);
    cr_assert_eq(ws_index_open(&index, dir, schema, NULL, &error), WS_ERR_CORRUPT,
                 "a damaged index is not made anew");
}

Test(index_api, memory_index, .init = setup, .fini = teardown)
{
    ws_index *index = open_index(NULL, schema);
    ws_writer *w;
    uint64_t generation;
    cr_assert_eq(ws_writer_open(&w, index, NULL, NULL), WS_OK);
    for (uint64_t i = 1; i <= 3; i++) {
        put(w, i == 1 ? "a" : "b", "text");
        cr_assert_eq(ws_writer_commit(w, NULL, &generation, NULL), WS_OK);
        cr_assert_eq(generation, i);
        cr_assert_eq(ws_index_refresh(index, &generation, NULL), WS_OK);
        cr_assert_eq(generation, i);
        cr_assert_eq(stats_of(index).n_docs, i == 1 ? 1u : 2u);
    }
    ws_writer_close(w);
    ws_index_close(index);
}

Test(index_api, limits, .init = setup, .fini = teardown)
{
    static const uint64_t defaults[WS_LIMITS] = {0, 1024, 64, 10000, 8u << 20};
    ws_index *index = open_index(dir, schema);
    uint64_t value;
    for (uint32_t i = 1; i < WS_LIMITS; i++) {
        cr_assert_eq(ws_index_get_limit(index, i, &value), WS_OK);
        cr_assert_eq(value, defaults[i]);
        cr_assert_eq(ws_index_set_limit(index, i, 5), WS_OK);
        cr_assert_eq(ws_index_get_limit(index, i, &value), WS_OK);
        cr_assert_eq(value, 5u);
        cr_assert_eq(ws_index_set_limit(index, i, 0), WS_ERR_RANGE);
        cr_assert_eq(ws_index_set_limit(index, i, UINT64_MAX), WS_ERR_RANGE);
    }
    cr_assert_eq(ws_index_get_limit(index, 0, &value), WS_ERR_ARG);
    cr_assert_eq(ws_index_get_limit(index, WS_LIMITS, &value), WS_ERR_ARG);
    cr_assert_eq(ws_index_set_limit(index, WS_LIMITS, 1), WS_ERR_ARG);
    ws_index_close(index);
}

Test(index_api, user_values_are_carried_forward, .init = setup, .fini = teardown)
{
    ws_index *index = open_index(dir, schema);
    ws_writer *w;
    ws_text text;
    ws_user_pair pairs[] = {{"a", "first"}, {"b", "second"}};
    ws_commit_options options = WS_COMMIT_OPTIONS_INIT;
    options.pairs = pairs;
    options.n_pairs = 2;
    cr_assert_eq(ws_writer_open(&w, index, NULL, NULL), WS_OK);
    cr_assert_eq(ws_writer_commit(w, &options, NULL, NULL), WS_OK);
    put(w, "1", "text");
    pairs[0].value = NULL;
    options.n_pairs = 1;
    cr_assert_eq(ws_writer_commit(w, &options, NULL, NULL), WS_OK);
    ws_writer_close(w);
    cr_assert_eq(ws_index_user_value(index, "b", &text), WS_OK);
    cr_assert_str_eq(text.ptr, "second");
    cr_assert_eq(text.len, 6u);
    ws_text_free(&text);
    cr_assert_null(text.ptr);
    cr_assert_eq(ws_index_user_value(index, "a", &text), WS_OK);
    cr_assert_str_eq(text.ptr, "");
    ws_text_free(&text);
    ws_text_free(&text);
    ws_text_free(NULL);
    ws_index_close(index);
}

Test(index_api, handles_die_in_a_forked_child, .init = setup, .fini = teardown)
{
    ws_index *index = open_index(dir, schema);
    pid_t child = fork();
    if (child == 0) {
        ws_index_stats_data stats = {.size = sizeof stats};
        ws_text text;
        ws_writer *w;
        int right = ws_index_refresh(index, NULL, NULL) == WS_ERR_STATE &&
                    ws_index_stats(index, &stats) == WS_ERR_STATE &&
                    ws_index_describe(index, &text, NULL) == WS_ERR_STATE &&
                    ws_index_inspect(index, "doc", ws_cstr("1"), &text, NULL) == WS_ERR_STATE &&
                    ws_index_user_value(index, "a", &text) == WS_ERR_STATE &&
                    ws_writer_open(&w, index, NULL, NULL) == WS_ERR_STATE;
        _exit(right ? 0 : 1);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ws_index_close(index);
}

typedef struct {
    uint32_t n, good;
} counted;

static int has_segment_file(void)
{
    glob_t found;
    char pattern[WS_TMPDIR_CAP + 8];
    snprintf(pattern, sizeof pattern, "%s/seg-*", dir);
    int none = glob(pattern, 0, NULL, &found);
    if (!none)
        globfree(&found);
    return !none;
}

/* Puts documents of new words until some have been flushed; returns how many. */
static uint32_t put_until_flushed(ws_writer *w)
{
    static char body[40000];
    uint32_t n = 0;
    for (; !has_segment_file(); n++) {
        char id[16];
        size_t at = 0;
        cr_assert_lt(n, 2000u);
        for (uint32_t k = 0; at + 24 < sizeof body; k++)
            at += (size_t)snprintf(body + at, sizeof body - at, "w%ux%u ", n, k);
        snprintf(id, sizeof id, "d%u", n);
        put(w, id, body);
    }
    return n;
}

/* The child's close must leave alone what the parent has flushed and not committed. */
Test(index_api, a_writer_dies_in_a_forked_child, .init = setup, .fini = teardown)
{
    ws_index *index = open_index(dir, schema);
    ws_writer *w;
    ws_writer_options options = WS_WRITER_OPTIONS_INIT;
    options.memory = 16u << 20;
    cr_assert_eq(ws_writer_open(&w, index, &options, NULL), WS_OK);
    uint32_t n = put_until_flushed(w);
    pid_t child = fork();
    if (child == 0) {
        ws_doc *doc;
        int wrong = ws_doc_new(&doc) != WS_OK ||
                    ws_writer_put(w, ws_cstr("c"), doc, 0, NULL) != WS_ERR_STATE ||
                    ws_writer_put_json(w, ws_cstr("{}"), 0, NULL) != WS_ERR_STATE ||
                    ws_writer_delete(w, ws_cstr("a"), NULL) != WS_ERR_STATE ||
                    ws_writer_commit(w, NULL, NULL, NULL) != WS_ERR_STATE ||
                    ws_writer_merge(w, NULL, NULL, NULL) != WS_ERR_STATE;
        ws_writer_close(w);
        _exit(wrong);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    cr_assert_eq(ws_writer_commit(w, NULL, NULL, NULL), WS_OK);
    cr_assert_eq(stats_of(index).n_docs, n);
    ws_writer_close(w);
    ws_index_close(index);
    cr_assert_eq(ws_check(dir, WS_CHECK_DEEP, NULL, NULL, NULL, NULL), WS_OK);
}

/* The only document of a segment is deleted, and the commit of it fails: the next one still has it
 * to do. */
Test(index_api, a_deletion_survives_a_failed_commit, .init = setup, .fini = teardown)
{
    ws_index *index = open_index(dir, schema);
    ws_writer *w;
    uint64_t generation = 777;
    commit_one(index, "a");
    commit_one(index, "b");
    cr_assert_eq(ws_writer_open(&w, index, NULL, NULL), WS_OK);
    cr_assert_eq(ws_writer_delete(w, ws_cstr("b"), NULL), WS_OK);
    cr_assert_eq(ws_failpoint_set("commit.manifest.write:enospc"), WS_OK);
    cr_assert_eq(ws_writer_commit(w, NULL, &generation, NULL), WS_ERR_NOSPC);
    cr_assert_eq(generation, 0u);
    ws_failpoint_set(NULL);
    cr_assert_eq(ws_writer_commit(w, NULL, &generation, NULL), WS_OK);
    cr_assert_eq(generation, 3u);
    ws_writer_close(w);
    ws_index_close(index);
    index = open_index(dir, NULL);
    cr_assert_eq(stats_of(index).n_docs, 1u);
    ws_index_close(index);
}

static void count_item(void *ctx, const ws_check_item *item)
{
    counted *c = ctx;
    c->n++;
    c->good += item->status == WS_OK && item->path && item->section && item->message;
}

Test(index_api, check_reports_each_section, .init = setup, .fini = teardown)
{
    ws_index *index = open_index(dir, schema);
    ws_error error;
    commit_one(index, "1");
    ws_index_close(index);
    uint32_t before = 0;
    for (uint32_t level = 0; level <= WS_CHECK_DEEP; level++) {
        counted c = {0, 0};
        cr_assert_eq(ws_check(dir, level, count_item, &c, NULL, &error), WS_OK);
        cr_assert_gt(c.n, before);
        before = level == WS_CHECK_QUICK ? c.n : 1;
        cr_assert_eq(c.good, c.n);
        cr_assert_eq(ws_check(dir, level, NULL, NULL, NULL, NULL), WS_OK);
    }
    cr_assert_eq(ws_check(dir, 3, NULL, NULL, NULL, &error), WS_ERR_ARG);
    cr_assert_eq(ws_check(NULL, 0, NULL, NULL, NULL, &error), WS_ERR_ARG);
}

static void note_stream(void *ctx, const ws_analyzed_token *token)
{
    uint32_t *n = ctx;
    cr_assert(!strcmp(token->stream, "word") || !strcmp(token->stream, "bigram") ||
              !strcmp(token->stream, "surface"));
    cr_assert_leq(token->start, token->end);
    (*n)++;
}

Test(index_api, analyze_with_and_without_an_index, .init = setup, .fini = teardown)
{
    uint32_t n = 0;
    ws_error error;
    cr_assert_eq(ws_analyze(NULL, ws_cstr(NULL), ws_cstr("two words"), 0, note_stream, &n, &error),
                 WS_OK);
    cr_assert_eq(n, 2u);
    cr_assert_eq(ws_analyze(NULL, ws_cstr("body"), ws_cstr("x"), 0, note_stream, &n, &error),
                 WS_ERR_SCHEMA);
    cr_assert_eq(ws_analyze(NULL, ws_cstr(NULL), ws_cstr("x"), 2, note_stream, &n, &error),
                 WS_ERR_ARG);
    cr_assert_eq(ws_analyze(NULL, ws_cstr(NULL), ws_cstr("x"), 0, NULL, &n, &error), WS_ERR_ARG);
    ws_index *index = open_index(dir, schema);
    for (int i = 0; i < 20; i++) {
        n = 0;
        cr_assert_eq(
            ws_analyze(index, ws_cstr("title"), ws_cstr("a b c"), 1, note_stream, &n, &error),
            WS_OK);
        cr_assert_eq(n, 3u);
    }
    cr_assert_eq(ws_analyze(index, ws_cstr("lang"), ws_cstr("x"), 0, note_stream, &n, &error),
                 WS_ERR_SCHEMA);
    cr_assert_eq(ws_analyze(index, ws_cstr("none"), ws_cstr("x"), 0, note_stream, &n, &error),
                 WS_ERR_SCHEMA);
    ws_index_close(index);
    uint64_t a, b;
    cr_assert_eq(ws_fingerprint(&a), WS_OK);
    cr_assert_eq(ws_fingerprint(&b), WS_OK);
    cr_assert_eq(a, b);
}

/* --- every allocation fails in its turn --- */

static size_t allocations, failing; /* the hook fails allocation number `failing` */

static int fail_one(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return ++allocations == failing;
}

/* One pass of what a reader does; the first bad status, everything freed. */
static ws_status use_once(void)
{
    ws_schema *own = NULL;
    ws_index *index = NULL;
    ws_text text = {NULL, 0};
    uint32_t n = 0;
    ws_status status = ws_schema_new_json(&own, ws_cstr(""), NULL);
    if (!status)
        status = ws_index_open(&index, dir, own, NULL, NULL);
    ws_schema_free(own);
    if (!status)
        status = ws_index_describe(index, &text, NULL);
    ws_text_free(&text);
    if (!status)
        status = ws_index_inspect(index, "term", ws_cstr("text"), &text, NULL);
    ws_text_free(&text);
    if (!status)
        status = ws_index_inspect(index, "doc", ws_cstr("1"), &text, NULL);
    ws_text_free(&text);
    if (!status)
        status = ws_index_user_value(index, "a", &text);
    ws_text_free(&text);
    if (!status)
        status = ws_analyze(index, ws_cstr("body"), ws_cstr("words"), 0, note_stream, &n, NULL);
    if (!status)
        status = ws_index_refresh(index, NULL, NULL);
    ws_index_close(index);
    return status;
}

Test(index_api, a_failed_allocation_is_a_status, .init = setup, .fini = teardown)
{
    ws_index *index = open_index(dir, schema);
    commit_one(index, "1");
    commit_one(index, "2");
    ws_index_close(index);
    ws_status status = WS_ERR_NOMEM;
    for (failing = 1; status; failing++) {
        allocations = 0;
        ws_mem_set_fault(fail_one, NULL);
        status = use_once();
        ws_mem_set_fault(NULL, NULL);
        cr_assert(status == WS_ERR_NOMEM || allocations < failing, "allocation %zu: %d", failing,
                  status);
    }
    cr_assert_gt(failing, 20u);
}
