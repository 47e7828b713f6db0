#include "engine/index/term_sort.h"

#include "base/str.h"

/* Bytes [from, to) of the key behind what `prefix` holds; 0 beyond its end. */
static uint64_t append(uint64_t prefix, ws_str key, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        prefix = prefix << 8 | (i < key.len ? (uint8_t)key.ptr[i] : 0);
    return prefix;
}

uint64_t ws_sort_prefix(ws_str key)
{
    return append(0, key, 0, 8);
}

uint64_t ws_sort_term_prefix(ws_str key)
{
    uint64_t field = (uint8_t)key.ptr[0], stream = (uint8_t)key.ptr[1];
    return append(field << 2 | stream, key, 2, 9);
}

typedef struct {
    ws_sort_key_fn key_of;
    const void *ctx;
} sorter;

static int before(const sorter *s, const ws_sort_key *a, const ws_sort_key *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    return ws_str_cmp(s->key_of(s->ctx, a->term), s->key_of(s->ctx, b->term)) < 0;
}

static void swap(ws_sort_key *a, ws_sort_key *b)
{
    ws_sort_key t = *a;
    *a = *b;
    *b = t;
}

static void insertion_sort(const sorter *s, ws_sort_key *keys, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i; j > 0 && before(s, &keys[j], &keys[j - 1]); j--)
            swap(&keys[j], &keys[j - 1]);
}

/* Leaves the median of first, middle and last at keys[0]. */
static void choose_pivot(const sorter *s, ws_sort_key *keys, uint32_t n)
{
    ws_sort_key *a = &keys[0], *b = &keys[n / 2], *c = &keys[n - 1];
    if (before(s, b, a))
        swap(a, b);
    if (before(s, c, b))
        swap(b, c);
    if (before(s, b, a))
        swap(a, b);
    swap(a, b);
}

/* Splits around keys[0]; returns the pivot's final place. Keys are distinct, so equal runs do not
 * occur. */
static uint32_t partition(const sorter *s, ws_sort_key *keys, uint32_t n)
{
    choose_pivot(s, keys, n);
    ws_sort_key pivot = keys[0];
    uint32_t i = 0, j = n;
    for (;;) {
        do
            i++;
        while (i < n && before(s, &keys[i], &pivot));
        do
            j--;
        while (before(s, &pivot, &keys[j]));
        if (i >= j)
            break;
        swap(&keys[i], &keys[j]);
    }
    swap(&keys[0], &keys[j]);
    return j;
}

/* Quicksort; the larger half waits on the stack, so that its depth stays below log2(n). */
void ws_sort_terms(ws_sort_key *keys, uint32_t n, ws_sort_key_fn key_of, const void *ctx)
{
    struct {
        uint32_t from, n;
    } stack[64];
    unsigned depth = 0;
    uint32_t from = 0;
    sorter s = {key_of, ctx};
    for (;;) {
        while (n > 24) {
            uint32_t pivot = partition(&s, keys + from, n);
            uint32_t right = n - pivot - 1;
            uint32_t wait_from = from, wait_n = pivot;
            if (pivot < right) {
                wait_from = from + pivot + 1;
                wait_n = right;
                n = pivot;
            } else {
                from += pivot + 1;
                n = right;
            }
            stack[depth].from = wait_from;
            stack[depth++].n = wait_n;
        }
        insertion_sort(&s, keys + from, n);
        if (depth == 0)
            return;
        from = stack[--depth].from;
        n = stack[depth].n;
    }
}
