/* Opening generations: sharing, falling back, following a writer that moves on, epoch statistics.
 */
#include <pthread.h>
#include <unistd.h>

#include "engine/index/id_map.h"
#include "tests/support/faults.h"
#include "tests/support/sample_index.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

#define DOCS 8u

static char dir[WS_TMPDIR_CAP];
static const ws_segment_options lazy = {WS_ACCESS_MMAP, WS_VERIFY_LAZY, 0};
static const ws_segment_options full = {WS_ACCESS_READ, WS_VERIFY_FULL, 0};

static void make_dir(void)
{
    ws_tmpdir_make(dir);
}

static void remove_dir(void)
{
    ws_tmpdir_remove(dir);
}

/* Segment number n holds documents made from seed n. */
static void add_segment(ws_manifest *m)
{
    sample_doc *docs = sample_docs_new(DOCS, m->next_segment_id, 200);
    cr_assert_eq(sample_add_segment(m, dir, docs, DOCS, NULL), WS_OK);
    sample_docs_free(docs, DOCS);
}

static void delete_docs(ws_manifest *m, uint32_t segment, uint32_t n)
{
    ws_live live;
    cr_assert_eq(ws_live_init(&live, m->segments[segment].id, DOCS), WS_OK);
    for (uint32_t d = 0; d < n; d++)
        ws_live_delete(&live, d);
    live.generation = m->generation + 1;
    cr_assert_eq(ws_live_write(&live, dir, &m->segments[segment].live_hash, NULL), WS_OK);
    m->segments[segment].live_generation = live.generation;
    m->segments[segment].n_deleted = n;
    ws_live_fini(&live);
}

/* Generation 1: one segment. Generation 2: two, one document of the first deleted. */
static void build(ws_manifest *m)
{
    sample_manifest(m);
    add_segment(m);
    cr_assert_eq(sample_commit(m, dir, NULL), WS_OK);
    add_segment(m);
    delete_docs(m, 0, 1);
    cr_assert_eq(sample_commit(m, dir, NULL), WS_OK);
}

static char *path_of(const char *name, char out[1024])
{
    return ws_tmpdir_path(out, 1024, dir, name);
}

static void invert_byte(const char *name, uint64_t at)
{
    char path[1024];
    uint8_t *data;
    size_t size;
    cr_assert_eq(ws_file_read(path_of(name, path), 1u << 24, &data, &size, NULL), WS_OK);
    data[at % size] ^= 0xff;
    ws_tmpdir_write(path, data, size);
    ws_free(data);
}

Test(snapshot, opens_what_was_committed, .init = make_dir, .fini = remove_dir)
{
    ws_manifest m;
    ws_snapshot *s;
    build(&m);
    cr_assert_eq(ws_snapshot_open(&s, dir, &lazy, NULL, NULL), WS_OK);
    cr_assert_eq(s->manifest.generation, (uint64_t)2);
    cr_assert_eq(s->n_docs, (uint64_t)2 * DOCS);
    cr_assert_eq(s->n_deleted, (uint64_t)1);
    cr_assert_eq(s->fallback, 0u);
    cr_assert_eq(s->segments[1].first_doc, DOCS);
    cr_assert_not(ws_live_test(&s->segments[0].live, 0));
    cr_assert(ws_live_test(&s->segments[0].live, 1));
    cr_assert(ws_live_test(&s->segments[1].live, 0));
    ws_snapshot_ref(s);
    ws_snapshot_unref(s);
    cr_assert_eq(s->manifest.n_segments, 2u);
    ws_snapshot_unref(s);
    ws_snapshot_unref(NULL);
    ws_manifest_fini(&m);
}

Test(snapshot, a_refresh_opens_new_files_only, .init = make_dir, .fini = remove_dir)
{
    ws_manifest m;
    ws_snapshot *old, *new;
    char path[1024];
    build(&m);
    cr_assert_eq(ws_snapshot_open(&old, dir, &lazy, NULL, NULL), WS_OK);
    add_segment(&m);
    delete_docs(&m, 1, 3);
    cr_assert_eq(sample_commit(&m, dir, NULL), WS_OK);
    cr_assert_eq(ws_snapshot_open(&new, dir, &lazy, old, NULL), WS_OK);
    for (uint32_t i = 0; i < 2; i++)
        cr_assert_eq(new->segments[i].segment, old->segments[i].segment);
    cr_assert_eq(old->n_deleted, (uint64_t)1, "a snapshot does not change");
    cr_assert_eq(new->n_deleted, (uint64_t)4);
    ws_snapshot_unref(old);
    cr_assert_eq(sample_read(new->segments[0].segment).status, WS_OK, "borrowed ones stay open");
    /* An open snapshot reads on when its files are gone. */
    cr_assert_eq(unlink(path_of("seg-0000000000000001.wsg", path)), 0);
    cr_assert_eq(sample_read(new->segments[0].segment).status, WS_OK);
    ws_snapshot_unref(new);
    ws_manifest_fini(&m);
}

/* --- falling back --- */

static void expect_fallback(const ws_segment_options *options, const char *what)
{
    ws_snapshot *s;
    ws_error error = {0};
    cr_assert_eq(ws_snapshot_open(&s, dir, options, NULL, &error), WS_FALLBACK, "%s", what);
    cr_assert_eq(s->fallback, 1u, "%s", what);
    cr_assert_eq(s->manifest.generation, (uint64_t)1, "%s", what);
    cr_assert(error.code < 0 && error.message[0] && error.path[0], "%s", what);
    ws_snapshot_unref(s);
}

Test(snapshot, damage_of_the_new_generation_gives_the_old_one, .init = make_dir, .fini = remove_dir)
{
    static const char *const names[] = {"MANIFEST", "seg-0000000000000002.wsg",
                                        "del-0000000000000001-0000000000000002.wsd"};
    char path[1024], aside[1024];
    ws_manifest m;
    ws_rng rng = ws_rng_seeded(90);
    build(&m);
    for (size_t i = 0; i < WS_ARRAY_LEN(names); i++) {
        for (int k = 0; k < 30; k++) {
            uint64_t at = ws_rng_u64(&rng);
            invert_byte(names[i], at);
            expect_fallback(&full, names[i]);
            invert_byte(names[i], at);
        }
        cr_assert_eq(rename(path_of(names[i], path), path_of("aside", aside)), 0);
        expect_fallback(&lazy, names[i]);
        cr_assert_eq(rename(aside, path), 0);
    }
    /* Another segment under the name that MANIFEST means. */
    cr_assert_eq(rename(path_of("seg-0000000000000002.wsg", path), path_of("aside", aside)), 0);
    uint8_t *data;
    size_t size;
    char first[1024];
    cr_assert_eq(
        ws_file_read(path_of("seg-0000000000000001.wsg", first), 1u << 24, &data, &size, NULL),
        WS_OK);
    ws_tmpdir_write(path, data, size);
    ws_free(data);
    expect_fallback(&lazy, "another segment");
    ws_manifest_fini(&m);
}

Test(snapshot, when_nothing_is_whole_the_first_reason_is_told, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    ws_manifest m;
    ws_snapshot *s;
    ws_error error = {0};
    build(&m);
    cr_assert_eq(unlink(path_of("seg-0000000000000001.wsg", path)), 0);
    cr_assert_eq(ws_snapshot_open(&s, dir, &lazy, NULL, &error), WS_ERR_NOT_FOUND);
    cr_assert_null(s);
    cr_assert(strstr(error.path, "seg-0000000000000001.wsg") != NULL, "%s", error.path);
    ws_manifest_fini(&m);
}

Test(snapshot, a_newer_format_is_no_damage, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    uint8_t *data;
    size_t size;
    ws_manifest m;
    ws_snapshot *s;
    build(&m);
    cr_assert_eq(ws_file_read(path_of("MANIFEST", path), 1u << 20, &data, &size, NULL), WS_OK);
    data[8] = 2;
    ws_store_u64le(data + size - 8, ws_hash64(data, size - 8));
    ws_tmpdir_write(path, data, size);
    ws_free(data);
    cr_assert_eq(ws_snapshot_open(&s, dir, &lazy, NULL, NULL), WS_ERR_VERSION);
    ws_manifest_fini(&m);
}

/* --- a writer that moves on --- */

typedef struct {
    ws_manifest m;
    _Atomic int done;
} mover;

/* Replaces the only segment again and again; the sweep takes the files of two generations ago. */
static void *move_on(void *ctx)
{
    mover *w = ctx;
    for (int i = 0; i < 60; i++) {
        w->m.n_segments = 0;
        add_segment(&w->m);
        cr_assert_eq(sample_commit(&w->m, dir, NULL), WS_OK);
        cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    }
    atomic_store(&w->done, 1);
    return NULL;
}

Test(snapshot, readers_follow_a_writer_without_locks, .init = make_dir, .fini = remove_dir,
     .timeout = 120)
{
    mover w = {.done = 0};
    pthread_t thread;
    uint64_t last = 0;
    sample_manifest(&w.m);
    add_segment(&w.m);
    cr_assert_eq(sample_commit(&w.m, dir, NULL), WS_OK);
    cr_assert_eq(pthread_create(&thread, NULL, move_on, &w), 0);
    while (!atomic_load(&w.done)) {
        ws_snapshot *s;
        ws_error error = {0};
        ws_status status = ws_snapshot_open(&s, dir, &lazy, NULL, &error);
        cr_assert_eq(status, WS_OK, "%s %s", error.path, error.message);
        cr_assert_geq(s->manifest.generation, last);
        last = s->manifest.generation;
        cr_assert_eq(sample_read(s->segments[0].segment).status, WS_OK);
        ws_snapshot_unref(s);
    }
    pthread_join(thread, NULL);
    cr_assert_eq(last <= 61, 1);
    ws_manifest_fini(&w.m);
}

/* --- questions --- */

static uint64_t df_of(const ws_snapshot *s, const char *word, ws_term_info *infos)
{
    uint8_t key[WS_TERM_KEY_MAX];
    uint64_t df;
    size_t n = ws_term_key(SAMPLE_BODY, 0, ws_cstr(word), key, NULL);
    cr_assert_eq(ws_snapshot_find_term(s, ws_str_make((const char *)key, n), infos, &df), WS_OK);
    return df;
}

Test(snapshot, document_frequencies_are_those_of_the_epoch, .init = make_dir, .fini = remove_dir)
{
    ws_manifest m;
    ws_snapshot *s;
    ws_term_info infos[3];
    sample_manifest(&m);
    for (int i = 0; i < 3; i++)
        add_segment(&m);
    for (uint32_t in = 0; in < 8; in++) {
        for (uint32_t i = 0; i < 3; i++)
            m.segments[i].in_epoch = in >> i & 1;
        cr_assert_eq(sample_commit(&m, dir, NULL), WS_OK);
        cr_assert_eq(ws_snapshot_open(&s, dir, &lazy, NULL, NULL), WS_OK);
        for (uint32_t w = 0; w < 42; w++) {
            char word[SAMPLE_WORD_MAX] = {0};
            uint64_t sum = 0, all = 0;
            sample_word(w, word);
            uint64_t df = df_of(s, word, infos);
            for (uint32_t i = 0; i < 3; i++) {
                all += infos[i].df;
                sum += m.segments[i].in_epoch ? infos[i].df : 0;
            }
            cr_assert_eq(df, sum ? sum : all, "word %u, epoch %u", w, in);
            cr_assert_eq(df_of(s, word, NULL), df);
        }
        cr_assert_eq(df_of(s, "no such word", infos), (uint64_t)0);
        ws_snapshot_unref(s);
    }
    ws_manifest_fini(&m);
}

Test(snapshot, an_id_finds_the_newest_live_document, .init = make_dir, .fini = remove_dir)
{
    ws_manifest m;
    ws_snapshot *s;
    uint32_t segment, doc;
    sample_manifest(&m);
    for (int i = 0; i < 2; i++)
        add_segment(&m); /* the same ids in both */
    delete_docs(&m, 1, 3);
    cr_assert_eq(sample_commit(&m, dir, NULL), WS_OK);
    cr_assert_eq(ws_snapshot_open(&s, dir, &lazy, NULL, NULL), WS_OK);
    for (uint32_t d = 0; d < DOCS; d++) {
        char id[32];
        snprintf(id, sizeof id, "doc-%u", d);
        cr_assert_eq(ws_snapshot_find_id(s, ws_cstr(id), &segment, &doc), WS_OK);
        cr_assert_eq(segment, d < 3 ? 0u : 1u);
        cr_assert_eq(doc, d);
    }
    cr_assert_eq(ws_snapshot_find_id(s, ws_cstr("doc-99"), &segment, &doc), WS_ERR_NOT_FOUND);
    ws_snapshot_unref(s);
    ws_manifest_fini(&m);
}

Test(snapshot, made_from_parts_it_owns_them)
{
    ws_manifest m;
    ws_snapshot *s;
    size_t size;
    ws_segment *segment;
    uint8_t *data = sample_segment(DOCS, 1, 100, &size);
    cr_assert_eq(ws_segment_open_memory(&segment, data, size, &lazy, NULL), WS_OK);
    for (int failing = 1; failing >= 0; failing--) {
        ws_faults faults;
        sample_manifest(&m);
        m.segments = ws_calloc(1, sizeof *m.segments);
        m.segments[0] = (ws_manifest_segment){.id = 1, .n_docs = DOCS, .in_epoch = 1};
        m.n_segments = 1;
        ws_snapshot_segment *parts = ws_calloc(1, sizeof *parts);
        parts[0].segment = ws_segment_ref(segment);
        ws_faults_arm(&faults, failing ? 0 : UINT64_MAX);
        ws_status status = ws_snapshot_make(&s, &m, parts);
        ws_faults_disarm(&faults);
        cr_assert_eq(status, failing ? WS_ERR_NOMEM : WS_OK);
    }
    cr_assert_eq(s->n_docs, (uint64_t)DOCS);
    cr_assert_eq(s->segments[0].in_epoch, 1u);
    ws_snapshot_unref(s);
    cr_assert_eq(atomic_load(&segment->references), 1u);
    ws_segment_unref(segment);
}

Test(snapshot, no_memory_is_a_status, .init = make_dir, .fini = remove_dir)
{
    ws_faults faults;
    int failed = 1;
    ws_manifest m;
    build(&m);
    for (uint64_t n = 0; failed; n++) {
        ws_snapshot *s;
        ws_faults_arm(&faults, n);
        ws_status status = ws_snapshot_open(&s, dir, &lazy, NULL, NULL);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu",
                     (unsigned long long)n);
        ws_snapshot_unref(s);
    }
    cr_assert_geq(faults.seen, (uint64_t)8);
    ws_manifest_fini(&m);
}
