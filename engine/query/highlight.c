#define _GNU_SOURCE /* memmem */
#include "engine/query/highlight.h"

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/text/jamo.h"

static int is_hangul(ws_str text)
{
    uint32_t c = 0;
    if (text.len)
        ws_utf8_decode(text, 0, &c);
    return ws_is_syllable(c);
}

static void add_word(const ws_query *query, uint32_t list, ws_highlight_words *out)
{
    ws_str key = query->lists[list].key;
    ws_str text = ws_str_sub(key, 2, key.len);
    for (uint32_t i = 0; i < out->n; i++)
        if (ws_str_eq(out->words[i].text, text))
            return;
    if (out->n < WS_HIGHLIGHT_WORDS)
        out->words[out->n++] = (ws_highlight_word){text, list, (uint32_t)is_hangul(text)};
}

static void add_alternative(const ws_query *query, const ws_query_alternative *a,
                            ws_highlight_words *out)
{
    for (uint32_t i = 0; i < a->n_places; i++) {
        const ws_query_place *place = &query->places[a->first_place + i];
        if (place->word != WS_NO_LIST)
            add_word(query, place->word, out);
    }
}

void ws_highlight_collect(const ws_query *query, uint32_t field, ws_highlight_words *out)
{
    out->n = 0;
    for (uint32_t c = 0; c < query->n_clauses; c++) {
        const ws_query_clause *clause = &query->clauses[c];
        for (uint32_t i = 0; i < clause->n_alternatives && !clause->negative; i++) {
            const ws_query_alternative *a = &query->alternatives[clause->first_alternative + i];
            if (a->field == field)
                add_alternative(query, a, out);
        }
    }
}

static uint32_t find_in_run(const ws_highlight_words *words, ws_str text, const ws_token *t,
                            ws_highlight_match *out, uint32_t cap)
{
    uint32_t n = 0;
    ws_str run = ws_str_sub(text, t->start, t->end);
    for (uint32_t w = 0; w < words->n && n < cap; w++) {
        ws_str word = words->words[w].text;
        if (!words->words[w].hangul || word.len == 0 || word.len > run.len)
            continue;
        const char *at = memmem(run.ptr, run.len, word.ptr, word.len);
        if (at) {
            uint32_t start = t->start + (uint32_t)(at - run.ptr);
            out[n++] = (ws_highlight_match){start, start + (uint32_t)word.len, w};
        } else if (ws_str_eq(t->text, word)) { /* written otherwise: decomposed, say */
            out[n++] = (ws_highlight_match){t->start, t->end, w};
        }
    }
    return n;
}

static uint32_t find_whole(const ws_highlight_words *words, const ws_token *t,
                           ws_highlight_match *out, uint32_t cap)
{
    for (uint32_t w = 0; w < words->n && cap; w++)
        if (!words->words[w].hangul && ws_str_eq(words->words[w].text, t->text)) {
            *out = (ws_highlight_match){t->start, t->end, w};
            return 1;
        }
    return 0;
}

uint32_t ws_highlight_find(const ws_highlight_words *words, ws_str text, const ws_tokens *tokens,
                           ws_highlight_match *out, uint32_t cap)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < tokens->n_tokens && n < cap; i++) {
        const ws_token *t = &tokens->tokens[i];
        if (t->stream == WS_STREAM_WORD && (t->flags & WS_TOKEN_HANGUL))
            n += find_in_run(words, text, t, out + n, cap - n);
        else if (t->stream == WS_STREAM_WORD ||
                 (t->stream == WS_STREAM_SURFACE && !(t->flags & WS_TOKEN_HANGUL)))
            n += find_whole(words, t, out + n, cap - n);
    }
    for (uint32_t i = 1; i < n; i++) /* nearly in order already */
        for (uint32_t k = i; k > 0 && out[k - 1].start > out[k].start; k--) {
            ws_highlight_match m = out[k];
            out[k] = out[k - 1];
            out[k - 1] = m;
        }
    return n;
}

uint32_t ws_highlight_spans(const ws_highlight_match *matches, uint32_t n, uint32_t from,
                            uint32_t to, ws_span *spans)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t start = WS_MAX(matches[i].start, from), end = WS_MIN(matches[i].end, to);
        if (start >= end)
            continue;
        start -= from;
        end -= from;
        if (count && start <= spans[count - 1].end)
            spans[count - 1].end = WS_MAX(spans[count - 1].end, end);
        else
            spans[count++] = (ws_span){start, end};
    }
    return count;
}
