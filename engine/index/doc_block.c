#include "engine/index/doc_block.h"

#include "base/bytes.h"
#include "base/error.h"

#define BIT_SET      0x80u
#define BIT_SET_HEAD 3u  /* the mark and n_bytes */
#define SURE_WIDTH   22u /* 256 gaps of this width cannot wrap */

static unsigned gap_width(const uint32_t *docs, uint32_t n, uint32_t base)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < n; i++) {
        all |= docs[i] - base - 1;
        base = docs[i];
    }
    return ws_bits_u32(all);
}

static size_t packed_size(uint32_t n, unsigned bits)
{
    return n == WS_POSTING_BLOCK ? 32u * (size_t)bits : ws_packed_bytes(n, bits);
}

static size_t encode_gaps(const uint32_t *docs, uint32_t n, uint32_t base, unsigned bits,
                          uint8_t *out)
{
    uint32_t gaps[WS_POSTING_BLOCK];
    for (uint32_t i = 0; i < n; i++) {
        gaps[i] = docs[i] - base - 1;
        base = docs[i];
    }
    out[0] = (uint8_t)bits;
    if (n == WS_POSTING_BLOCK)
        ws_pack256(gaps, bits, out + 1);
    else
        ws_pack_horizontal(gaps, n, bits, out + 1);
    return 1 + packed_size(n, bits);
}

static size_t encode_bits(const uint32_t *docs, uint32_t n, uint32_t base, size_t n_bytes,
                          uint8_t *out)
{
    out[0] = BIT_SET;
    ws_store_u16le(out + 1, (uint16_t)n_bytes);
    memset(out + BIT_SET_HEAD, 0, n_bytes);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = docs[i] - base - 1;
        out[BIT_SET_HEAD + bit / 8] |= (uint8_t)(1u << (bit % 8));
    }
    return BIT_SET_HEAD + n_bytes;
}

size_t ws_doc_block_encode(const uint32_t *docs, uint32_t n, uint32_t base, uint8_t *out)
{
    unsigned bits = gap_width(docs, n, base);
    size_t set_bytes = ((size_t)(docs[n - 1] - base) + 7) / 8;
    if (BIT_SET_HEAD + set_bytes <= 1 + packed_size(n, bits))
        return encode_bits(docs, n, base, set_bytes, out);
    return encode_gaps(docs, n, base, bits, out);
}

static int ascends(const uint32_t *docs, uint32_t n, uint32_t base)
{
    for (uint32_t i = 0; i < n; i++) {
        if ((i || base != WS_BEFORE_FIRST) && docs[i] <= base)
            return 0; /* a document of UINT32_MAX is no WS_BEFORE_FIRST */
        base = docs[i];
    }
    return 1;
}

static ws_status decode_gaps(const ws_bitpack *bitpack, const uint8_t *in, uint64_t length,
                             uint32_t n, uint32_t base, uint32_t *docs)
{
    unsigned bits = in[0];
    if (bits > 32 || length != 1 + packed_size(n, bits))
        return WS_ERR_CORRUPT;
    if (n == WS_POSTING_BLOCK) {
        bitpack->unpack256_delta(in + 1, bits, base, docs);
    } else {
        uint32_t at = base;
        ws_unpack_horizontal(in + 1, n, bits, docs);
        for (uint32_t i = 0; i < n; i++)
            docs[i] = at += docs[i] + 1;
    }
    return bits <= SURE_WIDTH || ascends(docs, n, base) ? WS_OK : WS_ERR_CORRUPT;
}

static uint64_t load_tail(const uint8_t *p, size_t n)
{
    uint64_t word = 0;
    memcpy(&word, p, n < 8 ? n : 8);
    return WS_SWAP64(word);
}

static ws_status decode_bits(const uint8_t *in, uint64_t length, uint32_t n, uint32_t base,
                             uint32_t *docs)
{
    if (length < BIT_SET_HEAD + 1)
        return WS_ERR_CORRUPT;
    size_t n_bytes = ws_load_u16le(in + 1);
    const uint8_t *bits = in + BIT_SET_HEAD;
    if (length != BIT_SET_HEAD + n_bytes || n_bytes == 0 || bits[n_bytes - 1] == 0)
        return WS_ERR_CORRUPT;
    uint32_t found = 0;
    for (size_t at = 0; at < n_bytes; at += 8) {
        uint64_t word = load_tail(bits + at, n_bytes - at);
        if (found + (uint32_t)__builtin_popcountll(word) > n)
            return WS_ERR_CORRUPT;
        for (; word; word &= word - 1)
            docs[found++] = base + 1 + (uint32_t)(at * 8) + (uint32_t)__builtin_ctzll(word);
    }
    return found == n ? WS_OK : WS_ERR_CORRUPT;
}

ws_status ws_doc_block_decode(const ws_bitpack *bitpack, const uint8_t *in, uint64_t length,
                              uint32_t n, uint32_t base, uint32_t last, uint32_t limit,
                              uint32_t docs[WS_POSTING_BLOCK])
{
    if (length < 1 || n == 0 || n > WS_POSTING_BLOCK)
        return WS_ERR_CORRUPT;
    if (in[0] == BIT_SET)
        WS_TRY(decode_bits(in, length, n, base, docs));
    else
        WS_TRY(decode_gaps(bitpack, in, length, n, base, docs));
    if (docs[n - 1] >= limit || (last != WS_BEFORE_FIRST && docs[n - 1] != last))
        return WS_ERR_CORRUPT;
    return WS_OK;
}
