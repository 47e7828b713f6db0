/* Spools against one plain buffer: what goes in comes out, wherever it was kept. */
#include "base/mem.h"
#include "engine/index/spool.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

static char dir[WS_TMPDIR_CAP];

static void make_dir(void)
{
    ws_tmpdir_make(dir);
}

static void remove_dir(void)
{
    ws_tmpdir_remove(dir);
}

static void collect(void *ctx, const void *bytes, size_t n)
{
    ws_buf_append(ctx, bytes, n);
}

static void expect_content(ws_spool *spool, const ws_buf *model)
{
    ws_buf out;
    ws_buf_init(&out);
    cr_assert_eq(ws_spool_length(spool), model->len);
    cr_assert_eq(ws_spool_replay(spool, collect, &out, NULL), WS_OK);
    cr_assert_eq(out.len, model->len);
    if (model->len)
        cr_assert_arr_eq(out.data, model->data, model->len);
    ws_buf_fini(&out);
}

Test(spool, gives_back_what_was_appended, .init = make_dir, .fini = remove_dir)
{
    static const size_t limits[] = {0, 1, 100, 4096, SIZE_MAX};
    static uint8_t bytes[10000];
    ws_rng rng = ws_rng_seeded(4);
    ws_rng_fill(&rng, bytes, sizeof bytes);
    for (size_t l = 0; l < 10; l++) {
        ws_spool spool;
        ws_buf model;
        ws_buf_init(&model);
        ws_spool_init(&spool, l < 5 ? dir : NULL, limits[l % 5]);
        for (int i = 0; i < 200; i++) {
            size_t n = (size_t)ws_rng_skewed(&rng, 13);
            ws_spool_append(&spool, bytes, n);
            ws_buf_append(&model, bytes, n);
            if (i % 50 == 7)
                expect_content(&spool, &model); /* a replay changes nothing */
            if (l < 4)
                cr_assert_leq(ws_spool_memory(&spool), 2 * (limits[l] + 4096),
                              "the limit bounds the heap");
        }
        expect_content(&spool, &model);
        cr_assert_eq(spool.fd >= 0, l < 4, "only a limit and a directory make a file");
        ws_spool_fini(&spool);
        ws_buf_fini(&model);
    }
}

Test(spool, leaves_no_name_in_the_directory, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    ws_spool spool;
    ws_spool_init(&spool, dir, 0);
    ws_spool_append(&spool, "abc", 3);
    cr_assert_geq(spool.fd, 0);
    /* A directory is removed only when it is empty. */
    ws_tmpdir_path(path, sizeof path, dir, ".");
    cr_assert_eq(remove(dir), 0);
    ws_spool_fini(&spool);
    cr_assert_eq(ws_dir_create(dir, NULL), WS_OK);
}

Test(spool, a_directory_that_is_gone_is_an_error_that_stays, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    ws_spool spool;
    ws_error error = {0};
    ws_spool_init(&spool, ws_tmpdir_path(path, sizeof path, dir, "missing"), 10);
    ws_spool_append(&spool, "0123456789", 10);
    cr_assert_eq(spool.status, WS_OK);
    ws_spool_append(&spool, "x", 1);
    cr_assert_neq(spool.status, WS_OK);
    ws_spool_append(&spool, "y", 1);
    ws_buf out;
    ws_buf_init(&out);
    cr_assert_eq(ws_spool_replay(&spool, collect, &out, &error), spool.status);
    cr_assert(error.message[0]);
    cr_assert_eq(out.len, (size_t)0);
    ws_buf_fini(&out);
    ws_spool_fini(&spool);
}

Test(spool, a_full_disk_is_told, .init = make_dir, .fini = remove_dir)
{
    ws_spool spool;
    cr_assert_eq(ws_failpoint_set("spool.write:enospc:2"), WS_OK);
    ws_spool_init(&spool, dir, 0);
    ws_spool_append(&spool, "a", 1);
    cr_assert_eq(spool.status, WS_OK);
    ws_spool_append(&spool, "b", 1);
    cr_assert_eq(spool.status, WS_ERR_NOSPC);
    cr_assert_eq(ws_spool_length(&spool), (uint64_t)1);
    ws_spool_fini(&spool);
    ws_failpoint_set(NULL);
}

static int fail_always(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return 1;
}

Test(spool, no_memory_is_a_status)
{
    ws_spool spool;
    ws_spool_init(&spool, NULL, 0);
    ws_mem_set_fault(fail_always, NULL);
    ws_spool_append(&spool, "abc", 3);
    ws_mem_set_fault(NULL, NULL);
    cr_assert_eq(spool.status, WS_ERR_NOMEM);
    cr_assert_eq(spool.error.code, WS_ERR_NOMEM);
    ws_spool_append(&spool, "abc", 3);
    cr_assert_eq(ws_spool_length(&spool), (uint64_t)0);
    ws_spool_fini(&spool);
}
