/* Fixed-width packing of 256 and 128 integers in lanes, and horizontal packing of any number
 * (docs/format.md 5.3).
 *
 * The scalar functions are the reference; each instruction set has a table with the same signatures
 * and bit-identical results.
 */
#ifndef WS_INDEX_BITPACK_H
#define WS_INDEX_BITPACK_H

#include <stddef.h>
#include <stdint.h>

typedef struct ws_bitpack {
    const char *name;
    /* Unpacks 256 values of `bits` (0 to 32) from 32 * bits bytes at `in` (8 lanes). */
    void (*unpack256)(const uint8_t *in, unsigned bits, uint32_t out[256]);
    /* The same, then turns gaps minus 1 into document numbers after `base` (wraps modulo 2^32). */
    void (*unpack256_delta)(const uint8_t *in, unsigned bits, uint32_t base, uint32_t out[256]);
    /* Unpacks 128 values from 16 * bits bytes (4 lanes). */
    void (*unpack128)(const uint8_t *in, unsigned bits, uint32_t out[128]);
} ws_bitpack;

/* Table for an instruction set (WS_ISA_* of base/cpu.h; AUTO = best). Never NULL. */
const ws_bitpack *ws_bitpack_for(uint32_t isa);

/* Packing is scalar only (it runs at flush). Values must fit `bits`. */
void ws_pack256(const uint32_t in[256], unsigned bits, uint8_t *out); /* 32 * bits bytes */
void ws_pack128(const uint32_t in[128], unsigned bits, uint8_t *out); /* 16 * bits bytes */

/* Horizontal: n values of `bits` (0 to 32); ceil(n * bits / 8) bytes. The reader may load up to 8
 * bytes from any byte of the packed area, never beyond `in` + that size + 7: sections are
 * padded. */
void ws_pack_horizontal(const uint32_t *in, uint32_t n, unsigned bits, uint8_t *out);
void ws_unpack_horizontal(const uint8_t *in, uint32_t n, unsigned bits, uint32_t *out);

static inline size_t ws_packed_bytes(uint32_t n, unsigned bits)
{
    return ((size_t)n * bits + 7) / 8;
}

#endif
