/* A run of Hangul syllables: stem, bigrams of the raw run, surface. */
#include "base/hash.h"
#include "base/str.h"
#include "engine/text/analyzer_int.h"

/* The stem's bytes, from memory when the run was seen before. */
static size_t stem_of(ws_analyzer *a, ws_str run, uint32_t after)
{
    if (run.len > 200 * WS_SYLLABLE_BYTES)
        return run.len;
    /* Not by the hash's seed: XXH3 adds it to short inputs, so that 가 (U+AC00) with one seed has
     * the hash of 갇 (U+AC07) with another. */
    uint64_t hash = ws_hash64(run.ptr, run.len) + after * 0x9e3779b97f4a7c15u;
    uint64_t *slot = &a->stem_slots[hash % WS_STEM_SLOTS], tag = hash & ~0xffull;
    if ((*slot & ~0xffull) != tag || (*slot & 0xff) == 0)
        *slot = tag | (ws_korean_stem(&a->korean, run, after) / WS_SYLLABLE_BYTES + 1);
    return ((*slot & 0xff) - 1) * WS_SYLLABLE_BYTES;
}

static ws_status bigrams(ws_analyzer *a, ws_str text, size_t from, size_t to, size_t stem,
                         uint32_t position)
{
    if (to - from == WS_SYLLABLE_BYTES)
        return ws_analyzer_emit(a, WS_STREAM_BIGRAM, ws_str_sub(text, from, to), from, to, position,
                                WS_TOKEN_HANGUL | WS_TOKEN_IN_STEM);
    for (size_t at = from; at + 2 * WS_SYLLABLE_BYTES <= to; at += WS_SYLLABLE_BYTES) {
        uint32_t in_stem = at + 2 * WS_SYLLABLE_BYTES <= from + stem ? WS_TOKEN_IN_STEM : 0;
        ws_status status =
            ws_analyzer_emit(a, WS_STREAM_BIGRAM, ws_str_sub(text, at, at + 2 * WS_SYLLABLE_BYTES),
                             at, at + 2 * WS_SYLLABLE_BYTES, position, WS_TOKEN_HANGUL | in_stem);
        if (status)
            return status;
    }
    return WS_OK;
}

/* A number and its unit as one bigram: 30일 says more than 30 and 일 apart. */
static ws_status with_number(ws_analyzer *a, ws_str text, size_t from, size_t stem,
                             uint32_t position)
{
    if (a->number >= from)
        return WS_OK;
    ws_str pair = ws_analyzer_without_commas(a, ws_str_sub(text, a->number, from + stem));
    return ws_analyzer_emit(a, WS_STREAM_BIGRAM, pair, a->number, from + stem, position,
                            WS_TOKEN_HANGUL);
}

ws_status ws_analyzer_hangul(ws_analyzer *a, ws_str text, size_t from, size_t to, uint32_t after)
{
    ws_str run = ws_str_sub(text, from, to);
    size_t stem = stem_of(a, run, after);
    if (stem == 0)
        return WS_OK; /* a particle of the word before */
    uint32_t position = a->position++;
    ws_status status = ws_analyzer_emit(a, WS_STREAM_WORD, ws_str_sub(run, 0, stem), from, to,
                                        position, WS_TOKEN_HANGUL);
    if (!status && stem != run.len)
        status = ws_analyzer_emit(a, WS_STREAM_SURFACE, run, from, to, position, WS_TOKEN_HANGUL);
    if (!status)
        status = bigrams(a, text, from, to, stem, position);
    return status || after != WS_KOREAN_NUMBER ? status
                                               : with_number(a, text, from, stem, position);
}
