/* Searches that are stopped: by cost, by time, by cancelling. What they return is right; the next
 * search is not hurt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "engine/api/api_int.h"
#include "tests/support/test.h"

#define DOCS 20000u

static ws_index *handle;
static ws_searcher *searcher;
static ws_scratch *scratch;

static const char schema_json[] = "{\"fields\":[{\"name\":\"body\",\"type\":\"text\",\"analyzer\":"
                                  "\"whitespace\",\"stored\":false}]}";

static void put(ws_writer *writer, ws_doc *doc, uint32_t number)
{
    char id[16], body[64];
    snprintf(id, sizeof id, "%u", number);
    snprintf(body, sizeof body, "often %s sometimes%u once%u", number % 2 ? "often twice" : "twice",
             number % 3, number);
    ws_doc_reset(doc);
    ws_doc_set(doc, WS_STR("body"), ws_cstr(body));
    cr_assert_eq(ws_writer_put(writer, ws_cstr(id), doc, 0, NULL), WS_OK);
}

static void setup(void)
{
    ws_schema *schema;
    ws_writer *writer;
    ws_doc *doc;
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(schema_json), NULL), WS_OK);
    cr_assert_eq(ws_index_open(&handle, NULL, schema, NULL, NULL), WS_OK);
    cr_assert_eq(ws_writer_open(&writer, handle, NULL, NULL), WS_OK);
    cr_assert_eq(ws_doc_new(&doc), WS_OK);
    for (uint32_t i = 0; i < DOCS; i++) {
        put(writer, doc, i);
        if (i == DOCS / 2)
            cr_assert_eq(ws_writer_commit(writer, NULL, NULL, NULL), WS_OK);
    }
    cr_assert_eq(ws_writer_commit(writer, NULL, NULL, NULL), WS_OK);
    ws_doc_free(doc);
    ws_writer_close(writer);
    ws_schema_free(schema);
    cr_assert_eq(ws_searcher_open(&searcher, handle, NULL), WS_OK);
    cr_assert_eq(ws_scratch_new(&scratch), WS_OK);
}

static void teardown(void)
{
    ws_scratch_free(scratch);
    ws_searcher_close(searcher);
    ws_index_close(handle);
}

typedef struct {
    ws_status status;
    uint64_t total, postings;
    uint32_t relation, n;
    uint32_t scores[10];
    uint64_t keys[10];
} answer;

static answer run(const char *text, uint32_t op, uint32_t traversal, const ws_budget *budget)
{
    ws_query_options parsing = WS_QUERY_OPTIONS_INIT;
    ws_search_options options = WS_SEARCH_OPTIONS_INIT;
    ws_query *query;
    ws_results *results;
    ws_cost cost = {.size = sizeof cost};
    answer a;
    memset(&a, 0, sizeof a);
    parsing.op = op;
    options.traversal = traversal;
    cr_assert_eq(ws_query_parse(&query, handle, ws_cstr(text), &parsing, NULL), WS_OK);
    a.status = ws_search(searcher, query, &options, scratch, budget, &results, NULL);
    ws_query_free(query);
    if (a.status < 0) {
        cr_assert_null(results);
        return a;
    }
    ws_results_total(results, &a.total, &a.relation);
    ws_results_cost(results, &cost);
    a.postings = cost.postings;
    a.n = ws_results_count(results);
    for (uint32_t i = 0; i < a.n; i++) {
        ws_hit hit = {.size = sizeof hit};
        ws_results_hit(results, i, &hit);
        a.scores[i] = hit.score;
        a.keys[i] = hit.doc_key;
    }
    ws_results_free(results);
    return a;
}

static const struct {
    const char *text;
    uint32_t op;
} questions[] = {
    {"often", WS_OPERATOR_OR},
    {"often twice sometimes1", WS_OPERATOR_OR},
    {"often twice", WS_OPERATOR_AND},
    {"\"often twice\"", WS_OPERATOR_OR},
    {"\"often often\" twice", WS_OPERATOR_AND},
    {"often -\"often often\"", WS_OPERATOR_OR},
    {"\"often twice\" sometimes2", WS_OPERATOR_OR},
    {"\"often twice\" twice -\"often sometimes1\"", WS_OPERATOR_AND},
};
#define QUESTIONS (sizeof questions / sizeof *questions)

static void check_same(const answer *a, const answer *b)
{
    cr_assert_eq(a->status, b->status);
    cr_assert_eq(a->total, b->total);
    cr_assert_eq(a->relation, b->relation);
    cr_assert_eq(a->n, b->n);
    cr_assert_arr_eq(a->scores, b->scores, sizeof a->scores);
    cr_assert_arr_eq(a->keys, b->keys, sizeof a->keys);
}

/* Postings in one step between two questions to the budget: a window of every list, or 1,024
 * documents. */
#define STEP 30000u

Test(budget_search, a_cost_limit_ends_the_search_early, .init = setup, .fini = teardown)
{
    for (size_t i = 0; i < QUESTIONS; i++)
        for (uint32_t traversal = 0; traversal < 2; traversal++) {
            ws_budget budget;
            ws_budget_init(&budget, 0, 6000);
            answer whole = run(questions[i].text, questions[i].op, traversal, NULL);
            answer part = run(questions[i].text, questions[i].op, traversal, &budget);
            cr_assert_eq(whole.status, WS_OK);
            cr_assert_eq(whole.relation, WS_RELATION_EQ);
            cr_assert_eq(part.status, WS_PARTIAL, "%s", questions[i].text);
            cr_assert_eq(part.relation, WS_RELATION_GTE);
            cr_assert(part.total < whole.total && part.postings < whole.postings);
            cr_assert_lt(part.postings, 6000 + STEP);
            answer again = run(questions[i].text, questions[i].op, traversal, NULL);
            check_same(&whole, &again);
        }
}

Test(budget_search, hits_of_a_part_have_the_scores_of_the_whole, .init = setup, .fini = teardown)
{
    for (size_t i = 0; i < QUESTIONS; i++) {
        ws_budget budget;
        ws_budget_init(&budget, 0, 9000);
        answer part = run(questions[i].text, questions[i].op, WS_TRAVERSAL_AUTO, &budget);
        answer check = run(questions[i].text, questions[i].op, WS_TRAVERSAL_EXHAUSTIVE, NULL);
        for (uint32_t k = 0; k < part.n; k++)
            cr_assert_leq(part.scores[k], check.scores[k], "a part is never better than the whole");
    }
}

Test(budget_search, a_large_budget_changes_nothing, .init = setup, .fini = teardown)
{
    ws_budget budget;
    ws_budget_init(&budget, 600000, UINT64_MAX);
    for (size_t i = 0; i < QUESTIONS; i++) {
        answer a = run(questions[i].text, questions[i].op, WS_TRAVERSAL_AUTO, NULL);
        answer b = run(questions[i].text, questions[i].op, WS_TRAVERSAL_AUTO, &budget);
        check_same(&a, &b);
    }
}

Test(budget_search, a_deadline_that_has_passed_gives_an_empty_part, .init = setup, .fini = teardown)
{
    ws_budget budget;
    ws_budget_init(&budget, 1, 0);
    budget.deadline_ns = 1;
    for (size_t i = 0; i < QUESTIONS; i++)
        for (uint32_t traversal = 0; traversal < 2; traversal++) {
            answer a = run(questions[i].text, questions[i].op, traversal, &budget);
            cr_assert_eq(a.status, WS_PARTIAL);
            cr_assert_eq(a.n, 0);
            cr_assert_eq(a.total, 0);
            cr_assert_eq(a.relation, WS_RELATION_GTE);
        }
}

Test(budget_search, a_cancelled_search_is_an_error, .init = setup, .fini = teardown)
{
    ws_budget budget;
    ws_budget_init(&budget, 0, 0);
    ws_budget_cancel(&budget);
    for (size_t i = 0; i < QUESTIONS; i++)
        for (uint32_t traversal = 0; traversal < 2; traversal++)
            cr_assert_eq(run(questions[i].text, questions[i].op, traversal, &budget).status,
                         WS_ERR_CANCELLED);
}

Test(budget_search, a_query_that_matches_nothing_needs_no_budget, .init = setup, .fini = teardown)
{
    ws_budget budget;
    ws_budget_init(&budget, 0, 1);
    answer a = run("nowhere", WS_OPERATOR_OR, WS_TRAVERSAL_AUTO, &budget);
    cr_assert_eq(a.status, WS_OK);
    cr_assert_eq(a.total, 0);
    a = run("often nowhere", WS_OPERATOR_AND, WS_TRAVERSAL_AUTO, &budget);
    cr_assert_eq(a.status, WS_OK);
}

/* A window of phrase candidates is long work: the budget is asked within it. */
Test(budget_search, a_phrase_is_stopped_within_a_window, .init = setup, .fini = teardown)
{
    ws_budget budget;
    answer whole = run("\"often twice\"", WS_OPERATOR_OR, WS_TRAVERSAL_AUTO, NULL);
    ws_budget_init(&budget, 0, 1); /* the first window begins with nothing spent */
    answer part = run("\"often twice\"", WS_OPERATOR_OR, WS_TRAVERSAL_AUTO, &budget);
    cr_assert_eq(part.status, WS_PARTIAL);
    cr_assert_eq(part.total, 0, "the window was not finished");
    answer again = run("\"often twice\"", WS_OPERATOR_OR, WS_TRAVERSAL_AUTO, NULL);
    check_same(&whole, &again);
}
