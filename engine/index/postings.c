#include "engine/index/postings.h"

#include "base/bytes.h"
#include "base/error.h"
#include "engine/index/doc_block.h"
#include "engine/index/exception_block.h"

static ws_status touch_directory(const ws_postings *p)
{
    return ws_segment_file_touch(&p->segment->file, p->segment->block_dir.data + p->term.dir_offset,
                                 (size_t)p->n_blocks * 12);
}

ws_status ws_postings_open(ws_postings *p, ws_segment *segment, const ws_term_info *term)
{
    p->segment = segment;
    p->term = *term;
    p->n_blocks = (term->df + WS_POSTING_BLOCK - 1) / WS_POSTING_BLOCK;
    p->block = WS_NO_BLOCK;
    p->n = p->index = 0;
    p->has_tfs = 0;
    p->positions_index = UINT32_MAX;
    p->values_n = p->values_index = 0;
    p->values_next = NULL;
    p->n_blocks_decoded = p->n_postings_decoded = p->n_positions_decoded = 0;
    return p->n_blocks > 1 ? touch_directory(p) : WS_OK;
}

/* --- the directory: three arrays of n_blocks numbers, for terms of more than one block --- */

enum { LAST_DOC, DOC_OFFSET, TF_OFFSET };

static uint32_t directory(const ws_postings *p, unsigned array, uint32_t block)
{
    return ws_load_u32le(p->segment->block_dir.data + p->term.dir_offset +
                         ((size_t)array * p->n_blocks + block) * 4);
}

/* Bytes [*from, *from + *length) that a block has in the term's part of DOC_IDS or TF. */
static ws_status block_range(const ws_postings *p, unsigned array, uint32_t block, uint64_t total,
                             uint64_t *from, uint64_t *length)
{
    uint64_t to = total;
    *from = 0;
    if (p->n_blocks > 1) {
        *from = directory(p, array, block);
        if (block + 1 < p->n_blocks)
            to = directory(p, array, block + 1);
    }
    if (*from > to || to > total)
        return WS_ERR_CORRUPT;
    *length = to - *from;
    return WS_OK;
}

/* --- documents --- */

static ws_status load_single(ws_postings *p)
{
    p->docs[0] = p->term.doc;
    p->n = 1;
    return WS_OK;
}

static ws_status load_documents(ws_postings *p, uint32_t b)
{
    uint64_t from, length;
    uint32_t base = WS_BEFORE_FIRST, last = WS_BEFORE_FIRST;
    if (p->n_blocks > 1) {
        base = b ? directory(p, LAST_DOC, b - 1) : WS_BEFORE_FIRST;
        last = directory(p, LAST_DOC, b);
        if (b && (base >= p->segment->meta.n_docs || last <= base))
            return WS_ERR_CORRUPT;
    }
    WS_TRY(block_range(p, DOC_OFFSET, b, p->term.doc_length, &from, &length));
    const uint8_t *bytes = p->segment->doc_ids.data + p->term.doc_offset + from;
    WS_TRY(ws_segment_file_touch(&p->segment->file, bytes, length));
    p->n = WS_MIN(WS_POSTING_BLOCK, p->term.df - b * WS_POSTING_BLOCK);
    return ws_doc_block_decode(p->segment->bitpack, bytes, length, p->n, base, last,
                               p->segment->meta.n_docs, p->docs);
}

ws_status ws_postings_load(ws_postings *p, uint32_t b)
{
    if (b == p->block) {
        p->index = 0;
        return WS_OK;
    }
    if (b >= p->n_blocks)
        return WS_ERR_RANGE;
    p->block = WS_NO_BLOCK;
    p->has_tfs = 0;
    WS_TRY(p->term.df == 1 ? load_single(p) : load_documents(p, b));
    p->block = b;
    p->index = 0;
    p->positions_index = UINT32_MAX;
    p->n_blocks_decoded++;
    p->n_postings_decoded += p->n;
    return WS_OK;
}

/* None is 0, and together they are not more than the term's: callers size memory by them. */
static ws_status check_tfs(const ws_postings *p)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->tfs[i] == 0)
            return WS_ERR_CORRUPT;
        sum += p->tfs[i];
    }
    return sum <= p->term.cf ? WS_OK : WS_ERR_CORRUPT;
}

ws_status ws_postings_load_tfs(ws_postings *p)
{
    uint64_t from, length;
    if (p->has_tfs)
        return WS_OK;
    if (p->block == WS_NO_BLOCK)
        return WS_ERR_STATE;
    if (p->term.df == 1) {
        if (p->term.cf > UINT32_MAX)
            return WS_ERR_CORRUPT;
        p->tfs[0] = (uint32_t)p->term.cf;
    } else {
        WS_TRY(block_range(p, TF_OFFSET, p->block, p->term.tf_length, &from, &length));
        const uint8_t *bytes = p->segment->tf.data + p->term.tf_offset + from;
        WS_TRY(ws_segment_file_touch(&p->segment->file, bytes, length));
        WS_TRY(ws_tf_block_decode(bytes, length, p->n, p->tfs));
        WS_TRY(check_tfs(p));
    }
    p->has_tfs = 1;
    return WS_OK;
}

/* --- seeking --- */

uint32_t ws_postings_find_block(const ws_postings *p, uint32_t target, uint32_t from)
{
    if (p->n_blocks <= 1)
        return from;
    uint32_t step = 1, low = from, high = from;
    while (high < p->n_blocks && directory(p, LAST_DOC, high) < target) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = WS_MIN(high, p->n_blocks);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (directory(p, LAST_DOC, middle) < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void seek_in_block(ws_postings *p, uint32_t target)
{
    uint32_t low = p->index, high = p->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->docs[middle] < target)
            low = middle + 1;
        else
            high = middle;
    }
    p->index = low;
}

ws_status ws_postings_seek(ws_postings *p, uint32_t target, uint32_t *doc)
{
    uint32_t b = p->block == WS_NO_BLOCK ? 0 : p->block;
    *doc = WS_NO_DOC;
    if (p->block == WS_NO_BLOCK || p->docs[p->n - 1] < target) {
        uint32_t next = p->block == WS_NO_BLOCK ? 0 : b + 1;
        b = ws_postings_find_block(p, target, next);
        if (b >= p->n_blocks) {
            p->index = p->n;
            return WS_OK;
        }
        WS_TRY(ws_postings_load(p, b));
    }
    seek_in_block(p, target);
    if (p->index < p->n) {
        *doc = p->docs[p->index];
        return WS_OK;
    }
    return p->block + 1 < p->n_blocks ? WS_ERR_CORRUPT : WS_OK; /* the directory promised one */
}

ws_status ws_postings_next(ws_postings *p, uint32_t *doc)
{
    *doc = WS_NO_DOC;
    if (p->block == WS_NO_BLOCK) {
        WS_TRY(ws_postings_load(p, 0));
    } else if (p->index + 1 < p->n) {
        p->index++;
    } else if (p->block + 1 < p->n_blocks) {
        WS_TRY(ws_postings_load(p, p->block + 1));
    } else {
        p->index = p->n;
        return WS_OK;
    }
    *doc = p->docs[p->index];
    return WS_OK;
}
