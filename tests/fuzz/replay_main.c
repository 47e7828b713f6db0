/* A main for fuzz targets where there is no libFuzzer: replays a corpus, and mutates it a little.
 *
 * usage: TARGET [--min-seeds N] [--mutate SECONDS | --mutate-ms N] [--seed N] FILE|DIR...
 *
 * Without --mutate each seed is run once. With it, random changes of random seeds are run for that
 * long; the random seed is printed, and the input that is running lies in TARGET.input, which
 * remains when the program is killed by what it finds (replay it with: TARGET TARGET.input).
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/support/rng.h"

#define INPUT_MAX    ((size_t)1 << 20)
#define CHANGES_MAX  8u
#define CLOCK_ROUNDS 16u /* inputs between two looks at the clock */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    uint8_t *data;
    size_t size;
} input;

typedef struct {
    input *items;
    size_t n, cap;
} corpus;

static void *need(void *ptr)
{
    if (!ptr) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return ptr;
}

static void add_file(corpus *c, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    if (c->n == c->cap) {
        c->cap = c->cap ? c->cap * 2 : 64;
        c->items = need(realloc(c->items, c->cap * sizeof *c->items));
    }
    input *in = &c->items[c->n++];
    in->data = need(malloc(INPUT_MAX));
    in->size = fread(in->data, 1, INPUT_MAX, file);
    in->data = need(realloc(in->data, in->size ? in->size : 1));
    fclose(file);
}

/* Sorted, so that a random seed means the same everywhere. */
static void add_dir(corpus *c, const char *dir)
{
    struct dirent **entries;
    char path[4096];
    int n = scandir(dir, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && stat(path, &st) == 0 && S_ISREG(st.st_mode))
            add_file(c, path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void add_path(corpus *c, const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        add_dir(c, path);
    else
        add_file(c, path);
}

/* --- mutation: `data` has room for INPUT_MAX bytes, each change keeps the size within it --- */

static void flip_bit(ws_rng *rng, input *in)
{
    if (in->size)
        in->data[ws_rng_below(rng, in->size)] ^= (uint8_t)(1u << ws_rng_below(rng, 8));
}

/* Bytes at the edge of something: signs, carries, UTF-8 leads, quotes. */
static void set_byte(ws_rng *rng, input *in)
{
    static const uint8_t edges[] = {0x00, 0x01, 0x7f, 0x80, 0xff,  0xc0,
                                    0xe0, 0xed, 0xf4, '"',  '\\', '\n'};
    if (in->size)
        in->data[ws_rng_below(rng, in->size)] = edges[ws_rng_below(rng, sizeof edges)];
}

static void random_byte(ws_rng *rng, input *in)
{
    if (in->size)
        in->data[ws_rng_below(rng, in->size)] = (uint8_t)ws_rng_u64(rng);
}

/* Opens a gap of n bytes at `at`. */
static int make_gap(input *in, size_t at, size_t n)
{
    if (n > INPUT_MAX - in->size)
        return 0;
    memmove(in->data + at + n, in->data + at, in->size - at);
    in->size += n;
    return 1;
}

static void insert_bytes(ws_rng *rng, input *in)
{
    size_t n = ws_rng_between(rng, 1, 8), at = ws_rng_below(rng, in->size + 1);
    if (make_gap(in, at, n))
        ws_rng_fill(rng, in->data + at, n);
}

static void delete_bytes(ws_rng *rng, input *in)
{
    if (!in->size)
        return;
    size_t at = ws_rng_below(rng, in->size);
    size_t n = ws_rng_between(rng, 1, in->size - at < 64 ? in->size - at : 64);
    memmove(in->data + at, in->data + at + n, in->size - at - n);
    in->size -= n;
}

static void duplicate_piece(ws_rng *rng, input *in)
{
    if (!in->size)
        return;
    size_t at = ws_rng_below(rng, in->size);
    size_t n = ws_rng_between(rng, 1, in->size - at < 256 ? in->size - at : 256);
    if (make_gap(in, at, n))
        memcpy(in->data + at, in->data + at + n, n);
}

static void truncate_tail(ws_rng *rng, input *in)
{
    in->size = ws_rng_below(rng, in->size + 1);
}

/* Head of this input, tail of another. */
static void splice(ws_rng *rng, input *in, const corpus *c)
{
    const input *other = &c->items[ws_rng_below(rng, c->n)];
    size_t head = ws_rng_below(rng, in->size + 1), from = ws_rng_below(rng, other->size + 1);
    size_t n = other->size - from;
    if (n > INPUT_MAX - head)
        n = INPUT_MAX - head;
    memcpy(in->data + head, other->data + from, n);
    in->size = head + n;
}

static void mutate(ws_rng *rng, input *in, const corpus *c)
{
    static void (*const changes[])(ws_rng *, input *) = {
        flip_bit,     set_byte,        random_byte,   insert_bytes,
        delete_bytes, duplicate_piece, truncate_tail,
    };
    size_t kinds = sizeof changes / sizeof changes[0];
    uint64_t n = ws_rng_between(rng, 1, CHANGES_MAX);
    while (n--) {
        size_t kind = ws_rng_below(rng, kinds + 1);
        if (kind < kinds)
            changes[kind](rng, in);
        else
            splice(rng, in, c);
    }
}

/* --- running --- */

/* The target gets a block of exactly its size, so that the sanitizer sees a read beyond the end. */
static void run_exact(const input *in)
{
    uint8_t *data = need(malloc(in->size ? in->size : 1));
    memcpy(data, in->data, in->size);
    LLVMFuzzerTestOneInput(data, in->size);
    free(data);
}

/* A shared mapping reaches the file even when the process is killed. */
typedef struct {
    int fd;
    uint8_t *map; /* INPUT_MAX bytes, NULL when there is no file */
} crash_file;

static crash_file crash_file_open(const char *name)
{
    crash_file f = {open(name, O_RDWR | O_CREAT | O_TRUNC, 0644), NULL};
    void *map = MAP_FAILED;
    if (f.fd >= 0 && ftruncate(f.fd, (off_t)INPUT_MAX) == 0)
        map = mmap(NULL, INPUT_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, 0);
    f.map = map == MAP_FAILED ? NULL : map;
    return f;
}

/* The file is cut to the input's size: longer than it for a moment, never shorter than what is
 * copied. */
static void crash_file_set(const crash_file *f, const input *in)
{
    if (f->map && ftruncate(f->fd, (off_t)in->size) == 0)
        memcpy(f->map, in->data, in->size);
}

static uint64_t run_mutations(const corpus *c, const char *program, uint64_t ms, uint64_t seed)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.input", program);
    crash_file running = crash_file_open(name);
    input in = {need(malloc(INPUT_MAX)), 0};
    ws_rng rng = ws_rng_make(seed);
    uint64_t rounds = 0, end = ws_now_ns() + ms * 1000000u;
    while (rounds % CLOCK_ROUNDS || ws_now_ns() < end) {
        const input *from = &c->items[ws_rng_below(&rng, c->n)];
        in.size = from->size;
        memcpy(in.data, from->data, from->size);
        mutate(&rng, &in, c);
        crash_file_set(&running, &in);
        run_exact(&in);
        rounds++;
    }
    free(in.data);
    if (running.map)
        munmap(running.map, INPUT_MAX);
    if (running.fd >= 0)
        close(running.fd);
    unlink(name);
    return rounds;
}

static uint64_t number(const char *text)
{
    char *end;
    uint64_t n = strtoull(text, &end, 0);
    if (*end || !*text) {
        fprintf(stderr, "not a number: %s\n", text);
        exit(2);
    }
    return n;
}

typedef struct {
    uint64_t min_seeds, mutate_ms, seed;
} settings;

static void parse(int argc, char **argv, settings *set, corpus *c)
{
    for (int i = 1; i < argc; i++) {
        int has_value = i + 1 < argc;
        if (!strcmp(argv[i], "--min-seeds") && has_value)
            set->min_seeds = number(argv[++i]);
        else if (!strcmp(argv[i], "--mutate") && has_value)
            set->mutate_ms = number(argv[++i]) * 1000;
        else if (!strcmp(argv[i], "--mutate-ms") && has_value)
            set->mutate_ms = number(argv[++i]);
        else if (!strcmp(argv[i], "--seed") && has_value)
            set->seed = number(argv[++i]);
        else
            add_path(c, argv[i]);
    }
}

static uint64_t replay(const corpus *c)
{
    for (size_t i = 0; i < c->n; i++)
        run_exact(&c->items[i]);
    printf("%zu seeds replayed\n", c->n);
    return c->n;
}

static uint64_t mutate_for(const corpus *c, const char *program, const settings *set)
{
    printf("seed %llu\n", (unsigned long long)set->seed);
    fflush(stdout); /* before what may kill us */
    uint64_t rounds = run_mutations(c, program, set->mutate_ms, set->seed);
    printf("%llu mutations of %zu seeds\n", (unsigned long long)rounds, c->n);
    return 1;
}

int main(int argc, char **argv)
{
    corpus c = {NULL, 0, 0};
    settings set = {1, 0, ws_wall_ns() ^ (uint64_t)getpid()};
    parse(argc, argv, &set, &c);
    uint64_t passed = 0;
    int failed = !c.n || c.n < set.min_seeds;
    if (failed)
        printf("%zu seeds, at least %llu are needed\n", c.n, (unsigned long long)set.min_seeds);
    else
        passed = set.mutate_ms ? mutate_for(&c, argv[0], &set) : replay(&c);
    for (size_t i = 0; i < c.n; i++)
        free(c.items[i].data);
    free(c.items);
    printf("%llu passed, %d failed\n", (unsigned long long)passed, failed);
    return failed;
}
