/* ws_chosung_match against all that a person may type on the way through an entry: for a few
 * syllables that is a short list. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/two_set.h"

#define UNITS_MAX 5
#define LIST_MAX  1024

/* One code point each: a syllable, an initial (compatibility jamo), a letter. 0 ends. */
typedef struct {
    uint32_t units[UNITS_MAX + 1];
    size_t n;
} word;

static word list[LIST_MAX];
static size_t n_list;

/* --- all that may be typed --- */

static uint32_t initial_of(uint32_t syllable)
{
    two_set ime = two_set_empty;
    char keys[TWO_SET_KEYS_MAX];
    two_set_keys(syllable, keys);
    two_set_type(&ime, keys[0]);
    return two_set_pending(&ime);
}

static void add(const word *w)
{
    cr_assert_lt(n_list, (size_t)LIST_MAX);
    list[n_list++] = *w;
}

/* What the screen shows on the way through the syllable, and when the first key of the next one
 * joined it (댛 on the way to 대한). */
static void add_half_typed(const word *head, uint32_t syllable, uint32_t next)
{
    two_set ime = two_set_empty;
    char keys[TWO_SET_KEYS_MAX + 1], after[TWO_SET_KEYS_MAX];
    size_t n = two_set_keys(syllable, keys);
    if (ws_is_syllable(next)) {
        two_set_keys(next, after);
        keys[n++] = after[0];
    }
    for (size_t i = 0; i < n; i++) {
        word w = *head;
        two_set_type(&ime, keys[i]);
        w.units[w.n++] = two_set_pending(&ime);
        if (ime.n == 0)
            add(&w);
    }
}

/* Every way to type the first `head->n` units is in `head`; goes on from there. */
static void list_from(const word *entry, const word *head)
{
    uint32_t c = entry->units[head->n];
    word w = *head;
    if (c == 0)
        return;
    w.units[w.n++] = c;
    if (!ws_is_syllable(c)) {
        add(&w);
        list_from(entry, &w);
        return;
    }
    add_half_typed(head, c, entry->units[w.n]);
    list_from(entry, &w);
    w.units[head->n] = initial_of(c);
    list_from(entry, &w);
}

static int is_listed(const word *typed)
{
    for (size_t i = 0; i < n_list; i++)
        if (list[i].n == typed->n &&
            memcmp(list[i].units, typed->units, typed->n * sizeof *typed->units) == 0)
            return 1;
    return 0;
}

/* --- random words --- */

/* Few initials, vowels and finals, so that words resemble each other. */
static uint32_t random_unit(ws_rng *rng)
{
    static const uint32_t initials[] = {0, 2, 5, 7, 9, 11, 18}, vowels[] = {0, 1, 8, 9, 13};
    static const uint32_t finals[] = {0, 0, 1, 3, 4, 6, 8, 9, 17, 18, 19};
    if (ws_rng_below(rng, 8) == 0)
        return 'a' + (uint32_t)ws_rng_below(rng, 3);
    uint32_t i = initials[ws_rng_below(rng, WS_ARRAY_LEN(initials))],
             v = vowels[ws_rng_below(rng, WS_ARRAY_LEN(vowels))],
             f = finals[ws_rng_below(rng, WS_ARRAY_LEN(finals))];
    return 0xac00 + (i * 21 + v) * 28 + f;
}

static word random_entry(ws_rng *rng)
{
    word w = {{0}, ws_rng_between(rng, 1, UNITS_MAX)};
    for (size_t i = 0; i < w.n; i++)
        w.units[i] = random_unit(rng);
    return w;
}

/* What may be typed, or almost. */
static word random_typed(ws_rng *rng)
{
    word w = list[ws_rng_below(rng, n_list)];
    if (ws_rng_below(rng, 2)) {
        uint32_t c = random_unit(rng);
        if (ws_is_syllable(c) && ws_rng_below(rng, 2))
            c = initial_of(c);
        w.units[ws_rng_below(rng, w.n)] = c;
    }
    return w;
}

/* Blanks between units mean nothing. */
static ws_str spell(ws_rng *rng, const word *w, char out[64])
{
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (ws_rng_below(rng, 4) == 0)
            out[n++] = ' ';
        n += ws_utf8_encode(w->units[i], out + n);
    }
    return ws_str_make(out, n);
}

static int is_one_initial(const word *w)
{
    return w->n == 1 && w->units[0] >= 0x3131 && w->units[0] <= 0x314e;
}

Test(chosung, matches_what_may_be_typed_and_nothing_else)
{
    ws_rng rng = ws_rng_seeded(41);
    int hits = 0, misses = 0;
    for (int round = 0; round < 3000; round++) {
        word entry = random_entry(&rng), nothing = {{0}, 0};
        n_list = 0;
        list_from(&entry, &nothing);
        for (int i = 0; i < 10; i++) {
            char a[64], b[64];
            word typed = random_typed(&rng);
            int want = is_listed(&typed) && !is_one_initial(&typed);
            ws_str left = spell(&rng, &typed, a), right = spell(&rng, &entry, b);
            if (ws_chosung_match(left, right) != want)
                cr_assert_fail("%.*s for %.*s: expected %d, seed %llu", (int)left.len, left.ptr,
                               (int)right.len, right.ptr, want, (unsigned long long)rng.seed);
            hits += want;
            misses += !want;
        }
    }
    cr_assert(hits > 5000 && misses > 5000, "%d hits, %d misses", hits, misses);
}

/* An input method may show two initials as one jamo: ㄳ is ㄱ and ㅅ. */
Test(chosung, joined_initials_are_two)
{
    static const struct {
        const char *typed, *entry;
        int match;
    } rows[] = {
        {"ㄳ", "가수", 1}, {"ㄳ", "각", 0},     {"ㄳㅎ", "가수회", 1}, {"대ㅄ", "대박사", 1},
        {"ㅄ", "빗", 0},   {"ㅏ", "아버지", 0}, {"ㄱ", "가", 0},       {"ㄱ ", "가", 0},
        {"", "가", 1},     {"", "", 1},         {"가", "", 0},         {"가a", "가a", 1},
        {"ㄱa", "가a", 1}, {"ㄱ가", "ㄱ가", 1}, {"a", "ab", 1},        {"b", "ab", 0},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++)
        cr_expect_eq(ws_chosung_match(ws_cstr(rows[i].typed), ws_cstr(rows[i].entry)),
                     rows[i].match, "%s for %s", rows[i].typed, rows[i].entry);
}

Test(chosung, any_bytes_of_any_length)
{
    ws_rng rng = ws_rng_seeded(42);
    for (int round = 0; round < 20000; round++) {
        size_t n = ws_rng_below(&rng, 24), m = ws_rng_below(&rng, 24);
        char *a = malloc(n + !n), *b = malloc(m + !m);
        ws_rng_fill(&rng, a, n);
        ws_rng_fill(&rng, b, m);
        ws_chosung_match(ws_str_make(a, n), ws_str_make(b, m));
        free(a);
        free(b);
    }
    char *much = malloc(6000);
    for (size_t i = 0; i < 6000; i++)
        much[i] = "ㄱ"[i % 3];
    cr_assert_eq(ws_chosung_match(ws_str_make(much, 6000), ws_str_make(much, 6000)), 0,
                 "longer than any entry");
    cr_assert_eq(ws_chosung_match(ws_str_make(much, 300), ws_str_make(much, 6000)), 1);
    free(much);
}
