/* The schema as JSON text: what ws_schema_new_json reads and ws_index_describe writes. */
#ifndef WS_API_SCHEMA_JSON_H
#define WS_API_SCHEMA_JSON_H

#include "base/json.h"
#include "engine/index/schema.h"

/* Writes the schema so that reading it gives an equal one. */
void ws_schema_write_json(const ws_schema *schema, ws_json *json);

const char *ws_field_type_name(uint32_t type); /* "text", ... ; "?" for an unknown one */
const char *ws_stream_name(uint32_t stream);   /* "word", "bigram", "surface"; "?" */

#endif
