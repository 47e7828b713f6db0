/* The set of suggestions: entries and the trees that find them.
 *
 * Each entry is a key K (the keystrokes of its normalised text) in a context; (K, context) is
 * unique. Two trees hold all entries, two more those of each context:
 *
 *   keys       K 00 context               대한민국 = ㄷㅐㅎㅏㄴㅁㅣㄴㄱㅜㄱ 00 00
 *   initials   I 00 K 00 context          I = ㄷㅎㅁㄱ; only entries with Hangul in them
 *
 * Byte 0 is in no key, so no tree key is a prefix of another one and ties are in the order of K.
 *
 * Threads: one writer; readers inside an epoch of `pool`.
 */
#ifndef WS_TRIE_ENTRIES_H
#define WS_TRIE_ENTRIES_H

#include "trie/art.h"
#include "trie/entry.h"

#define WS_CONTEXTS_MAX 256u /* 0 = the whole set, or no context */
#define WS_KEY_MAX      512u /* bytes of K: at most five keys a syllable of three bytes */

typedef struct {
    ws_art keys, initials;
} ws_trees;

typedef struct {
    ws_pool pool;
    ws_trees all;
    ws_trees *contexts[WS_CONTEXTS_MAX]; /* by number; [0] is &all */
    char *names[WS_CONTEXTS_MAX];        /* NUL-terminated; names[0] is NULL */
    _Atomic uint32_t n_contexts;         /* numbers in use, 0 included */
    uint64_t n_learned;                  /* entries with WS_ENTRY_LEARNED */
} ws_entries;

/* Sets up an empty set in the caller's storage. WS_ERR_NOMEM. */
ws_status ws_entries_init(ws_entries *entries);
void ws_entries_fini(ws_entries *entries);

/* What an entry is made of; bytes of at most WS_ENTRY_TEXT_MAX, copied. */
typedef struct {
    ws_str surface; /* not empty */
    ws_str normal;  /* normalised surface; its key must not be empty */
    ws_str target;  /* empty = the surface */
    uint32_t context;
    uint32_t learned; /* 1: from queries */
    uint64_t score;   /* trie/decay.h */
} ws_entry_text;

/* Adds an entry, or raises the one with its key and context: the higher of both scores stays, with
 * the surface and target that it came with.
 *   ref  out: the entry; NULL allowed
 * Errors: WS_ERR_ARG (empty or too long text, a byte 0, no key), WS_ERR_NOMEM, WS_ERR_LIMIT.
 * Nothing has changed after an error. Writer. */
ws_status ws_entries_put(ws_entries *entries, const ws_entry_text *text, uint32_t *ref);

/* Adds an entry that is known not to be there, as from a file in order of keys: `key` is K of
 * text->normal, which is not made again. Errors as above. Writer. */
ws_status ws_entries_add(ws_entries *entries, const ws_entry_text *text, ws_str key);

/* The entry with a key and context; 0 when there is none. [any] in an epoch. */
uint32_t ws_entries_find(const ws_entries *entries, ws_str key, uint32_t context);

/* Gives an entry another score. Allocates nothing. Writer. */
void ws_entries_set_score(ws_entries *entries, uint32_t ref, uint64_t score);

/* Removes an entry. WS_ERR_NOMEM (nothing changed). Writer. */
ws_status ws_entries_remove(ws_entries *entries, uint32_t ref);

/* Number of a context; added when `add` (else UINT32_MAX when unknown). WS_ERR_LIMIT beyond 255 of
 * them, WS_ERR_ARG when the name is longer than WS_ENTRY_TEXT_MAX, WS_ERR_NOMEM. The empty name is
 * 0. Finding: [any]; adding: writer. */
ws_status ws_entries_context(ws_entries *entries, ws_str name, int add, uint32_t *context);
uint32_t ws_entries_find_context(const ws_entries *entries, ws_str name);

static inline const ws_entry *ws_entry_at(const ws_entries *entries, uint32_t ref)
{
    return ws_pool_at(&entries->pool, ref);
}

/* K of an entry; returns its length. */
size_t ws_entry_key(const ws_entry *entry, char out[WS_KEY_MAX]);

static inline uint64_t ws_entries_count(const ws_entries *entries)
{
    return entries->all.keys.n;
}

/* Bytes held, all in. Writer. */
uint64_t ws_entries_bytes(const ws_entries *entries);

#endif
