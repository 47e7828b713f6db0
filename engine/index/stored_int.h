/* What the reader and the writer of stored documents share (docs/format.md section 6). */
#ifndef WS_INDEX_STORED_INT_H
#define WS_INDEX_STORED_INT_H

#include <stdatomic.h>
#include <zstd.h>

#include "base/bytes.h"
#include "engine/index/stored.h"

#define WS_STORED_LEVEL    3
#define WS_STORED_DIR_HEAD 8u

struct ws_stored_dictionary {
    _Atomic uint32_t references;
    ZSTD_DDict *decompress;
    ZSTD_CDict *compress;
    size_t n;
    uint8_t bytes[];
};

/* Bytes of the dictionary at the beginning of a segment's STORED. */
static inline uint32_t ws_stored_dictionary_length(const ws_segment *segment)
{
    return ws_load_u32le(segment->stored_dir.data);
}

/* Bytes of a document's record, verified. */
ws_status ws_stored_record(ws_segment *segment, uint32_t doc, ws_str *record);

/* The document's part of a token map. */
ws_status ws_token_map_bytes(ws_segment *segment, uint32_t field, uint32_t doc, ws_str *bytes);

#endif
