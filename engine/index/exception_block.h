/* Small numbers in few bits with exceptions: the blocks of term frequencies and positions
 * (docs/format.md 5.2, 5.4).
 *
 *   | b u8 | n_exceptions u8 | values mod 2^b | per exception: index u8, varint value >> b |
 *
 * Bit 7 of a position block's b marks the last, shorter one of a term.
 */
#ifndef WS_INDEX_EXCEPTION_BLOCK_H
#define WS_INDEX_EXCEPTION_BLOCK_H

#include "engine/index/bitpack.h"
#include "engine/index/format.h"
#include "wikisearch/status.h"

#define WS_EXCEPTION_BLOCK_MAX (2u + 256u * 4u + 256u * 6u) /* bytes at most */

/* Term frequencies of a posting block: tfs[n] >= 1. Returns the bytes written, 0 when all are 1. */
size_t ws_tf_block_encode(const uint32_t *tfs, uint32_t n, uint8_t *out);

/* Decodes exactly `length` bytes; length 0 = all 1. WS_ERR_CORRUPT. */
ws_status ws_tf_block_decode(const uint8_t *in, uint64_t length, uint32_t n, uint32_t *tfs);

/* A position block of n <= 128 values. Returns the bytes written. */
size_t ws_pos_block_encode(const uint32_t *values, uint32_t n, uint8_t *out);

/* Decodes the block that begins at `in` and ends at or before `end`: *n values, *next the byte
 * after it. short_n = what the term's last block holds when it is shorter (cf mod 128). values[]
 * has room for 128. WS_ERR_CORRUPT. */
ws_status ws_pos_block_decode(const ws_bitpack *bitpack, const uint8_t *in, const uint8_t *end,
                              uint32_t short_n, uint32_t *values, uint32_t *n,
                              const uint8_t **next);

/* The same without decoding. */
ws_status ws_pos_block_skip(const uint8_t *in, const uint8_t *end, uint32_t short_n, uint32_t *n,
                            const uint8_t **next);

#endif
