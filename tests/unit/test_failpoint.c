#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

static char dir[WS_TMPDIR_CAP], path[1024], tmp[1024];
static ws_error error;

static void start(void)
{
    ws_tmpdir_make(dir);
    ws_tmpdir_path(path, sizeof path, dir, "file");
    ws_tmpdir_path(tmp, sizeof tmp, dir, "file.tmp");
}

static void stop(void)
{
    ws_failpoint_set(NULL);
    ws_tmpdir_remove(dir);
}

static void clear(void)
{
    ws_failpoint_set(NULL);
}

Test(failpoint, unset_is_inert)
{
    cr_assert_eq(ws_failpoint_set(NULL), WS_OK);
    cr_assert_eq(ws_failpoint("a.b"), WS_FAIL_NONE);
}

Test(failpoint, fires_once_at_the_call_it_names, .fini = clear)
{
    cr_assert_eq(ws_failpoint_set("a:eio,b:enospc:2,c:short:3,d:sleep"), WS_OK);
    cr_assert_eq(ws_failpoint("a"), WS_FAIL_EIO);
    cr_assert_eq(ws_failpoint("a"), WS_FAIL_NONE);
    cr_assert_eq(ws_failpoint("b"), WS_FAIL_NONE);
    cr_assert_eq(ws_failpoint("b"), WS_FAIL_ENOSPC);
    cr_assert_eq(ws_failpoint("b"), WS_FAIL_NONE);
    for (int i = 1; i <= 4; i++)
        cr_assert_eq(ws_failpoint("c"), i == 3 ? WS_FAIL_SHORT : WS_FAIL_NONE);
    cr_assert_eq(ws_failpoint("d"), WS_FAIL_NONE);
    cr_assert_eq(ws_failpoint("other"), WS_FAIL_NONE);
    cr_assert_eq(ws_failpoint_set("a:eio"), WS_OK);
    cr_assert_eq(ws_failpoint("a"), WS_FAIL_EIO, "setting again starts again");
}

Test(failpoint, bad_specs_change_nothing, .fini = clear)
{
    static const char *const bad[] = {"a",         "a:",      ":eio",    "a:boom",   "a:eio:",
                                      "a:eio:0",   "a:eio:x", "a:eio:-1", "b:eio,,c:eio",
                                      "a:eio:1:2"};
    cr_assert_eq(ws_failpoint_set("keep:eio"), WS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_eq(ws_failpoint_set(bad[i]), WS_ERR_SYNTAX, "%s", bad[i]);
    cr_assert_eq(ws_failpoint("keep"), WS_FAIL_EIO);
}

Test(failpoint, names_and_points_are_bounded, .fini = clear)
{
    char spec[33 * 6 + 1] = "", name[80];
    memset(name, 'n', sizeof name);
    memcpy(name + 70, ":eio", 5);
    cr_assert_eq(ws_failpoint_set(name), WS_ERR_SYNTAX);
    for (int i = 0; i < 33; i++)
        strcat(spec, i ? ",x:eio" : "x:eio");
    cr_assert_eq(ws_failpoint_set(spec), WS_ERR_SYNTAX);
}

/* In a child: Criterion's own process must live. */
Test(failpoint, crash_kills_the_process)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        ws_failpoint_set("now:crash:2");
        ws_failpoint("now");
        ws_failpoint("now");
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static ws_status write_file(size_t n)
{
    static const char bytes[100000];
    ws_file_writer w;
    ws_status status = ws_file_writer_open(&w, path, &error);
    if (status)
        return status;
    ws_file_writer_append(&w, bytes, n);
    return ws_file_writer_finish(&w, &error);
}

static int exists(const char *name)
{
    struct stat st;
    return stat(name, &st) == 0;
}

Test(failpoint, each_step_of_a_write_fails_cleanly, .init = start, .fini = stop)
{
    static const struct {
        const char *spec;
        ws_status want;
    } steps[] = {
        {"file.create:eio", WS_ERR_IO},        {"file.create:enospc", WS_ERR_NOSPC},
        {"file.write:eio", WS_ERR_IO},         {"file.write:enospc", WS_ERR_NOSPC},
        {"file.write:short", WS_ERR_IO},       {"file.sync:eio", WS_ERR_FSYNC_FAILED},
        {"file.sync:enospc", WS_ERR_FSYNC_FAILED}, {"file.rename:eio", WS_ERR_IO},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        memset(&error, 0, sizeof error);
        cr_assert_eq(ws_failpoint_set(steps[i].spec), WS_OK);
        cr_assert_eq(write_file(100000), steps[i].want, "%s", steps[i].spec);
        cr_assert_eq(error.code, steps[i].want);
        cr_assert_not(exists(path), "%s", steps[i].spec);
        cr_assert_not(exists(tmp), "%s", steps[i].spec);
    }
    cr_assert_eq(write_file(100000), WS_OK);
    cr_assert(exists(path));
}

Test(failpoint, failed_write_leaves_the_old_file, .init = start, .fini = stop)
{
    struct stat st;
    cr_assert_eq(write_file(10), WS_OK);
    ws_failpoint_set("file.sync:eio");
    cr_assert_eq(write_file(20), WS_ERR_FSYNC_FAILED);
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_eq(st.st_size, 10);
}

Test(failpoint, short_write_tears_the_file_in_half, .init = start, .fini = stop)
{
    struct stat st;
    ws_file_writer w;
    ws_failpoint_set("file.write:short");
    cr_assert_eq(ws_file_writer_open(&w, path, &error), WS_OK);
    ws_file_writer_append(&w, "0123456789", 10);
    cr_assert_eq(ws_file_writer_flush(&w), WS_ERR_IO);
    cr_assert_eq(stat(tmp, &st), 0);
    cr_assert_eq(st.st_size, 5);
    ws_file_writer_abort(&w);
}

Test(failpoint, directory_sync_and_unlink, .init = start, .fini = stop)
{
    ws_failpoint_set("dir.sync:eio,file.unlink:eio");
    cr_assert_eq(ws_dir_sync(dir, &error), WS_ERR_FSYNC_FAILED);
    cr_assert_str_eq(error.path, dir);
    cr_assert_eq(ws_dir_sync(dir, &error), WS_OK);
    cr_assert_eq(ws_file_unlink(path, &error), WS_ERR_IO);
    cr_assert_eq(ws_file_unlink(path, &error), WS_OK);
}
