/* From text to tokens: the one chain that indexing, querying, snippets and `wikisearch analyze`
 * share.
 *
 * Text is normalised (engine/text/normalize.h), cut into script runs and words, and emitted in up
 * to three streams:
 *
 *   WS_STREAM_WORD     the scored word: English stem, Korean stem (particle stripped), number, Han
 *                      or kana run
 *   WS_STREAM_BIGRAM   pairs of syllables of the raw Hangul run, particle included (weight 0.5); a
 *                      run of one syllable gives that syllable; a number with the unit behind it
 *                      (2018년; 1234명 of 1,234명)
 *   WS_STREAM_SURFACE  the word as written (case-folded) where it differs from the scored word:
 *                      with its particle, or joined (k-pop over k and pop, at the position of k);
 *                      not scored by default, used by quoted text
 *
 *   대한민국은 (U+B300 U+D55C U+BBFC U+AD6D U+C740)  ->  word 대한민국 · bigrams 대한 한민 민국
 * 국은 · surface 대한민국은
 *
 * Positions count words from 0; a bigram and a surface carry the position of their word. Byte
 * offsets point into the original text (before normalisation) and lie on code-point boundaries.
 */
#ifndef WS_TEXT_ANALYZER_H
#define WS_TEXT_ANALYZER_H

#include <stdint.h>

#include "base/arena.h"
#include "wikisearch/status.h"

#define WS_STREAM_WORD    0u
#define WS_STREAM_BIGRAM  1u
#define WS_STREAM_SURFACE 2u
#define WS_STREAMS        3u

/* Analyzer names of a schema field. */
#define WS_ANALYZER_STANDARD 0u /* by script: Korean default, English stems */
/* text is tokenised already: split at U+0020, \t, \n, \r; nothing else is touched */
#define WS_ANALYZER_WHITESPACE 1u
#define WS_ANALYZER_KEYWORD    2u /* the whole value, normalised and case-folded, is one token */

#define WS_ANALYZE_MAX (256u << 20) /* bytes of a text: normalised, 11 times as many at most */

#define WS_ANALYZE_INDEX 0u
#define WS_ANALYZE_QUERY 1u /* gives the same tokens as indexing today */

#define WS_TOKEN_IN_STEM 2u /* bigram: both syllables lie inside the stem */
#define WS_TOKEN_NUMBER  4u
#define WS_TOKEN_HANGUL  8u

typedef struct {
    ws_str text; /* normalised; valid until the next run of this analyzer or its free */
    /* bytes of the original text; [start, end) covers the word as written, particle included */
    uint32_t start, end;
    uint32_t position; /* word number, from 0 */
    uint8_t stream;    /* WS_STREAM_* */
    uint8_t flags;     /* WS_TOKEN_* */
} ws_token;

typedef struct {
    /* in order of position; within one position word, surface, bigrams (a joined word's surface
     * follows its parts) */
    const ws_token *tokens;
    uint32_t n_tokens;
    uint32_t n_positions;        /* positions used: the last one + 1 */
    uint32_t counts[WS_STREAMS]; /* tokens by stream: these are the field lengths that BM25 uses */
    uint32_t n_replaced;         /* bytes that are no UTF-8, each read as U+FFFD */
    /* tokens longer than WS_TERM_MAX bytes (cut when stored, see docs/format.md) */
    uint32_t n_long;
} ws_tokens;

typedef struct ws_analyzer ws_analyzer;

/* Makes an analyzer: ICU iterators warmed, stemmers, scratch memory. [1] per analyzer; make one per
 * thread. Errors: WS_ERR_NOMEM, WS_ERR_STATE when ICU has no data. Cost: about a millisecond. */
ws_status ws_analyzer_new(ws_analyzer **out, ws_error *error);
void ws_analyzer_free(ws_analyzer *analyzer);

/* Heap bytes held; grows with the longest text seen. */
size_t ws_analyzer_memory(const ws_analyzer *analyzer);

/* Analyses one text.
 *   kind   WS_ANALYZER_*
 *   mode   WS_ANALYZE_*
 *   text   any bytes, at most WS_ANALYZE_MAX; invalid UTF-8 is read as U+FFFD and counted
 *   out    filled; its arrays are the analyzer's, valid until its next run
 * A text with a letter, digit or symbol word never loses all its tokens. No allocation after
 * warm-up. Errors: WS_ERR_NOMEM, WS_ERR_LIMIT (too long). Cost: linear. */
ws_status ws_analyzer_run(ws_analyzer *analyzer, uint32_t kind, uint32_t mode, ws_str text,
                          ws_tokens *out);

/* Hash of the tokens of a fixed probe text: two libraries with the same value index and query
 * alike, whatever their versions say. Stored in every segment and manifest. */
ws_status ws_analyzer_fingerprint(ws_analyzer *analyzer, uint64_t *fingerprint);

/* Name <-> number for schemas: "standard", "whitespace", "keyword"; -1 for another name, NULL for
 * another number. */
int ws_analyzer_kind(ws_str name);
const char *ws_analyzer_kind_name(uint32_t kind);

#endif
