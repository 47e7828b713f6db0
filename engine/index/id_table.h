/* The identity of a segment alone, copied out of its file: what a writer keeps open for every
 * committed segment, so that it can find and replace documents without mapping whole segments.
 * Counted against the writer's memory ceiling.
 */
#ifndef WS_INDEX_ID_TABLE_H
#define WS_INDEX_ID_TABLE_H

#include "engine/index/segment.h"

/* Opens and validates PATH, copies META, ID_MAP and DOC_KEY, closes it. *out serves ws_segment_id,
 * ws_segment_find_id, ws_segment_doc_key and meta, nothing else; free with ws_id_table_free. */
ws_status ws_id_table_open(ws_segment **out, const char *path, ws_error *error);
void ws_id_table_free(ws_segment *table);
size_t ws_id_table_memory(const ws_segment *table);

#endif
