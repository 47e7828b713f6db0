/* The adaptive radix tree against a sorted array, and the rules that its nodes keep. */
#include "tests/support/art_model.h"
#include "tests/support/faults.h"
#include "tests/support/test.h"

#define SEED(rng) "seed %llu", (unsigned long long)(rng)->seed

/* --- what holds in every tree --- */

static void check_prefix(const ws_art_node *node)
{
    cr_assert_leq(node->prefix_length, WS_ART_PREFIX_MAX);
    for (uint32_t i = node->prefix_length; i < WS_ART_PREFIX_MAX; i++)
        cr_assert_eq(node->prefix[i], 0);
}

/* Returns the number of leaves below; *max = their largest score. Depth is bounded by the keys. */
static uint64_t check_below(const art_model *m, uint64_t slot, uint32_t seen[4])
{
    static const uint32_t least[] = {1, 5, 17, 49}, most[] = {4, 16, 48, 256};
    if (ws_art_is_leaf(slot)) {
        const model_key *k = &m->keys[ws_art_leaf_id(slot)];
        cr_assert(k->present);
        cr_assert_eq(ws_art_slot_max(slot), k->score);
        return 1;
    }
    ws_art_node *node = ws_art_node_at(&m->pool, slot);
    uint8_t bytes[256];
    uint32_t n = ws_art_node_bytes(node, bytes), max = 0;
    uint64_t leaves = 0;
    cr_assert(n >= least[node->type] && n <= most[node->type]);
    cr_assert_eq(n, ws_art_count(node));
    check_prefix(node);
    seen[node->type]++;
    for (uint32_t i = 0; i < n; i++) {
        cr_assert(i == 0 || bytes[i - 1] < bytes[i]);
        uint64_t child = ws_art_load(ws_art_child(node, bytes[i]));
        cr_assert(child != 0 && (n > 1 || !ws_art_is_leaf(child)), "a chain ends in a leaf");
        max = WS_MAX(max, ws_art_slot_max(child));
        leaves += check_below(m, child, seen);
    }
    cr_assert_eq(ws_art_slot_max(slot), max);
    return leaves;
}

static void check_shape(const art_model *m, uint32_t seen[4])
{
    uint64_t root = ws_art_load(&m->art.root);
    cr_assert_eq(root ? check_below(m, root, seen) : 0, m->art.n);
}

/* --- answers against the array --- */

typedef struct {
    const art_model *m;
    uint32_t next, to, n;
} walk;

static int on_leaf(void *ctx, uint32_t id, uint32_t score)
{
    walk *w = ctx;
    while (w->next < w->to && !w->m->keys[w->next].present)
        w->next++;
    cr_assert_eq(id, w->next++);
    cr_assert_eq(score, w->m->keys[id].score);
    w->n++;
    return 0;
}

static void check_iteration(const art_model *m, ws_str prefix)
{
    uint32_t from, to, present = 0;
    model_range(m, prefix, &from, &to);
    walk w = {m, from, to, 0};
    cr_assert_eq(ws_art_iterate_prefix(&m->art, prefix, on_leaf, &w), 0);
    for (uint32_t i = from; i < to; i++)
        present += m->keys[i].present != 0;
    cr_assert_eq(w.n, present);
}

static void check_top(const art_model *m, ws_str prefix, uint32_t k, const ws_rng *rng)
{
    static ws_art_top_scratch scratch;
    static ws_art_leaf_key leaf;
    ws_art_hit hits[WS_ART_TOP_MAX];
    uint32_t from, to, ids[WS_ART_TOP_MAX + 1], n = 0;
    ws_art_place place;
    leaf.id = UINT32_MAX;
    model_range(m, prefix, &from, &to);
    uint32_t expected = model_top(m, from, to, k, ids);
    if (ws_art_start(&m->art, &place) && ws_art_walk(&m->art, &place, prefix, &leaf))
        n = ws_art_top(&m->art, &place, 1, k, &scratch, hits);
    cr_assert_eq(n, expected, SEED(rng));
    for (uint32_t i = 0; i < n; i++) {
        cr_assert_eq(hits[i].id, ids[i], SEED(rng));
        cr_assert_eq(hits[i].score, m->keys[ids[i]].score, SEED(rng));
    }
}

static void check_ends(const art_model *m)
{
    uint32_t first = UINT32_MAX, last = UINT32_MAX, id;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->keys[i].present) {
            last = i;
            first = WS_MIN(first, i);
        }
    cr_assert_eq(ws_art_minimum(&m->art, &id, NULL), m->art.n ? WS_OK : WS_ERR_NOT_FOUND);
    cr_assert(!m->art.n || id == first);
    cr_assert_eq(ws_art_maximum(&m->art, &id, NULL), m->art.n ? WS_OK : WS_ERR_NOT_FOUND);
    cr_assert(!m->art.n || id == last);
}

static void check_all(const art_model *m, ws_rng *rng)
{
    uint32_t id, score;
    for (uint32_t i = 0; i < m->n; i++) {
        ws_status status = ws_art_search(&m->art, model_str(&m->keys[i]), &id, &score);
        cr_assert_eq(status, m->keys[i].present ? WS_OK : WS_ERR_NOT_FOUND);
        cr_assert(status || (id == i && score == m->keys[i].score));
    }
    check_iteration(m, ws_str_make(NULL, 0));
    check_ends(m);
    for (int round = 0; round < 60; round++) {
        const model_key *k = &m->keys[ws_rng_below(rng, m->n)];
        ws_str prefix = ws_str_make(k->key, ws_rng_below(rng, WS_MIN(k->n, 30) + 1));
        check_iteration(m, prefix);
        check_top(m, prefix, 1 + (uint32_t)ws_rng_below(rng, round % 8 ? 12 : WS_ART_TOP_MAX), rng);
    }
}

/* --- changes --- */

static uint32_t random_score(ws_rng *rng)
{
    return (uint32_t)ws_rng_below(rng, ws_rng_below(rng, 2) ? 4 : UINT32_MAX); /* many ties */
}

static void change(art_model *m, ws_rng *rng)
{
    uint32_t id, i = (uint32_t)ws_rng_below(rng, m->n), score = random_score(rng);
    model_key *k = &m->keys[i];
    if (!k->present) {
        cr_assert_eq(ws_art_set_score(&m->art, model_str(k), score), WS_ERR_NOT_FOUND);
        cr_assert_eq(ws_art_delete(&m->art, model_str(k), &id), WS_ERR_NOT_FOUND);
        cr_assert_eq(ws_art_insert(&m->art, model_str(k), i, score), WS_OK);
        k->present = 1;
        k->score = score;
    } else if (ws_rng_below(rng, 3)) {
        cr_assert_eq(ws_art_insert(&m->art, model_str(k), i, score), WS_ERR_CONFLICT);
        cr_assert_eq(ws_art_set_score(&m->art, model_str(k), score), WS_OK);
        k->score = score;
    } else {
        cr_assert_eq(ws_art_delete(&m->art, model_str(k), &id), WS_OK);
        cr_assert_eq(id, i);
        k->present = 0;
    }
}

static void delete_all(art_model *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (m->keys[i].present)
            cr_assert_eq(ws_art_delete(&m->art, model_str(&m->keys[i]), NULL), WS_OK);
    cr_assert_eq(ws_art_load(&m->art.root), 0);
    for (uint32_t i = 0; i < m->n; i++)
        m->keys[i].present = 0;
}

static void run_random(uint64_t seed, uint32_t n, uint32_t kinds, uint32_t changes)
{
    ws_rng rng = ws_rng_seeded(seed);
    art_model m;
    uint32_t seen[4] = {0};
    model_init(&m, &rng, n, kinds);
    for (uint32_t i = 0; i < changes; i++) {
        change(&m, &rng);
        if (i % (changes / 10) == 0) {
            check_shape(&m, seen);
            check_all(&m, &rng);
        }
    }
    check_shape(&m, seen);
    check_all(&m, &rng);
    printf("seed %llu: %llu keys, nodes met %u %u %u %u", (unsigned long long)rng.seed,
           (unsigned long long)m.art.n, seen[0], seen[1], seen[2], seen[3]);
    if (kinds == 2)
        cr_assert(seen[0] && seen[1] && seen[2] && seen[3], "every type of node was met");
    delete_all(&m);
    cr_assert_eq(ws_pool_reserve(&m.pool, 1, 1), WS_OK); /* the last ones come back at 64 or more */
    cr_assert_leq(ws_pool_used_bytes(&m.pool), 64u * sizeof(ws_art_node256));
    check_all(&m, &rng);
    model_fini(&m);
}

Test(art, equals_a_sorted_array_with_long_common_prefixes)
{
    run_random(1, 2000, 1, 8000);
}

Test(art, equals_a_sorted_array_with_wide_nodes)
{
    run_random(2, 30000, 2, 60000);
}

Test(art, equals_a_sorted_array_with_chained_prefixes)
{
    run_random(3, 1500, 4, 8000);
}

Test(art, equals_a_sorted_array_with_keystrokes)
{
    run_random(4, 3000, 8, 12000);
}

Test(art, equals_a_sorted_array_with_all_kinds)
{
    for (uint64_t seed = 10; seed < 14; seed++)
        run_random(seed, 1200, 15, 6000);
}

Test(art, refuses_keys_that_are_prefixes)
{
    ws_rng rng = ws_rng_seeded(5);
    art_model m;
    model_init(&m, &rng, 2, 1);
    char long_key[WS_ART_KEY_MAX + 1] = {0};
    cr_assert_eq(ws_art_insert(&m.art, ws_str_make("", 0), 0, 1), WS_ERR_ARG);
    cr_assert_eq(ws_art_insert(&m.art, ws_str_make(long_key, sizeof long_key), 0, 1), WS_ERR_ARG);
    cr_assert_eq(ws_art_insert(&m.art, model_str(&m.keys[0]), 0, 1), WS_OK);
    ws_str shorter = ws_str_make(m.keys[0].key, m.keys[0].n - 1);
    cr_assert_eq(ws_art_insert(&m.art, shorter, 1, 1), WS_ERR_ARG);
    cr_assert_eq(ws_art_insert(&m.art, model_str(&m.keys[1]), 1, 1), WS_OK);
    cr_assert_eq(ws_art_insert(&m.art, shorter, 1, 1), WS_ERR_ARG);
    cr_assert_eq(m.art.n, 2);
    m.keys[0].present = m.keys[1].present = 1;
    m.keys[0].score = m.keys[1].score = 1;
    check_all(&m, &rng);
    model_fini(&m);
}

/* Chooses disjoint places in ascending order; the model hides what is not below them. */
static uint32_t choose_places(art_model *m, ws_rng *rng, ws_art_place places[8])
{
    ws_art_leaf_key leaf = {.id = UINT32_MAX};
    uint32_t n = 0, from, to, i = (uint32_t)ws_rng_below(rng, m->n / 2), end = 0;
    for (uint32_t j = 0; j < m->n; j++)
        m->keys[j].hidden = 1;
    for (; i < m->n && n < 8; i = WS_MAX(i, end) + 1 + (uint32_t)ws_rng_below(rng, m->n / 6)) {
        size_t length = 2 + ws_rng_below(rng, 6);
        ws_str prefix = ws_str_make(m->keys[i].key, WS_MIN(m->keys[i].n, length));
        model_range(m, prefix, &from, &to);
        if (from < end || !ws_art_start(&m->art, &places[n]) ||
            !ws_art_walk(&m->art, &places[n], prefix, &leaf))
            continue;
        for (uint32_t j = from; j < to; j++)
            m->keys[j].hidden = 0;
        end = to;
        n++;
    }
    return n;
}

/* Several places at once, as fuzzy search asks. */
Test(art, best_of_several_places_equal_the_merged_ones)
{
    ws_rng rng = ws_rng_seeded(6);
    art_model m;
    static ws_art_top_scratch scratch;
    uint32_t most = 0;
    model_init(&m, &rng, 3000, 9);
    for (uint32_t i = 0; i < 6000; i++)
        change(&m, &rng);
    for (int round = 0; round < 300; round++) {
        ws_art_place places[8];
        ws_art_hit hits[32];
        uint32_t ids[33], k = 1 + (uint32_t)ws_rng_below(&rng, 32);
        uint32_t n = choose_places(&m, &rng, places), n_ids = model_top(&m, 0, m.n, k, ids);
        most = WS_MAX(most, n);
        cr_assert_eq(ws_art_top(&m.art, places, n, k, &scratch, hits), n_ids, SEED(&rng));
        for (uint32_t j = 0; j < n_ids; j++)
            cr_assert_eq(hits[j].id, ids[j], SEED(&rng));
    }
    cr_assert_gt(most, 4);
    model_fini(&m);
}

Test(art, opens_few_nodes)
{
    ws_rng rng = ws_rng_seeded(7);
    art_model m;
    static ws_art_top_scratch scratch;
    ws_art_hit hits[64];
    ws_art_place place;
    model_init(&m, &rng, 20000, 8);
    for (uint32_t i = 0; i < m.n; i++)
        cr_assert_eq(
            ws_art_insert(&m.art, model_str(&m.keys[i]), i, (uint32_t)ws_rng_below(&rng, 99)),
            WS_OK);
    for (uint32_t k = 1; k <= 64; k *= 2) {
        scratch.visited = 0;
        cr_assert(ws_art_start(&m.art, &place));
        cr_assert_eq(ws_art_top(&m.art, &place, 1, k, &scratch, hits), k);
        cr_assert_leq(scratch.visited, 40 + 12 * k);
    }
    model_fini(&m);
}

/* --- memory --- */

static uint32_t fill_until_failure(art_model *m, ws_rng *rng, uint64_t nth)
{
    ws_faults faults;
    uint32_t changes = 0;
    ws_faults_arm(&faults, nth);
    for (; changes < 40000; changes++) {
        uint32_t i = (uint32_t)ws_rng_below(rng, m->n), score = random_score(rng);
        model_key *k = &m->keys[i];
        ws_status status = k->present ? ws_art_delete(&m->art, model_str(k), NULL)
                                      : ws_art_insert(&m->art, model_str(k), i, score);
        if (status == WS_ERR_NOMEM)
            break;
        cr_assert_eq(status, WS_OK);
        k->present = !k->present;
        k->score = score;
    }
    ws_faults_disarm(&faults);
    return changes;
}

Test(art, an_operation_that_finds_no_memory_changes_nothing)
{
    ws_rng rng = ws_rng_seeded(8);
    for (uint64_t nth = 0; nth < 12; nth++) {
        art_model m;
        uint32_t seen[4] = {0};
        model_init(&m, &rng, 30000, 3);
        uint32_t changes = fill_until_failure(&m, &rng, nth);
        check_shape(&m, seen);
        check_iteration(&m, ws_str_make(NULL, 0));
        if (nth < 3)
            cr_assert_lt(changes, 40000u, "allocation %llu was to fail", (unsigned long long)nth);
        for (int i = 0; i < 500; i++)
            change(&m, &rng);
        check_shape(&m, seen);
        model_fini(&m);
    }
}

Test(art, a_pool_without_memory_does_not_come_up)
{
    ws_faults faults;
    ws_pool pool;
    ws_faults_arm(&faults, 0);
    cr_assert_eq(ws_pool_init(&pool), WS_ERR_NOMEM);
    ws_faults_disarm(&faults);
    ws_pool_fini(&pool);
}

Test(art, the_pool_says_when_it_is_full)
{
    ws_rng rng = ws_rng_seeded(9);
    art_model m;
    uint32_t i = 0, seen[4] = {0};
    model_init(&m, &rng, 40000, 3);
    m.pool.max_chunks = 1;
    ws_status status = WS_OK;
    while (i < m.n && (status = ws_art_insert(&m.art, model_str(&m.keys[i]), i, i)) == WS_OK) {
        m.keys[i].present = 1;
        m.keys[i].score = i;
        i++;
    }
    cr_assert_eq(status, WS_ERR_LIMIT);
    check_shape(&m, seen);
    delete_all(&m);
    model_fini(&m);
}

Test(art, sixteen_keys_are_searched_alike)
{
    ws_rng rng = ws_rng_seeded(11);
    for (int round = 0; round < 20000; round++) {
        uint8_t keys[16];
        uint32_t n = (uint32_t)ws_rng_below(&rng, 17);
        for (int i = 0; i < 16; i++)
            keys[i] = (uint8_t)ws_rng_below(&rng, round % 2 ? 256 : 24);
        uint8_t byte = (uint8_t)ws_rng_below(&rng, round % 2 ? 256 : 24);
        cr_assert_eq(ws_art_find16(keys, n, byte), ws_art_find16_scalar(keys, n, byte), SEED(&rng));
    }
}
