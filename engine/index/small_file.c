#include "engine/index/small_file.h"

#include <errno.h>

#include "base/error.h"

/* errno that a failpoint stands for, 0 = go on. */
static int errno_of(const char *point)
{
    switch (point ? ws_failpoint(point) : WS_FAIL_NONE) {
    case WS_FAIL_NONE:
        return 0;
    case WS_FAIL_ENOSPC:
        return ENOSPC;
    default:
        return EIO;
    }
}

ws_status ws_fail_step(const char *point, const char *path, ws_error *error)
{
    int errnum = errno_of(point);
    return errnum ? ws_error_errno(error, errnum, path, point) : WS_OK;
}

ws_status ws_fail_sync(const char *point, const char *path, ws_error *error)
{
    if (ws_fail_step(point, path, error) == WS_OK)
        return WS_OK;
    if (error)
        error->code = WS_ERR_FSYNC_FAILED;
    return WS_ERR_FSYNC_FAILED;
}

ws_status ws_finish_file(ws_file_writer *w, const char *sync_point, const char *rename_point,
                         ws_error *error)
{
    ws_status status = ws_file_writer_flush(w);
    if (status) {
        ws_file_writer_finish(w, error); /* fills the error, removes the file */
        return status;
    }
    status = ws_fail_sync(sync_point, w->path, error);
    if (!status)
        status = ws_fail_step(rename_point, w->path, error);
    if (!status)
        return ws_file_writer_finish(w, error);
    ws_file_writer_abort(w);
    return status;
}

ws_status ws_small_file_write(const char *dir, const char *name, ws_str bytes,
                              const char *sync_point, const char *rename_point, ws_error *error)
{
    char path[4096];
    ws_file_writer w;
    if (ws_path_join(path, sizeof path, dir, name))
        return ws_error_at(error, WS_ERR_LIMIT, dir, 0, "the path is too long");
    WS_TRY(ws_file_writer_open(&w, path, error));
    ws_file_writer_append(&w, bytes.ptr, bytes.len);
    return ws_finish_file(&w, sync_point, rename_point, error);
}
