#include "tests/support/linear_suggest.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "engine/text/jamo.h"

static ws_str copy(ws_str text)
{
    char *bytes = malloc(text.len + 1);
    if (!bytes)
        abort();
    memcpy(bytes, text.ptr, text.len);
    return ws_str_make(bytes, text.len);
}

uint32_t linear_add(linear *l, ws_str surface, ws_str normal, ws_str target, uint32_t context,
                    uint32_t score)
{
    char buffer[WS_KEY_MAX];
    if (l->n == l->cap) {
        l->cap = l->cap ? 2 * l->cap : 1024;
        l->entries = realloc(l->entries, l->cap * sizeof *l->entries);
        l->first_keys = realloc(l->first_keys, l->cap);
        l->first_initials = realloc(l->first_initials, l->cap);
        if (!l->entries || !l->first_keys || !l->first_initials)
            abort();
    }
    linear_entry *e = &l->entries[l->n];
    *e = (linear_entry){.context = context, .score = score};
    e->surface = copy(surface);
    e->normal = copy(normal);
    e->target = copy(target.len ? target : surface);
    e->key = copy(ws_str_make(buffer, ws_jamo_key(normal, buffer, sizeof buffer)));
    e->initials = copy(ws_str_make(buffer, ws_chosung_key(normal, buffer, sizeof buffer)));
    l->first_keys[l->n] = (uint8_t)e->key.ptr[0];
    l->first_initials[l->n] = (uint8_t)e->initials.ptr[0];
    return l->n++;
}

void linear_free(linear *l)
{
    for (uint32_t i = 0; i < l->n; i++) {
        const ws_str all[] = {l->entries[i].surface, l->entries[i].normal, l->entries[i].target,
                              l->entries[i].key, l->entries[i].initials};
        for (int j = 0; j < 5; j++)
            free((char *)(uintptr_t)all[j].ptr);
    }
    free(l->entries);
    free(l->first_keys);
    free(l->first_initials);
}

/* --- one edit --- */

static size_t unit(ws_str s, size_t at)
{
    uint8_t b = (uint8_t)s.ptr[at];
    return b < 0xc0 ? 1 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
}

static int rest_begins(ws_str key, size_t key_at, ws_str typed, size_t typed_at)
{
    return key_at <= key.len && typed_at <= typed.len &&
           ws_str_starts_with(ws_str_sub(key, key_at, key.len),
                              ws_str_sub(typed, typed_at, typed.len));
}

/* With one edit allowed it may as well be at the first unit that differs, or, for an insertion or
 * deletion in a run of equal units, there too. */
int linear_near(ws_str typed, ws_str key)
{
    size_t at = 0;
    if (rest_begins(key, 0, typed, 0))
        return 1;
    while (at < typed.len && at < key.len && typed.ptr[at] == key.ptr[at])
        at++;
    while (at > 0 && at < typed.len && ((uint8_t)typed.ptr[at] & 0xc0) == 0x80) {
        size_t start = 0; /* step back to the beginning of the unit */
        while (start + unit(typed, start) <= at)
            start += unit(typed, start);
        if (start == at)
            break;
        at = start;
    }
    if (at < unit(typed, 0))
        return 0;
    int typed_one = at < typed.len && unit(typed, at) == 1;
    int key_one = at < key.len && unit(key, at) == 1;
    if (typed_one && rest_begins(key, at, typed, at + 1))
        return 1;
    if (key_one && rest_begins(key, at + 1, typed, at))
        return 1;
    if (typed_one && key_one && rest_begins(key, at + 1, typed, at + 1))
        return 1;
    return typed_one && key_one && at + 1 < typed.len && at + 1 < key.len &&
           unit(typed, at + 1) == 1 && unit(key, at + 1) == 1 && typed.ptr[at] == key.ptr[at + 1] &&
           typed.ptr[at + 1] == key.ptr[at] && rest_begins(key, at + 2, typed, at + 2);
}

/* --- tiers --- */

typedef struct {
    const linear *l;
    const ws_typed *typed;
    uint32_t context, k, n;
    linear_found *found;
} scan;

typedef int (*test_fn)(const ws_typed *typed, ws_str key, const linear_entry *e);

static int is_exact(const ws_typed *typed, ws_str key, const linear_entry *e)
{
    (void)typed;
    return key.len && ws_str_eq(e->key, key);
}

static int is_prefix(const ws_typed *typed, ws_str key, const linear_entry *e)
{
    (void)typed;
    return ws_str_starts_with(e->key, key);
}

static int is_initials(const ws_typed *typed, ws_str key, const linear_entry *e)
{
    (void)typed;
    return ws_str_starts_with(e->initials, key);
}

static int is_near(const ws_typed *typed, ws_str key, const linear_entry *e)
{
    (void)typed;
    return linear_near(key, e->key);
}

/* Score down, then the order of the tree that serves the tier. */
static int ranks_before(const linear_entry *a, const linear_entry *b, int initials)
{
    int order = initials ? ws_str_cmp(a->initials, b->initials) : 0;
    if (a->score != b->score)
        return a->score > b->score;
    order = order ? order : ws_str_cmp(a->key, b->key);
    return order ? order < 0 : a->context < b->context;
}

static int is_shown(const scan *s, const linear_entry *e)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const linear_entry *other = &s->l->entries[s->found[i].entry];
        if (other == e || ws_str_eq(other->target, e->target) || ws_str_eq(other->key, e->key))
            return 1;
    }
    return 0;
}

/* `most` of the matching entries are looked at; `verify` drops some of those. */
static void run(scan *s, test_fn test, ws_str key, uint32_t tier, uint32_t most, int initials,
                int verify)
{
    const linear_entry *best[WS_TIERS_LOOK];
    const uint8_t *firsts = initials ? s->l->first_initials : s->l->first_keys;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->l->n && s->n < s->k; i++) {
        if (key.len && firsts[i] != (uint8_t)key.ptr[0])
            continue; /* every test wants the first byte alike */
        const linear_entry *e = &s->l->entries[i];
        if (e->gone || (s->context && e->context != s->context) || !test(s->typed, key, e))
            continue;
        uint32_t at = n;
        while (at > 0 && ranks_before(e, best[at - 1], initials))
            at--;
        if (at == WS_TIERS_LOOK)
            continue;
        n += n < WS_TIERS_LOOK;
        memmove(best + at + 1, best + at, (n - at - 1) * sizeof *best);
        best[at] = e;
    }
    for (uint32_t i = 0; i < n && s->n < s->k && most; i++) {
        if (is_shown(s, best[i]) || (verify && !ws_chosung_match(s->typed->text, best[i]->normal)))
            continue;
        s->found[s->n++] = (linear_found){(uint32_t)(best[i] - s->l->entries), tier};
        most--;
    }
}

uint32_t linear_find(const linear *l, const ws_typed *typed, uint32_t context, uint32_t k,
                     linear_found *found)
{
    scan s = {l, typed, context, k, 0, found};
    ws_str key = ws_typed_str(&typed->key), initials = ws_typed_str(&typed->initials);
    run(&s, is_exact, key, WS_TIER_EXACT, 1, 0, 0);
    run(&s, is_prefix, key, WS_TIER_PREFIX, k, 0, 0);
    if (typed->is_chosung)
        run(&s, is_initials, key, WS_TIER_CHOSUNG, k, 1, 0);
    if (typed->is_mixed)
        run(&s, is_initials, initials, WS_TIER_MIXED, k, 1, 1);
    for (uint32_t i = 0; i < 2; i++) {
        ws_str other = ws_typed_str(&typed->layouts[i]);
        if (!other.len)
            continue;
        run(&s, is_exact, other, WS_TIER_LAYOUT, 1, 0, 0);
        run(&s, is_prefix, other, WS_TIER_LAYOUT, k, 0, 0);
    }
    if (typed->n_units >= 4)
        run(&s, is_near, key, WS_TIER_FUZZY, k, 0, 0);
    return s.n;
}
