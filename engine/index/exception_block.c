#include "engine/index/exception_block.h"

#include "base/bytes.h"
#include "base/error.h"

#define HEAD           2u
#define SHORT_BLOCK    0x80u
#define MAX_EXCEPTIONS 255u

/* wider[b]: how many values have more than b bits. Returns the bits of the widest. */
static unsigned count_wider(const uint32_t *values, uint32_t n, uint32_t wider[33])
{
    uint32_t counts[34] = {0}, sum = 0;
    unsigned widest = 0;
    for (uint32_t i = 0; i < n; i++)
        counts[ws_bits_u32(values[i])]++;
    for (unsigned b = 33; b-- > 0;) {
        wider[b] = sum;
        sum += counts[b];
        widest = WS_MAX(widest, counts[b] ? b : 0);
    }
    return widest;
}

/* Bytes of the exceptions when `bits` are kept. One of width w costs its index and ceil((w - bits)
 * / 7) bytes: it is counted once for each k with w > bits + 7k. */
static size_t exception_bytes(const uint32_t wider[33], unsigned widest, unsigned bits)
{
    size_t bytes = wider[bits];
    for (unsigned b = bits; b < widest; b += 7)
        bytes += wider[b];
    return bytes;
}

static unsigned best_width(const uint32_t wider[33], unsigned widest, uint32_t n,
                           const uint8_t *widths, unsigned n_widths)
{
    size_t best_bytes = SIZE_MAX;
    unsigned best = 32;
    /* Beyond the first width that holds every value bytes only grow. */
    for (unsigned i = 0; i < n_widths && (i == 0 || widths[i - 1] < widest); i++) {
        size_t bytes = exception_bytes(wider, widest, widths[i]) + ws_packed_bytes(n, widths[i]);
        if (wider[widths[i]] <= MAX_EXCEPTIONS && bytes < best_bytes) {
            best_bytes = bytes;
            best = widths[i];
        }
    }
    return best;
}

static uint8_t *put_exceptions(const uint32_t *values, uint32_t n, unsigned bits,
                               uint8_t *n_exceptions, uint8_t *out)
{
    *n_exceptions = 0;
    for (uint32_t i = 0; i < n && bits < 32; i++)
        if (values[i] >> bits) {
            *out++ = (uint8_t)i;
            out += ws_varint_put(out, values[i] >> bits);
            ++*n_exceptions;
        }
    return out;
}

/* Adds the exceptions' high parts; returns the byte after them, NULL when they are not as written.
 */
static const uint8_t *get_exceptions(const uint8_t *in, const uint8_t *end, uint32_t n_exceptions,
                                     uint32_t n, unsigned bits, uint32_t *values)
{
    uint32_t previous = 0;
    for (uint32_t i = 0; i < n_exceptions; i++) {
        uint64_t high;
        if (in >= end)
            return NULL;
        uint32_t index = *in++;
        in = ws_varint_get(in, end, &high);
        if (!in || index >= n || (i && index <= previous) || high == 0 || bits >= 32 ||
            high >> (32 - bits))
            return NULL;
        if (values)
            values[index] |= (uint32_t)high << bits;
        previous = index;
    }
    return in;
}

static void low_bits(const uint32_t *values, uint32_t n, unsigned bits, uint32_t *low)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (uint32_t i = 0; i < n; i++)
        low[i] = values[i] & mask;
}

/* --- term frequencies --- */

size_t ws_tf_block_encode(const uint32_t *tfs, uint32_t n, uint8_t *out)
{
    static const uint8_t widths[] = {0, 1, 2, 4, 8};
    uint32_t values[WS_POSTING_BLOCK] = {0}, low[WS_POSTING_BLOCK], wider[33];
    for (uint32_t i = 0; i < n; i++)
        values[i] = tfs[i] - 1;
    unsigned widest = count_wider(values, n, wider);
    if (widest == 0)
        return 0;
    unsigned bits = best_width(wider, widest, n, widths, WS_ARRAY_LEN(widths));
    if (bits > 8)
        bits = 8;
    low_bits(values, n, bits, low);
    out[0] = (uint8_t)bits;
    ws_pack_horizontal(low, n, bits, out + HEAD);
    uint8_t *end = put_exceptions(values, n, bits, &out[1], out + HEAD + ws_packed_bytes(n, bits));
    return (size_t)(end - out);
}

ws_status ws_tf_block_decode(const uint8_t *in, uint64_t length, uint32_t n, uint32_t *tfs)
{
    const uint8_t *end = in + length;
    if (length == 0) {
        for (uint32_t i = 0; i < n; i++)
            tfs[i] = 1;
        return WS_OK;
    }
    unsigned bits = in[0];
    if (length < HEAD || (bits != 0 && bits != 1 && bits != 2 && bits != 4 && bits != 8) ||
        length < HEAD + ws_packed_bytes(n, bits))
        return WS_ERR_CORRUPT;
    ws_unpack_horizontal(in + HEAD, n, bits, tfs);
    if (get_exceptions(in + HEAD + ws_packed_bytes(n, bits), end, in[1], n, bits, tfs) != end)
        return WS_ERR_CORRUPT;
    for (uint32_t i = 0; i < n; i++)
        tfs[i]++;
    return WS_OK;
}

/* --- positions --- */

static const uint8_t every_width[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};

size_t ws_pos_block_encode(const uint32_t *values, uint32_t n, uint8_t *out)
{
    uint32_t low[WS_POSITION_BLOCK], wider[33];
    unsigned widest = count_wider(values, n, wider);
    unsigned bits = best_width(wider, widest, n, every_width, WS_ARRAY_LEN(every_width));
    low_bits(values, n, bits, low);
    out[0] = (uint8_t)(bits | (n < WS_POSITION_BLOCK ? SHORT_BLOCK : 0));
    if (n == WS_POSITION_BLOCK)
        ws_pack128(low, bits, out + HEAD);
    else
        ws_pack_horizontal(low, n, bits, out + HEAD);
    uint8_t *end = put_exceptions(values, n, bits, &out[1], out + HEAD + ws_packed_bytes(n, bits));
    return (size_t)(end - out);
}

/* A parsed head: `bits`, how many values, and where the exceptions begin. */
typedef struct {
    unsigned bits;
    uint32_t n;
    const uint8_t *exceptions;
} pos_block;

static ws_status parse_head(const uint8_t *in, const uint8_t *end, uint32_t short_n,
                            pos_block *block)
{
    if (end - in < (ptrdiff_t)HEAD)
        return WS_ERR_CORRUPT;
    block->bits = in[0] & ~SHORT_BLOCK;
    block->n = in[0] & SHORT_BLOCK ? short_n : WS_POSITION_BLOCK;
    if (block->bits > 32 || block->n == 0 ||
        (size_t)(end - in) < HEAD + ws_packed_bytes(block->n, block->bits))
        return WS_ERR_CORRUPT;
    block->exceptions = in + HEAD + ws_packed_bytes(block->n, block->bits);
    return WS_OK;
}

ws_status ws_pos_block_decode(const ws_bitpack *bitpack, const uint8_t *in, const uint8_t *end,
                              uint32_t short_n, uint32_t *values, uint32_t *n, const uint8_t **next)
{
    pos_block block;
    WS_TRY(parse_head(in, end, short_n, &block));
    if (block.n == WS_POSITION_BLOCK)
        bitpack->unpack128(in + HEAD, block.bits, values);
    else
        ws_unpack_horizontal(in + HEAD, block.n, block.bits, values);
    *next = get_exceptions(block.exceptions, end, in[1], block.n, block.bits, values);
    *n = block.n;
    return *next ? WS_OK : WS_ERR_CORRUPT;
}

ws_status ws_pos_block_skip(const uint8_t *in, const uint8_t *end, uint32_t short_n, uint32_t *n,
                            const uint8_t **next)
{
    pos_block block;
    WS_TRY(parse_head(in, end, short_n, &block));
    *next = get_exceptions(block.exceptions, end, in[1], block.n, block.bits, NULL);
    *n = block.n;
    return *next ? WS_OK : WS_ERR_CORRUPT;
}
