/* One JSON object to the values of one document, by the schema.
 *
 *   id       string or integer at the schema's id key; an empty id key: the line number
 *   text     string
 *   keyword  string, or an integer or boolean as written; with "multi" also an array of these
 *   int      integer within int64
 *   stored   string, number or boolean, or an array of these
 *   null     as if the key were absent
 *
 * Keys that the schema does not name are ignored and counted. Invalid UTF-8 becomes U+FFFD and is
 * counted. Anything else is a reason to leave the document out: the status and the message say
 * which. */
#ifndef WS_INDEXER_JSONL_H
#define WS_INDEXER_JSONL_H

#include "indexer/ingest.h"

typedef struct ws_jsonl ws_jsonl;

/* `schema` is borrowed until free. [1] per parser. */
ws_status ws_jsonl_new(ws_jsonl **out, const ws_schema *schema);
void ws_jsonl_free(ws_jsonl *parser);

/* Parses one object.
 *   text         one JSON object; not kept
 *   line_number  the id when the schema has no id key
 *   document     filled; its slices stay valid until the next parse or free
 * Errors: WS_ERR_SYNTAX (offset into text), WS_ERR_SCHEMA, WS_ERR_RANGE, WS_ERR_LIMIT: this
 * document is bad. WS_ERR_NOMEM. Memory: about four times the text. */
ws_status ws_jsonl_parse(ws_jsonl *parser, ws_str text, uint64_t line_number,
                         ws_ingest_document *document, ws_error *error);

/* Gives up the memory of the last document. */
void ws_jsonl_reset(ws_jsonl *parser);

typedef struct {
    uint64_t ignored_keys;  /* keys that the schema does not name */
    uint64_t replaced_utf8; /* bytes of invalid UTF-8 that became U+FFFD */
} ws_jsonl_counts;
void ws_jsonl_get_counts(const ws_jsonl *parser, ws_jsonl_counts *counts);

#endif
