/* Cutting a stream into lines of bounded length; the format `lines`, one document a line. [1]. */
#ifndef WS_INDEXER_LINES_H
#define WS_INDEXER_LINES_H

#include "indexer/ingest.h"
#include "indexer/input.h"

typedef struct ws_splitter ws_splitter;

typedef struct {
    ws_str bytes;     /* without its end, \n or \r\n; valid until the next call */
    uint64_t offset;  /* of its first byte in the decompressed stream */
    uint64_t length;  /* bytes that it has in the stream, line end included */
    uint8_t too_long; /* longer than the limit: it was skipped, bytes is empty */
} ws_line;

/* `input` is borrowed; line_max = most bytes of a line. Holds line_max bytes only when a line is
 * that long. A byte order mark at offset 0 is dropped. */
ws_status ws_splitter_new(ws_splitter **out, ws_input *input, size_t line_max);
void ws_splitter_free(ws_splitter *splitter);

/* Next line. WS_ERR_NOT_FOUND at the end. The last line needs no \n, except when the stream ends in
 * an error: what is left then is not a line. Errors: as ws_input_read. */
ws_status ws_splitter_next(ws_splitter *splitter, ws_line *line, ws_error *error);

/* A line of the format `lines` as a document: the text goes to the last text field, the id is the
 * line number.
 *   value, digits  storage of the document's value and id; digits[24]
 * WS_ERR_SCHEMA when the schema has no text field. */
ws_status ws_lines_document(const ws_schema *schema, ws_str text, uint64_t line_number,
                            ws_ingest_value *value, char *digits, ws_ingest_document *document);

#endif
