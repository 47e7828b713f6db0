/* One writer commits, many readers refresh, pin, count and describe: for ThreadSanitizer, and for
 * what each reader may see. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "engine/api/api_int.h"
#include "engine/index/id_map.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"
#include "wikisearch/wikisearch.h"

#define READERS 4
#define COMMITS 25
#define DOCS    4 /* in a commit */

typedef struct {
    ws_index *shared; /* the writer's handle */
    const char *dir;  /* NULL: memory, no handle of one's own */
    atomic_int done;
    atomic_int failures;
} world;

static void expect(world *w, int ok, const char *what)
{
    if (ok)
        return;
    printf("failed: %s\n", what);
    atomic_fetch_add(&w->failures, 1);
}

/* A generation of n commits holds DOCS * n documents, whatever merges did to its segments. */
static void look(world *w, ws_index *index, uint64_t *seen)
{
    ws_index_stats_data stats = {.size = sizeof stats};
    uint64_t generation;
    ws_text text;
    expect(w, ws_index_refresh(index, &generation, NULL) >= 0, "refresh");
    ws_snapshot *s = ws_index_pin(index);
    expect(w, s->manifest.generation >= *seen, "generations go up");
    expect(w, s->manifest.generation >= generation, "a pin after a refresh is not older");
    *seen = s->manifest.generation;
    expect(w, (s->n_docs - s->n_deleted) % DOCS == 0, "only whole commits are seen");
    for (uint64_t key = 0; key < s->manifest.next_doc_key; key++) {
        char id[24];
        uint32_t segment, doc;
        int n = snprintf(id, sizeof id, "%llu", (unsigned long long)key);
        expect(w, ws_snapshot_find_id(s, (ws_str){id, (size_t)n}, &segment, &doc) == WS_OK,
               "a document is there");
    }
    ws_snapshot_unref(s);
    expect(w, ws_index_stats(index, &stats) == WS_OK, "stats");
    expect(w, ws_index_describe(index, &text, NULL) == WS_OK, "describe");
    ws_text_free(&text);
}

static void count_token(void *ctx, const ws_analyzed_token *token)
{
    (void)token;
    (*(uint32_t *)ctx)++;
}

static void *read_all_the_time(void *ctx)
{
    world *w = ctx;
    ws_index *own = w->shared;
    uint64_t seen = 0, limit;
    if (w->dir)
        expect(w, ws_index_open(&own, w->dir, NULL, NULL, NULL) >= 0, "open");
    for (int last = 0; !last;) {
        uint32_t n = 0;
        last = atomic_load(&w->done);
        look(w, own, &seen);
        expect(w,
               ws_analyze(own, ws_cstr("body"), ws_cstr("some words"), 0, count_token, &n, NULL) ==
                   WS_OK,
               "analyze");
        expect(w, n == 2, "two tokens");
        expect(w, ws_index_set_limit(own, WS_LIMIT_QUERY_TERMS, 64) == WS_OK, "set limit");
        expect(w, ws_index_get_limit(own, WS_LIMIT_QUERY_TERMS, &limit) == WS_OK && limit == 64,
               "get limit");
    }
    expect(w, seen >= COMMITS, "the last generation is seen");
    if (own != w->shared)
        ws_index_close(own);
    return NULL;
}

static void commit_some(world *w, ws_writer *writer, uint32_t number)
{
    ws_doc *doc;
    cr_assert_eq(ws_doc_new(&doc), WS_OK);
    for (uint32_t i = 0; i < DOCS; i++) {
        char id[16];
        snprintf(id, sizeof id, "%u", number * DOCS + i);
        ws_doc_reset(doc);
        ws_doc_set(doc, ws_cstr("body"), ws_cstr("a few words of text"));
        expect(w, ws_writer_put(writer, ws_cstr(id), doc, 0, NULL) == WS_OK, "put");
    }
    ws_doc_free(doc);
    expect(w, ws_writer_commit(writer, NULL, NULL, NULL) == WS_OK, "commit");
    if (number % 7 == 6)
        expect(w, ws_writer_merge(writer, NULL, NULL, NULL) == WS_OK, "merge");
}

static void run(world *w)
{
    pthread_t readers[READERS];
    ws_writer *writer;
    cr_assert_eq(ws_writer_open(&writer, w->shared, NULL, NULL), WS_OK);
    commit_some(w, writer, 0);
    for (int i = 0; i < READERS; i++)
        cr_assert_eq(pthread_create(&readers[i], NULL, read_all_the_time, w), 0);
    for (uint32_t n = 1; n < COMMITS; n++)
        commit_some(w, writer, n);
    atomic_store(&w->done, 1);
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    ws_writer_close(writer);
    cr_assert_eq(atomic_load(&w->failures), 0);
}

static void run_on(const char *dir, int own_handles)
{
    world w = {.dir = own_handles ? dir : NULL};
    ws_schema *schema;
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(""), NULL), WS_OK);
    cr_assert_eq(ws_index_open(&w.shared, dir, schema, NULL, NULL), WS_OK);
    ws_schema_free(schema);
    run(&w);
    ws_index_close(w.shared);
}

Test(index_threads, readers_with_handles_of_their_own)
{
    char dir[WS_TMPDIR_CAP];
    ws_tmpdir_make(dir);
    run_on(dir, 1);
    ws_tmpdir_remove(dir);
}

Test(index_threads, readers_that_share_the_writers_handle)
{
    char dir[WS_TMPDIR_CAP];
    ws_tmpdir_make(dir);
    run_on(dir, 0);
    ws_tmpdir_remove(dir);
}

Test(index_threads, memory_index)
{
    run_on(NULL, 0);
}
