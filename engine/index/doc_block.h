/* One block of document numbers: gaps in fixed width, or a bit set (docs/format.md 5.1). */
#ifndef WS_INDEX_DOC_BLOCK_H
#define WS_INDEX_DOC_BLOCK_H

#include "engine/index/bitpack.h"
#include "engine/index/format.h"
#include "wikisearch/status.h"

#define WS_DOC_BLOCK_MAX (1u + 32u * 32u) /* bytes of an encoded block at most */
#define WS_BEFORE_FIRST  UINT32_MAX       /* the base of a term's first block: -1 */

/* Encodes docs[n], strictly ascending, all after `base`; returns the bytes written to
 * out[WS_DOC_BLOCK_MAX]. */
size_t ws_doc_block_encode(const uint32_t *docs, uint32_t n, uint32_t base, uint8_t *out);

/* Decodes n documents from exactly `length` bytes (readable up to 64 beyond). Checks width, length,
 * order, docs[n - 1] < limit and, unless `last` is WS_BEFORE_FIRST, docs[n - 1] == last.
 * WS_ERR_CORRUPT. */
ws_status ws_doc_block_decode(const ws_bitpack *bitpack, const uint8_t *in, uint64_t length,
                              uint32_t n, uint32_t base, uint32_t last, uint32_t limit,
                              uint32_t docs[WS_POSTING_BLOCK]);

#endif
