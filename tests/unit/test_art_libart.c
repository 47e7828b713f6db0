/* The plain operations of the tree beside those of libart (armon/libart), which is in no package
 * registry: built only with -DWIKISEARCH_LIBART_DIR=DIR, where DIR holds a copy of its art.c. What
 * its header declares is said here once more, so that nothing of it is needed to read this. */
#include "tests/support/art_model.h"
#include "tests/support/test.h"

typedef struct {
    void *root;
    uint64_t size;
} art_tree;

typedef struct {
    void *value;
    uint32_t key_length;
    unsigned char key[];
} art_leaf;

typedef int (*art_callback)(void *data, const unsigned char *key, uint32_t key_length, void *value);

int art_tree_init(art_tree *t);
int art_tree_destroy(art_tree *t);
void *art_insert(art_tree *t, const unsigned char *key, int key_length, void *value);
void *art_delete(art_tree *t, const unsigned char *key, int key_length);
void *art_search(const art_tree *t, const unsigned char *key, int key_length);
art_leaf *art_minimum(art_tree *t);
art_leaf *art_maximum(art_tree *t);
int art_iter(art_tree *t, art_callback cb, void *data);
int art_iter_prefix(art_tree *t, const unsigned char *prefix, int length, art_callback cb,
                    void *data);

/* Values are ids + 1: NULL means that there is none. */
static void *value_of(uint32_t id)
{
    return (void *)((uintptr_t)id + 1);
}

typedef struct {
    uint32_t *ids;
    uint32_t n;
} seen;

static int see_theirs(void *data, const unsigned char *key, uint32_t key_length, void *value)
{
    seen *s = data;
    (void)key;
    (void)key_length;
    s->ids[s->n++] = (uint32_t)((uintptr_t)value - 1);
    return 0;
}

static int see_ours(void *ctx, uint32_t id, uint32_t score)
{
    seen *s = ctx;
    (void)score;
    s->ids[s->n++] = id;
    return 0;
}

static const unsigned char *bytes_of(const model_key *k)
{
    return (const unsigned char *)k->key;
}

static void change(art_model *m, art_tree *theirs, ws_rng *rng)
{
    uint32_t i = (uint32_t)ws_rng_below(rng, m->n), id = 0;
    model_key *k = &m->keys[i];
    int n = (int)k->n;
    void *found = art_search(theirs, bytes_of(k), n);
    ws_status status = ws_art_search(&m->art, model_str(k), &id, NULL);
    cr_assert_eq(status == WS_OK, found != NULL);
    cr_assert(!found || found == value_of(id));
    if (found) {
        cr_assert_eq(art_delete(theirs, bytes_of(k), n), found);
        cr_assert_eq(ws_art_delete(&m->art, model_str(k), NULL), WS_OK);
    } else {
        cr_assert_null(art_insert(theirs, bytes_of(k), n, value_of(i)));
        cr_assert_eq(ws_art_insert(&m->art, model_str(k), i, i), WS_OK);
    }
    cr_assert_eq(theirs->size, m->art.n);
}

static void compare(const art_model *m, art_tree *theirs, ws_rng *rng, seen *a, seen *b)
{
    const model_key *k = &m->keys[ws_rng_below(rng, m->n)];
    ws_str prefix = ws_str_make(k->key, 1 + ws_rng_below(rng, k->n - 1));
    uint32_t id;
    a->n = b->n = 0;
    ws_art_iterate(&m->art, see_ours, a);
    art_iter(theirs, see_theirs, b);
    cr_assert(a->n == b->n && (a->n == 0 || memcmp(a->ids, b->ids, a->n * sizeof *a->ids) == 0));
    a->n = b->n = 0;
    ws_art_iterate_prefix(&m->art, prefix, see_ours, a);
    art_iter_prefix(theirs, (const unsigned char *)prefix.ptr, (int)prefix.len, see_theirs, b);
    cr_assert(a->n == b->n && (a->n == 0 || memcmp(a->ids, b->ids, a->n * sizeof *a->ids) == 0));
    if (m->art.n) {
        cr_assert_eq(ws_art_minimum(&m->art, &id, NULL), WS_OK);
        cr_assert_eq(art_minimum(theirs)->value, value_of(id));
        cr_assert_eq(ws_art_maximum(&m->art, &id, NULL), WS_OK);
        cr_assert_eq(art_maximum(theirs)->value, value_of(id));
    }
}

Test(libart, does_the_same)
{
    ws_rng rng = ws_rng_seeded(81);
    for (uint32_t kinds = 1; kinds < 16; kinds++) {
        art_model m;
        art_tree theirs;
        model_init(&m, &rng, 1500, kinds);
        seen a = {calloc(m.n, sizeof *a.ids), 0}, b = {calloc(m.n, sizeof *b.ids), 0};
        cr_assert_eq(art_tree_init(&theirs), 0);
        for (int i = 0; i < 6000; i++) {
            change(&m, &theirs, &rng);
            if (i % 200 == 0)
                compare(&m, &theirs, &rng, &a, &b);
        }
        art_tree_destroy(&theirs);
        model_fini(&m);
        free(a.ids);
        free(b.ids);
    }
}
