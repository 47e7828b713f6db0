/* From normalised text to words: runs of one script, numbers, joined words, symbol words.
 *
 *   iPhone15프로   iphone · 15 · 프로, and the surface iphone15       2018년에   2018 · 년 (surface
 * 년에) K-POP은        k · pop, and the surface k-pop                     C++은      c++
 *   1,234,567명    1234567 · 명                                       10.1인치   10.1 · 인치
 */
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/analyzer_int.h"
#include "engine/text/korean.h"

static uint32_t class_at(ws_analyzer *a, ws_str text, size_t at, size_t *length)
{
    uint32_t c;
    uint8_t b = (uint8_t)text.ptr[at];
    if (b < 0x80) {
        *length = 1;
        return a->scripts->classes[b] - 1u; /* ASCII was filled at the start */
    }
    *length = ws_utf8_decode(text, at, &c);
    return ws_script_class(a->scripts, c);
}

/* End of the run of one class from `at`. */
static size_t run_end(ws_analyzer *a, ws_str text, size_t at, uint32_t class)
{
    const uint8_t *p = (const uint8_t *)text.ptr, *classes = a->scripts->classes;
    for (size_t n; at < text.len; at += n) {
        while (at < text.len && p[at] < 0x80 && classes[p[at]] == class + 1)
            at++;
        if (at == text.len || p[at] < 0x80 || class_at(a, text, at, &n) != class)
            break;
    }
    return at;
}

static uint32_t class_or_other(ws_analyzer *a, ws_str text, size_t at)
{
    size_t n;
    return at < text.len ? class_at(a, text, at, &n) : WS_CLASS_OTHER;
}

static ws_status word(ws_analyzer *a, ws_str token, size_t from, size_t to, uint32_t flags)
{
    return ws_analyzer_emit(a, WS_STREAM_WORD, token, from, to, a->position++, flags);
}

/* --- numbers --- */

static int is_byte(ws_str text, size_t at, char byte)
{
    return at < text.len && text.ptr[at] == byte;
}

static int is_middle_dot(ws_str text, size_t at)
{
    return at + 1 < text.len && (uint8_t)text.ptr[at] == 0xc2 && (uint8_t)text.ptr[at + 1] == 0xb7;
}

/* End of a number: digits, then groups after a point, a comma or a middle dot that stand directly
 * between digits. A comma counts only before exactly three digits. */
static size_t number_end(ws_analyzer *a, ws_str text, size_t at)
{
    for (size_t end = run_end(a, text, at, WS_CLASS_DIGIT);;) {
        size_t joint = is_byte(text, end, '.') || is_byte(text, end, ',') ? 1
                       : is_middle_dot(text, end)                         ? 2
                                                                          : 0;
        size_t next = joint ? run_end(a, text, end + joint, WS_CLASS_DIGIT) : end;
        if (!joint || next == end + joint || (text.ptr[end] == ',' && next - end - joint != 3))
            return end;
        end = next;
    }
}

ws_str ws_analyzer_without_commas(ws_analyzer *a, ws_str text)
{
    if (!memchr(text.ptr, ',', text.len))
        return text;
    text = ws_analyzer_keep(a, text);
    char *out = (char *)(uintptr_t)text.ptr;
    size_t kept = 0;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != ',')
            out[kept++] = text.ptr[i];
    return ws_str_make(text.ptr, kept);
}

static ws_status number(ws_analyzer *a, ws_str text, size_t from, size_t to)
{
    ws_str token = ws_analyzer_without_commas(a, ws_str_sub(text, from, to));
    return word(a, token, from, to, WS_TOKEN_NUMBER);
}

/* --- Latin words --- */

static ws_status latin_part(ws_analyzer *a, ws_str text, size_t from, size_t to)
{
    ws_str token = ws_str_sub(text, from, to);
    ws_str stem = ws_english_stem(a->english, token);
    if (!ws_str_starts_with(token, stem))
        stem = ws_analyzer_keep(a, stem);
    else
        stem = ws_str_sub(token, 0, stem.len);
    return word(a, stem, from, to, 0);
}

static int is_word_class(uint32_t class)
{
    return class == WS_CLASS_LATIN || class == WS_CLASS_DIGIT;
}

/* End of a name of one letter and symbols (c++, c#, f#, g++), 0 when there is none at `from`. */
static size_t symbol_name_end(ws_analyzer *a, ws_str text, size_t from)
{
    size_t end = is_byte(text, from + 1, '#')                                   ? from + 2
                 : is_byte(text, from + 1, '+') && is_byte(text, from + 2, '+') ? from + 3
                                                                                : 0;
    return end && !is_word_class(class_or_other(a, text, end)) ? end : 0;
}

static size_t apostrophe(ws_str text, size_t at)
{
    if (is_byte(text, at, '\''))
        return 1;
    return at + 2 < text.len && memcmp(text.ptr + at, "\xe2\x80\x99", 3) == 0 ? 3 : 0;
}

/* End of a run of letters, apostrophes between letters included: don't, o'neil. */
static size_t letters_end(ws_analyzer *a, ws_str text, size_t at)
{
    for (size_t end = run_end(a, text, at, WS_CLASS_LATIN);;) {
        size_t joint = apostrophe(text, end);
        if (!joint || class_or_other(a, text, end + joint) != WS_CLASS_LATIN)
            return end;
        end = run_end(a, text, end + joint, WS_CLASS_LATIN);
    }
}

/* ' for the typographic apostrophe, so that both spellings are one word. */
static ws_status letters(ws_analyzer *a, ws_str text, size_t from, size_t to)
{
    static const char typographic[] = "\xe2\x80\x99";
    ws_str token = ws_str_sub(text, from, to);
    for (size_t i = 0; i + 3 <= token.len; i++) {
        if (memcmp(token.ptr + i, typographic, 3) != 0)
            continue;
        token = ws_analyzer_keep(a, token);
        char *p = (char *)(uintptr_t)token.ptr;
        size_t kept = 0;
        for (size_t k = 0; k < token.len; k++) {
            int here = k + 3 <= token.len && memcmp(token.ptr + k, typographic, 3) == 0;
            p[kept++] = here ? '\'' : token.ptr[k];
            k += here ? 2 : 0;
        }
        token.len = kept;
        return word(a, ws_analyzer_keep(a, ws_english_stem(a->english, token)), from, to, 0);
    }
    return latin_part(a, text, from, to);
}

static int is_joint(ws_str text, size_t at)
{
    return is_byte(text, at, '-') || is_byte(text, at, '.') || is_byte(text, at, '_') ||
           is_byte(text, at, '@') || is_byte(text, at, '&');
}

/* A word that begins with a letter: pieces of letters or digits, joined directly or by one joint.
 * Each is a word; the whole is the surface of the first. */
static ws_status latin(ws_analyzer *a, ws_str text, size_t from, size_t *next)
{
    size_t at = from, name_end = symbol_name_end(a, text, from);
    uint32_t position = a->position, pieces = 0;
    if (name_end) {
        *next = name_end;
        return word(a, ws_str_sub(text, from, name_end), from, name_end, 0);
    }
    for (uint32_t class = WS_CLASS_LATIN; is_word_class(class); pieces++) {
        if (class == WS_CLASS_DIGIT)
            a->number = at;
        size_t end = class == WS_CLASS_LATIN ? letters_end(a, text, at)
                                             : run_end(a, text, at, WS_CLASS_DIGIT);
        WS_TRY(class == WS_CLASS_LATIN
                   ? letters(a, text, at, end)
                   : word(a, ws_str_sub(text, at, end), at, end, WS_TOKEN_NUMBER));
        *next = end;
        at = end + (is_joint(text, end) ? 1 : 0);
        class = class_or_other(a, text, at);
    }
    if (pieces == 1)
        return WS_OK;
    return ws_analyzer_emit(a, WS_STREAM_SURFACE, ws_str_sub(text, from, *next), from, *next,
                            position, 0);
}

/* .net: a point before letters, at the beginning of a word. */
static ws_status dotted(ws_analyzer *a, ws_str text, size_t from, size_t *next)
{
    *next = run_end(a, text, from + 1, WS_CLASS_LATIN);
    return word(a, ws_str_sub(text, from, *next), from, *next, 0);
}

static int is_dotted(ws_analyzer *a, ws_str text, size_t at)
{
    static const ws_str names[] = {{"net", 3}, {"com", 3}, {"org", 3}, {"kr", 2}, {"io", 2}};
    if (!is_byte(text, at, '.') || class_or_other(a, text, at + 1) != WS_CLASS_LATIN)
        return 0;
    ws_str name = ws_str_sub(text, at + 1, run_end(a, text, at + 1, WS_CLASS_LATIN));
    for (size_t i = 0; i < WS_ARRAY_LEN(names); i++)
        if (ws_str_eq(name, names[i]))
            return 1;
    return 0;
}

/* --- scripts without spaces --- */

static ws_status dense(ws_analyzer *a, ws_str text, size_t from, size_t to)
{
    UErrorCode code = U_ZERO_ERROR;
    UText utext = UTEXT_INITIALIZER;
    utext_openUTF8(&utext, text.ptr + from, (int64_t)(to - from), &code);
    ubrk_setUText(a->words, &utext, &code);
    ws_status status = U_FAILURE(code) ? WS_ERR_NOMEM : WS_OK;
    int32_t begin = 0, end;
    while (!status && (end = ubrk_next(a->words)) != UBRK_DONE) {
        status = word(a, ws_str_sub(text, from + (size_t)begin, from + (size_t)end),
                      from + (size_t)begin, from + (size_t)end, 0);
        begin = end;
    }
    utext_close(&utext);
    return status;
}

/* --- the walk --- */

static ws_status split_run(ws_analyzer *a, ws_str text, size_t at, uint32_t class, uint32_t after,
                           size_t *next)
{
    switch (class) {
    case WS_CLASS_LATIN:
        return latin(a, text, at, next);
    case WS_CLASS_DIGIT:
        *next = number_end(a, text, at);
        a->number = at;
        return number(a, text, at, *next);
    case WS_CLASS_HANGUL:
        *next = run_end(a, text, at, class);
        return ws_analyzer_hangul(a, text, at, *next, after);
    case WS_CLASS_DENSE:
        *next = run_end(a, text, at, class);
        return dense(a, text, at, *next);
    default: /* Han, kana, single jamo: the run is a word */
        *next = run_end(a, text, at, class);
        return word(a, ws_str_sub(text, at, *next), at, *next,
                    class == WS_CLASS_JAMO ? WS_TOKEN_HANGUL : 0);
    }
}

static uint32_t after_class(uint32_t class)
{
    return class == WS_CLASS_DIGIT   ? WS_KOREAN_NUMBER
           : class == WS_CLASS_LATIN ? WS_KOREAN_LATIN
                                     : WS_KOREAN_ALONE;
}

ws_status ws_analyzer_split(ws_analyzer *a, ws_str text)
{
    uint32_t before = WS_CLASS_OTHER; /* class of the run that ends at `at` */
    for (size_t at = 0, n, next; at < text.len; at = next) {
        uint32_t class = class_at(a, text, at, &n);
        next = at + n;
        if (class != WS_CLASS_OTHER) {
            WS_TRY(split_run(a, text, at, class, after_class(before), &next));
            before =
                class == WS_CLASS_LATIN && text.ptr[next - 1] >= '0' && text.ptr[next - 1] <= '9'
                    ? WS_CLASS_DIGIT
                    : class;
        } else if (before == WS_CLASS_OTHER && is_dotted(a, text, at)) {
            WS_TRY(dotted(a, text, at, &next));
            before = WS_CLASS_LATIN;
        } else {
            before = WS_CLASS_OTHER;
        }
    }
    return WS_OK;
}
