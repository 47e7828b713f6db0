/* Ingest against a model: random puts, replacements, deletes, commits and merges; then every
 * document is rebuilt from postings and positions and compared with the text that the model keeps.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/str.h"
#include "engine/index/id_map.h"
#include "engine/index/norm.h"
#include "engine/index/postings.h"
#include "engine/index/snapshot.h"
#include "engine/text/analyzer.h"
#include "indexer/ingest.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

#define IDS       60
#define MAX_WORDS 40
#define WORDS     30

typedef struct {
    int live;
    uint64_t key;
    uint32_t n;
    uint8_t words[MAX_WORDS];
} model_doc;

typedef struct {
    model_doc docs[IDS];
    uint64_t next_key, sequence;
    ws_ingest *ingest;
    ws_ingest_worker *worker;
    ws_rng rng;
} world;

static ws_schema plain_schema(void)
{
    ws_schema s;
    memset(&s, 0, sizeof s);
    s.n_fields = 1;
    snprintf(s.fields[0].name, sizeof s.fields[0].name, "body");
    snprintf(s.fields[0].from, sizeof s.fields[0].from, "body");
    s.fields[0].type = WS_FIELD_TEXT;
    s.fields[0].analyzer = WS_ANALYZER_WHITESPACE;
    s.fields[0].flags = WS_FIELD_IS_STORED | WS_FIELD_POSITIONS;
    s.fields[0].boost = s.weights[0] = 65536;
    s.k1 = 1u << 24;
    s.b = 1u << 23;
    return s;
}

static size_t text_of(const model_doc *doc, char *out, size_t cap)
{
    size_t at = 0;
    for (uint32_t i = 0; i < doc->n; i++)
        at += (size_t)snprintf(out + at, cap - at, "%sw%u", i ? " " : "", doc->words[i]);
    return at;
}

static void put(world *w, uint32_t id)
{
    model_doc *doc = &w->docs[id];
    char name[16], text[1024];
    int n = snprintf(name, sizeof name, "id-%u", id);
    doc->n = (uint32_t)ws_rng_below(&w->rng, MAX_WORDS);
    for (uint32_t i = 0; i < doc->n; i++)
        doc->words[i] = (uint8_t)ws_rng_below(&w->rng, ws_rng_below(&w->rng, WORDS) + 1);
    ws_ingest_value value = {0, {text, text_of(doc, text, sizeof text)}};
    ws_ingest_document document = {ws_str_make(name, (size_t)n), &value, 1};
    cr_assert_eq(ws_ingest_worker_add(w->worker, &document, w->sequence, NULL), WS_OK);
    if (!doc->live)
        doc->key = w->next_key + w->sequence;
    doc->live = 1;
    w->sequence++;
}

static void delete (world *w, uint32_t id)
{
    char name[16];
    int n = snprintf(name, sizeof name, "id-%u", id);
    ws_status expected = w->docs[id].live ? WS_OK : WS_ERR_NOT_FOUND;
    cr_assert_eq(ws_ingest_exists(w->ingest, w->worker, ws_str_make(name, (size_t)n)),
                 w->docs[id].live);
    cr_assert_eq(ws_ingest_delete(w->ingest, w->worker, ws_str_make(name, (size_t)n), NULL),
                 expected);
    w->docs[id].live = 0;
}

static void commit(world *w)
{
    cr_assert_eq(ws_ingest_worker_flush(w->worker, NULL), WS_OK);
    cr_assert_eq(ws_ingest_commit(w->ingest, w->sequence, NULL, 0, NULL, NULL), WS_OK);
    w->next_key = ws_ingest_manifest(w->ingest)->next_doc_key;
    w->sequence = 0;
}

/* words[doc][position] of one segment, rebuilt from its postings. */
static void rebuild(ws_segment *segment, int (*words)[MAX_WORDS])
{
    static ws_postings p;
    ws_term_iterator it;
    uint32_t positions[MAX_WORDS];
    for (uint32_t d = 0; d < segment->meta.n_docs; d++)
        for (uint32_t i = 0; i < MAX_WORDS; i++)
            words[d][i] = -1;
    cr_assert_eq(ws_term_iterator_init(&it, segment, ws_cstr(NULL)), WS_OK);
    while (ws_term_iterator_next(&it) == WS_OK) {
        char term[16] = {0};
        memcpy(term, it.key + 2, it.key_length - 2);
        ws_postings_open(&p, segment, &it.info);
        for (uint32_t b = 0; b < p.n_blocks; b++) {
            cr_assert_eq(ws_postings_load(&p, b), WS_OK);
            cr_assert_eq(ws_postings_load_tfs(&p), WS_OK);
            for (uint32_t i = 0; i < p.n; i++) {
                cr_assert_leq(p.tfs[i], (uint32_t)MAX_WORDS);
                cr_assert_eq(ws_postings_positions(&p, i, positions), WS_OK);
                for (uint32_t k = 0; k < p.tfs[i]; k++)
                    words[p.docs[i]][positions[k]] = atoi(term + 1);
            }
        }
    }
}

static void check_document(const world *w, ws_segment *segment, uint32_t doc, const int *words,
                           int *seen)
{
    char buffer[WS_ID_MAX];
    ws_str id;
    const uint8_t *norms;
    cr_assert_eq(ws_segment_id(segment, doc, buffer, &id), WS_OK);
    uint64_t number = IDS;
    cr_assert(ws_str_to_u64(ws_str_sub(id, 3, id.len), &number) && number < IDS);
    const model_doc *expected = &w->docs[number];
    cr_assert(expected->live && !seen[number], "id-%u is there, or there twice", (unsigned)number);
    seen[number] = 1;
    cr_assert_eq(ws_segment_doc_key(segment, doc), expected->key, "key of id-%u", (unsigned)number);
    for (uint32_t i = 0; i < MAX_WORDS; i++)
        cr_assert_eq(words[i], i < expected->n ? expected->words[i] : -1, "word %u of id-%u", i,
                     (unsigned)number);
    cr_assert_eq(ws_segment_norms(segment, 0, 0, &norms), WS_OK);
    cr_assert_eq(norms ? norms[doc] : 0, ws_norm_encode(expected->n));
}

static void check_snapshot(const world *w, ws_snapshot *s)
{
    static int words[4096][MAX_WORDS];
    int seen[IDS] = {0};
    for (uint32_t i = 0; i < s->manifest.n_segments; i++) {
        ws_segment *segment = s->segments[i].segment;
        cr_assert_leq(segment->meta.n_docs, 4096u);
        rebuild(segment, words);
        for (uint32_t d = 0; d < segment->meta.n_docs; d++)
            if (ws_live_test(&s->segments[i].live, d))
                check_document(w, segment, d, words[d], seen);
    }
    for (uint32_t id = 0; id < IDS; id++)
        cr_assert_eq(seen[id], w->docs[id].live, "id-%u is lost", id);
}

static void check(world *w, const char *dir)
{
    ws_snapshot *s;
    ws_segment_options options = {0, 0, 0};
    if (dir)
        cr_assert_eq(ws_snapshot_open(&s, dir, &options, NULL, NULL), WS_OK);
    else
        cr_assert_eq(ws_ingest_snapshot(w->ingest, &s, NULL), WS_OK);
    check_snapshot(w, s);
    ws_snapshot_unref(s);
}

static void open_world(world *w, const char *dir)
{
    ws_schema schema = plain_schema();
    ws_ingest_options options = {
        .dir = dir, .schema = &schema, .memory = 32u << 20, .n_workers = 1};
    cr_assert_eq(ws_ingest_open(&w->ingest, &options, NULL), WS_OK);
    cr_assert_eq(ws_ingest_worker_new(&w->worker, w->ingest, NULL), WS_OK);
}

static void close_world(world *w)
{
    ws_ingest_worker_free(w->worker);
    ws_ingest_close(w->ingest);
}

static void step(world *w, const char *dir)
{
    uint32_t id = (uint32_t)ws_rng_below(&w->rng, IDS), what = (uint32_t)ws_rng_below(&w->rng, 100);
    if (what < 70) {
        put(w, id);
    } else if (what < 85) {
        delete (w, id);
    } else if (what < 90) {
        cr_assert_eq(ws_ingest_worker_flush(w->worker, NULL), WS_OK);
    } else if (what < 96) {
        commit(w);
        check(w, dir);
    } else if (what < 98) {
        commit(w);
        cr_assert_eq(
            ws_ingest_merge(w->ingest, (uint32_t)ws_rng_below(&w->rng, 3), NULL, NULL, NULL),
            WS_OK);
        check(w, dir);
    } else if (dir) {
        commit(w);
        close_world(w);
        open_world(w, dir);
        check(w, dir);
    }
}

static void walk(const char *dir, int steps)
{
    static world w;
    memset(&w, 0, sizeof w);
    w.rng = ws_rng_seeded(7);
    open_world(&w, dir);
    for (int i = 0; i < steps; i++)
        step(&w, dir);
    commit(&w);
    cr_assert_eq(ws_ingest_merge(w.ingest, 1, NULL, NULL, NULL), WS_OK);
    check(&w, dir);
    close_world(&w);
}

Test(ingest, memory_index_holds_what_the_model_holds)
{
    walk(NULL, 1500);
}

Test(ingest, directory_index_holds_what_the_model_holds_also_after_reopening)
{
    char dir[WS_TMPDIR_CAP];
    ws_tmpdir_make(dir);
    walk(dir, 700);
    ws_tmpdir_remove(dir);
}

Test(ingest, what_was_not_committed_is_gone_and_its_files_too)
{
    static world w;
    char dir[WS_TMPDIR_CAP];
    memset(&w, 0, sizeof w);
    w.rng = ws_rng_seeded(7);
    ws_tmpdir_make(dir);
    open_world(&w, dir);
    put(&w, 1);
    put(&w, 2);
    commit(&w);
    world before = w;
    put(&w, 3);
    delete (&w, 1);
    cr_assert_eq(ws_ingest_worker_flush(w.worker, NULL), WS_OK);
    close_world(&w);
    before.ingest = NULL;
    check(&before, dir);
    ws_segment_options options = {0, 0, 0};
    ws_snapshot *s;
    cr_assert_eq(ws_snapshot_open(&s, dir, &options, NULL, NULL), WS_OK);
    cr_assert_eq(s->manifest.n_segments, 1);
    ws_snapshot_unref(s);
    ws_tmpdir_remove(dir);
}

Test(ingest, a_second_writer_is_refused)
{
    static world w;
    char dir[WS_TMPDIR_CAP];
    ws_ingest *second;
    ws_error error;
    ws_schema schema = plain_schema();
    memset(&w, 0, sizeof w);
    ws_tmpdir_make(dir);
    open_world(&w, dir);
    ws_ingest_options options = {
        .dir = dir, .schema = &schema, .memory = 32u << 20, .n_workers = 1};
    cr_assert_eq(ws_ingest_open(&second, &options, &error), WS_ERR_LOCKED);
    cr_assert_null(second);
    close_world(&w);
    cr_assert_eq(ws_ingest_open(&second, &options, &error), WS_OK);
    ws_ingest_close(second);
    ws_tmpdir_remove(dir);
}

Test(ingest, of_two_workers_the_later_document_of_an_id_wins)
{
    ws_ingest *ingest;
    ws_ingest_worker *workers[2];
    ws_schema schema = plain_schema();
    ws_ingest_options options = {.schema = &schema, .memory = 32u << 20, .n_workers = 2};
    ws_ingest_value early = {0, WS_STR("early")}, late = {0, WS_STR("late late")};
    cr_assert_eq(ws_ingest_open(&ingest, &options, NULL), WS_OK);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(ws_ingest_worker_new(&workers[i], ingest, NULL), WS_OK);
    cr_assert_eq(
        ws_ingest_worker_add(workers[0], &(ws_ingest_document){WS_STR("x"), &late, 1}, 7, NULL),
        WS_OK);
    cr_assert_eq(
        ws_ingest_worker_add(workers[1], &(ws_ingest_document){WS_STR("x"), &early, 1}, 3, NULL),
        WS_OK);
    for (int i = 1; i >= 0; i--)
        cr_assert_eq(ws_ingest_worker_flush(workers[i], NULL), WS_OK);
    cr_assert_eq(ws_ingest_commit(ingest, 8, NULL, 0, NULL, NULL), WS_OK);
    ws_snapshot *s;
    uint32_t segment, doc;
    const uint8_t *norms;
    cr_assert_eq(ws_ingest_snapshot(ingest, &s, NULL), WS_OK);
    cr_assert_eq(s->n_docs - s->n_deleted, 1);
    cr_assert_eq(ws_snapshot_find_id(s, WS_STR("x"), &segment, &doc), WS_OK);
    cr_assert_eq(ws_segment_norms(s->segments[segment].segment, 0, 0, &norms), WS_OK);
    cr_assert_eq(norms[doc], 2, "the early one won");
    cr_assert_eq(ws_segment_doc_key(s->segments[segment].segment, doc), 7);
    ws_snapshot_unref(s);
    for (int i = 0; i < 2; i++)
        ws_ingest_worker_free(workers[i]);
    ws_ingest_close(ingest);
}

Test(ingest, bad_documents_are_refused_and_leave_the_worker_as_it_was)
{
    static world w;
    memset(&w, 0, sizeof w);
    w.rng = ws_rng_seeded(7);
    open_world(&w, NULL);
    ws_ingest_value value = {0, WS_STR("text")}, unknown = {9, WS_STR("text")};
    char long_id[600];
    memset(long_id, 'x', sizeof long_id);
    ws_ingest_document empty_id = {WS_STR(""), &value, 1}, bad_utf8 = {WS_STR("\xff"), &value, 1};
    ws_ingest_document control = {WS_STR("a\nb"), &value, 1},
                       too_long = {ws_str_make(long_id, 513), &value, 1};
    ws_ingest_document bad_field = {WS_STR("a"), &unknown, 1};
    cr_assert_eq(ws_ingest_worker_add(w.worker, &empty_id, 0, NULL), WS_ERR_RANGE);
    cr_assert_eq(ws_ingest_worker_add(w.worker, &bad_utf8, 0, NULL), WS_ERR_UTF8);
    cr_assert_eq(ws_ingest_worker_add(w.worker, &control, 0, NULL), WS_ERR_UTF8);
    cr_assert_eq(ws_ingest_worker_add(w.worker, &too_long, 0, NULL), WS_ERR_RANGE);
    cr_assert_eq(ws_ingest_worker_add(w.worker, &bad_field, 0, NULL), WS_ERR_SCHEMA);
    put(&w, 5);
    commit(&w);
    check(&w, NULL);
    close_world(&w);
}
