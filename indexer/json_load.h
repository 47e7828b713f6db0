/* Reading JSON with jansson under the rules of this project: bounded depth, no duplicate keys, an
 * error that says where.
 *
 * jansson recurses with the nesting of the text, so the depth is checked before it sees the text.
 * [any]. */
#ifndef WS_INDEXER_JSON_LOAD_H
#define WS_INDEXER_JSON_LOAD_H

#include <jansson.h>

#include "wikisearch/status.h"

#define WS_JSON_DEPTH_MAX 64u

#define WS_JSON_LOAD_NUL         1u /* \u0000 in string values is data; else it is an error */
#define WS_JSON_LOAD_INT_AS_REAL 2u /* integers come as doubles: one beyond int64 is no error */

/* Parses one JSON value that fills `text`.
 *   out    new value; json_decref it
 *   error  offset = byte of the text where the trouble was seen
 * Errors: WS_ERR_SYNTAX, WS_ERR_RANGE (a number that does not fit), WS_ERR_UTF8, WS_ERR_LIMIT
 * (deeper than WS_JSON_DEPTH_MAX), WS_ERR_NOMEM. */
ws_status ws_json_load(json_t **out, ws_str text, uint32_t flags, ws_error *error);

/* Greatest nesting of arrays and objects in `text`, which need not be valid JSON; counting stops
 * beyond WS_JSON_DEPTH_MAX. */
uint32_t ws_json_depth(ws_str text);

/* "object", "integer", ... for messages. */
const char *ws_json_type_name(const json_t *value);

#endif
