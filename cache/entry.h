/* An entry: 44 bytes of header, then the key, then the value, in one cell of the slab.
 *
 *    0        8      12     16     20          24      28      32         36
 *   | stamp  | hash | next | prev | value_len | state | fresh | accessed |
 *   36        38         40        41      42        43       44
 *   | key_len | cost     | counter | class | region  | unused | key bytes | value bytes |
 *
 * An entry is named by a reference: the offset of its cell in the arena in units of 16 bytes (0 =
 * none), so that 32 bits reach 64 GiB and a table slot or a queue link takes 4 bytes.
 *
 * Who may touch what: stamp, hash, lengths, cost, class, key and value are set before the entry is
 * published and stay as they are until its cell is freed, so readers need no lock for them.
 * `counter`, `state`, `fresh` and `accessed` are atomics. Links and region belong to the shard's
 * mutex.
 */
#ifndef WS_CACHE_ENTRY_H
#define WS_CACHE_ENTRY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "wikisearch/status.h"

#define WS_REF_UNIT 16u

/* Regions: the queue an entry is in. */
#define WS_REGION_NONE      0u
#define WS_REGION_WINDOW    1u
#define WS_REGION_PROBATION 2u
#define WS_REGION_PROTECTED 3u
#define WS_REGIONS          4u

#define WS_COUNTER_MAX 15u

/* state = flags | pins * WS_STATE_PIN. Pins are views that found no pin slot (cache/reclaim.h). */
#define WS_STATE_NEGATIVE   1u /* the answer is: there is none */
#define WS_STATE_REFRESHING 2u /* somebody has the right to refresh it */
#define WS_STATE_DETACHED   4u /* never in the table: a value that was delivered, not stored */
#define WS_STATE_PIN        16u

typedef struct {
    uint64_t stamp;
    uint32_t hash;
    uint32_t next, prev; /* references in the queue: next is younger */
    uint32_t value_len;
    atomic_uint state;
    _Atomic uint32_t fresh;    /* tick from which it is not fresh any more */
    _Atomic uint32_t accessed; /* tick of the last hit, about a second exact; 0 without a TTL */
    uint16_t key_len;
    uint16_t cost;           /* ws_entry_pack_cost */
    _Atomic uint8_t counter; /* hits since the policy last looked, up to WS_COUNTER_MAX */
    uint8_t class;           /* of its cell */
    uint8_t region;
    uint8_t unused;
    uint8_t bytes[]; /* key_len of the key, value_len of the value */
} ws_entry;

#define WS_ENTRY_HEADER offsetof(ws_entry, bytes)
_Static_assert(offsetof(ws_entry, bytes) == 44, "44 bytes of header");

#define WS_KEY_MAX UINT16_MAX

static inline ws_entry *ws_entry_at(const char *base, uint32_t ref)
{
    return (ws_entry *)(uintptr_t)(base + (size_t)ref * WS_REF_UNIT);
}

static inline ws_str ws_entry_key(const ws_entry *e)
{
    return (ws_str){(const char *)e->bytes, e->key_len};
}

static inline ws_str ws_entry_value(const ws_entry *e)
{
    return (ws_str){(const char *)e->bytes + e->key_len, e->value_len};
}

/* Bytes that a key and a value need in a cell. */
static inline size_t ws_entry_bytes(size_t key_len, size_t value_len)
{
    return WS_ENTRY_HEADER + key_len + value_len;
}

/* Microseconds in 16 bits: exact below 32,768, else milliseconds, at most 32.7 s. */
static inline uint16_t ws_entry_pack_cost(uint32_t us)
{
    uint32_t ms = us / 1000;
    return us < 0x8000 ? (uint16_t)us : (uint16_t)(0x8000 | WS_MIN(ms, 0x7fffu));
}

static inline uint32_t ws_entry_cost(const ws_entry *e)
{
    return e->cost < 0x8000 ? e->cost : (e->cost & 0x7fffu) * 1000u;
}

/* A hit: a plain load and store, none once the counter is full, so the line of a hot entry stays
 * shared between cores. Two threads may lose a count. */
static inline void ws_entry_touch(ws_entry *e)
{
    uint8_t n = atomic_load_explicit(&e->counter, memory_order_relaxed);
    if (n < WS_COUNTER_MAX)
        atomic_store_explicit(&e->counter, (uint8_t)(n + 1), memory_order_relaxed);
}

#endif
