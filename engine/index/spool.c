#define _GNU_SOURCE /* O_TMPFILE, mkostemp */
#include "engine/index/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"

#define REPLAY_BYTES (64u << 10)

void ws_spool_init(ws_spool *spool, const char *dir, size_t limit)
{
    memset(spool, 0, sizeof *spool);
    ws_buf_init(&spool->tail);
    spool->dir = dir;
    spool->limit = dir ? limit : SIZE_MAX;
    spool->fd = -1;
}

void ws_spool_fini(ws_spool *spool)
{
    ws_buf_fini(&spool->tail);
    if (spool->fd >= 0)
        close(spool->fd);
    spool->fd = -1;
}

/* A file without a name: nothing to clean up after a crash. File systems without O_TMPFILE get an
 * unlinked one. */
static ws_status open_file(ws_spool *spool)
{
    char path[4096];
    spool->fd = open(spool->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (spool->fd >= 0)
        return WS_OK;
    WS_TRY(ws_path_join(path, sizeof path, spool->dir, "spool-XXXXXX"));
    spool->fd = mkostemp(path, O_CLOEXEC);
    if (spool->fd < 0)
        return ws_error_errno(&spool->error, errno, path, "create");
    unlink(path);
    return WS_OK;
}

static ws_status write_all(ws_spool *spool, const uint8_t *bytes, size_t n)
{
    if (ws_failpoint("spool.write") != WS_FAIL_NONE)
        return ws_error_errno(&spool->error, ENOSPC, spool->dir, "write a spool in");
    while (n) {
        ssize_t done = write(spool->fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return ws_error_errno(&spool->error, done < 0 ? errno : ENOSPC, spool->dir,
                                  "write a spool in");
        bytes += done;
        n -= (size_t)done;
    }
    return WS_OK;
}

static void spill(ws_spool *spool, const void *bytes, size_t n)
{
    if (spool->fd < 0)
        spool->status = open_file(spool);
    if (!spool->status)
        spool->status = write_all(spool, bytes, n);
    if (!spool->status)
        spool->spilled += n;
}

void ws_spool_append(ws_spool *spool, const void *bytes, size_t n)
{
    if (spool->status || n == 0)
        return;
    if (spool->tail.len && n > spool->limit - WS_MIN(spool->limit, spool->tail.len)) {
        spill(spool, spool->tail.data, spool->tail.len);
        ws_buf_clear(&spool->tail);
    }
    if (n > spool->limit) { /* the tail is empty now */
        if (!spool->status)
            spill(spool, bytes, n);
        return;
    }
    ws_buf_append(&spool->tail, bytes, n);
    if (!spool->status && ws_buf_status(&spool->tail))
        spool->status = ws_error_set(&spool->error, WS_ERR_NOMEM, "no memory for a spool");
}

uint64_t ws_spool_length(const ws_spool *spool)
{
    return spool->spilled + spool->tail.len;
}

size_t ws_spool_memory(const ws_spool *spool)
{
    return spool->tail.cap;
}

ws_status ws_spool_replay(ws_spool *spool, ws_spool_sink sink, void *ctx, ws_error *error)
{
    static const char path[] = "spool";
    uint8_t chunk[REPLAY_BYTES];
    if (spool->status) {
        if (error)
            *error = spool->error;
        return spool->status;
    }
    for (uint64_t at = 0; at < spool->spilled;) {
        size_t n = (size_t)WS_MIN((uint64_t)sizeof chunk, spool->spilled - at);
        WS_TRY(ws_file_pread(spool->fd, chunk, n, at, path, error));
        sink(ctx, chunk, n);
        at += n;
    }
    sink(ctx, spool->tail.data, spool->tail.len);
    return WS_OK;
}
