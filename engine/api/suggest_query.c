/* One query: normalise, make keys, run the tiers, copy what was found. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/api/suggest_int.h"
#include "trie/decay.h"

/* Typed code points that are normalised at all: decomposed Hangul has three a syllable. */
#define RAW_CODE_POINTS (4 * WS_TYPED_CODE_POINTS)

_Static_assert((int)WS_MATCH_EXACT == WS_TIER_EXACT && (int)WS_MATCH_PREFIX == WS_TIER_PREFIX &&
                   (int)WS_MATCH_CHOSUNG == WS_TIER_CHOSUNG &&
                   (int)WS_MATCH_MIXED == WS_TIER_MIXED && (int)WS_MATCH_LAYOUT == WS_TIER_LAYOUT &&
                   (int)WS_MATCH_FUZZY == WS_TIER_FUZZY,
               "matches are tiers");
_Static_assert(WS_SUGGEST_K_MAX == WS_TIERS_K_MAX && WS_SUGGEST_TEXT_MAX == WS_ENTRY_TEXT_MAX,
               "limits");

const char *ws_match_name(uint32_t match)
{
    static const char *const names[] = {"exact", "prefix", "chosung", "mixed", "layout", "fuzzy"};
    return match < WS_TIERS ? names[match] : "";
}

/* --- what was typed --- */

/* The normalised text with the capitals that were typed: Shift is part of a Hangul key (vkdlTjs =
 * 파이썬). */
static ws_status make_cased(ws_suggest_reader *r, ws_str typed)
{
    uint32_t hint = 0, start, end;
    ws_buf_clear(&r->cased);
    ws_buf_str(&r->cased, ws_buf_slice(&r->normalizer.text));
    WS_TRY(ws_buf_status(&r->cased));
    for (uint32_t i = 0; i < r->cased.len; i++) {
        uint8_t *letter = &r->cased.data[i];
        if (*letter < 'a' || *letter > 'z')
            continue;
        ws_normalizer_original(&r->normalizer, i, i + 1, &hint, &start, &end);
        if (start < typed.len && (uint8_t)typed.ptr[start] == *letter - 32)
            *letter = (uint8_t)(*letter - 32);
    }
    return WS_OK;
}

static ws_status make_keys(ws_suggest_reader *r, ws_str typed, int *cut)
{
    ws_str used = ws_str_make(typed.ptr, ws_utf8_skip(typed, RAW_CODE_POINTS));
    if (used.len > 4 * RAW_CODE_POINTS) /* continuation bytes without end are no code points */
        used.len = 4 * RAW_CODE_POINTS;
    WS_TRY(ws_normalizer_run(&r->normalizer, used));
    WS_TRY(make_cased(r, used));
    ws_typed_init(&r->typed, ws_buf_slice(&r->normalizer.text), ws_buf_slice(&r->cased));
    *cut = r->typed.cut || used.len < typed.len;
    return WS_OK;
}

/* --- what was found --- */

/* Byte of the surface for a byte of the normalised text. Only where the two differ in length must
 * the surface be normalised again. */
static uint32_t surface_end(ws_suggest_reader *r, const ws_entry *e, uint32_t covered)
{
    ws_str surface = ws_entry_surface(e);
    uint32_t hint = 0, start, end;
    if (covered == 0 || (e->flags & WS_ENTRY_NORMAL) != WS_ENTRY_NORMAL_STORED)
        return covered;
    if (ws_normalizer_run(&r->normalizer, surface) < 0 || covered > r->normalizer.text.len)
        return (uint32_t)surface.len;
    ws_normalizer_original(&r->normalizer, 0, covered, &hint, &start, &end);
    return end;
}

static uint32_t copy(char out[WS_SUGGEST_TEXT_MAX + 1], ws_str text)
{
    if (text.len)
        memcpy(out, text.ptr, text.len);
    out[text.len] = '\0';
    return (uint32_t)text.len;
}

static void fill(const ws_suggest *s, ws_suggest_reader *r, const ws_completion *c, uint64_t age,
                 ws_suggestion *out)
{
    const ws_entry *e = ws_entry_at(&s->entries, c->ref);
    out->match = c->tier;
    out->learned = (e->flags & WS_ENTRY_LEARNED) != 0;
    out->score = c->score;
    out->highlight_start = 0;
    out->highlight_end = surface_end(r, e, c->covered);
    out->text_length = copy(out->text, ws_entry_surface(e));
    out->target_length = copy(out->target, ws_entry_target(e));
    out->context_length = copy(out->context, ws_cstr(s->entries.names[e->context]));
    out->popularity = ws_decay_count((uint64_t)c->score << 16, age);
}

static uint64_t age_now(const ws_suggest *s, int64_t now_ms)
{
    int64_t now = now_ms ? now_ms : (int64_t)(ws_wall_ns() / 1000000), since;
    if (__builtin_sub_overflow(now, s->head.origin_ms, &since))
        since = 0;
    return ws_decay_age(since, s->head.half_life_ms);
}

static ws_status run(ws_suggest *s, ws_suggest_reader *r, ws_str typed, ws_suggest_query_options *o,
                     ws_suggestion *out, uint32_t *n)
{
    ws_tiers_options tiers = {*n, ws_entries_find_context(&s->entries, o->context), o->match};
    int cut;
    *n = 0;
    r->tiers.looked = r->tiers.top.visited = 0;
    WS_TRY(make_keys(r, typed, &cut));
    if (tiers.context != UINT32_MAX)
        *n = ws_tiers_find(&s->entries, &r->typed, &tiers, &r->tiers);
    o->nodes = r->tiers.top.visited;
    o->entries = r->tiers.looked;
    uint64_t age = age_now(s, o->now_ms);
    for (uint32_t i = 0; i < *n; i++)
        fill(s, r, &r->tiers.found[i], age, &out[i]);
    return cut ? WS_TRUNCATED : WS_OK;
}

ws_status ws_suggest_query(ws_suggest *s, ws_str typed, ws_suggest_query_options *options,
                           ws_suggestion *out, uint32_t *n)
{
    ws_suggest_query_options defaults = WS_SUGGEST_QUERY_OPTIONS_INIT;
    ws_suggest_query_options *o = options ? options : &defaults;
    if (!s || !n || !out || o->size != sizeof *o)
        return WS_ERR_ARG;
    if (*n < 1 || *n > WS_SUGGEST_K_MAX)
        return WS_ERR_RANGE;
    uint32_t slot = ws_epoch_enter(&s->entries.pool.epoch);
    ws_suggest_reader *r = ws_suggest_reader_take(s, slot);
    ws_status status = WS_ERR_NOMEM;
    if (r)
        status = run(s, r, typed, o, out, n);
    else
        *n = 0;
    if (r)
        ws_suggest_reader_give(r, slot);
    ws_epoch_leave(&s->entries.pool.epoch, slot);
    return status;
}
