#include "base/heap.h"

#include <stdlib.h>

#include "tests/support/rng.h"
#include "tests/support/test.h"

#define OFFERED 500u

static int by_rank(const void *a, const void *b)
{
    const ws_top_entry *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

static void compare_with_sort(uint32_t k, uint32_t scores, uint64_t seed)
{
    ws_rng rng = ws_rng_seeded(seed);
    ws_top_entry all[OFFERED], best[OFFERED];
    ws_top top;
    ws_top_init(&top, best, k);
    for (uint32_t i = 0; i < OFFERED; i++) {
        /* An odd multiplier makes the keys distinct and out of order. */
        all[i] = (ws_top_entry){(uint64_t)i * 0x9e3779b97f4a7c15u,
                                (uint32_t)ws_rng_below(&rng, scores), i % 3, i};
        int wanted = k && ws_top_wants(&top, all[i].score);
        uint32_t n = top.n;
        ws_top_entry worst = best[0];
        ws_top_offer(&top, all[i]);
        if (!wanted)
            cr_assert(top.n == n && (!k || worst.key == best[0].key), "refused but changed");
    }
    qsort(all, OFFERED, sizeof all[0], by_rank);
    ws_top_sort(&top);
    cr_assert_eq(top.n, k < OFFERED ? k : OFFERED);
    for (uint32_t i = 0; i < top.n; i++) {
        cr_assert_eq(best[i].key, all[i].key, "seed %llu, k %u, rank %u",
                     (unsigned long long)rng.seed, k, i);
        cr_assert_eq(best[i].doc, all[i].doc);
    }
}

Test(heap, keeps_what_a_full_sort_puts_first)
{
    static const uint32_t ks[] = {0, 1, 2, 3, 10, 31, 32, 33, 499, 500};
    for (uint32_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
        compare_with_sort(ks[i], 1000000, 7 + i);
        compare_with_sort(ks[i], 5, 70 + i); /* mostly ties: the key decides */
        compare_with_sort(ks[i], 1, 700 + i);
    }
}

Test(heap, result_does_not_depend_on_the_order_of_offers)
{
    ws_rng rng = ws_rng_seeded(3);
    ws_top_entry in[64], a[10], b[10];
    ws_top top_a, top_b;
    for (uint32_t i = 0; i < 64; i++)
        in[i] = (ws_top_entry){i, (uint32_t)ws_rng_below(&rng, 8), 0, i};
    ws_top_init(&top_a, a, 10);
    ws_top_init(&top_b, b, 10);
    for (uint32_t i = 0; i < 64; i++) {
        ws_top_offer(&top_a, in[i]);
        ws_top_offer(&top_b, in[63 - i]);
    }
    ws_top_sort(&top_a);
    ws_top_sort(&top_b);
    for (uint32_t i = 0; i < 10; i++)
        cr_assert_eq(a[i].key, b[i].key, "rank %u", i);
}

Test(heap, sorts_fewer_than_k)
{
    ws_top_entry best[8];
    ws_top top;
    ws_top_init(&top, best, 8);
    ws_top_sort(&top);
    cr_assert_eq(top.n, 0);
    ws_top_offer(&top, (ws_top_entry){5, 1, 0, 0});
    ws_top_offer(&top, (ws_top_entry){4, 1, 0, 1});
    ws_top_offer(&top, (ws_top_entry){3, 9, 0, 2});
    ws_top_sort(&top);
    cr_assert_eq(top.n, 3);
    cr_assert_eq(best[0].key, 3);
    cr_assert_eq(best[1].key, 4);
    cr_assert_eq(best[2].key, 5);
}
