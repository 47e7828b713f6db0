/* Suggestions at every keystroke of many titles against a scan of all of them. WS_TEST_FULL=1: of
 * 20,000 titles; WS_TITLES=FILE: from the full list. */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"
#include "tests/support/linear_suggest.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/titles.h"
#include "trie/decay.h"

#define K 10u

typedef struct {
    ws_entries entries;
    linear linear;
    uint32_t *refs; /* by number of the linear entry */
    ws_tiers_scratch *scratch;
    uint64_t visited_max;
} world;

static void open_world(world *w, uint32_t max)
{
    memset(w, 0, sizeof *w);
    cr_assert_eq(ws_entries_init(&w->entries), WS_OK);
    w->scratch = malloc(sizeof *w->scratch);
    w->refs = calloc(max, sizeof *w->refs);
}

static void close_world(world *w)
{
    ws_entries_fini(&w->entries);
    linear_free(&w->linear);
    free(w->scratch);
    free(w->refs);
}

static void add(world *w, ws_str surface, ws_str target, uint32_t context, uint64_t weight)
{
    ws_str n = ws_titles_normalise(surface);
    char normal[WS_ENTRY_TEXT_MAX];
    memcpy(normal, n.ptr, n.len);
    ws_entry_text text = {surface, ws_str_make(normal, n.len), target, context,
                          0,       ws_decay_prior(weight)};
    uint32_t number =
        linear_add(&w->linear, surface, text.normal, target, context, ws_decay_16(text.score));
    cr_assert_eq(ws_entries_put(&w->entries, &text, &w->refs[number]), WS_OK);
}

/* The shortest beginning whose key has `n` bytes, the plain way. */
static uint32_t end_of_literal(ws_str normal, size_t n)
{
    char key[WS_KEY_MAX];
    size_t end = 0;
    while (end < normal.len && ws_jamo_key(ws_str_sub(normal, 0, end), key, sizeof key) < n)
        end = ws_utf8_ceil(normal, end + 1);
    return (uint32_t)end;
}

/* What the tiers find must be what the scan finds. */
static void compare(world *w, ws_typed *typed, uint32_t context, uint32_t k)
{
    linear_found expected[WS_TIERS_K_MAX];
    ws_tiers_options options = {k, context, WS_TIERS_ALL};
    uint32_t n = linear_find(&w->linear, typed, context, k, expected);
    uint32_t found = ws_tiers_find(&w->entries, typed, &options, w->scratch);
    const char *shown = typed->text.ptr;
    int length = (int)typed->text.len;
    cr_assert_eq(found, n, "'%.*s': %u, expected %u", length, shown, found, n);
    for (uint32_t i = 0; i < n; i++) {
        const ws_completion *c = &w->scratch->found[i];
        const linear_entry *e = &w->linear.entries[expected[i].entry];
        cr_assert(c->ref == w->refs[expected[i].entry] && c->tier == expected[i].tier &&
                      c->score == e->score,
                  "'%.*s' %u: tier %u, expected %.*s of tier %u", length, shown, i, c->tier,
                  (int)e->surface.len, e->surface.ptr, expected[i].tier);
        if (c->tier <= WS_TIER_PREFIX)
            cr_assert_eq(c->covered, end_of_literal(e->normal, typed->key.n), "'%.*s'", length,
                         shown);
        cr_assert(c->covered <= e->normal.len &&
                  ws_utf8_floor(e->normal, c->covered) == c->covered);
    }
}

static void type(ws_typed *typed, ws_str text)
{
    static char kept[4096];
    ws_str normal = ws_titles_normalise(text);
    cr_assert_lt(normal.len, sizeof kept);
    memcpy(kept, normal.ptr, normal.len);
    ws_typed_init(typed, ws_str_make(kept, normal.len), ws_str_make(NULL, 0));
    ws_typed_complete(typed);
}

/* --- every keystroke of every title --- */

typedef struct {
    uint64_t states, lost, wider, exact_later;
} counts;

/* Literal matches must only become fewer: the entries that begin with the longer key are among
 * those that begin with the shorter. Returns how many there are, up to 256. */
static uint32_t count_literal(world *w, ws_str key)
{
    ws_art_place place;
    w->scratch->leaf.id = UINT32_MAX;
    if (!ws_art_start(&w->entries.all.keys, &place) ||
        !ws_art_walk(&w->entries.all.keys, &place, key, &w->scratch->leaf))
        return 0;
    return ws_art_top(&w->entries.all.keys, &place, 1, WS_ART_TOP_MAX, &w->scratch->top,
                      w->scratch->hits);
}

static int begins(world *w, ws_str key, uint32_t hit)
{
    char buffer[WS_KEY_MAX];
    const ws_entry *e = ws_entry_at(&w->entries, w->scratch->hits[hit].id);
    return ws_str_starts_with(ws_str_make(buffer, ws_entry_key(e, buffer)), key);
}

static void check_state(world *w, const linear_entry *target, size_t n, uint32_t *before, counts *c)
{
    char shown[4096];
    ws_typed typed;
    size_t length = ws_jamo_compose(ws_str_sub(target->key, 0, n), shown, sizeof shown);
    type(&typed, ws_str_make(shown, length));
    ws_str key = ws_typed_str(&typed.key);
    c->states++;
    c->lost += !ws_str_starts_with(target->key, key);
    uint32_t literal = count_literal(w, key);
    c->wider += literal > *before;
    for (uint32_t i = 0; i < literal; i += 16)
        c->wider += !begins(w, ws_str_sub(target->key, 0, n - 1), i);
    *before = literal;
    compare(w, &typed, 0, K);
    w->visited_max = WS_MAX(w->visited_max, w->scratch->top.visited);
    if (n == target->key.len)
        c->exact_later += w->scratch->found[0].tier != WS_TIER_EXACT;
}

/* Positions between units: an input method never shows a part of a character. */
static size_t next_state(ws_str key, size_t n)
{
    uint8_t b = (uint8_t)key.ptr[n];
    return n + (b < 0xc0 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4);
}

Test(tiers, equal_a_scan_at_every_keystroke, .timeout = 3600)
{
    world w;
    ws_titles titles;
    counts c = {0};
    ws_titles_read(&titles, getenv("WS_TEST_FULL") ? 20000 : 3000);
    open_world(&w, titles.n);
    for (uint32_t i = 0; i < titles.n; i++)
        add(&w, titles.titles[i].surface, ws_str_make(NULL, 0), 0, titles.titles[i].weight);
    for (uint32_t i = 0; i < w.linear.n; i++) {
        const linear_entry *e = &w.linear.entries[i];
        uint32_t before = UINT32_MAX;
        size_t limit = WS_MIN(e->key.len, 64); /* code points typed; more are ignored */
        for (size_t n = 0; n < limit && (n = next_state(e->key, n)) <= limit;)
            check_state(&w, e, n, &before, &c);
    }
    printf("%u titles%s, %llu states, %llu lost, %llu not narrower, %llu exact not first, at most "
           "%llu nodes\n",
           titles.n, titles.full ? " of the full list" : "", (unsigned long long)c.states,
           (unsigned long long)c.lost, (unsigned long long)c.wider,
           (unsigned long long)c.exact_later, (unsigned long long)w.visited_max);
    cr_assert_gt(c.states, 10 * (uint64_t)titles.n);
    cr_assert_eq(c.lost, 0);
    cr_assert_eq(c.wider, 0);
    cr_assert_eq(c.exact_later, 0);
    cr_assert_leq(w.visited_max, 40 + 12 * K);
    close_world(&w);
    ws_titles_free(&titles);
}

/* All titles of the full list when there is one, else the 10,000 of the sample. */
Test(tiers, few_nodes_are_opened, .timeout = 600)
{
    static const uint32_t ks[] = {1, 10, WS_TIERS_K_MAX};
    ws_rng rng = ws_rng_seeded(33);
    world w;
    ws_titles titles;
    uint64_t most[WS_ARRAY_LEN(ks)] = {0}, queries = 0;
    ws_titles_read(&titles, UINT32_MAX);
    open_world(&w, 1);
    for (uint32_t i = 0; i < titles.n; i++) {
        const ws_title *t = &titles.titles[i];
        ws_entry_text text = {.surface = t->surface, .normal = t->normal};
        text.score = ws_decay_prior(t->weight);
        cr_assert_eq(ws_entries_put(&w.entries, &text, NULL), WS_OK);
    }
    for (int round = 0; round < 3000; round++) {
        const ws_title *t = &titles.titles[ws_rng_below(&rng, titles.n)];
        char key[WS_KEY_MAX];
        size_t n = ws_jamo_key(t->normal, key, sizeof key);
        ws_art_place place;
        w.scratch->leaf.id = UINT32_MAX;
        cr_assert(ws_art_start(&w.entries.all.keys, &place));
        cr_assert(ws_art_walk(&w.entries.all.keys, &place,
                              ws_str_make(key, ws_rng_below(&rng, WS_MIN(n, 12))),
                              &w.scratch->leaf));
        for (size_t i = 0; i < WS_ARRAY_LEN(ks); i++, queries++) {
            w.scratch->top.visited = 0;
            ws_art_top(&w.entries.all.keys, &place, 1, ks[i], &w.scratch->top, w.scratch->hits);
            most[i] = WS_MAX(most[i], w.scratch->top.visited);
            cr_assert_leq(w.scratch->top.visited, 40 + 12 * ks[i]);
        }
    }
    printf("%u titles%s: at most %llu, %llu, %llu nodes for 1, 10, %u results\n", titles.n,
           titles.full ? " (the full list)" : "", (unsigned long long)most[0],
           (unsigned long long)most[1], (unsigned long long)most[2], WS_TIERS_K_MAX);
    close_world(&w);
    ws_titles_free(&titles);
}

/* --- whatever is typed --- */

static uint32_t random_code_point(ws_rng *rng)
{
    static const uint32_t others[] = {' ',  'a',    'Q',     '1',    '-',
                                      0xe9, 0x6f22, 0x1f600, 0x1112, 0x11ab};
    switch (ws_rng_below(rng, 6)) {
    case 0:
        return 0x3131 + (uint32_t)ws_rng_below(rng, 30); /* consonants */
    case 1:
        return 0x314f + (uint32_t)ws_rng_below(rng, 21); /* vowels */
    case 2:
        return others[ws_rng_below(rng, WS_ARRAY_LEN(others))];
    default:
        return 0xac00 + (uint32_t)ws_rng_below(rng, 11172);
    }
}

/* A title's beginning with some syllables as initials, some characters wrong, or under the other
 * keyboard. */
static size_t misuse(ws_rng *rng, const linear_entry *e, char *out)
{
    size_t n = 0, end = 1 + ws_rng_below(rng, e->normal.len);
    uint32_t initials = (uint32_t)ws_rng_below(rng, 4), wrong = (uint32_t)ws_rng_below(rng, 3);
    if (ws_rng_below(rng, 5) == 0) {
        n = ws_jamo_to_qwerty(ws_str_sub(e->key, 0, 1 + ws_rng_below(rng, e->key.len)), out, 2000);
        if (n && ((uint8_t)out[0] & 0x80) == 0)
            return n;
        n = 0;
    }
    for (size_t at = 0, length; at < end; at += length) {
        uint32_t c;
        length = ws_utf8_decode(e->normal, at, &c);
        if (initials && ws_is_syllable(c) && ws_rng_below(rng, initials) == 0) {
            char one[8];
            size_t m = ws_chosung_key(ws_str_sub(e->normal, at, at + length), one, sizeof one);
            n += ws_jamo_show(ws_str_make(one, m), out + n, 16);
            continue;
        }
        if (wrong && ws_rng_below(rng, 6) == 0)
            c = random_code_point(rng);
        n += ws_utf8_encode(c, out + n);
    }
    return n;
}

static void check_typed(world *w, ws_str text, uint32_t context, uint32_t k)
{
    ws_typed typed;
    type(&typed, text);
    compare(w, &typed, context, k);
}

Test(tiers, equal_a_scan_for_whatever_is_typed, .timeout = 600)
{
    ws_rng rng = ws_rng_seeded(31);
    world w;
    ws_titles titles;
    char text[4096];
    uint64_t met[WS_TIERS] = {0};
    ws_titles_read(&titles, 3000);
    open_world(&w, titles.n);
    for (uint32_t i = 0; i < titles.n; i++)
        add(&w, titles.titles[i].surface, ws_str_make(NULL, 0), 0, titles.titles[i].weight % 50);
    for (int round = 0; round < 12000; round++) {
        const linear_entry *e = &w.linear.entries[ws_rng_below(&rng, w.linear.n)];
        check_typed(&w, ws_str_make(text, misuse(&rng, e, text)), 0, K);
        for (uint32_t i = 0; i < w.scratch->n; i++)
            met[w.scratch->found[i].tier]++;
    }
    for (int i = 0; i < WS_TIERS; i++)
        cr_assert_gt(met[i], 100, "tier %d was met %llu times", i, (unsigned long long)met[i]);
    close_world(&w);
    ws_titles_free(&titles);
}

/* --- contexts, targets, keys in several contexts --- */

static void add_random(world *w, ws_rng *rng, const linear_entry *others, uint32_t n_others)
{
    char text[64];
    size_t n = 0;
    static const uint32_t few[] = {0xac00, 0xac01, 0xb098, 0xb300, 0xd55c,
                                   0xbbfc, 'a',    'b',    0x3131};
    for (uint64_t i = ws_rng_between(rng, 1, 5); i > 0; i--)
        n += ws_utf8_encode(few[ws_rng_below(rng, WS_ARRAY_LEN(few))], text + n);
    ws_str surface = ws_str_make(text, n), target = {NULL, 0};
    uint32_t context = (uint32_t)ws_rng_below(rng, 4);
    if (n_others && ws_rng_below(rng, 3) == 0)
        target = others[ws_rng_below(rng, n_others)].surface;
    for (uint32_t i = 0; i < w->linear.n; i++) {
        char key[WS_KEY_MAX];
        ws_str k = ws_str_make(key, ws_jamo_key(ws_titles_normalise(surface), key, sizeof key));
        if (w->linear.entries[i].context == context && ws_str_eq(w->linear.entries[i].key, k))
            return;
    }
    add(w, surface, target, context, ws_rng_below(rng, 30));
}

Test(tiers, contexts_filter_and_targets_are_shown_once, .timeout = 600)
{
    ws_rng rng = ws_rng_seeded(32);
    static const char *const names[] = {"음악", "film", "지리"};
    world w;
    char text[4096];
    uint32_t number;
    open_world(&w, 2000);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(ws_entries_context(&w.entries, ws_cstr(names[i]), 1, &number), WS_OK);
        cr_assert_eq(number, (uint32_t)i + 1);
        cr_assert_eq(ws_entries_find_context(&w.entries, ws_cstr(names[i])), number);
    }
    cr_assert_eq(ws_entries_find_context(&w.entries, ws_cstr("none")), UINT32_MAX);
    for (int i = 0; i < 1500; i++)
        add_random(&w, &rng, w.linear.entries, w.linear.n);
    for (int round = 0; round < 5000; round++) {
        const linear_entry *e = &w.linear.entries[ws_rng_below(&rng, w.linear.n)];
        size_t n = misuse(&rng, e, text);
        check_typed(&w, ws_str_make(text, n), (uint32_t)ws_rng_below(&rng, 4),
                    1 + (uint32_t)ws_rng_below(&rng, WS_TIERS_K_MAX));
        if (round % 5 == 0) { /* a score changes, or an entry goes */
            uint32_t i = (uint32_t)ws_rng_below(&rng, w.linear.n);
            linear_entry *changed = &w.linear.entries[i];
            uint64_t score = ws_decay_prior(ws_rng_below(&rng, 40));
            if (changed->gone)
                continue;
            changed->gone = ws_rng_below(&rng, 8) == 0;
            changed->score = ws_decay_16(score);
            if (changed->gone)
                cr_assert_eq(ws_entries_remove(&w.entries, w.refs[i]), WS_OK);
            else
                ws_entries_set_score(&w.entries, w.refs[i], score);
        }
    }
    close_world(&w);
}

Test(tiers, an_empty_query_gives_the_most_popular)
{
    world w;
    ws_typed typed;
    ws_tiers_options options = {2, 0, WS_TIERS_ALL};
    open_world(&w, 4);
    add(&w, ws_cstr("대한민국"), ws_str_make(NULL, 0), 0, 5);
    add(&w, ws_cstr("History"), ws_str_make(NULL, 0), 0, 9);
    add(&w, ws_cstr("가수"), ws_str_make(NULL, 0), 0, 7);
    type(&typed, ws_str_make("", 0));
    cr_assert_eq(ws_tiers_find(&w.entries, &typed, &options, w.scratch), 2);
    cr_assert_eq(w.scratch->found[0].ref, w.refs[1]);
    cr_assert_eq(w.scratch->found[1].ref, w.refs[2]);
    cr_assert_eq(w.scratch->found[0].covered, 0);
    close_world(&w);
}
