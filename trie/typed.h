/* What was typed, as the keys that the tiers look for.
 *
 * key       keystrokes: what was typed is a byte prefix of what is meant, at any moment
 * initials  first consonants of its syllables (ㄷ한ㅁ국 -> ㄷㅎㅁㄱ)
 * layouts   the same keys under the other keyboard: eogks -> ㄷㅐㅎㅏㄴ, ㅗㅑㄴㅅㅐ교 -> history
 */
#ifndef WS_TRIE_TYPED_H
#define WS_TRIE_TYPED_H

#include "wikisearch/status.h"

#define WS_TYPED_CODE_POINTS 64u  /* more are ignored */
#define WS_TYPED_KEY_MAX     384u /* bytes of a key: at most five a code point */

#define WS_LAYOUT_HANGUL 0u /* Latin letters read as Hangul keys */
#define WS_LAYOUT_LATIN  1u /* Hangul keys read as Latin letters */

typedef struct {
    char bytes[WS_TYPED_KEY_MAX];
    uint32_t n; /* 0 = there is none */
} ws_typed_key;

typedef struct {
    ws_str text, cased; /* cut to WS_TYPED_CODE_POINTS; the caller's bytes */
    ws_typed_key key;
    uint32_t cut; /* 1: something was ignored */

    /* by ws_typed_complete */
    ws_typed_key initials;
    ws_typed_key layouts[2];
    uint32_t n_units;    /* keys and characters in `key` */
    uint32_t is_chosung; /* consonants only, at least two */
    uint32_t is_mixed;   /* consonants among syllables, where the literal reading is not the same */
} ws_typed;

/* Makes `key`.
 *   normal  normalised text (engine/text/normalize.h); borrowed while `typed` is in use
 *   cased   the same bytes with ASCII capitals as typed (Shift is part of a Hangul key), of the
 * same length; empty = as `normal` Bytes 0 are ignored. [any] No allocation. */
void ws_typed_init(ws_typed *typed, ws_str normal, ws_str cased);

/* Makes the other readings, which most queries do not need. [any] No allocation. */
void ws_typed_complete(ws_typed *typed);

static inline ws_str ws_typed_str(const ws_typed_key *key)
{
    ws_str s = {key->bytes, key->n};
    return s;
}

#endif
