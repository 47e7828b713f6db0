#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_int.h"
#include "base/mem.h"

#define PATH_CAP 4096u

int ws_failpoint_errno(const char *name)
{
    switch (ws_failpoint(name)) {
    case WS_FAIL_NONE:
        return 0;
    case WS_FAIL_ENOSPC:
        return ENOSPC;
    default:
        return EIO;
    }
}

ws_status ws_error_fsync(ws_error *error, int errnum, const char *path, const char *what)
{
    ws_error_errno(error, errnum, path, what);
    if (error)
        error->code = WS_ERR_FSYNC_FAILED;
    return WS_ERR_FSYNC_FAILED;
}

static ws_status open_regular(int *fd, uint64_t *size, const char *path, ws_error *error)
{
    struct stat st;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return ws_error_errno(error, errno, path, "cannot open");
    ws_status status = WS_OK;
    if (fstat(*fd, &st))
        status = ws_error_errno(error, errno, path, "cannot stat");
    else if (!S_ISREG(st.st_mode))
        status = ws_error_at(error, WS_ERR_IO, path, 0, "not a regular file");
    else
        *size = (uint64_t)st.st_size;
    if (status) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

static ws_status read_all(int fd, uint8_t **data, size_t size, const char *path, ws_error *error)
{
    uint8_t *bytes = ws_malloc(size);
    if (!bytes)
        return ws_error_at(error, WS_ERR_NOMEM, path, 0, "no memory for %zu bytes", size);
    ws_status status = ws_file_pread(fd, bytes, size, 0, path, error);
    if (status)
        ws_free(bytes);
    else
        *data = bytes;
    return status;
}

static ws_status map_pages(int fd, ws_map *map, size_t size, const char *path, ws_error *error)
{
    void *pages = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
    if (pages == MAP_FAILED)
        return ws_error_errno(error, errno, path, "cannot map");
    map->data = pages;
    return WS_OK;
}

ws_status ws_map_open(ws_map *map, const char *path, uint32_t mode, ws_error *error)
{
    int fd;
    uint64_t size;
    ws_status status = WS_OK;
    *map = (ws_map){NULL, 0, mode};
    if (mode > WS_MAP_READ)
        return ws_error_at(error, WS_ERR_ARG, path, 0, "unknown map mode %u", mode);
    WS_TRY(open_regular(&fd, &size, path, error));
    if (size > SIZE_MAX) {
        status = ws_error_at(error, WS_ERR_LIMIT, path, 0, "larger than the address space");
    } else if (size && mode == WS_MAP_MMAP) {
        status = map_pages(fd, map, (size_t)size, path, error);
    } else if (size) {
        uint8_t *bytes = NULL;
        status = read_all(fd, &bytes, (size_t)size, path, error);
        map->data = bytes;
    }
    close(fd); /* a mapping outlives its descriptor */
    if (!status)
        map->size = (size_t)size;
    return status;
}

void ws_map_close(ws_map *map)
{
    if (map->data && map->mode == WS_MAP_MMAP)
        munmap((void *)(uintptr_t)map->data, map->size);
    else
        ws_free((void *)(uintptr_t)map->data);
    map->data = NULL;
    map->size = 0;
}

ws_status ws_file_read(const char *path, size_t limit, uint8_t **data, size_t *size,
                       ws_error *error)
{
    int fd;
    uint64_t found;
    *data = NULL;
    *size = 0;
    WS_TRY(open_regular(&fd, &found, path, error));
    ws_status status;
    if (found > limit)
        status = ws_error_at(error, WS_ERR_LIMIT, path, 0, "%llu bytes, at most %zu are allowed",
                             (unsigned long long)found, limit);
    else
        status = read_all(fd, data, (size_t)found, path, error);
    close(fd);
    if (!status)
        *size = (size_t)found;
    return status;
}

ws_status ws_file_pread(int fd, void *out, size_t n, uint64_t offset, const char *path,
                        ws_error *error)
{
    uint8_t *to = out;
    while (n) {
        ssize_t got = pread(fd, to, n, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ws_error_errno(error, errno, path, "cannot read");
        if (!got)
            return ws_error_at(error, WS_ERR_CORRUPT, path, offset, "the file ends %zu bytes early",
                               n);
        to += got;
        offset += (uint64_t)got;
        n -= (size_t)got;
    }
    return WS_OK;
}

ws_status ws_dir_sync(const char *dir, ws_error *error)
{
    int errnum = ws_failpoint_errno("dir.sync");
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return ws_error_errno(error, errno, dir, "cannot open directory");
    /* EINVAL: the file system has no separate sync of directories, so there is nothing to wait
     * for. */
    if (!errnum && fsync(fd) && errno != EINVAL)
        errnum = errno;
    close(fd);
    return errnum ? ws_error_fsync(error, errnum, dir, "cannot sync directory") : WS_OK;
}

/* The directory that holds `path` (no trailing slash), into out[PATH_CAP]. */
static void parent_of(char *out, const char *path, size_t len)
{
    while (len && path[len - 1] != '/')
        len--;
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (len)
        memcpy(out, path, len);
    else
        out[len++] = '.';
    out[len] = '\0';
}

static ws_status create_one(const char *dir, size_t len, ws_error *error)
{
    struct stat st;
    char parent[PATH_CAP];
    if (mkdir(dir, 0755) == 0) {
        parent_of(parent, dir, len);
        return ws_dir_sync(parent, error);
    }
    int errnum = errno;
    /* Some systems answer EROFS or EACCES for a directory that is there already. */
    if (stat(dir, &st) == 0 && S_ISDIR(st.st_mode))
        return WS_OK;
    return ws_error_errno(error, errnum, dir, "cannot create directory");
}

ws_status ws_dir_create(const char *dir, ws_error *error)
{
    char path[PATH_CAP];
    size_t len = strlen(dir);
    while (len > 1 && dir[len - 1] == '/')
        len--;
    if (!len || len >= sizeof path)
        return ws_error_at(error, len ? WS_ERR_LIMIT : WS_ERR_ARG, dir, 0, "unusable path");
    memcpy(path, dir, len);
    path[len] = '\0';
    for (size_t i = 1; i <= len; i++) {
        if ((path[i] != '/' && path[i] != '\0') || path[i - 1] == '/')
            continue;
        char end = path[i];
        path[i] = '\0';
        WS_TRY(create_one(path, i, error));
        path[i] = end;
    }
    return WS_OK;
}

ws_status ws_file_unlink(const char *path, ws_error *error)
{
    int errnum = ws_failpoint_errno("file.unlink");
    if (!errnum && unlink(path) && errno != ENOENT)
        errnum = errno;
    return errnum ? ws_error_errno(error, errnum, path, "cannot remove") : WS_OK;
}

ws_status ws_path_join(char *out, size_t cap, const char *dir, const char *name)
{
    size_t dir_len = strlen(dir), name_len = strlen(name);
    if (dir_len >= cap || name_len >= cap - dir_len || cap - dir_len - name_len < 2)
        return WS_ERR_LIMIT;
    memcpy(out, dir, dir_len);
    out[dir_len] = '/';
    memcpy(out + dir_len + 1, name, name_len + 1);
    return WS_OK;
}
