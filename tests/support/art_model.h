/* A sorted array that does what the adaptive radix tree does, the plain way; and the tree beside
 * it. For test_art*.c. [1]. */
#ifndef WS_TESTS_SUPPORT_ART_MODEL_H
#define WS_TESTS_SUPPORT_ART_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "tests/support/rng.h"
#include "trie/art_int.h"

typedef struct {
    char *key; /* ends in byte 0, which is part of it */
    size_t n;
    uint32_t score;
    int present;
    int hidden; /* model_top leaves it out */
} model_key;

typedef struct {
    model_key *keys; /* ascending; the index is the id */
    uint32_t n;
    ws_pool pool;
    ws_art art;
} art_model;

static inline ws_str model_str(const model_key *k)
{
    return ws_str_make(k->key, k->n);
}

static inline size_t model_key_of(const void *ctx, uint32_t id, char out[WS_ART_KEY_MAX])
{
    const model_key *k = &((const art_model *)ctx)->keys[id];
    memcpy(out, k->key, k->n);
    return k->n;
}

static inline int model_compare(const void *a, const void *b)
{
    return ws_str_cmp(model_str(a), model_str(b));
}

/* Random keys of a kind: 0 = few letters, so that prefixes are long; 1 = any bytes, so that nodes
 * are wide; 2 = long runs of one letter, for chains; 3 = keystrokes of Hangul. */
static inline size_t model_random_key(ws_rng *rng, uint32_t kind, char out[WS_ART_KEY_MAX])
{
    size_t n = 1 + ws_rng_below(rng, kind == 1 ? 3 : 24);
    for (size_t i = 0; i < n; i++)
        out[i] = kind == 0   ? (char)('a' + ws_rng_below(rng, 3))
                 : kind == 1 ? (char)(1 + ws_rng_below(rng, 255))
                             : (char)(0x80 + ws_rng_below(rng, 33));
    if (kind == 2) {
        n = 1 + ws_rng_below(rng, 200);
        memset(out, 'x', n);
        for (int i = 0; i < 2; i++)
            out[ws_rng_below(rng, n)] = (char)('a' + ws_rng_below(rng, 26));
    }
    out[n] = 0;
    return n + 1;
}

/* n candidates for keys, distinct, none in the tree yet. */
static inline void model_init(art_model *m, ws_rng *rng, uint32_t n, uint32_t kinds)
{
    char key[WS_ART_KEY_MAX];
    memset(m, 0, sizeof *m);
    m->keys = calloc(n, sizeof *m->keys);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind;
        do
            kind = (uint32_t)ws_rng_below(rng, 4);
        while (!(kinds >> kind & 1));
        m->keys[i].n = model_random_key(rng, kind, key);
        m->keys[i].key = malloc(m->keys[i].n);
        memcpy(m->keys[i].key, key, m->keys[i].n);
    }
    qsort(m->keys, n, sizeof *m->keys, model_compare);
    for (uint32_t i = 0; i < n; i++) {
        if (m->n && ws_str_eq(model_str(&m->keys[m->n - 1]), model_str(&m->keys[i])))
            free(m->keys[i].key);
        else
            m->keys[m->n++] = m->keys[i];
    }
    if (ws_pool_init(&m->pool) != WS_OK)
        abort();
    ws_art_init(&m->art, &m->pool, model_key_of, m);
}

static inline void model_fini(art_model *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        free(m->keys[i].key);
    free(m->keys);
    ws_pool_fini(&m->pool);
}

/* Ids of the best k present keys in [from, to) by (score, key), the plain way. */
static inline uint32_t model_top(const art_model *m, uint32_t from, uint32_t to, uint32_t k,
                                 uint32_t *ids)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) {
        if (!m->keys[i].present || m->keys[i].hidden)
            continue;
        uint32_t at = n;
        while (at > 0 && m->keys[ids[at - 1]].score < m->keys[i].score)
            at--;
        if (at == k)
            continue;
        n += n < k;
        memmove(ids + at + 1, ids + at, (n - at - 1) * sizeof *ids);
        ids[at] = i;
    }
    return n;
}

/* The range of keys that begin with a prefix. */
static inline void model_range(const art_model *m, ws_str prefix, uint32_t *from, uint32_t *to)
{
    *from = 0;
    while (*from < m->n && ws_str_cmp(model_str(&m->keys[*from]), prefix) < 0)
        ++*from;
    *to = *from;
    while (*to < m->n && ws_str_starts_with(model_str(&m->keys[*to]), prefix))
        ++*to;
}

#endif
