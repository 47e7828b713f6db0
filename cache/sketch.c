#include "cache/sketch.h"

#include "base/bytes.h"
#include "base/mem.h"

#define WORDS_PER_BLOCK   8u
#define BLOCK_BYTES       64u
#define BLOCKS_MIN        32u /* 256 words */
#define SAMPLE_PER_ENTRY  10u
#define SWEEP_SHARE       64u
#define ONE_OF_EACH       0x1111111111111111u
#define LOW_THREE_OF_EACH 0x7777777777777777u

/* Where a key's counters are: four words of one block, and a shift into each. */
typedef struct {
    _Atomic uint64_t *block;
    uint32_t rows; /* a byte a row: bit 0 the word, bits 1 to 4 the counter */
} place;

static uint32_t blocks_for(uint32_t entries)
{
    return WS_MAX(entries / WORDS_PER_BLOCK + (entries % WORDS_PER_BLOCK != 0), BLOCKS_MIN);
}

static uint64_t sample_of(uint32_t n_blocks, uint32_t entries)
{
    uint32_t counted = entries ? WS_MIN(entries, n_blocks * WORDS_PER_BLOCK) : 1;
    return (uint64_t)SAMPLE_PER_ENTRY * counted;
}

static uint64_t n_words(const ws_sketch *s)
{
    return (uint64_t)s->n_blocks * WORDS_PER_BLOCK;
}

size_t ws_sketch_bytes_for(uint32_t entries)
{
    return (size_t)blocks_for(entries) * BLOCK_BYTES + BLOCK_BYTES;
}

size_t ws_sketch_bytes(const ws_sketch *s)
{
    return s->memory ? (size_t)s->n_blocks * BLOCK_BYTES + BLOCK_BYTES : 0;
}

static ws_status allocate(ws_sketch *s, uint32_t n_blocks)
{
    uint8_t *memory = ws_calloc((size_t)n_blocks + 1, BLOCK_BYTES);
    if (!memory)
        return WS_ERR_NOMEM;
    s->memory = memory;
    s->words = (_Atomic uint64_t *)(void *)(memory + (-(uintptr_t)memory & (BLOCK_BYTES - 1)));
    s->n_blocks = n_blocks;
    return WS_OK;
}

ws_status ws_sketch_init(ws_sketch *s, uint32_t entries, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->sample = sample_of(blocks_for(entries), entries);
    return allocate(s, blocks_for(entries));
}

void ws_sketch_fini(ws_sketch *s)
{
    ws_free(s->memory);
    memset(s, 0, sizeof *s);
}

/* With twice the blocks the keys of block b are in 2b or 2b + 1, at the same places: a copy into
 * both keeps every estimate. */
ws_status ws_sketch_grow(ws_sketch *s, uint32_t entries)
{
    ws_sketch old = *s;
    uint32_t wanted = s->n_blocks;
    while (wanted < blocks_for(entries) && wanted <= UINT32_MAX / 2 / WORDS_PER_BLOCK)
        wanted *= 2;
    if (wanted == s->n_blocks)
        return WS_OK;
    if (allocate(s, wanted)) {
        *s = old;
        return WS_ERR_NOMEM;
    }
    for (uint32_t b = 0; b < wanted; b++) {
        uint64_t from = (uint64_t)b * old.n_blocks / wanted * WORDS_PER_BLOCK;
        for (uint32_t w = 0; w < WORDS_PER_BLOCK; w++)
            atomic_init(&s->words[(uint64_t)b * WORDS_PER_BLOCK + w], old.words[from + w]);
    }
    ws_free(old.memory);
    s->sample = sample_of(wanted, entries);
    atomic_store_explicit(&s->halving, 0, memory_order_relaxed);
    return WS_OK;
}

/* Finaliser of MurmurHash3 (Appleby), keyed: the upper half chooses the block, the lower half the
 * four counters. */
static place find(const ws_sketch *s, uint32_t hash)
{
    uint64_t m = hash ^ s->seed;
    m ^= m >> 33;
    m *= 0xff51afd7ed558ccdu;
    m ^= m >> 33;
    m *= 0xc4ceb9fe1a85ec53u;
    m ^= m >> 33;
    uint64_t block = (m >> 32) * s->n_blocks >> 32;
    return (place){s->words + block * WORDS_PER_BLOCK, (uint32_t)m};
}

static _Atomic uint64_t *word_of(place p, uint32_t row)
{
    return p.block + row * 2 + (p.rows >> (8 * row) & 1);
}

static uint32_t shift_of(place p, uint32_t row)
{
    return (p.rows >> (8 * row + 1) & 15) * 4;
}

/* --- halving --- */

/* Halves words [from, to); returns how many counters were odd: a half of each is lost. */
static uint64_t halve(ws_sketch *s, uint64_t from, uint64_t to)
{
    uint64_t odd = 0;
    for (uint64_t i = from; i < to; i++) {
        uint64_t word = atomic_load_explicit(&s->words[i], memory_order_relaxed);
        odd += (uint64_t)__builtin_popcountll(word & ONE_OF_EACH);
        atomic_store_explicit(&s->words[i], word >> 1 & LOW_THREE_OF_EACH, memory_order_relaxed);
    }
    return odd;
}

/* A key has four counters, so four odd ones are one access less. */
static void end_halving(ws_sketch *s)
{
    uint64_t lost = atomic_exchange_explicit(&s->odd, 0, memory_order_relaxed) / 4;
    uint64_t had = atomic_load_explicit(&s->additions, memory_order_relaxed);
    atomic_store_explicit(&s->additions, (had > lost ? had - lost : 0) / 2, memory_order_relaxed);
    atomic_store_explicit(&s->halving, 0, memory_order_release);
}

static void begin_halving(ws_sketch *s)
{
    unsigned idle = 0;
    if (atomic_compare_exchange_strong_explicit(&s->halving, &idle, 2, memory_order_acquire,
                                                memory_order_relaxed)) {
        atomic_store_explicit(&s->cursor, 0, memory_order_relaxed);
        atomic_store_explicit(&s->halving, 1, memory_order_release);
    }
}

/* Ranges are claimed, so that several threads may sweep; the one that gets the last range ends
 * it. */
static void help_halving(ws_sketch *s)
{
    uint64_t all = n_words(s), share = WS_MAX(all / SWEEP_SHARE, (uint64_t)1);
    uint64_t from = atomic_fetch_add_explicit(&s->cursor, share, memory_order_relaxed);
    if (from >= all)
        return;
    uint64_t odd = halve(s, from, WS_MIN(from + share, all));
    atomic_fetch_add_explicit(&s->odd, odd, memory_order_relaxed);
    if (from + share >= all)
        end_halving(s);
}

/* --- counting --- */

/* Adds `n` to one counter, up to 15; returns 1 when it rose. */
static int raise(_Atomic uint64_t *word, uint32_t shift, uint32_t n)
{
    uint64_t had = atomic_load_explicit(word, memory_order_relaxed);
    uint64_t count = had >> shift & 15, room = WS_SKETCH_MAX - count;
    uint64_t more = WS_MIN(room, (uint64_t)n);
    if (!more)
        return 0;
    atomic_store_explicit(word, had + (more << shift), memory_order_relaxed);
    return 1;
}

void ws_sketch_add(ws_sketch *s, uint32_t hash, uint32_t n)
{
    place p = find(s, hash);
    int rose = 0;
    for (uint32_t row = 0; row < 4; row++)
        rose |= raise(word_of(p, row), shift_of(p, row), n);
    if (!rose)
        return;
    uint64_t had = atomic_load_explicit(&s->additions, memory_order_relaxed) + n;
    atomic_store_explicit(&s->additions, had, memory_order_relaxed);
    if (atomic_load_explicit(&s->halving, memory_order_acquire) == 1)
        help_halving(s);
    else if (had >= s->sample)
        begin_halving(s);
}

uint32_t ws_sketch_estimate(const ws_sketch *s, uint32_t hash)
{
    place p = find(s, hash);
    uint64_t least = WS_SKETCH_MAX;
    for (uint32_t row = 0; row < 4; row++) {
        uint64_t word = atomic_load_explicit(word_of(p, row), memory_order_relaxed);
        uint64_t count = word >> shift_of(p, row) & 15;
        least = WS_MIN(least, count);
    }
    return (uint32_t)least;
}

void ws_sketch_prefetch(const ws_sketch *s, uint32_t hash)
{
    __builtin_prefetch((const void *)(uintptr_t)find(s, hash).block, 1);
}
