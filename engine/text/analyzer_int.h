/* The analyzer's inside: shared by the chain (analyzer.c) and the splitter (splitter.c). */
#ifndef WS_TEXT_ANALYZER_INT_H
#define WS_TEXT_ANALYZER_INT_H

#include "engine/text/analyzer.h"
#include "engine/text/english.h"
#include "engine/text/korean.h"
#include "engine/text/normalize.h"
#include "engine/text/script.h"

#define WS_STEM_SLOTS 16384u

struct ws_analyzer {
    ws_normalizer normalizer;
    ws_english *english;
    ws_korean_rules korean;
    ws_script_table *scripts;
    void *words; /* UBreakIterator for dense scripts; its text is set per run */
    /* Hangul runs seen: 56 bits of hash, 8 bits of stem syllables + 1 */
    uint64_t stem_slots[WS_STEM_SLOTS];

    ws_token *tokens;
    uint32_t n_tokens, tokens_cap;
    /* token texts that are not slices of the normalised text; reserved before a run, never moved
     * during it */
    ws_buf pool;
    uint32_t position; /* of the next word */
    size_t number;     /* where the number begins that stands directly before a Hangul run */
    uint32_t hint;     /* of ws_normalizer_original */
    uint32_t counts[WS_STREAMS];
    uint32_t n_long;
    int plain; /* 1: offsets are those of the text (nothing was normalised) */
};

/* Adds a token whose text is valid until the next run; [from, to) in the normalised text. */
ws_status ws_analyzer_emit(ws_analyzer *a, uint32_t stream, ws_str text, size_t from, size_t to,
                           uint32_t position, uint32_t flags);

/* Copies a text into the pool. */
ws_str ws_analyzer_keep(ws_analyzer *a, ws_str text);

/* The text itself, or a copy in the pool when it holds commas: 1,234 is 1234. */
ws_str ws_analyzer_without_commas(ws_analyzer *a, ws_str text);

/* Splits the normalised text into words and emits their tokens. In splitter.c. */
ws_status ws_analyzer_split(ws_analyzer *a, ws_str text);

/* Emits the tokens of a run of Hangul syllables. In hangul_run.c. */
ws_status ws_analyzer_hangul(ws_analyzer *a, ws_str text, size_t from, size_t to, uint32_t after);

#endif
