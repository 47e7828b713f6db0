/* Writing TERM_BLOCKS and TERM_HASH (docs/format.md section 4). [1]. Terms come in order of key
 * with the place of their postings. */
#ifndef WS_INDEX_DICTIONARY_WRITER_H
#define WS_INDEX_DICTIONARY_WRITER_H

#include "base/buf.h"
#include "engine/index/dictionary.h"
#include "engine/index/spool.h"

typedef struct {
    ws_buf block; /* the block being filled */
    uint32_t n_in_block;
    uint8_t last_key[WS_TERM_KEY_MAX];
    size_t last_length;
    uint64_t n_terms;
    ws_spool data, offsets, hashes; /* blocks · u32 by block · (u64 hash, u32 block) by term */
    uint32_t n_blocks;
} ws_dictionary_writer;

void ws_dictionary_writer_init(ws_dictionary_writer *w, const char *spool_dir, size_t spool_limit);
void ws_dictionary_writer_fini(ws_dictionary_writer *w);

/* Adds a term. info: df, cf, doc and position (df = 1), lengths; its offsets are those of the
 * term's first byte and are written when the term begins a block. WS_ERR_ARG when the key does not
 * ascend. */
ws_status ws_dictionary_writer_add(ws_dictionary_writer *w, ws_str key, const ws_term_info *info);

/* Writes both sections. Heap: 4 bytes a slot, 1.2 slots a term. */
ws_status ws_dictionary_writer_finish(ws_dictionary_writer *w, ws_segment_out *out);

#endif
