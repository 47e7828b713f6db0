/* wikisearch cache-replay: what a cache of so many entries would have hit. The cache is the
 * library's own, through its public calls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "indexer/cli.h"
#include "indexer/trace.h"
#include "indexer/trace_lru.h"
#include "indexer/verbs.h"

#define SIZES_MAX      32u
#define ENTRIES_MAX    (1u << 27)
#define BYTES_AN_ENTRY 112u /* a cell of 64, its part of tables and the sketch, room to spare */
#define BYTES_FIXED    (4u << 20)

enum { POLICY_LAZY, POLICY_LRU };
static const char *const policies[] = {"lazy", "lru"};

typedef struct {
    uint64_t entries, hits;
    ws_cache *cache;   /* lazy */
    ws_trace_lru *lru; /* lru */
} contender;

typedef struct {
    const char *sizes;
    uint32_t policy, format;
    uint64_t limit, shards, seed;
    contender all[SIZES_MAX];
    uint32_t n;
    uint64_t requests;
    uint64_t cpu_ns;
} replay;

/* "500,1000". 1 when it is a list of sizes. */
static int parse_sizes(replay *r)
{
    const char *p = r->sizes;
    for (;;) {
        char *end;
        unsigned long long n = strtoull(p, &end, 10);
        if (end == p || *p < '0' || *p > '9' || n == 0 || n > ENTRIES_MAX || r->n == SIZES_MAX)
            return 0;
        r->all[r->n++].entries = n;
        if (*end != ',')
            return *end == '\0';
        p = end + 1;
    }
}

static ws_status open_contender(const replay *r, contender *c, ws_error *error)
{
    ws_cache_options options = WS_CACHE_OPTIONS_INIT;
    if (r->policy == POLICY_LRU) {
        c->lru = ws_trace_lru_new((uint32_t)c->entries);
        return c->lru ? WS_OK : WS_ERR_NOMEM;
    }
    options.entries = c->entries;
    options.bytes = c->entries * BYTES_AN_ENTRY + BYTES_FIXED;
    options.shards = (uint32_t)r->shards;
    options.seed = r->seed;
    return ws_cache_new(&c->cache, &options, error);
}

/* The hash of an id: splitmix64 (Steele, Lea, Flood 2014) of it and of its complement. */
static uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void ask_cache(contender *c, const uint8_t key16[16], ws_str key)
{
    ws_cache_view view;
    if (ws_cache_get(c->cache, key16, key, 0, &view) == WS_CACHE_HIT)
        c->hits++;
    else
        ws_cache_put(c->cache, key16, key, 0, (ws_str){"", 0}, 0, NULL);
    ws_cache_view_fini(&view);
}

static void ask_all(replay *r, uint64_t id)
{
    uint8_t key16[16], key[8];
    ws_store_u64le(key, id);
    ws_store_u64le(key16, mix(id));
    ws_store_u64le(key16 + 8, mix(~id));
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->policy == POLICY_LRU)
            r->all[i].hits += (uint64_t)ws_trace_lru_ask(r->all[i].lru, id);
        else
            ask_cache(&r->all[i], key16, (ws_str){(const char *)key, sizeof key});
    }
}

static ws_status run(replay *r, const char *path, ws_error *error)
{
    ws_trace *trace;
    uint64_t id, start;
    WS_TRY(ws_trace_open(&trace, path, r->format, error));
    r->format = ws_trace_format(trace);
    ws_status status = WS_OK;
    for (uint32_t i = 0; i < r->n && !status; i++)
        status = open_contender(r, &r->all[i], error);
    if (status == WS_ERR_NOMEM && error)
        strcpy(error->message, "no memory for the caches");
    start = ws_process_cpu_ns();
    while (!status && (!r->limit || r->requests < r->limit)) {
        status = ws_trace_next(trace, &id, error);
        if (!status) {
            r->requests++;
            ask_all(r, id);
        }
    }
    r->cpu_ns = ws_process_cpu_ns() - start;
    ws_trace_close(trace);
    return status == WS_ERR_NOT_FOUND ? WS_OK : status;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_results(const replay *r, int json)
{
    if (!json)
        printf("%12s %-6s %12s %12s %8s\n", "size", "policy", "requests", "hits", "hit %");
    for (uint32_t i = 0; i < r->n; i++) {
        const contender *c = &r->all[i];
        const char *form = json ? "{\"size\":%" PRIu64 ",\"policy\":\"%s\",\"requests\":%" PRIu64
                                  ",\"hits\":%" PRIu64 ",\"hit_percent\":%.4f}\n"
                                : "%12" PRIu64 " %-6s %12" PRIu64 " %12" PRIu64 " %8.2f\n";
        printf(form, c->entries, policies[r->policy], r->requests, c->hits,
               percent(c->hits, r->requests));
    }
}

static void close_all(replay *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        ws_cache_free(r->all[i].cache);
        ws_trace_lru_free(r->all[i].lru);
    }
}

int ws_cmd_cache_replay(int argc, char **argv)
{
    replay r = {.sizes = "1000", .shards = 1, .seed = 1};
    const ws_cli_option options[] = {
        {"size", 0, WS_CLI_TEXT, &r.sizes, "N,N...", "entries that the cache holds", NULL, 0, 0},
        {"policy", 0, WS_CLI_CHOICE, &r.policy, "NAME", "lazy = the library's cache; lru",
         "lazy|lru", 0, 0},
        {"format", 0, WS_CLI_CHOICE, &r.format, "NAME", "of the trace", WS_TRACE_CHOICES, 0, 0},
        {"limit", 0, WS_CLI_NUMBER, &r.limit, "N", "read at most N requests", NULL, 1, 0},
        {"shards", 0, WS_CLI_NUMBER, &r.shards, "N", "of the cache; a power of two", NULL, 1, 64},
        {"seed", 0, WS_CLI_NUMBER, &r.seed, "N", "of the cache's hashes", NULL, 1, 0},
    };
    const ws_cli_verb verb = {"cache-replay",
                              "FILE",
                              "Hit ratios over an access trace (plain, gzip, zstd or xz; - is "
                              "standard input).",
                              options,
                              WS_ARRAY_LEN(options),
                              1,
                              1,
                              NULL};
    ws_cli_common common;
    ws_error error = {0};
    const char *path;
    uint32_t n;
    int code = ws_cli_parse(&verb, argc, argv, &common, &path, &n);
    if (code != WS_CLI_GO_ON)
        return code;
    if (!parse_sizes(&r))
        return ws_cli_usage("--size takes up to %u numbers, 500,1000,...", SIZES_MAX);
    ws_status status = run(&r, path, &error);
    if (status >= 0) {
        print_results(&r, common.json);
        ws_cli_note(&common, "%.0f ns of CPU a request and size",
                    (double)r.cpu_ns / (double)(r.requests * r.n + !r.requests));
    }
    close_all(&r);
    if (status < 0) {
        error.code = status;
        return ws_cli_fail(&error);
    }
    return ws_cli_finish(WS_EXIT_OK);
}
