#include "indexer/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/str.h"

/* --- messages --- */

static void print_message(const char *format, va_list args)
{
    fprintf(stderr, "wikisearch: ");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

int ws_cli_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
    return WS_EXIT_USAGE;
}

void ws_cli_note(const ws_cli_common *common, const char *format, ...)
{
    va_list args;
    if (common->quiet)
        return;
    va_start(args, format);
    print_message(format, args);
    va_end(args);
}

int ws_cli_exit(ws_status status)
{
    switch (status) {
    case WS_ERR_ARG:
    case WS_ERR_UTF8:
    case WS_ERR_SYNTAX:
    case WS_ERR_RANGE:
    case WS_ERR_SCHEMA:
        return WS_EXIT_USAGE;
    case WS_ERR_CANCELLED:
        return WS_EXIT_INTERRUPTED;
    case WS_ERR_CORRUPT:
        return WS_EXIT_CORRUPT;
    case WS_ERR_VERSION:
    case WS_ERR_ANALYSIS:
        return WS_EXIT_MISMATCH;
    default:
        return status < 0 ? WS_EXIT_IO : WS_EXIT_OK;
    }
}

int ws_cli_fail(const ws_error *error)
{
    const char *message = error->message[0] ? error->message : ws_status_text(error->code);
    fprintf(stderr, "wikisearch: %s%s%s", error->path, error->path[0] ? ": " : "", message);
    if (error->offset)
        fprintf(stderr, " (byte %llu)", (unsigned long long)error->offset);
    fputc('\n', stderr);
    return ws_cli_exit(error->code);
}

void ws_cli_suggest(char *out, size_t cap, const char *word, const char *const *names, size_t n)
{
    int nearest = ws_str_nearest(ws_cstr(word), names, n);
    out[0] = 0;
    if (nearest >= 0)
        snprintf(out, cap, "; did you mean %s?", names[nearest]);
}

int ws_cli_finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "wikisearch: cannot write to standard output: %s\n", strerror(errno));
    return WS_EXIT_IO;
}

/* --- texts --- */

void ws_cli_print_safe(FILE *out, ws_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        unsigned char next = i + 1 < text.len ? (unsigned char)text.ptr[i + 1] : 0;
        if (c == 0xc2 && next >= 0x80 && next < 0xa0) { /* U+0080 to U+009F */
            fputc(' ', out);
            i++;
        } else {
            fputc(c < 0x20 || c == 0x7f ? ' ' : c, out);
        }
    }
}

int ws_cli_colour(FILE *out)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(fileno(out)) && !(no_colour && *no_colour);
}

int ws_cli_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    size_t n = strlen(text);
    unsigned shift = 0;
    if (n && (text[n - 1] == 'B' || text[n - 1] == 'b'))
        n--;
    const char *unit = n ? memchr(units, text[n - 1] & ~0x20, sizeof units - 1) : NULL;
    if (unit) {
        shift = 10 * (unsigned)(unit - units + 1);
        n--;
    }
    if (!ws_str_to_u64(ws_str_make(text, n), bytes) || *bytes > UINT64_MAX >> shift)
        return 0;
    *bytes <<= shift;
    return 1;
}

/* --- the index --- */

void ws_cli_note_fallback(const ws_cli_common *common, const ws_error *error)
{
    ws_cli_note(common, "%s: %s; the generation before it is used", error->path, error->message);
}

ws_status ws_cli_open(ws_index **index, const ws_cli_common *common, ws_error *error)
{
    ws_index_options options = WS_INDEX_OPTIONS_INIT;
    const char *access = ws_cli_setting(common, "index.access");
    options.access = access && !strcmp(access, "read") ? WS_ACCESS_READ : WS_ACCESS_MMAP;
    memset(error, 0, sizeof *error);
    ws_status status = ws_index_open(index, common->index, NULL, &options, error);
    if (status == WS_ERR_NOT_FOUND)
        snprintf(error->message, sizeof error->message, "there is no index here (see --index)");
    if (status == WS_ERR_NOT_FOUND && !error->path[0])
        snprintf(error->path, sizeof error->path, "%s", common->index);
    if (status == WS_FALLBACK)
        ws_cli_note_fallback(common, error);
    return status;
}
