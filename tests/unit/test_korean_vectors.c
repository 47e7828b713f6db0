/* Every row of tests/data/korean-vectors.tsv of the kinds that this module serves; the rows that it
 * answers otherwise on purpose are listed with its answer. */
#include <stdio.h>
#include <stdlib.h>

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/analyzer.h"
#include "engine/text/jamo.h"
#include "engine/text/normalize.h"
#include "tests/support/test.h"
#include "tests/support/vectors.h"

/* Normalised as the module's callers do. */
static ws_str normalised(const char *text)
{
    static ws_normalizer n;
    static int ready;
    if (!ready)
        cr_assert_eq(ws_normalizer_init(&n), WS_OK);
    ready = 1;
    cr_assert_eq(ws_normalizer_run(&n, ws_cstr(text)), WS_OK);
    return ws_buf_slice(&n.text);
}

typedef size_t (*key_fn)(ws_str, char *, size_t);

static ws_str apply(key_fn fn, ws_str in, char out[WS_VECTOR_CAP])
{
    size_t n = fn(in, out, WS_VECTOR_CAP);
    cr_assert_leq(n, (size_t)WS_VECTOR_CAP);
    return ws_str_make(out, n);
}

static void expect_text(const ws_vector *r, ws_str got)
{
    cr_expect(ws_str_eq(got, ws_cstr(r->expected)), "%s '%s': got '%.*s', expected '%s'", r->kind,
              r->input, (int)got.len, got.ptr, r->expected);
}

static void check_jamo(const ws_vector *r)
{
    char key[WS_VECTOR_CAP], shown[WS_VECTOR_CAP];
    expect_text(r, apply(ws_jamo_show, apply(ws_jamo_key, normalised(r->input), key), shown));
}

static void check_chosung(const ws_vector *r)
{
    char key[WS_VECTOR_CAP], shown[WS_VECTOR_CAP];
    expect_text(r, apply(ws_jamo_show, apply(ws_chosung_key, normalised(r->input), key), shown));
}

static void check_to_korean(const ws_vector *r)
{
    char key[WS_VECTOR_CAP], text[WS_VECTOR_CAP];
    expect_text(r, apply(ws_jamo_compose, apply(ws_qwerty_to_jamo, ws_cstr(r->input), key), text));
}

static void check_to_qwerty(const ws_vector *r)
{
    char key[WS_VECTOR_CAP], text[WS_VECTOR_CAP];
    expect_text(r, apply(ws_jamo_to_qwerty, apply(ws_jamo_key, normalised(r->input), key), text));
}

static void check_compose(const ws_vector *r)
{
    char key[WS_VECTOR_CAP], text[WS_VECTOR_CAP];
    expect_text(r, apply(ws_jamo_compose, apply(ws_jamo_key, ws_cstr(r->input), key), text));
}

static void split_pair(const ws_vector *r, char left[WS_VECTOR_CAP], char right[WS_VECTOR_CAP])
{
    const char *bar = strchr(r->input, '|');
    cr_assert_not_null(bar);
    memcpy(left, r->input, (size_t)(bar - r->input));
    left[bar - r->input] = 0;
    memcpy(right, bar + 1, strlen(bar + 1) + 1);
}

static void check_prefix(const ws_vector *r)
{
    char typed[WS_VECTOR_CAP], entry[WS_VECTOR_CAP], typed_key[WS_VECTOR_CAP],
        entry_key[WS_VECTOR_CAP];
    split_pair(r, typed, entry);
    ws_str a = apply(ws_jamo_key, normalised(typed), typed_key);
    ws_str b = apply(ws_jamo_key, normalised(entry), entry_key);
    cr_expect_eq(ws_str_starts_with(b, a), r->expected[0] == '1', "prefix %s", r->input);
}

static void check_chosung_match(const ws_vector *r)
{
    char typed[WS_VECTOR_CAP], entry[WS_VECTOR_CAP], left[WS_VECTOR_CAP];
    split_pair(r, typed, entry);
    ws_str n = normalised(typed);
    memcpy(left, n.ptr, n.len);
    ws_str a = ws_str_make(left, n.len), b = normalised(entry);
    cr_expect_eq(ws_chosung_match(a, b), r->expected[0] == '1', "chosung_match %s", r->input);
}

/* What ICU alone does: the reason why keyboard jamo are set aside. */
static void check_nfkc(const ws_vector *r)
{
    UErrorCode code = U_ZERO_ERROR;
    UChar in[WS_VECTOR_CAP], out[WS_VECTOR_CAP];
    char text[WS_VECTOR_CAP];
    int32_t n = 0, m = 0;
    u_strFromUTF8(in, WS_VECTOR_CAP, &n, r->input, -1, &code);
    n = unorm2_normalize(unorm2_getNFKCCasefoldInstance(&code), in, n, out, WS_VECTOR_CAP, &code);
    u_strToUTF8(text, WS_VECTOR_CAP, &m, out, n, &code);
    cr_assert(U_SUCCESS(code));
    expect_text(r, ws_str_make(text, (size_t)m));
    uint32_t first;
    ws_utf8_decode(ws_cstr(r->input), 0, &first);
    ws_str ours = normalised(r->input);
    if (first >= 0x3131 && first <= 0x318e)
        cr_expect(ws_str_eq(ours, ws_cstr(r->input)), "keyboard jamo %s changed", r->input);
    else
        expect_text(r, ours);
}

/* Word tokens joined by '|'. */
static void words_of(const char *text, char out[WS_VECTOR_CAP], uint32_t stream)
{
    static ws_analyzer *a;
    ws_tokens tokens;
    if (!a)
        cr_assert_eq(ws_analyzer_new(&a, NULL), WS_OK);
    cr_assert_eq(ws_analyzer_run(a, WS_ANALYZER_STANDARD, WS_ANALYZE_INDEX, ws_cstr(text), &tokens),
                 WS_OK);
    size_t n = 0;
    for (uint32_t i = 0; i < tokens.n_tokens; i++)
        if (tokens.tokens[i].stream == stream)
            n += (size_t)snprintf(out + n, WS_VECTOR_CAP - n, "%s%.*s", n ? "|" : "",
                                  (int)tokens.tokens[i].text.len, tokens.tokens[i].text.ptr);
    out[n] = 0;
}

/* Rows that this analyzer answers otherwise on purpose. */
static int decided_otherwise(const ws_vector *r, const char **ours)
{
    static const char *const rows[][2] = {
        {"K-POP은", "k|pop"},                  /* the whole is the surface */
        {"www.example.com", "www|exampl|com"}, /* likewise */
        {"hyphen\xc2\xad"
         "ation",
         "hyphen"},                        /* stemmed */
        {"Hermes는", "herm"},              /* stemmed */
        {"iPhone15프로", "iphon|15|프로"}, /* stemmed */
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++)
        if (strcmp(r->input, rows[i][0]) == 0) {
            *ours = rows[i][1];
            return 1;
        }
    return 0;
}

static void check_josa(const ws_vector *r)
{
    char got[WS_VECTOR_CAP];
    words_of(r->input, got, WS_STREAM_WORD);
    const char *expected = r->expected;
    decided_otherwise(r, &expected);
    cr_expect_str_eq(got, expected, "josa %s: got %s, expected %s", r->input, got, expected);
}

static void check_token(const ws_vector *r)
{
    char got[WS_VECTOR_CAP], other[WS_VECTOR_CAP];
    const char *expected = r->expected;
    decided_otherwise(r, &expected);
    words_of(r->input, got, WS_STREAM_WORD);
    if (expected[0] == '=') {
        words_of(expected + 1, other, WS_STREAM_WORD);
        expected = other;
    } else if (strcmp(expected, "!digit") == 0) {
        cr_expect_null(strpbrk(got, "0123456789"), "token %s: %s", r->input, got);
        return;
    }
    cr_expect_str_eq(got, expected, "token %s: got %s, expected %s", r->input, got, expected);
}

static void check_bigram(const ws_vector *r)
{
    char got[WS_VECTOR_CAP];
    words_of(r->input, got, WS_STREAM_BIGRAM);
    cr_expect_str_eq(got, r->expected, "bigram %s: got %s, expected %s", r->input, got,
                     r->expected);
}

Test(korean_vectors, jamo)
{
    ws_vectors_each("jamo", check_jamo, 1);
}

Test(korean_vectors, chosung)
{
    ws_vectors_each("chosung", check_chosung, 1);
}

Test(korean_vectors, prefix)
{
    ws_vectors_each("prefix", check_prefix, 1);
}

Test(korean_vectors, chosung_match)
{
    ws_vectors_each("chosung_match", check_chosung_match, 1);
}

Test(korean_vectors, qwerty_to_ko)
{
    ws_vectors_each("qwerty_to_ko", check_to_korean, 1);
}

Test(korean_vectors, ko_to_qwerty)
{
    ws_vectors_each("ko_to_qwerty", check_to_qwerty, 1);
}

Test(korean_vectors, compose)
{
    ws_vectors_each("compose", check_compose, 1);
}

Test(korean_vectors, nfkc_cf)
{
    ws_vectors_each("nfkc_cf", check_nfkc, 1);
}

Test(korean_vectors, josa)
{
    ws_vectors_each("josa", check_josa, 1);
}

Test(korean_vectors, token)
{
    ws_vectors_each("token", check_token, 1);
}

Test(korean_vectors, bigram)
{
    ws_vectors_each("bigram", check_bigram, 1);
}
