#include "engine/text/english.h"

#include <libstemmer.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"

#define SLOTS    8192u /* words of a text repeat: most are found here */
#define WORD_MAX 29u   /* longer words are stemmed each time */

typedef struct {
    uint8_t word_length, stem_length;
    char word[WORD_MAX], stem[WORD_MAX + 1]; /* Porter2 may add one letter */
} slot;

struct ws_english {
    struct sb_stemmer *stemmer;
    slot slots[SLOTS];
};

ws_status ws_english_new(ws_english **out)
{
    ws_english *e = ws_calloc(1, sizeof *e);
    *out = NULL;
    if (!e)
        return WS_ERR_NOMEM;
    e->stemmer = sb_stemmer_new("english", "UTF_8");
    if (!e->stemmer) {
        ws_free(e);
        return WS_ERR_NOMEM;
    }
    *out = e;
    return WS_OK;
}

void ws_english_free(ws_english *e)
{
    if (!e)
        return;
    sb_stemmer_delete(e->stemmer);
    ws_free(e);
}

size_t ws_english_memory(const ws_english *e)
{
    return sizeof *e;
}

static ws_str stem_now(ws_english *e, ws_str word)
{
    const sb_symbol *stem = sb_stemmer_stem(e->stemmer, (const sb_symbol *)word.ptr, (int)word.len);
    int length = stem ? sb_stemmer_length(e->stemmer) : 0;
    return length > 0 ? ws_str_make((const char *)stem, (size_t)length) : word;
}

ws_str ws_english_stem(ws_english *e, ws_str word)
{
    if (word.len > WORD_MAX)
        return stem_now(e, word);
    slot *s = &e->slots[ws_hash64(word.ptr, word.len) % SLOTS];
    if (s->word_length != word.len || memcmp(s->word, word.ptr, word.len) != 0) {
        ws_str stem = stem_now(e, word);
        if (stem.len > sizeof s->stem)
            return stem;
        s->word_length = (uint8_t)word.len;
        s->stem_length = (uint8_t)stem.len;
        memcpy(s->stem, stem.ptr, stem.len);
        memcpy(s->word, word.ptr, word.len);
    }
    return ws_str_make(s->stem, s->stem_length);
}
