#include "engine/query/snippet.h"

#include "base/bytes.h"
#include "base/str.h"
#include "base/utf8.h"

/* How many of each word lie in a sliding window. */
typedef struct {
    uint16_t counts[WS_HIGHLIGHT_WORDS];
    uint32_t distinct;
} word_count;

static void enter(word_count *c, uint32_t word)
{
    c->distinct += c->counts[word]++ == 0;
}

static void leave(word_count *c, uint32_t word)
{
    c->distinct -= --c->counts[word] == 0;
}

/* Shell sort: a few hundred events, no allocation. */
static void sort_events(ws_snippet_event *e, uint32_t n)
{
    for (uint32_t gap = n / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < n; i++) {
            ws_snippet_event moving = e[i];
            uint32_t k = i;
            for (; k >= gap && e[k - gap].position > moving.position; k -= gap)
                e[k] = e[k - gap];
            e[k] = moving;
        }
}

uint32_t ws_snippet_window(ws_snippet_event *events, uint32_t n, uint32_t width)
{
    word_count c = {{0}, 0};
    uint32_t first = 0, best = 0, best_distinct = 0;
    sort_events(events, n);
    for (uint32_t last = 0; last < n; last++) {
        enter(&c, events[last].word);
        while (events[last].position - events[first].position >= width)
            leave(&c, events[first++].word);
        if (c.distinct > best_distinct) {
            best_distinct = c.distinct;
            best = events[first].position;
        }
    }
    return best;
}

/* The group of matches within `code_points` that holds the most distinct words: its first and last
 * match. */
static void best_group(ws_str text, const ws_highlight_match *m, uint32_t n, uint32_t code_points,
                       uint32_t *first_best, uint32_t *last_best)
{
    word_count c = {{0}, 0};
    uint32_t first = 0, best = 0;
    *first_best = *last_best = 0;
    for (uint32_t last = 0; last < n; last++) {
        enter(&c, m[last].word);
        while (first < last &&
               ws_utf8_count(ws_str_sub(text, m[first].start, m[last].end)) > code_points)
            leave(&c, m[first++].word);
        if (c.distinct > best) {
            best = c.distinct;
            *first_best = first;
            *last_best = last;
        }
    }
}

static int is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Byte `n` code points before `at`. */
static uint32_t back(ws_str text, uint32_t at, uint32_t n)
{
    while (n-- && at > 0)
        at = (uint32_t)ws_utf8_floor(text, at - 1);
    return at;
}

#define NEAR 24u /* bytes within which a word boundary is preferred to a cut inside a word */

/* The beginning of the word at or after `at`, when it is near and before `limit`. */
static uint32_t word_start(ws_str text, uint32_t at, uint32_t limit)
{
    if (at == 0 || is_space(text.ptr[at - 1]))
        return at;
    for (uint32_t i = at; i < limit && i < at + NEAR; i++)
        if (is_space(text.ptr[i]))
            return i + 1;
    return at;
}

/* The end of the word at or before `at`, when it is near and after `limit`. */
static uint32_t word_end(ws_str text, uint32_t at, uint32_t limit)
{
    if (at >= text.len || is_space(text.ptr[at]))
        return at;
    for (uint32_t i = at; i > limit && i + NEAR > at; i--)
        if (is_space(text.ptr[i - 1]))
            return i - 1;
    return at;
}

void ws_snippet_cut(ws_str text, const ws_highlight_match *matches, uint32_t n,
                    uint32_t code_points, uint32_t *from, uint32_t *to)
{
    uint32_t first = 0, last = 0, keep_from = 0, keep_to = 0;
    *from = 0;
    if (n) {
        best_group(text, matches, n, code_points, &first, &last);
        keep_from = matches[first].start;
        keep_to = matches[last].end;
        uint32_t used = (uint32_t)ws_utf8_count(ws_str_sub(text, keep_from, keep_to));
        *from = back(text, keep_from, used < code_points ? (code_points - used) / 3 : 0);
        *from = word_start(text, *from, keep_from);
    }
    while (*from < text.len && is_space(text.ptr[*from]))
        ++*from;
    *to = *from + (uint32_t)ws_utf8_skip(ws_str_sub(text, *from, text.len), code_points);
    if (*to < text.len)
        *to = word_end(text, *to, WS_MAX(keep_to, *from));
    while (*to > *from && is_space(text.ptr[*to - 1]))
        --*to;
}
