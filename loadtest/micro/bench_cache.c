/* Micro-benchmark of the cache beside an LRU under mutexes, and beside what the machine allows.
 *
 * usage: bench_cache [--entries N] [--size BYTES]... [--threads N]... [--rounds N]
 *
 * Every value is checked first. Then, for each size and number of threads, the best of several
 * rounds in nanoseconds of CPU time per call and thread, and in million calls a second of wall
 * time:
 *   hit       Zipf 0.99 over keys that are all there; the first 8 bytes of the value are read where
 *             they lie
 *   copied    the same, the value copied out
 *   miss      keys that are not there
 *   put       new keys into a full cache: each evicts (or is rejected)
 *   75/25     three gets of Zipf keys, then a put of a new key
 * floor: what any cache has to do: the same keys hashed, a place looked up in an index, there 8
 * bytes of a header and 8 of the value read. No comparison, no lock, no pin, no count. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/mem.h"
#include "loadtest/micro/bench_cache_lru.h"
#include "wikisearch/cache.h"

#define CALLS       (1u << 18) /* of a thread and round */
#define SIZES_MAX   8u
#define THREADS_MAX 64u
#define BYTES_MAX   ((uint64_t)128 << 20) /* of values: larger ones are fewer */

enum { HIT, COPIED, MISS, PUT, MIX, KINDS };
static const char *const kind_names[] = {"hit", "copied", "miss", "put", "75/25"};
enum { OURS, LRU, FLOOR, RIVALS };
static const char *const rival_names[] = {"cache", "mutex LRU", "floor"};

typedef struct {
    ws_cache *cache;
    bench_lru *lru;
    char *array;     /* the floor's cells, and where they are */
    uint64_t *index; /* by hash */
    uint32_t entries, size;
    uint32_t *zipf; /* CALLS keys */
    pthread_barrier_t barrier;
    uint32_t rival, kind, rounds;
    _Atomic uint32_t next_new; /* keys that were never used */
} bench;

typedef struct {
    bench *b;
    uint32_t number;
    uint64_t best_cpu_ns, sum, misses;
    uint8_t *out;
} worker;

static void check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_cache: %s\n", what);
    exit(1);
}

static void key_of(uint64_t number, uint8_t key[16])
{
    uint64_t a = (number + 1) * 0x9e3779b97f4a7c15u, b = (a ^ a >> 29) * 0xbf58476d1ce4e5b9u;
    ws_store_u64le(key, a);
    ws_store_u64le(key + 8, b);
}

/* --- Zipf --- */

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint32_t lower_bound(const double *sums, uint32_t n, double x)
{
    uint32_t low = 0, high = n - 1;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sums[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t *make_zipf(uint32_t entries)
{
    double *sums = malloc(entries * sizeof *sums), sum = 0;
    uint32_t *keys = malloc(CALLS * sizeof *keys), *order = malloc(entries * sizeof *order);
    check(sums && keys && order, "no memory");
    for (uint32_t i = 0; i < entries; i++) {
        sums[i] = sum += pow(i + 1.0, -0.99);
        order[i] = i;
    }
    for (uint32_t i = entries - 1; i > 0; i--) { /* frequent keys lie anywhere */
        uint32_t k = (uint32_t)(next_random() % (i + 1)), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (uint32_t i = 0; i < CALLS; i++)
        keys[i] = order[lower_bound(sums, entries, (double)(next_random() >> 11) * 0x1p-53 * sum)];
    free(sums);
    free(order);
    return keys;
}

/* --- one call --- */

static void get_ours(worker *w, const uint8_t key[16], int copy)
{
    ws_cache_view view;
    if (ws_cache_get(w->b->cache, key, (ws_str){NULL, 0}, 1, &view) != WS_CACHE_HIT) {
        w->misses++;
    } else if (copy) {
        memcpy(w->out, view.value.ptr, view.value.len);
        w->sum += w->out[0];
    } else {
        w->sum += ws_load_u64le(view.value.ptr);
    }
    ws_cache_view_fini(&view);
}

static void get_one(worker *w, uint64_t number, int copy)
{
    uint8_t key[16];
    bench *b = w->b;
    key_of(number, key);
    if (b->rival == OURS) {
        get_ours(w, key, copy);
    } else if (b->rival == LRU) {
        w->misses += bench_lru_get(b->lru, key, w->out, copy ? b->size : 8) == 0;
        w->sum += w->out[0];
    } else {
        const char *p = b->array + b->index[ws_load_u64le(key) % b->entries];
        w->sum += ws_load_u64le(p) + ws_load_u64le(p + 60);
        if (copy)
            memcpy(w->out, p + 60, b->size);
    }
}

static void put_one(worker *w, uint64_t number)
{
    uint8_t key[16];
    bench *b = w->b;
    key_of(number, key);
    if (b->rival == LRU)
        bench_lru_put(b->lru, key, w->out, b->size);
    else
        ws_cache_put(b->cache, key, (ws_str){NULL, 0}, 1, (ws_str){(char *)w->out, b->size}, 1,
                     NULL);
}

static void run_round(worker *w)
{
    bench *b = w->b;
    uint32_t at = w->number * 7919;
    uint64_t fresh = atomic_fetch_add(&b->next_new, CALLS) + ((uint64_t)1 << 32);
    for (uint32_t i = 0; i < CALLS; i++) {
        uint64_t zipf = b->zipf[(at + i) % CALLS];
        if (b->kind == PUT || (b->kind == MIX && i % 4 == 3))
            put_one(w, fresh + i);
        else
            get_one(w, b->kind == MISS ? fresh + i : zipf, b->kind == COPIED);
    }
}

/* --- rounds --- */

static void *work(void *ctx)
{
    worker *w = ctx;
    for (uint32_t round = 0; round < w->b->rounds; round++) {
        pthread_barrier_wait(&w->b->barrier);
        uint64_t start = ws_thread_cpu_ns();
        run_round(w);
        uint64_t ns = ws_thread_cpu_ns() - start;
        w->best_cpu_ns = WS_MIN(w->best_cpu_ns, ns);
        pthread_barrier_wait(&w->b->barrier);
    }
    return NULL;
}

/* Prints nanoseconds a call and million calls a second. */
static void measure(bench *b, uint32_t rival, uint32_t kind, uint32_t n_threads)
{
    static worker workers[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    uint64_t best_wall = UINT64_MAX, cpu = 0;
    b->rival = rival;
    b->kind = kind;
    check(pthread_barrier_init(&b->barrier, NULL, n_threads + 1) == 0, "barrier");
    for (uint32_t i = 0; i < n_threads; i++) {
        workers[i] = (worker){b, i, UINT64_MAX, 0, 0, calloc(1, b->size + 8)};
        check(pthread_create(&threads[i], NULL, work, &workers[i]) == 0, "thread");
    }
    for (uint32_t round = 0; round < b->rounds; round++) {
        pthread_barrier_wait(&b->barrier);
        uint64_t start = ws_now_ns();
        pthread_barrier_wait(&b->barrier);
        best_wall = WS_MIN(best_wall, ws_now_ns() - start);
    }
    for (uint32_t i = 0; i < n_threads; i++) {
        pthread_join(threads[i], NULL);
        cpu += workers[i].best_cpu_ns;
        check(kind > COPIED || rival == FLOOR || !workers[i].misses, "a key that is there missed");
        free(workers[i].out);
    }
    pthread_barrier_destroy(&b->barrier);
    printf(" %9.1f %7.2f", (double)cpu / n_threads / CALLS,
           (double)CALLS * n_threads * 1e3 / (double)best_wall);
    fflush(stdout);
}

/* --- setting up --- */

static void fill(bench *b)
{
    uint8_t key[16], *value = calloc(1, b->size);
    check(value != NULL, "no memory");
    for (uint32_t i = 0; i < b->entries; i++) {
        key_of(i, key);
        ws_store_u32le(value, i);
        value[b->size - 1] = (uint8_t)i;
        check(ws_cache_put(b->cache, key, (ws_str){NULL, 0}, 1, (ws_str){(char *)value, b->size}, 1,
                           NULL) == WS_OK,
              "a put failed");
        bench_lru_put(b->lru, key, value, b->size);
    }
    free(value);
}

static void check_values(bench *b)
{
    uint8_t key[16], *out = malloc(b->size);
    check(out != NULL, "no memory");
    for (uint32_t i = 0; i < b->entries; i++) {
        ws_cache_view view;
        key_of(i, key);
        check(ws_cache_get(b->cache, key, (ws_str){NULL, 0}, 1, &view) == WS_CACHE_HIT &&
                  view.value.len == b->size && ws_load_u32le(view.value.ptr) == i &&
                  (uint8_t)view.value.ptr[b->size - 1] == (uint8_t)i,
              "the cache has a wrong value");
        ws_cache_view_fini(&view);
        check(bench_lru_get(b->lru, key, out, b->size) == b->size && ws_load_u32le(out) == i,
              "the LRU has a wrong value");
    }
    free(out);
}

static void print_memory(const bench *b)
{
    ws_cache_counters n = WS_CACHE_COUNTERS_INIT;
    ws_cache_stats(b->cache, &n);
    uint64_t cells = n.window_bytes + n.probation_bytes + n.protected_bytes;
    double entries = (double)n.entries, header = 44;
    double tables = (double)(n.table_bytes + n.sketch_bytes) / entries;
    double fixed = (double)n.fixed_bytes / entries;
    double rounding = (double)cells / entries - header - 16 - b->size;
    printf("\n%u entries of %u bytes, keys of 16; %u shards; all values right\n", b->entries,
           b->size, n.shards);
    printf("bytes an entry beside key and value: header %.0f + tables and sketch %.1f = %.1f; "
           "fixed and page tables %.1f, rounding of cells %.1f, free cells in runs %.1f\n",
           header, tables, header + tables, fixed, rounding,
           ((double)n.bytes - (double)(n.table_bytes + n.sketch_bytes + n.fixed_bytes + cells)) /
               entries);
}

static void set_up(bench *b)
{
    ws_cache_options o = WS_CACHE_OPTIONS_INIT;
    ws_error error = {0};
    o.bytes = (uint64_t)b->entries * (b->size + b->size / 7 + 160) + (8u << 20);
    o.expected_entries = b->entries;
    o.seed = 1;
    check(ws_cache_new(&b->cache, &o, &error) == WS_OK, error.message);
    b->lru = bench_lru_new((size_t)b->entries * (b->size + 80) * 5 / 4);
    size_t bytes = (size_t)b->entries * (b->size + 64);
    b->array = ws_alloc_huge((bytes + WS_HUGE_PAGE) & ~(WS_HUGE_PAGE - 1));
    b->index = malloc(b->entries * sizeof *b->index);
    check(b->lru && b->array && b->index, "no memory");
    memset(b->array, 1, bytes);
    for (uint32_t i = 0; i < b->entries; i++)
        b->index[i] = (uint64_t)i * (b->size + 64);
    b->zipf = make_zipf(b->entries);
    fill(b);
    check_values(b);
}

static void tear_down(bench *b)
{
    size_t bytes = (size_t)b->entries * (b->size + 64);
    ws_cache_free(b->cache);
    bench_lru_free(b->lru);
    ws_free_huge(b->array, (bytes + WS_HUGE_PAGE) & ~(WS_HUGE_PAGE - 1));
    free(b->index);
    free(b->zipf);
}

static void bench_size(uint32_t entries, uint32_t size, const uint32_t *threads, uint32_t n_threads,
                       uint32_t rounds)
{
    bench b = {.size = size, .rounds = rounds};
    b.entries = (uint32_t)WS_MIN((uint64_t)entries, BYTES_MAX / size);
    set_up(&b);
    print_memory(&b);
    printf("%-7s %7s", "", "threads");
    for (uint32_t r = 0; r < RIVALS; r++)
        printf(" %9s %7s", rival_names[r], "M/s");
    printf("     (ns of CPU a call)\n");
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t t = 0; t < n_threads; t++) {
            printf("%-7s %7u", kind_names[kind], threads[t]);
            for (uint32_t r = 0; r < (kind <= COPIED ? RIVALS : FLOOR); r++)
                measure(&b, r, kind, threads[t]);
            printf("\n");
        }
    tear_down(&b);
}

static uint32_t number(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    check(*text && !*end && n > 0 && n < 1u << 30, "not a number");
    return (uint32_t)n;
}

int main(int argc, char **argv)
{
    uint32_t entries = 50000, rounds = 5, sizes[SIZES_MAX] = {64, 1024, 16384}, n_sizes = 0;
    uint32_t threads[SIZES_MAX] = {1, 2, 4, 8}, n_threads = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint32_t n = number(argv[i + 1]);
        if (strcmp(argv[i], "--entries") == 0)
            entries = n;
        else if (strcmp(argv[i], "--rounds") == 0)
            rounds = n;
        else if (strcmp(argv[i], "--size") == 0 && n_sizes < SIZES_MAX && n >= 16)
            sizes[n_sizes++] = n;
        else if (strcmp(argv[i], "--threads") == 0 && n_threads < SIZES_MAX && n <= THREADS_MAX)
            threads[n_threads++] = n;
        else
            check(0, "usage: bench_cache [--entries N] [--size BYTES]... [--threads N]... "
                     "[--rounds N]");
    }
    for (uint32_t s = 0; s < (n_sizes ? n_sizes : 3); s++)
        bench_size(entries, sizes[s], threads, n_threads ? n_threads : 4, rounds);
    return 0;
}
