#include "indexer/trace.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "indexer/input.h"

#define BUFFER_BYTES (64u << 10)
#define LINE_MAX     4096u
#define LOOK_BYTES   4096u /* what AUTO looks at */

struct ws_trace {
    ws_input *input;
    uint32_t format;
    uint8_t buffer[BUFFER_BYTES];
    size_t begin, end;
    uint64_t offset; /* of begin in the stream */
    int at_end;
    uint64_t next, left; /* of an arc line: blocks still to come */
};

/* --- bytes --- */

/* Sees to it that `want` bytes are in the buffer, fewer at the end. */
static ws_status fill(ws_trace *t, size_t want, ws_error *error)
{
    if (t->end - t->begin >= want || t->at_end)
        return WS_OK;
    memmove(t->buffer, t->buffer + t->begin, t->end - t->begin);
    t->end -= t->begin;
    t->begin = 0;
    while (t->end < want && !t->at_end) {
        size_t n;
        WS_TRY(ws_input_read(t->input, t->buffer + t->end, BUFFER_BYTES - t->end, &n, error));
        t->end += n;
        t->at_end = n == 0;
    }
    return WS_OK;
}

static void consume(ws_trace *t, size_t n)
{
    t->begin += n;
    t->offset += n;
}

static ws_status corrupt(const ws_trace *t, const char *what, ws_error *error)
{
    return ws_error_at(error, WS_ERR_CORRUPT, ws_input_path(t->input), t->offset, "%s", what);
}

/* --- telling formats --- */

static int is_text(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((p[i] < 32 || p[i] > 126) && p[i] != '\n' && p[i] != '\r' && p[i] != '\t')
            return 0;
    return 1;
}

static uint32_t text_format(const uint8_t *p, size_t n)
{
    const uint8_t *end = memchr(p, '\n', n);
    size_t columns = 0, length = end ? (size_t)(end - p) : n;
    for (size_t i = 0; i < length; i++) {
        columns += p[i] > 32 && (i == 0 || p[i - 1] <= 32);
        if (p[i] == 'x')
            return WS_TRACE_ADDRESS;
    }
    return columns >= 4 ? WS_TRACE_ARC : columns == 3 ? WS_TRACE_SIZES : WS_TRACE_LIRS;
}

/* Times that never fall and begin with the same high bits, every 24 bytes. */
static int is_oracle(const uint8_t *p, size_t n)
{
    if (n < 3 * 24)
        return 0;
    for (size_t i = 24; i + 24 <= n; i += 24)
        if (ws_load_u32le(p + i) < ws_load_u32le(p + i - 24) ||
            ws_load_u32le(p + i) - ws_load_u32le(p) > 1u << 24)
            return 0;
    return 1;
}

/* Numbers given out in order have a zero among four bytes; hashes of 64 bits hardly ever, and small
 * numbers of 64 bits have four. */
static uint32_t binary_format(const uint8_t *p, size_t n)
{
    size_t words = n / 4, with_zero = 0, even_zero = 0;
    for (size_t i = 0; i < words; i++) {
        with_zero += memchr(p + 4 * i, 0, 4) != NULL;
        even_zero += i % 2 == 0 && ws_load_u32le(p + 4 * i) == 0;
    }
    if (words >= 2 && even_zero == (words + 1) / 2)
        return WS_TRACE_BE64;
    if (is_oracle(p, n))
        return WS_TRACE_ORACLE;
    return with_zero * 4 > words ? WS_TRACE_BE32 : WS_TRACE_BE64;
}

static ws_status tell_format(ws_trace *t, ws_error *error)
{
    WS_TRY(fill(t, LOOK_BYTES, error));
    size_t n = WS_MIN(t->end - t->begin, (size_t)LOOK_BYTES);
    const uint8_t *p = t->buffer + t->begin;
    if (t->format == WS_TRACE_AUTO)
        t->format = is_text(p, n) ? text_format(p, n) : binary_format(p, n);
    return WS_OK;
}

ws_status ws_trace_open(ws_trace **out, const char *path, uint32_t format, ws_error *error)
{
    *out = NULL;
    ws_trace *t = ws_calloc(1, sizeof *t);
    if (!t)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for reading %s", path);
    t->format = format;
    ws_status status = ws_input_open(&t->input, path, NULL, error);
    if (!status)
        status = tell_format(t, error);
    if (status) {
        ws_trace_close(t);
        return status;
    }
    *out = t;
    return WS_OK;
}

void ws_trace_close(ws_trace *t)
{
    if (!t)
        return;
    ws_input_close(t->input);
    ws_free(t);
}

uint32_t ws_trace_format(const ws_trace *t)
{
    return t->format;
}

/* --- records --- */

static ws_status next_record(ws_trace *t, size_t size, const uint8_t **record, ws_error *error)
{
    WS_TRY(fill(t, size, error));
    if (t->end == t->begin)
        return WS_ERR_NOT_FOUND;
    if (t->end - t->begin < size)
        return corrupt(t, "a record is cut", error);
    *record = t->buffer + t->begin;
    consume(t, size);
    return WS_OK;
}

static ws_status next_binary(ws_trace *t, uint64_t *id, ws_error *error)
{
    const uint8_t *p = NULL;
    size_t size = t->format == WS_TRACE_BE32 ? 4 : t->format == WS_TRACE_BE64 ? 8 : 24;
    WS_TRY(next_record(t, size, &p, error));
    if (size == 4)
        *id = __builtin_bswap32(ws_load_u32le(p));
    else if (size == 8)
        *id = __builtin_bswap64(ws_load_u64le(p));
    else
        *id = ws_load_u64le(p + 4);
    return WS_OK;
}

/* --- lines --- */

static ws_status next_line(ws_trace *t, ws_str *line, ws_error *error)
{
    WS_TRY(fill(t, LINE_MAX, error));
    if (t->end == t->begin)
        return WS_ERR_NOT_FOUND;
    const uint8_t *p = t->buffer + t->begin, *end = memchr(p, '\n', t->end - t->begin);
    if (!end && (!t->at_end || t->end - t->begin > LINE_MAX))
        return corrupt(t, "a line is too long", error);
    *line = (ws_str){(const char *)p, end ? (size_t)(end - p) : t->end - t->begin};
    return WS_OK;
}

static size_t skip_blanks(ws_str s, size_t at)
{
    while (at < s.len && (s.ptr[at] == ' ' || s.ptr[at] == '\t' || s.ptr[at] == '\r'))
        at++;
    return at;
}

static uint32_t digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    c |= 32;
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 99;
}

/* Reads the number at *at; 0 when there is none. Overflow wraps: ids are names, not amounts. */
static int number_at(ws_str s, size_t *at, uint64_t *value)
{
    uint32_t base = 10;
    *at = skip_blanks(s, *at);
    if (*at + 1 < s.len && s.ptr[*at] == '0' && (s.ptr[*at + 1] | 32) == 'x') {
        base = 16;
        *at += 2;
    }
    size_t start = *at;
    for (*value = 0; *at < s.len && digit_of(s.ptr[*at]) < base; ++*at)
        *value = *value * base + digit_of(s.ptr[*at]);
    return *at > start && (*at == s.len || (uint8_t)s.ptr[*at] <= 32);
}

static size_t skip_word(ws_str s)
{
    size_t at = skip_blanks(s, 0);
    while (at < s.len && (uint8_t)s.ptr[at] > 32)
        at++;
    return at;
}

/* The id of a line, and how many ids follow from it; 0 when the line is not of the format. */
static int parse_line(ws_trace *t, ws_str line, uint64_t *id, uint64_t *count)
{
    size_t at = 0;
    uint64_t ignored;
    *count = 1;
    switch (t->format) {
    case WS_TRACE_ARC:
        return number_at(line, &at, id) && number_at(line, &at, count) && *count <= UINT32_MAX;
    case WS_TRACE_ADDRESS:
        at = skip_word(line);
        return number_at(line, &at, id);
    case WS_TRACE_SIZES:
        return number_at(line, &at, &ignored) && number_at(line, &at, id);
    default:
        return number_at(line, &at, id);
    }
}

static int is_blank(ws_str line)
{
    size_t at = skip_blanks(line, 0);
    return at == line.len || line.ptr[at] == '*';
}

static ws_status next_text(ws_trace *t, uint64_t *id, ws_error *error)
{
    while (t->left == 0) {
        ws_str line = {NULL, 0};
        WS_TRY(next_line(t, &line, error));
        if (is_blank(line))
            t->left = 0;
        else if (!parse_line(t, line, &t->next, &t->left))
            return corrupt(t, "a line is not of this format", error);
        consume(t, WS_MIN(line.len + 1, t->end - t->begin));
    }
    t->left--;
    *id = t->next++;
    return WS_OK;
}

ws_status ws_trace_next(ws_trace *t, uint64_t *id, ws_error *error)
{
    return t->format >= WS_TRACE_BE32 ? next_binary(t, id, error) : next_text(t, id, error);
}
