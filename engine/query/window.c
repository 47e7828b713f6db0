#include "engine/query/window.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "engine/index/id_map.h"

ws_status ws_number_room_for(ws_number_room *room, uint32_t n)
{
    if (n <= room->cap)
        return WS_OK;
    uint32_t cap = n < UINT32_MAX / 2 ? n + n / 2 : n;
    uint32_t *values = ws_reallocarray(room->values, cap, sizeof *values);
    if (!values)
        return WS_ERR_NOMEM;
    room->values = values;
    room->cap = cap;
    return WS_OK;
}

/* --- blocks --- */

ws_status ws_window_load(ws_traversal *t, ws_segment_list *list, uint32_t block)
{
    if (block == list->postings.block)
        return WS_OK;
    WS_TRY(ws_postings_load(&list->postings, block));
    ws_traversal_count(t, list);
    return WS_OK;
}

void ws_window_enter(ws_segment_list *list, uint32_t base)
{
    list->block = ws_postings_find_block(&list->postings, base, list->block);
}

static int decoded_block_has(const ws_postings *p, uint32_t target)
{
    return p->block != WS_NO_BLOCK && p->docs[0] <= target && target <= p->docs[p->n - 1];
}

/* First place with a document >= target, from where the last search ended: questions mostly ascend
 * by a few postings. */
static uint32_t find_in_block(ws_postings *p, uint32_t target)
{
    uint32_t from = p->index < p->n && p->docs[p->index] <= target ? p->index : 0, step = 1;
    while (step < p->n - from && p->docs[from + step] < target) {
        from += step;
        step *= 2;
    }
    uint32_t to = step < p->n - from ? from + step : p->n;
    return ws_window_lower_bound(p->docs, from, to, target);
}

ws_status ws_window_seek(ws_traversal *t, ws_segment_list *list, uint32_t target, uint32_t *index,
                         uint32_t *doc)
{
    ws_postings *p = &list->postings;
    *doc = WS_NO_DOC;
    *index = 0;
    if (!decoded_block_has(p, target)) {
        uint32_t block = ws_postings_find_block(p, target, list->block);
        if (block >= p->n_blocks)
            return WS_OK;
        WS_TRY(ws_window_load(t, list, block));
    }
    *index = find_in_block(p, target);
    if (*index < p->n) {
        *doc = p->docs[*index];
        p->index = *index;
    } else if (p->block + 1 < p->n_blocks) {
        return WS_ERR_CORRUPT; /* the directory promised one */
    }
    return WS_OK;
}

/* --- bits and scores --- */

/* Dense: the documents of a word come together and are one store. */
static void mark_words(const uint32_t *docs, uint32_t n, uint32_t base, uint64_t *bits)
{
    uint32_t word = (docs[0] - base) / 64;
    uint64_t set = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = docs[i] - base;
        if (at / 64 != word) {
            bits[word] |= set;
            word = at / 64;
            set = 0;
        }
        set |= 1ull << (at % 64);
    }
    bits[word] |= set;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
# define BYTE_OF(at) ((at) / 8 ^ 7)
#else
# define BYTE_OF(at) ((at) / 8)
#endif

/* Sparse: a store each, without a branch that would be guessed wrong; of a byte, so that neighbours
 * seldom wait for one another. */
static void mark_each(const uint32_t *docs, uint32_t n, uint32_t base, uint64_t *bits)
{
    uint8_t *bytes = (uint8_t *)bits;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = docs[i] - base;
        bytes[BYTE_OF(at)] |= (uint8_t)(1u << (at % 8));
    }
}

void ws_window_mark(ws_segment_list *list, uint32_t from, uint32_t to, uint32_t base)
{
    const uint32_t *docs = list->postings.docs;
    if (from == to)
        return;
    if (docs[to - 1] - docs[from] < (to - from) * 4)
        mark_words(docs + from, to - from, base, list->bits);
    else
        mark_each(docs + from, to - from, base, list->bits);
}

/* Groups of 64 from the first document to the last. */
static uint64_t groups(uint32_t first, uint32_t last)
{
    return (~0ull << (first / 64)) & (~0ull >> (63 - last / 64));
}

/* Out of line: it would take registers from the loop that hardly ever needs it. */
__attribute__((noinline)) static uint32_t fraction_beyond_rows(const ws_score_table *table,
                                                               uint32_t tf, uint8_t norm)
{
    return ws_score_fraction(table->length[norm], tf);
}

ws_status ws_window_score(ws_traversal *t, ws_segment_list *list, uint32_t from, uint32_t to,
                          uint32_t base)
{
    if (from == to)
        return WS_OK;
    WS_TRY(ws_postings_load_tfs(&list->postings));
    const uint32_t *docs = list->postings.docs, *tfs = list->postings.tfs,
                   *rows = list->table->rows;
    const uint8_t *norms = list->norms;
    const uint64_t unit = list->unit;
    uint32_t *scores = t->scores;
    for (uint32_t i = from; i < to; i++) {
        uint32_t doc = docs[i], tf = tfs[i], fraction;
        uint8_t norm = norms[doc];
        if (__builtin_expect(tf < WS_SCORE_ROWS, 1))
            fraction = rows[tf << 8 | norm];
        else
            fraction = fraction_beyond_rows(list->table, tf, norm);
        scores[doc - base] += (uint32_t)(unit * fraction >> 31);
    }
    t->touched |= groups(docs[from] - base, docs[to - 1] - base);
    return WS_OK;
}

/* --- words of bits --- */

void ws_window_allowed(const ws_segment_plan *segment, uint32_t base,
                       uint64_t bits[WS_WINDOW_WORDS])
{
    uint32_t n = WS_MIN(segment->n_docs - base, WS_WINDOW_DOCS), words = (n + 63) / 64;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t word = segment->live->words ? segment->live->words[base / 64 + w] : ~0ull;
        bits[w] = word & (segment->accepted ? segment->accepted[base / 64 + w] : ~0ull);
    }
    memset(bits + words, 0, (WS_WINDOW_WORDS - words) * sizeof *bits);
    if (n % 64)
        bits[words - 1] &= (1ull << (n % 64)) - 1;
}

int ws_window_is_empty(const uint64_t bits[WS_WINDOW_WORDS])
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < WS_WINDOW_WORDS; w++)
        any |= bits[w];
    return any == 0;
}

/* Bits of a word by halves, quarters, eighths (Warren, Hacker's Delight, section 5-1): the baseline
 * of x86-64 has no instruction for it. */
static uint64_t count_word(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu; /* eight sums of a byte */
}

uint32_t ws_window_count(const uint64_t bits[WS_WINDOW_WORDS])
{
    uint64_t total = 0;
    for (uint32_t w = 0; w < WS_WINDOW_WORDS; w += 16) {
        uint64_t bytes = 0; /* 16 words of at most 8 a byte: no byte overflows */
        for (uint32_t i = 0; i < 16; i++)
            bytes += count_word(bits[w + i]);
        total += (bytes & 0x00ff00ff00ff00ffu) * 0x0001000100010001u >> 48;
        total += (bytes >> 8 & 0x00ff00ff00ff00ffu) * 0x0001000100010001u >> 48;
    }
    return (uint32_t)total;
}

/* --- the end of a window --- */

static void offer(ws_traversal *t, uint32_t doc, uint32_t score)
{
    const ws_segment_plan *s = t->segment;
    ws_top_offer(t->top, (ws_top_entry){ws_segment_doc_key(s->segment, doc), score, s->index, doc});
}

/* By runs of touched groups: many small clearings cost more than the scores in between. */
static void clear_scores(ws_traversal *t)
{
    while (t->touched) {
        uint32_t first = (uint32_t)__builtin_ctzll(t->touched);
        uint64_t ends = ~(t->touched >> first);
        uint32_t n = ends ? (uint32_t)__builtin_ctzll(ends) : 64;
        memset(t->scores + 64 * first, 0, (size_t)n * 64 * sizeof *t->scores);
        t->touched &= first + n < 64 ? ~0ull << (first + n) : 0;
    }
}

/* Whether one of 64 scores reaches the threshold. Both are below 2^31, so the sign of the
 * difference tells; compilers make vectors of this. */
static int any_reaches(const uint32_t *scores, uint32_t threshold)
{
    uint32_t signs = 0;
    for (uint32_t i = 0; i < 64; i++)
        signs |= threshold - 1 - scores[i];
    return signs >> 31 || threshold == 0;
}

static void offer_word(ws_traversal *t, uint32_t base, uint32_t first, uint64_t bits)
{
    for (; bits; bits &= bits - 1) {
        uint32_t at = first + (uint32_t)__builtin_ctzll(bits);
        if (ws_top_wants(t->top, t->scores[at]))
            offer(t, base + at, t->scores[at]);
    }
}

void ws_window_collect(ws_traversal *t, uint32_t base, const uint64_t match[WS_WINDOW_WORDS])
{
    uint32_t n = ws_window_count(match);
    t->total += n;
    t->scored += n;
    for (uint32_t w = 0; w < WS_WINDOW_WORDS && n; w++) {
        uint32_t threshold = t->top->n < t->top->k ? 0 : t->top->entries[0].score;
        if (match[w] && any_reaches(t->scores + w * 64, threshold))
            offer_word(t, base, w * 64, match[w]);
    }
    clear_scores(t);
}

ws_status ws_window_begin(ws_traversal *t)
{
    t->windows++;
    return ws_budget_poll(t->budget, t->postings);
}
