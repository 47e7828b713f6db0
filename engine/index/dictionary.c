#include "engine/index/dictionary.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/str.h"
#include "engine/index/format.h"

#define HEAD_BYTES 16u

size_t ws_term_key(uint32_t field, uint32_t stream, ws_str term, uint8_t *key, int *was_long)
{
    key[0] = (uint8_t)field;
    key[1] = (uint8_t)stream;
    if (was_long)
        *was_long = term.len > WS_TERM_MAX;
    if (term.len <= WS_TERM_MAX) {
        if (term.len)
            memcpy(key + 2, term.ptr, term.len);
        return 2 + term.len;
    }
    ws_hash128 hash = ws_hash128_of(term.ptr, term.len);
    memcpy(key + 2, term.ptr, WS_TERM_KEPT);
    ws_store_u64le(key + 2 + WS_TERM_KEPT, hash.lo);
    ws_store_u64le(key + 2 + WS_TERM_KEPT + 8, hash.hi);
    return WS_TERM_KEY_MAX;
}

/* --- layout of TERM_BLOCKS --- */

static uint32_t n_blocks(const ws_segment *s)
{
    return s->term_blocks.size ? ws_load_u32le(s->term_blocks.data + 8) : 0;
}

static uint64_t n_terms(const ws_segment *s)
{
    return s->term_blocks.size ? ws_load_u64le(s->term_blocks.data) : 0;
}

static uint32_t terms_in_block(const ws_segment *s, uint32_t block)
{
    uint64_t before = (uint64_t)block * WS_TERMS_PER_BLOCK, left = n_terms(s) - before;
    return (uint32_t)WS_MIN(left, (uint64_t)WS_TERMS_PER_BLOCK);
}

/* Bytes of a block, verified. block < n_blocks; offsets were validated at open. */
static ws_status block_bytes(ws_segment *s, uint32_t block, const uint8_t **from,
                             const uint8_t **to)
{
    const uint8_t *offsets = s->term_blocks.data + HEAD_BYTES + (size_t)block * 4;
    const uint8_t *data = s->term_blocks.data + HEAD_BYTES + ((size_t)n_blocks(s) + 1) * 4;
    WS_TRY(ws_segment_file_touch(&s->file, offsets, 8));
    *from = data + ws_load_u32le(offsets);
    *to = data + ws_load_u32le(offsets + 4);
    return ws_segment_file_touch(&s->file, *from, (size_t)(*to - *from));
}

/* --- parsing a block --- */

static ws_status start_block(ws_term_iterator *it, uint32_t block)
{
    uint64_t *bases[] = {&it->next_doc, &it->next_tf, &it->next_pos, &it->next_dir,
                         &it->next_posdir};
    WS_TRY(block_bytes(it->segment, block, &it->cursor, &it->end));
    for (size_t i = 0; i < WS_ARRAY_LEN(bases); i++)
        if (!(it->cursor = ws_varint_get(it->cursor, it->end, bases[i])))
            return WS_ERR_CORRUPT;
    it->block = block;
    it->next_in_block = 0;
    it->n_in_block = terms_in_block(it->segment, block);
    it->key_length = 0;
    return WS_OK;
}

static int take(ws_term_iterator *it, uint64_t *value, uint64_t most)
{
    const uint8_t *next = ws_varint_get(it->cursor, it->end, value);
    if (!next || *value > most)
        return 0;
    it->cursor = next;
    return 1;
}

static ws_status parse_key(ws_term_iterator *it)
{
    uint64_t shared, rest;
    if (!take(it, &shared, it->key_length) || !take(it, &rest, WS_TERM_KEY_MAX - shared) ||
        rest > (uint64_t)(it->end - it->cursor) || shared + rest < 2)
        return WS_ERR_CORRUPT;
    memcpy(it->key + shared, it->cursor, rest);
    it->cursor += rest;
    it->key_length = shared + rest;
    return WS_OK;
}

static int keeps_positions(const ws_segment *s, uint32_t field, uint32_t stream)
{
    const ws_stream_meta *meta = ws_segment_stream(s, field, stream);
    return meta ? meta->flags & 1 : -1;
}

static ws_status parse_single(ws_term_iterator *it, ws_term_info *info)
{
    uint64_t doc, more, position = 0;
    if (!take(it, &doc, it->segment->meta.n_docs - 1u) || !take(it, &more, UINT32_MAX - 1u) ||
        (info->positions && !take(it, &position, UINT32_MAX)))
        return WS_ERR_CORRUPT;
    info->doc = (uint32_t)doc;
    info->cf = more + 1;
    if (info->cf == 1)
        info->position = (uint32_t)position;
    else
        info->pos_length = position;
    return WS_OK;
}

static ws_status parse_many(ws_term_iterator *it, ws_term_info *info)
{
    uint64_t more;
    if (!take(it, &more, UINT64_MAX - info->df) ||
        !take(it, &info->doc_length, it->segment->doc_ids.size))
        return WS_ERR_CORRUPT;
    info->cf = info->df + more;
    if (more && !take(it, &info->tf_length, it->segment->tf.size))
        return WS_ERR_CORRUPT;
    if (info->positions && !take(it, &info->pos_length, it->segment->pos.size))
        return WS_ERR_CORRUPT;
    return WS_OK;
}

/* Bytes of a postings section that may hold data: the padding behind is for wide loads. */
static uint64_t usable(ws_section section)
{
    return section.size - WS_SECTION_PADDING;
}

/* Places the term and moves the running offsets past it; every range lies in its section. */
static ws_status place(ws_term_iterator *it, ws_term_info *info)
{
    const ws_segment *s = it->segment;
    uint64_t blocks =
        info->df > WS_POSTING_BLOCK ? (info->df + WS_POSTING_BLOCK - 1) / WS_POSTING_BLOCK : 0;
    uint64_t dir = blocks * 12, posdir = info->positions ? blocks * 4 + (blocks + 3) / 4 * 4 : 0;
    info->doc_offset = it->next_doc;
    info->tf_offset = it->next_tf;
    info->pos_offset = it->next_pos;
    info->dir_offset = it->next_dir;
    info->posdir_offset = it->next_posdir;
    if (!ws_range_ok(info->doc_offset, info->doc_length, usable(s->doc_ids)) ||
        !ws_range_ok(info->tf_offset, info->tf_length, usable(s->tf)) ||
        !ws_range_ok(info->pos_offset, info->pos_length, usable(s->pos)) ||
        !ws_range_ok(info->dir_offset, dir, s->block_dir.size) ||
        !ws_range_ok(info->posdir_offset, posdir, s->pos_dir.size))
        return WS_ERR_CORRUPT;
    it->next_doc += info->doc_length;
    it->next_tf += info->tf_length;
    it->next_pos += info->pos_length;
    it->next_dir += dir;
    it->next_posdir += posdir;
    return WS_OK;
}

static ws_status parse_info(ws_term_iterator *it)
{
    uint64_t df;
    ws_term_info *info = &it->info;
    memset(info, 0, sizeof *info);
    int positions = keeps_positions(it->segment, it->key[0], it->key[1]);
    if (positions < 0 || !take(it, &df, it->segment->meta.n_docs) || df == 0)
        return WS_ERR_CORRUPT;
    info->df = (uint32_t)df;
    info->positions = (uint8_t)positions;
    if (df == 1)
        WS_TRY(parse_single(it, info));
    else
        WS_TRY(parse_many(it, info));
    return place(it, info);
}

static ws_status parse_term(ws_term_iterator *it)
{
    WS_TRY(parse_key(it));
    WS_TRY(parse_info(it));
    it->next_in_block++;
    return WS_OK;
}

static ws_str current_key(const ws_term_iterator *it)
{
    return ws_str_make((const char *)it->key, it->key_length);
}

/* --- lookup --- */

static ws_status find_in_block(ws_segment *s, uint32_t block, ws_str key, ws_term_info *info)
{
    ws_term_iterator it = {.segment = s};
    WS_TRY(start_block(&it, block));
    while (it.next_in_block < it.n_in_block) {
        WS_TRY(parse_term(&it));
        if (ws_str_eq(current_key(&it), key)) {
            *info = it.info;
            return WS_OK;
        }
    }
    return WS_ERR_NOT_FOUND;
}

ws_status ws_dictionary_find(ws_segment *s, ws_str key, ws_term_info *info)
{
    uint32_t blocks = n_blocks(s);
    if (blocks == 0)
        return WS_ERR_NOT_FOUND;
    const uint8_t *slots = s->term_hash.data + HEAD_BYTES;
    uint64_t n_slots = ws_load_u64le(s->term_hash.data), hash = ws_hash64(key.ptr, key.len);
    unsigned bits = ws_load_u32le(s->term_hash.data + 8);
    uint32_t fingerprint = (uint32_t)(hash & ((1ull << (32 - bits)) - 1));
    uint64_t at = (hash >> 32) * n_slots >> 32;
    for (uint64_t probes = 0; probes < n_slots; probes++) {
        WS_TRY(ws_segment_file_touch(&s->file, slots + at * 4, 4));
        uint32_t slot = ws_load_u32le(slots + at * 4);
        if (slot == 0)
            return WS_ERR_NOT_FOUND;
        if ((uint32_t)((uint64_t)slot >> bits) == fingerprint) {
            uint32_t block = (uint32_t)(slot & ((1ull << bits) - 1)) - 1;
            if (block >= blocks)
                return WS_ERR_CORRUPT;
            ws_status status = find_in_block(s, block, key, info);
            if (status != WS_ERR_NOT_FOUND)
                return status;
        }
        at = at + 1 == n_slots ? 0 : at + 1;
    }
    return WS_ERR_NOT_FOUND;
}

/* --- iteration --- */

static ws_status first_key(ws_segment *s, uint32_t block, ws_term_iterator *it)
{
    it->segment = s;
    WS_TRY(start_block(it, block));
    return parse_key(it);
}

/* Last block whose first key is <= `from`; 0 when there is none. */
static ws_status find_start(ws_segment *s, ws_str from, uint32_t *block)
{
    ws_term_iterator it;
    uint32_t low = 0, high = n_blocks(s);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        WS_TRY(first_key(s, middle, &it));
        if (ws_str_cmp(current_key(&it), from) <= 0)
            low = middle;
        else
            high = middle;
    }
    *block = low;
    return WS_OK;
}

ws_status ws_term_iterator_init(ws_term_iterator *it, ws_segment *segment, ws_str from)
{
    uint32_t block = 0;
    memset(it, 0, sizeof *it);
    it->segment = segment;
    if (n_blocks(segment) == 0)
        return WS_OK;
    if (from.len)
        WS_TRY(find_start(segment, from, &block));
    WS_TRY(start_block(it, block));
    while (from.len) {
        ws_term_iterator before = *it;
        ws_status status = ws_term_iterator_next(it);
        if (status == WS_ERR_NOT_FOUND)
            return WS_OK;
        WS_TRY(status);
        if (ws_str_cmp(current_key(it), from) >= 0) {
            *it = before;
            break;
        }
    }
    return WS_OK;
}

ws_status ws_term_iterator_next(ws_term_iterator *it)
{
    if (it->next_in_block == it->n_in_block) {
        if (it->n_in_block == 0 || it->block + 1 >= n_blocks(it->segment))
            return WS_ERR_NOT_FOUND;
        WS_TRY(start_block(it, it->block + 1));
    }
    return parse_term(it);
}

/* --- validation at open --- */

static ws_status bad(const ws_segment *s, ws_error *error, const char *what)
{
    return ws_error_at(error, WS_ERR_CORRUPT, s->file.path, 0, "%s", what);
}

static ws_status validate_blocks(const ws_segment *s, ws_error *error)
{
    uint64_t blocks, size = s->term_blocks.size;
    if (size < HEAD_BYTES)
        return bad(s, error, "TERM_BLOCKS is too short");
    blocks = n_blocks(s);
    if (n_terms(s) != s->meta.n_terms ||
        blocks != (n_terms(s) + WS_TERMS_PER_BLOCK - 1) / WS_TERMS_PER_BLOCK ||
        !ws_range_ok(HEAD_BYTES, (blocks + 1) * 4, size))
        return bad(s, error, "TERM_BLOCKS and META disagree");
    const uint8_t *offsets = s->term_blocks.data + HEAD_BYTES;
    uint64_t room = size - HEAD_BYTES - (blocks + 1) * 4;
    for (uint64_t b = 0; b < blocks; b++)
        if (ws_load_u32le(offsets + b * 4) > ws_load_u32le(offsets + b * 4 + 4))
            return bad(s, error, "dictionary offsets do not ascend");
    return ws_load_u32le(offsets + blocks * 4) <= room
               ? WS_OK
               : bad(s, error, "dictionary offsets leave the section");
}

ws_status ws_segment_validate_dictionary(ws_segment *s, ws_error *error)
{
    if (s->meta.n_terms == 0 && s->term_blocks.size == 0)
        return WS_OK;
    WS_TRY(validate_blocks(s, error));
    if (s->term_hash.size < HEAD_BYTES)
        return bad(s, error, "TERM_HASH is too short");
    uint64_t n_slots = ws_load_u64le(s->term_hash.data);
    unsigned bits = ws_load_u32le(s->term_hash.data + 8);
    if (bits > 31 || bits != ws_bits_u32(n_blocks(s)) ||
        n_slots > (s->term_hash.size - HEAD_BYTES) / 4 || n_slots <= s->meta.n_terms ||
        n_slots > UINT32_MAX)
        return bad(s, error, "TERM_HASH has impossible sizes");
    if (s->doc_ids.size < WS_SECTION_PADDING || s->tf.size < WS_SECTION_PADDING ||
        s->pos.size < WS_SECTION_PADDING || s->block_dir.size % 4 || s->pos_dir.size % 4)
        return bad(s, error, "a postings section has an impossible size");
    return WS_OK;
}
