/* Micro-benchmark of suggest: a list of titles, or made-up ones.
 *
 * usage: bench_trie FILE.tsv[.zst] | --synthetic N      (FILE: title TAB ... TAB weight)
 *
 * First the answers are compared with a scan of everything; then: seconds to build, save and load;
 * bytes an entry, all in; time of a top-10 query by the number of keys typed (thread CPU time, what
 * reading the clock takes being shown apart); keystrokes until a title is among the ten; updates a
 * second beside two reading threads. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/str.h"
#include "engine/api/suggest_int.h"
#include "engine/text/jamo.h"
#include "indexer/lines.h"
#include "trie/decay.h"

#define K        10u
#define TITLES   2000u
#define LENGTHS  24u
#define CHECKS   300u
#define TEXT_MAX 256u

typedef struct {
    char *text;
    uint32_t length;
    uint64_t weight;
} row;

typedef struct {
    row *rows;
    uint32_t n, cap;
    uint64_t text_bytes, weight_sum;
    ws_suggest *suggest;
    uint64_t random;
} bench;

static void must(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "bench_trie: %s\n", what);
    exit(1);
}

static uint64_t next_random(bench *b) /* splitmix64 */
{
    uint64_t z = b->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double seconds_since(uint64_t start)
{
    return (double)(ws_now_ns() - start) * 1e-9;
}

static uint64_t resident_bytes(void)
{
    unsigned long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu %lu", &size, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* --- rows --- */

static void add_row(bench *b, const char *text, size_t length, uint64_t weight)
{
    if (length == 0 || length >= TEXT_MAX)
        return;
    if (b->n == b->cap) {
        b->cap = b->cap ? 2 * b->cap : 1u << 16;
        b->rows = realloc(b->rows, b->cap * sizeof *b->rows);
        must(b->rows != NULL, "memory");
    }
    char *copy = malloc(length);
    must(copy != NULL, "memory");
    memcpy(copy, text, length);
    b->rows[b->n++] = (row){copy, (uint32_t)length, weight};
    b->weight_sum += weight;
}

static void read_file(bench *b, const char *path)
{
    ws_input *input;
    ws_splitter *splitter;
    ws_line line;
    ws_error error = {0};
    must(ws_input_open(&input, path, NULL, &error) == WS_OK, error.message);
    must(ws_splitter_new(&splitter, input, 1u << 16) == WS_OK, "memory");
    while (ws_splitter_next(splitter, &line, &error) == WS_OK) {
        const char *tab = memchr(line.bytes.ptr, '\t', line.bytes.len), *last = tab;
        uint64_t weight;
        for (const char *p = tab; p && p < line.bytes.ptr + line.bytes.len; p++)
            last = *p == '\t' ? p : last;
        if (last && ws_str_to_u64(
                        ws_str_sub(line.bytes, (size_t)(last + 1 - line.bytes.ptr), line.bytes.len),
                        &weight))
            add_row(b, line.bytes.ptr, (size_t)(tab - line.bytes.ptr), weight);
    }
    ws_splitter_free(splitter);
    ws_input_close(input);
}

/* Words of two to four syllables out of 400, one to three of them, weights by a power law. */
static void make_rows(bench *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char keys[64], text[TEXT_MAX];
        size_t n_keys = 0;
        uint64_t syllables = 2 + next_random(b) % 3 * (1 + next_random(b) % 3);
        for (uint64_t s = 0; s < syllables; s++) {
            uint64_t r = next_random(b);
            keys[n_keys++] = (char)(0x80 + r % 19 * (r >> 40 & 1) + r % 7 * (~r >> 40 & 1));
            keys[n_keys++] = (char)(0x93 + (r >> 8) % 14);
            if (r >> 16 & 1)
                keys[n_keys++] = (char)(0x80 + (r >> 20) % 12);
        }
        size_t length = ws_jamo_compose(ws_str_make(keys, n_keys), text, sizeof text);
        add_row(b, text, WS_MIN(length, sizeof text), 1 + 1000000 / (1 + next_random(b) % 1000000));
    }
}

/* --- build, save, load --- */

static void show_size(const bench *b, uint64_t resident)
{
    ws_suggest_stats_data stats = {.size = sizeof stats};
    must(ws_suggest_stats(b->suggest, &stats) == WS_OK, "stats");
    printf("entries %" PRIu64 ", text %.1f bytes/entry; all in %.1f bytes/entry (resident memory "
           "%.1f)\n",
           stats.n_entries, (double)b->text_bytes / (double)b->n,
           (double)stats.bytes / (double)stats.n_entries,
           (double)resident / (double)stats.n_entries);
}

static void build_save_load(bench *b)
{
    ws_suggest_options options = WS_SUGGEST_OPTIONS_INIT;
    ws_error error = {0};
    char path[64];
    options.origin_ms = 1;
    uint64_t before = resident_bytes(), start = ws_now_ns();
    must(ws_suggest_open(&b->suggest, NULL, &options, &error) == WS_OK, error.message);
    for (uint32_t i = 0; i < b->n; i++) {
        ws_status status =
            ws_suggest_put(b->suggest, ws_str_make(b->rows[i].text, b->rows[i].length),
                           ws_str_make(NULL, 0), ws_str_make(NULL, 0), b->rows[i].weight);
        must(status >= 0 || status == WS_ERR_ARG, "put");
        b->text_bytes += b->rows[i].length;
    }
    printf("build %.2f s\n", seconds_since(start));
    show_size(b, resident_bytes() - before);
    snprintf(path, sizeof path, "/tmp/bench_trie.%d", (int)getpid());
    start = ws_now_ns();
    must(ws_suggest_save(b->suggest, path, &error) == WS_OK, error.message);
    printf("save %.2f s\n", seconds_since(start));
    ws_suggest_close(b->suggest);
    before = resident_bytes();
    start = ws_now_ns();
    must(ws_suggest_open(&b->suggest, path, NULL, &error) == WS_OK, error.message);
    printf("load %.2f s\n", seconds_since(start));
    show_size(b, resident_bytes() - before);
    unlink(path);
}

/* --- what is typed --- */

/* Keys of a row, and what an input method shows of the first n of them. */
static size_t keys_of_row(const bench *b, const row *r, char keys[WS_KEY_MAX])
{
    ws_normalizer *normalizer = &b->suggest->normalizer; /* nobody writes now */
    must(ws_normalizer_run(normalizer, ws_str_make(r->text, r->length)) == WS_OK, "normalize");
    return ws_jamo_key(ws_buf_slice(&normalizer->text), keys, WS_KEY_MAX);
}

static int is_state(const char *keys, size_t n, size_t length)
{
    /* Inside a character of several bytes nothing is shown. */
    if (n > length || n > 60)
        return 0;
    for (size_t i = 0; i < n;) {
        uint8_t c = (uint8_t)keys[i];
        i += c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        if (i > n)
            return 0;
    }
    return 1;
}

static const row *pick(bench *b, int by_weight)
{
    if (!by_weight)
        return &b->rows[next_random(b) % b->n];
    uint64_t at = next_random(b) % b->weight_sum;
    for (uint32_t i = 0;; i++) {
        if (at < b->rows[i].weight)
            return &b->rows[i];
        at -= b->rows[i].weight;
    }
}

/* --- the answers, against a scan --- */

typedef struct {
    ws_str key;
    uint32_t score;
    char best[K][WS_KEY_MAX]; /* keys of the best so far, in order */
    size_t lengths[K];
    uint32_t scores[K], n;
} scan;

static int look(void *ctx, const ws_suggest_item *item)
{
    scan *s = ctx;
    char key[WS_KEY_MAX];
    ws_str k = ws_str_make(key, ws_jamo_key(item->normalized, key, sizeof key));
    uint32_t score = (uint32_t)(item->score >> 16), at = s->n;
    if (!ws_str_starts_with(k, s->key))
        return 0;
    while (at > 0 && s->scores[at - 1] < score) /* the walk is in the order of keys */
        at--;
    if (at == K)
        return 0;
    s->n += s->n < K;
    for (uint32_t i = s->n - 1; i > at; i--) {
        memcpy(s->best[i], s->best[i - 1], s->lengths[i - 1]);
        s->lengths[i] = s->lengths[i - 1];
        s->scores[i] = s->scores[i - 1];
    }
    memcpy(s->best[at], k.ptr, k.len);
    s->lengths[at] = k.len;
    s->scores[at] = score;
    return 0;
}

static void check_answer(const bench *b, ws_str key)
{
    static scan s;
    static ws_art_top_scratch scratch;
    static ws_art_leaf_key leaf;
    ws_art_hit hits[K];
    ws_art_place place;
    char found[WS_KEY_MAX];
    const ws_art *art = &b->suggest->entries.all.keys;
    s.key = key;
    s.n = 0;
    leaf.id = UINT32_MAX;
    ws_suggest_each(b->suggest, look, &s);
    must(ws_art_start(art, &place) && ws_art_walk(art, &place, key, &leaf), "a prefix is lost");
    must(ws_art_top(art, &place, 1, K, &scratch, hits) == s.n, "number of results");
    for (uint32_t i = 0; i < s.n; i++) {
        size_t n = ws_entry_key(ws_entry_at(&b->suggest->entries, hits[i].id), found);
        must(hits[i].score == s.scores[i] &&
                 ws_str_eq(ws_str_make(found, n), ws_str_make(s.best[i], s.lengths[i])),
             "a result differs from the scan's");
    }
}

static void check(bench *b)
{
    uint32_t checks = b->n > 2000000 ? 20 : CHECKS;
    for (uint32_t i = 0; i < checks; i++) {
        char keys[WS_KEY_MAX];
        size_t n = keys_of_row(b, pick(b, 0), keys);
        check_answer(b, ws_str_make(keys, next_random(b) % (WS_MIN(n, 12) + 1)));
    }
    printf("%u prefixes: top %u equal to a scan\n", checks, K);
}

/* --- time --- */

typedef struct {
    uint64_t *ns;
    uint32_t n, cap;
} sample;

static void record(sample *s, uint64_t ns)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 4096;
        s->ns = realloc(s->ns, s->cap * sizeof *s->ns);
        must(s->ns != NULL, "memory");
    }
    s->ns[s->n++] = ns;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void show(const char *name, sample *s)
{
    if (s->n == 0)
        return;
    qsort(s->ns, s->n, sizeof *s->ns, compare);
    printf("%-10s %8u %8.2f %8.2f %8.2f\n", name, s->n, (double)s->ns[s->n / 2] * 1e-3,
           (double)s->ns[s->n * 99ull / 100] * 1e-3, (double)s->ns[s->n - 1] * 1e-3);
    s->n = 0;
}

typedef struct {
    sample lengths[LENGTHS + 1], all; /* the last: that many keys or more */
    sample tree, again;               /* the walk in the tree alone; the same query once more */
    uint64_t nodes_max, states;
} timing;

/* What the tree alone takes. */
static uint64_t time_tree(const bench *b, ws_str typed)
{
    static ws_art_top_scratch scratch;
    static ws_art_leaf_key leaf;
    ws_art_hit hits[K];
    ws_art_place place;
    char key[WS_KEY_MAX];
    const ws_art *art = &b->suggest->entries.all.keys;
    ws_str k = ws_str_make(key, ws_jamo_key(typed, key, sizeof key));
    uint64_t start = ws_thread_cpu_ns();
    leaf.id = UINT32_MAX;
    if (ws_art_start(art, &place) && ws_art_walk(art, &place, k, &leaf))
        ws_art_top(art, &place, 1, K, &scratch, hits);
    return ws_thread_cpu_ns() - start;
}

static uint64_t time_query(bench *b, ws_str typed, ws_suggest_query_options *options,
                           ws_suggestion *out)
{
    uint32_t n = K;
    uint64_t start = ws_thread_cpu_ns();
    must(ws_suggest_query(b->suggest, typed, options, out, &n) >= 0, "query");
    return ws_thread_cpu_ns() - start;
}

static void time_state(bench *b, ws_str keys, uint32_t match, timing *t, ws_suggestion *out)
{
    char shown[4 * WS_KEY_MAX];
    ws_suggest_query_options options = WS_SUGGEST_QUERY_OPTIONS_INIT;
    options.match = match;
    options.now_ms = 1;
    ws_str typed = ws_str_make(shown, ws_jamo_compose(keys, shown, sizeof shown));
    if (t->states++ & 1) /* in turn, so that neither finds what the other has fetched */
        record(&t->tree, time_tree(b, typed));
    uint64_t ns = time_query(b, typed, &options, out);
    if (t->states & 1) {
        record(&t->lengths[WS_MIN(keys.len, LENGTHS)], ns);
        record(&t->all, ns);
    }
    record(&t->again, time_query(b, typed, &options, out));
    t->nodes_max = WS_MAX(t->nodes_max, options.nodes);
}

static void time_queries(bench *b, uint32_t match, const char *what)
{
    static timing t;
    static ws_suggestion out[K];
    t.nodes_max = t.states = 0;
    for (uint32_t i = 0; i < TITLES; i++) {
        char keys[WS_KEY_MAX];
        size_t length = keys_of_row(b, pick(b, 0), keys);
        for (size_t n = 1; n <= length; n++)
            if (is_state(keys, n, length))
                time_state(b, ws_str_make(keys, n), match, &t, out);
    }
    printf("\n%s, top %u, microseconds of thread CPU time\n%-10s %8s %8s %8s %8s\n", what, K,
           "keys", "states", "p50", "p99", "max");
    for (uint32_t i = 1; i <= LENGTHS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u%s", i, i == LENGTHS ? "+" : "");
        show(name, &t.lengths[i]);
    }
    show("all", &t.all);
    show("once more", &t.again);
    show("tree alone", &t.tree);
    printf("nodes opened: at most %" PRIu64 " (bound %u)\n", t.nodes_max, 40 + 12 * K);
}

static void time_clock(void)
{
    sample s = {0};
    for (int i = 0; i < 20000; i++) {
        uint64_t start = ws_thread_cpu_ns();
        record(&s, ws_thread_cpu_ns() - start);
    }
    printf("\n%-10s %8s %8s %8s %8s\n", "", "", "p50", "p99", "max");
    show("the clock", &s);
    free(s.ns);
}

/* --- keystrokes --- */

static uint32_t keystrokes(bench *b, const row *r, uint32_t *never)
{
    static ws_suggestion out[K];
    char keys[WS_KEY_MAX], shown[4 * WS_KEY_MAX], other[WS_KEY_MAX];
    size_t length = keys_of_row(b, r, keys), typed = 0;
    for (size_t n = 1; n <= length; n++) {
        uint32_t found = K;
        if (!is_state(keys, n, length))
            continue;
        typed++;
        ws_str state =
            ws_str_make(shown, ws_jamo_compose(ws_str_make(keys, n), shown, sizeof shown));
        must(ws_suggest_query(b->suggest, state, NULL, out, &found) >= 0, "query");
        for (uint32_t i = 0; i < found; i++) {
            row as_row = {out[i].text, out[i].text_length, 0};
            size_t m = keys_of_row(b, &as_row, other);
            if (ws_str_eq(ws_str_make(keys, length), ws_str_make(other, m)))
                return (uint32_t)typed;
        }
    }
    ++*never;
    return (uint32_t)typed + 1;
}

static void count_keystrokes(bench *b)
{
    printf("\n");
    for (int by_weight = 0; by_weight < 2; by_weight++) {
        uint64_t sum = 0;
        uint32_t never = 0;
        for (uint32_t i = 0; i < TITLES; i++)
            sum += keystrokes(b, pick(b, by_weight), &never);
        printf("keystrokes to a title, %u drawn %s: mean %.2f, %u never among the %u\n", TITLES,
               by_weight ? "by weight" : "evenly", (double)sum / TITLES, never, K);
    }
}

/* --- changes beside readers --- */

typedef struct {
    bench b; /* a copy, for its own random numbers */
    atomic_int *stop;
    uint64_t queries;
} reader;

static void *read_on(void *ctx)
{
    reader *r = ctx;
    ws_suggestion *out = malloc(K * sizeof *out);
    must(out != NULL, "memory");
    while (!atomic_load_explicit(r->stop, memory_order_relaxed)) {
        const row *any = pick(&r->b, 0);
        uint32_t n = K;
        ws_str typed = ws_str_make(any->text, 1 + next_random(&r->b) % any->length);
        must(ws_suggest_query(r->b.suggest, typed, NULL, out, &n) >= 0, "query");
        r->queries++;
    }
    free(out);
    return NULL;
}

static void update(bench *b, uint32_t i)
{
    char text[TEXT_MAX + 16];
    const row *r = pick(b, 0);
    if (i % 10) {
        must(ws_suggest_observe(b->suggest, ws_str_make(r->text, r->length), 2) >= 0, "observe");
        return;
    }
    int n = snprintf(text, sizeof text, "%.*s %u", (int)WS_MIN(r->length, 200), r->text, i);
    must(ws_suggest_put(b->suggest, ws_str_make(text, (size_t)n), ws_str_make(NULL, 0),
                        ws_str_make(NULL, 0), i % 100) >= 0,
         "put");
}

static void change_beside_readers(bench *b)
{
    atomic_int stop = 0;
    reader readers[2];
    pthread_t threads[2];
    uint32_t updates = 0;
    for (int i = 0; i < 2; i++) {
        readers[i] = (reader){*b, &stop, 0};
        readers[i].b.random += (uint64_t)i + 1;
        must(pthread_create(&threads[i], NULL, read_on, &readers[i]) == 0, "thread");
    }
    uint64_t start = ws_now_ns(), cpu = ws_thread_cpu_ns();
    while (ws_now_ns() - start < 3000000000u)
        for (int i = 0; i < 100; i++)
            update(b, updates++);
    double seconds = seconds_since(start), own = (double)(ws_thread_cpu_ns() - cpu) * 1e-9;
    atomic_store(&stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("updates beside two readers: %.0f a second (%.0f a second of CPU), 1 of 10 a new entry; "
           "%.0f queries a second\n",
           updates / seconds, updates / own,
           (double)(readers[0].queries + readers[1].queries) / seconds);
}

int main(int argc, char **argv)
{
    bench b = {.random = 1};
    if (argc == 3 && strcmp(argv[1], "--synthetic") == 0)
        make_rows(&b, (uint32_t)strtoul(argv[2], NULL, 10));
    else if (argc == 2)
        read_file(&b, argv[1]);
    must(b.n > 0, "usage: bench_trie FILE.tsv[.zst] | --synthetic N");
    build_save_load(&b);
    check(&b);
    time_clock();
    time_queries(&b, 1u << WS_MATCH_EXACT | 1u << WS_MATCH_PREFIX, "exact and prefix tiers");
    time_queries(&b, 63, "all tiers");
    count_keystrokes(&b);
    change_beside_readers(&b);
    ws_suggest_close(b.suggest);
    return 0;
}
