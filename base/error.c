#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* A message cut by vsnprintf may end inside a UTF-8 sequence; drop the piece. */
static void trim_partial_character(char *text, size_t len)
{
    size_t start = len;
    while (start && len - start < 4 && is_continuation(text[start - 1]))
        start--;
    unsigned char lead = start ? (unsigned char)text[start - 1] : 0;
    size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (lead >= 0xc0 && len - (start - 1) < need)
        text[start - 1] = '\0';
}

static void set_message(ws_error *error, const char *format, va_list args)
{
    int n = vsnprintf(error->message, sizeof error->message, format, args);
    if (n < 0)
        error->message[0] = '\0';
    else if ((size_t)n >= sizeof error->message)
        trim_partial_character(error->message, sizeof error->message - 1);
}

/* The tail of a path says more than its head, so a long one loses its beginning. */
static void set_path(ws_error *error, const char *path)
{
    ws_str s = ws_cstr(path);
    size_t cut = s.len < sizeof error->path ? 0 : s.len - (sizeof error->path - 1);
    while (cut && cut < s.len && is_continuation(s.ptr[cut]))
        cut++;
    if (s.len)
        memcpy(error->path, s.ptr + cut, s.len - cut);
    error->path[s.len - cut] = '\0';
}

static void fill(ws_error *error, ws_status code, const char *path, uint64_t offset,
                 const char *format, va_list args)
{
    /* The arguments may point into *error itself (a message that quotes the one before). */
    ws_error fresh = {.code = code, .offset = offset};
    set_path(&fresh, path);
    set_message(&fresh, format, args);
    *error = fresh;
}

ws_status ws_error_set(ws_error *error, ws_status code, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        fill(error, code, NULL, 0, format, args);
        va_end(args);
    }
    return code;
}

ws_status ws_error_at(ws_error *error, ws_status code, const char *path, uint64_t offset,
                      const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        fill(error, code, path, offset, format, args);
        va_end(args);
    }
    return code;
}

ws_status ws_status_from_errno(int errnum)
{
    switch (errnum) {
    case ENOSPC:
    case EDQUOT:
        return WS_ERR_NOSPC;
    case ENOMEM:
        return WS_ERR_NOMEM;
    case ENOENT:
        return WS_ERR_NOT_FOUND;
    default:
        return WS_ERR_IO;
    }
}

ws_status ws_error_errno(ws_error *error, int errnum, const char *path, const char *what)
{
    char text[128];
    if (strerror_r(errnum, text, sizeof text))
        snprintf(text, sizeof text, "error %d", errnum);
    return ws_error_at(error, ws_status_from_errno(errnum), path, 0, "%s: %s", what, text);
}
