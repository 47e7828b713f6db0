#include "indexer/lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

#define CHUNK (256u << 10)

struct ws_splitter {
    ws_input *input;
    size_t line_max;
    uint8_t *data; /* [begin, end) read and not delivered; [begin, scanned) holds no \n */
    size_t cap, begin, scanned, end;
    uint64_t begin_offset; /* in the stream, of `begin` */
    uint8_t at_end;
    ws_status failed; /* of the input; delivered after the lines before it */
    ws_error error;
};

ws_status ws_splitter_new(ws_splitter **out, ws_input *input, size_t line_max)
{
    *out = ws_calloc(1, sizeof **out);
    if (!*out)
        return WS_ERR_NOMEM;
    (*out)->input = input;
    (*out)->line_max = line_max;
    (*out)->begin_offset = ws_input_stream_offset(input);
    return WS_OK;
}

void ws_splitter_free(ws_splitter *s)
{
    if (!s)
        return;
    ws_free(s->data);
    ws_free(s);
}

/* Gives up the room of a very long line once it is delivered. */
static int is_oversized(const ws_splitter *s)
{
    return s->cap > 2 * CHUNK && s->begin == s->end;
}

static ws_status make_room(ws_splitter *s)
{
    if (is_oversized(s)) {
        ws_free(s->data);
        s->data = NULL;
        s->cap = 0;
    }
    size_t held = s->end - s->begin;
    if (s->begin && held)
        memmove(s->data, s->data + s->begin, held);
    s->scanned -= s->begin;
    s->begin = 0;
    s->end = held;
    if (s->cap - held >= CHUNK / 2)
        return WS_OK;
    size_t cap = s->cap ? s->cap * 2 : CHUNK;
    uint8_t *grown = ws_realloc(s->data, cap);
    if (!grown)
        return WS_ERR_NOMEM;
    s->data = grown;
    s->cap = cap;
    return WS_OK;
}

/* Reads more behind `end`; sets at_end or failed when there is no more. */
static ws_status read_more(ws_splitter *s)
{
    size_t n;
    WS_TRY(make_room(s));
    s->failed = ws_input_read(s->input, s->data + s->end, s->cap - s->end, &n, &s->error);
    s->end += n;
    s->at_end = !s->failed && n == 0;
    return WS_OK;
}

static void drop_byte_order_mark(ws_splitter *s)
{
    if (s->begin_offset == 0 && s->end - s->begin >= 3 &&
        !memcmp(s->data + s->begin, "\xEF\xBB\xBF", 3)) {
        s->begin += 3;
        s->begin_offset = 3;
        s->scanned = WS_MAX(s->scanned, s->begin);
    }
}

/* Index of the \n that ends the line at `begin`, or `end` when it is not there yet. */
static size_t find_end(ws_splitter *s)
{
    const uint8_t *nl =
        s->end > s->scanned ? memchr(s->data + s->scanned, '\n', s->end - s->scanned) : NULL;
    s->scanned = nl ? (size_t)(nl - s->data) : s->end;
    return s->scanned;
}

static void advance(ws_splitter *s, size_t to)
{
    s->begin_offset += to - s->begin;
    s->begin = s->scanned = to;
}

/* Delivers [begin, at), the line end of `ending` bytes after it left out. */
static void deliver(ws_splitter *s, size_t at, size_t ending, ws_line *line)
{
    size_t n = at - s->begin;
    line->offset = s->begin_offset;
    line->length = n + ending;
    line->too_long = n > s->line_max;
    line->bytes =
        line->too_long ? ws_str_make(NULL, 0) : ws_str_make((const char *)s->data + s->begin, n);
    if (line->bytes.len && line->bytes.ptr[n - 1] == '\r')
        line->bytes.len--;
    advance(s, at + ending);
}

/* The line is longer than the limit and its end not seen: goes on to the end without keeping it. */
static ws_status skip_long(ws_splitter *s, ws_line *line)
{
    uint64_t offset = s->begin_offset;
    for (;;) {
        size_t at = find_end(s);
        if (at < s->end) {
            advance(s, at + 1);
            break;
        }
        advance(s, s->end);
        if (s->at_end || s->failed)
            break;
        WS_TRY(read_more(s));
    }
    *line = (ws_line){{NULL, 0}, offset, s->begin_offset - offset, 1};
    return WS_OK;
}

ws_status ws_splitter_next(ws_splitter *s, ws_line *line, ws_error *error)
{
    for (;;) {
        drop_byte_order_mark(s);
        size_t at = find_end(s);
        if (at < s->end) {
            deliver(s, at, 1, line);
            return WS_OK;
        }
        if (s->end - s->begin > s->line_max)
            return skip_long(s, line);
        if (s->failed) {
            if (error)
                *error = s->error;
            return s->failed;
        }
        if (s->at_end && s->begin == s->end)
            return WS_ERR_NOT_FOUND;
        if (s->at_end) {
            deliver(s, s->end, 0, line);
            return WS_OK;
        }
        ws_status status = read_more(s);
        if (status)
            return ws_error_set(error, status, "no memory for a line");
    }
}

/* --- the format `lines` --- */

ws_status ws_lines_document(const ws_schema *schema, ws_str text, uint64_t line_number,
                            ws_ingest_value *value, char *digits, ws_ingest_document *document)
{
    int body = ws_schema_body_field(schema);
    if (body < 0)
        return WS_ERR_SCHEMA;
    int n = snprintf(digits, 24, "%" PRIu64, line_number);
    *value = (ws_ingest_value){(uint32_t)body, text};
    *document = (ws_ingest_document){ws_str_make(digits, (size_t)n), value, 1};
    return WS_OK;
}
