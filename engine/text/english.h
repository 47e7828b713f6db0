/* Stems of English words: libstemmer behind a bounded memory of the words seen last. [1]. */
#ifndef WS_TEXT_ENGLISH_H
#define WS_TEXT_ENGLISH_H

#include "base/buf.h"
#include "wikisearch/status.h"

typedef struct ws_english ws_english;

ws_status ws_english_new(ws_english **out); /* WS_ERR_NOMEM */
void ws_english_free(ws_english *english);
size_t ws_english_memory(const ws_english *english);

/* Stem of a lower-case word; the word itself when the stemmer gives none. Valid until the next
 * call. Never empty for a non-empty word. */
ws_str ws_english_stem(ws_english *english, ws_str word);

#endif
