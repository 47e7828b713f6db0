#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/rng.h"
#include "tests/support/test.h"

Test(str, compares_bytes_and_length)
{
    static const char *const sorted[] = {"", "a", "aa", "ab", "b", "\xea\xb0\x80", "\xff"};
    size_t n = sizeof sorted / sizeof sorted[0];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            int c = ws_str_cmp(ws_cstr(sorted[i]), ws_cstr(sorted[j]));
            cr_assert_eq((c > 0) - (c < 0), (i > j) - (i < j), "%zu %zu", i, j);
            cr_assert_eq(ws_str_eq(ws_cstr(sorted[i]), ws_cstr(sorted[j])), i == j);
        }
    }
    cr_assert(ws_str_eq((ws_str){NULL, 0}, WS_STR("")));
}

Test(str, prefixes)
{
    cr_assert(ws_str_starts_with(WS_STR("대한민국"), WS_STR("대한")));
    cr_assert(ws_str_starts_with(WS_STR("abc"), WS_STR("")));
    cr_assert(ws_str_starts_with((ws_str){NULL, 0}, (ws_str){NULL, 0}));
    cr_assert_not(ws_str_starts_with(WS_STR("ab"), WS_STR("abc")));
    cr_assert_not(ws_str_starts_with(WS_STR("abd"), WS_STR("abc")));
}

Test(str, sub_is_clamped)
{
    ws_str s = WS_STR("hello");
    cr_assert(ws_str_eq(ws_str_sub(s, 1, 3), WS_STR("el")));
    cr_assert(ws_str_eq(ws_str_sub(s, 3, 99), WS_STR("lo")));
    cr_assert_eq(ws_str_sub(s, 9, 99).len, 0);
    cr_assert_eq(ws_str_sub(s, 4, 2).len, 0);
    cr_assert_eq(ws_str_sub((ws_str){NULL, 0}, 1, 2).len, 0);
}

Test(str, unsigned_numbers)
{
    char text[32];
    uint64_t v;
    ws_rng rng = ws_rng_seeded(41);
    for (int i = 0; i < 10000; i++) {
        uint64_t want = ws_rng_skewed(&rng, 64);
        snprintf(text, sizeof text, "%" PRIu64, want);
        cr_assert(ws_str_to_u64(ws_cstr(text), &v));
        cr_assert_eq(v, want);
    }
    cr_assert(ws_str_to_u64(WS_STR("18446744073709551615"), &v));
    cr_assert_eq(v, UINT64_MAX);
    cr_assert(ws_str_to_u64(WS_STR("0000000000000000000000007"), &v));
    cr_assert_eq(v, 7);
    static const char *const bad[] = {"",    "18446744073709551616", "99999999999999999999", "-1",
                                      "+1",  " 1",                   "1 ",                   "0x1",
                                      "1.0", "１"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        v = 77;
        cr_assert_not(ws_str_to_u64(ws_cstr(bad[i]), &v), "'%s'", bad[i]);
        cr_assert_eq(v, 77);
    }
    cr_assert_not(ws_str_to_u64((ws_str){NULL, 0}, &v));
}

Test(str, signed_numbers)
{
    int64_t v;
    cr_assert(ws_str_to_i64(WS_STR("-9223372036854775808"), &v));
    cr_assert_eq(v, INT64_MIN);
    cr_assert(ws_str_to_i64(WS_STR("9223372036854775807"), &v));
    cr_assert_eq(v, INT64_MAX);
    cr_assert(ws_str_to_i64(WS_STR("-0"), &v));
    cr_assert_eq(v, 0);
    static const char *const bad[] = {"", "-", "--1", "-9223372036854775809",
                                      "9223372036854775808"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_not(ws_str_to_i64(ws_cstr(bad[i]), &v), "'%s'", bad[i]);
}

/* The definition of the distance, by recursion; strings are short. */
static unsigned distance(const char *a, const char *b)
{
    if (!*a || !*b)
        return (unsigned)(strlen(a) + strlen(b));
    unsigned best = distance(a + 1, b + 1) + (*a != *b);
    unsigned remove = distance(a + 1, b) + 1, insert = distance(a, b + 1) + 1;
    best = remove < best ? remove : best;
    best = insert < best ? insert : best;
    if (a[1] && b[1] && a[0] == b[1] && a[1] == b[0]) {
        unsigned swap = distance(a + 2, b + 2) + 1;
        best = swap < best ? swap : best;
    }
    return best;
}

static void random_word(ws_rng *rng, char out[8])
{
    size_t n = ws_rng_below(rng, 7);
    for (size_t i = 0; i < n; i++)
        out[i] = (char)('a' + (char)ws_rng_below(rng, 3));
    out[n] = '\0';
}

Test(str, nearest_agrees_with_the_definition)
{
    ws_rng rng = ws_rng_seeded(42);
    for (int round = 0; round < 300; round++) {
        char words[5][8], s[8];
        const char *names[5];
        int want = -1;
        unsigned best = 99;
        random_word(&rng, s);
        unsigned limit = (unsigned)strlen(s) / 3;
        for (int i = 0; i < 5; i++) {
            random_word(&rng, words[i]);
            names[i] = words[i];
            unsigned d = distance(s, words[i]);
            if (d <= limit && d <= 3 && d < best) {
                best = d;
                want = i;
            }
        }
        cr_assert_eq(ws_str_nearest(ws_cstr(s), names, 5), want, "'%s', seed %llu", s,
                     (unsigned long long)rng.seed);
    }
}

Test(str, nearest_for_people)
{
    static const char *const verbs[] = {"import", "search", "analyze", "stats"};
    cr_assert_eq(ws_str_nearest(WS_STR("serach"), verbs, 4), 1);
    cr_assert_eq(ws_str_nearest(WS_STR("analyse"), verbs, 4), 2);
    cr_assert_eq(ws_str_nearest(WS_STR("sttas"), verbs, 4), 3);
    cr_assert_eq(ws_str_nearest(WS_STR("xyzzy"), verbs, 4), -1);
    cr_assert_eq(ws_str_nearest(WS_STR(""), verbs, 4), -1);
    cr_assert_eq(ws_str_nearest(WS_STR("stats"), verbs, 0), -1);
    char longer[200];
    memset(longer, 'a', sizeof longer);
    cr_assert_eq(ws_str_nearest(ws_str_make(longer, sizeof longer), verbs, 4), -1);
}
