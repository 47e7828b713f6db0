/* What holds for the tokens of any text, for the tests and the fuzz target of the analyzer. [1]. */
#ifndef WS_TESTS_SUPPORT_TOKEN_CHECK_H
#define WS_TESTS_SUPPORT_TOKEN_CHECK_H

#include <stdlib.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "engine/index/format.h"
#include "engine/text/analyzer.h"

/* 1 for each byte that begins a code point, an invalid one included, and for the end. */
static inline uint8_t *ws_token_boundaries(ws_str text, uint32_t *n_invalid)
{
    uint8_t *starts = calloc(text.len + 1, 1);
    *n_invalid = 0;
    for (size_t at = 0, n; starts && at < text.len; at += n) {
        const uint8_t *p = (const uint8_t *)text.ptr + at;
        size_t length = ws_utf8_sequence(p, text.len - at);
        *n_invalid += length == 0;
        starts[at] = 1;
        n = length ? length : 1;
    }
    if (starts)
        starts[text.len] = 1;
    return starts;
}

static inline const char *ws_token_fault(const ws_token *t, size_t size, const uint8_t *starts)
{
    if (t->start >= t->end || t->end > size)
        return "an empty range, or one beyond the text";
    if (!starts[t->start] || !starts[t->end])
        return "a range inside a code point";
    if (t->text.len == 0 || t->stream >= WS_STREAMS)
        return "no text, or no stream";
    if (t->flags & ~(WS_TOKEN_IN_STEM | WS_TOKEN_NUMBER | WS_TOKEN_HANGUL))
        return "an unknown flag";
    if ((t->flags & WS_TOKEN_IN_STEM) && t->stream != WS_STREAM_BIGRAM)
        return "in-stem, but no bigram";
    return NULL;
}

/* One word a position, counted from 0, in the order of the text; what else there is at a position
 * follows its word. */
static inline const char *ws_token_order_fault(const ws_tokens *tokens)
{
    const ws_token *word = NULL; /* the last one */
    for (uint32_t i = 0; i < tokens->n_tokens; i++) {
        const ws_token *t = &tokens->tokens[i];
        if (t->stream == WS_STREAM_WORD) {
            if (t->position != (word ? word->position + 1 : 0))
                return "positions do not count the words";
            if (word && (t->start < word->start || t->end < word->end))
                return "words go back";
            word = t;
        } else if (!word || t->position > word->position) {
            return "a token before its word";
        } else if (t->stream == WS_STREAM_BIGRAM &&
                   (t->position != word->position || t->end > word->end)) {
            return "a bigram outside its word";
        } else if (t->stream == WS_STREAM_SURFACE && t->end != word->end) {
            return "a surface that ends elsewhere than its last word";
        }
    }
    if (tokens->n_positions != (word ? word->position + 1 : 0))
        return "n_positions";
    return NULL;
}

static inline const char *ws_tokens_count_fault(const ws_tokens *tokens)
{
    uint32_t counts[WS_STREAMS] = {0}, n_long = 0;
    for (uint32_t i = 0; i < tokens->n_tokens; i++) {
        counts[tokens->tokens[i].stream]++;
        n_long += tokens->tokens[i].text.len > WS_TERM_MAX;
    }
    for (uint32_t s = 0; s < WS_STREAMS; s++)
        if (counts[s] != tokens->counts[s])
            return "counts";
    return n_long == tokens->n_long ? NULL : "n_long";
}

/* What is wrong with the tokens of `text`; NULL when nothing is. */
static inline const char *ws_tokens_fault(ws_str text, uint32_t kind, const ws_tokens *tokens)
{
    uint32_t n_invalid;
    const char *fault = NULL;
    uint8_t *starts = ws_token_boundaries(text, &n_invalid);
    if (!starts)
        return "no memory for the check";
    for (uint32_t i = 0; !fault && i < tokens->n_tokens; i++) {
        fault = ws_token_fault(&tokens->tokens[i], text.len, starts);
        if (!fault && kind != WS_ANALYZER_WHITESPACE && !ws_utf8_valid(tokens->tokens[i].text))
            fault = "a token that is not UTF-8";
    }
    free(starts);
    if (!fault && tokens->n_replaced != (kind == WS_ANALYZER_WHITESPACE ? 0 : n_invalid))
        fault = "n_replaced";
    fault = fault ? fault : ws_tokens_count_fault(tokens);
    return fault ? fault : ws_token_order_fault(tokens);
}

/* Equal for equal tokens; all that a token says goes into it. */
static inline uint64_t ws_tokens_hash(const ws_tokens *tokens)
{
    uint64_t hash = tokens->n_positions;
    for (uint32_t i = 0; i < tokens->n_tokens; i++) {
        const ws_token *t = &tokens->tokens[i];
        uint32_t facts[] = {t->start, t->end, t->position, t->stream, t->flags};
        hash = ws_hash64_seed(facts, sizeof facts, hash);
        hash = ws_hash64_seed(t->text.ptr, t->text.len, hash);
    }
    return hash;
}

#endif
