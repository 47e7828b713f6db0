/* What the reader and the writer of stored documents share (docs/format.md section 6). */
#ifndef WS_INDEX_STORED_INT_H
#define WS_INDEX_STORED_INT_H

#include <stdatomic.h>

/* Contexts with our allocator: Debian's shared library exports them. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "base/bytes.h"
#include "engine/index/stored.h"

#define WS_STORED_LEVEL    3
#define WS_STORED_DIR_HEAD 8u

/* A dictionary, digested for reading at once and for writing when the first writer asks. */
struct ws_stored_dictionary {
    _Atomic uint32_t references;
    ZSTD_DDict *decompress;
    _Atomic(ZSTD_CDict *) compress; /* NULL until asked for */
    size_t n;
    uint8_t bytes[];
};

/* zstd's allocations through base/mem.h. */
extern const ZSTD_customMem ws_zstd_memory;

/* The dictionary digested for writing; made once, by whoever comes first. [any] */
ws_status ws_stored_dictionary_compressor(ws_stored_dictionary *d, const ZSTD_CDict **compressor);

/* The dictionary of a segment, made at its first use and kept by it; *out NULL when it has none.
 * Borrowed: valid as long as the segment. [any] */
ws_status ws_segment_dictionary(ws_segment *segment, ws_stored_dictionary **out);

/* Bytes of the dictionary at the beginning of a segment's STORED. */
static inline uint32_t ws_stored_dictionary_length(const ws_segment *segment)
{
    return segment->stored_dir.size ? ws_load_u32le(segment->stored_dir.data) : 0;
}

/* Bytes of a document's record, verified. */
ws_status ws_stored_record(ws_segment *segment, uint32_t doc, ws_str *record);

/* The document's part of a token map. */
ws_status ws_token_map_bytes(ws_segment *segment, uint32_t field, uint32_t doc, ws_str *bytes);

#endif
