#include "engine/index/column.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"

#define HEAD_BYTES 16u

/* A parsed column: where its parts are. Validated at open. */
typedef struct {
    uint32_t type, width, n_distinct;
    int64_t base;
    const uint8_t *present; /* int */
    const uint8_t *offsets; /* keyword: u32[n_distinct + 1] */
    const uint8_t *bytes;
    const uint8_t *starts; /* multi: u32[n_docs + 1] */
    const uint8_t *values; /* `width` bytes each */
} column;

static uint64_t padded(uint64_t n)
{
    return (n + 3) / 4 * 4;
}

static int is_width(uint32_t width)
{
    return width == 1 || width == 2 || width == 4;
}

/* Fills the parts; 0 when the section cannot be a column of n_docs documents. */
static int parse_int(ws_section s, uint32_t n_docs, column *c)
{
    uint64_t words = ((uint64_t)n_docs + 63) / 64;
    c->present = s.data + HEAD_BYTES;
    c->values = c->present + words * 8;
    return c->width <= 8 && s.size == HEAD_BYTES + words * 8 + (uint64_t)n_docs * c->width;
}

static int parse_keyword(ws_section s, uint32_t n_docs, column *c)
{
    uint64_t at = HEAD_BYTES + ((uint64_t)c->n_distinct + 1) * 4;
    if (!is_width(c->width) || at > s.size)
        return 0;
    c->offsets = s.data + HEAD_BYTES;
    c->bytes = s.data + at;
    at += padded(ws_load_u32le(c->offsets + (size_t)c->n_distinct * 4));
    if (c->type == WS_COLUMN_KEYWORD) {
        c->values = s.data + at;
        return at <= s.size && s.size - at == (uint64_t)n_docs * c->width;
    }
    uint64_t starts = ((uint64_t)n_docs + 1) * 4;
    if (at > s.size || starts > s.size - at)
        return 0;
    c->starts = s.data + at;
    c->values = c->starts + starts;
    return s.size - at - starts ==
           (uint64_t)ws_load_u32le(c->starts + (size_t)n_docs * 4) * c->width;
}

static int parse(const ws_segment *segment, uint32_t field, column *c)
{
    ws_section s = segment->column[field];
    memset(c, 0, sizeof *c);
    if (s.size < HEAD_BYTES)
        return 0;
    c->type = s.data[0];
    c->width = s.data[1];
    c->n_distinct = ws_load_u32le(s.data + 4);
    c->base = (int64_t)ws_load_u64le(s.data + 8);
    if (c->type == WS_COLUMN_INT)
        return parse_int(s, segment->meta.n_docs, c);
    return (c->type == WS_COLUMN_KEYWORD || c->type == WS_COLUMN_MULTI) &&
           parse_keyword(s, segment->meta.n_docs, c);
}

static uint64_t load(const uint8_t *values, uint64_t i, uint32_t width)
{
    uint64_t value = 0;
    const uint8_t *p = values + i * width;
    for (uint32_t k = 0; k < width; k++)
        value |= (uint64_t)p[k] << (8 * k);
    return value;
}

/* Parses; the head was verified at open. */
static ws_status open_column(const ws_segment *segment, uint32_t field, column *c)
{
    return field < WS_MAX_FIELDS && segment->column[field].size && parse(segment, field, c)
               ? WS_OK
               : WS_ERR_NOT_FOUND;
}

/* For calls that read every value. */
static ws_status open_verified(ws_segment *segment, uint32_t field, column *c)
{
    WS_TRY(open_column(segment, field, c));
    return ws_segment_file_touch(&segment->file, segment->column[field].data,
                                 segment->column[field].size);
}

static ws_status touch(ws_segment *segment, const uint8_t *p, size_t n)
{
    return ws_segment_file_touch(&segment->file, p, n);
}

uint32_t ws_column_type(const ws_segment *segment, uint32_t field)
{
    column c;
    return field < WS_MAX_FIELDS && parse(segment, field, &c) ? c.type : 0;
}

ws_status ws_column_int(ws_segment *segment, uint32_t field, uint32_t doc, int64_t *value,
                        int *present)
{
    column c;
    *present = 0;
    *value = 0;
    WS_TRY(open_column(segment, field, &c));
    if (c.type != WS_COLUMN_INT || doc >= segment->meta.n_docs)
        return WS_ERR_ARG;
    WS_TRY(touch(segment, c.present + doc / 8, 1));
    WS_TRY(touch(segment, c.values + (size_t)doc * c.width, c.width));
    *present = c.present[doc / 8] >> (doc % 8) & 1;
    if (*present)
        *value = (int64_t)((uint64_t)c.base + load(c.values, doc, c.width));
    return WS_OK;
}

uint32_t ws_column_distinct(const ws_segment *segment, uint32_t field)
{
    column c;
    return field < WS_MAX_FIELDS && parse(segment, field, &c) ? c.n_distinct : 0;
}

static ws_status value_at(ws_segment *segment, const column *c, uint32_t ordinal, ws_str *value)
{
    if (ordinal >= c->n_distinct)
        return WS_ERR_RANGE;
    WS_TRY(touch(segment, c->offsets + (size_t)ordinal * 4, 8));
    uint32_t from = ws_load_u32le(c->offsets + (size_t)ordinal * 4);
    uint32_t to = ws_load_u32le(c->offsets + (size_t)ordinal * 4 + 4);
    if (from > to || to > ws_load_u32le(c->offsets + (size_t)c->n_distinct * 4))
        return WS_ERR_CORRUPT;
    *value = ws_str_make((const char *)c->bytes + from, to - from);
    return touch(segment, c->bytes + from, to - from);
}

ws_status ws_column_value(ws_segment *segment, uint32_t field, uint32_t ordinal, ws_str *value)
{
    column c;
    WS_TRY(open_column(segment, field, &c));
    return c.type == WS_COLUMN_INT ? WS_ERR_ARG : value_at(segment, &c, ordinal, value);
}

ws_status ws_column_ordinal(ws_segment *segment, uint32_t field, ws_str value, int64_t *ordinal)
{
    column c;
    *ordinal = -1;
    WS_TRY(open_column(segment, field, &c));
    if (c.type == WS_COLUMN_INT)
        return WS_ERR_ARG;
    uint32_t low = 0, high = c.n_distinct;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        ws_str v;
        WS_TRY(value_at(segment, &c, middle, &v));
        int order = ws_str_cmp(v, value);
        if (order == 0) {
            *ordinal = middle;
            return WS_OK;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return WS_OK;
}

/* Ordinals of a document: [*from, *to) in c->values. */
static ws_status range_of(const column *c, uint32_t doc, uint32_t *from, uint32_t *to)
{
    *from = ws_load_u32le(c->starts + (size_t)doc * 4);
    *to = ws_load_u32le(c->starts + (size_t)doc * 4 + 4);
    return *from <= *to ? WS_OK : WS_ERR_CORRUPT;
}

static ws_status single_ordinal(ws_segment *segment, const column *c, uint32_t doc, uint32_t *out,
                                uint32_t cap, uint32_t *n)
{
    WS_TRY(touch(segment, c->values + (size_t)doc * c->width, c->width));
    uint64_t value = load(c->values, doc, c->width);
    if (value > c->n_distinct)
        return WS_ERR_CORRUPT;
    *n = value != 0;
    if (value && cap)
        out[0] = (uint32_t)value - 1;
    return WS_OK;
}

ws_status ws_column_ordinals(ws_segment *segment, uint32_t field, uint32_t doc, uint32_t *out,
                             uint32_t cap, uint32_t *n)
{
    column c;
    uint32_t from, to;
    *n = 0;
    WS_TRY(open_column(segment, field, &c));
    if (c.type == WS_COLUMN_INT || doc >= segment->meta.n_docs)
        return WS_ERR_ARG;
    if (c.type == WS_COLUMN_KEYWORD)
        return single_ordinal(segment, &c, doc, out, cap, n);
    WS_TRY(touch(segment, c.starts + (size_t)doc * 4, 8));
    WS_TRY(range_of(&c, doc, &from, &to));
    WS_TRY(touch(segment, c.values + (size_t)from * c.width, (size_t)(to - from) * c.width));
    *n = to - from;
    for (uint32_t i = from; i < to && i - from < cap; i++) {
        out[i - from] = (uint32_t)load(c.values, i, c.width);
        if (out[i - from] >= c.n_distinct)
            return WS_ERR_CORRUPT;
    }
    return WS_OK;
}

static int has_ordinal(const column *c, uint32_t doc, uint32_t ordinal)
{
    uint32_t from, to;
    if (c->type == WS_COLUMN_KEYWORD)
        return load(c->values, doc, c->width) == ordinal + 1ull;
    if (range_of(c, doc, &from, &to))
        return 0;
    for (uint32_t i = from; i < to; i++)
        if (load(c->values, i, c->width) == ordinal)
            return 1;
    return 0;
}

static void clear_bits(const ws_segment *segment, uint64_t *bits)
{
    memset(bits, 0, ((size_t)segment->meta.n_docs + 63) / 64 * 8);
}

ws_status ws_column_match_ordinal(ws_segment *segment, uint32_t field, uint32_t ordinal,
                                  uint64_t *bits)
{
    column c;
    clear_bits(segment, bits);
    WS_TRY(open_verified(segment, field, &c));
    if (c.type == WS_COLUMN_INT)
        return WS_ERR_ARG;
    for (uint32_t d = 0; d < segment->meta.n_docs; d++)
        if (has_ordinal(&c, d, ordinal))
            bits[d / 64] |= 1ull << (d % 64);
    return WS_OK;
}

ws_status ws_column_match_range(ws_segment *segment, uint32_t field, int64_t low, int64_t high,
                                uint64_t *bits)
{
    column c;
    clear_bits(segment, bits);
    WS_TRY(open_verified(segment, field, &c));
    if (c.type != WS_COLUMN_INT)
        return WS_ERR_ARG;
    for (uint32_t d = 0; d < segment->meta.n_docs; d++) {
        int64_t value = (int64_t)((uint64_t)c.base + load(c.values, d, c.width));
        if ((c.present[d / 8] >> (d % 8) & 1) && value >= low && value <= high)
            bits[d / 64] |= 1ull << (d % 64);
    }
    return WS_OK;
}

ws_status ws_segment_validate_columns(ws_segment *segment, ws_error *error)
{
    column c;
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        if (segment->column[f].size && !parse(segment, f, &c))
            return ws_error_at(error, WS_ERR_CORRUPT, segment->file.path, 0,
                               "COLUMN of field %u is not possible", f);
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        if (segment->column[f].size && parse(segment, f, &c) && c.type == WS_COLUMN_MULTI)
            for (uint64_t d = 0; d < segment->meta.n_docs; d++)
                if (ws_load_u32le(c.starts + d * 4) > ws_load_u32le(c.starts + d * 4 + 4))
                    return ws_error_at(error, WS_ERR_CORRUPT, segment->file.path, 0,
                                       "COLUMN of field %u has starts that do not ascend", f);
    return WS_OK;
}
