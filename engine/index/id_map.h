/* External ids and DOC_KEYs of a segment (docs/format.md 3.3, 3.4). */
#ifndef WS_INDEX_ID_MAP_H
#define WS_INDEX_ID_MAP_H

#include "engine/index/segment.h"

/* Id of a document into buffer[WS_ID_MAX] (decimal encodings are printed there) or as a slice of
 * the segment. *id is valid as long as both. */
ws_status ws_segment_id(ws_segment *segment, uint32_t doc, char *buffer, ws_str *id);

/* Document of an id; the later one when two have it. WS_ERR_NOT_FOUND. [any] O(1). */
ws_status ws_segment_find_id(ws_segment *segment, ws_str id, uint32_t *doc);

/* DOC_KEY of a document (doc < n_docs). [any] O(1), no checks beyond open's. */
uint64_t ws_segment_doc_key(const ws_segment *segment, uint32_t doc);

/* Document of a DOC_KEY, by binary search when keys ascend, else by scan. WS_ERR_NOT_FOUND. */
ws_status ws_segment_find_key(ws_segment *segment, uint64_t key, uint32_t *doc);

/* Writer: ids are added in order of document, then both sections written; picks the encodings.
 * [1] */
typedef struct ws_id_writer ws_id_writer;
ws_status ws_id_writer_new(ws_id_writer **w);
void ws_id_writer_free(ws_id_writer *w);
ws_status ws_id_writer_add(ws_id_writer *w, ws_str id, uint64_t doc_key);
size_t ws_id_writer_memory(const ws_id_writer *w); /* heap bytes held, and what finish will need */
uint32_t ws_id_writer_count(const ws_id_writer *w);

/* Document already added under `id` in this writer (for replacing before flush); WS_ERR_NOT_FOUND.
 * The later one. O(1): the writer keeps the hash table as it grows. */
ws_status ws_id_writer_find(const ws_id_writer *w, ws_str id, uint32_t *doc);
uint64_t ws_id_writer_doc_key(const ws_id_writer *w, uint32_t doc);
ws_status ws_id_writer_finish(ws_id_writer *w, ws_segment_out *out);

#endif
