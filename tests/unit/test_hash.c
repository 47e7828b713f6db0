#include "base/hash.h"

#include <string.h>

#include "base/mem.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

/* Published test values of XXH3 with seed 0. They are on disk in every index: a change here is a
 * change of format. */
Test(hash, known_values)
{
    cr_assert_eq(ws_hash64("", 0), 0x2d06800538d394c2u);
    cr_assert_eq(ws_hash64(NULL, 0), 0x2d06800538d394c2u);
    ws_hash128 empty = ws_hash128_of("", 0);
    cr_assert_eq(empty.lo, 0x6001c324468d497fu);
    cr_assert_eq(empty.hi, 0x99aa06d3014798d8u);
}

Test(hash, seed_zero_is_the_plain_hash_and_others_differ)
{
    const char *text = "대한민국";
    size_t n = strlen(text);
    cr_assert_eq(ws_hash64_seed(text, n, 0), ws_hash64(text, n));
    cr_assert_neq(ws_hash64_seed(text, n, 1), ws_hash64(text, n));
    cr_assert_neq(ws_hash64_seed(text, n, 1), ws_hash64_seed(text, n, 2));
}

/* The one-shot hash is the oracle of the incremental one, over every length class of XXH3. */
Test(hash, pieces_give_the_hash_of_the_whole)
{
    static uint8_t bytes[10000];
    ws_rng rng = ws_rng_seeded(51);
    ws_rng_fill(&rng, bytes, sizeof bytes);
    ws_hasher *h = ws_hasher_new();
    cr_assert_not_null(h);
    for (int round = 0; round < 300; round++) {
        size_t n = round < 260 ? (size_t)round : ws_rng_below(&rng, sizeof bytes + 1), at = 0;
        ws_hasher_reset(h);
        while (at < n) {
            size_t part = ws_rng_below(&rng, n - at + 1);
            ws_hasher_update(h, bytes + at, part);
            at += part;
            cr_assert_eq(ws_hasher_digest(h), ws_hash64(bytes, at), "%zu of %zu", at, n);
        }
        cr_assert_eq(ws_hasher_digest(h), ws_hash64(bytes, n), "length %zu", n);
    }
    ws_hasher_free(h);
    ws_hasher_free(NULL);
}

Test(hash, one_bit_changes_both_halves)
{
    uint8_t bytes[300] = {0};
    ws_hash128 before = ws_hash128_of(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] ^= 1;
        ws_hash128 after = ws_hash128_of(bytes, sizeof bytes);
        cr_assert(after.lo != before.lo && after.hi != before.hi, "byte %zu", i);
        bytes[i] ^= 1;
    }
}

static int fail_always(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return 1;
}

static void remove_hook(void)
{
    ws_mem_set_fault(NULL, NULL);
}

Test(hash, hasher_without_memory_is_null, .fini = remove_hook)
{
    ws_mem_set_fault(fail_always, NULL);
    cr_assert_null(ws_hasher_new());
}
