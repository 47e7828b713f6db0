/* Hangul as keystrokes of the two-set keyboard: one byte a key, so that what an input method shows
 * half-way is a byte prefix.
 *
 * 33 symbols: 19 consonants 0x80 to 0x92 (ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ), 14 vowels 0x93
 * to 0xA0 (ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅛㅜㅠㅡㅣ). Compound vowels and finals are the keys that make them;
 * ㅐㅔㅒㅖ and ㄲㄸㅃㅆㅉ are one key. 값 (U+AC12) = ㄱㅏㅂㅅ = 80 93 87 89. The bytes are UTF-8
 * continuation bytes, so they cannot be taken for the beginning of another script's character.
 *
 * Input is normalised text (engine/text/normalize.h), or anything: invalid UTF-8 is copied byte by
 * byte. All functions write at most `cap` bytes and return the length that is needed. [any].
 */
#ifndef WS_TEXT_JAMO_H
#define WS_TEXT_JAMO_H

#include <stddef.h>
#include <stdint.h>

#include "wikisearch/status.h"

#define WS_JAMO_CONSONANT 0x80u
#define WS_JAMO_VOWEL     0x93u
#define WS_JAMO_END       0xa1u /* one past the last symbol */

static inline int ws_is_syllable(uint32_t c)
{
    return c >= 0xac00 && c <= 0xd7a3;
}

/* True when a syllable ends in a consonant (batchim); *rieul (NULL allowed) tells whether it is ㄹ
 * alone. */
static inline int ws_syllable_batchim(uint32_t syllable, int *rieul)
{
    uint32_t final = (syllable - 0xac00) % 28;
    if (rieul)
        *rieul = final == 8;
    return final != 0;
}

/* Keystroke key: Hangul in any encoding (syllables, conjoining, compatibility, half-width) becomes
 * symbols; white space and default-ignorables are dropped; the rest is copied. Case folding and
 * NFKC are the caller's: engine/text/normalize.h. */
size_t ws_jamo_key(ws_str text, char *out, size_t cap);

/* Initials: each syllable becomes its first consonant, bare consonants stay (compounds split), bare
 * vowels stay; the rest as above. */
size_t ws_chosung_key(ws_str text, char *out, size_t cap);

/* Number of consonant symbols when the key is made of consonants only, else 0: such a key asks for
 * initials. */
size_t ws_jamo_is_chosung(ws_str key);

/* Symbols as readable compatibility jamo (U+3131 block), other bytes as they are: for tests and
 * tools. */
size_t ws_jamo_show(ws_str key, char *out, size_t cap);

/* Composes symbols into syllables as a two-set input method does; what cannot join stays a
 * compatibility jamo. Other bytes as they are. */
size_t ws_jamo_compose(ws_str key, char *out, size_t cap);

/* Latin letters to the symbols of the same keys (R, E, Q, T, W, O, P shifted; other capitals as
 * small); other bytes as they are. */
size_t ws_qwerty_to_jamo(ws_str text, char *out, size_t cap);

/* Symbols to the letters of the same keys; other bytes as they are. */
size_t ws_jamo_to_qwerty(ws_str key, char *out, size_t cap);

/* True when `typed` may be the beginning of `entry` at a keyboard: whole keys, or initials, or a
 * mixture, syllable by syllable. Both are normalised text. A query of initials needs two of
 * them. */
int ws_chosung_match(ws_str typed, ws_str entry);

#endif
