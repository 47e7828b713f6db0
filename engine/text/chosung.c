/* Does what was typed begin an entry, when some syllables are initials only? 대ㅎㅁㄱ (U+B300
 * U+314E U+3141 U+3131) begins 대한민국. */
#include "base/bytes.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"

#define KEYS_MAX 8u

/* Next code point that is not white space; 0 at the end. */
static uint32_t next_visible(ws_str text, size_t *at)
{
    while (*at < text.len) {
        uint32_t c;
        *at += ws_utf8_decode(text, *at, &c);
        if (c > ' ' && c != 0xa0 && c != 0x3000)
            return c;
    }
    return 0;
}

static size_t keys_of(uint32_t c, char out[KEYS_MAX])
{
    char bytes[4];
    ws_str text = {bytes, ws_utf8_encode(c, bytes)};
    return ws_jamo_key(text, out, KEYS_MAX);
}

static int begins_with(const char *key, size_t n, const char *prefix, size_t prefix_n)
{
    return prefix_n <= n && memcmp(key, prefix, prefix_n) == 0;
}

static int is_consonant(char b)
{
    return (uint8_t)b >= WS_JAMO_CONSONANT && (uint8_t)b < WS_JAMO_VOWEL;
}

/* Each consonant typed must begin a syllable of the entry. */
static int match_initials(const char *typed, size_t n, ws_str entry, size_t *at)
{
    for (size_t i = 0; i < n; i++) {
        char keys[KEYS_MAX];
        uint32_t c = next_visible(entry, at);
        if (!is_consonant(typed[i]) || !c || keys_of(c, keys) == 0 || keys[0] != typed[i])
            return 0;
    }
    return 1;
}

/* The typed syllable, or what follows of it, against the entry's next ones: its keys run on into
 * the next syllable when it is the last typed (댛 for 대한). */
static int match_syllable(uint32_t typed, ws_str entry, size_t *at, int last)
{
    char want[KEYS_MAX], keys[KEYS_MAX];
    size_t want_n = keys_of(typed, want), n;
    uint32_t c = next_visible(entry, at);
    if (!c || (n = keys_of(c, keys)) == 0)
        return 0;
    if (n == want_n)
        return memcmp(keys, want, n) == 0;
    if (!last)
        return 0;
    if (want_n < n)
        return begins_with(keys, n, want, want_n);
    if (!begins_with(want, want_n, keys, n) || !(c = next_visible(entry, at)))
        return 0;
    char next[KEYS_MAX];
    size_t next_n = keys_of(c, next);
    return begins_with(next, next_n, want + n, want_n - n);
}

static int is_bare_jamo(const char *keys, size_t n, uint32_t c)
{
    return n && !ws_is_syllable(c) && (uint8_t)keys[0] >= WS_JAMO_CONSONANT &&
           (uint8_t)keys[0] < WS_JAMO_END;
}

int ws_chosung_match(ws_str typed, ws_str entry)
{
    char all[512];
    size_t at = 0, entry_at = 0;
    size_t n = ws_jamo_key(typed, all, sizeof all);
    if (n > sizeof all || ws_jamo_is_chosung((ws_str){all, n}) == 1)
        return 0;
    for (uint32_t c; (c = next_visible(typed, &at)) != 0;) {
        char keys[KEYS_MAX];
        size_t rest = at, keys_n = keys_of(c, keys);
        int last = next_visible(typed, &rest) == 0;
        int ok = is_bare_jamo(keys, keys_n, c) ? match_initials(keys, keys_n, entry, &entry_at)
                                               : match_syllable(c, entry, &entry_at, last);
        if (!ok)
            return 0;
    }
    return 1;
}
