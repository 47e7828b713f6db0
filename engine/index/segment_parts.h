/* The parts of a segment that are one value a document: lengths, identity, stored text, columns.
 * Flush and merge both fill them document by document and write them after the postings. [1].
 */
#ifndef WS_INDEX_SEGMENT_PARTS_H
#define WS_INDEX_SEGMENT_PARTS_H

#include "base/buf.h"
#include "engine/index/column.h"
#include "engine/index/id_map.h"
#include "engine/index/postings_writer.h"
#include "engine/index/schema.h"
#include "engine/index/stored.h"

typedef struct {
    const ws_schema *schema;
    uint32_t n_docs;
    uint64_t min_doc_key, max_doc_key;
    uint64_t n_long_terms;
    ws_buf norms[WS_MAX_FIELDS][WS_SCHEMA_STREAMS]; /* text fields; one byte a document */
    /* n_docs by the norms; sum_length and n_terms by the postings */
    ws_stream_meta streams[WS_MAX_FIELDS][WS_SCHEMA_STREAMS];
    ws_id_writer *ids;
    ws_stored_writer *stored; /* NULL when the schema stores nothing */
    ws_column_writer *columns[WS_MAX_FIELDS];
} ws_segment_parts;

/* `schema` is borrowed. Spools spill to `dir` beyond spool_limit bytes (NULL = memory). */
ws_status ws_segment_parts_init(ws_segment_parts *parts, const ws_schema *schema,
                                ws_stored_dictionary *dictionary, const char *dir,
                                size_t spool_limit);
void ws_segment_parts_fini(ws_segment_parts *parts);

/* Appends the length code of the next document; every stream of every text field gets one per
 * document. */
ws_status ws_segment_parts_norm(ws_segment_parts *parts, uint32_t field, uint32_t stream,
                                uint8_t norm);

/* Identity of the next document; call it last: it counts the document. */
ws_status ws_segment_parts_id(ws_segment_parts *parts, ws_str id, uint64_t doc_key);

/* Heap bytes held. O(fields). */
size_t ws_segment_parts_memory(const ws_segment_parts *parts);

/* Counts the postings of a term for META: call once per term written. */
void ws_segment_parts_term(ws_segment_parts *parts, uint32_t field, uint32_t stream, uint64_t cf);

/* Writes every section but the postings, META included. */
ws_status ws_segment_parts_finish(ws_segment_parts *parts, const ws_postings_totals *totals,
                                  ws_segment_out *out);

#endif
