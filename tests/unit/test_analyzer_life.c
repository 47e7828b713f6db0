/* An analyzer over its life: what it has seen before must not change its answers, a failed
 * allocation must not change them either; its kinds, limits and fingerprint. */
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/str.h"
#include "engine/index/format.h"
#include "engine/text/analyzer.h"
#include "engine/text/normalize.h"
#include "tests/support/faults.h"
#include "tests/support/random_text.h"
#include "tests/support/test.h"
#include "tests/support/token_check.h"

#define CAP 4096

static ws_analyzer *fresh(void)
{
    ws_analyzer *a;
    cr_assert_eq(ws_analyzer_new(&a, NULL), WS_OK);
    return a;
}

static uint64_t run(ws_analyzer *a, ws_str text)
{
    ws_tokens tokens;
    cr_assert_eq(ws_analyzer_run(a, WS_ANALYZER_STANDARD, WS_ANALYZE_INDEX, text, &tokens), WS_OK);
    return ws_tokens_hash(&tokens);
}

/* --- what was seen before --- */

static size_t hangul_word(ws_rng *rng, char *out)
{
    static const char *const particles[] = {"", "은", "는", "에서", "으로", "까지", "의", "이"};
    size_t n = 0;
    for (uint64_t i = ws_rng_between(rng, 1, 4); i > 0; i--)
        n += ws_utf8_encode((uint32_t)ws_rng_between(rng, 0xac00, 0xd7a3), out + n);
    const char *particle = particles[ws_rng_below(rng, WS_ARRAY_LEN(particles))];
    memcpy(out + n, particle, strlen(particle));
    return n + strlen(particle);
}

static size_t latin_word(ws_rng *rng, char *out)
{
    static const char *const endings[] = {"", "s", "ing", "ed", "ies", "ational", "y", "'s"};
    size_t n = 0;
    for (uint64_t i = ws_rng_between(rng, 2, 8); i > 0; i--)
        out[n++] = (char)('a' + ws_rng_below(rng, 26));
    const char *ending = endings[ws_rng_below(rng, WS_ARRAY_LEN(endings))];
    memcpy(out + n, ending, strlen(ending));
    return n + strlen(ending);
}

/* Text number `i` of a collection with far more words than an analyzer remembers (16,384 Hangul
 * runs, 8,192 English words). */
#define TEXTS 300u
#define WORDS 200u
static ws_str text_number(uint32_t i, char out[WORDS * 24])
{
    ws_rng rng = ws_rng_make(1000 + i);
    size_t n = 0;
    for (uint32_t w = 0; w < WORDS; w++) {
        n += w % 2 ? hangul_word(&rng, out + n) : latin_word(&rng, out + n);
        out[n++] = w % 7 ? ' ' : '1'; /* a run after a number is another run */
    }
    return ws_str_make(out, n);
}

Test(analyzer_life, what_it_has_seen_changes_nothing)
{
    static char text[WORDS * 24];
    static uint64_t forward[TEXTS];
    ws_analyzer *a = fresh(), *b = fresh();
    for (uint32_t i = 0; i < TEXTS; i++)
        forward[i] = run(a, text_number(i, text));
    for (uint32_t i = TEXTS; i-- > 0;) {
        cr_assert_eq(run(b, text_number(i, text)), forward[i], "text %u in the other order", i);
        cr_assert_eq(run(b, text_number(i, text)), forward[i], "text %u again", i);
    }
    for (uint32_t i = 0; i < TEXTS; i += 29) {
        ws_analyzer *c = fresh();
        cr_assert_eq(run(c, text_number(i, text)), forward[i], "text %u for a new analyzer", i);
        ws_analyzer_free(c);
    }
    ws_analyzer_free(a);
    ws_analyzer_free(b);
}

/* The syllable that follows `head`, as text. */
static ws_str after_head(uint32_t head, uint32_t syllable, char out[8])
{
    static const char *const heads[] = {"", "1", "a"};
    size_t n = strlen(heads[head]);
    memcpy(out, heads[head], n);
    return ws_str_make(out, n + ws_utf8_encode(syllable, out + n));
}

/* A particle behind a number or a Latin word is no word; the same or another syllable alone is. */
Test(analyzer_life, every_syllable_in_every_context)
{
    static uint64_t forward[3][11172];
    char text[8];
    ws_analyzer *a = fresh(), *b = fresh();
    for (uint32_t c = 0; c < 11172; c++)
        for (uint32_t head = 0; head < 3; head++)
            forward[head][c] = run(a, after_head(head, 0xac00 + c, text));
    for (uint32_t c = 11172; c-- > 0;)
        for (uint32_t head = 3; head-- > 0;)
            cr_assert_eq(run(b, after_head(head, 0xac00 + c, text)), forward[head][c],
                         "U+%04X after head %u", 0xac00 + c, head);
    ws_analyzer_free(a);
    ws_analyzer_free(b);
}

Test(analyzer_life, random_texts_leave_no_trace)
{
    ws_rng rng = ws_rng_seeded(72);
    char text[WS_RANDOM_TEXT_MAX], fixed[] = "대한민국은 K-POP ภาษาไทย 1,234명 O’Neil's 3.5km를";
    ws_analyzer *a = fresh(), *b = fresh();
    uint64_t want = run(a, ws_cstr(fixed));
    for (int round = 0; round < 5000; round++) {
        ws_str s = ws_str_make(text, ws_random_text(&rng, text));
        uint64_t first = run(a, s);
        cr_assert_eq(run(a, ws_cstr(fixed)), want, "seed %llu", (unsigned long long)rng.seed);
        cr_assert_eq(run(b, s), first, "seed %llu, text %s", (unsigned long long)rng.seed,
                     ws_hex(s));
    }
    ws_analyzer_free(a);
    ws_analyzer_free(b);
}

/* --- memory --- */

/* Long enough to make every buffer grow more than once. */
static ws_str long_text(char *out, size_t cap)
{
    static const char part[] = "대한민국은 ﷺ running O’Neil’s 1,234명 ภาษาไทย K-POP \xff ";
    size_t n = 0;
    for (; n + sizeof part < cap; n += sizeof part - 1)
        memcpy(out + n, part, sizeof part - 1);
    return ws_str_make(out, n);
}

Test(analyzer_life, failed_allocations_of_a_new_one)
{
    ws_faults faults;
    int failed = 1;
    uint64_t n = 0;
    for (; failed; n++) {
        ws_analyzer *a;
        ws_error error = {0};
        ws_faults_arm(&faults, n);
        ws_status status = ws_analyzer_new(&a, &error);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %u", (unsigned)n);
        cr_assert_eq(a == NULL, failed);
        ws_analyzer_free(a);
    }
    cr_assert_gt(n, 3, "it allocates");
}

Test(analyzer_life, failed_allocations_of_a_run)
{
    static char text[16384];
    ws_faults faults;
    ws_tokens tokens;
    ws_str all = long_text(text, sizeof text);
    ws_analyzer *a = fresh();
    uint64_t want = run(a, all), n = 0;
    ws_analyzer_free(a);
    for (int failed = 1; failed; n++) {
        a = fresh();
        ws_faults_arm(&faults, n);
        ws_status status = ws_analyzer_run(a, WS_ANALYZER_STANDARD, WS_ANALYZE_INDEX, all, &tokens);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %u", (unsigned)n);
        cr_assert_eq(run(a, all), want, "after allocation %u failed", (unsigned)n);
        ws_analyzer_free(a);
    }
    cr_assert_gt(n, 5, "it allocates");
}

Test(analyzer_life, warm_runs_allocate_nothing)
{
    static char text[16384];
    ws_faults faults;
    ws_tokens tokens;
    ws_str all = long_text(text, sizeof text);
    ws_analyzer *a = fresh();
    size_t cold = ws_analyzer_memory(a);
    run(a, all);
    size_t warm = ws_analyzer_memory(a);
    cr_assert_gt(warm, cold);
    ws_faults_arm(&faults, 0);
    ws_status status = ws_analyzer_run(a, WS_ANALYZER_STANDARD, WS_ANALYZE_INDEX, all, &tokens);
    cr_assert_not(ws_faults_disarm(&faults));
    cr_assert_eq(status, WS_OK);
    cr_assert_eq(ws_analyzer_memory(a), warm);
    ws_analyzer_free(a);
}

/* --- kinds, limits, fingerprint --- */

Test(analyzer_life, whitespace_touches_nothing)
{
    static const char text[] = " A\tb\xff\xc3  한국은\r\n\v\xe3\x80\x80\xc2\xa0"
                               "C++\n";
    static const uint32_t ranges[][2] = {{1, 2}, {3, 6}, {8, 17}, {19, 28}};
    ws_tokens t;
    ws_analyzer *a = fresh();
    cr_assert_eq(ws_analyzer_run(a, WS_ANALYZER_WHITESPACE, 0, ws_cstr(text), &t), WS_OK);
    cr_assert_eq(t.n_tokens, WS_ARRAY_LEN(ranges));
    for (uint32_t i = 0; i < t.n_tokens; i++) {
        cr_assert(t.tokens[i].start == ranges[i][0] && t.tokens[i].end == ranges[i][1]);
        cr_assert(
            ws_str_eq(t.tokens[i].text, ws_str_sub(ws_cstr(text), ranges[i][0], ranges[i][1])));
        cr_assert(t.tokens[i].stream == WS_STREAM_WORD && t.tokens[i].position == i);
    }
    ws_analyzer_free(a);
}

Test(analyzer_life, a_keyword_is_the_normalised_text)
{
    ws_rng rng = ws_rng_seeded(73);
    char text[WS_RANDOM_TEXT_MAX];
    ws_normalizer normalizer;
    ws_analyzer *a = fresh();
    cr_assert_eq(ws_normalizer_init(&normalizer), WS_OK);
    for (int round = 0; round < 2000; round++) {
        ws_tokens t;
        ws_str s = ws_str_make(text, ws_random_text(&rng, text));
        cr_assert_eq(ws_normalizer_run(&normalizer, s), WS_OK);
        cr_assert_eq(ws_analyzer_run(a, WS_ANALYZER_KEYWORD, 0, s, &t), WS_OK);
        ws_str want = ws_buf_slice(&normalizer.text);
        cr_assert_eq(t.n_tokens, want.len > 0);
        cr_assert(!want.len || ws_str_eq(t.tokens[0].text, want), "%s", ws_hex(s));
    }
    ws_normalizer_fini(&normalizer);
    ws_analyzer_free(a);
}

Test(analyzer_life, names_and_limits)
{
    ws_tokens t;
    ws_analyzer *a = fresh();
    for (uint32_t kind = 0; kind <= WS_ANALYZER_KEYWORD; kind++)
        cr_assert_eq(ws_analyzer_kind(ws_cstr(ws_analyzer_kind_name(kind))), (int)kind);
    cr_assert_str_eq(ws_analyzer_kind_name(WS_ANALYZER_STANDARD), "standard");
    cr_assert_str_eq(ws_analyzer_kind_name(WS_ANALYZER_WHITESPACE), "whitespace");
    cr_assert_null(ws_analyzer_kind_name(3));
    static const char *const others[] = {"", "Standard", "standar", "standard ", "keywords"};
    for (size_t i = 0; i < WS_ARRAY_LEN(others); i++)
        cr_assert_eq(ws_analyzer_kind(ws_cstr(others[i])), -1, "%s", others[i]);
    ws_str too_long = {"a", (size_t)1 << 31}; /* refused before it is read */
    cr_assert_eq(ws_analyzer_run(a, WS_ANALYZER_STANDARD, 0, too_long, &t), WS_ERR_LIMIT);
    cr_assert_eq(t.n_tokens, 0);
    cr_assert_eq(ws_analyzer_run(a, 3, 0, WS_STR("a"), &t), WS_ERR_ARG);
    ws_analyzer_free(a);
}

Test(analyzer_life, long_tokens_are_counted)
{
    static const struct {
        size_t length, joint; /* a '-' at byte `joint`, 0: none */
        uint32_t n_long;
    } rows[] = {{WS_TERM_MAX, 0, 0}, {WS_TERM_MAX + 1, 0, 1}, {600, 300, 3}, {400, 200, 1}};
    ws_analyzer *a = fresh();
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        char text[600];
        ws_tokens t;
        memset(text, 'q', sizeof text);
        text[rows[i].joint] = rows[i].joint ? '-' : 'q';
        cr_assert_eq(ws_analyzer_run(a, 0, 0, ws_str_make(text, rows[i].length), &t), WS_OK);
        cr_assert_eq(t.n_long, rows[i].n_long, "row %zu: %u", i, t.n_long);
    }
    ws_analyzer_free(a);
}

Test(analyzer_life, the_fingerprint_is_one)
{
    uint64_t first, second, other;
    ws_analyzer *a = fresh(), *b = fresh();
    cr_assert_eq(ws_analyzer_fingerprint(a, &first), WS_OK);
    for (uint32_t i = 0; i < 20; i++) {
        static char text[WORDS * 24];
        run(b, text_number(i, text));
    }
    cr_assert_eq(ws_analyzer_fingerprint(a, &second), WS_OK);
    cr_assert_eq(ws_analyzer_fingerprint(b, &other), WS_OK);
    cr_assert(first == second && first == other && first != 0);
    ws_analyzer_free(a);
    ws_analyzer_free(b);
}
