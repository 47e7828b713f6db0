/* Properties of token lists: what holds for any text, and what must not change them. */
#include "engine/text/analyzer.h"

#include <string.h>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/str.h"
#include "tests/support/corpus.h"
#include "tests/support/random_text.h"
#include "tests/support/test.h"
#include "tests/support/token_check.h"

#define CAP 8192

static ws_analyzer *analyzer;

static void make(void)
{
    cr_assert_eq(ws_analyzer_new(&analyzer, NULL), WS_OK);
}

static void drop(void)
{
    ws_analyzer_free(analyzer);
}

static ws_tokens run_kind(uint32_t kind, uint32_t mode, ws_str text)
{
    ws_tokens tokens;
    cr_assert_eq(ws_analyzer_run(analyzer, kind, mode, text, &tokens), WS_OK);
    return tokens;
}

static ws_tokens run(ws_str text)
{
    return run_kind(WS_ANALYZER_STANDARD, WS_ANALYZE_INDEX, text);
}

static void fail_at(const char *what, ws_str text, uint64_t seed)
{
    cr_assert_fail("%s: seed %llu, text %.*s = %s", what, (unsigned long long)seed, (int)text.len,
                   text.ptr, ws_hex(text));
}

/* --- token lists as bytes --- */

#define OFFSETS 1u /* with the byte ranges */

/* Appends the tokens; `shift` and `position` are taken off their offsets and positions. */
static void append_tokens(ws_buf *out, const ws_tokens *tokens, uint32_t what, uint32_t shift,
                          uint32_t position)
{
    for (uint32_t i = 0; i < tokens->n_tokens; i++) {
        const ws_token *t = &tokens->tokens[i];
        ws_buf_printf(out, "%u%u@%u ", t->stream, t->flags, t->position - position);
        if (what & OFFSETS)
            ws_buf_printf(out, "%u-%u ", t->start - shift, t->end - shift);
        ws_buf_str(out, t->text);
        ws_buf_u8(out, '\n');
    }
}

static int are_same(const ws_buf *a, const ws_buf *b)
{
    return a->status == WS_OK && ws_str_eq(ws_buf_slice(a), ws_buf_slice(b));
}

static ws_buf list_of(ws_str text, uint32_t kind, uint32_t mode, uint32_t what)
{
    ws_buf list;
    ws_tokens tokens = run_kind(kind, mode, text);
    ws_buf_init(&list);
    append_tokens(&list, &tokens, what, 0, 0);
    return list;
}

/* The token lists of two texts are equal; what & OFFSETS: their byte ranges, too. */
static void expect_same(ws_str a, ws_str b, uint32_t what, const char *why, uint64_t seed)
{
    ws_buf x = list_of(a, WS_ANALYZER_STANDARD, WS_ANALYZE_INDEX, what);
    ws_buf y = list_of(b, WS_ANALYZER_STANDARD, WS_ANALYZE_INDEX, what);
    if (!are_same(&x, &y))
        fail_at(why, b, seed);
    ws_buf_fini(&x);
    ws_buf_fini(&y);
}

/* --- any text --- */

/* Has something that must not get lost. U+318D is a letter to ICU, and a dot to the normaliser. */
static int has_letter_or_digit(ws_str text)
{
    uint32_t c;
    for (size_t at = 0; at < text.len;) {
        at += ws_utf8_decode(text, at, &c);
        if ((u_isalpha((UChar32)c) || u_isdigit((UChar32)c)) && c != 0x318d &&
            !u_hasBinaryProperty((UChar32)c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT))
            return 1;
    }
    return 0;
}

static void check_kind(uint32_t kind, ws_str text, uint64_t seed)
{
    ws_tokens tokens = run_kind(kind, WS_ANALYZE_INDEX, text);
    const char *fault = ws_tokens_fault(text, kind, &tokens);
    if (fault)
        fail_at(fault, text, seed);
    if (tokens.n_tokens == 0 && has_letter_or_digit(text))
        fail_at("all tokens are lost", text, seed);
}

static void check_any(ws_str text, uint64_t seed)
{
    for (uint32_t kind = WS_ANALYZER_STANDARD; kind <= WS_ANALYZER_KEYWORD; kind++)
        check_kind(kind, text, seed);
}

Test(analyzer, random_texts, .init = make, .fini = drop)
{
    ws_rng rng = ws_rng_seeded(61);
    char text[WS_RANDOM_TEXT_MAX];
    for (int round = 0; round < 15000; round++)
        check_any(ws_str_make(text, ws_random_text(&rng, text)), rng.seed);
}

Test(analyzer, random_bytes, .init = make, .fini = drop)
{
    ws_rng rng = ws_rng_seeded(62);
    char bytes[64];
    for (int round = 0; round < 10000; round++) {
        size_t n = ws_rng_below(&rng, sizeof bytes);
        ws_rng_fill(&rng, bytes, n);
        check_any(ws_str_make(bytes, n), rng.seed);
    }
    check_any(ws_str_make(NULL, 0), rng.seed);
}

Test(analyzer, damaged_prose, .init = make, .fini = drop)
{
    ws_rng rng = ws_rng_seeded(63);
    char text[CAP];
    for (int round = 0; round < 1500; round++) {
        size_t n = ws_corpus_text(&rng, (uint32_t)ws_rng_between(&rng, 1, 40), text, sizeof text);
        check_any(ws_str_make(text, n), rng.seed);
        for (uint64_t i = ws_rng_below(&rng, 20); i > 0; i--)
            text[ws_rng_below(&rng, n)] = " .-'@#+,1a\x80\xff\xea"[ws_rng_below(&rng, 13)];
        check_any(ws_str_make(text, n), rng.seed);
    }
}

Test(analyzer, no_code_point_is_lost, .init = make, .fini = drop)
{
    char text[4];
    for (uint32_t c = 0; c < 0x20000; c++)
        if ((c < 0xd800 || c > 0xdfff) && u_isdefined((UChar32)c) && (c < 0x3500 || c > 0xd700))
            check_kind(WS_ANALYZER_STANDARD, ws_str_make(text, ws_utf8_encode(c, text)), 0);
}

/* --- what changes nothing --- */

Test(analyzer, punctuation_around_a_text, .init = make, .fini = drop)
{
    static const char *const behind[] = {"!",  "?",  ",", ";",  ":",    ")",  "...", ".",
                                         "。", "、", "”", " -", "!?",   "·",  "'",   "’",
                                         "-",  "_",  "@", "&",  "\n\n", "\"", "%",   "/"};
    static const char *const before[] = {"(", "\"", "“", "「", "- ", "¿", "\t", "'"};
    ws_rng rng = ws_rng_seeded(64);
    char text[CAP], more[CAP + 8];
    for (int round = 0; round < 1500; round++) {
        size_t n = ws_corpus_text(&rng, (uint32_t)ws_rng_between(&rng, 1, 6), text, CAP);
        const char *mark = behind[ws_rng_below(&rng, WS_ARRAY_LEN(behind))];
        int made = snprintf(more, sizeof more, "%s%s", text, mark);
        expect_same(ws_str_make(text, n), ws_str_make(more, (size_t)made), OFFSETS,
                    "punctuation behind", rng.seed);
        mark = before[ws_rng_below(&rng, WS_ARRAY_LEN(before))];
        made = snprintf(more, sizeof more, "%s%s", mark, text);
        expect_same(ws_str_make(text, n), ws_str_make(more, (size_t)made), 0, "punctuation before",
                    rng.seed);
    }
}

static size_t decompose(ws_str text, char *out)
{
    static UChar in[CAP], nfd[CAP];
    UErrorCode code = U_ZERO_ERROR;
    int32_t n = 0;
    u_strFromUTF8(in, CAP, &n, text.ptr, (int32_t)text.len, &code);
    n = unorm2_normalize(unorm2_getNFDInstance(&code), in, n, nfd, CAP, &code);
    u_strToUTF8(out, CAP, &n, nfd, n, &code);
    cr_assert(U_SUCCESS(code));
    return (size_t)n;
}

Test(analyzer, decomposed_text_is_the_same, .init = make, .fini = drop)
{
    static const char *const accented[] = {"Café", "Ångström", "ガギグ", "Йога", "naïve", "각"};
    ws_rng rng = ws_rng_seeded(65);
    char text[CAP], nfd[CAP];
    for (int round = 0; round < 1000; round++) {
        size_t n = ws_corpus_text(&rng, (uint32_t)ws_rng_between(&rng, 1, 20), text, CAP - 64);
        n += (size_t)snprintf(text + n, 64, " %s",
                              accented[ws_rng_below(&rng, WS_ARRAY_LEN(accented))]);
        ws_str other = ws_str_make(nfd, decompose(ws_str_make(text, n), nfd));
        expect_same(ws_str_make(text, n), other, 0, "NFD", rng.seed);
    }
}

Test(analyzer, queries_are_read_as_documents, .init = make, .fini = drop)
{
    ws_rng rng = ws_rng_seeded(66);
    char text[CAP];
    for (int round = 0; round < 500; round++) {
        size_t n = ws_corpus_query(&rng, "대한민국은 running K-POP 2018년에", text, sizeof text);
        for (uint32_t kind = 0; kind <= WS_ANALYZER_KEYWORD; kind++) {
            ws_str query = ws_str_make(text, n);
            ws_buf a = list_of(query, kind, WS_ANALYZE_INDEX, OFFSETS);
            ws_buf b = list_of(query, kind, WS_ANALYZE_QUERY, OFFSETS);
            if (!are_same(&a, &b))
                fail_at("query mode", query, rng.seed);
            ws_buf_fini(&a);
            ws_buf_fini(&b);
        }
    }
}

/* A text is its words: the tokens of `a b` are those of `a` and, further on, those of `b`. */
Test(analyzer, texts_joined_by_a_blank, .init = make, .fini = drop)
{
    ws_rng rng = ws_rng_seeded(67);
    char a[CAP], b[CAP], both[2 * CAP];
    for (int round = 0; round < 1500; round++) {
        size_t n = ws_corpus_text(&rng, (uint32_t)ws_rng_between(&rng, 1, 5), a, CAP);
        size_t m = ws_corpus_text(&rng, (uint32_t)ws_rng_between(&rng, 1, 5), b, CAP);
        int made = snprintf(both, sizeof both, "%s %s", a, b);
        ws_buf parts = list_of(ws_str_make(a, n), 0, WS_ANALYZE_INDEX, OFFSETS);
        uint32_t positions = run(ws_str_make(a, n)).n_positions;
        ws_tokens second = run(ws_str_make(b, m));
        /* The shift is taken off: minus what the second text moves. */
        append_tokens(&parts, &second, OFFSETS, 0u - ((uint32_t)n + 1), 0u - positions);
        ws_buf whole = list_of(ws_str_make(both, (size_t)made), 0, WS_ANALYZE_INDEX, OFFSETS);
        if (!are_same(&parts, &whole))
            fail_at("a blank between texts", ws_str_make(both, (size_t)made), rng.seed);
        ws_buf_fini(&parts);
        ws_buf_fini(&whole);
    }
}

/* --- by example --- */

static void expect_list(const char *text, const char *want)
{
    ws_buf list = list_of(ws_cstr(text), WS_ANALYZER_STANDARD, WS_ANALYZE_INDEX, OFFSETS);
    cr_expect(ws_str_eq(ws_buf_slice(&list), ws_cstr(want)), "%s:\n%.*s", text, (int)list.len,
              (const char *)list.data);
    ws_buf_fini(&list);
}

/* Lines: stream and flags @ position, byte range, text. */
Test(analyzer, streams_and_ranges_by_example, .init = make, .fini = drop)
{
    expect_list("대한민국은", "08@0 0-15 대한민국\n"
                              "28@0 0-15 대한민국은\n"
                              "110@0 0-6 대한\n"
                              "110@0 3-9 한민\n"
                              "110@0 6-12 민국\n"
                              "18@0 9-15 국은\n");
    expect_list("“K-POP은”", "00@0 3-4 k\n"
                             "00@1 5-8 pop\n"
                             "20@0 3-8 k-pop\n");
    expect_list("C++은 물을", "00@0 0-3 c++\n"
                              "08@1 7-13 물\n"
                              "28@1 7-13 물을\n"
                              "18@1 7-13 물을\n");
    expect_list("2018년에 1,234", "04@0 0-4 2018\n"
                                  "08@1 4-10 년\n"
                                  "28@1 4-10 년에\n"
                                  "18@1 4-10 년에\n"
                                  "18@1 0-7 2018년\n"
                                  "04@2 11-16 1234\n");
    expect_list("1,234명", "04@0 0-5 1234\n"
                           "08@1 5-8 명\n"
                           "110@1 5-8 명\n"
                           "18@1 0-8 1234명\n");
    expect_list("1,23 1.5", "04@0 0-1 1\n"
                            "04@1 2-4 23\n"
                            "04@2 5-8 1.5\n");
    expect_list("iPhone15프로", "00@0 0-6 iphon\n"
                                "04@1 6-8 15\n"
                                "20@0 0-8 iphone15\n"
                                "08@2 8-14 프로\n"
                                "110@2 8-14 프로\n"
                                "18@2 6-14 15프로\n");
    expect_list("O’Neil’s Running", "00@0 0-12 o'neil\n"
                                    "00@1 13-20 run\n");
    expect_list("ＫＢＳ㎞\xc2\xad", "00@0 0-14 kbskm\n");
    expect_list("ภาษาไทย 東京カタカナ ㅋㅋ", "00@0 0-12 ภาษา\n"
                                             "00@1 12-21 ไทย\n"
                                             "00@2 22-28 東京\n"
                                             "00@3 28-40 カタカナ\n"
                                             "08@4 41-47 ㅋㅋ\n");
    expect_list(".NET", "00@0 0-4 .net\n");
}
