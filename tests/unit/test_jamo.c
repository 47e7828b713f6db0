/* Keys of Hangul: every syllable against the keyboard's layout, every state of typing against the
 * prefix rule, every size of the output. */
#include "engine/text/jamo.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/two_set.h"

#define CAP 1024

typedef size_t (*key_fn)(ws_str, char *, size_t);

static ws_str apply(key_fn fn, ws_str in, char out[CAP])
{
    size_t n = fn(in, out, CAP);
    cr_assert_leq(n, (size_t)CAP);
    return ws_str_make(out, n);
}

static uint32_t random_syllable(ws_rng *rng)
{
    return (uint32_t)ws_rng_between(rng, 0xac00, 0xd7a3);
}

/* Syllables with their keys; syllables without a final often, so that keys run together. */
typedef struct {
    char text[CAP], keys[CAP], initials[CAP];
    size_t n_text, n_keys, n;
} typed_text;

static void random_word(ws_rng *rng, size_t syllables, typed_text *out)
{
    out->n_text = out->n_keys = 0;
    for (out->n = 0; out->n < syllables; out->n++) {
        uint32_t c = random_syllable(rng);
        if (ws_rng_below(rng, 3) == 0)
            c -= (c - 0xac00) % 28;
        size_t n = two_set_keys(c, out->keys + out->n_keys);
        out->initials[out->n] = out->keys[out->n_keys];
        out->n_keys += n;
        out->n_text += ws_utf8_encode(c, out->text + out->n_text);
    }
}

static ws_str text_of(const typed_text *t)
{
    return ws_str_make(t->text, t->n_text);
}

static ws_str keys_of(const typed_text *t)
{
    return ws_str_make(t->keys, t->n_keys);
}

Test(jamo, every_syllable)
{
    for (uint32_t c = 0xac00; c <= 0xd7a3; c++) {
        char bytes[4], want[TWO_SET_KEYS_MAX], key[CAP], out[CAP];
        int rieul;
        ws_str syllable = ws_str_make(bytes, ws_utf8_encode(c, bytes));
        ws_str keys = ws_str_make(want, two_set_keys(c, want));
        int ok = ws_str_eq(apply(ws_jamo_key, syllable, key), keys) &&
                 ws_str_eq(apply(ws_jamo_compose, keys, out), syllable) &&
                 ws_str_eq(apply(ws_chosung_key, syllable, out), ws_str_sub(keys, 0, 1));
        uint8_t last = (uint8_t)want[keys.len - 1], before = (uint8_t)want[keys.len - 2];
        ok = ok && !ws_syllable_batchim(c, &rieul) == (last >= WS_JAMO_VOWEL);
        ok = ok && rieul == (last == 0x85 && before >= WS_JAMO_VOWEL);
        if (!ok)
            cr_assert_fail("U+%04X", c);
    }
}

/* Decomposes by arithmetic. */
static ws_str conjoining(ws_str text, char out[CAP])
{
    size_t made = 0;
    for (size_t at = 0; at < text.len; at += 3) {
        uint32_t c;
        ws_utf8_decode(text, at, &c);
        c -= 0xac00;
        made += ws_utf8_encode(0x1100 + c / 588, out + made);
        made += ws_utf8_encode(0x1161 + c / 28 % 21, out + made);
        if (c % 28)
            made += ws_utf8_encode(0x11a7 + c % 28, out + made);
    }
    return ws_str_make(out, made);
}

Test(jamo, words_and_their_keys)
{
    ws_rng rng = ws_rng_seeded(31);
    static typed_text t;
    static char key[CAP], out[CAP], other[CAP];
    for (int round = 0; round < 3000; round++) {
        random_word(&rng, ws_rng_between(&rng, 1, 40), &t);
        ws_str keys = apply(ws_jamo_key, text_of(&t), key);
        int ok = ws_str_eq(keys, keys_of(&t)) &&
                 ws_str_eq(apply(ws_jamo_compose, keys, out), text_of(&t));
        ws_str letters = apply(ws_jamo_to_qwerty, keys, out);
        ok = ok && letters.len == keys.len &&
             ws_str_eq(apply(ws_qwerty_to_jamo, letters, other), keys);
        ws_str shown = apply(ws_jamo_show, keys, out);
        ok = ok && shown.len == 3 * keys.len && ws_str_eq(apply(ws_jamo_key, shown, other), keys);
        ok = ok && ws_str_eq(apply(ws_jamo_key, conjoining(text_of(&t), out), other), keys);
        ws_str initials = ws_str_make(t.initials, t.n);
        ok = ok && ws_str_eq(apply(ws_chosung_key, text_of(&t), other), initials) &&
             ws_str_eq(apply(ws_chosung_key, conjoining(text_of(&t), out), other), initials);
        ok = ok && ws_jamo_is_chosung(initials) == t.n && ws_jamo_is_chosung(keys) == 0;
        if (!ok)
            cr_assert_fail("%.*s, seed %llu", (int)t.n_text, t.text, (unsigned long long)rng.seed);
    }
    cr_assert_eq(ws_jamo_is_chosung(WS_STR("")), 0);
    cr_assert_eq(ws_jamo_is_chosung(WS_STR("\x80\x61")), 0);
}

/* What is on the screen while a word is typed has the keys that were typed, and no others. */
Test(jamo, half_typed_words_are_prefixes)
{
    ws_rng rng = ws_rng_seeded(32);
    static typed_text t;
    static char key[CAP], composed[CAP];
    for (int round = 0; round < 2000; round++) {
        two_set ime = two_set_empty;
        random_word(&rng, ws_rng_between(&rng, 1, 8), &t);
        for (size_t i = 0; i < t.n_keys; i++) {
            two_set_type(&ime, t.keys[i]);
            ws_str shown = two_set_shown(&ime), typed = ws_str_sub(keys_of(&t), 0, i + 1);
            if (!ws_str_eq(apply(ws_jamo_key, shown, key), typed) ||
                !ws_str_eq(apply(ws_jamo_compose, typed, composed), shown))
                cr_assert_fail("%.*s on the way to %.*s, seed %llu", (int)shown.len, shown.ptr,
                               (int)t.n_text, t.text, (unsigned long long)rng.seed);
        }
        cr_assert(ws_str_eq(two_set_shown(&ime), text_of(&t)));
    }
}

/* Keys in any order are shown as a two-set input method shows them. */
Test(jamo, composes_any_keys_as_an_input_method)
{
    ws_rng rng = ws_rng_seeded(33);
    char keys[40], composed[CAP];
    for (int round = 0; round < 20000; round++) {
        two_set ime = two_set_empty;
        size_t n = ws_rng_between(&rng, 1, sizeof keys);
        for (size_t i = 0; i < n; i++) {
            keys[i] = (char)ws_rng_between(&rng, WS_JAMO_CONSONANT, WS_JAMO_END - 1);
            two_set_type(&ime, keys[i]);
        }
        ws_str got = apply(ws_jamo_compose, ws_str_make(keys, n), composed);
        ws_str shown = two_set_shown(&ime);
        if (!ws_str_eq(got, shown))
            cr_assert_fail("%.*s instead of %.*s, seed %llu", (int)got.len, got.ptr, (int)shown.len,
                           shown.ptr, (unsigned long long)rng.seed);
    }
}

Test(jamo, the_letters_of_the_layout)
{
    static const char letters[] = "rRseEfaqQtTdwWczxvgkoiOjpuPhynbml";
    char out[CAP], back[CAP], text[256];
    ws_str keys = apply(ws_qwerty_to_jamo, ws_cstr(letters), out);
    cr_assert_eq(keys.len, WS_JAMO_END - WS_JAMO_CONSONANT);
    for (size_t i = 0; i < keys.len; i++)
        cr_assert_eq((uint8_t)keys.ptr[i], WS_JAMO_CONSONANT + i, "%c", letters[i]);
    cr_assert(ws_str_eq(apply(ws_jamo_to_qwerty, keys, back), ws_cstr(letters)));
    for (int i = 0; i < 128; i++)
        text[i] = (char)i;
    for (int i = 0; i < 128; i++) { /* a letter of the layout stays; another capital is small */
        int shifted = i && strchr(letters, i);
        int want = i >= 'A' && i <= 'Z' && !shifted ? i + 32 : i;
        ws_str key = apply(ws_qwerty_to_jamo, ws_str_make(text + i, 1), out);
        ws_str letter = apply(ws_jamo_to_qwerty, key, back);
        cr_assert(letter.len == 1 && letter.ptr[0] == (char)want, "%d", i);
    }
}

Test(jamo, encodings_and_what_is_dropped)
{
    static const char *const rows[][2] = {
        {"\xef\xbe\xa1\xef\xbf\x82", "ㄱㅏ"}, /* half-width */
        {"ㄳㅢ", "ㄱㅅㅡㅣ"},
        {"가 나\t다\n\xe3\x80\x80라\xc2\xa0마", "ㄱㅏㄴㅏㄷㅏㄹㅏㅁㅏ"},
        {"가\xe2\x80\x8b나\xc2\xad", "ㄱㅏㄴㅏ"},
        {"c++ 17", "c++17"},
        {"東京é", "東京é"},
        {"\xff\xc3", "\xff\xc3"}, /* invalid: copied */
    };
    char key[CAP], shown[CAP];
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_str got = apply(ws_jamo_show, apply(ws_jamo_key, ws_cstr(rows[i][0]), key), shown);
        cr_expect(ws_str_eq(got, ws_cstr(rows[i][1])), "%s: %.*s", rows[i][0], (int)got.len,
                  got.ptr);
    }
}

/* --- sizes --- */

/* Hangul in all encodings, other letters, symbols of keys, broken bytes. */
static size_t random_input(ws_rng *rng, char *out, size_t cap)
{
    static const uint32_t blocks[][2] = {{0xac00, 0xd7a3}, {0x1100, 0x11ff},  {0x3130, 0x318f},
                                         {0xff00, 0xffdf}, {0x00, 0x7f},      {0x80, 0x7ff},
                                         {0x4e00, 0x9fff}, {0x1f300, 0x1f64f}};
    size_t n = 0, want = ws_rng_below(rng, cap - 4);
    while (n < want) {
        const uint32_t *block = blocks[ws_rng_below(rng, WS_ARRAY_LEN(blocks))];
        if (ws_rng_below(rng, 4) == 0)
            out[n++] = (char)ws_rng_u32(rng);
        else
            n += ws_utf8_encode((uint32_t)ws_rng_between(rng, block[0], block[1]), out + n);
    }
    return n;
}

/* Into a block of exactly `cap` bytes: the same beginning, the same length. */
static int is_same_with_cap(key_fn fn, ws_str in, ws_str whole, size_t cap)
{
    char *out = cap ? malloc(cap) : NULL;
    size_t n = fn(in, out, cap);
    int same = n == whole.len && (cap == 0 || memcmp(out, whole.ptr, WS_MIN(cap, n)) == 0);
    free(out);
    return same;
}

Test(jamo, every_size_of_the_output)
{
    static const key_fn fns[] = {ws_jamo_key,     ws_chosung_key,    ws_jamo_show,
                                 ws_jamo_compose, ws_qwerty_to_jamo, ws_jamo_to_qwerty};
    ws_rng rng = ws_rng_seeded(34);
    char whole[CAP];
    for (int round = 0; round < 600; round++) {
        char *in = malloc(48);
        size_t n = random_input(&rng, in, 48);
        in = realloc(in, n ? n : 1); /* a read beyond the end is an error */
        for (size_t f = 0; f < WS_ARRAY_LEN(fns); f++) {
            ws_str text = ws_str_make(in, n), want = apply(fns[f], text, whole);
            for (size_t cap = 0; cap <= want.len + 1; cap++)
                if (!is_same_with_cap(fns[f], text, want, cap))
                    cr_assert_fail("function %zu, %zu bytes, seed %llu", f, cap,
                                   (unsigned long long)rng.seed);
        }
        free(in);
    }
}
