/* Suggestions while somebody types: Korean by keystrokes, English by letters.
 *
 * What is typed may end in the middle of a syllable (대하 for 대한민국), be initials (ㄷㅎㅁㄱ), a
 * mixture (ㄷ한ㅁ국), typed under the wrong keyboard layout (eogks; ㅗㅑㄴㅅㅐ교 for history), or
 * have one wrong key. Suggestions are ranked by popularity with exponential decay; queries that are
 * observed raise it at once.
 *
 * Usable without an index. A ws_suggest may be used from any threads at once: queries never wait,
 * also not for changes; changes wait for each other. A change is visible to the next query.
 */
#ifndef WIKISEARCH_SUGGEST_H
#define WIKISEARCH_SUGGEST_H

#include "wikisearch/status.h"

WS_BEGIN_DECLS

typedef struct ws_suggest ws_suggest;

#define WS_SUGGEST_TEXT_MAX 255u /* bytes of a text, target or context name */
#define WS_SUGGEST_K_MAX    64u  /* suggestions of one query */

typedef struct {
    uint32_t size;
    uint32_t
        min_support; /* distinct sessions before an unknown query is suggested, 1 to 8; default 3 */
    uint64_t
        half_life_ms; /* after which popularity counts half; default 7 days. A file keeps its own */
    int64_t
        origin_ms; /* since 1970; where popularity is counted from; 0 = now. A file keeps its own */
    uint64_t
        chain_ms; /* how long a query is taken back by a longer one of its session; default 30 s */
    uint64_t support_ms; /* within which those sessions must ask; default 1 day */
} ws_suggest_options;
#define WS_SUGGEST_OPTIONS_INIT                                                                    \
 {                                                                                                 \
  sizeof(ws_suggest_options), 3, 604800000u, 0, 30000u, 86400000u                                  \
 }

/* Opens a suggest file, or an empty set.
 *   out      new handle; close with ws_suggest_close
 *   file     written by ws_suggest_save; NULL = empty. It is read whole and not used afterwards
 *   options  NULL = defaults
 * Errors: WS_ERR_NOT_FOUND, WS_ERR_CORRUPT, WS_ERR_VERSION, WS_ERR_IO, WS_ERR_RANGE (an option),
 * WS_ERR_NOMEM. About a second for a million entries. */
WS_API ws_status ws_suggest_open(ws_suggest **out, const char *file,
                                 const ws_suggest_options *options, ws_error *error);

/* Closes; NULL does nothing. [1] */
WS_API void ws_suggest_close(ws_suggest *suggest);

/* Adds a suggestion, or raises one: of the same text (spacing and case aside) in the same context
 * the higher popularity stays, with the spelling that it came with.
 *   text     what is shown
 *   target   what it leads to: suggestions with one target are shown once; empty = the text itself
 *   context  name of a group to filter by; empty = none. At most 255 different ones
 *   weight   popularity so far, in events at the origin (page views, links): log2(1 + weight)
 * Returns WS_OK, or WS_TRUNCATED when text or target are longer than WS_SUGGEST_TEXT_MAX or the
 * text is blocked: nothing was added. Errors: WS_ERR_ARG (no key is left of the text), WS_ERR_UTF8,
 * WS_ERR_LIMIT (contexts; 16 GiB), WS_ERR_NOMEM. [any] Microseconds. */
WS_API ws_status ws_suggest_put(ws_suggest *suggest, ws_str text, ws_str target, ws_str context,
                                uint64_t weight);

/* Removes a suggestion by its text (spacing and case aside). WS_ERR_NOT_FOUND, WS_ERR_NOMEM. [any]
 */
WS_API ws_status ws_suggest_remove(ws_suggest *suggest, ws_str text, ws_str context);

/* A submitted query of an unknown session: each counts as a session of its own.
 *   t_ms  when, milliseconds since 1970
 * As ws_suggest_observe_event. [any] */
WS_API ws_status ws_suggest_observe(ws_suggest *suggest, ws_str text, int64_t t_ms);

#define WS_OBSERVED_IGNORED 0u /* see ws_suggest_observe_event */
#define WS_OBSERVED_WAITING 1u /* unknown so far, not yet enough sessions */
#define WS_OBSERVED_COUNTED 2u /* a suggestion is more popular */
#define WS_OBSERVED_ADDED   3u /* there is a new suggestion */

typedef struct {
    uint32_t size;
    uint32_t effect;  /* out: WS_OBSERVED_* */
    uint64_t session; /* any number that tells sessions apart; 0 = unknown */
    ws_str text;      /* submitted, not half-typed */
    ws_str context;   /* empty = none */
    int64_t t_ms;     /* milliseconds since 1970 */
    uint64_t
        hits; /* results that it had; a query without any is not learned; UINT64_MAX = unknown */
} ws_suggest_event;
#define WS_SUGGEST_EVENT_INIT                                                                      \
 {                                                                                                 \
  sizeof(ws_suggest_event), 0, 0, {NULL, 0}, {NULL, 0}, 0, UINT64_MAX                              \
 }

/* Learns from a submitted query. A query that the session makes longer within chain_ms is taken
 * back. Returns WS_OK also when it was ignored (see event->effect). Errors: WS_ERR_ARG (size),
 * WS_ERR_NOMEM, WS_ERR_LIMIT. [any] Microseconds; no allocation but for new suggestions. */
WS_API ws_status ws_suggest_observe_event(ws_suggest *suggest, ws_suggest_event *event);

/* Blocks a text for ever, or allows it again. Blocking removes what is there and is saved with the
 * file; allowing brings nothing back by itself.
 *   pattern  a text; `*` at its beginning or end stands for anything
 *   blocked  1 or 0
 * Errors: WS_ERR_ARG (no key is left of it), WS_ERR_LIMIT (4,096 patterns), WS_ERR_NOMEM. [any]
 * O(n) for a pattern with `*`. */
WS_API ws_status ws_suggest_block(ws_suggest *suggest, ws_str pattern, uint32_t blocked);

#define WS_MATCH_EXACT   0u /* the whole text was typed */
#define WS_MATCH_PREFIX  1u /* its keys begin with those typed */
#define WS_MATCH_CHOSUNG 2u /* its initials do */
#define WS_MATCH_MIXED   3u /* initials and syllables */
#define WS_MATCH_LAYOUT  4u /* under the other keyboard layout */
#define WS_MATCH_FUZZY   5u /* one key is wrong */

/* One suggestion: complete in itself, nothing to free. */
typedef struct {
    uint32_t match;                          /* WS_MATCH_* */
    uint32_t learned;                        /* 1: from observed queries, 0: put */
    uint32_t score;                          /* popularity, log2 in 16.16 fixed point */
    uint32_t highlight_start, highlight_end; /* bytes of the text that the typed keys cover */
    uint32_t text_length, target_length, context_length;
    double popularity;                     /* events of now that it is worth */
    char text[WS_SUGGEST_TEXT_MAX + 1];    /* NUL-terminated, as all here */
    char target[WS_SUGGEST_TEXT_MAX + 1];  /* the text when no other was given */
    char context[WS_SUGGEST_TEXT_MAX + 1]; /* of the suggestion; may be empty */
} ws_suggestion;

typedef struct {
    uint32_t size;
    uint32_t match;   /* bits 1 << WS_MATCH_*: what may be tried; exact and prefix go together */
    ws_str context;   /* only this group; empty = all. An unknown one has no suggestions */
    int64_t now_ms;   /* for `popularity`; 0 = by the clock */
    uint64_t nodes;   /* out: tree nodes opened */
    uint64_t entries; /* out: entries looked at */
} ws_suggest_query_options;
#define WS_SUGGEST_QUERY_OPTIONS_INIT                                                              \
 {                                                                                                 \
  sizeof(ws_suggest_query_options), 63u, {NULL, 0}, 0, 0, 0                                        \
 }

/* Finds suggestions: exact, prefix, chosung, mixed, layout, fuzzy, in this order; within each by
 * popularity, then by key.
 *   typed    any bytes; empty = the most popular ones. More than 64 code points: the first 64
 *   options  NULL = defaults
 *   out      out[*n]
 *   n        in: how many are wanted, 1 to WS_SUGGEST_K_MAX; out: how many there are
 * Returns WS_OK, or WS_TRUNCATED when some of `typed` was ignored. Errors: WS_ERR_ARG, WS_ERR_RANGE
 * (*n), WS_ERR_NOMEM. [any], never waits; no allocation after warm-up. Microseconds. */
WS_API ws_status ws_suggest_query(ws_suggest *suggest, ws_str typed,
                                  ws_suggest_query_options *options, ws_suggestion *out,
                                  uint32_t *n);

/* Returns "exact", "prefix", ... for WS_MATCH_*; "" for another number. */
WS_API const char *ws_match_name(uint32_t match);

/* Writes everything but learning in progress to a file, durably: a temporary file, then renamed.
 * Queries and changes go on meanwhile. Errors: WS_ERR_IO, WS_ERR_NOSPC, WS_ERR_FSYNC_FAILED,
 * WS_ERR_NOMEM. [any] */
WS_API ws_status ws_suggest_save(ws_suggest *suggest, const char *file, ws_error *error);

typedef struct {
    uint32_t size;
    uint32_t n_contexts;
    uint64_t n_entries, n_learned;
    uint64_t n_blocked;    /* patterns */
    uint64_t bytes;        /* of memory, all in */
    uint64_t n_taken_back; /* half-typed queries since open */
    uint64_t half_life_ms;
    int64_t origin_ms;
} ws_suggest_stats_data;

/* Fills counts. Set stats->size first. WS_ERR_ARG. [any] */
WS_API ws_status ws_suggest_stats(ws_suggest *suggest, ws_suggest_stats_data *stats);

/* Called once a suggestion; not 0 ends the walk. The slices are valid during the call. */
typedef struct {
    ws_str text, target, context, normalized;
    ws_str keys;    /* keystrokes as readable jamo */
    uint64_t score; /* 16.32 fixed point */
    uint32_t learned;
} ws_suggest_item;
typedef int (*ws_suggest_visit_fn)(void *ctx, const ws_suggest_item *item);

/* Visits all suggestions in the order of their keys. Returns what the last call returned. [any] */
WS_API int ws_suggest_each(ws_suggest *suggest, ws_suggest_visit_fn visit, void *ctx);

WS_END_DECLS

#endif
