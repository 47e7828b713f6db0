/* Term dictionary of a segment: hash to block, sorted blocks of 16 (docs/format.md section 4).
 *
 * Lookups: one hash slot, one block scan. Iteration: in order of term key, for merges, prefixes and
 * inspection. Every block is touched (verified) and bounds-checked while it is parsed.
 */
#ifndef WS_INDEX_DICTIONARY_H
#define WS_INDEX_DICTIONARY_H

#include "engine/index/segment.h"

/* Where a term's postings are. Copyable; valid as long as the segment. */
typedef struct {
    uint32_t df;       /* documents, >= 1 */
    uint64_t cf;       /* occurrences, >= df */
    uint8_t positions; /* 1: the stream has positions */
    /* df = 1 */
    uint32_t doc, position; /* position: only when cf = 1 */
    /* offsets and lengths in DOC_IDS, TF, POS; offsets in BLOCK_DIR and POS_DIR (df > 256) */
    uint64_t doc_offset, doc_length, tf_offset, tf_length, pos_offset, pos_length;
    uint64_t dir_offset, posdir_offset;
} ws_term_info;

/* Builds the stored key of a term: field, stream, bytes (cut and hashed beyond WS_TERM_MAX).
 * Returns its length; *was_long (NULL allowed) tells whether it was cut. key[] has WS_TERM_KEY_MAX
 * bytes. */
size_t ws_term_key(uint32_t field, uint32_t stream, ws_str term, uint8_t *key, int *was_long);

/* Finds a term by its key. WS_ERR_NOT_FOUND, WS_ERR_CORRUPT. [any]. No allocation. */
ws_status ws_dictionary_find(ws_segment *segment, ws_str key, ws_term_info *info);

/* Iterator over keys in order. [1]. */
typedef struct {
    ws_segment *segment;
    uint32_t block, next_in_block, n_in_block;
    const uint8_t *cursor, *end;
    uint8_t key[WS_TERM_KEY_MAX];
    size_t key_length;
    ws_term_info info;                                           /* of the current term */
    uint64_t next_doc, next_tf, next_pos, next_dir, next_posdir; /* running offsets */
} ws_term_iterator;

/* Positions before the first key >= `from` (empty = the first of all). */
ws_status ws_term_iterator_init(ws_term_iterator *it, ws_segment *segment, ws_str from);

/* Advances; WS_OK with it->key and it->info filled, WS_ERR_NOT_FOUND at the end, WS_ERR_CORRUPT. */
ws_status ws_term_iterator_next(ws_term_iterator *it);

#endif
