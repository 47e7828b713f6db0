/* Encodings of ID_MAP and DOC_KEY, for their reader and writer. */
#ifndef WS_INDEX_ID_MAP_INT_H
#define WS_INDEX_ID_MAP_INT_H

#include "wikisearch/status.h"

#define WS_ID_BYTES   0u
#define WS_ID_DECIMAL 1u
#define WS_KEY_LINEAR 0u
#define WS_KEY_WIDTH  1u

/* The number that an id prints, when it is its canonical form and below 2^63. */
int ws_id_decimal(ws_str id, uint64_t *value);

#endif
