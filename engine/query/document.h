/* Stored documents as JSON. Field names come from the schema; fields with several values are
 * arrays, int fields numbers. */
#ifndef WS_QUERY_DOCUMENT_H
#define WS_QUERY_DOCUMENT_H

#include "base/json.h"
#include "engine/index/snapshot.h"
#include "engine/index/stored.h"

/* Appends {"id", every stored field} of a document. The record is read with `reader`.
 * WS_ERR_CORRUPT, WS_ERR_NOMEM. [1] per reader. */
ws_status ws_document_write(ws_json *j, ws_stored_reader *reader, const ws_schema *schema,
                            ws_segment *segment, uint32_t doc);

/* The same with the body cut to its first `code_points`, as "snippet". */
ws_status ws_document_write_brief(ws_json *j, ws_stored_reader *reader, const ws_schema *schema,
                                  ws_segment *segment, uint32_t doc, uint32_t code_points);

#endif
