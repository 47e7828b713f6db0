/* Live bits in memory and in their file. */
#include "engine/index/live.h"
#include "engine/index/manifest.h"
#include "tests/support/faults.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

#include <stdio.h>
#include <stdlib.h>

static char dir[WS_TMPDIR_CAP];

static void make_dir(void)
{
    ws_tmpdir_make(dir);
}

static void remove_dir(void)
{
    ws_tmpdir_remove(dir);
}

static const uint32_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 129, 1000};
#define N_SIZES (sizeof sizes / sizeof *sizes)

static void random_deletes(ws_live *live, uint8_t *dead, ws_rng *rng)
{
    memset(dead, 0, live->n_docs);
    for (uint64_t k = ws_rng_below(rng, live->n_docs + 1); k > 0; k--) {
        uint32_t d = (uint32_t)ws_rng_below(rng, live->n_docs);
        cr_assert_eq(ws_live_delete(live, d), !dead[d]);
        dead[d] = 1;
    }
}

static void expect_bits(const ws_live *live, const uint8_t *dead)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d < live->n_docs; d++) {
        cr_assert_eq(ws_live_test(live, d), !dead[d], "document %u", d);
        n += dead[d];
    }
    cr_assert_eq(live->n_deleted, n);
}

Test(live, survives_its_file, .init = make_dir, .fini = remove_dir)
{
    uint8_t dead[1000];
    ws_rng rng = ws_rng_seeded(60);
    for (size_t i = 0; i < N_SIZES * 3; i++) {
        ws_live live, copy, back;
        uint64_t hash;
        cr_assert_eq(ws_live_init(&live, 5, sizes[i % N_SIZES]), WS_OK);
        random_deletes(&live, dead, &rng);
        expect_bits(&live, dead);
        live.generation = 9 + i;
        cr_assert_eq(ws_live_copy(&copy, &live), WS_OK);
        cr_assert_eq(ws_live_write(&live, dir, &hash, NULL), WS_OK);
        cr_assert_eq(ws_live_read(&back, dir, 5, 9 + i, live.n_docs, live.n_deleted, hash, NULL),
                     WS_OK);
        expect_bits(&back, dead);
        ws_live_fini(&live);
        expect_bits(&copy, dead);
        ws_live_fini(&copy);
        ws_live_fini(&back);
    }
}

Test(live, without_words_all_live, .init = make_dir, .fini = remove_dir)
{
    ws_live live = {.segment_id = 1, .generation = 2, .n_docs = 70}, copy, back;
    uint64_t hash;
    for (uint32_t d = 0; d < 70; d++)
        cr_assert(ws_live_test(&live, d));
    cr_assert_eq(ws_live_copy(&copy, &live), WS_OK);
    cr_assert_null(copy.words);
    cr_assert_eq(ws_live_write(&live, dir, &hash, NULL), WS_OK);
    cr_assert_eq(ws_live_read(&back, dir, 1, 2, 70, 0, hash, NULL), WS_OK);
    for (uint32_t d = 0; d < 70; d++)
        cr_assert(ws_live_test(&back, d));
    ws_live_fini(&back);
}

Test(live, what_the_manifest_says_must_fit, .init = make_dir, .fini = remove_dir)
{
    ws_live live, back;
    uint64_t hash;
    ws_error error = {0};
    char name[64], other[64], from[1024], to[1024];
    cr_assert_eq(ws_live_init(&live, 5, 100), WS_OK);
    ws_live_delete(&live, 7);
    live.generation = 3;
    cr_assert_eq(ws_live_write(&live, dir, &hash, NULL), WS_OK);
    cr_assert_eq(ws_live_read(&back, dir, 5, 3, 100, 1, hash, NULL), WS_OK);
    ws_live_fini(&back);
    cr_assert_eq(ws_live_read(&back, dir, 5, 3, 99, 1, hash, &error), WS_ERR_CORRUPT);
    cr_assert(strstr(error.path, ".wsd") != NULL);
    cr_assert_null(back.words);
    cr_assert_eq(ws_live_read(&back, dir, 5, 3, 10, 1, hash, NULL), WS_ERR_CORRUPT,
                 "a longer file than 10 need");
    cr_assert_eq(ws_live_read(&back, dir, 5, 3, 0, 0, hash, NULL), WS_ERR_CORRUPT);
    cr_assert_eq(ws_live_read(&back, dir, 5, 3, 100, 2, hash, NULL), WS_ERR_CORRUPT);
    cr_assert_eq(ws_live_read(&back, dir, 5, 3, 100, 1, hash + 1, NULL), WS_ERR_CORRUPT);
    cr_assert_eq(ws_live_read(&back, dir, 5, 4, 100, 1, hash, NULL), WS_ERR_NOT_FOUND);
    /* The file of another segment under this one's name. */
    ws_live_file_name(name, 5, 3);
    ws_live_file_name(other, 6, 3);
    cr_assert_eq(rename(ws_tmpdir_path(from, sizeof from, dir, name),
                        ws_tmpdir_path(to, sizeof to, dir, other)),
                 0);
    cr_assert_eq(ws_live_read(&back, dir, 6, 3, 100, 1, hash, NULL), WS_ERR_CORRUPT);
    ws_live_fini(&live);
}

Test(live, every_damaged_byte_and_every_cut_is_found, .init = make_dir, .fini = remove_dir)
{
    ws_live live, back;
    uint64_t hash;
    uint8_t *data, dead[130];
    size_t size;
    char name[64], path[1024];
    ws_rng rng = ws_rng_seeded(61);
    cr_assert_eq(ws_live_init(&live, 5, 130), WS_OK);
    random_deletes(&live, dead, &rng);
    live.generation = 3;
    cr_assert_eq(ws_live_write(&live, dir, &hash, NULL), WS_OK);
    ws_live_file_name(name, 5, 3);
    ws_tmpdir_path(path, sizeof path, dir, name);
    cr_assert_eq(ws_file_read(path, 4096, &data, &size, NULL), WS_OK);
    for (size_t i = 0; i < size; i++) {
        data[i] ^= 0xff;
        ws_tmpdir_write(path, data, size);
        cr_assert_eq(ws_live_read(&back, dir, 5, 3, 130, live.n_deleted, hash, NULL),
                     WS_ERR_CORRUPT, "byte %zu", i);
        data[i] ^= 0xff;
        ws_tmpdir_write(path, data, i);
        cr_assert_eq(ws_live_read(&back, dir, 5, 3, 130, live.n_deleted, hash, NULL),
                     WS_ERR_CORRUPT, "cut at %zu", i);
    }
    ws_free(data);
    ws_live_fini(&live);
}

Test(live, failures_leave_no_file, .init = make_dir, .fini = remove_dir)
{
    static const char *const specs[] = {
        "file.create:eio",       "file.write:enospc", "file.write:short", "segment.sync:eio",
        "segment.rename:enospc", "file.sync:eio",     "file.rename:eio"};
    ws_live live;
    uint64_t hash;
    char name[64], path[1024];
    cr_assert_eq(ws_live_init(&live, 5, 130), WS_OK);
    live.generation = 3;
    ws_live_file_name(name, 5, 3);
    ws_tmpdir_path(path, sizeof path, dir, name);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        cr_assert_eq(ws_failpoint_set(specs[i]), WS_OK);
        cr_assert_lt(ws_live_write(&live, dir, &hash, NULL), 0, "%s", specs[i]);
        ws_failpoint_set(NULL);
        cr_assert_neq(remove(path), 0, "%s", specs[i]);
    }
    cr_assert_eq(remove(dir), 0, "nothing is left in it");
    cr_assert_eq(ws_dir_create(dir, NULL), WS_OK);
    ws_live_fini(&live);
}

Test(live, no_memory_is_a_status, .init = make_dir, .fini = remove_dir)
{
    ws_faults faults;
    int failed = 1;
    for (uint64_t n = 0; failed; n++) {
        ws_live live = {0}, copy = {0}, back = {0};
        uint64_t hash;
        ws_faults_arm(&faults, n);
        ws_status status = ws_live_init(&live, 5, 200);
        if (!status)
            status = ws_live_copy(&copy, &live);
        if (!status)
            status = ws_live_write(&live, dir, &hash, NULL);
        if (!status)
            status = ws_live_read(&back, dir, 5, 0, 200, 0, hash, NULL);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu",
                     (unsigned long long)n);
        ws_live_fini(&live);
        ws_live_fini(&copy);
        ws_live_fini(&back);
    }
}
