#include "engine/text/analyzer.h"

#include <unicode/ubrk.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/analyzer_int.h"

#define TERM_LONG 240u /* bytes that a dictionary key keeps: docs/format.md section 4 */

static const char *const kind_names[] = {"standard", "whitespace", "keyword"};

int ws_analyzer_kind(ws_str name)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(kind_names); i++)
        if (ws_str_eq(name, ws_cstr(kind_names[i])))
            return (int)i;
    return -1;
}

const char *ws_analyzer_kind_name(uint32_t kind)
{
    return kind < WS_ARRAY_LEN(kind_names) ? kind_names[kind] : NULL;
}

/* --- life --- */

static ws_status open_icu(ws_analyzer *a, ws_error *error)
{
    UErrorCode code = U_ZERO_ERROR;
    a->words = ubrk_open(UBRK_WORD, "en", NULL, 0, &code);
    if (U_FAILURE(code))
        return ws_error_set(error, WS_ERR_STATE, "ICU gives no word iterator: %s",
                            u_errorName(code));
    for (uint32_t c = 0; c < 128; c++)
        ws_script_class(a->scripts, c);
    return WS_OK;
}

ws_status ws_analyzer_new(ws_analyzer **out, ws_error *error)
{
    *out = NULL;
    ws_analyzer *a = ws_calloc(1, sizeof *a);
    if (!a)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for an analyzer");
    ws_korean_rules_init(&a->korean);
    ws_status status = ws_normalizer_init(&a->normalizer);
    if (!status)
        status = ws_english_new(&a->english);
    if (!status)
        status = (a->scripts = ws_calloc(1, sizeof *a->scripts)) ? WS_OK : WS_ERR_NOMEM;
    if (status)
        ws_error_set(error, status, "cannot make an analyzer: %s", ws_status_text(status));
    else
        status = open_icu(a, error);
    if (status) {
        ws_analyzer_free(a);
        return status;
    }
    *out = a;
    return WS_OK;
}

void ws_analyzer_free(ws_analyzer *a)
{
    if (!a)
        return;
    ws_normalizer_fini(&a->normalizer);
    ws_english_free(a->english);
    ws_free(a->scripts);
    if (a->words)
        ubrk_close(a->words);
    ws_free(a->tokens);
    ws_buf_fini(&a->pool);
    ws_free(a);
}

size_t ws_analyzer_memory(const ws_analyzer *a)
{
    return sizeof *a + sizeof *a->scripts + ws_english_memory(a->english) +
           ws_normalizer_memory(&a->normalizer) + a->tokens_cap * sizeof *a->tokens + a->pool.cap;
}

/* --- tokens --- */

static ws_status grow(ws_analyzer *a)
{
    uint32_t cap = a->tokens_cap ? a->tokens_cap * 2 : 256;
    ws_token *grown = ws_reallocarray(a->tokens, cap, sizeof *grown);
    if (!grown)
        return WS_ERR_NOMEM;
    a->tokens = grown;
    a->tokens_cap = cap;
    return WS_OK;
}

ws_status ws_analyzer_emit(ws_analyzer *a, uint32_t stream, ws_str text, size_t from, size_t to,
                           uint32_t position, uint32_t flags)
{
    if (a->n_tokens == a->tokens_cap)
        WS_TRY(grow(a));
    ws_token *t = &a->tokens[a->n_tokens++];
    *t = (ws_token){text, (uint32_t)from, (uint32_t)to, position, (uint8_t)stream, (uint8_t)flags};
    if (!a->plain)
        ws_normalizer_original(&a->normalizer, (uint32_t)from, (uint32_t)to, &a->hint, &t->start,
                               &t->end);
    a->counts[stream]++;
    a->n_long += text.len > TERM_LONG;
    return WS_OK;
}

ws_str ws_analyzer_keep(ws_analyzer *a, ws_str text)
{
    size_t at = a->pool.len;
    ws_buf_append(&a->pool, text.ptr, text.len); /* room was reserved */
    return ws_str_make((const char *)a->pool.data + at, text.len);
}

/* --- kinds --- */

static int is_separator(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static ws_status run_whitespace(ws_analyzer *a, ws_str text)
{
    a->plain = 1;
    for (size_t at = 0, end; at < text.len; at = end) {
        while (at < text.len && is_separator(text.ptr[at]))
            at++;
        for (end = at; end < text.len && !is_separator(text.ptr[end]);)
            end++;
        if (end > at)
            WS_TRY(ws_analyzer_emit(a, WS_STREAM_WORD, ws_str_sub(text, at, end), at, end,
                                    a->position++, 0));
    }
    return WS_OK;
}

static ws_status normalise(ws_analyzer *a, ws_str text)
{
    a->plain = 0;
    WS_TRY(ws_normalizer_run(&a->normalizer, text));
    /* A stem may be a letter longer than its word, and a word with typographic apostrophes is kept
     * twice. */
    ws_buf_clear(&a->pool);
    return ws_buf_reserve(&a->pool, a->normalizer.text.len * 3 + 64);
}

static ws_status run_keyword(ws_analyzer *a, ws_str text)
{
    WS_TRY(normalise(a, text));
    ws_str whole = ws_buf_slice(&a->normalizer.text);
    return whole.len ? ws_analyzer_emit(a, WS_STREAM_WORD, whole, 0, whole.len, a->position++, 0)
                     : WS_OK;
}

static ws_status run_standard(ws_analyzer *a, ws_str text)
{
    WS_TRY(normalise(a, text));
    return ws_analyzer_split(a, ws_buf_slice(&a->normalizer.text));
}

ws_status ws_analyzer_run(ws_analyzer *a, uint32_t kind, uint32_t mode, ws_str text, ws_tokens *out)
{
    static ws_status (*const run[])(ws_analyzer *, ws_str) = {run_standard, run_whitespace,
                                                              run_keyword};
    (void)mode; /* documents and queries are read alike: the streams carry what only one of them
                   needs */
    memset(out, 0, sizeof *out);
    if (kind >= WS_ARRAY_LEN(run))
        return WS_ERR_ARG;
    if (text.len > WS_ANALYZE_MAX)
        return WS_ERR_LIMIT;
    a->n_tokens = a->position = a->hint = a->n_long = 0;
    memset(a->counts, 0, sizeof a->counts);
    a->normalizer.n_replaced = 0;
    WS_TRY(run[kind](a, text));
    out->tokens = a->tokens;
    out->n_tokens = a->n_tokens;
    out->n_positions = a->position;
    memcpy(out->counts, a->counts, sizeof out->counts);
    out->n_replaced = a->normalizer.n_replaced;
    out->n_long = a->n_long;
    return WS_OK;
}

/* --- fingerprint --- */

/* Every script and rule once. */
static const char probe[] =
    "대한민국은 민주공화국이다. 위키백과의 학교에서부터 2018년에 3.5km를 1,234,567명 10.1인치 "
    "iPhone15프로 K-POP은 C++과 C# .NET "
    "ㄷㅎㅁㄱ ㅎㅏㄴ 도로ㆍ지반·수자원 5·18 hyphen\xc2\xad"
    "ation 한\xe2\x80\x8b글 서울(서울特別市) café CAFÉ ＫＢＳ뉴스 ㈜카카오 "
    "running studies don't O\xe2\x80\x99Neil's www.example.com foo_bar@example.com カタカナ ｶﾀｶﾅ "
    "東京 ภาษาไทย русский Ελληνικά "
    "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab\xe1\x84\x80\xe1\x85\xb3\xe1\x86\xaf ẞ İ ① Ⅻ ㎞";

static void mix(ws_buf *buf, const ws_token *t)
{
    ws_buf_u8(buf, t->stream);
    ws_buf_u8(buf, t->flags);
    ws_buf_u32le(buf, t->position);
    ws_buf_u32le(buf, t->start);
    ws_buf_u32le(buf, t->end);
    ws_buf_u32le(buf, (uint32_t)t->text.len);
    ws_buf_str(buf, t->text);
}

ws_status ws_analyzer_fingerprint(ws_analyzer *a, uint64_t *fingerprint)
{
    ws_tokens tokens;
    ws_buf all;
    *fingerprint = 0;
    WS_TRY(ws_analyzer_run(a, WS_ANALYZER_STANDARD, WS_ANALYZE_INDEX, ws_cstr(probe), &tokens));
    ws_buf_init(&all);
    for (uint32_t i = 0; i < tokens.n_tokens; i++)
        mix(&all, &tokens.tokens[i]);
    ws_status status = ws_buf_status(&all);
    if (!status)
        *fingerprint = ws_hash64(all.data, all.len);
    ws_buf_fini(&all);
    return status;
}
