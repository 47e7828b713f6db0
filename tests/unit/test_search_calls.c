/* The rules of the calls around a search: handles, options, threads, cost, memory. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "engine/api/api_int.h"
#include "tests/support/letters.h"
#include "tests/support/test.h"

/* --- handles --- */

Test(search_calls, an_empty_index_answers, .init = ws_letters_open, .fini = ws_letters_close)
{
    cr_assert_eq(ws_letters_run("word \"a b\" -c", WS_OPERATOR_OR, "", NULL).total, 0);
}

Test(search_calls, a_searcher_stays_at_its_generation, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_searcher *old;
    ws_results *results;
    ws_query *query = ws_letters_parse("word", WS_OPERATOR_OR, "");
    ws_letters_put("a", "", "word");
    ws_letters_commit();
    cr_assert_eq(ws_searcher_open(&old, ws_letters_now.index, NULL), WS_OK);
    ws_letters_put("b", "", "word");
    ws_letters_commit();
    cr_assert_eq(ws_search(old, query, NULL, NULL, NULL, &results, NULL), WS_OK, "without scratch");
    cr_assert_eq(ws_results_count(results), 1);
    cr_assert_eq(ws_searcher_generation(old) + 1,
                 ws_letters_now.index->snapshot->manifest.generation);
    cr_assert_eq(ws_letters_run("word", WS_OPERATOR_OR, "", NULL).total, 2);
    ws_searcher_close(old);
    ws_query_free(query);
    ws_hit hit = {.size = sizeof hit};
    cr_assert_eq(ws_results_hit(results, 0, &hit), WS_OK, "results outlive searcher and query");
    cr_assert_eq(hit.id.ptr[0], 'a');
    ws_results_free(results);
}

Test(search_calls, wrong_options_are_refused, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_search_options options = WS_SEARCH_OPTIONS_INIT;
    ws_query_options parsing = WS_QUERY_OPTIONS_INIT;
    ws_query *query = ws_letters_parse("word", WS_OPERATOR_OR, ""), *none;
    ws_searcher *searcher;
    ws_results *results;
    ws_error error = {0};
    ws_cost cost = {.size = 1};
    cr_assert_eq(ws_searcher_open(&searcher, ws_letters_now.index, NULL), WS_OK);
    options.offset = 9991;
    cr_assert_eq(
        ws_search(searcher, query, &options, ws_letters_now.scratch, NULL, &results, &error),
        WS_ERR_RANGE);
    cr_assert_null(results);
    cr_assert_not_null(strstr(error.message, "10000"), "%s", error.message);
    options.offset = UINT32_MAX;
    options.limit = UINT32_MAX;
    cr_assert_eq(ws_search(searcher, query, &options, ws_letters_now.scratch, NULL, &results, NULL),
                 WS_ERR_RANGE);
    options = (ws_search_options)WS_SEARCH_OPTIONS_INIT;
    options.size = 3;
    cr_assert_eq(ws_search(searcher, query, &options, ws_letters_now.scratch, NULL, &results, NULL),
                 WS_ERR_ARG);
    options = (ws_search_options)WS_SEARCH_OPTIONS_INIT;
    options.traversal = 2;
    cr_assert_eq(ws_search(searcher, query, &options, ws_letters_now.scratch, NULL, &results, NULL),
                 WS_ERR_ARG);
    parsing.size = 0;
    cr_assert_eq(ws_query_parse(&none, ws_letters_now.index, WS_STR("a"), &parsing, NULL),
                 WS_ERR_ARG);
    parsing = (ws_query_options)WS_QUERY_OPTIONS_INIT;
    parsing.filter = WS_STR("lang = ");
    cr_assert_eq(ws_query_parse(&none, ws_letters_now.index, WS_STR("a"), &parsing, &error),
                 WS_ERR_SYNTAX);
    cr_assert_eq(error.offset, 7);
    cr_assert_null(none);
    cr_assert_eq(ws_query_estimate(searcher, query, &cost), WS_ERR_ARG);
    ws_searcher_close(searcher);
    ws_searcher_close(NULL);
    ws_scratch_free(NULL);
    ws_query_free(query);
    ws_query_free(NULL);
}

Test(search_calls, options_of_older_and_newer_headers_are_read, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    struct {
        ws_search_options known;
        uint32_t more[2];
    } newer = {.known = WS_SEARCH_OPTIONS_INIT};
    ws_query *query = ws_letters_parse("word", WS_OPERATOR_OR, "");
    ws_searcher *searcher;
    ws_results *results;
    ws_error error = {0};
    cr_assert_eq(ws_searcher_open(&searcher, ws_letters_now.index, NULL), WS_OK);
    newer.known.size = sizeof newer;
    cr_expect_eq(ws_search(searcher, query, &newer.known, NULL, NULL, &results, NULL), WS_OK);
    ws_results_free(results);
    newer.more[1] = 1;
    cr_expect_eq(ws_search(searcher, query, &newer.known, NULL, NULL, &results, &error),
                 WS_ERR_ARG);
    cr_expect_not_null(strstr(error.message, "ws_search_options"), "%s", error.message);
    newer.known.size = offsetof(ws_search_options, traversal);
    newer.known.traversal = 99; /* not there as far as the caller knows */
    cr_expect_eq(ws_search(searcher, query, &newer.known, NULL, NULL, &results, NULL), WS_OK);
    ws_results_free(results);
    ws_searcher_close(searcher);
    ws_query_free(query);
}

Test(search_calls, a_handle_from_before_a_fork_is_refused, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_searcher *searcher;
    ws_results *results;
    ws_query *query = ws_letters_parse("word", WS_OPERATOR_OR, "");
    cr_assert_eq(ws_searcher_open(&searcher, ws_letters_now.index, NULL), WS_OK);
    searcher->pid++; /* as if this were the child */
    cr_assert_eq(ws_search(searcher, query, NULL, ws_letters_now.scratch, NULL, &results, NULL),
                 WS_ERR_STATE);
    ws_searcher_close(searcher);
    ws_query_free(query);
}

typedef struct {
    ws_searcher *searcher;
    const ws_query *query;
    uint32_t wrong;
} shared_work;

static void *search_again_and_again(void *ctx)
{
    shared_work *work = ctx;
    ws_scratch *own;
    ws_results *results;
    if (ws_scratch_new(&own))
        return work;
    for (int i = 0; i < 50; i++) {
        ws_hit hit = {.size = sizeof hit};
        ws_status status = ws_search(work->searcher, work->query, NULL, own, NULL, &results, NULL);
        if (status || ws_results_count(results) != 2 || ws_results_hit(results, 0, &hit) ||
            hit.id.ptr[0] != 'b')
            __atomic_fetch_add(&work->wrong, 1, __ATOMIC_RELAXED);
        ws_results_free(results);
    }
    ws_scratch_free(own);
    return NULL;
}

Test(search_calls, threads_share_a_searcher_and_a_query, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    pthread_t threads[4];
    void *failed;
    ws_letters_put("a", "x", "river one two three \"sea\"");
    ws_letters_put("b", "x", "river sea river sea");
    ws_letters_put("c", "x", "lake");
    ws_letters_commit();
    shared_work work = {
        .query = ws_letters_parse("river \"river sea\"", WS_OPERATOR_OR, "lang = \"en\"")};
    cr_assert_eq(ws_searcher_open(&work.searcher, ws_letters_now.index, NULL), WS_OK);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, search_again_and_again, &work), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &failed);
        cr_expect_null(failed);
    }
    cr_assert_eq(work.wrong, 0);
    ws_searcher_close(work.searcher);
    ws_query_unref((ws_query *)(uintptr_t)work.query);
}

/* --- cost --- */

Test(search_calls, the_estimate_is_an_upper_bound_of_the_cost, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    static const char *const texts[] = {"river",      "river sea",  "\"river sea\"",
                                        "대한민국은", "river -sea", "lake"};
    for (int i = 0; i < 600; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        ws_letters_put(id, i % 3 ? "river" : "", i % 2 ? "river sea 대한민국은" : "sea");
    }
    ws_letters_commit();
    for (int i = 0; i < 12; i++) {
        ws_query *query =
            ws_letters_parse(texts[i / 2], i % 2 ? WS_OPERATOR_AND : WS_OPERATOR_OR, "");
        ws_searcher *searcher;
        ws_results *results;
        ws_cost estimate = {.size = sizeof estimate}, cost = {.size = sizeof cost};
        cr_assert_eq(ws_searcher_open(&searcher, ws_letters_now.index, NULL), WS_OK);
        cr_assert_eq(ws_query_estimate(searcher, query, &estimate), WS_OK);
        cr_assert_eq(ws_search(searcher, query, NULL, ws_letters_now.scratch, NULL, &results, NULL),
                     WS_OK);
        ws_results_cost(results, &cost);
        cr_expect_leq(cost.postings, estimate.postings, "%s", texts[i / 2]);
        cr_expect_leq(cost.blocks, estimate.blocks);
        cr_expect_leq(cost.windows, estimate.windows);
        cr_expect_eq(cost.document_frequency, estimate.document_frequency);
        cr_expect_eq(cost.n_terms, estimate.n_terms);
        cr_expect_eq(cost.scored, i / 2 == 5 ? 0 : cost.scored);
        ws_results_free(results);
        ws_searcher_close(searcher);
        ws_query_free(query);
    }
}

/* --- memory --- */

typedef struct {
    int left; /* allocations that still succeed */
    uint32_t n;
} faults;

static int count_or_fail(void *ctx, size_t size)
{
    faults *f = ctx;
    (void)size;
    f->n++;
    return f->left-- == 0;
}

static uint32_t count_allocations(ws_searcher *searcher, const ws_query *query,
                                  ws_results **results)
{
    faults f = {-1, 0};
    ws_mem_set_fault(count_or_fail, &f);
    ws_status status =
        ws_search(searcher, query, NULL, ws_letters_now.scratch, NULL, results, NULL);
    ws_mem_set_fault(NULL, NULL);
    cr_assert_eq(status, WS_OK);
    return f.n;
}

static void put_some(void)
{
    ws_letters_put("a", "river", "river and sea");
    ws_letters_put("b", "", "river sea river sea 대한민국은");
    ws_letters_put("c", "", "sea");
    ws_letters_commit();
}

Test(search_calls, after_warm_up_only_results_allocate, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    static const char *const texts[] = {"river", "\"river sea\" 대한민국",
                                        "river sea -\"sea river\" and 역사", "sea"};
    ws_searcher *searcher;
    ws_results *results;
    put_some();
    cr_assert_eq(ws_searcher_open(&searcher, ws_letters_now.index, NULL), WS_OK);
    for (int i = 0; i < 12; i++) {
        ws_query *query = ws_letters_parse(texts[i % 4], WS_OPERATOR_OR, "lang != \"x\"");
        uint32_t n = count_allocations(searcher, query, &results);
        ws_results_free(results);
        ws_query_free(query);
        cr_assert(i < 4 || n <= 2, "%u allocations: the results and a block of their arena", n);
    }
    ws_searcher_close(searcher);
}

Test(search_calls, every_failed_allocation_is_a_status, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_searcher *searcher;
    ws_results *results;
    put_some();
    ws_query *query =
        ws_letters_parse("\"river sea\" 대한민국 \"and\" -lake", WS_OPERATOR_OR, "lang != \"x\"");
    cr_assert_eq(ws_searcher_open(&searcher, ws_letters_now.index, NULL), WS_OK);
    ws_status status = WS_ERR_NOMEM;
    int n = 0;
    for (; status != WS_OK && n < 1000; n++) {
        faults f = {n, 0};
        ws_mem_set_fault(count_or_fail, &f);
        status = ws_search(searcher, query, NULL, NULL, NULL, &results, NULL);
        ws_mem_set_fault(NULL, NULL);
        cr_assert(status == WS_OK || (status == WS_ERR_NOMEM && !results));
    }
    cr_assert_gt(n, 3);
    cr_assert_eq(ws_results_count(results), 2);
    ws_results_free(results);
    ws_searcher_close(searcher);
    ws_query_free(query);
}

Test(search_calls, a_searcher_without_memory_is_a_status, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_searcher *searcher;
    ws_status status = WS_ERR_NOMEM;
    for (int n = 0; status != WS_OK && n < 100; n++) {
        faults f = {n, 0};
        ws_mem_set_fault(count_or_fail, &f);
        status = ws_searcher_open(&searcher, ws_letters_now.index, NULL);
        ws_mem_set_fault(NULL, NULL);
        cr_assert(status == WS_OK || (status == WS_ERR_NOMEM && !searcher));
    }
    cr_assert_eq(status, WS_OK);
    ws_searcher_close(searcher);
}
