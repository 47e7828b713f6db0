/* Offsets for JavaScript: byte ranges of a UTF-8 text as ranges of UTF-16 code units. */
#ifndef WS_BASE_UTF16_H
#define WS_BASE_UTF16_H

#include "wikisearch/status.h"

/* Walks along a text; positions must be asked for in ascending order, else it starts again at 0. */
typedef struct {
    ws_str text;
    size_t byte;    /* how far it has come */
    uint32_t units; /* UTF-16 code units before `byte` */
} ws_utf16_walk;

/* Starts at byte 0. The text must stay valid while the walk is used. */
void ws_utf16_begin(ws_utf16_walk *walk, ws_str text);

/* UTF-16 code units before byte `offset` (clamped to the text; inside a sequence: before it). A
 * code point beyond U+FFFF is two, an invalid byte one, as ws_json_str turns it into U+FFFD.
 * [1] O(distance). */
uint32_t ws_utf16_units(ws_utf16_walk *walk, size_t offset);

#endif
