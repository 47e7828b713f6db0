/* Functions on byte slices. Inline, [any]. */
#ifndef WS_BASE_STR_H
#define WS_BASE_STR_H

#include "wikisearch/status.h"

#define WS_STR(literal) ((ws_str){"" literal, sizeof(literal) - 1})
#define WS_STR_FMT      "%.*s"
#define WS_STR_ARG(s)   (int)(s).len, (s).ptr

static inline ws_str ws_str_make(const char *ptr, size_t len)
{
    ws_str s = {ptr, len};
    return s;
}

static inline int ws_str_eq(ws_str a, ws_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Bytewise order, shorter first on a tie: negative, 0 or positive. */
static inline int ws_str_cmp(ws_str a, ws_str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.ptr, b.ptr, n) : 0;
    return c ? c : (a.len > b.len) - (a.len < b.len);
}

static inline int ws_str_starts_with(ws_str s, ws_str prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.ptr, prefix.ptr, prefix.len) == 0);
}

/* The bytes [from, to) of `s`, clamped to it. */
static inline ws_str ws_str_sub(ws_str s, size_t from, size_t to)
{
    to = to < s.len ? to : s.len;
    from = from < to ? from : to;
    return ws_str_make(s.ptr ? s.ptr + from : NULL, to - from);
}

/* Parses decimal digits into *value; 0 when `s` is empty, has another byte, or overflows. */
int ws_str_to_u64(ws_str s, uint64_t *value);

/* The same with an optional leading '-'. */
int ws_str_to_i64(ws_str s, int64_t *value);

/* Index in names[n] of the entry nearest to `s` by edit distance, a swap of neighbours being one
 * edit (at most a third of its length, and at most 3), or -1. For "did you mean". */
int ws_str_nearest(ws_str s, const char *const *names, size_t n);

#endif
