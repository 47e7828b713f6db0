/* The tiers: what they pick, and how often a document is rewritten when segments keep coming. */
#include "engine/index/merge.h"
#include "tests/support/test.h"

#define MIB (1ull << 20)

Test(merge_policy, seven_of_a_size_wait_for_the_eighth)
{
    uint64_t bytes[8];
    uint32_t docs[8], deleted[8] = {0}, picks[WS_MERGE_MAX_INPUTS];
    for (int i = 0; i < 8; i++) {
        bytes[i] = 4 * MIB;
        docs[i] = 100;
    }
    cr_assert_eq(ws_merge_pick(bytes, docs, deleted, 7, 1000 * MIB, picks), 0);
    cr_assert_eq(ws_merge_pick(bytes, docs, deleted, 8, 1000 * MIB, picks), 8);
    for (uint32_t i = 0; i < 8; i++)
        cr_assert_eq(picks[i], i);
}

Test(merge_policy, large_segments_are_left_out_and_picks_ascend)
{
    uint64_t bytes[9] = {900 * MIB, 3 * MIB, 2 * MIB, 2 * MIB, 5 * MIB,
                         2 * MIB,   2 * MIB, 2 * MIB, 2 * MIB};
    uint32_t docs[9], deleted[9] = {0}, picks[WS_MERGE_MAX_INPUTS];
    for (int i = 0; i < 9; i++)
        docs[i] = 10;
    cr_assert_eq(ws_merge_pick(bytes, docs, deleted, 9, 100 * MIB, picks), 8);
    for (uint32_t i = 0; i < 8; i++)
        cr_assert_eq(picks[i], i + 1);
}

Test(merge_policy, a_segment_with_many_deleted_is_rewritten_alone)
{
    uint64_t bytes[3] = {50 * MIB, 20 * MIB, 5 * MIB};
    uint32_t docs[3] = {100, 100, 100}, deleted[3] = {30, 31, 0}, picks[WS_MERGE_MAX_INPUTS];
    cr_assert_eq(ws_merge_pick(bytes, docs, deleted, 3, 1000 * MIB, picks), 1);
    cr_assert_eq(picks[0], 1);
    cr_assert_eq(ws_merge_pick(bytes, docs, deleted, 3, 10 * MIB, picks), 0, "beyond the ceiling");
}

/* 512 equal flushes: three tiers, so each byte is written at most 3 times more than its flush. */
Test(merge_policy, a_byte_is_rewritten_once_a_tier)
{
    uint64_t bytes[1024], written = 0;
    uint32_t docs[1024], deleted[1024] = {0}, picks[WS_MERGE_MAX_INPUTS], n = 0;
    for (int flush = 0; flush < 512; flush++) {
        bytes[n] = 10 * MIB;
        docs[n++] = 100;
        for (uint32_t m; (m = ws_merge_pick(bytes, docs, deleted, n, UINT64_MAX, picks)) != 0;) {
            uint64_t total = 0;
            uint32_t kept = 0;
            for (uint32_t i = 0, k = 0; i < n; i++) {
                if (k < m && picks[k] == i) {
                    total += bytes[i];
                    k++;
                } else {
                    bytes[kept++] = bytes[i];
                }
            }
            written += total;
            bytes[kept] = total;
            docs[kept] = 100;
            n = kept + 1;
        }
    }
    cr_assert_leq(n, 22u, "%u segments are left", n);
    cr_assert_leq(written, 3 * 512 * 10 * MIB, "rewritten %.2f times",
                  (double)written / (512.0 * 10 * MIB));
}
