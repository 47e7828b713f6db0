#include "trie/typed.h"

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"

static int is_symbol(char byte)
{
    return (uint8_t)byte >= WS_JAMO_CONSONANT && (uint8_t)byte < WS_JAMO_END;
}

static int is_consonant(char byte)
{
    return (uint8_t)byte >= WS_JAMO_CONSONANT && (uint8_t)byte < WS_JAMO_VOWEL;
}

static int is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static void drop_zeros(ws_typed_key *key)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < key->n; i++)
        if (key->bytes[i])
            key->bytes[n++] = key->bytes[i];
    key->n = n;
}

/* Latin letters as the Hangul keys in their place; the rest as in a key. Nothing without letters.
 */
static void read_as_hangul(ws_typed_key *key, ws_str cased)
{
    int letters = 0;
    key->n = 0;
    for (size_t at = 0, n; at < cased.len; at += n) {
        uint32_t c;
        n = ws_utf8_decode(cased, at, &c);
        ws_str one = ws_str_make(cased.ptr + at, n);
        char *out = key->bytes + key->n;
        size_t room = WS_TYPED_KEY_MAX - key->n;
        int letter = is_letter(*one.ptr);
        letters |= letter;
        key->n +=
            (uint32_t)(letter ? ws_qwerty_to_jamo(one, out, room) : ws_jamo_key(one, out, room));
    }
    if (!letters)
        key->n = 0;
}

/* Hangul keys as the letters in their place, small: Shift is lost where it makes no other jamo. */
static void read_as_latin(ws_typed_key *key, ws_str hangul)
{
    key->n = (uint32_t)ws_jamo_to_qwerty(hangul, key->bytes, WS_TYPED_KEY_MAX);
    if (ws_str_eq(ws_typed_str(key), hangul))
        key->n = 0;
    for (uint32_t i = 0; i < key->n; i++)
        if (key->bytes[i] >= 'A' && key->bytes[i] <= 'Z')
            key->bytes[i] = (char)(key->bytes[i] + 32);
}

/* Units of a key: one-byte ones, and characters of several bytes. */
static uint32_t count_units(ws_str key)
{
    uint32_t n = 0;
    for (size_t i = 0; i < key.len; i++, n++) {
        uint8_t b = (uint8_t)key.ptr[i];
        if (b >= 0xc0)
            i += b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1;
    }
    return n;
}

/* 대ㅎㅁ asks for initials behind a syllable; 대ㅎ does too, but there the keys say the same. A
 * bare vowel begins no syllable, so nothing matches. */
static uint32_t find_mixed(ws_str text)
{
    uint32_t mixed = 0, last_alone = 0;
    for (size_t at = 0, n; at < text.len; at += n) {
        char keys[8];
        uint32_t c;
        n = ws_utf8_decode(text, at, &c);
        size_t n_keys = ws_jamo_key(ws_str_make(text.ptr + at, n), keys, sizeof keys);
        if (n_keys == 0)
            continue;
        int bare = is_symbol(keys[0]) && !ws_is_syllable(c);
        if (bare && !is_consonant(keys[0]))
            return 0;
        last_alone = bare && n_keys == 1 && !mixed;
        mixed |= (uint32_t)bare;
    }
    return mixed && !last_alone;
}

void ws_typed_init(ws_typed *typed, ws_str normal, ws_str cased)
{
    size_t cut = ws_utf8_skip(normal, WS_TYPED_CODE_POINTS);
    typed->cut = cut < normal.len;
    typed->text = ws_str_make(normal.ptr, cut);
    typed->cased = cased.len == normal.len ? ws_str_make(cased.ptr, cut) : typed->text;
    typed->key.n = (uint32_t)ws_jamo_key(typed->text, typed->key.bytes, WS_TYPED_KEY_MAX);
    drop_zeros(&typed->key);
}

void ws_typed_complete(ws_typed *typed)
{
    ws_str key = ws_typed_str(&typed->key);
    size_t consonants = ws_jamo_is_chosung(key);
    typed->n_units = count_units(key);
    typed->is_chosung = consonants >= 2;
    typed->is_mixed = !consonants && find_mixed(typed->text);
    typed->initials.n =
        (uint32_t)ws_chosung_key(typed->text, typed->initials.bytes, WS_TYPED_KEY_MAX);
    read_as_hangul(&typed->layouts[WS_LAYOUT_HANGUL], typed->cased);
    read_as_latin(&typed->layouts[WS_LAYOUT_LATIN], key);
    drop_zeros(&typed->initials);
    drop_zeros(&typed->layouts[WS_LAYOUT_HANGUL]);
    drop_zeros(&typed->layouts[WS_LAYOUT_LATIN]);
}
