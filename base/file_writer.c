#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_int.h"
#include "base/mem.h"

#define BUFFER_BYTES ((size_t)256 << 10)
#define SUFFIX       ".tmp"
#define TMP_CAP      (sizeof(((ws_file_writer *)0)->path) + sizeof(SUFFIX))

static void tmp_name(const ws_file_writer *w, char out[TMP_CAP])
{
    snprintf(out, TMP_CAP, "%s" SUFFIX, w->path);
}

/* Keeps the first error, which is the one that explains the rest. */
static ws_status keep_errno(ws_file_writer *w, int errnum, const char *what)
{
    if (!w->status)
        w->status = ws_error_errno(&w->error, errnum, w->path, what);
    return w->status;
}

static void release(ws_file_writer *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
    ws_free(w->buffer);
    w->buffer = NULL;
    w->buffered = 0;
}

static ws_status open_failed(ws_file_writer *w, ws_status status, ws_error *error)
{
    release(w);
    w->path[0] = '\0'; /* there is no temporary file of ours to remove */
    if (error)
        *error = w->error;
    return w->status = status;
}

ws_status ws_file_writer_open(ws_file_writer *w, const char *path, ws_error *error)
{
    char tmp[TMP_CAP];
    size_t len = strlen(path);
    memset(w, 0, sizeof *w);
    w->fd = -1;
    if (len >= sizeof w->path)
        return open_failed(w, ws_error_at(&w->error, WS_ERR_LIMIT, path, 0, "the path is too long"),
                           error);
    memcpy(w->path, path, len + 1);
    w->buffer = ws_malloc(BUFFER_BYTES);
    if (!w->buffer)
        return open_failed(w, ws_error_at(&w->error, WS_ERR_NOMEM, path, 0, "no write buffer"),
                           error);
    tmp_name(w, tmp);
    int errnum = ws_failpoint_errno("file.create");
    if (!errnum) {
        w->fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        errnum = w->fd < 0 ? errno : 0;
    }
    if (errnum)
        return open_failed(w, ws_error_errno(&w->error, errnum, tmp, "cannot create"), error);
    return WS_OK;
}

static ws_status write_all(ws_file_writer *w, const uint8_t *bytes, size_t n)
{
    ws_fail_action fail = ws_failpoint("file.write");
    if (fail == WS_FAIL_EIO || fail == WS_FAIL_ENOSPC)
        return keep_errno(w, fail == WS_FAIL_EIO ? EIO : ENOSPC, "cannot write");
    size_t left = fail == WS_FAIL_SHORT ? n / 2 : n;
    while (left) {
        ssize_t put = write(w->fd, bytes, left);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return keep_errno(w, put ? errno : EIO, "cannot write");
        bytes += put;
        left -= (size_t)put;
    }
    return fail == WS_FAIL_SHORT ? keep_errno(w, EIO, "cannot write") : WS_OK;
}

ws_status ws_file_writer_flush(ws_file_writer *w)
{
    if (w->status || !w->buffered)
        return w->status;
    size_t n = w->buffered;
    w->buffered = 0;
    return write_all(w, w->buffer, n);
}

void ws_file_writer_append(ws_file_writer *w, const void *bytes, size_t n)
{
    const uint8_t *from = bytes;
    while (n && !w->status) {
        if (!w->buffered && n >= BUFFER_BYTES) { /* large pieces need no copy */
            if (!write_all(w, from, n))
                w->offset += n;
            return;
        }
        size_t part = WS_MIN(n, BUFFER_BYTES - w->buffered);
        memcpy(w->buffer + w->buffered, from, part);
        w->buffered += part;
        w->offset += part;
        from += part;
        n -= part;
        if (w->buffered == BUFFER_BYTES)
            ws_file_writer_flush(w);
    }
}

void ws_file_writer_align(ws_file_writer *w, size_t alignment)
{
    static const uint8_t zeros[64];
    uint64_t pad = (0 - w->offset) & (alignment - 1);
    while (pad && !w->status) {
        size_t part = (size_t)WS_MIN(pad, (uint64_t)sizeof zeros);
        ws_file_writer_append(w, zeros, part);
        pad -= part;
    }
}

static ws_status sync_data(ws_file_writer *w)
{
    int errnum = ws_failpoint_errno("file.sync");
    if (!errnum && fdatasync(w->fd))
        errnum = errno;
    if (errnum)
        w->status = ws_error_fsync(&w->error, errnum, w->path, "cannot sync");
    return w->status;
}

static ws_status close_checked(ws_file_writer *w)
{
    int fd = w->fd;
    w->fd = -1; /* Linux frees the descriptor even when close fails */
    return close(fd) && errno != EINTR ? keep_errno(w, errno, "cannot close") : WS_OK;
}

static ws_status rename_into_place(ws_file_writer *w, const char *tmp)
{
    int errnum = ws_failpoint_errno("file.rename");
    if (!errnum && rename(tmp, w->path))
        errnum = errno;
    return errnum ? keep_errno(w, errnum, "cannot rename") : WS_OK;
}

ws_status ws_file_writer_finish(ws_file_writer *w, ws_error *error)
{
    char tmp[TMP_CAP];
    if (w->fd < 0 && !w->status)
        return ws_error_at(error, WS_ERR_STATE, w->path, 0, "the writer is not open");
    tmp_name(w, tmp);
    ws_status status = ws_file_writer_flush(w);
    if (!status)
        status = sync_data(w);
    if (!status)
        status = close_checked(w);
    if (!status)
        status = rename_into_place(w, tmp);
    if (status && w->path[0])
        unlink(tmp);
    if (status && error)
        *error = w->error;
    release(w);
    w->path[0] = '\0';
    return status;
}

void ws_file_writer_abort(ws_file_writer *w)
{
    char tmp[TMP_CAP];
    tmp_name(w, tmp);
    release(w);
    if (w->path[0])
        unlink(tmp);
    w->path[0] = '\0';
}
