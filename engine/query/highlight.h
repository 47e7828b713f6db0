/* Finding the query's words in a piece of text. [1].
 *
 * A word is looked for as docs/search.md matches it: Latin words, numbers and the like by their
 * token, Hangul words as a part of the run, so that 대한민국 (U+B300 U+D55C U+BBFC U+AD6D) is
 * marked in 대한민국은 without its particle, and inside 신대한민국사.
 */
#ifndef WS_QUERY_HIGHLIGHT_H
#define WS_QUERY_HIGHLIGHT_H

#include "engine/query/query_int.h"
#include "wikisearch/search.h"

/* One word that a positive clause asks of a field. */
typedef struct {
    ws_str text;   /* as in the dictionary; slice of the query */
    uint32_t list; /* its posting list */
    uint32_t hangul;
} ws_highlight_word;

#define WS_HIGHLIGHT_WORDS 64u

typedef struct {
    ws_highlight_word words[WS_HIGHLIGHT_WORDS];
    uint32_t n;
} ws_highlight_words;

/* Collects the distinct words of the positive clauses in a field; the first 64. */
void ws_highlight_collect(const ws_query *query, uint32_t field, ws_highlight_words *out);

/* Where a word stands: bytes of the text, and which word (index in ws_highlight_words). */
typedef struct {
    uint32_t start, end, word;
} ws_highlight_match;

/* Finds the words in the tokens of `text` (INDEX mode). Writes at most `cap` matches, ascending by
 * start; returns how many. */
uint32_t ws_highlight_find(const ws_highlight_words *words, ws_str text, const ws_tokens *tokens,
                           ws_highlight_match *out, uint32_t cap);

/* Turns matches within [from, to) into spans relative to `from`: clamped, merged where they touch.
 * spans[] has room for n. Returns how many. */
uint32_t ws_highlight_spans(const ws_highlight_match *matches, uint32_t n, uint32_t from,
                            uint32_t to, ws_span *spans);

#endif
