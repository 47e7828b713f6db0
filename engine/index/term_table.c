#include "engine/index/term_table.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/dictionary.h"

#define FIRST_SLOTS   16384u
#define ENTRY_BLOCK   (1u << WS_ENTRY_BLOCK_BITS)
#define LARGEST_SLICE 16u /* first slice of a new term */

_Static_assert(sizeof(ws_term_entry) == 64, "a cache line");

ws_status ws_term_table_init(ws_term_table *table)
{
    memset(table, 0, sizeof *table);
    ws_slice_pool_init(&table->pool);
    table->slots = ws_calloc(FIRST_SLOTS, sizeof *table->slots);
    table->n_slots = FIRST_SLOTS;
    return table->slots ? WS_OK : WS_ERR_NOMEM;
}

void ws_term_table_fini(ws_term_table *table)
{
    ws_slice_pool_fini(&table->pool);
    for (uint32_t i = 0; i < table->n_blocks; i++)
        ws_free_huge(table->blocks[i], ENTRY_BLOCK * sizeof(ws_term_entry));
    ws_free(table->slots);
    memset(table, 0, sizeof *table);
}

size_t ws_term_table_memory(const ws_term_table *table)
{
    return ws_slice_pool_memory(&table->pool) + (size_t)table->n_slots * sizeof *table->slots +
           (size_t)table->n_blocks * ENTRY_BLOCK * sizeof(ws_term_entry);
}

/* Load stays at or below 3/5. */
static int is_crowded(uint64_t n_terms, uint64_t n_slots)
{
    return n_terms * 5 > n_slots * 3;
}

size_t ws_term_table_cost(const ws_term_table *table, uint64_t n, uint64_t bytes)
{
    uint64_t slots = table->n_slots, terms = table->n_terms + n, cost;
    while (is_crowded(terms, slots))
        slots *= 2;
    cost = slots > table->n_slots ? slots * sizeof *table->slots : 0;
    cost += (n / ENTRY_BLOCK + 1) * ENTRY_BLOCK * sizeof(ws_term_entry);
    cost += (n * (LARGEST_SLICE + 3) + bytes) + WS_POOL_BLOCK;
    return (size_t)cost;
}

uint64_t ws_term_table_hash(uint32_t field, uint32_t stream, const char *ptr, uint32_t length)
{
    return ws_hash64_seed(ptr, length, (uint64_t)field << 8 | stream);
}

static uint64_t slot_of(uint64_t hash, uint32_t term)
{
    return hash >> 32 << 32 | (term + 1u);
}

static ws_status grow_slots(ws_term_table *table)
{
    uint32_t n_slots = table->n_slots * 2;
    if (n_slots == 0)
        return WS_ERR_NOMEM;
    uint64_t *slots = ws_calloc(n_slots, sizeof *slots);
    if (!slots)
        return WS_ERR_NOMEM;
    for (uint32_t t = 0; t < table->n_terms; t++) {
        uint64_t hash = ws_term_table_entry(table, t)->hash;
        uint32_t at = (uint32_t)hash & (n_slots - 1);
        while (slots[at])
            at = (at + 1) & (n_slots - 1);
        slots[at] = slot_of(hash, t);
    }
    ws_free(table->slots);
    table->slots = slots;
    table->n_slots = n_slots;
    return WS_OK;
}

static ws_status new_entry(ws_term_table *table, uint64_t hash, ws_str key, ws_term_entry **entry)
{
    if ((table->n_terms & (ENTRY_BLOCK - 1)) == 0 &&
        table->n_terms >> WS_ENTRY_BLOCK_BITS == table->n_blocks) {
        if (table->n_blocks == WS_ENTRY_MAX_BLOCKS)
            return WS_ERR_NOMEM;
        ws_term_entry *block = ws_alloc_huge(ENTRY_BLOCK * sizeof *block);
        if (!block)
            return WS_ERR_NOMEM;
        table->blocks[table->n_blocks++] = block;
    }
    uint32_t ref = 0;
    if (key.len > WS_INLINE_KEY)
        WS_TRY(ws_slice_pool_take(&table->pool, (uint32_t)key.len, &ref));
    ws_term_entry *e = ws_term_table_entry(table, table->n_terms++);
    memset(e, 0, sizeof *e);
    e->hash = hash;
    e->long_key = ref;
    e->key_length = (uint8_t)key.len;
    memcpy(key.len > WS_INLINE_KEY ? (char *)ws_slice_pool_at(&table->pool, ref) : e->key, key.ptr,
           key.len);
    *entry = e;
    return WS_OK;
}

static int same_term(const ws_term_table *table, const ws_term_entry *e, uint32_t field,
                     uint32_t stream, const char *ptr, uint32_t length)
{
    ws_str key = ws_term_table_key(table, e);
    return key.len == length + 2u && (uint8_t)key.ptr[0] == field &&
           (uint8_t)key.ptr[1] == stream && memcmp(key.ptr + 2, ptr, length) == 0;
}

ws_status ws_term_table_get(ws_term_table *table, uint64_t hash, uint32_t field, uint32_t stream,
                            const char *ptr, uint32_t length, uint64_t *was_long,
                            ws_term_entry **entry)
{
    uint8_t key[WS_TERM_KEY_MAX];
    size_t key_length = 0;
    if (length > WS_TERM_MAX) {
        key_length = ws_term_key(field, stream, ws_str_make(ptr, length), key, NULL);
        ptr = (const char *)key + 2;
        length = (uint32_t)key_length - 2;
        ++*was_long;
    }
    if (is_crowded(table->n_terms + 1ull, table->n_slots))
        WS_TRY(grow_slots(table));
    uint32_t at = ws_term_table_slot(table, hash, (uint32_t)hash);
    for (; table->slots[at]; at = ws_term_table_slot(table, hash, at + 1)) {
        ws_term_entry *e = ws_term_table_entry(table, (uint32_t)table->slots[at] - 1);
        if (e->hash == hash && same_term(table, e, field, stream, ptr, length)) {
            *entry = e;
            return WS_OK;
        }
    }
    if (!key_length)
        key_length = ws_term_key(field, stream, ws_str_make(ptr, length), key, NULL);
    WS_TRY(new_entry(table, hash, ws_str_make((const char *)key, key_length), entry));
    table->slots[at] = slot_of(hash, table->n_terms - 1);
    return WS_OK;
}
