/* Suggestions for what was typed, tier by tier, until k are found:
 *
 *   exact    the entry whose key is what was typed (always first)
 *   prefix   keys that begin with it
 *   chosung  initials that begin with it, when it is two consonants or more: ㄷㅎㅁㄱ
 *   mixed    initials and syllables: ㄷ한ㅁ국 (ws_chosung_match)
 *   layout   exact, then prefix, of the same keys under the other keyboard: eogks, ㅗㅑㄴㅅㅐ교
 *   fuzzy    keys that begin with something one edit away (substitute, insert, delete, transpose;
 *            the first key is right; at least four keys typed)
 *
 * In a tier: score descending, then tree key ascending. Of entries with one target, and of entries
 * with one key in several contexts, only the first is shown. Each tier looks at its best 256 at
 * most, so that no query is dear.
 */
#ifndef WS_TRIE_TIERS_H
#define WS_TRIE_TIERS_H

#include "trie/entries.h"
#include "trie/typed.h"

#define WS_TIERS_K_MAX 64u
#define WS_TIERS_LOOK  WS_ART_TOP_MAX

/* Tiers, and bits of a set of them (1 << tier). The values are those of WS_MATCH_* in
 * wikisearch/suggest.h. */
enum {
    WS_TIER_EXACT,
    WS_TIER_PREFIX,
    WS_TIER_CHOSUNG,
    WS_TIER_MIXED,
    WS_TIER_LAYOUT,
    WS_TIER_FUZZY,
    WS_TIERS
};
#define WS_TIERS_ALL ((1u << WS_TIERS) - 1)

typedef struct {
    uint32_t ref, score; /* entry; upper part of its score */
    uint32_t tier;
    uint32_t covered; /* bytes of the entry's normalised text that the keys cover, from its start */
} ws_completion;

typedef struct {
    uint32_t k;       /* at most WS_TIERS_K_MAX */
    uint32_t context; /* 0 = all */
    uint32_t tiers;   /* set of tiers to try; exact and prefix go together */
} ws_tiers_options;

#define WS_FUZZY_PLACES_MAX 1024u

/* A way to a place one edit away from the key: see tiers_fuzzy.c. */
typedef struct {
    uint16_t at; /* where in the key */
    uint8_t edit, byte;
} ws_fuzzy_edit;

/* Working memory of one reader, 50 KiB; needs no initialisation. */
typedef struct {
    ws_art_top_scratch top;
    ws_art_leaf_key leaf;
    ws_art_hit hits[WS_TIERS_LOOK];
    ws_completion found[WS_TIERS_K_MAX];
    uint64_t targets[WS_TIERS_K_MAX]; /* hashes */
    uint64_t keys[WS_TIERS_K_MAX];
    uint32_t n;
    uint64_t looked; /* leaves looked at */
    ws_fuzzy_edit edits[WS_FUZZY_PLACES_MAX];
    ws_art_place places[WS_FUZZY_PLACES_MAX];
} ws_tiers_scratch;

/* Fills scratch->found[0, n); returns n. `typed` is completed when it must be. scratch->top.visited
 * = nodes opened. [any] in an epoch, a scratch of one's own. No allocation. */
uint32_t ws_tiers_find(const ws_entries *entries, ws_typed *typed, const ws_tiers_options *options,
                       ws_tiers_scratch *scratch);

/* Distinct places one edit away from a key, none below another, ascending: fills scratch->places
 * and scratch->edits. Returns how many. */
uint32_t ws_fuzzy_places(const ws_art *art, ws_str key, ws_tiers_scratch *scratch);

/* Bytes of a key after the edit. */
uint32_t ws_fuzzy_length(ws_str key, ws_fuzzy_edit edit);

#endif
