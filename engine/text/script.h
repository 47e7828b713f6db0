/* What a code point is to the word splitter. [1] (a lazily filled table). */
#ifndef WS_TEXT_SCRIPT_H
#define WS_TEXT_SCRIPT_H

#include <stdint.h>

#define WS_CLASS_OTHER  0u /* white space, punctuation, symbols: between words */
/* letters of Latin, Greek, Cyrillic and other alphabets that write words apart, and their marks */
#define WS_CLASS_LATIN  1u
#define WS_CLASS_DIGIT  2u
#define WS_CLASS_HANGUL 3u /* syllables */
#define WS_CLASS_JAMO   4u /* single jamo, any block */
#define WS_CLASS_HAN    5u
#define WS_CLASS_KANA   6u
/* scripts that write no spaces: Thai, Lao, Khmer, Myanmar, ...: ICU finds their words */
#define WS_CLASS_DENSE  7u

typedef struct {
    uint8_t classes[65536]; /* class + 1 by BMP code point, 0 = not looked up yet */
} ws_script_table;

uint32_t ws_script_class(ws_script_table *table, uint32_t code_point);

#endif
