/* Bump allocator: many small allocations, freed all at once. [1].
 *
 * Blocks grow from 4 KiB to 1 MiB (or the size of one large request). A reset keeps the blocks, so
 * that a per-query arena stops allocating after warm-up. */
#ifndef WS_BASE_ARENA_H
#define WS_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "wikisearch/status.h"

typedef struct ws_arena_block ws_arena_block;

typedef struct {
    ws_arena_block *first;   /* chain of blocks, oldest first */
    ws_arena_block *current; /* the one that is being filled */
    size_t used;             /* bytes used in `current` */
    size_t total;            /* bytes held in all blocks */
} ws_arena;

/* Sets up an empty arena in the caller's storage; holds no memory yet. */
void ws_arena_init(ws_arena *arena);

/* Frees every block. The arena is as after ws_arena_init. */
void ws_arena_fini(ws_arena *arena);

/* Returns `size` bytes aligned to 16, valid until reset or fini; NULL when memory is short. */
void *ws_arena_alloc(ws_arena *arena, size_t size);

/* As above, zeroed; count * size with an overflow check. */
void *ws_arena_calloc(ws_arena *arena, size_t count, size_t size);

/* Copies `len` bytes into the arena and adds a NUL; NULL when memory is short. */
char *ws_arena_dup(ws_arena *arena, const char *ptr, size_t len);

/* Copies a slice; WS_ERR_NOMEM leaves *out empty. */
ws_status ws_arena_str(ws_arena *arena, ws_str in, ws_str *out);

/* Forgets every allocation, keeps the blocks. O(1). */
void ws_arena_reset(ws_arena *arena);

#endif
