/* Reading the postings of one term: block by block, term frequencies and positions on demand. [1]
 * per cursor.
 *
 * Each block decoded is checked against the directory: bytes in range, bit width, strictly
 * ascending, last id as the directory says, below n_docs. After that its numbers may be trusted as
 * indexes.
 */
#ifndef WS_INDEX_POSTINGS_H
#define WS_INDEX_POSTINGS_H

#include "engine/index/dictionary.h"

#define WS_NO_BLOCK UINT32_MAX
#define WS_NO_DOC   UINT32_MAX

typedef struct {
    ws_segment *segment;
    ws_term_info term;
    uint32_t n_blocks;
    uint32_t block;  /* decoded block, WS_NO_BLOCK before the first */
    uint32_t n;      /* postings in it, 1 to 256 */
    uint32_t index;  /* place of the cursor in it: ws_postings_seek and next */
    uint8_t has_tfs; /* tfs[] belong to `block` */
    /* private: the posting of this block whose positions come next, UINT32_MAX = not begun */
    uint32_t positions_index;
    /* private: values in the decoded position block, the next to take */
    uint32_t values_n, values_index;
    const uint8_t *values_next; /* private: the position block after it */
    /* cost counters, kept by the caller's reset */
    uint64_t n_blocks_decoded, n_postings_decoded, n_positions_decoded;
    uint32_t docs[WS_POSTING_BLOCK];
    uint32_t tfs[WS_POSTING_BLOCK];     /* after ws_postings_load_tfs: exact, >= 1 */
    uint32_t values[WS_POSITION_BLOCK]; /* private: the decoded position block */
} ws_postings;

/* Sets the cursor before the first posting; counters to 0. No decoding yet, but the term's
 * directory is verified: searches in it trust it. WS_ERR_CORRUPT. */
ws_status ws_postings_open(ws_postings *p, ws_segment *segment, const ws_term_info *term);

/* Decodes documents of block b (0 to n_blocks - 1) into docs[0..n); index = 0. A block already
 * decoded is kept. */
ws_status ws_postings_load(ws_postings *p, uint32_t b);

/* Decodes tfs[] of the block that is loaded. */
ws_status ws_postings_load_tfs(ws_postings *p);

/* First block whose last document is >= target, from block `from` on, by galloping over the
 * directory; n_blocks when there is none. No decoding. */
uint32_t ws_postings_find_block(const ws_postings *p, uint32_t target, uint32_t from);

/* Moves to the first posting with document >= target (never backwards) and returns it in *doc;
 * WS_NO_DOC at the end. index is its place in docs[]. */
ws_status ws_postings_seek(ws_postings *p, uint32_t target, uint32_t *doc);

/* Moves to the next posting; the first call gives the first. *doc = WS_NO_DOC at the end. */
ws_status ws_postings_next(ws_postings *p, uint32_t *doc);

/* Positions of posting `index` of the loaded block, absolute, ascending, into out[0..tf). tfs must
 * be loaded; out has room for `tfs[index]` numbers. Ascending indexes in a block cost one pass in
 * all. WS_ERR_STATE when the stream has no positions. */
ws_status ws_postings_positions(ws_postings *p, uint32_t index, uint32_t *out);

#endif
