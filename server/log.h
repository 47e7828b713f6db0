/* Messages, the access log and slow requests. Files are written by the I/O thread only, the access
 * log through a buffer.
 *
 * Nothing that a client sends reaches a log unescaped: one request is one line. */
#ifndef WS_SERVER_LOG_H
#define WS_SERVER_LOG_H

#include "base/buf.h"

typedef struct {
    const char *access_path; /* empty: no access log; "-": standard error; not owned */
    const char *file_path;   /* empty: standard error; not owned */
    int access_fd, file_fd;  /* -1 = none */
    ws_buf pending;          /* access lines not written yet */
    int64_t stamp_second;    /* the second that `stamp` tells */
    char stamp[40];
    uint64_t lost; /* access lines that could not be written */
    int quiet;     /* 1: no ws_log_info */
} ws_log;

typedef struct {
    const char *peer; /* %h: address, or "unix" */
    ws_str line;      /* %r */
    unsigned status;  /* %s */
    uint64_t bytes;   /* %b: body bytes sent */
    uint64_t micros;  /* %D */
} ws_access_entry;

void ws_log_init(ws_log *log, int quiet); /* messages go to standard error */

/* Opens the files (created, appended to). Paths must outlive the log. Errors: WS_ERR_IO. */
ws_status ws_log_open(ws_log *log, const char *access_path, const char *file_path, ws_error *error);
void ws_log_close(ws_log *log); /* flushes */

/* Flushes and opens the files anew, for rotation. A file that can't be opened keeps the old
 * descriptor. */
void ws_log_reopen(ws_log *log);

/* Adds a line `%h - - %t "%r" %s %b %D`. No system call until 64 KiB are pending. */
void ws_log_access(ws_log *log, const ws_access_entry *entry);
void ws_log_flush(ws_log *log);

/* Writes "wikisearchd: " and a printf-style line; ws_log_info not when quiet. */
void ws_log_message(ws_log *log, const char *format, ...) WS_PRINTF(2, 3);
void ws_log_info(ws_log *log, const char *format, ...) WS_PRINTF(2, 3);

void ws_log_line(ws_log *log, ws_str line); /* a line as it is (JSON of a slow request) */

#endif
