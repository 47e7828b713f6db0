/* What a search finds, by small examples from docs/search.md, and the rules of the public calls. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "engine/api/api_int.h"
#include "tests/support/test.h"

static const char schema_json[] =
    "{\"fields\":[{\"name\":\"title\",\"type\":\"text\",\"boost\":2},{\"name\":\"body\",\"type\":"
    "\"text\"},"
    "{\"name\":\"lang\",\"type\":\"keyword\"},{\"name\":\"views\",\"type\":\"int\"}]}";

static ws_index *handle;
static ws_writer *writer;
static ws_scratch *scratch;

static void setup(void)
{
    ws_schema *schema;
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(schema_json), NULL), WS_OK);
    cr_assert_eq(ws_index_open(&handle, NULL, schema, NULL, NULL), WS_OK);
    cr_assert_eq(ws_writer_open(&writer, handle, NULL, NULL), WS_OK);
    cr_assert_eq(ws_scratch_new(&scratch), WS_OK);
    ws_schema_free(schema);
}

static void teardown(void)
{
    ws_scratch_free(scratch);
    ws_writer_close(writer);
    ws_index_close(handle);
}

/* The id is one letter. */
static void put(const char *id, const char *title, const char *body)
{
    ws_doc *doc;
    cr_assert_eq(ws_doc_new(&doc), WS_OK);
    ws_doc_set(doc, WS_STR("title"), ws_cstr(title));
    ws_doc_set(doc, WS_STR("body"), ws_cstr(body));
    ws_doc_set(doc, WS_STR("lang"), ws_cstr(body[0] && (uint8_t)body[0] < 0x80 ? "en" : "ko"));
    cr_assert_eq(ws_writer_put(writer, ws_cstr(id), doc, 0, NULL), WS_OK);
    ws_doc_free(doc);
}

static void commit(void)
{
    cr_assert_eq(ws_writer_commit(writer, NULL, NULL, NULL), WS_OK);
}

typedef struct {
    char ids[64]; /* in order of rank */
    uint64_t total;
    uint32_t relation, n;
    uint32_t scores[64];
    ws_cost cost;
} answer;

static void read_answer(const ws_results *r, answer *a)
{
    memset(a, 0, sizeof *a);
    a->cost.size = sizeof a->cost;
    a->n = ws_results_count(r);
    ws_results_total(r, &a->total, &a->relation);
    ws_results_cost(r, &a->cost);
    for (uint32_t i = 0; i < a->n; i++) {
        ws_hit hit = {.size = sizeof hit};
        cr_assert_eq(ws_results_hit(r, i, &hit), WS_OK);
        cr_assert_eq(hit.id.len, 1, "ids are there before fetch");
        cr_assert_float_eq(hit.score_value, hit.score * 0x1p-20, 1e-9);
        a->ids[i] = hit.id.ptr[0];
        a->scores[i] = hit.score;
    }
}

static ws_query *parse(const char *text, uint32_t op, const char *filter)
{
    ws_query_options options = WS_QUERY_OPTIONS_INIT;
    ws_query *query;
    options.op = op;
    options.filter = ws_cstr(filter);
    cr_assert_eq(ws_query_parse(&query, handle, ws_cstr(text), &options, NULL), WS_OK);
    return query;
}

static answer run(const char *text, uint32_t op, const char *filter,
                  const ws_search_options *options)
{
    ws_query *query = parse(text, op, filter);
    ws_searcher *searcher;
    ws_results *results;
    answer a;
    cr_assert_eq(ws_searcher_open(&searcher, handle, NULL), WS_OK);
    cr_assert_eq(ws_search(searcher, query, options, scratch, NULL, &results, NULL), WS_OK);
    read_answer(results, &a);
    ws_results_free(results);
    ws_searcher_close(searcher);
    ws_query_free(query);
    return a;
}

static int by_letter(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

/* Ids that a query finds, in order of the alphabet; both traversals must agree. */
static const char *found(const char *text, uint32_t op)
{
    static answer a;
    ws_search_options exhaustive = WS_SEARCH_OPTIONS_INIT;
    exhaustive.traversal = WS_TRAVERSAL_EXHAUSTIVE;
    answer b = run(text, op, "", &exhaustive);
    a = run(text, op, "", NULL);
    cr_assert_str_eq(a.ids, b.ids, "%s", text);
    cr_assert_arr_eq(a.scores, b.scores, sizeof a.scores);
    cr_assert_eq(a.total, a.n);
    qsort(a.ids, strlen(a.ids), 1, by_letter);
    return a.ids;
}

static const char *any(const char *text)
{
    return found(text, WS_OPERATOR_OR);
}

static const char *all(const char *text)
{
    return found(text, WS_OPERATOR_AND);
}

/* 대한민국 (U+B300 U+D55C U+BBFC U+AD6D) */
Test(search, a_word_matches_by_its_stem_or_by_all_its_bigrams, .init = setup, .fini = teardown)
{
    put("a", "", "대한민국은 민주공화국이다");
    put("b", "", "신대한민국사를 쓰다");
    put("c", "", "대한 제국");
    put("d", "", "대한국민회");
    commit();
    cr_expect_str_eq(any("대한민국"), "ab", "not c: one bigram makes no match");
    cr_expect_str_eq(any("대한민국의"), "ab");
    cr_expect_str_eq(any("민국"), "ab");
    cr_expect_str_eq(any("대한"), "abcd");
    cr_expect_str_eq(any("한국"), "d");
}

Test(search, bigrams_must_be_in_one_field, .init = setup, .fini = teardown)
{
    put("a", "대한", "한민 민국");
    put("b", "", "대한 한민 민국");
    commit();
    cr_expect_str_eq(any("대한민국"), "b");
}

Test(search, or_needs_one_word_and_and_needs_all, .init = setup, .fini = teardown)
{
    put("a", "", "river");
    put("b", "", "sea");
    put("c", "", "river and sea");
    put("d", "river", "sea");
    commit();
    cr_expect_str_eq(any("river sea"), "abcd");
    cr_expect_str_eq(all("river sea"), "cd", "each word in any field");
    cr_expect_str_eq(all("river sea lake"), "");
    cr_expect_str_eq(any("river sea lake"), "abcd");
    cr_expect_str_eq(all("river ???"), "acd", "a clause without a token is not there");
}

Test(search, negative_words_and_phrases_exclude, .init = setup, .fini = teardown)
{
    put("a", "", "world war history");
    put("b", "", "war of the world");
    put("c", "world", "war");
    commit();
    cr_expect_str_eq(any("war -history"), "bc");
    cr_expect_str_eq(any("war -\"world war\""), "bc");
    cr_expect_str_eq(all("world war -\"of the\""), "ac");
    cr_expect_str_eq(any("-war"), "", "nothing is asked for");
    cr_expect_str_eq(any("-lake"), "");
    cr_expect_str_eq(any("war -war"), "");
}

Test(search, phrases_are_places_in_order_in_one_field, .init = setup, .fini = teardown)
{
    put("a", "", "the united states of america");
    put("b", "", "states united");
    put("c", "united", "states");
    put("d", "", "united. states");
    put("e", "united states", "");
    commit();
    cr_expect_str_eq(any("\"united states\""), "ade", "punctuation takes no position");
    cr_expect_str_eq(any("\"states united\""), "b");
    cr_expect_str_eq(any("\"united states of america\""), "a");
    cr_expect_str_eq(any("\"united states of china\""), "");
    cr_expect_str_eq(any("\"united"), "abcde", "an open quote ends with the text");
    cr_expect_str_eq(any("x\"united states\"y"), "ade");
}

Test(search, a_phrase_repeats_and_overlaps, .init = setup, .fini = teardown)
{
    put("a", "", "ha ha ha ha");
    put("b", "", "ha ha");
    put("c", "", "ha");
    commit();
    cr_expect_str_eq(any("\"ha ha\""), "ab");
    cr_expect_str_eq(any("\"ha ha ha\""), "a");
    cr_expect_str_eq(any("\"ha ha ha ha ha\""), "");
}

Test(search, quoted_korean_is_not_stripped, .init = setup, .fini = teardown)
{
    put("a", "", "대한민국은 크다");
    put("b", "", "대한민국이 크다");
    put("c", "", "대한민국 크다");
    commit();
    cr_expect_str_eq(any("대한민국은"), "abc");
    cr_expect_str_eq(any("\"대한민국은\""), "a");
    cr_expect_str_eq(any("\"대한민국\""), "abc", "without a particle it is the stem");
    cr_expect_str_eq(any("\"대한민국이 크다\""), "b");
}

Test(search, a_word_with_joints_needs_its_parts, .init = setup, .fini = teardown)
{
    put("a", "", "k-pop");
    put("b", "", "k pop");
    put("c", "", "pop");
    put("d", "", "pop and k");
    commit();
    cr_expect_str_eq(any("k-pop"), "abd");
    cr_expect_str_eq(any("k pop"), "abcd");
    cr_expect_str_eq(any("\"k-pop\""), "a");
    cr_expect_str_eq(any("\"k pop\""), "ab");
}

Test(search, texts_without_a_word_match_nothing, .init = setup, .fini = teardown)
{
    static const char *const texts[] = {"",   " ",   "\"",  "\"\"",     "-",
                                        "--", "???", "-\"", "\xff\xfe", "\xe3\x80\x80"};
    put("a", "", "a b c");
    commit();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ws_query *query = parse(texts[i], WS_OPERATOR_OR, "");
        cr_expect_str_eq(any(texts[i]), "");
        cr_expect_eq(ws_query_n_clauses(query), 0);
        ws_query_free(query);
    }
}

Test(search, operators_of_other_languages_are_words, .init = setup, .fini = teardown)
{
    put("a", "", "cats and dogs");
    put("b", "", "cats or dogs (not birds)");
    commit();
    cr_expect_str_eq(all("cats AND dogs"), "a");
    cr_expect_str_eq(all("(not birds)"), "b");
    cr_expect_str_eq(any("title:cats*"), "", "title is a word, too, and of a word all parts count");
}

/* --- order --- */

Test(search, equal_scores_rank_by_age, .init = setup, .fini = teardown)
{
    put("z", "", "same words");
    put("m", "", "same words");
    commit();
    put("a", "", "same words");
    commit();
    answer r = run("same", WS_OPERATOR_OR, "", NULL);
    cr_assert_str_eq(r.ids, "zma");
    cr_assert_eq(r.scores[0], r.scores[2]);
    put("z", "", "same words"); /* a replacement keeps its place */
    commit();
    cr_assert_str_eq(run("same", WS_OPERATOR_OR, "", NULL).ids, "zma");
}

Test(search, more_occurrences_and_the_title_rank_higher, .init = setup, .fini = teardown)
{
    put("a", "one", "river one two three");
    put("b", "two", "river river two three");
    put("c", "river", "one two three four");
    put("d", "four", "nothing of the kind");
    commit();
    cr_assert_str_eq(run("river", WS_OPERATOR_OR, "", NULL).ids, "cba");
}

Test(search, a_word_twice_in_the_query_weighs_twice, .init = setup, .fini = teardown)
{
    put("a", "", "river");
    put("b", "", "sea");
    put("c", "", "other");
    commit();
    answer one = run("river", WS_OPERATOR_OR, "", NULL),
           two = run("river river", WS_OPERATOR_OR, "", NULL);
    cr_assert_leq(two.scores[0] - 2 * one.scores[0], 1);
    cr_assert_str_eq(run("river sea sea", WS_OPERATOR_OR, "", NULL).ids, "ba");
}

Test(search, a_phrase_scores_like_a_word_with_its_occurrences, .init = setup, .fini = teardown)
{
    put("a", "", "new york is new york");
    put("b", "", "new york new is york");
    put("c", "", "something else here");
    commit();
    answer r = run("\"new york\"", WS_OPERATOR_OR, "", NULL);
    cr_assert_str_eq(r.ids, "ab");
    cr_assert_gt(r.scores[0], r.scores[1]);
}

/* --- pages, totals, filters --- */

Test(search, pages_are_cut_out_of_one_order, .init = setup, .fini = teardown)
{
    for (char c = 'a'; c <= 'j'; c++) {
        char id[2] = {c, 0};
        put(id, "", "word");
    }
    commit();
    static const struct {
        uint32_t offset, limit;
        const char *ids;
    } rows[] = {{0, 10, "abcdefghij"}, {0, 3, "abc"}, {3, 3, "def"}, {9, 3, "j"},
                {10, 3, ""},           {100, 3, ""},  {5, 0, ""},    {0, 0, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ws_search_options options = WS_SEARCH_OPTIONS_INIT;
        options.offset = rows[i].offset;
        options.limit = rows[i].limit;
        answer r = run("word", WS_OPERATOR_OR, "", &options);
        cr_expect_str_eq(r.ids, rows[i].ids);
        cr_expect_eq(r.total, 10);
        cr_expect_eq(r.relation, WS_RELATION_EQ);
    }
}

Test(search, without_counting_the_total_is_a_lower_bound, .init = setup, .fini = teardown)
{
    ws_search_options options = WS_SEARCH_OPTIONS_INIT;
    put("a", "", "word");
    commit();
    options.total = WS_TOTAL_NONE;
    answer r = run("word", WS_OPERATOR_OR, "", &options);
    cr_assert_str_eq(r.ids, "a");
    cr_assert_eq(r.relation, WS_RELATION_GTE);
    cr_assert_leq(r.total, 1);
}

Test(search, the_filter_selects, .init = setup, .fini = teardown)
{
    put("a", "", "linux word");
    put("b", "", "리눅스 linux");
    commit();
    cr_assert_str_eq(run("linux", WS_OPERATOR_OR, "lang = \"ko\"", NULL).ids, "b");
    cr_assert_str_eq(run("linux", WS_OPERATOR_OR, "lang != \"ko\"", NULL).ids, "a");
    cr_assert_str_eq(run("linux", WS_OPERATOR_OR, "views > 0", NULL).ids, "");
    cr_assert_eq(run("linux", WS_OPERATOR_OR, "lang = \"ko\"", NULL).total, 1);
    cr_assert_str_eq(run("", WS_OPERATOR_OR, "lang = \"ko\"", NULL).ids, "",
                     "a filter alone asks for nothing");
}

Test(search, deleted_documents_are_not_found, .init = setup, .fini = teardown)
{
    put("a", "", "word");
    put("b", "", "word");
    commit();
    cr_assert_eq(ws_writer_delete(writer, WS_STR("a"), NULL), WS_OK);
    cr_assert_str_eq(any("word"), "ab", "not committed yet");
    commit();
    cr_assert_str_eq(any("word"), "b");
}

/* --- handles --- */

Test(search, an_empty_index_answers, .init = setup, .fini = teardown)
{
    cr_assert_str_eq(any("word \"a b\" -c"), "");
}

Test(search, a_searcher_stays_at_its_generation, .init = setup, .fini = teardown)
{
    ws_searcher *old;
    ws_results *results;
    ws_query *query = parse("word", WS_OPERATOR_OR, "");
    put("a", "", "word");
    commit();
    cr_assert_eq(ws_searcher_open(&old, handle, NULL), WS_OK);
    put("b", "", "word");
    commit();
    cr_assert_eq(ws_search(old, query, NULL, NULL, NULL, &results, NULL), WS_OK, "without scratch");
    cr_assert_eq(ws_results_count(results), 1);
    cr_assert_eq(ws_searcher_generation(old) + 1, handle->snapshot->manifest.generation);
    cr_assert_str_eq(any("word"), "ab");
    ws_searcher_close(old);
    ws_query_free(query);
    ws_hit hit = {.size = sizeof hit};
    cr_assert_eq(ws_results_hit(results, 0, &hit), WS_OK, "results outlive searcher and query");
    cr_assert_eq(hit.id.ptr[0], 'a');
    ws_results_free(results);
}

Test(search, wrong_options_are_refused, .init = setup, .fini = teardown)
{
    ws_search_options options = WS_SEARCH_OPTIONS_INIT;
    ws_query_options parsing = WS_QUERY_OPTIONS_INIT;
    ws_query *query = parse("word", WS_OPERATOR_OR, ""), *none;
    ws_searcher *searcher;
    ws_results *results;
    ws_error error = {0};
    ws_cost cost = {.size = 1};
    cr_assert_eq(ws_searcher_open(&searcher, handle, NULL), WS_OK);
    options.offset = 9991;
    cr_assert_eq(ws_search(searcher, query, &options, scratch, NULL, &results, &error),
                 WS_ERR_RANGE);
    cr_assert_null(results);
    cr_assert_not_null(strstr(error.message, "10000"), "%s", error.message);
    options.offset = UINT32_MAX;
    options.limit = UINT32_MAX;
    cr_assert_eq(ws_search(searcher, query, &options, scratch, NULL, &results, NULL), WS_ERR_RANGE);
    options = (ws_search_options)WS_SEARCH_OPTIONS_INIT;
    options.size--;
    cr_assert_eq(ws_search(searcher, query, &options, scratch, NULL, &results, NULL), WS_ERR_ARG);
    options.size++;
    options.traversal = 2;
    cr_assert_eq(ws_search(searcher, query, &options, scratch, NULL, &results, NULL), WS_ERR_ARG);
    parsing.size = 0;
    cr_assert_eq(ws_query_parse(&none, handle, WS_STR("a"), &parsing, NULL), WS_ERR_ARG);
    parsing = (ws_query_options)WS_QUERY_OPTIONS_INIT;
    parsing.filter = WS_STR("lang = ");
    cr_assert_eq(ws_query_parse(&none, handle, WS_STR("a"), &parsing, &error), WS_ERR_SYNTAX);
    cr_assert_eq(error.offset, 7);
    cr_assert_null(none);
    cr_assert_eq(ws_query_estimate(searcher, query, &cost), WS_ERR_ARG);
    ws_searcher_close(searcher);
    ws_searcher_close(NULL);
    ws_scratch_free(NULL);
    ws_query_free(query);
    ws_query_free(NULL);
}

Test(search, a_handle_from_before_a_fork_is_refused, .init = setup, .fini = teardown)
{
    ws_searcher *searcher;
    ws_results *results;
    ws_query *query = parse("word", WS_OPERATOR_OR, "");
    cr_assert_eq(ws_searcher_open(&searcher, handle, NULL), WS_OK);
    searcher->pid++; /* as if this were the child */
    cr_assert_eq(ws_search(searcher, query, NULL, scratch, NULL, &results, NULL), WS_ERR_STATE);
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

Test(search, threads_share_a_searcher_and_a_query, .init = setup, .fini = teardown)
{
    pthread_t threads[4];
    void *failed;
    put("a", "x", "river one two three \"sea\"");
    put("b", "x", "river sea river sea");
    put("c", "x", "lake");
    commit();
    shared_work work = {.query = parse("river \"river sea\"", WS_OPERATOR_OR, "lang = \"en\"")};
    cr_assert_eq(ws_searcher_open(&work.searcher, handle, NULL), WS_OK);
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

Test(search, the_estimate_is_an_upper_bound_of_the_cost, .init = setup, .fini = teardown)
{
    static const char *const texts[] = {"river",      "river sea",  "\"river sea\"",
                                        "대한민국은", "river -sea", "lake"};
    for (int i = 0; i < 600; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        put(id, i % 3 ? "river" : "", i % 2 ? "river sea 대한민국은" : "sea");
    }
    commit();
    for (int i = 0; i < 12; i++) {
        ws_query *query = parse(texts[i / 2], i % 2 ? WS_OPERATOR_AND : WS_OPERATOR_OR, "");
        ws_searcher *searcher;
        ws_results *results;
        ws_cost estimate = {.size = sizeof estimate}, cost = {.size = sizeof cost};
        cr_assert_eq(ws_searcher_open(&searcher, handle, NULL), WS_OK);
        cr_assert_eq(ws_query_estimate(searcher, query, &estimate), WS_OK);
        cr_assert_eq(ws_search(searcher, query, NULL, scratch, NULL, &results, NULL), WS_OK);
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
    ws_status status = ws_search(searcher, query, NULL, scratch, NULL, results, NULL);
    ws_mem_set_fault(NULL, NULL);
    cr_assert_eq(status, WS_OK);
    return f.n;
}

static void put_some(void)
{
    put("a", "river", "river and sea");
    put("b", "", "river sea river sea 대한민국은");
    put("c", "", "sea");
    commit();
}

Test(search, after_warm_up_only_results_allocate, .init = setup, .fini = teardown)
{
    static const char *const texts[] = {"river", "\"river sea\" 대한민국",
                                        "river sea -\"sea river\" and 역사", "sea"};
    ws_searcher *searcher;
    ws_results *results;
    put_some();
    cr_assert_eq(ws_searcher_open(&searcher, handle, NULL), WS_OK);
    for (int i = 0; i < 12; i++) {
        ws_query *query = parse(texts[i % 4], WS_OPERATOR_OR, "lang != \"x\"");
        uint32_t n = count_allocations(searcher, query, &results);
        ws_results_free(results);
        ws_query_free(query);
        cr_assert(i < 4 || n <= 2, "%u allocations: the results and a block of their arena", n);
    }
    ws_searcher_close(searcher);
}

Test(search, every_failed_allocation_is_a_status, .init = setup, .fini = teardown)
{
    ws_searcher *searcher;
    ws_results *results;
    put_some();
    ws_query *query = parse("\"river sea\" 대한민국 and -lake", WS_OPERATOR_OR, "lang != \"x\"");
    cr_assert_eq(ws_searcher_open(&searcher, handle, NULL), WS_OK);
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

Test(search, a_searcher_without_memory_is_a_status, .init = setup, .fini = teardown)
{
    ws_searcher *searcher;
    ws_status status = WS_ERR_NOMEM;
    for (int n = 0; status != WS_OK && n < 100; n++) {
        faults f = {n, 0};
        ws_mem_set_fault(count_or_fail, &f);
        status = ws_searcher_open(&searcher, handle, NULL);
        ws_mem_set_fault(NULL, NULL);
        cr_assert(status == WS_OK || (status == WS_ERR_NOMEM && !searcher));
    }
    cr_assert_eq(status, WS_OK);
    ws_searcher_close(searcher);
}
