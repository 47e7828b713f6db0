/* Terms seen so far, from key to entry: open addressing over slots that hold half of the hash
 * beside the entry's number, so that a probe touches no entry but the right one; entries in blocks
 * that never move. [1].
 *
 * Keys (docs/format.md section 4) live in their entries, long ones in the slice pool.
 */
#ifndef WS_INDEX_TERM_TABLE_H
#define WS_INDEX_TERM_TABLE_H

#include "engine/index/slice_pool.h"

/* 64 bytes, a cache line: keys of up to WS_INLINE_KEY bytes, nearly all, need no further fetch. */
#define WS_INLINE_KEY 23u
typedef struct {
    uint64_t hash;
    uint32_t df, cf;
    uint32_t last_doc;      /* last document + 1, 0 = none yet */
    uint32_t last_position; /* in that document; without positions: tf so far */
    ws_slice_chain chain;
    uint32_t long_key; /* reference in the pool, when key_length > WS_INLINE_KEY */
    uint8_t key_length;
    char key[WS_INLINE_KEY];
} ws_term_entry;

#define WS_ENTRY_BLOCK_BITS 15u /* of 64 bytes: a huge page */
#define WS_ENTRY_MAX_BLOCKS 4096u

typedef struct {
    ws_slice_pool pool; /* keys and postings */
    uint64_t *slots;    /* upper half of the hash << 32 | entry + 1; 0 = empty */
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
    ws_str key = {entry->key, entry->key_length};
    if (entry->key_length > WS_INLINE_KEY)
        key.ptr = (const char *)ws_slice_pool_at(&table->pool, entry->long_key);
    return key;
}

/* Hash of a term in a field and stream, for prefetch and find. */
uint64_t ws_term_table_hash(uint32_t field, uint32_t stream, const char *ptr, uint32_t length);

static inline void ws_term_table_prefetch_slot(const ws_term_table *table, uint64_t hash)
{
    __builtin_prefetch(&table->slots[hash & (table->n_slots - 1)]);
}

/* Number of the slot of a hash: where its upper half stands, or the empty one where it belongs. */
static inline uint32_t ws_term_table_slot(const ws_term_table *table, uint64_t hash, uint32_t from)
{
    uint32_t mask = table->n_slots - 1;
    while (table->slots[from & mask] && table->slots[from & mask] >> 32 != hash >> 32)
        from++;
    return from & mask;
}

/* The entry of a hash, unless two share half of it: for prefetching only. NULL when there is none.
 */
static inline const ws_term_entry *ws_term_table_guess(const ws_term_table *table, uint64_t hash)
{
    uint64_t slot = table->slots[ws_term_table_slot(table, hash, (uint32_t)hash)];
    return slot ? ws_term_table_entry(table, (uint32_t)slot - 1) : NULL;
}

/* Fetches the end of an entry's postings. */
static inline void ws_term_table_prefetch_postings(const ws_term_table *table,
                                                   const ws_term_entry *entry)
{
    if (entry->chain.started)
        __builtin_prefetch(ws_slice_pool_at(&table->pool, entry->chain.cursor), 1);
}

/* Finds or adds; *entry stays valid until fini. *was_long counts terms beyond WS_TERM_MAX (adds 1).
 * WS_ERR_NOMEM. */
ws_status ws_term_table_get(ws_term_table *table, uint64_t hash, uint32_t field, uint32_t stream,
                            const char *ptr, uint32_t length, uint64_t *was_long,
                            ws_term_entry **entry);

#endif
