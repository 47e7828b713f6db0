/* In-memory inversion: documents in, one segment out. [1].
 *
 * Term table: open addressing into entries of 64 bytes; each term's postings are a
 * chain of byte slices in a pool:
 *
 *   with positions      varint doc gap, (varint position gap + 1)*, 0       the 0 is written when
 *   the next document begins
 *   without             varint doc gap, varint tf                           the tf is written when
 *   the next document begins
 *
 * Slices of 16, 32, ... 4,096 bytes; the last 4 bytes of one name the next. Nothing is ever moved,
 * so that the memory held is what ws_inverter_memory says.
 */
#ifndef WS_INDEX_INVERTER_H
#define WS_INDEX_INVERTER_H

#include "engine/index/segment_parts.h"

typedef struct ws_inverter ws_inverter;

typedef struct {
    const char *ptr;
    uint32_t length;
    uint32_t position;
    uint32_t stream;
} ws_inverter_token;

/* `schema` and `dir` (for spilled sections, NULL = memory) are borrowed; the dictionary is
 * referenced. */
ws_status ws_inverter_new(ws_inverter **out, const ws_schema *schema,
                          ws_stored_dictionary *dictionary, const char *dir);
void ws_inverter_free(ws_inverter *inverter);

uint32_t ws_inverter_docs(const ws_inverter *inverter);

/* Heap bytes held, including what flush will need (sort keys). */
size_t ws_inverter_memory(const ws_inverter *inverter);

/* Upper bound of what `n_tokens` more tokens of `bytes` bytes in all may add. */
size_t ws_inverter_cost(const ws_inverter *inverter, uint64_t n_tokens, uint64_t bytes);

/* Adds tokens of one text field of the document being built, positions ascending per stream. May be
 * called several times per field. */
ws_status ws_inverter_tokens(ws_inverter *inverter, uint32_t field, const ws_inverter_token *tokens,
                             uint32_t n);

/* Ends the document: lengths of each text field by stream (lengths[field][stream]), then its
 * identity. Stored values and columns are added through ws_inverter_parts before. Any failure since
 * the document's first call leaves the inverter unusable. */
ws_status ws_inverter_end(ws_inverter *inverter,
                          const uint32_t lengths[WS_MAX_FIELDS][WS_SCHEMA_STREAMS], ws_str id,
                          uint64_t doc_key);
ws_segment_parts *ws_inverter_parts(ws_inverter *inverter);

/* Writes everything into a finished segment output. The inverter is then good for freeing. */
ws_status ws_inverter_flush(ws_inverter *inverter, ws_segment_out *out);

#endif
