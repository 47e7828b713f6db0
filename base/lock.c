#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_int.h"

/* The pid is for people: a lock without one still locks, so a full disk is no reason to fail. */
static void write_pid(int fd)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)n, 0) != n)
        return;
}

static ws_status held(int fd, const char *path, ws_error *error)
{
    char text[32];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    text[strspn(text, "0123456789")] = '\0';
    return ws_error_at(error, WS_ERR_LOCKED, path, 0, "locked by process %s",
                       text[0] ? text : "unknown");
}

ws_status ws_lock_acquire(int *fd, const char *path, ws_error *error)
{
    int got;
    *fd = -1;
    int opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (opened < 0)
        return ws_error_errno(error, errno, path, "cannot open lock file");
    do {
        got = flock(opened, LOCK_EX | LOCK_NB);
    } while (got && errno == EINTR);
    if (got) {
        ws_status status = errno == EWOULDBLOCK ? held(opened, path, error)
                                                : ws_error_errno(error, errno, path, "cannot lock");
        close(opened);
        return status;
    }
    write_pid(opened);
    *fd = opened;
    return WS_OK;
}

void ws_lock_release(int fd)
{
    if (fd >= 0)
        close(fd); /* closing the only descriptor drops the lock */
}
