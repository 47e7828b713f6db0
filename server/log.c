#include "server/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

#define PENDING_MAX 65536u

static int open_append(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
}

static int wanted(const char *path)
{
    return path[0] != 0 && strcmp(path, "-") != 0;
}

static ws_status open_file(const char *path, int fallback, int *fd, ws_error *error)
{
    int fresh = wanted(path) ? open_append(path) : fallback;
    if (fresh < 0 && wanted(path))
        return ws_error_errno(error, errno, path, "can't open the log");
    *fd = fresh;
    return WS_OK;
}

void ws_log_init(ws_log *log, int quiet)
{
    *log = (ws_log){.access_path = "", .file_path = "", .access_fd = -1, .quiet = quiet};
    ws_buf_init(&log->pending);
    log->file_fd = STDERR_FILENO;
    log->stamp_second = -1;
}

ws_status ws_log_open(ws_log *log, const char *access_path, const char *file_path, ws_error *error)
{
    log->access_path = access_path;
    log->file_path = file_path;
    WS_TRY(open_file(file_path, STDERR_FILENO, &log->file_fd, error));
    return open_file(access_path, access_path[0] ? STDERR_FILENO : -1, &log->access_fd, error);
}

void ws_log_close(ws_log *log)
{
    ws_log_flush(log);
    if (log->access_fd > STDERR_FILENO)
        close(log->access_fd);
    if (log->file_fd > STDERR_FILENO)
        close(log->file_fd);
    log->access_fd = -1;
    log->file_fd = STDERR_FILENO;
    ws_buf_fini(&log->pending);
}

static void reopen(const char *path, int *fd)
{
    int fresh = wanted(path) ? open_append(path) : -1;
    if (fresh < 0)
        return;
    if (*fd > STDERR_FILENO)
        close(*fd);
    *fd = fresh;
}

void ws_log_reopen(ws_log *log)
{
    ws_log_flush(log);
    reopen(log->access_path, &log->access_fd);
    reopen(log->file_path, &log->file_fd);
}

/* Writes all of it or gives up: a full disk must not stop the service. Returns 0 when bytes were
 * lost. */
static int write_all(int fd, const uint8_t *data, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return 0;
        data += n;
        len -= (size_t)n;
    }
    return 1;
}

void ws_log_flush(ws_log *log)
{
    if (log->access_fd >= 0 && !write_all(log->access_fd, log->pending.data, log->pending.len))
        log->lost++;
    ws_buf_clear(&log->pending);
}

/* --- access lines --- */

static const char *stamp(ws_log *log)
{
    time_t now = time(NULL);
    struct tm tm;
    if (now != log->stamp_second) {
        log->stamp_second = now;
        gmtime_r(&now, &tm);
        strftime(log->stamp, sizeof log->stamp, "[%d/%b/%Y:%H:%M:%S +0000]", &tm);
    }
    return log->stamp;
}

/* Quotes, backslashes and everything that is not printable ASCII as \xHH. */
static void append_escaped(ws_buf *out, ws_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
            ws_buf_printf(out, "\\x%02x", c);
        else
            ws_buf_u8(out, c);
    }
}

void ws_log_access(ws_log *log, const ws_access_entry *entry)
{
    if (log->access_fd < 0)
        return;
    ws_buf_printf(&log->pending, "%s - - %s \"", entry->peer, stamp(log));
    append_escaped(&log->pending, entry->line.len ? entry->line : ws_cstr("-"));
    ws_buf_printf(&log->pending, "\" %u %llu %llu\n", entry->status,
                  (unsigned long long)entry->bytes, (unsigned long long)entry->micros);
    if (log->pending.len >= PENDING_MAX || ws_buf_status(&log->pending) < 0)
        ws_log_flush(log);
}

/* --- messages --- */

void ws_log_line(ws_log *log, ws_str line)
{
    ws_buf out;
    ws_buf_init(&out);
    ws_buf_str(&out, line);
    ws_buf_u8(&out, '\n');
    write_all(log->file_fd, out.data, out.len);
    ws_buf_fini(&out);
}

static void write_message(ws_log *log, const char *format, va_list args)
{
    char text[1024] = "wikisearchd: ";
    size_t used = strlen(text);
    vsnprintf(text + used, sizeof text - used, format, args);
    for (char *p = text; *p; p++) {
        if ((unsigned char)*p < 0x20)
            *p = ' ';
    }
    ws_log_line(log, ws_cstr(text));
}

void ws_log_message(ws_log *log, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_message(log, format, args);
    va_end(args);
}

void ws_log_info(ws_log *log, const char *format, ...)
{
    va_list args;
    if (log->quiet)
        return;
    va_start(args, format);
    write_message(log, format, args);
    va_end(args);
}
