/* Filling and forwarding ws_error. */
#ifndef WS_BASE_ERROR_H
#define WS_BASE_ERROR_H

#include "wikisearch/status.h"

/* Evaluates `expr`, a ws_status; returns it from the enclosing function when it is an error.
 * Positive statuses (WS_PARTIAL, ...) do not return: capture them with a variable instead. */
#define WS_TRY(expr)                                                                               \
    do {                                                                                           \
        ws_status ws_try_status_ = (expr);                                                         \
        if (ws_try_status_ < 0)                                                                    \
            return ws_try_status_;                                                                 \
    } while (0)

/* Sets `error` (NULL allowed) to `code` with a printf-style message, cut at 255 bytes; path empty,
 * offset 0. Returns `code`, so that a failing function can end with `return ws_error_set(...)`. */
ws_status ws_error_set(ws_error *error, ws_status code, const char *format, ...) WS_PRINTF(3, 4);

/* As ws_error_set, with the file and the byte offset where the trouble is. `path` NULL allowed. */
ws_status ws_error_at(ws_error *error, ws_status code, const char *path, uint64_t offset,
                      const char *format, ...) WS_PRINTF(5, 6);

/* Status for an errno value: ENOSPC and EDQUOT give WS_ERR_NOSPC, ENOMEM WS_ERR_NOMEM, ENOENT
 * WS_ERR_NOT_FOUND, everything else WS_ERR_IO. */
ws_status ws_status_from_errno(int errnum);

/* Sets `error` for a failed system call: "WHAT: strerror", with `path`. Returns the status. */
ws_status ws_error_errno(ws_error *error, int errnum, const char *path, const char *what);

#endif
