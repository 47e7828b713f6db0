/* The commit order: whatever fails or dies at whatever step, the directory opens at the old or the
 * new generation, whole. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/faults.h"
#include "tests/support/sample_index.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

#define SEGMENT_DOCS 6u

static char dir[WS_TMPDIR_CAP];
static sample_doc *docs;

static void prepare(void)
{
    ws_tmpdir_make(dir);
    docs = sample_docs_new(SEGMENT_DOCS, 80, 100);
}

static void clean_up(void)
{
    ws_failpoint_set(NULL);
    sample_docs_free(docs, SEGMENT_DOCS);
    ws_tmpdir_remove(dir);
}

static int has_file(const char *name)
{
    char path[1024];
    return access(ws_tmpdir_path(path, sizeof path, dir, name), F_OK) == 0;
}

/* All that one writer does for one generation: a segment more, a document of the first segment
 * deleted, commit, sweep. */
static ws_status write_generation(ws_manifest *m, ws_error *error)
{
    WS_TRY(sample_add_segment(m, dir, docs, SEGMENT_DOCS, error));
    ws_manifest_segment *first = &m->segments[0];
    if (first->n_deleted < SEGMENT_DOCS - 1) {
        ws_live live;
        if (ws_live_init(&live, first->id, SEGMENT_DOCS))
            return WS_ERR_NOMEM;
        for (uint32_t d = 0; d <= first->n_deleted; d++)
            ws_live_delete(&live, d);
        live.generation = m->generation + 1;
        first->n_deleted = live.n_deleted;
        first->live_generation = live.generation;
        ws_status status = ws_live_write(&live, dir, &first->live_hash, error);
        ws_live_fini(&live);
        WS_TRY(status);
    }
    WS_TRY(sample_commit(m, dir, error));
    return ws_manifest_sweep(dir, error);
}

/* A directory with `n` generations; *m is the last. */
static void build(ws_manifest *m, uint64_t n)
{
    sample_manifest(m);
    while (m->generation < n)
        cr_assert_eq(write_generation(m, NULL), WS_OK);
}

/* Opens the directory and checks that it is `generation` and whole: g segments, g deletes in the
 * first. Returns the status. */
static ws_status expect_whole(uint64_t *generation)
{
    ws_snapshot *s;
    ws_error error = {0};
    ws_segment_options options = {WS_ACCESS_MMAP, WS_VERIFY_FULL, 0};
    *generation = 0;
    ws_status status = ws_snapshot_open(&s, dir, &options, NULL, &error);
    if (status < 0)
        return status;
    *generation = s->manifest.generation;
    cr_assert_eq(s->manifest.n_segments, *generation);
    cr_assert_eq(s->n_docs, *generation * SEGMENT_DOCS);
    cr_assert_eq(s->n_deleted, *generation ? WS_MIN(*generation, (uint64_t)SEGMENT_DOCS - 1) : 0);
    for (uint32_t i = 0; i < s->manifest.n_segments; i++)
        cr_assert_eq(sample_read(s->segments[i].segment).status, WS_OK);
    ws_snapshot_unref(s);
    return status;
}

/* --- the files of a directory, kept aside so that each round starts from the same without its
 * fsyncs --- */

#define IMAGE_FILES 16u

typedef struct {
    uint32_t n;
    char names[IMAGE_FILES][64];
    uint8_t *data[IMAGE_FILES];
    size_t sizes[IMAGE_FILES];
} image;

static void image_take(image *im)
{
    char path[1024];
    DIR *d = opendir(dir);
    cr_assert_not_null(d);
    im->n = 0;
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        cr_assert_lt(im->n, IMAGE_FILES);
        snprintf(im->names[im->n], sizeof im->names[0], "%.63s", e->d_name);
        ws_tmpdir_path(path, sizeof path, dir, e->d_name);
        cr_assert_eq(ws_file_read(path, 1u << 24, &im->data[im->n], &im->sizes[im->n], NULL),
                     WS_OK);
        im->n++;
    }
    closedir(d);
}

static void image_restore(const image *im)
{
    char path[1024];
    ws_tmpdir_remove(dir);
    cr_assert_eq(ws_dir_create(dir, NULL), WS_OK);
    for (uint32_t i = 0; i < im->n; i++)
        ws_tmpdir_write(ws_tmpdir_path(path, sizeof path, dir, im->names[i]), im->data[i],
                        im->sizes[i]);
}

static void image_free(image *im)
{
    for (uint32_t i = 0; i < im->n; i++)
        ws_free(im->data[i]);
}

/* Everything fails or dies after `m` is generation 2: the next writer goes on from what is there.
 */
static void expect_writable(uint64_t generation)
{
    ws_manifest m;
    uint64_t now;
    ws_manifest_init(&m);
    cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    cr_assert_eq(expect_whole(&now), WS_OK, "after a sweep");
    cr_assert_eq(now, generation);
    ws_manifest_fini(&m);
    cr_assert_geq(ws_manifest_read(&m, dir, NULL), 0);
    cr_assert_eq(write_generation(&m, NULL), WS_OK);
    cr_assert_eq(expect_whole(&now), WS_OK);
    cr_assert_eq(now, generation + 1);
    ws_manifest_fini(&m);
}

static const char *const points[] = {
    "file.create",
    "file.write",
    "segment.sync",
    "file.sync",
    "segment.rename",
    "file.rename",
    "commit.dir1",
    "dir.sync",
    "commit.prev",
    "commit.dir2",
    "commit.manifest.write",
    "commit.manifest.sync",
    "commit.manifest.rename",
    "commit.unlink",
    "file.unlink",
};

static int is_after_commit(const char *point)
{
    return strcmp(point, "commit.dir2") == 0 || strstr(point, "unlink") != NULL;
}

Test(commit, a_failing_step_leaves_the_old_generation_or_the_new_one, .init = prepare,
     .fini = clean_up, .timeout = 300)
{
    static const char *const actions[] = {"eio", "enospc", "short"};
    char spec[64];
    static image second;
    ws_manifest m;
    build(&m, 2);
    ws_manifest_fini(&m);
    image_take(&second);
    for (size_t p = 0; p < WS_ARRAY_LEN(points); p++)
        for (size_t a = 0; a < WS_ARRAY_LEN(actions); a++)
            for (unsigned nth = 1; nth <= 5; nth++) {
                uint64_t generation;
                image_restore(&second);
                cr_assert_eq(ws_manifest_read(&m, dir, NULL), WS_OK);
                snprintf(spec, sizeof spec, "%s:%s:%u", points[p], actions[a], nth);
                cr_assert_eq(ws_failpoint_set(spec), WS_OK);
                ws_error error = {0};
                ws_status status = write_generation(&m, &error);
                ws_failpoint_set(NULL);
                ws_manifest_fini(&m);
                cr_assert(status == WS_OK || error.message[0], "%s", spec);
                cr_assert_eq(expect_whole(&generation), WS_OK, "%s", spec);
                /* Only a step after the rename may fail with the new generation in place. */
                int late = is_after_commit(points[p]) || strcmp(points[p], "dir.sync") == 0;
                cr_assert(status == WS_OK ? generation == 3 : generation == 2 || late,
                          "%s: %d, generation %llu", spec, status, (unsigned long long)generation);
                if (strcmp(points[p], "commit.dir2") == 0 && nth == 1)
                    cr_assert_eq(status, WS_ERR_FSYNC_FAILED);
                expect_writable(generation);
                if (status == WS_OK)
                    break; /* the step does not happen as often as that */
            }
    image_free(&second);
}

/* Returns 1 when it died, 0 when the step does not happen so often. */
static int die_in_child(const char *spec)
{
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        ws_manifest m;
        if (ws_manifest_read(&m, dir, NULL) || ws_failpoint_set(spec))
            _exit(1);
        write_generation(&m, NULL);
        _exit(0);
    }
    int state;
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert(WIFSIGNALED(state) ? WTERMSIG(state) == SIGKILL : WEXITSTATUS(state) == 0, "%s: %d",
              spec, state);
    return WIFSIGNALED(state);
}

Test(commit, a_death_at_any_step_leaves_the_old_generation_or_the_new_one, .init = prepare,
     .fini = clean_up, .timeout = 300)
{
    char spec[64];
    static image second;
    unsigned deaths = 0;
    ws_manifest m;
    build(&m, 2);
    ws_manifest_fini(&m);
    image_take(&second);
    for (size_t p = 0; p < WS_ARRAY_LEN(points); p++)
        for (unsigned nth = 1; nth <= 5; nth++) {
            uint64_t generation;
            image_restore(&second);
            snprintf(spec, sizeof spec, "%s:crash:%u", points[p], nth);
            int died = die_in_child(spec);
            cr_assert(died || nth > 1, "%s was not met", spec);
            cr_assert_eq(expect_whole(&generation), WS_OK, "%s", spec);
            cr_assert(generation == 2 || generation == 3, "%s", spec);
            cr_assert(generation == 3 || died, "%s", spec);
            deaths += (unsigned)died;
            expect_writable(generation);
            if (!died)
                break;
        }
    image_free(&second);
    cr_assert_geq(deaths, (unsigned)WS_ARRAY_LEN(points));
}

Test(commit, before_a_first_commit_there_is_nothing, .init = prepare, .fini = clean_up)
{
    ws_manifest m;
    uint64_t generation;
    ws_error error = {0};
    cr_assert_eq(expect_whole(&generation), WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_manifest_read(&m, dir, &error), WS_ERR_NOT_FOUND);
    cr_assert_eq(error.code, WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_manifest_peek(dir, &generation, NULL), WS_ERR_NOT_FOUND);
    sample_manifest(&m);
    cr_assert_eq(ws_failpoint_set("commit.manifest.rename:eio"), WS_OK);
    cr_assert_lt(write_generation(&m, NULL), 0);
    ws_failpoint_set(NULL);
    ws_manifest_fini(&m);
    cr_assert_eq(expect_whole(&generation), WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    build(&m, 1);
    cr_assert_not(has_file("MANIFEST.prev"));
    cr_assert_eq(expect_whole(&generation), WS_OK);
    cr_assert_eq(ws_manifest_peek(dir, &generation, NULL), WS_OK);
    cr_assert_eq(generation, (uint64_t)1);
    ws_manifest_fini(&m);
}

/* --- falling back --- */

static uint8_t *slurp(const char *name, size_t *size)
{
    char path[1024];
    uint8_t *data;
    cr_assert_eq(
        ws_file_read(ws_tmpdir_path(path, sizeof path, dir, name), 1u << 24, &data, size, NULL),
        WS_OK, "%s", name);
    return data;
}

static void spill(const char *name, const uint8_t *data, size_t size)
{
    char path[1024];
    ws_tmpdir_write(ws_tmpdir_path(path, sizeof path, dir, name), data, size);
}

Test(commit, a_damaged_manifest_falls_back_and_says_so, .init = prepare, .fini = clean_up)
{
    ws_manifest m;
    uint64_t generation;
    size_t size;
    build(&m, 3);
    ws_manifest_fini(&m);
    uint8_t *data = slurp("MANIFEST", &size);
    for (size_t i = 0; i < size; i++) {
        ws_error error = {0};
        data[i] ^= 0xff;
        spill("MANIFEST", data, size);
        cr_assert_eq(ws_manifest_read(&m, dir, &error), WS_FALLBACK, "byte %zu", i);
        cr_assert_eq(m.generation, (uint64_t)2);
        cr_assert_eq(error.code, WS_ERR_CORRUPT);
        cr_assert(strstr(error.path, "MANIFEST") != NULL && error.message[0]);
        ws_manifest_fini(&m);
        cr_assert_eq(ws_manifest_peek(dir, &generation, NULL), WS_ERR_CORRUPT);
        data[i] ^= 0xff;
        spill("MANIFEST", data, i);
        cr_assert_eq(ws_manifest_read(&m, dir, &error), WS_FALLBACK, "cut at %zu", i);
        ws_manifest_fini(&m);
    }
    cr_assert_eq(expect_whole(&generation), WS_FALLBACK, "its files are still there");
    cr_assert_eq(generation, (uint64_t)2);
    /* A writer goes on from there; the damaged MANIFEST does not become MANIFEST.prev. */
    cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    cr_assert_eq(ws_manifest_read(&m, dir, NULL), WS_FALLBACK);
    cr_assert_eq(write_generation(&m, NULL), WS_OK);
    ws_manifest_fini(&m);
    cr_assert_eq(expect_whole(&generation), WS_OK);
    cr_assert_eq(generation, (uint64_t)3);
    spill("MANIFEST", data, size / 2);
    cr_assert_eq(expect_whole(&generation), WS_FALLBACK);
    cr_assert_eq(generation, (uint64_t)2);
    ws_free(data);
}

Test(commit, two_damaged_manifests_are_corrupt, .init = prepare, .fini = clean_up)
{
    ws_manifest m;
    ws_error error = {0};
    build(&m, 2);
    ws_manifest_fini(&m);
    spill("MANIFEST", (const uint8_t *)"x", 1);
    spill("MANIFEST.prev", (const uint8_t *)"y", 1);
    cr_assert_eq(ws_manifest_read(&m, dir, &error), WS_ERR_CORRUPT);
    cr_assert_eq(error.code, WS_ERR_CORRUPT);
    cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    cr_assert(has_file("seg-0000000000000001.wsg") && has_file("seg-0000000000000002.wsg"),
              "what could be repaired stays");
}

Test(commit, the_previous_manifest_is_a_copy_not_a_link, .init = prepare, .fini = clean_up)
{
    ws_manifest m;
    size_t before, after;
    build(&m, 2);
    uint8_t *was = slurp("MANIFEST", &before);
    cr_assert_eq(write_generation(&m, NULL), WS_OK);
    uint8_t *is = slurp("MANIFEST.prev", &after);
    cr_assert_eq(before, after);
    cr_assert_arr_eq(was, is, before);
    ws_free(was);
    ws_free(is);
    ws_manifest_fini(&m);
}

Test(commit, what_no_reader_would_accept_is_not_committed, .init = prepare, .fini = clean_up)
{
    ws_manifest m;
    ws_error error = {0};
    uint64_t generation;
    build(&m, 2);
    m.segments[0].n_deleted = SEGMENT_DOCS + 1;
    cr_assert_eq(sample_commit(&m, dir, &error), WS_ERR_ARG);
    cr_assert(error.message[0]);
    cr_assert_eq(expect_whole(&generation), WS_OK);
    cr_assert_eq(generation, (uint64_t)2);
    ws_manifest_fini(&m);
}

/* --- the sweep --- */

static uint32_t count_files(const char *end)
{
    uint32_t n = 0;
    DIR *d = opendir(dir);
    cr_assert_not_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        size_t length = strlen(e->d_name), tail = strlen(end);
        n += length >= tail && strcmp(e->d_name + length - tail, end) == 0;
    }
    closedir(d);
    return n;
}

Test(commit, the_sweep_removes_what_neither_manifest_names, .init = prepare, .fini = clean_up)
{
    static const char *const garbage[] = {"seg-00000000000000ff.wsg",
                                          "del-0000000000000001-00000000000000ff.wsd",
                                          "MANIFEST.tmp",
                                          "seg-0000000000000001.wsg.tmp",
                                          "MANIFEST.prev.tmp",
                                          "spool-abc123"};
    static const char *const others[] = {"LOCK",      "notes.txt",  "seg-1.bak", "state.db",
                                         "del-x.txt", "thesis.tmp", "spool-x",   "suggest.wst.tmp"};
    ws_manifest m;
    build(&m, 4);
    ws_manifest_fini(&m);
    cr_assert_eq(count_files(".wsg"), 4u);
    cr_assert_eq(count_files(".wsd"), 2u, "those of generation 3 and 4");
    for (size_t i = 0; i < WS_ARRAY_LEN(garbage); i++)
        spill(garbage[i], (const uint8_t *)"x", 1);
    for (size_t i = 0; i < WS_ARRAY_LEN(others); i++)
        spill(others[i], (const uint8_t *)"x", 1);
    cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    for (size_t i = 0; i < WS_ARRAY_LEN(garbage); i++)
        cr_expect_not(has_file(garbage[i]), "%s", garbage[i]);
    for (size_t i = 0; i < WS_ARRAY_LEN(others); i++)
        cr_expect(has_file(others[i]), "%s", others[i]);
    cr_assert_eq(count_files(".wsg"), 4u);
    cr_assert_eq(count_files(".wsd"), 2u);
}

Test(commit, files_of_both_generations_stay, .init = prepare, .fini = clean_up)
{
    ws_manifest m;
    uint64_t generation;
    build(&m, 3);
    /* A merge: generation 4 names one new segment; generation 3 keeps its three. */
    for (uint32_t i = 0; i < 3; i++)
        cr_assert_eq(m.segments[i].in_epoch, 1u);
    m.n_segments = 0;
    cr_assert_eq(sample_add_segment(&m, dir, docs, SEGMENT_DOCS, NULL), WS_OK);
    cr_assert_eq(sample_commit(&m, dir, NULL), WS_OK);
    cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    cr_assert_eq(count_files(".wsg"), 4u);
    spill("MANIFEST", (const uint8_t *)"?", 1);
    cr_assert_eq(expect_whole(&generation), WS_FALLBACK);
    cr_assert_eq(generation, (uint64_t)3);
    /* One commit later only the new one is left. */
    ws_manifest_fini(&m);
    cr_assert_eq(ws_manifest_read(&m, dir, NULL), WS_FALLBACK);
    m.n_segments = 0;
    for (int i = 0; i < 2; i++) {
        m.n_segments = 0;
        cr_assert_eq(sample_add_segment(&m, dir, docs, SEGMENT_DOCS, NULL), WS_OK);
        cr_assert_eq(sample_commit(&m, dir, NULL), WS_OK);
        cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    }
    cr_assert_eq(count_files(".wsg"), 2u);
    ws_manifest_fini(&m);
}

Test(commit, without_any_manifest_segments_stay, .init = prepare, .fini = clean_up)
{
    spill("seg-0000000000000001.wsg", (const uint8_t *)"x", 1);
    spill("MANIFEST.tmp", (const uint8_t *)"x", 1);
    cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    cr_assert(has_file("seg-0000000000000001.wsg"));
    cr_assert_not(has_file("MANIFEST.tmp"));
}

/* --- memory --- */

Test(commit, no_memory_leaves_the_old_generation_or_the_new_one, .init = prepare, .fini = clean_up,
     .timeout = 300)
{
    ws_faults faults;
    int failed = 1;
    ws_manifest m;
    build(&m, 2);
    for (uint64_t n = 0; failed; n++) {
        uint64_t before = m.generation, generation;
        ws_faults_arm(&faults, n);
        ws_manifest next;
        ws_manifest_init(&next);
        ws_status status = ws_manifest_copy(&next, &m);
        if (!status)
            status = sample_commit(&next, dir, NULL);
        if (!status)
            status = ws_manifest_sweep(dir, NULL);
        failed = ws_faults_disarm(&faults);
        ws_manifest_fini(&next);
        cr_assert(status == WS_OK || status == WS_ERR_NOMEM, "allocation %llu: %d",
                  (unsigned long long)n, status);
        cr_assert(status == WS_OK || failed);
        cr_assert_eq(ws_manifest_peek(dir, &generation, NULL), WS_OK);
        cr_assert(generation == before || generation == before + 1);
        ws_manifest_fini(&m);
        cr_assert_eq(ws_manifest_read(&m, dir, NULL), WS_OK);
    }
    ws_manifest_fini(&m);
}
