/* One suggestion as it lies in the pool. For trie/.
 *
 *   score u32 | fraction u16 | context u8 | flags u8 | lengths u8[1 to 3] | surface | normal |
 * target
 *
 * score.fraction is the popularity (trie/decay.h). `surface` is what is shown; `normal` is what
 * keys are made of (engine/text/normalize.h), kept only when it is neither the surface itself nor
 * the surface with small ASCII letters; `target` is what a choice leads to, absent when it is the
 * surface. Everything but score and fraction is constant.
 */
#ifndef WS_TRIE_ENTRY_H
#define WS_TRIE_ENTRY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define WS_ENTRY_TEXT_MAX 255u /* bytes of surface, normal, target */

#define WS_ENTRY_NORMAL_SAME   0u /* flags, two bits */
#define WS_ENTRY_NORMAL_LOWER  1u
#define WS_ENTRY_NORMAL_STORED 2u
#define WS_ENTRY_NORMAL        3u
#define WS_ENTRY_TARGET        4u
#define WS_ENTRY_LEARNED       8u /* from queries, not put */
#define WS_ENTRY_FLAGS         15u

typedef struct {
    _Atomic uint32_t score;
    _Atomic uint16_t fraction;
    uint8_t context, flags;
    uint8_t rest[]; /* lengths and bytes */
} ws_entry;

static inline size_t ws_entry_lengths(const ws_entry *e)
{
    return 1u + ((e->flags & WS_ENTRY_NORMAL) == WS_ENTRY_NORMAL_STORED) +
           ((e->flags & WS_ENTRY_TARGET) != 0);
}

static inline ws_str ws_entry_surface(const ws_entry *e)
{
    return ws_str_make((const char *)e->rest + ws_entry_lengths(e), e->rest[0]);
}

/* The bytes of the target; the surface when there is none. */
static inline ws_str ws_entry_target(const ws_entry *e)
{
    size_t n = ws_entry_lengths(e);
    if (!(e->flags & WS_ENTRY_TARGET))
        return ws_entry_surface(e);
    const char *end = (const char *)e->rest + n + e->rest[0];
    return ws_str_make(n == 3 ? end + e->rest[1] : end, e->rest[n - 1]);
}

/* The normalised text; `buffer` is used when it is not kept. */
static inline ws_str ws_entry_normal(const ws_entry *e, char buffer[WS_ENTRY_TEXT_MAX])
{
    ws_str surface = ws_entry_surface(e);
    uint32_t kind = e->flags & WS_ENTRY_NORMAL;
    if (kind == WS_ENTRY_NORMAL_STORED)
        return ws_str_make(surface.ptr + surface.len, e->rest[1]);
    if (kind == WS_ENTRY_NORMAL_SAME)
        return surface;
    for (size_t i = 0; i < surface.len; i++) {
        uint8_t b = (uint8_t)surface.ptr[i];
        buffer[i] = (char)(b + (b >= 'A' && b <= 'Z' ? 32 : 0));
    }
    return ws_str_make(buffer, surface.len);
}

static inline size_t ws_entry_bytes(const ws_entry *e)
{
    size_t n = ws_entry_lengths(e), bytes = offsetof(ws_entry, rest) + n;
    for (size_t i = 0; i < n; i++)
        bytes += e->rest[i];
    return bytes;
}

static inline uint64_t ws_entry_score(const ws_entry *e)
{
    uint64_t score = atomic_load_explicit(&e->score, memory_order_relaxed);
    return score << 16 | atomic_load_explicit(&e->fraction, memory_order_relaxed);
}

#endif
