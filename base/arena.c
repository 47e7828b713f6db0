#include "base/arena.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"

#define ALIGNMENT   16u
#define FIRST_BLOCK ((size_t)4 << 10)
#define LAST_BLOCK  ((size_t)1 << 20)

struct ws_arena_block {
    ws_arena_block *next;
    size_t size; /* bytes in `data` */
    _Alignas(ALIGNMENT) unsigned char data[];
};

void ws_arena_init(ws_arena *arena)
{
    memset(arena, 0, sizeof *arena);
}

void ws_arena_fini(ws_arena *arena)
{
    ws_arena_block *next;
    for (ws_arena_block *block = arena->first; block; block = next) {
        next = block->next;
        ws_free(block);
    }
    ws_arena_init(arena);
}

/* Takes the first block after the current one that has room out of the chain. Looking beyond the
 * next one matters after a reset: another order of requests must not add blocks for ever. */
static ws_arena_block *take_spare(ws_arena *arena, size_t size)
{
    if (!arena->current)
        return NULL;
    for (ws_arena_block **link = &arena->current->next; *link; link = &(*link)->next) {
        ws_arena_block *block = *link;
        if (block->size >= size) {
            *link = block->next;
            return block;
        }
    }
    return NULL;
}

static ws_arena_block *new_block(ws_arena *arena, size_t size)
{
    size_t want = WS_MIN(WS_MAX(arena->total, FIRST_BLOCK), LAST_BLOCK);
    want = WS_MAX(want, size);
    if (want > SIZE_MAX - sizeof(ws_arena_block))
        return NULL;
    ws_arena_block *block = ws_malloc(sizeof *block + want);
    if (!block)
        return NULL;
    block->size = want;
    arena->total += want;
    return block;
}

static int advance(ws_arena *arena, size_t size)
{
    ws_arena_block *block = take_spare(arena, size);
    if (!block)
        block = new_block(arena, size);
    if (!block)
        return 0;
    ws_arena_block **link = arena->current ? &arena->current->next : &arena->first;
    block->next = *link;
    *link = block;
    arena->current = block;
    arena->used = 0;
    return 1;
}

void *ws_arena_alloc(ws_arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT)
        return NULL;
    size = (WS_MAX(size, 1u) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if ((!arena->current || arena->current->size - arena->used < size) && !advance(arena, size))
        return NULL;
    void *ptr = arena->current->data + arena->used;
    arena->used += size;
    return ptr;
}

void *ws_arena_calloc(ws_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *ptr = ws_arena_alloc(arena, bytes);
    if (ptr)
        memset(ptr, 0, bytes);
    return ptr;
}

char *ws_arena_dup(ws_arena *arena, const char *ptr, size_t len)
{
    char *copy = len < SIZE_MAX ? ws_arena_alloc(arena, len + 1) : NULL;
    if (!copy)
        return NULL;
    if (len)
        memcpy(copy, ptr, len);
    copy[len] = '\0';
    return copy;
}

ws_status ws_arena_str(ws_arena *arena, ws_str in, ws_str *out)
{
    const char *copy = ws_arena_dup(arena, in.ptr, in.len);
    out->ptr = copy;
    out->len = copy ? in.len : 0;
    return copy ? WS_OK : WS_ERR_NOMEM;
}

void ws_arena_reset(ws_arena *arena)
{
    arena->current = arena->first;
    arena->used = 0;
}
