/* Micro-benchmark of searches without fetch: microseconds and nanoseconds a posting, best and
 * median of many runs.
 *
 * usage: bench_query INDEX [--and] [--exhaustive] [--filter F] [--runs N] [QUERY...]
 * Without queries: a set of frequent and rare ones in both languages. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "wikisearch/wikisearch.h"

static const char *const usual[] = {"대한민국",
                                    "history",
                                    "역사",
                                    "the",
                                    "world",
                                    "university",
                                    "대한민국 역사",
                                    "world war history",
                                    "the of and",
                                    "한국 전쟁 역사",
                                    "united states of america",
                                    "\"world war\"",
                                    "\"of the\"",
                                    "\"대한민국의\"",
                                    "history -war",
                                    "zanzibar",
                                    "k-pop"};

typedef struct {
    ws_index *index;
    ws_searcher *searcher;
    ws_scratch *scratch;
    ws_query_options query;
    ws_search_options search;
    uint32_t runs;
} bench;

static void check(ws_status status, const ws_error *error, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "bench_query: %s: %s %s\n", what, ws_status_text(status), error->message);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static uint64_t run_once(bench *b, const ws_query *query, ws_cost *cost, uint64_t *total)
{
    ws_error error = {0};
    ws_results *results;
    uint32_t relation;
    uint64_t start = ws_now_ns();
    check(ws_search(b->searcher, query, &b->search, b->scratch, NULL, &results, &error), &error,
          "search");
    uint64_t ns = ws_now_ns() - start;
    cost->size = sizeof *cost;
    ws_results_cost(results, cost);
    ws_results_total(results, total, &relation);
    ws_results_free(results);
    return ns;
}

static void measure(bench *b, const char *text)
{
    ws_error error = {0};
    ws_query *query;
    ws_cost cost;
    uint64_t total = 0, *ns = malloc(b->runs * sizeof *ns);
    if (!ns)
        exit(1);
    check(ws_query_parse(&query, b->index, ws_cstr(text), &b->query, &error), &error, "query");
    for (int i = 0; i < 3; i++)
        run_once(b, query, &cost, &total);
    for (uint32_t i = 0; i < b->runs; i++)
        ns[i] = run_once(b, query, &cost, &total);
    qsort(ns, b->runs, sizeof *ns, compare);
    printf("%9.1f %9.1f %7.2f %9" PRIu64 " %8" PRIu64 " %6" PRIu64 " %5" PRIu64 " %8" PRIu64
           "  %s\n",
           (double)ns[0] * 1e-3, (double)ns[b->runs / 2] * 1e-3,
           (double)ns[0] / (double)(cost.postings ? cost.postings : 1), cost.postings,
           cost.positions, cost.blocks, cost.windows, total, text);
    ws_query_free(query);
    free(ns);
}

static int take_option(bench *b, int argc, char **argv, int i)
{
    if (strcmp(argv[i], "--and") == 0) {
        b->query.op = WS_OPERATOR_AND;
        return 1;
    }
    if (strcmp(argv[i], "--exhaustive") == 0) {
        b->search.traversal = WS_TRAVERSAL_EXHAUSTIVE;
        return 1;
    }
    if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc) {
        b->query.filter = ws_cstr(argv[i + 1]);
        return 2;
    }
    if (strcmp(argv[i], "--runs") == 0 && i + 1 < argc) {
        b->runs = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    bench b = {.query = WS_QUERY_OPTIONS_INIT, .search = WS_SEARCH_OPTIONS_INIT, .runs = 200};
    ws_error error = {0};
    int i = 2, n;
    if (argc < 2) {
        fprintf(
            stderr,
            "usage: bench_query INDEX [--and] [--exhaustive] [--filter F] [--runs N] [QUERY...]\n");
        return 2;
    }
    while (i < argc && (n = take_option(&b, argc, argv, i)) > 0)
        i += n;
    b.runs = b.runs ? b.runs : 1;
    check(ws_index_open(&b.index, argv[1], NULL, NULL, &error), &error, argv[1]);
    check(ws_searcher_open(&b.searcher, b.index, &error), &error, "searcher");
    check(ws_scratch_new(&b.scratch), &error, "scratch");
    printf("  best us median us ns/post  postings positions blocks  wind  matches  query\n");
    for (size_t q = 0; i == argc && q < sizeof usual / sizeof *usual; q++)
        measure(&b, usual[q]);
    for (; i < argc; i++)
        measure(&b, argv[i]);
    ws_scratch_free(b.scratch);
    ws_searcher_close(b.searcher);
    ws_index_close(b.index);
    return 0;
}
