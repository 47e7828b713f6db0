/* Suggestions by looking at every entry: the rules of trie/tiers.h once more, the plain way,
 * without a tree. [1]. */
#ifndef WS_TESTS_SUPPORT_LINEAR_SUGGEST_H
#define WS_TESTS_SUPPORT_LINEAR_SUGGEST_H

#include "trie/tiers.h"

typedef struct {
    ws_str surface, normal, target; /* target is never empty */
    ws_str key, initials;
    uint32_t context, score;
    int gone;
} linear_entry;

typedef struct {
    linear_entry *entries;
    uint8_t *first_keys, *first_initials; /* first bytes, so that a scan passes over most quickly */
    uint32_t n, cap;
} linear;

/* Adds an entry; the bytes of the slices are copied. Returns its number. */
uint32_t linear_add(linear *l, ws_str surface, ws_str normal, ws_str target, uint32_t context,
                    uint32_t score);
void linear_free(linear *l);

typedef struct {
    uint32_t entry; /* number */
    uint32_t tier;
} linear_found;

/* The first k suggestions; returns how many. */
uint32_t linear_find(const linear *l, const ws_typed *typed, uint32_t context, uint32_t k,
                     linear_found *found);

/* 1 when some beginning of `key` is one edit or none away from `typed`, the first unit being the
 * same. */
int linear_near(ws_str typed, ws_str key);

#endif
