/* Stored documents: records of small compressed chunks, and the token map (docs/format.md section
 * 6).
 *
 * A snippet needs one record head, one chunk, and the token map: nothing else of the document is
 * read.
 */
#ifndef WS_INDEX_STORED_H
#define WS_INDEX_STORED_H

#include "engine/index/segment.h"

/* One value while it is written. */
typedef struct {
    uint8_t field;
    ws_str bytes;
} ws_stored_value;

/* Dictionary for zstd, shared by writers and threads; immutable, reference-counted. NULL = none. */
typedef struct ws_stored_dictionary ws_stored_dictionary;

/* Trains from samples laid one after the other (sizes[n]); *out NULL when there is too little to
 * train on. Memory: about 10 times the samples. */
ws_status ws_stored_dictionary_train(ws_stored_dictionary **out, const void *samples,
                                     const size_t *sizes, uint32_t n, size_t max_bytes);
/* NULL when it has none */
ws_status ws_stored_dictionary_from_segment(ws_stored_dictionary **out, ws_segment *segment);
ws_stored_dictionary *ws_stored_dictionary_ref(ws_stored_dictionary *d);
void ws_stored_dictionary_unref(ws_stored_dictionary *d);
ws_str ws_stored_dictionary_bytes(const ws_stored_dictionary *d); /* empty for NULL */

/* Writer of STORED, STORED_DIR and TOKEN_MAP. [1] */
typedef struct ws_stored_writer ws_stored_writer;
ws_status ws_stored_writer_new(ws_stored_writer **w, ws_stored_dictionary *dictionary,
                               const char *spool_dir, size_t spool_limit, int compression_level);
void ws_stored_writer_free(ws_stored_writer *w);

/* Adds the next document: values ordered by field. */
ws_status ws_stored_writer_add(ws_stored_writer *w, const ws_stored_value *values, uint32_t n);

/* Adds the next document's token map of a field: byte offsets of the words at position 0, 64, 128,
 * ... (every document must get one call for each field that has a map; n = 0 for none). */
ws_status ws_stored_writer_add_map(ws_stored_writer *w, uint32_t field, const uint32_t *offsets,
                                   uint32_t n);

/* Copies document `doc` of a segment, record and maps: verbatim when its dictionary has the same
 * bytes, else recompressed. */
ws_status ws_stored_writer_copy(ws_stored_writer *w, ws_segment *from, uint32_t doc);
size_t ws_stored_writer_memory(const ws_stored_writer *w);
ws_status ws_stored_writer_finish(ws_stored_writer *w, ws_segment_out *out);

/* Reader: decompression context, chunk buffer, dictionary of the last segment used. [1], one per
 * thread. */
typedef struct ws_stored_reader ws_stored_reader; /* also named in engine/query/results_int.h */
ws_status ws_stored_reader_new(ws_stored_reader **r);
void ws_stored_reader_free(ws_stored_reader *r);

/* The parsed head of a record. Slices stay valid until the reader's next ws_stored_open; the short
 * values until then too. */
#define WS_STORED_VALUES_MAX 1024u
typedef struct {
    uint8_t field;
    uint32_t raw_length;
    uint32_t n_chunks;    /* 0: in the short chunk */
    uint32_t first_chunk; /* index of its first chunk in the record */
    ws_str short_bytes;   /* n_chunks = 0: the value */
} ws_stored_head;

/* Opens the record of a document: parses its head and decompresses the short chunk. */
ws_status ws_stored_open(ws_stored_reader *r, ws_segment *segment, uint32_t doc);
uint32_t ws_stored_count(const ws_stored_reader *r);
const ws_stored_head *ws_stored_value_head(const ws_stored_reader *r, uint32_t i);

/* Index of the nth value of a field, -1 when there is none. */
int ws_stored_find(const ws_stored_reader *r, uint32_t field, uint32_t nth);

/* The chunk of value i that holds byte `offset` of it: *chunk its text (valid until the next call
 * of this function or of ws_stored_open), *chunk_offset where it begins in the value. For a short
 * value: the value. */
ws_status ws_stored_chunk(ws_stored_reader *r, uint32_t i, uint32_t offset, ws_str *chunk,
                          uint32_t *chunk_offset);

/* Appends the whole value to `out`. */
ws_status ws_stored_whole(ws_stored_reader *r, uint32_t i, ws_buf *out);

/* Bytes decompressed since the reader was made. */
uint64_t ws_stored_bytes(const ws_stored_reader *r);

/* Byte offset in the stored value of the word at position floor(position / 64) * 64, from the token
 * map; *from_position that position. WS_ERR_NOT_FOUND when the field has no map or the document no
 * such entry. [any] */
ws_status ws_token_map_find(ws_segment *segment, uint32_t field, uint32_t doc, uint32_t position,
                            uint32_t *byte_offset, uint32_t *from_position);

#endif
