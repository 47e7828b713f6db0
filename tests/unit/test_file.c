#include "base/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

static char dir[WS_TMPDIR_CAP];
static char path[1024], other[1024];
static ws_error error;

static void start(void)
{
    ws_tmpdir_make(dir);
    ws_tmpdir_path(path, sizeof path, dir, "file");
    memset(&error, 0, sizeof error);
}

static void stop(void)
{
    ws_mem_set_fault(NULL, NULL);
    ws_tmpdir_remove(dir);
}

static int exists(const char *name)
{
    struct stat st;
    return lstat(name, &st) == 0;
}

Test(file, map_and_read_give_the_bytes, .init = start, .fini = stop)
{
    uint8_t bytes[10000], *data;
    size_t size;
    ws_rng rng = ws_rng_seeded(81);
    ws_rng_fill(&rng, bytes, sizeof bytes);
    ws_tmpdir_write(path, bytes, sizeof bytes);
    for (uint32_t mode = WS_MAP_MMAP; mode <= WS_MAP_READ; mode++) {
        ws_map map;
        cr_assert_eq(ws_map_open(&map, path, mode, &error), WS_OK);
        cr_assert_eq(map.size, sizeof bytes);
        cr_assert_arr_eq(map.data, bytes, sizeof bytes);
        ws_map_close(&map);
        cr_assert_null(map.data);
    }
    cr_assert_eq(ws_file_read(path, sizeof bytes, &data, &size, &error), WS_OK);
    cr_assert_eq(size, sizeof bytes);
    cr_assert_arr_eq(data, bytes, size);
    ws_free(data);
    cr_assert_eq(ws_file_read(path, sizeof bytes - 1, &data, &size, &error), WS_ERR_LIMIT);
    cr_assert_null(data);
}

Test(file, empty_and_missing_files, .init = start, .fini = stop)
{
    uint8_t *data;
    size_t size;
    ws_map map;
    ws_tmpdir_write(path, "", 0);
    for (uint32_t mode = WS_MAP_MMAP; mode <= WS_MAP_READ; mode++) {
        cr_assert_eq(ws_map_open(&map, path, mode, &error), WS_OK);
        cr_assert(map.data == NULL && map.size == 0);
        ws_map_close(&map);
        cr_assert_eq(ws_map_open(&map, dir, mode, &error), WS_ERR_IO);
        cr_assert_str_eq(error.path, dir);
        ws_map_close(&map);
        cr_assert_eq(ws_map_open(&map, "/no/such", mode, &error), WS_ERR_NOT_FOUND);
        cr_assert_str_eq(error.path, "/no/such");
        ws_map_close(&map);
    }
    cr_assert_eq(ws_map_open(&map, path, 9, &error), WS_ERR_ARG);
    cr_assert_eq(ws_file_read(path, 0, &data, &size, &error), WS_OK);
    cr_assert_eq(size, 0);
    ws_free(data);
    cr_assert_eq(ws_file_read("/no/such", 9, &data, &size, NULL), WS_ERR_NOT_FOUND);
}

Test(file, pread_beyond_the_end_is_corruption, .init = start, .fini = stop)
{
    char out[8];
    ws_tmpdir_write(path, "0123456789", 10);
    int fd = open(path, O_RDONLY);
    cr_assert_eq(ws_file_pread(fd, out, 4, 3, path, &error), WS_OK);
    cr_assert_arr_eq(out, "3456", 4);
    cr_assert_eq(ws_file_pread(fd, out, 0, 99, path, &error), WS_OK);
    cr_assert_eq(ws_file_pread(fd, out, 4, 8, path, &error), WS_ERR_CORRUPT);
    cr_assert_eq(error.offset, 10);
    close(fd);
    cr_assert_eq(ws_file_pread(-1, out, 4, 0, path, &error), WS_ERR_IO);
}

/* The model is the array from which every piece is taken. */
Test(file, writer_writes_what_was_appended, .init = start, .fini = stop)
{
    static uint8_t model[3 << 20];
    size_t len = 0;
    ws_file_writer w;
    ws_map map;
    ws_rng rng = ws_rng_seeded(82);
    ws_rng_fill(&rng, model, sizeof model);
    cr_assert_eq(ws_file_writer_open(&w, path, &error), WS_OK);
    while (len < sizeof model - (1 << 20)) {
        size_t n = ws_rng_skewed(&rng, 20);
        ws_file_writer_append(&w, model + len, n);
        len += n;
        cr_assert_eq(w.offset, len);
        size_t aligned = (len + 63) / 64 * 64;
        memset(model + len, 0, aligned - len);
        ws_file_writer_align(&w, 64);
        len = aligned;
        if (!ws_rng_below(&rng, 10))
            cr_assert_eq(ws_file_writer_flush(&w), WS_OK);
        cr_assert_eq(w.offset, len);
    }
    cr_assert_not(exists(path), "nothing has the final name before finish");
    cr_assert_eq(ws_file_writer_finish(&w, &error), WS_OK);
    ws_tmpdir_path(other, sizeof other, dir, "file.tmp");
    cr_assert_not(exists(other));
    cr_assert_eq(ws_map_open(&map, path, WS_MAP_MMAP, &error), WS_OK);
    cr_assert_eq(map.size, len);
    cr_assert_arr_eq(map.data, model, len);
    ws_map_close(&map);
    ws_file_writer_abort(&w);
    cr_assert(exists(path), "abort after finish removes nothing");
}

Test(file, aborted_writer_leaves_nothing, .init = start, .fini = stop)
{
    ws_file_writer w;
    ws_tmpdir_path(other, sizeof other, dir, "file.tmp");
    cr_assert_eq(ws_file_writer_open(&w, path, &error), WS_OK);
    ws_file_writer_append(&w, "abc", 3);
    cr_assert(exists(other));
    ws_file_writer_abort(&w);
    ws_file_writer_abort(&w);
    cr_assert_not(exists(other));
    cr_assert_eq(ws_file_writer_finish(&w, &error), WS_ERR_STATE);
}

static int fail_always(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return 1;
}

Test(file, writer_that_cannot_open_says_why, .init = start, .fini = stop)
{
    static char longer[5000];
    ws_file_writer w;
    memset(longer, 'x', sizeof longer - 1);
    cr_assert_eq(ws_file_writer_open(&w, "/no/such/dir/file", &error), WS_ERR_NOT_FOUND);
    ws_file_writer_append(&w, "abc", 3);
    cr_assert_eq(ws_file_writer_flush(&w), WS_ERR_NOT_FOUND);
    memset(&error, 0, sizeof error);
    cr_assert_eq(ws_file_writer_finish(&w, &error), WS_ERR_NOT_FOUND);
    cr_assert_eq(error.code, WS_ERR_NOT_FOUND);
    ws_file_writer_abort(&w);
    cr_assert_eq(ws_file_writer_open(&w, longer, &error), WS_ERR_LIMIT);
    ws_file_writer_abort(&w);
    ws_mem_set_fault(fail_always, NULL);
    cr_assert_eq(ws_file_writer_open(&w, path, &error), WS_ERR_NOMEM);
    ws_file_writer_abort(&w);
}

Test(file, map_without_memory_is_a_status, .init = start, .fini = stop)
{
    ws_map map;
    uint8_t *data;
    size_t size;
    ws_tmpdir_write(path, "abc", 3);
    ws_mem_set_fault(fail_always, NULL);
    cr_assert_eq(ws_map_open(&map, path, WS_MAP_READ, &error), WS_ERR_NOMEM);
    ws_map_close(&map);
    cr_assert_eq(ws_file_read(path, 9, &data, &size, &error), WS_ERR_NOMEM);
    cr_assert_null(data);
}

Test(file, directories_with_parents, .init = start, .fini = stop)
{
    ws_tmpdir_path(other, sizeof other, dir, "a/b//c/");
    cr_assert_eq(ws_dir_create(other, &error), WS_OK);
    ws_tmpdir_path(other, sizeof other, dir, "a/b/c");
    cr_assert(exists(other));
    cr_assert_eq(ws_dir_create(other, &error), WS_OK);
    cr_assert_eq(ws_dir_sync(other, &error), WS_OK);
    ws_tmpdir_write(path, "", 0);
    cr_assert_eq(ws_dir_create(path, &error), WS_ERR_IO);
    ws_tmpdir_path(other, sizeof other, dir, "file/below");
    cr_assert_eq(ws_dir_create(other, &error), WS_ERR_IO);
    cr_assert_eq(ws_dir_create("", &error), WS_ERR_ARG);
    cr_assert_eq(ws_dir_create("/", &error), WS_OK);
    cr_assert_eq(ws_dir_sync("/no/such", &error), WS_ERR_NOT_FOUND);
    cr_assert_eq(chdir(dir), 0);
    cr_assert_eq(ws_dir_create("relative/child", &error), WS_OK);
    cr_assert(exists("relative/child"));
    cr_assert_eq(chdir("/"), 0);
}

Test(file, unlink_of_a_missing_file_is_fine, .init = start, .fini = stop)
{
    ws_tmpdir_write(path, "x", 1);
    cr_assert_eq(ws_file_unlink(path, &error), WS_OK);
    cr_assert_not(exists(path));
    cr_assert_eq(ws_file_unlink(path, &error), WS_OK);
    cr_assert_eq(ws_file_unlink(dir, &error), WS_ERR_IO);
}

Test(file, path_join_checks_the_room)
{
    char out[8];
    cr_assert_eq(ws_path_join(out, 8, "abc", "def"), WS_OK);
    cr_assert_str_eq(out, "abc/def");
    cr_assert_eq(ws_path_join(out, 7, "abc", "def"), WS_ERR_LIMIT);
    cr_assert_eq(ws_path_join(out, 8, "abcdefgh", ""), WS_ERR_LIMIT);
    cr_assert_eq(ws_path_join(out, 8, "", "12345678"), WS_ERR_LIMIT);
    cr_assert_eq(ws_path_join(out, 8, "", "123456"), WS_OK);
    cr_assert_eq(ws_path_join(out, 1, "", ""), WS_ERR_LIMIT);
}

Test(file, lock_has_one_holder_and_names_it, .init = start, .fini = stop)
{
    int fd, second;
    char want[64];
    cr_assert_eq(ws_lock_acquire(&fd, path, &error), WS_OK);
    cr_assert_eq(ws_lock_acquire(&second, path, &error), WS_ERR_LOCKED);
    cr_assert_eq(second, -1);
    snprintf(want, sizeof want, "locked by process %ld", (long)getpid());
    cr_assert_str_eq(error.message, want);
    ws_lock_release(fd);
    ws_lock_release(-1);
    cr_assert_eq(ws_lock_acquire(&fd, path, &error), WS_OK);
    ws_lock_release(fd);
    cr_assert_eq(ws_lock_acquire(&fd, "/no/such/lock", &error), WS_ERR_NOT_FOUND);
}

Test(file, lock_dies_with_its_process, .init = start, .fini = stop)
{
    int fd, status;
    pid_t child = fork();
    if (child == 0)
        _exit(ws_lock_acquire(&fd, path, NULL) == WS_OK ? 0 : 1);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    cr_assert_eq(ws_lock_acquire(&fd, path, &error), WS_OK);
    ws_lock_release(fd);
}
