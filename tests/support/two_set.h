/* A two-set keyboard and its input method, written from the layout alone: what a person types and
 * sees on the way to a text. Keys are the bytes of engine/text/jamo.h. [1]. */
#ifndef WS_TESTS_SUPPORT_TWO_SET_H
#define WS_TESTS_SUPPORT_TWO_SET_H

#include <string.h>

#include "base/bytes.h"
#include "base/utf8.h"

#define TWO_SET_CONSONANT 0x80u /* ㄱ, the first of 19 */
#define TWO_SET_VOWEL     0x93u /* ㅏ, the first of 14 */
#define TWO_SET_KEYS_MAX  5u    /* of one syllable */
#define TWO_SET_NONE      (-1)

/* Two keys that make one vowel, or one final, by their indices in a syllable. Finals are counted by
 * Unicode (ㄱ is 1), their parts as initials. */
typedef struct {
    int first, second, made;
} two_set_pair;

static const two_set_pair two_set_vowels[] = {
    {8, 0, 9}, {8, 1, 10}, {8, 20, 11}, {13, 4, 14}, {13, 5, 15}, {13, 20, 16}, {18, 20, 19},
};
static const two_set_pair two_set_finals[] = {
    {0, 9, 3},  {2, 12, 5},  {2, 18, 6},  {5, 0, 9},   {5, 6, 10}, {5, 7, 11},
    {5, 9, 12}, {5, 16, 13}, {5, 17, 14}, {5, 18, 15}, {7, 9, 18},
};
/* Finals of one key by initial; 0: none (ㄸㅃㅉ). */
static const int two_set_final_of[19] = {1,  2,  4,  7, 0,  8,  16, 17, 0, 19,
                                         20, 21, 22, 0, 23, 24, 25, 26, 27};
/* Vowels that are one key. */
static const int two_set_vowel_keys[14] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 17, 18, 20};

static inline int two_set_join(const two_set_pair *pairs, size_t n, int first, int second)
{
    for (size_t i = 0; i < n; i++)
        if (pairs[i].first == first && pairs[i].second == second)
            return pairs[i].made;
    return TWO_SET_NONE;
}

static inline int two_set_join_vowels(int first, int second)
{
    return two_set_join(two_set_vowels, WS_ARRAY_LEN(two_set_vowels), first, second);
}

static inline int two_set_join_finals(int first, int second)
{
    return two_set_join(two_set_finals, WS_ARRAY_LEN(two_set_finals), first, second);
}

/* --- the keys of a syllable --- */

static inline uint8_t two_set_vowel_key(int vowel)
{
    uint8_t i = 0;
    while (two_set_vowel_keys[i] != vowel)
        i++;
    return (uint8_t)(TWO_SET_VOWEL + i);
}

static inline size_t two_set_put_vowel(int vowel, char *out)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(two_set_vowels); i++)
        if (two_set_vowels[i].made == vowel) {
            out[0] = (char)two_set_vowel_key(two_set_vowels[i].first);
            out[1] = (char)two_set_vowel_key(two_set_vowels[i].second);
            return 2;
        }
    out[0] = (char)two_set_vowel_key(vowel);
    return 1;
}

static inline size_t two_set_put_final(int final, char *out)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(two_set_finals); i++)
        if (two_set_finals[i].made == final) {
            out[0] = (char)(TWO_SET_CONSONANT + (unsigned)two_set_finals[i].first);
            out[1] = (char)(TWO_SET_CONSONANT + (unsigned)two_set_finals[i].second);
            return 2;
        }
    for (unsigned i = 0; i < 19; i++)
        if (final && two_set_final_of[i] == final) {
            out[0] = (char)(TWO_SET_CONSONANT + i);
            return 1;
        }
    return 0;
}

static inline size_t two_set_keys(uint32_t syllable, char out[TWO_SET_KEYS_MAX])
{
    int index = (int)(syllable - 0xac00);
    out[0] = (char)(TWO_SET_CONSONANT + (unsigned)index / 588);
    size_t n = 1 + two_set_put_vowel(index / 28 % 21, out + 1);
    return n + two_set_put_final(index % 28, out + n);
}

/* --- the input method --- */

typedef struct {
    char text[512]; /* what is finished */
    size_t n;
    int initial, vowel, final;   /* what is being typed */
    int final_first, final_last; /* the keys of the final, as initials; last: of a double one */
} two_set;

static const two_set two_set_empty = {.initial = TWO_SET_NONE, .vowel = TWO_SET_NONE};

/* What is being typed, as it is shown; 0 for nothing. */
static inline uint32_t two_set_pending(const two_set *s)
{
    static const char consonants[] = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";
    uint32_t c = 0;
    if (s->initial >= 0 && s->vowel >= 0)
        return 0xac00u + (uint32_t)((s->initial * 21 + s->vowel) * 28 + s->final);
    if (s->initial >= 0)
        ws_utf8_decode(ws_cstr(consonants), (size_t)s->initial * 3, &c);
    return s->vowel >= 0 ? 0x314fu + (uint32_t)s->vowel : c;
}

static inline void two_set_commit(two_set *s)
{
    uint32_t c = two_set_pending(s);
    if (c)
        s->n += ws_utf8_encode(c, s->text + s->n);
    s->initial = s->vowel = TWO_SET_NONE;
    s->final = s->final_first = s->final_last = 0;
}

static inline void two_set_type_consonant(two_set *s, int key)
{
    int joined = s->final && s->final_last == TWO_SET_NONE
                     ? two_set_join_finals(s->final_first, key)
                     : TWO_SET_NONE;
    if (joined >= 0) {
        s->final = joined;
        s->final_last = key;
    } else if (s->initial >= 0 && s->vowel >= 0 && !s->final && two_set_final_of[key]) {
        s->final = two_set_final_of[key];
        s->final_first = key;
        s->final_last = TWO_SET_NONE;
    } else {
        two_set_commit(s);
        s->initial = key;
    }
}

/* The last consonant of a final begins the next syllable when a vowel follows. */
static inline void two_set_move_final(two_set *s)
{
    int moved = s->final_last == TWO_SET_NONE ? s->final_first : s->final_last;
    s->final = s->final_last == TWO_SET_NONE ? 0 : two_set_final_of[s->final_first];
    two_set_commit(s);
    s->initial = moved;
}

static inline void two_set_type_vowel(two_set *s, int vowel)
{
    if (s->final) {
        two_set_move_final(s);
    } else if (s->vowel >= 0) {
        int joined = two_set_join_vowels(s->vowel, vowel);
        if (joined < 0)
            two_set_commit(s);
        else
            vowel = joined;
    }
    s->vowel = vowel;
}

static inline void two_set_type(two_set *s, char key)
{
    uint8_t k = (uint8_t)key;
    if (k < TWO_SET_VOWEL)
        two_set_type_consonant(s, k - (int)TWO_SET_CONSONANT);
    else
        two_set_type_vowel(s, two_set_vowel_keys[k - TWO_SET_VOWEL]);
}

/* What the screen shows; valid until the next key. */
static inline ws_str two_set_shown(two_set *s)
{
    uint32_t c = two_set_pending(s);
    return (ws_str){s->text, s->n + (c ? ws_utf8_encode(c, s->text + s->n) : 0)};
}

#endif
