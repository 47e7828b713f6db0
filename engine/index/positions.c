/* Positions of a posting: a walk over the term's position blocks, from where POS_DIR says the
 * posting block begins. */
#include "base/bytes.h"
#include "base/error.h"
#include "engine/index/exception_block.h"
#include "engine/index/postings.h"

static const uint8_t *positions_end(const ws_postings *p)
{
    return p->segment->pos.data + p->term.pos_offset + p->term.pos_length;
}

static ws_status load_values(ws_postings *p)
{
    const uint8_t *end = positions_end(p), *from = p->values_next;
    uint32_t short_n = (uint32_t)(p->term.cf % WS_POSITION_BLOCK);
    WS_TRY(ws_pos_block_decode(p->segment->bitpack, from, end, short_n, p->values, &p->values_n,
                               &p->values_next));
    p->values_index = 0;
    p->n_positions_decoded += p->values_n;
    return WS_OK;
}

static ws_status skip_values(ws_postings *p, uint64_t n)
{
    uint32_t short_n = (uint32_t)(p->term.cf % WS_POSITION_BLOCK);
    for (;;) {
        uint32_t here = (uint32_t)WS_MIN(n, (uint64_t)(p->values_n - p->values_index)), whole;
        const uint8_t *next;
        p->values_index += here;
        n -= here;
        if (n == 0)
            return WS_OK;
        WS_TRY(ws_pos_block_skip(p->values_next, positions_end(p), short_n, &whole, &next));
        if (whole <= n) {
            p->values_next = next;
            n -= whole;
        } else {
            WS_TRY(load_values(p));
        }
    }
}

/* Goes to the first position of the posting block that is loaded. */
static ws_status begin_block(ws_postings *p)
{
    uint64_t offset = 0;
    uint32_t skip = 0;
    if (p->n_blocks > 1) {
        const uint8_t *dir = p->segment->pos_dir.data + p->term.posdir_offset;
        WS_TRY(ws_segment_file_touch(&p->segment->file, dir, (size_t)p->n_blocks * 5));
        offset = ws_load_u32le(dir + (size_t)p->block * 4);
        skip = dir[(size_t)p->n_blocks * 4 + p->block];
    }
    if (offset > p->term.pos_length)
        return WS_ERR_CORRUPT;
    p->values_next = positions_end(p) - p->term.pos_length + offset;
    p->values_n = p->values_index = 0;
    p->positions_index = 0;
    WS_TRY(ws_segment_file_touch(&p->segment->file, p->values_next, p->term.pos_length - offset));
    return skip_values(p, skip);
}

static ws_status take_values(ws_postings *p, uint32_t tf, uint32_t *out)
{
    uint64_t position = 0;
    for (uint32_t done = 0; done < tf;) {
        if (p->values_index == p->values_n)
            WS_TRY(load_values(p));
        uint32_t n = WS_MIN(tf - done, p->values_n - p->values_index);
        for (uint32_t i = 0; i < n; i++) {
            position += p->values[p->values_index + i];
            out[done + i] = (uint32_t)position;
        }
        done += n;
        p->values_index += n;
    }
    return position > UINT32_MAX ? WS_ERR_CORRUPT : WS_OK;
}

ws_status ws_postings_positions(ws_postings *p, uint32_t index, uint32_t *out)
{
    if (!p->term.positions || !p->has_tfs || index >= p->n)
        return WS_ERR_STATE;
    if (p->term.cf == 1) {
        out[0] = p->term.position;
        return WS_OK;
    }
    if (p->positions_index > index) /* also when not begun */
        WS_TRY(begin_block(p));
    uint64_t skip = 0;
    for (; p->positions_index < index; p->positions_index++)
        skip += p->tfs[p->positions_index];
    WS_TRY(skip_values(p, skip));
    WS_TRY(take_values(p, p->tfs[index], out));
    p->positions_index = index + 1;
    return WS_OK;
}
