/* Columns: one value, or a few, by document (docs/format.md 6.4). */
#ifndef WS_INDEX_COLUMN_H
#define WS_INDEX_COLUMN_H

#include "engine/index/segment.h"

#define WS_COLUMN_INT     1u
#define WS_COLUMN_KEYWORD 2u
#define WS_COLUMN_MULTI   3u

/* Type of a field's column in a segment, 0 when it has none. */
uint32_t ws_column_type(const ws_segment *segment, uint32_t field);

/* Int: *present 0 when the document has no value. [any] O(1). */
ws_status ws_column_int(ws_segment *segment, uint32_t field, uint32_t doc, int64_t *value,
                        int *present);

/* Keyword: number of distinct values, the value of an ordinal, the ordinal of a value (-1 = none
 * has it; O(log n)). */
uint32_t ws_column_distinct(const ws_segment *segment, uint32_t field);
ws_status ws_column_value(ws_segment *segment, uint32_t field, uint32_t ordinal, ws_str *value);
ws_status ws_column_ordinal(ws_segment *segment, uint32_t field, ws_str value, int64_t *ordinal);

/* Ordinals of a document into out[cap]; returns how many it has through *n (may exceed cap). */
ws_status ws_column_ordinals(ws_segment *segment, uint32_t field, uint32_t doc, uint32_t *out,
                             uint32_t cap, uint32_t *n);

/* Sets bit d of bits[] (u64[ceil(n_docs / 64)]) for each document in [0, n_docs) that has the
 * ordinal, clears the others. Touches each value once. */
ws_status ws_column_match_ordinal(ws_segment *segment, uint32_t field, uint32_t ordinal,
                                  uint64_t *bits);

/* The same for low <= value <= high; documents without a value do not match. */
ws_status ws_column_match_range(ws_segment *segment, uint32_t field, int64_t low, int64_t high,
                                uint64_t *bits);

/* Writer of one column: values in order of document. [1] */
typedef struct ws_column_writer ws_column_writer;
ws_status ws_column_writer_new(ws_column_writer **w, uint32_t type);
void ws_column_writer_free(ws_column_writer *w);
ws_status ws_column_writer_add_int(ws_column_writer *w, int present, int64_t value);
/* n <= 1 unless MULTI; duplicates collapse */
ws_status ws_column_writer_add_keywords(ws_column_writer *w, const ws_str *values, uint32_t n);
size_t ws_column_writer_memory(const ws_column_writer *w);
ws_status ws_column_writer_finish(ws_column_writer *w, ws_segment_out *out, uint32_t field);

#endif
