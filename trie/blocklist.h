/* Keys that must never be suggested. [1], the writer's.
 *
 * A pattern is a normalised text; its key is compared, so spacing, case and half-typed spellings
 * make no difference. `*` at its beginning or end stands for anything: "*도박*" blocks every key
 * that holds ㄷㅗㅂㅏㄱ.
 */
#ifndef WS_TRIE_BLOCKLIST_H
#define WS_TRIE_BLOCKLIST_H

#include "base/buf.h"
#include "wikisearch/status.h"

#define WS_BLOCK_ANY_BEFORE 1u
#define WS_BLOCK_ANY_AFTER  2u
#define WS_BLOCK_MAX        4096u /* patterns */

/* flags u8 | length u16 | key, one after the other: also what the suggest file holds. */
typedef struct {
    ws_buf patterns;
    uint32_t n;
} ws_blocklist;

typedef struct {
    uint32_t flags;
    ws_str key;
} ws_block;

void ws_blocklist_init(ws_blocklist *list);
void ws_blocklist_fini(ws_blocklist *list);

/* The key of a pattern.
 *   buffer  storage of the key
 * WS_ERR_ARG when nothing is left of it, or it is too long. */
ws_status ws_block_parse(ws_str pattern, char *buffer, size_t cap, ws_block *block);

/* Adds (once) or removes. WS_ERR_LIMIT, WS_ERR_NOMEM. */
ws_status ws_blocklist_add(ws_blocklist *list, ws_block block);
void ws_blocklist_remove(ws_blocklist *list, ws_block block);

/* Reads the pattern at byte *at and steps over it; 0 at the end. */
int ws_blocklist_next(const ws_blocklist *list, size_t *at, ws_block *block);

int ws_block_matches(ws_block block, ws_str key);
int ws_blocklist_matches(const ws_blocklist *list, ws_str key); /* any of them */

#endif
