#include "base/heap.h"

void ws_top_init(ws_top *top, ws_top_entry *entries, uint32_t k)
{
    top->entries = entries;
    top->k = k;
    top->n = 0;
}

/* Moves the hole at `i` towards the root until `entry` may sit there. Every parent ranks after its
 * children, so the root is the worst. */
static void sift_up(ws_top_entry *entries, uint32_t i, ws_top_entry entry)
{
    while (i) {
        uint32_t parent = (i - 1) / 2;
        if (!ws_top_before(&entries[parent], &entry))
            break;
        entries[i] = entries[parent];
        i = parent;
    }
    entries[i] = entry;
}

static void sift_down(ws_top_entry *entries, uint32_t n, ws_top_entry entry)
{
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n && ws_top_before(&entries[child], &entries[child + 1]))
            child++;
        if (!ws_top_before(&entry, &entries[child]))
            break;
        entries[i] = entries[child];
        i = child;
    }
    entries[i] = entry;
}

void ws_top_offer(ws_top *top, ws_top_entry entry)
{
    if (top->n < top->k)
        sift_up(top->entries, top->n++, entry);
    else if (top->k && ws_top_before(&entry, &top->entries[0]))
        sift_down(top->entries, top->n, entry);
}

void ws_top_sort(ws_top *top)
{
    for (uint32_t n = top->n; n > 1; n--) {
        ws_top_entry last = top->entries[n - 1];
        top->entries[n - 1] = top->entries[0];
        sift_down(top->entries, n - 1, last);
    }
}
