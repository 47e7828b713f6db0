/* What an index holds: fields, their types and how they are analysed and weighted.
 *
 * Schema JSON (all keys but "fields" optional; unknown keys are errors that name the nearest one):
 *
 *   {"id": "id",                                  key of the external id in a JSON document; "" =
 *   the line number
 *    "bm25": {"k1": 0.9, "b": 0.4},
 *    "streams": {"word": 1.0, "bigram": 0.5, "surface": 0.0},
 *    "fields": [{"name": "title", "type": "text", "boost": 0.75},
 *               {"name": "body", "from": "text", "type": "text"},
 *               {"name": "lang", "type": "keyword"},
 *               {"name": "categories", "type": "keyword", "multi": true},
 *               {"name": "views", "type": "int"}]}
 *
 * Field keys: name (1 to 64 bytes of [A-Za-z0-9_]), from (key in the JSON document; default =
 * name), type (text, keyword, int, stored), analyzer (text only: standard, whitespace, keyword;
 * default standard), boost (text only, 0 to 100, default 1), stored (default true), positions (text
 * only, default true), multi (keyword only). At most 32 fields, at most 8 of type text. The default
 * schema (ws_schema_new_json with an empty text) is the one above without views and with "source"
 * stored.
 */
#ifndef WIKISEARCH_SCHEMA_H
#define WIKISEARCH_SCHEMA_H

#include "wikisearch/status.h"

WS_BEGIN_DECLS

typedef struct ws_schema ws_schema;

/* Parses a schema.
 *   out   new schema; free with ws_schema_free
 *   json  text as above; empty = the default schema
 * Errors: WS_ERR_SYNTAX (offset says where), WS_ERR_SCHEMA, WS_ERR_NOMEM. [any] */
WS_API ws_status ws_schema_new_json(ws_schema **out, ws_str json, ws_error *error);

/* Frees; NULL does nothing. An index copies its schema, so this may follow ws_index_open at
 * once. */
WS_API void ws_schema_free(ws_schema *schema);

WS_END_DECLS

#endif
