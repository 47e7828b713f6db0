#define _GNU_SOURCE /* memmem */
#include "trie/blocklist.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"
#include "engine/text/jamo.h"

void ws_blocklist_init(ws_blocklist *list)
{
    ws_buf_init(&list->patterns);
    list->n = 0;
}

void ws_blocklist_fini(ws_blocklist *list)
{
    ws_buf_fini(&list->patterns);
}

ws_status ws_block_parse(ws_str pattern, char *buffer, size_t cap, ws_block *block)
{
    block->flags = 0;
    if (pattern.len && pattern.ptr[0] == '*') {
        block->flags |= WS_BLOCK_ANY_BEFORE;
        pattern = ws_str_sub(pattern, 1, pattern.len);
    }
    if (pattern.len && pattern.ptr[pattern.len - 1] == '*') {
        block->flags |= WS_BLOCK_ANY_AFTER;
        pattern.len--;
    }
    size_t n = ws_jamo_key(pattern, buffer, cap);
    block->key = ws_str_make(buffer, n);
    return n == 0 || n > cap || n > UINT16_MAX ? WS_ERR_ARG : WS_OK;
}

int ws_blocklist_next(const ws_blocklist *list, size_t *at, ws_block *block)
{
    if (*at >= list->patterns.len)
        return 0;
    const uint8_t *p = list->patterns.data + *at;
    block->flags = p[0];
    block->key = ws_str_make((const char *)p + 3, ws_load_u16le(p + 1));
    *at += 3 + block->key.len;
    return 1;
}

static int is_same(ws_block a, ws_block b)
{
    return a.flags == b.flags && ws_str_eq(a.key, b.key);
}

ws_status ws_blocklist_add(ws_blocklist *list, ws_block block)
{
    ws_block other;
    for (size_t at = 0; ws_blocklist_next(list, &at, &other);)
        if (is_same(block, other))
            return WS_OK;
    if (list->n == WS_BLOCK_MAX)
        return WS_ERR_LIMIT;
    WS_TRY(ws_buf_reserve(&list->patterns, 3 + block.key.len));
    ws_buf_u8(&list->patterns, (uint8_t)block.flags);
    ws_buf_u16le(&list->patterns, (uint16_t)block.key.len);
    ws_buf_str(&list->patterns, block.key);
    list->n++;
    return WS_OK;
}

void ws_blocklist_remove(ws_blocklist *list, ws_block block)
{
    ws_block other;
    for (size_t at = 0, start = 0; ws_blocklist_next(list, &at, &other); start = at) {
        if (!is_same(block, other))
            continue;
        memmove(list->patterns.data + start, list->patterns.data + at, list->patterns.len - at);
        list->patterns.len -= at - start;
        list->n--;
        return;
    }
}

int ws_block_matches(ws_block block, ws_str key)
{
    ws_str b = block.key;
    int before = block.flags & WS_BLOCK_ANY_BEFORE, after = block.flags & WS_BLOCK_ANY_AFTER;
    if (before && after)
        return memmem(key.ptr, key.len, b.ptr, b.len) != NULL;
    if (before)
        return key.len >= b.len && ws_str_eq(ws_str_sub(key, key.len - b.len, key.len), b);
    return after ? ws_str_starts_with(key, b) : ws_str_eq(key, b);
}

int ws_blocklist_matches(const ws_blocklist *list, ws_str key)
{
    ws_block block;
    for (size_t at = 0; ws_blocklist_next(list, &at, &block);)
        if (ws_block_matches(block, key))
            return 1;
    return 0;
}
