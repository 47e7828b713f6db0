/* Sorting of terms against qsort. */
#include <stdlib.h>

#include "base/str.h"
#include "engine/index/term_sort.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define MAX_TERMS 20000

static char texts[MAX_TERMS][32];

static ws_str key_of(const void *ctx, uint32_t term)
{
    (void)ctx;
    return ws_cstr(texts[term]);
}

static int compare(const void *a, const void *b)
{
    return strcmp(texts[*(const uint32_t *)a], texts[*(const uint32_t *)b]);
}

static void check_order_by(uint32_t n, uint64_t (*prefix)(ws_str))
{
    ws_sort_key *keys = malloc((n + 1) * sizeof *keys);
    uint32_t *expected = malloc((n + 1) * sizeof *expected);
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (ws_sort_key){prefix(key_of(NULL, i)), i};
        expected[i] = i;
    }
    ws_sort_terms(keys, n, key_of, NULL);
    qsort(expected, n, sizeof *expected, compare);
    for (uint32_t i = 0; i < n; i++)
        cr_assert_eq(keys[i].term, expected[i], "place %u of %u", i, n);
    free(keys);
    free(expected);
}

static void check_order(uint32_t n)
{
    check_order_by(n, ws_sort_prefix);
    check_order_by(n, ws_sort_term_prefix);
}

Test(term_sort, random_terms_of_every_count_order_as_by_qsort)
{
    ws_rng rng = ws_rng_seeded(7);
    for (uint32_t i = 0; i < MAX_TERMS;
         i++) /* distinct: the number is part of it; prefixes collide often */
        snprintf(texts[i], sizeof texts[i], "%c%c%.*s%05u", (int)ws_rng_between(&rng, 1, 31),
                 (int)ws_rng_between(&rng, 1, 3), (int)ws_rng_below(&rng, 12), "abababababab", i);
    for (uint32_t n = 0; n < 120; n++)
        check_order(n);
    check_order(MAX_TERMS);
}

Test(term_sort, ordered_and_reversed_input_is_no_worst_case_for_the_stack)
{
    for (uint32_t i = 0; i < MAX_TERMS; i++)
        snprintf(texts[i], sizeof texts[i], "\x1f\x03%05u", i);
    check_order(MAX_TERMS);
    for (uint32_t i = 0; i < MAX_TERMS; i++)
        snprintf(texts[i], sizeof texts[i], "\x1f\x03%05u", MAX_TERMS - i);
    check_order(MAX_TERMS);
}

Test(term_sort, prefix_orders_bytes_beyond_127_last)
{
    cr_assert_gt(ws_sort_prefix(WS_STR("\xea\xb0\x80")), ws_sort_prefix(WS_STR("zzzzzzzz")));
    cr_assert_gt(ws_sort_prefix(WS_STR("ab")), ws_sort_prefix(WS_STR("a")));
    cr_assert_eq(ws_sort_prefix(ws_cstr(NULL)), 0);
}
