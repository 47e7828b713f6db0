#include "base/str.h"

#define NAME_MAX_BYTES    64u /* longer names have no neighbour; keeps the row on the stack */
#define NEAREST_MAX_EDITS 3u

int ws_str_to_u64(ws_str s, uint64_t *value)
{
    uint64_t v = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned)(unsigned char)s.ptr[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)digit, &v))
            return 0;
    }
    if (!s.len)
        return 0;
    *value = v;
    return 1;
}

int ws_str_to_i64(ws_str s, int64_t *value)
{
    int negative = s.len && s.ptr[0] == '-';
    uint64_t v;
    if (!ws_str_to_u64(ws_str_sub(s, negative ? 1 : 0, s.len), &v))
        return 0;
    if (v > (uint64_t)INT64_MAX + (negative ? 1u : 0u))
        return 0;
    /* INT64_MIN has no positive counterpart: negate in unsigned arithmetic. */
    *value = negative ? (int64_t)(0 - v) : (int64_t)v;
    return 1;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edit distance over bytes in which a swap of neighbours is one edit (optimal string alignment):
 * swaps are what fingers do. Three rows; both at most NAME_MAX_BYTES long. */
static unsigned edit_distance(ws_str a, ws_str b)
{
    unsigned rows[3][NAME_MAX_BYTES + 1];
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            unsigned change = above[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
            row[j] = least(change, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a.len % 3][b.len];
}

int ws_str_nearest(ws_str s, const char *const *names, size_t n)
{
    if (s.len > NAME_MAX_BYTES)
        return -1;
    unsigned limit = s.len / 3 < NEAREST_MAX_EDITS ? (unsigned)(s.len / 3) : NEAREST_MAX_EDITS;
    unsigned best_distance = limit + 1;
    int best = -1;
    for (size_t i = 0; i < n; i++) {
        ws_str name = ws_cstr(names[i]);
        if (name.len > NAME_MAX_BYTES || name.len > s.len + limit || s.len > name.len + limit)
            continue;
        unsigned distance = edit_distance(s, name);
        if (distance < best_distance) {
            best_distance = distance;
            best = (int)i;
        }
    }
    return best;
}
