/* The schema as the engine uses it: parsed from JSON by engine/api, kept in MANIFEST in binary. */
#ifndef WS_INDEX_SCHEMA_H
#define WS_INDEX_SCHEMA_H

#include "base/buf.h"
#include "engine/index/format.h"
#include "wikisearch/schema.h"

#define WS_FIELD_TEXT    1u
#define WS_FIELD_KEYWORD 2u
#define WS_FIELD_INT     3u
#define WS_FIELD_STORED  4u /* only stored */

#define WS_FIELD_IS_STORED 1u
#define WS_FIELD_POSITIONS 2u
#define WS_FIELD_MULTI     4u

#define WS_SCHEMA_STREAMS 3u /* word, bigram, surface: engine/text/analyzer.h */

typedef struct {
    char name[65], from[65]; /* NUL-terminated */
    uint8_t type;            /* WS_FIELD_* */
    uint8_t analyzer;        /* WS_ANALYZER_* (text) */
    uint8_t flags;           /* WS_FIELD_IS_STORED ... */
    uint32_t boost;          /* 1/65,536 */
} ws_field;

struct ws_schema {
    uint32_t n_fields;
    ws_field fields[WS_MAX_FIELDS];
    char id_key[65];                     /* "" = line number */
    uint32_t k1, b;                      /* units of 2^-24 */
    uint32_t weights[WS_SCHEMA_STREAMS]; /* 1/65,536 */
};

void ws_schema_init_default(ws_schema *schema); /* the default schema of the public header */

/* Binary form, docs/format.md section 9. decode validates everything: WS_ERR_CORRUPT. */
void ws_schema_encode(const ws_schema *schema, ws_buf *out);
ws_status ws_schema_decode(ws_schema *schema, ws_str bytes);

int ws_schema_equal(const ws_schema *a, const ws_schema *b);

/* Ordinal of a field by name, -1 when there is none. */
int ws_schema_find(const ws_schema *schema, ws_str name);

/* Bigram streams never have positions; others follow the field's flag. */
int ws_schema_has_positions(const ws_schema *schema, uint32_t field, uint32_t stream);

/* Whether any field is stored. */
int ws_schema_stores_any(const ws_schema *schema);

/* The text field whose snippet is shown: the last one; the title: the first one. -1 when there is
 * no text field. */
int ws_schema_body_field(const ws_schema *schema);
int ws_schema_title_field(const ws_schema *schema);

#endif
