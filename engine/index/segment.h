/* One immutable segment, opened: identity, lengths, terms, columns, documents. Shared by any
 * threads without locks.
 *
 * Opened and validated once; what the decoders check again is listed with them. Reference-counted:
 * a snapshot and its results hold one each.
 */
#ifndef WS_INDEX_SEGMENT_H
#define WS_INDEX_SEGMENT_H

#include "engine/index/bitpack.h"
#include "engine/index/segment_file.h"

typedef struct {
    uint8_t field, stream, flags; /* flags: 1 = has positions */
    uint32_t n_docs;              /* documents with a token */
    uint64_t sum_length, n_terms;
} ws_stream_meta;

typedef struct {
    uint32_t n_docs, n_streams;
    uint64_t n_terms, n_postings, n_positions;
    uint64_t min_doc_key, max_doc_key;
    uint64_t n_long_terms;
    ws_stream_meta streams[WS_MAX_TEXT_FIELDS * 3];
} ws_segment_meta;

typedef struct ws_segment {
    ws_segment_file file;
    ws_segment_meta meta;
    _Atomic uint32_t references;
    const ws_bitpack *bitpack; /* decoders for the instruction set of this handle */

    /* Slices of the sections, absent ones {NULL, 0}. */
    ws_section term_hash, term_blocks, doc_ids, tf, block_dir, pos, pos_dir;
    ws_section id_map, doc_key, stored, stored_dir;
    ws_section norms[WS_MAX_FIELDS][3]; /* by field and stream; size == n_docs when present */
    ws_section token_map[WS_MAX_FIELDS];
    ws_section column[WS_MAX_FIELDS];

    /* Made at the first stored document that is read, shared by all readers; NULL = not yet.
     * stored_dictionary.c. */
    _Atomic(struct ws_stored_dictionary *) dictionary;
} ws_segment;

typedef struct {
    uint32_t access, verify, isa; /* as ws_index_options */
} ws_segment_options;

/* Opens and validates all structure: container, META, sizes of NORMS, ID_MAP, DOC_KEY, STORED_DIR
 * (monotonic, in range), COLUMN heads, TOKEN_MAP starts, dictionary block offsets, directories.
 * *out has one reference. */
ws_status ws_segment_open(ws_segment **out, const char *path, const ws_segment_options *options,
                          ws_error *error);
ws_status ws_segment_open_memory(ws_segment **out, uint8_t *data, size_t size,
                                 const ws_segment_options *options, ws_error *error);
ws_segment *ws_segment_ref(ws_segment *segment); /* returns it. [any] */
void ws_segment_unref(ws_segment *segment);      /* closes at 0; NULL does nothing. [any] */

/* NULL: none */
const ws_stream_meta *ws_segment_stream(const ws_segment *segment, uint32_t field, uint32_t stream);

/* Length codes u8[n_docs] of (field, stream), NULL when the segment has no token there. Touched
 * (verified) as a whole at first call. */
ws_status ws_segment_norms(ws_segment *segment, uint32_t field, uint32_t stream,
                           const uint8_t **norms);

/* Checks that belong to the parts, called by ws_segment_open; each in the file of its part. */
/* dictionary.c, postings.c */
ws_status ws_segment_validate_dictionary(ws_segment *segment, ws_error *error);
/* id_map.c: ID_MAP, DOC_KEY */
ws_status ws_segment_validate_identity(ws_segment *segment, ws_error *error);
/* stored.c: STORED, TOKEN_MAP */
ws_status ws_segment_validate_stored(ws_segment *segment, ws_error *error);
ws_status ws_segment_validate_columns(ws_segment *segment, ws_error *error); /* column.c */

#endif
