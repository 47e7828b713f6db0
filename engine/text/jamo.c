#include "engine/text/jamo.h"

#include "base/bytes.h"
#include "base/utf8.h"

#define C(n) (uint8_t)(WS_JAMO_CONSONANT + (n))
#define V(n) (uint8_t)(WS_JAMO_VOWEL + (n))

/* Keys of one jamo: one or two symbols, 0 = no second. */
typedef struct {
    uint8_t first, second;
} keys;

/* clang-format off */
/* ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ, in the order of syllables */
static const keys medials[21] = {
    {V(0), 0}, {V(1), 0}, {V(2), 0}, {V(3), 0}, {V(4), 0}, {V(5), 0}, {V(6), 0}, {V(7), 0},
    {V(8), 0},
    {V(8), V(0)}, {V(8), V(1)}, {V(8), V(13)}, {V(9), 0}, {V(10), 0}, {V(10), V(4)},
    {V(10), V(5)}, {V(10), V(13)},
    {V(11), 0}, {V(12), 0}, {V(12), V(13)}, {V(13), 0},
};
/* none, ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ */
static const keys finals[28] = {
    {0, 0}, {C(0), 0}, {C(1), 0}, {C(0), C(9)}, {C(2), 0}, {C(2), C(12)}, {C(2), C(18)},
    {C(3), 0}, {C(5), 0},
    {C(5), C(0)}, {C(5), C(6)}, {C(5), C(7)}, {C(5), C(9)}, {C(5), C(16)}, {C(5), C(17)},
    {C(5), C(18)}, {C(6), 0},
    {C(7), 0}, {C(7), C(9)}, {C(9), 0}, {C(10), 0}, {C(11), 0}, {C(12), 0}, {C(14), 0},
    {C(15), 0}, {C(16), 0},
    {C(17), 0}, {C(18), 0},
};
/* Compatibility consonants U+3131 to U+314E: ㄱㄲㄳㄴㄵㄶㄷㄸㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅃㅄㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ */
static const keys compatibility[30] = {
    {C(0), 0}, {C(1), 0}, {C(0), C(9)}, {C(2), 0}, {C(2), C(12)}, {C(2), C(18)}, {C(3), 0},
    {C(4), 0}, {C(5), 0},
    {C(5), C(0)}, {C(5), C(6)}, {C(5), C(7)}, {C(5), C(9)}, {C(5), C(16)}, {C(5), C(17)},
    {C(5), C(18)}, {C(6), 0},
    {C(7), 0}, {C(8), 0}, {C(7), C(9)}, {C(9), 0}, {C(10), 0}, {C(11), 0}, {C(12), 0}, {C(13), 0},
    {C(14), 0},
    {C(15), 0}, {C(16), 0}, {C(17), 0}, {C(18), 0},
};
/* The letter on the key of each symbol. */
static const char letters[33] = {
    'r', 'R', 's', 'e', 'E', 'f', 'a', 'q', 'Q', 't', 'T', 'd', 'w', 'W', 'c', 'z', 'x', 'v', 'g',
    'k', 'o', 'i', 'O', 'j', 'p', 'u', 'P', 'h', 'y', 'n', 'b', 'm', 'l',
};
/* Code point of each symbol in the compatibility block. */
static const uint16_t shown[33] = {
    0x3131, 0x3132, 0x3134, 0x3137, 0x3138, 0x3139, 0x3141, 0x3142, 0x3143, 0x3145, 0x3146,
    0x3147, 0x3148, 0x3149,
    0x314a, 0x314b, 0x314c, 0x314d, 0x314e,
    0x314f, 0x3150, 0x3151, 0x3152, 0x3153, 0x3154, 0x3155, 0x3156, 0x3157, 0x315b, 0x315c,
    0x3160, 0x3161, 0x3163,
};
/* clang-format on */

static int is_symbol(uint8_t b)
{
    return b >= WS_JAMO_CONSONANT && b < WS_JAMO_END;
}

static int is_vowel(uint8_t b)
{
    return b >= WS_JAMO_VOWEL && b < WS_JAMO_END;
}

static int is_consonant(uint8_t b)
{
    return b >= WS_JAMO_CONSONANT && b < WS_JAMO_VOWEL;
}

/* --- output that counts what does not fit --- */

typedef struct {
    char *out;
    size_t cap, n;
} sink;

static void put(sink *s, uint8_t byte)
{
    if (s->n < s->cap)
        s->out[s->n] = (char)byte;
    s->n++;
}

static void put_keys(sink *s, keys k)
{
    if (k.first)
        put(s, k.first);
    if (k.second)
        put(s, k.second);
}

static void put_code_point(sink *s, uint32_t c)
{
    char bytes[4];
    size_t n = ws_utf8_encode(c, bytes);
    for (size_t i = 0; i < n; i++)
        put(s, (uint8_t)bytes[i]);
}

static void put_bytes(sink *s, ws_str text, size_t at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(s, (uint8_t)text.ptr[at + i]);
}

/* --- one code point --- */

/* Half-width jamo (U+FFA1 to U+FFDC) as compatibility jamo; others unchanged. */
static uint32_t widen(uint32_t c)
{
    static const struct {
        uint16_t from, to, wide;
    } runs[] = {{0xffa1, 0xffbe, 0x3131},
                {0xffc2, 0xffc7, 0x314f},
                {0xffca, 0xffcf, 0x3155},
                {0xffd2, 0xffd7, 0x315b},
                {0xffda, 0xffdc, 0x3161}};
    for (size_t i = 0; i < WS_ARRAY_LEN(runs); i++)
        if (c >= runs[i].from && c <= runs[i].to)
            return runs[i].wide + (c - runs[i].from);
    return c;
}

/* Keys of a single jamo in any block; first = 0 when it is none. */
static keys jamo_keys(uint32_t c)
{
    static const keys none = {0, 0};
    c = widen(c);
    if (c >= 0x3131 && c <= 0x314e)
        return compatibility[c - 0x3131];
    if (c >= 0x314f && c <= 0x3163)
        return medials[c - 0x314f];
    if (c >= 0x1100 && c <= 0x1112)
        return (keys){C(c - 0x1100), 0};
    if (c >= 0x1161 && c <= 0x1175)
        return medials[c - 0x1161];
    if (c >= 0x11a8 && c <= 0x11c2)
        return finals[c - 0x11a7];
    return none;
}

static int is_dropped(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 || c == 0xad ||
           (c >= 0x200b && c <= 0x200d) || c == 0x2060 || c == 0xfeff || c == 0x3000 ||
           c == 0x3164 || c == 0xffa0;
}

size_t ws_jamo_key(ws_str text, char *out, size_t cap)
{
    sink s = {out, cap, 0};
    for (size_t at = 0, n; at < text.len; at += n) {
        uint32_t c;
        n = ws_utf8_decode(text, at, &c);
        keys k = jamo_keys(c);
        if (ws_is_syllable(c)) {
            uint32_t index = c - 0xac00;
            put(&s, C(index / 588));
            put_keys(&s, medials[index / 28 % 21]);
            put_keys(&s, finals[index % 28]);
        } else if (k.first) {
            put_keys(&s, k);
        } else if (!is_dropped(c)) {
            put_bytes(&s, text, at, n);
        }
    }
    return s.n;
}

/* Conjoining vowels and finals belong to the syllable that an initial began: initials skip them. */
static int is_conjoining_rest(uint32_t c)
{
    return (c >= 0x1161 && c <= 0x1175) || (c >= 0x11a8 && c <= 0x11c2);
}

size_t ws_chosung_key(ws_str text, char *out, size_t cap)
{
    sink s = {out, cap, 0};
    int after_initial = 0;
    for (size_t at = 0, n; at < text.len; at += n) {
        uint32_t c;
        n = ws_utf8_decode(text, at, &c);
        keys k = jamo_keys(c);
        if (after_initial && is_conjoining_rest(c))
            continue;
        after_initial = c >= 0x1100 && c <= 0x1112;
        if (ws_is_syllable(c))
            put(&s, C((c - 0xac00) / 588));
        else if (k.first)
            put_keys(&s, k);
        else if (!is_dropped(c))
            put_bytes(&s, text, at, n);
    }
    return s.n;
}

size_t ws_jamo_is_chosung(ws_str key)
{
    for (size_t i = 0; i < key.len; i++)
        if (!is_consonant((uint8_t)key.ptr[i]))
            return 0;
    return key.len;
}

/* A byte that is a symbol, and not part of another character: symbols are continuation bytes, so
 * skip whole characters. */
static size_t next_unit(ws_str key, size_t at, uint8_t *symbol)
{
    uint32_t c;
    uint8_t b = (uint8_t)key.ptr[at];
    *symbol = is_symbol(b) ? b : 0;
    return *symbol ? 1 : ws_utf8_decode(key, at, &c);
}

size_t ws_jamo_show(ws_str key, char *out, size_t cap)
{
    sink s = {out, cap, 0};
    for (size_t at = 0, n; at < key.len; at += n) {
        uint8_t symbol;
        n = next_unit(key, at, &symbol);
        if (symbol)
            put_code_point(&s, shown[symbol - WS_JAMO_CONSONANT]);
        else
            put_bytes(&s, key, at, n);
    }
    return s.n;
}

/* --- keyboard --- */

size_t ws_jamo_to_qwerty(ws_str key, char *out, size_t cap)
{
    sink s = {out, cap, 0};
    for (size_t at = 0, n; at < key.len; at += n) {
        uint8_t symbol;
        n = next_unit(key, at, &symbol);
        if (symbol)
            put(&s, (uint8_t)letters[symbol - WS_JAMO_CONSONANT]);
        else
            put_bytes(&s, key, at, n);
    }
    return s.n;
}

static uint8_t symbol_of_letter(uint8_t letter)
{
    for (unsigned i = 0; i < 33; i++)
        if ((uint8_t)letters[i] == letter)
            return (uint8_t)(WS_JAMO_CONSONANT + i);
    return letter >= 'A' && letter <= 'Z' ? symbol_of_letter((uint8_t)(letter + 32)) : 0;
}

size_t ws_qwerty_to_jamo(ws_str text, char *out, size_t cap)
{
    sink s = {out, cap, 0};
    for (size_t i = 0; i < text.len; i++) {
        uint8_t symbol = symbol_of_letter((uint8_t)text.ptr[i]);
        put(&s, symbol ? symbol : (uint8_t)text.ptr[i]);
    }
    return s.n;
}

/* --- composing --- */

/* Index of the jamo that two keys make, or of the one that the first makes (second = 0); -1 when
 * none. */
static int find_keys(const keys *table, int n, uint8_t first, uint8_t second)
{
    for (int i = 0; i < n; i++)
        if (table[i].first == first && table[i].second == second)
            return i;
    return -1;
}

static uint8_t symbol_at(ws_str key, size_t at)
{
    return at < key.len && is_symbol((uint8_t)key.ptr[at]) ? (uint8_t)key.ptr[at] : 0;
}

/* Takes a vowel of one or two keys from `at`; returns the number of keys. */
static size_t take_vowel(ws_str key, size_t at, int *medial)
{
    uint8_t first = symbol_at(key, at), second = symbol_at(key, at + 1);
    if (second && is_vowel(second) && (*medial = find_keys(medials, 21, first, second)) >= 0)
        return 2;
    *medial = find_keys(medials, 21, first, 0);
    return 1;
}

/* Takes the consonants that end a syllable: the last consonant before a vowel begins the next one.
 */
static size_t take_final(ws_str key, size_t at, int *final)
{
    uint8_t first = symbol_at(key, at), second = symbol_at(key, at + 1),
            third = symbol_at(key, at + 2);
    *final = 0;
    if (!first || !is_consonant(first) || is_vowel(second))
        return 0;
    int single = find_keys(finals, 28, first, 0);
    if (single < 0)
        return 0; /* ㄸㅃㅉ end no syllable */
    if (second && is_consonant(second) && !is_vowel(third) &&
        (* final = find_keys(finals, 28, first, second)) > 0)
        return 2;
    *final = single;
    return 1;
}

static size_t compose_syllable(ws_str key, size_t at, sink *s)
{
    int medial, final;
    uint32_t initial = (uint8_t)key.ptr[at] - WS_JAMO_CONSONANT;
    size_t n = 1 + take_vowel(key, at + 1, &medial);
    n += take_final(key, at + n, &final);
    put_code_point(s, 0xac00 + (initial * 21 + (uint32_t)medial) * 28 + (uint32_t) final);
    return n;
}

size_t ws_jamo_compose(ws_str key, char *out, size_t cap)
{
    sink s = {out, cap, 0};
    for (size_t at = 0, n; at < key.len; at += n) {
        uint8_t symbol;
        int medial;
        n = next_unit(key, at, &symbol);
        if (!symbol) {
            put_bytes(&s, key, at, n);
        } else if (is_vowel(symbol)) {
            n = take_vowel(key, at, &medial);
            put_code_point(&s, 0x314f + (uint32_t)medial);
        } else if (is_vowel(symbol_at(key, at + 1))) {
            n = compose_syllable(key, at, &s);
        } else {
            put_code_point(&s, shown[symbol - WS_JAMO_CONSONANT]);
        }
    }
    return s.n;
}
