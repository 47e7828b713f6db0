/* Filters: conditions on columns, as text and as bits.
 *
 *   filter    = condition { "AND" condition }
 *   condition = name ( "=" | "!=" ) '"' value '"'                     keyword; \" and \\ inside the
 *   quotes
 *             | name ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) integer   int
 *
 * White space is free; AND may be written in small letters. A keyword field with several values is
 * equal to a text when one of them is. != accepts exactly what = does not, documents without a
 * value included.
 */
#ifndef WS_QUERY_FILTER_H
#define WS_QUERY_FILTER_H

#include "base/arena.h"
#include "engine/index/segment.h"
#include "engine/query/query_int.h"

#define WS_FILTER_MAX 64u /* conditions */

/* Parses a filter; empty or white space gives none.
 *   predicates, n  out: allocated in `arena`, values included
 * Errors: WS_ERR_SYNTAX, WS_ERR_SCHEMA (no such field, or of another type), both with the byte
 * offset into `text`; WS_ERR_NOMEM. [1] per arena. Linear. */
ws_status ws_filter_parse(const ws_schema *schema, ws_str text, ws_arena *arena,
                          ws_query_predicate **predicates, uint32_t *n, ws_error *error);

/* Sets the bit of each document of a segment that meets every predicate, clears the others.
 *   predicates  [n]; n = 0 accepts all
 *   bits, room  u64[ceil(n_docs / 64)] each; `room` is scratch. Unused bits of the last word come
 *   out 0
 * Errors: WS_ERR_CORRUPT. [any]. O(n * documents), no allocation. */
ws_status ws_filter_match(ws_segment *segment, const ws_query_predicate *predicates, uint32_t n,
                          uint64_t *bits, uint64_t *room);

#endif
