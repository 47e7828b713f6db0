/* Terms seen so far, from key to entry: open addressing over 32-bit slots, entries in blocks that
 * never move. [1].
 *
 * Keys live in the slice pool: one length byte, then field, stream and the term's bytes
 * (docs/format.md section 4).
 */
#ifndef WS_INDEX_TERM_TABLE_H
#define WS_INDEX_TERM_TABLE_H

#include "engine/index/slice_pool.h"

/* 40 bytes. */
typedef struct {
    uint64_t hash;
    uint32_t key; /* reference in the pool */
    uint32_t df, cf;
    uint32_t last_doc;      /* last document + 1, 0 = none yet */
    uint32_t last_position; /* in that document; without positions: tf so far */
    ws_slice_chain chain;
} ws_term_entry;

#define WS_ENTRY_BLOCK_BITS 14u
#define WS_ENTRY_MAX_BLOCKS 4096u

typedef struct {
    ws_slice_pool pool; /* keys and postings */
    uint32_t *slots;    /* entry + 1, 0 = empty */
    uint32_t n_slots;   /* power of two */
    uint32_t n_terms, n_blocks;
    ws_term_entry *blocks[WS_ENTRY_MAX_BLOCKS];
} ws_term_table;

ws_status ws_term_table_init(ws_term_table *table);
void ws_term_table_fini(ws_term_table *table);

/* Heap bytes held. */
size_t ws_term_table_memory(const ws_term_table *table);

/* Upper bound of the bytes that `n` new terms of `bytes` bytes in all add, growth of the slots
 * included. */
size_t ws_term_table_cost(const ws_term_table *table, uint64_t n, uint64_t bytes);

static inline ws_term_entry *ws_term_table_entry(const ws_term_table *table, uint32_t term)
{
    return &table->blocks[term >> WS_ENTRY_BLOCK_BITS][term & ((1u << WS_ENTRY_BLOCK_BITS) - 1)];
}

/* Key of an entry; valid until fini. */
static inline ws_str ws_term_table_key(const ws_term_table *table, const ws_term_entry *entry)
{
    const uint8_t *p = ws_slice_pool_at(&table->pool, entry->key);
    ws_str key = {(const char *)p + 1, p[0]};
    return key;
}

/* Hash of a term in a field and stream, for prefetch and find. */
uint64_t ws_term_table_hash(uint32_t field, uint32_t stream, const char *ptr, uint32_t length);

static inline void ws_term_table_prefetch(const ws_term_table *table, uint64_t hash)
{
    __builtin_prefetch(&table->slots[hash & (table->n_slots - 1)]);
}

/* Finds or adds; *entry stays valid until fini. *was_long counts terms beyond WS_TERM_MAX (adds 1).
 * WS_ERR_NOMEM. */
ws_status ws_term_table_get(ws_term_table *table, uint64_t hash, uint32_t field, uint32_t stream,
                            const char *ptr, uint32_t length, uint64_t *was_long,
                            ws_term_entry **entry);

#endif
