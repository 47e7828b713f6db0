/* The public calls: the vectors of korean-vectors.tsv, highlights, limits, files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"
#include "tests/support/faults.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"
#include "tests/support/vectors.h"
#include "wikisearch/suggest.h"

static const ws_str none = {NULL, 0};

static ws_suggest *open_empty(void)
{
    ws_suggest_options options = WS_SUGGEST_OPTIONS_INIT;
    ws_suggest *s;
    options.origin_ms = 5;
    cr_assert_eq(ws_suggest_open(&s, NULL, &options, NULL), WS_OK);
    return s;
}

static void put(ws_suggest *s, const char *text, const char *target, const char *context,
                uint64_t weight)
{
    cr_assert_eq(ws_suggest_put(s, ws_cstr(text), ws_cstr(target), ws_cstr(context), weight), WS_OK,
                 "%s", text);
}

/* The first suggestion of the tiers in `match`; 0 when there is none. */
static int first(ws_suggest *s, const char *typed, uint32_t match, ws_suggestion *out)
{
    ws_suggest_query_options options = WS_SUGGEST_QUERY_OPTIONS_INIT;
    uint32_t n = 1;
    options.match = match;
    cr_assert_geq(ws_suggest_query(s, ws_cstr(typed), &options, out, &n), 0);
    return (int)n;
}

/* --- vectors --- */

#define BITS(a, b) (1u << WS_MATCH_##a | 1u << WS_MATCH_##b)

/* typed|entry: is the entry found by these tiers alone? */
static void check_pair(const ws_vector *r, uint32_t match)
{
    char typed[WS_VECTOR_CAP];
    ws_suggestion out;
    ws_suggest *s = open_empty();
    const char *bar = strchr(r->input, '|');
    cr_assert_not_null(bar);
    memcpy(typed, r->input, (size_t)(bar - r->input));
    typed[bar - r->input] = 0;
    put(s, bar + 1, "", "", 1);
    cr_expect_eq(first(s, typed, match, &out), r->expected[0] == '1', "%s %s", r->kind, r->input);
    ws_suggest_close(s);
}

static void check_prefix(const ws_vector *r)
{
    check_pair(r, BITS(EXACT, PREFIX));
}

/* Mixed input that keys alone explain is found as a prefix. */
static void check_chosung_match(const ws_vector *r)
{
    check_pair(r, BITS(CHOSUNG, MIXED) | BITS(EXACT, PREFIX));
}

static void check_fuzzy(const ws_vector *r)
{
    check_pair(r, 1u << WS_MATCH_FUZZY);
}

/* The initials of an entry find it. */
static void check_chosung(const ws_vector *r)
{
    ws_suggestion out;
    ws_suggest *s = open_empty();
    char key[64];
    put(s, r->input, "", "", 1);
    size_t n = ws_jamo_key(ws_cstr(r->expected), key, sizeof key);
    if (ws_jamo_is_chosung(ws_str_make(key, n)) >= 2)
        cr_expect(first(s, r->expected, BITS(CHOSUNG, PREFIX), &out) &&
                      strcmp(out.text, r->input) == 0,
                  "%s", r->input);
    else /* initials with letters are a mixture */
        cr_expect(first(s, r->expected, 63u, &out), "%s", r->input);
    ws_suggest_close(s);
}

/* What comes out in the right layout is found by what was typed in the wrong one, as a whole. */
static void check_layout(const ws_vector *r)
{
    ws_suggestion out;
    ws_suggest *s = open_empty();
    put(s, r->expected, "", "", 1);
    cr_expect(first(s, r->input, 1u << WS_MATCH_LAYOUT, &out) && out.match == WS_MATCH_LAYOUT &&
                  out.highlight_end == strlen(r->expected),
              "%s %s", r->kind, r->input);
    ws_suggest_close(s);
}

Test(suggest, vectors_prefix)
{
    ws_vectors_each("prefix", check_prefix, 36);
}

Test(suggest, vectors_chosung_match)
{
    ws_vectors_each("chosung_match", check_chosung_match, 23);
}

Test(suggest, vectors_fuzzy)
{
    ws_vectors_each("fuzzy1", check_fuzzy, 11);
}

Test(suggest, vectors_chosung)
{
    ws_vectors_each("chosung", check_chosung, 13);
}

Test(suggest, vectors_qwerty_to_ko)
{
    ws_vectors_each("qwerty_to_ko", check_layout, 27);
}

Test(suggest, vectors_ko_to_qwerty)
{
    ws_vectors_each("ko_to_qwerty", check_layout, 21);
}

/* --- why, and what to highlight --- */

typedef struct {
    const char *typed, *text;
    uint32_t match;
    const char *highlighted;
} expectation;

Test(suggest, each_says_why_and_what_to_highlight)
{
    static const expectation rows[] = {
        {"대한민국", "대한민국", WS_MATCH_EXACT, "대한민국"},
        {"대하", "대한민국", WS_MATCH_PREFIX, "대한"},
        {"댛", "대한민국", WS_MATCH_PREFIX, "대한"},
        {"ㄷㅎㅁ", "대한민국", WS_MATCH_CHOSUNG, "대한민"},
        {"ㄷ한ㅁ국", "대한민국", WS_MATCH_MIXED, "대한민국"},
        {"ㄷㅎ민구", "대한민국", WS_MATCH_MIXED, "대한민국"},
        {"eogks", "대한민국", WS_MATCH_LAYOUT, "대한"},
        {"대한밍", "대한민국", WS_MATCH_FUZZY, "대한민"},
        {"HIST", "History", WS_MATCH_PREFIX, "Hist"},
        {"ｈｉｓｔ", "History", WS_MATCH_PREFIX, "Hist"},
        {"ㅗㅑㄴㅅㅐ교", "History", WS_MATCH_LAYOUT, "History"},
        {"vkdlTjs", "파이썬", WS_MATCH_LAYOUT, "파이썬"},
        {"한글날", "한글 날", WS_MATCH_EXACT, "한글 날"},
        {"한글나", "한글 날", WS_MATCH_PREFIX, "한글 날"},
        {"한글", "한글 날", WS_MATCH_PREFIX, "한글"},
        {"strasse", "Straße", WS_MATCH_EXACT, "Straße"},
        {"stras", "Straße", WS_MATCH_PREFIX, "Straß"},
        {"5k", "5㎞ 달리기", WS_MATCH_PREFIX, "5㎞"},
        {"삼", "삼성", WS_MATCH_PREFIX, "삼"},
    };
    ws_suggest *s = open_empty();
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++)
        ws_suggest_put(s, ws_cstr(rows[i].text), none, none, 1);
    put(s, "\xe1\x84\x89\xe1\x85\xa1\xe1\x86\xbc\xe1\x84\x89\xe1\x85\xae", "", "",
        1); /* 상수 in NFD */
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_suggestion out;
        cr_assert(first(s, rows[i].typed, 63u, &out), "%s", rows[i].typed);
        cr_expect_str_eq(out.text, rows[i].text, "%s", rows[i].typed);
        cr_expect_eq(out.match, rows[i].match, "%s: %s", rows[i].typed, ws_match_name(out.match));
        cr_expect(out.highlight_start == 0 && out.highlight_end == strlen(rows[i].highlighted) &&
                      memcmp(out.text, rows[i].highlighted, out.highlight_end) == 0,
                  "%s: %.*s", rows[i].typed, (int)out.highlight_end, out.text);
        cr_expect_str_eq(out.target, out.text);
    }
    ws_suggestion out;
    cr_assert(first(s, "상", 63u, &out) && out.highlight_end == 9, "all of a decomposed syllable");
    ws_suggest_close(s);
}

/* W4 of the feature list: twelve ways to one suggestion. */
Test(suggest, twelve_ways_to_one_suggestion)
{
    static const char *const ways[] = {"대한민국", "대한민구", "대한ㅁ",   "대하",
                                       "댛",       "ㄷㅎㅁㄱ", "ㄷㅎ",     "ㄷ한ㅁ국",
                                       "대ㅎㅁ",   "eogksals", "대 한 민", "데한민국"};
    ws_suggest *s = open_empty();
    put(s, "대한민국", "", "", 9);
    put(s, "History", "", "", 90);
    put(s, "서울특별시", "", "", 900);
    for (size_t i = 0; i < WS_ARRAY_LEN(ways); i++) {
        ws_suggestion out;
        cr_assert(first(s, ways[i], 63u, &out), "%s", ways[i]);
        cr_assert_str_eq(out.text, "대한민국", "%s", ways[i]);
    }
    ws_suggest_close(s);
}

Test(suggest, an_exact_text_comes_first_then_popularity)
{
    ws_suggest *s = open_empty();
    ws_suggest_query_options options = WS_SUGGEST_QUERY_OPTIONS_INIT;
    ws_suggestion out[4];
    uint32_t n = 4;
    options.now_ms = 5; /* the origin */
    put(s, "한", "", "", 0);
    put(s, "한국", "", "", 50);
    put(s, "한글", "", "", 500);
    cr_assert_eq(ws_suggest_query(s, ws_cstr("한"), &options, out, &n), WS_OK);
    cr_assert_eq(n, 3);
    cr_assert_str_eq(out[0].text, "한");
    cr_assert_str_eq(out[1].text, "한글");
    cr_assert_float_eq(out[1].popularity, 501.0, 1.0);
    ws_suggest_close(s);
}

Test(suggest, a_target_is_shown_once_and_a_key_has_one_spelling)
{
    ws_suggest *s = open_empty();
    ws_suggestion out[8];
    uint32_t n = 8;
    put(s, "대한민국", "", "", 100);
    put(s, "대한", "대한민국", "", 5000);
    put(s, "대한 제국", "", "", 50);
    put(s, "대한제국", "", "", 60); /* another spelling, more popular */
    cr_assert_eq(ws_suggest_query(s, ws_cstr("대하"), NULL, out, &n), WS_OK);
    cr_assert_eq(n, 2);
    cr_assert_str_eq(out[0].text, "대한");
    cr_assert_str_eq(out[0].target, "대한민국");
    cr_assert_str_eq(out[1].text, "대한제국");
    put(s, "대한 제국", "", "", 7);
    n = 8;
    cr_assert_eq(ws_suggest_query(s, ws_cstr("대한제"), NULL, out, &n), WS_OK);
    cr_assert_str_eq(out[0].text, "대한제국");
    ws_suggest_close(s);
}

Test(suggest, contexts)
{
    ws_suggest *s = open_empty();
    ws_suggest_query_options options = WS_SUGGEST_QUERY_OPTIONS_INIT;
    ws_suggestion out[4];
    uint32_t n = 4;
    put(s, "사과", "사과 (과일)", "food", 10);
    put(s, "사과", "사과 (행위)", "act", 20);
    put(s, "사랑", "", "act", 5);
    cr_assert_eq(ws_suggest_query(s, ws_cstr("ㅅ"), NULL, out, &n), WS_OK);
    cr_assert_eq(n, 2);
    cr_assert_str_eq(out[0].target, "사과 (행위)");
    cr_assert_str_eq(out[0].context, "act");
    options.context = ws_cstr("food");
    n = 4;
    cr_assert_eq(ws_suggest_query(s, ws_cstr("ㅅㄱ"), &options, out, &n), WS_OK);
    cr_assert_eq(n, 1);
    cr_assert_str_eq(out[0].target, "사과 (과일)");
    options.context = ws_cstr("elsewhere");
    n = 4;
    cr_assert_eq(ws_suggest_query(s, ws_cstr("ㅅ"), &options, out, &n), WS_OK);
    cr_assert_eq(n, 0);
    cr_assert_eq(options.nodes, 0);
    cr_assert_eq(ws_suggest_remove(s, ws_cstr("사 과"), ws_cstr("act")), WS_OK);
    cr_assert_eq(ws_suggest_remove(s, ws_cstr("사 과"), ws_cstr("act")), WS_ERR_NOT_FOUND);
    cr_assert(first(s, "사과", 63u, &out[0]));
    cr_assert_str_eq(out[0].target, "사과 (과일)");
    for (int i = 2; i < 255; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i);
        put(s, "하나", "", name, 1);
    }
    cr_assert_eq(ws_suggest_put(s, ws_cstr("둘"), none, ws_cstr("one more"), 1), WS_ERR_LIMIT);
    cr_assert(first(s, "하나", 63u, &out[0]));
    ws_suggest_close(s);
}

Test(suggest, wrong_and_extreme_arguments)
{
    ws_suggest_options options = WS_SUGGEST_OPTIONS_INIT;
    ws_suggest_query_options query = WS_SUGGEST_QUERY_OPTIONS_INIT;
    ws_suggest *s;
    ws_suggestion out[1];
    char *big = malloc(1 << 20);
    uint32_t n = 1;
    memset(big, 0x80, 1 << 20);
    options.min_support = 0;
    cr_assert_eq(ws_suggest_open(&s, NULL, &options, NULL), WS_ERR_RANGE);
    cr_assert_null(s);
    options.size = 3;
    cr_assert_eq(ws_suggest_open(&s, NULL, &options, NULL), WS_ERR_ARG);
    cr_assert_eq(ws_suggest_open(&s, "/no/such/file", NULL, NULL), WS_ERR_NOT_FOUND);
    s = open_empty();
    cr_assert_eq(ws_suggest_put(s, ws_str_make(big, 300), none, none, 1), WS_ERR_UTF8);
    memset(big, 'a', 1 << 20);
    cr_assert_eq(ws_suggest_put(s, ws_str_make(big, 256), none, none, 1), WS_TRUNCATED);
    cr_assert_eq(ws_suggest_put(s, ws_str_make(big, 255), none, none, 1), WS_OK);
    cr_assert_eq(ws_suggest_put(s, ws_cstr(" "), none, none, 1), WS_ERR_ARG);
    cr_assert_eq(ws_suggest_put(s, ws_cstr("\xe2\x80\x8b"), none, none, 1), WS_ERR_ARG);
    cr_assert_eq(ws_suggest_put(s, ws_str_make("a\0b", 3), none, none, 1), WS_ERR_ARG);
    cr_assert_eq(ws_suggest_query(s, ws_str_make(big, 1 << 20), NULL, out, &n), WS_TRUNCATED);
    cr_assert_eq(n, 1);
    cr_assert_eq(out[0].highlight_end, 64);
    memset(big, 0x80, 1 << 20);
    cr_assert_eq(ws_suggest_query(s, ws_str_make(big, 1 << 20), NULL, out, &n), WS_TRUNCATED);
    cr_assert_eq(n, 0);
    n = 0;
    cr_assert_eq(ws_suggest_query(s, none, NULL, out, &n), WS_ERR_RANGE);
    n = 65;
    cr_assert_eq(ws_suggest_query(s, none, NULL, out, &n), WS_ERR_RANGE);
    query.size = 0;
    n = 1;
    cr_assert_eq(ws_suggest_query(s, none, &query, out, &n), WS_ERR_ARG);
    cr_assert_str_eq(ws_match_name(99), "");
    ws_suggest_close(s);
    ws_suggest_close(NULL);
    free(big);
}

/* --- files --- */

static void fill_varied(ws_suggest *s, ws_rng *rng, int n)
{
    static const char *const words[] = {"대한", "민국", "사과",   "History", "Straße",
                                        "㎞",   "ㄱㄴ", "1990년", "x"};
    for (int i = 0; i < n; i++) {
        char text[128], target[16] = "";
        size_t length = 0;
        for (uint64_t w = ws_rng_between(rng, 1, 4); w > 0; w--)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s ",
                                       words[ws_rng_below(rng, WS_ARRAY_LEN(words))]);
        if (ws_rng_below(rng, 3) == 0)
            snprintf(target, sizeof target, "t%u", (unsigned)ws_rng_below(rng, 20));
        put(s, text, target, ws_rng_below(rng, 4) ? "" : "문맥", ws_rng_skewed(rng, 20));
        if (ws_rng_below(rng, 4) == 0)
            cr_assert_eq(ws_suggest_observe(s, ws_cstr(text), (int64_t)ws_rng_skewed(rng, 30)),
                         WS_OK);
    }
    cr_assert_eq(ws_suggest_block(s, ws_cstr("*나쁜*"), 1), WS_OK);
    cr_assert_eq(ws_suggest_block(s, ws_cstr("worse"), 1), WS_OK);
}

typedef struct {
    char *bytes;
    size_t n, cap;
} listing;

static int list(void *ctx, const ws_suggest_item *item)
{
    listing *l = ctx;
    char line[2048];
    int n = snprintf(line, sizeof line, "%.*s|%.*s|%.*s|%.*s|%.*s|%llu|%u\n", (int)item->text.len,
                     item->text.ptr, (int)item->target.len, item->target.ptr,
                     (int)item->context.len, item->context.ptr ? item->context.ptr : "",
                     (int)item->normalized.len, item->normalized.ptr, (int)item->keys.len,
                     item->keys.ptr, (unsigned long long)item->score, item->learned);
    if (l->n + (size_t)n > l->cap)
        l->bytes = realloc(l->bytes, l->cap = 2 * (l->cap + 4096));
    memcpy(l->bytes + l->n, line, (size_t)n);
    l->n += (size_t)n;
    return 0;
}

Test(suggest, a_file_gives_back_what_was_saved)
{
    ws_rng rng = ws_rng_seeded(71);
    char dir[WS_TMPDIR_CAP], path[WS_TMPDIR_CAP + 32];
    ws_error error = {0};
    ws_tmpdir_make(dir);
    ws_tmpdir_path(path, sizeof path, dir, "s.wst");
    for (int n = 0; n <= 400; n += n < 3 ? 1 : 100) {
        ws_suggest *s = open_empty(), *back;
        listing a = {0}, b = {0};
        ws_suggest_stats_data x = {.size = sizeof x}, y = {.size = sizeof y};
        fill_varied(s, &rng, n);
        cr_assert_eq(ws_suggest_save(s, path, &error), WS_OK, "%s", error.message);
        cr_assert_eq(ws_suggest_open(&back, path, NULL, &error), WS_OK, "%s", error.message);
        ws_suggest_each(s, list, &a);
        ws_suggest_each(back, list, &b);
        cr_assert_eq(a.n, b.n);
        cr_assert(a.n == 0 || memcmp(a.bytes, b.bytes, a.n) == 0);
        cr_assert_eq(ws_suggest_stats(s, &x), WS_OK);
        cr_assert_eq(ws_suggest_stats(back, &y), WS_OK);
        cr_assert(x.n_entries == y.n_entries && x.n_blocked == 2 && y.n_blocked == 2 &&
                  x.n_learned == y.n_learned && x.n_contexts == y.n_contexts && y.origin_ms == 5 &&
                  y.half_life_ms == x.half_life_ms);
        cr_assert_eq(ws_suggest_put(back, ws_cstr("아주 나쁜 것"), none, none, 1), WS_TRUNCATED);
        free(a.bytes);
        free(b.bytes);
        ws_suggest_close(s);
        ws_suggest_close(back);
    }
    ws_tmpdir_remove(dir);
}

static uint8_t *saved(const char *path, size_t *size)
{
    ws_rng rng = ws_rng_seeded(72);
    ws_suggest *s = open_empty();
    uint8_t *bytes = malloc(1 << 20);
    fill_varied(s, &rng, 60);
    cr_assert_eq(ws_suggest_save(s, path, NULL), WS_OK);
    ws_suggest_close(s);
    FILE *file = fopen(path, "rb");
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void expect_refused(const char *path, const uint8_t *bytes, size_t n, int repaired)
{
    ws_suggest *s;
    ws_error error = {0};
    ws_tmpdir_write(path, bytes, n);
    ws_status status = ws_suggest_open(&s, path, NULL, &error);
    if (status == WS_OK && repaired) {
        ws_suggest_close(s); /* the change was one that a file may have */
        return;
    }
    cr_assert(status == WS_ERR_CORRUPT || status == WS_ERR_VERSION, "%d", status);
    cr_assert(error.message[0] && strcmp(error.path, path) == 0);
    cr_assert_null(s);
}

/* Any byte wrong: a status. With the hash made right again: a status, or another file. */
Test(suggest, a_damaged_file_is_refused, .timeout = 300)
{
    char dir[WS_TMPDIR_CAP], path[WS_TMPDIR_CAP + 32];
    size_t n;
    ws_rng rng = ws_rng_seeded(73);
    ws_tmpdir_make(dir);
    ws_tmpdir_path(path, sizeof path, dir, "s.wst");
    uint8_t *bytes = saved(path, &n);
    for (size_t i = 0; i < n; i++) {
        uint8_t kept = bytes[i];
        bytes[i] ^= (uint8_t)(1 + ws_rng_below(&rng, 255));
        expect_refused(path, bytes, n, 0);
        bytes[i] = kept;
    }
    for (size_t i = 0; i < n; i++) {
        uint8_t kept = bytes[i];
        bytes[i] ^= (uint8_t)(1 + ws_rng_below(&rng, 255));
        ws_store_u64le(bytes + n - 16, ws_hash64(bytes, n - 16));
        expect_refused(path, bytes, n, 1);
        bytes[i] = kept;
    }
    ws_store_u64le(bytes + n - 16, ws_hash64(bytes, n - 16));
    for (size_t cut = 0; cut < n; cut += 7)
        expect_refused(path, bytes, cut, 0);
    free(bytes);
    ws_tmpdir_remove(dir);
}

/* --- memory --- */

static ws_status use_everything(const char *path, ws_status *query)
{
    ws_suggest *s = NULL;
    ws_suggestion out[3];
    uint32_t n = 3;
    ws_status status = ws_suggest_open(&s, path, NULL, NULL);
    *query = WS_OK;
    if (status < 0)
        return status;
    status = ws_suggest_put(s, ws_cstr("새로운 것"), ws_cstr("목표"), ws_cstr("새 문맥"), 4);
    if (status >= 0)
        status = ws_suggest_block(s, ws_cstr("*옛*"), 1);
    if (status >= 0)
        status = ws_suggest_observe(s, ws_cstr("새로운 것"), 9);
    *query = ws_suggest_query(s, ws_cstr("새"), NULL, out, &n);
    if (status >= 0 && *query >= 0)
        cr_assert_eq(n, 1);
    if (status >= 0)
        status = ws_suggest_save(s, path, NULL);
    ws_suggest_close(s);
    return status;
}

Test(suggest, every_allocation_may_fail)
{
    char dir[WS_TMPDIR_CAP], path[WS_TMPDIR_CAP + 32];
    size_t size;
    int failed = 1;
    uint64_t n = 0;
    ws_tmpdir_make(dir);
    ws_tmpdir_path(path, sizeof path, dir, "s.wst");
    free(saved(path, &size));
    for (; failed; n++) {
        ws_faults faults;
        ws_status query;
        ws_faults_arm(&faults, n);
        ws_status status = use_everything(path, &query);
        failed = ws_faults_disarm(&faults);
        if (failed)
            cr_assert(status == WS_ERR_NOMEM || query == WS_ERR_NOMEM, "allocation %llu: %d, %d",
                      (unsigned long long)n, status, query);
        else
            cr_assert(status == WS_OK && query == WS_OK);
    }
    cr_assert_gt(n, 10);
    ws_tmpdir_remove(dir);
}
