/* What a search finds, by small examples from docs/search.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/letters.h"
#include "tests/support/test.h"

static int by_letter(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

/* Ids that a query finds, in order of the alphabet; both traversals must agree. */
static const char *found(const char *text, uint32_t op)
{
    static ws_letters_answer a;
    ws_search_options exhaustive = WS_SEARCH_OPTIONS_INIT;
    exhaustive.traversal = WS_TRAVERSAL_EXHAUSTIVE;
    ws_letters_answer b = ws_letters_run(text, op, "", &exhaustive);
    a = ws_letters_run(text, op, "", NULL);
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
Test(search, a_word_matches_by_its_stem_or_by_all_its_bigrams, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_letters_put("a", "", "대한민국은 민주공화국이다");
    ws_letters_put("b", "", "신대한민국사를 쓰다");
    ws_letters_put("c", "", "대한 제국");
    ws_letters_put("d", "", "대한국민회");
    ws_letters_commit();
    cr_expect_str_eq(any("대한민국"), "ab", "not c: one bigram makes no match");
    cr_expect_str_eq(any("대한민국의"), "ab");
    cr_expect_str_eq(any("민국"), "ab");
    cr_expect_str_eq(any("대한"), "abcd");
    cr_expect_str_eq(any("한국"), "d");
}

Test(search, bigrams_must_be_in_one_field, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_letters_put("a", "대한", "한민 민국");
    ws_letters_put("b", "", "대한 한민 민국");
    ws_letters_commit();
    cr_expect_str_eq(any("대한민국"), "b");
}

Test(search, or_needs_one_word_and_and_needs_all, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_letters_put("a", "", "river");
    ws_letters_put("b", "", "sea");
    ws_letters_put("c", "", "river and sea");
    ws_letters_put("d", "river", "sea");
    ws_letters_commit();
    cr_expect_str_eq(any("river sea"), "abcd");
    cr_expect_str_eq(all("river sea"), "cd", "each word in any field");
    cr_expect_str_eq(all("river sea lake"), "");
    cr_expect_str_eq(any("river sea lake"), "abcd");
    cr_expect_str_eq(all("river ???"), "acd", "a clause without a token is not there");
}

Test(search, negative_words_and_phrases_exclude, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_letters_put("a", "", "world war history");
    ws_letters_put("b", "", "war of the world");
    ws_letters_put("c", "world", "war");
    ws_letters_commit();
    cr_expect_str_eq(any("war -history"), "bc");
    cr_expect_str_eq(any("war -\"world war\""), "bc");
    cr_expect_str_eq(all("world war -\"of the\""), "ac");
    cr_expect_str_eq(any("-war"), "", "nothing is asked for");
    cr_expect_str_eq(any("-lake"), "");
    cr_expect_str_eq(any("war -war"), "");
}

Test(search, phrases_are_places_in_order_in_one_field, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_letters_put("a", "", "the united states of america");
    ws_letters_put("b", "", "states united");
    ws_letters_put("c", "united", "states");
    ws_letters_put("d", "", "united. states");
    ws_letters_put("e", "united states", "");
    ws_letters_commit();
    cr_expect_str_eq(any("\"united states\""), "ade", "punctuation takes no position");
    cr_expect_str_eq(any("\"states united\""), "b");
    cr_expect_str_eq(any("\"united states of america\""), "a");
    cr_expect_str_eq(any("\"united states of china\""), "");
    cr_expect_str_eq(any("\"united"), "abcde", "an open quote ends with the text");
    cr_expect_str_eq(any("x\"united states\"y"), "ade");
}

Test(search, a_phrase_repeats_and_overlaps, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_letters_put("a", "", "ha ha ha ha");
    ws_letters_put("b", "", "ha ha");
    ws_letters_put("c", "", "ha");
    ws_letters_commit();
    cr_expect_str_eq(any("\"ha ha\""), "ab");
    cr_expect_str_eq(any("\"ha ha ha\""), "a");
    cr_expect_str_eq(any("\"ha ha ha ha ha\""), "");
}

Test(search, quoted_korean_is_not_stripped, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_letters_put("a", "", "대한민국은 크다");
    ws_letters_put("b", "", "대한민국이 크다");
    ws_letters_put("c", "", "대한민국 크다");
    ws_letters_commit();
    cr_expect_str_eq(any("대한민국은"), "abc");
    cr_expect_str_eq(any("\"대한민국은\""), "a");
    cr_expect_str_eq(any("\"대한민국\""), "abc", "without a particle it is the stem");
    cr_expect_str_eq(any("\"대한민국이 크다\""), "b");
}

Test(search, a_word_with_joints_needs_its_parts, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_letters_put("a", "", "k-pop");
    ws_letters_put("b", "", "k pop");
    ws_letters_put("c", "", "pop");
    ws_letters_put("d", "", "pop and k");
    ws_letters_commit();
    cr_expect_str_eq(any("k-pop"), "abd");
    cr_expect_str_eq(any("k pop"), "abcd");
    cr_expect_str_eq(any("\"k-pop\""), "a");
    cr_expect_str_eq(any("\"k pop\""), "ab");
}

Test(search, texts_without_a_word_match_nothing, .init = ws_letters_open, .fini = ws_letters_close)
{
    static const char *const texts[] = {"",   " ",   "\"",  "\"\"",     "-",
                                        "--", "???", "-\"", "\xff\xfe", "\xe3\x80\x80"};
    ws_letters_put("a", "", "a b c");
    ws_letters_commit();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ws_query *query = ws_letters_parse(texts[i], WS_OPERATOR_OR, "");
        cr_expect_str_eq(any(texts[i]), "");
        cr_expect_eq(ws_query_n_clauses(query), 0);
        ws_query_free(query);
    }
}

Test(search, operators_of_other_languages_are_words, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_letters_put("a", "", "cats and dogs");
    ws_letters_put("b", "", "cats or dogs (not birds)");
    ws_letters_commit();
    cr_expect_str_eq(all("cats AND dogs"), "a");
    cr_expect_str_eq(all("(not birds)"), "b");
    cr_expect_str_eq(any("title:cats*"), "", "title is a word, too, and of a word all parts count");
}

/* --- order --- */

Test(search, equal_scores_rank_by_age, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_letters_put("z", "", "same words");
    ws_letters_put("m", "", "same words");
    ws_letters_commit();
    ws_letters_put("a", "", "same words");
    ws_letters_commit();
    ws_letters_answer r = ws_letters_run("same", WS_OPERATOR_OR, "", NULL);
    cr_assert_str_eq(r.ids, "zma");
    cr_assert_eq(r.scores[0], r.scores[2]);
    ws_letters_put("z", "", "same words"); /* a replacement keeps its place */
    ws_letters_commit();
    cr_assert_str_eq(ws_letters_run("same", WS_OPERATOR_OR, "", NULL).ids, "zma");
}

Test(search, more_occurrences_and_the_title_rank_higher, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_letters_put("a", "one", "river one two three");
    ws_letters_put("b", "two", "river river two three");
    ws_letters_put("c", "river", "one two three four");
    ws_letters_put("d", "four", "nothing of the kind");
    ws_letters_commit();
    cr_assert_str_eq(ws_letters_run("river", WS_OPERATOR_OR, "", NULL).ids, "cba");
}

Test(search, a_word_twice_in_the_query_weighs_twice, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_letters_put("a", "", "river");
    ws_letters_put("b", "", "sea");
    ws_letters_put("c", "", "other");
    ws_letters_commit();
    ws_letters_answer one = ws_letters_run("river", WS_OPERATOR_OR, "", NULL),
                      two = ws_letters_run("river river", WS_OPERATOR_OR, "", NULL);
    cr_assert_leq(two.scores[0] - 2 * one.scores[0], 1);
    cr_assert_str_eq(ws_letters_run("river sea sea", WS_OPERATOR_OR, "", NULL).ids, "ba");
}

Test(search, a_phrase_scores_like_a_word_with_its_occurrences, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_letters_put("a", "", "new york is new york");
    ws_letters_put("b", "", "new york new is york");
    ws_letters_put("c", "", "something else here");
    ws_letters_commit();
    ws_letters_answer r = ws_letters_run("\"new york\"", WS_OPERATOR_OR, "", NULL);
    cr_assert_str_eq(r.ids, "ab");
    cr_assert_gt(r.scores[0], r.scores[1]);
}

/* --- pages, totals, filters --- */

Test(search, pages_are_cut_out_of_one_order, .init = ws_letters_open, .fini = ws_letters_close)
{
    for (char c = 'a'; c <= 'j'; c++) {
        char id[2] = {c, 0};
        ws_letters_put(id, "", "word");
    }
    ws_letters_commit();
    static const struct {
        uint32_t offset, limit;
        const char *ids;
    } rows[] = {{0, 10, "abcdefghij"}, {0, 3, "abc"}, {3, 3, "def"}, {9, 3, "j"},
                {10, 3, ""},           {100, 3, ""},  {5, 0, ""},    {0, 0, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ws_search_options options = WS_SEARCH_OPTIONS_INIT;
        options.offset = rows[i].offset;
        options.limit = rows[i].limit;
        ws_letters_answer r = ws_letters_run("word", WS_OPERATOR_OR, "", &options);
        cr_expect_str_eq(r.ids, rows[i].ids);
        cr_expect_eq(r.total, 10);
        cr_expect_eq(r.relation, WS_RELATION_EQ);
    }
}

Test(search, without_counting_the_total_is_a_lower_bound, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    ws_search_options options = WS_SEARCH_OPTIONS_INIT;
    ws_letters_put("a", "", "word");
    ws_letters_commit();
    options.total = WS_TOTAL_NONE;
    ws_letters_answer r = ws_letters_run("word", WS_OPERATOR_OR, "", &options);
    cr_assert_str_eq(r.ids, "a");
    cr_assert_eq(r.relation, WS_RELATION_GTE);
    cr_assert_leq(r.total, 1);
}

Test(search, the_filter_selects, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_letters_put("a", "", "linux word");
    ws_letters_put("b", "", "리눅스 linux");
    ws_letters_commit();
    cr_assert_str_eq(ws_letters_run("linux", WS_OPERATOR_OR, "lang = \"ko\"", NULL).ids, "b");
    cr_assert_str_eq(ws_letters_run("linux", WS_OPERATOR_OR, "lang != \"ko\"", NULL).ids, "a");
    cr_assert_str_eq(ws_letters_run("linux", WS_OPERATOR_OR, "views > 0", NULL).ids, "");
    cr_assert_eq(ws_letters_run("linux", WS_OPERATOR_OR, "lang = \"ko\"", NULL).total, 1);
    cr_assert_str_eq(ws_letters_run("", WS_OPERATOR_OR, "lang = \"ko\"", NULL).ids, "",
                     "a filter alone asks for nothing");
}

Test(search, deleted_documents_are_not_found, .init = ws_letters_open, .fini = ws_letters_close)
{
    ws_letters_put("a", "", "word");
    ws_letters_put("b", "", "word");
    ws_letters_commit();
    cr_assert_eq(ws_writer_delete(ws_letters_now.writer, WS_STR("a"), NULL), WS_OK);
    cr_assert_str_eq(any("word"), "ab", "not committed yet");
    ws_letters_commit();
    cr_assert_str_eq(any("word"), "b");
}

/* A long snippet analyses no more than a short one: the match must stay inside. */
Test(search, a_snippet_of_any_length_holds_its_match, .init = ws_letters_open,
     .fini = ws_letters_close)
{
    static char body[8000];
    size_t at = 0;
    for (int i = 0; i < 400; i++)
        at += (size_t)snprintf(body + at, sizeof body - at, "%s ",
                               i == 100 || i == 395 ? "사과" : "바다");
    ws_letters_put("a", "", body);
    ws_letters_commit();
    ws_searcher *searcher;
    ws_query *query = ws_letters_parse("사과", WS_OPERATOR_OR, "");
    cr_assert_eq(ws_searcher_open(&searcher, ws_letters_now.index, NULL), WS_OK);
    for (uint32_t length = 20; length <= 1000; length += 35) {
        ws_results *results;
        ws_hit hit = {.size = sizeof hit};
        ws_fetch_options options = WS_FETCH_OPTIONS_INIT;
        options.snippet_code_points = length;
        cr_assert_eq(ws_search(searcher, query, NULL, NULL, NULL, &results, NULL), WS_OK);
        cr_assert_eq(ws_results_fetch(results, 0, 1, &options, NULL, NULL), WS_OK);
        cr_assert_eq(ws_results_hit(results, 0, &hit), WS_OK);
        cr_expect_geq(hit.n_snippet_spans, 1u, "of %u code points", length);
        ws_results_free(results);
    }
    ws_searcher_close(searcher);
    ws_query_free(query);
}
