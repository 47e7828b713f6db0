#include "engine/query/stop.h"

#include "base/bytes.h"
#include "base/str.h"

/* The 33 words that Lucene's EnglishAnalyzer leaves out: rankings stay comparable. In order. */
static const char words[][6] = {
    "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
    "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with",
};

#define LONGEST 5u

static int is_mark(char c)
{
    return strchr(".,;:!?'()[]", c) && c;
}

static ws_str without_marks(ws_str text)
{
    size_t from = 0, to = text.len;
    while (from < to && is_mark(text.ptr[from]))
        from++;
    while (to > from && is_mark(text.ptr[to - 1]))
        to--;
    return ws_str_sub(text, from, to);
}

/* Only the first letter may be large, and not of a word of one letter: IT, AT and the A of vitamin
 * A are names. */
static int is_word(ws_str text, const char *word)
{
    char first = text.len > 1 ? (char)(text.ptr[0] | 0x20) : text.ptr[0];
    return first == word[0] && memcmp(text.ptr + 1, word + 1, text.len - 1) == 0 &&
           word[text.len] == 0;
}

int ws_is_stop_word(ws_str typed)
{
    ws_str text = without_marks(typed);
    if (text.len == 0 || text.len > LONGEST)
        return 0;
    for (size_t i = 0; i < WS_ARRAY_LEN(words); i++)
        if (is_word(text, words[i]))
            return 1;
    return 0;
}
