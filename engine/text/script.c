#include "engine/text/script.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "engine/text/jamo.h"

static int is_mark(UChar32 c)
{
    return (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0;
}

static uint32_t letter_class(UChar32 c)
{
    UErrorCode code = U_ZERO_ERROR;
    switch (uscript_getScript(c, &code)) {
    case USCRIPT_HANGUL:
        return WS_CLASS_JAMO;
    case USCRIPT_HAN:
        return WS_CLASS_HAN;
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_BOPOMOFO:
        return WS_CLASS_KANA;
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
        return WS_CLASS_DENSE;
    default:
        return WS_CLASS_LATIN;
    }
}

static uint32_t find_class(UChar32 c)
{
    if (ws_is_syllable((uint32_t)c))
        return WS_CLASS_HANGUL;
    if (c == 0x30fc) /* the long-vowel mark of kana is of no script */
        return WS_CLASS_KANA;
    if (u_charType(c) == U_DECIMAL_DIGIT_NUMBER)
        return WS_CLASS_DIGIT;
    if (u_isalpha(c) || is_mark(c) || u_charType(c) == U_LETTER_NUMBER)
        return letter_class(c);
    return WS_CLASS_OTHER;
}

uint32_t ws_script_class(ws_script_table *table, uint32_t c)
{
    if (c > 0xffff)
        return find_class((UChar32)c);
    if (!table->classes[c])
        table->classes[c] = (uint8_t)(find_class((UChar32)c) + 1);
    return table->classes[c] - 1u;
}
