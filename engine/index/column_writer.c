/* Collecting and writing one column. Keyword values are kept once, in a hash table; ordinals follow
 * their order at the end. */
#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/column.h"
#include "engine/index/term_sort.h"

#define FIRST_SLOTS 256u

struct ws_column_writer {
    uint32_t type, n_docs;
    ws_buf numbers; /* int: i64 by document · keyword: u32 value number + 1 · multi: u32 value
                       numbers */
    ws_buf present, starts; /* int: u8 by document · multi: u32 by document */
    ws_buf bytes, offsets;  /* distinct values as they came; u32 offsets, one more than values */
    uint32_t *slots, n_slots, n_distinct;
};

ws_status ws_column_writer_new(ws_column_writer **out, uint32_t type)
{
    uint32_t zero = 0;
    ws_column_writer *w = ws_calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return WS_ERR_NOMEM;
    w->type = type;
    w->n_slots = type == WS_COLUMN_INT ? 0 : FIRST_SLOTS;
    w->slots = w->n_slots ? ws_calloc(w->n_slots, sizeof *w->slots) : NULL;
    ws_buf_append(&w->offsets, &zero, sizeof zero);
    if ((w->n_slots && !w->slots) || ws_buf_status(&w->offsets)) {
        ws_column_writer_free(w);
        return WS_ERR_NOMEM;
    }
    *out = w;
    return WS_OK;
}

void ws_column_writer_free(ws_column_writer *w)
{
    if (!w)
        return;
    ws_buf_fini(&w->numbers);
    ws_buf_fini(&w->present);
    ws_buf_fini(&w->starts);
    ws_buf_fini(&w->bytes);
    ws_buf_fini(&w->offsets);
    ws_free(w->slots);
    ws_free(w);
}

size_t ws_column_writer_memory(const ws_column_writer *w)
{
    /* Writing needs the order of the values beside what is held. */
    return w->numbers.cap + w->present.cap + w->starts.cap + w->bytes.cap + w->offsets.cap +
           w->n_slots * 4ull + w->n_distinct * (sizeof(ws_sort_key) + 4ull);
}

ws_status ws_column_writer_add_int(ws_column_writer *w, int present, int64_t value)
{
    ws_buf_append(&w->numbers, &value, sizeof value);
    ws_buf_u8(&w->present, present != 0);
    WS_TRY(ws_buf_status(&w->numbers));
    WS_TRY(ws_buf_status(&w->present));
    w->n_docs++;
    return WS_OK;
}

/* --- distinct values --- */

static uint32_t load_u32(const ws_buf *b, uint32_t i)
{
    uint32_t value;
    memcpy(&value, b->data + (size_t)i * 4, 4);
    return value;
}

static ws_str value_of(const ws_column_writer *w, uint32_t number)
{
    uint32_t from = load_u32(&w->offsets, number);
    return ws_str_make((const char *)w->bytes.data + from,
                       load_u32(&w->offsets, number + 1) - from);
}

static uint32_t find_slot(const ws_column_writer *w, const uint32_t *slots, uint32_t n_slots,
                          ws_str value)
{
    uint32_t at = (uint32_t)ws_hash64(value.ptr, value.len) & (n_slots - 1);
    while (slots[at] && !ws_str_eq(value_of(w, slots[at] - 1), value))
        at = (at + 1) & (n_slots - 1);
    return at;
}

static ws_status grow(ws_column_writer *w)
{
    uint32_t n_slots = w->n_slots * 2;
    uint32_t *slots = ws_calloc(n_slots, sizeof *slots);
    if (!slots)
        return WS_ERR_NOMEM;
    for (uint32_t v = 0; v < w->n_distinct; v++)
        slots[find_slot(w, slots, n_slots, value_of(w, v))] = v + 1;
    ws_free(w->slots);
    w->slots = slots;
    w->n_slots = n_slots;
    return WS_OK;
}

static ws_status number_of(ws_column_writer *w, ws_str value, uint32_t *number)
{
    if (w->n_distinct * 2 >= w->n_slots)
        WS_TRY(grow(w));
    uint32_t at = find_slot(w, w->slots, w->n_slots, value);
    if (!w->slots[at]) {
        if (w->bytes.len + value.len > UINT32_MAX)
            return WS_ERR_LIMIT;
        ws_buf_str(&w->bytes, value);
        uint32_t end = (uint32_t)w->bytes.len;
        ws_buf_append(&w->offsets, &end, sizeof end);
        WS_TRY(ws_buf_status(&w->bytes));
        WS_TRY(ws_buf_status(&w->offsets));
        w->slots[at] = ++w->n_distinct;
    }
    *number = w->slots[at] - 1;
    return WS_OK;
}

ws_status ws_column_writer_add_keywords(ws_column_writer *w, const ws_str *values, uint32_t n)
{
    uint32_t start = (uint32_t)(w->numbers.len / 4), number = 0;
    if (w->type == WS_COLUMN_KEYWORD) {
        if (n)
            WS_TRY(number_of(w, values[0], &number));
        number = n ? number + 1 : 0;
        ws_buf_append(&w->numbers, &number, sizeof number);
    } else {
        ws_buf_append(&w->starts, &start, sizeof start);
        for (uint32_t i = 0; i < n; i++) {
            WS_TRY(number_of(w, values[i], &number));
            ws_buf_append(&w->numbers, &number, sizeof number);
        }
    }
    w->n_docs++;
    WS_TRY(ws_buf_status(&w->starts));
    return ws_buf_status(&w->numbers);
}

/* --- writing --- */

static void write_value(ws_segment_out *out, uint64_t value, uint32_t width)
{
    uint8_t bytes[8];
    ws_store_u64le(bytes, value);
    ws_segment_out_write(out, bytes, width);
}

static void write_head(ws_segment_out *out, uint32_t type, uint32_t width, uint32_t n_distinct,
                       int64_t base)
{
    uint8_t head[16] = {(uint8_t)type, (uint8_t)width};
    ws_store_u32le(head + 4, n_distinct);
    ws_store_u64le(head + 8, (uint64_t)base);
    ws_segment_out_write(out, head, sizeof head);
}

static int64_t int_of(const ws_column_writer *w, uint32_t doc)
{
    int64_t value;
    memcpy(&value, w->numbers.data + (size_t)doc * 8, 8);
    return value;
}

static void write_ints(const ws_column_writer *w, ws_segment_out *out)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t d = 0; d < w->n_docs; d++)
        if (w->present.data[d]) {
            least = WS_MIN(least, int_of(w, d));
            most = WS_MAX(most, int_of(w, d));
        }
    if (least > most)
        least = most = 0;
    uint32_t width = (ws_bits_u64((uint64_t)most - (uint64_t)least) + 7) / 8;
    write_head(out, WS_COLUMN_INT, width, 0, least);
    for (uint32_t from = 0; from < w->n_docs; from += 64) {
        uint64_t word = 0;
        for (uint32_t d = from; d < w->n_docs && d < from + 64; d++)
            word |= (uint64_t)w->present.data[d] << (d % 64);
        write_value(out, word, 8);
    }
    for (uint32_t d = 0; d < w->n_docs; d++)
        write_value(out, w->present.data[d] ? (uint64_t)int_of(w, d) - (uint64_t)least : 0, width);
}

static ws_str sort_key_of(const void *ctx, uint32_t number)
{
    return value_of(ctx, number);
}

/* ordinals[value number]; also writes the distinct values in order. */
static ws_status write_distinct(const ws_column_writer *w, uint32_t *ordinals, ws_segment_out *out)
{
    uint32_t offset = 0;
    ws_sort_key *keys = ws_reallocarray(NULL, w->n_distinct + 1ull, sizeof *keys);
    if (!keys)
        return WS_ERR_NOMEM;
    for (uint32_t v = 0; v < w->n_distinct; v++)
        keys[v] = (ws_sort_key){ws_sort_prefix(value_of(w, v)), v};
    ws_sort_terms(keys, w->n_distinct, sort_key_of, w);
    write_value(out, 0, 4);
    for (uint32_t i = 0; i < w->n_distinct; i++) {
        ordinals[keys[i].term] = i;
        offset += (uint32_t)value_of(w, keys[i].term).len;
        write_value(out, offset, 4);
    }
    for (uint32_t i = 0; i < w->n_distinct; i++) {
        ws_str value = value_of(w, keys[i].term);
        ws_segment_out_write(out, value.ptr, value.len);
    }
    write_value(out, 0, (4 - offset % 4) % 4);
    ws_free(keys);
    return WS_OK;
}

static uint32_t ordinal_width(uint32_t n_distinct)
{
    return n_distinct < 256 ? 1 : n_distinct < 65536 ? 2 : 4;
}

static void write_single(const ws_column_writer *w, const uint32_t *ordinals, uint32_t width,
                         ws_segment_out *out)
{
    for (uint32_t d = 0; d < w->n_docs; d++) {
        uint32_t number = load_u32(&w->numbers, d);
        write_value(out, number ? ordinals[number - 1] + 1 : 0, width);
    }
}

/* Sorts a document's ordinals and drops doubles; returns how many are left. */
static uint32_t tidy(uint32_t *ordinals, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && ordinals[k - 1] > ordinals[k]; k--) {
            uint32_t t = ordinals[k];
            ordinals[k] = ordinals[k - 1];
            ordinals[k - 1] = t;
        }
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || ordinals[i] != ordinals[i - 1])
            ordinals[kept++] = ordinals[i];
    return kept;
}

static void write_multi(ws_column_writer *w, const uint32_t *ordinals, uint32_t width,
                        ws_segment_out *out)
{
    uint32_t total = (uint32_t)(w->numbers.len / 4), at = 0;
    uint32_t *numbers = (uint32_t *)(void *)w->numbers.data;
    write_value(out, 0, 4);
    for (uint32_t d = 0; d < w->n_docs; d++) {
        uint32_t from = load_u32(&w->starts, d),
                 to = d + 1 < w->n_docs ? load_u32(&w->starts, d + 1) : total;
        for (uint32_t i = from; i < to; i++)
            numbers[i] = ordinals[numbers[i]];
        uint32_t n = to > from ? tidy(numbers + from, to - from) : 0;
        if (n)
            memmove(numbers + at, numbers + from, n * sizeof *numbers);
        at += n;
        write_value(out, at, 4);
    }
    for (uint32_t i = 0; i < at; i++)
        write_value(out, numbers[i], width);
}

ws_status ws_column_writer_finish(ws_column_writer *w, ws_segment_out *out, uint32_t field)
{
    ws_status status = WS_OK;
    ws_segment_out_begin(out, WS_KIND_COLUMN, field, WS_ALL_STREAMS, 0);
    if (w->type == WS_COLUMN_INT) {
        write_ints(w, out);
    } else {
        uint32_t width = ordinal_width(w->n_distinct);
        uint32_t *ordinals = ws_reallocarray(NULL, w->n_distinct + 1ull, sizeof *ordinals);
        if (!ordinals)
            return WS_ERR_NOMEM;
        write_head(out, w->type, width, w->n_distinct, 0);
        status = write_distinct(w, ordinals, out);
        if (!status && w->type == WS_COLUMN_KEYWORD)
            write_single(w, ordinals, width, out);
        else if (!status)
            write_multi(w, ordinals, width, out);
        ws_free(ordinals);
    }
    ws_segment_out_end(out);
    return status;
}
