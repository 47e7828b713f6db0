#include "tests/support/letters.h"

#include <string.h>

#include "base/str.h"
#include "tests/support/test.h"

static const char schema_json[] =
    "{\"fields\":[{\"name\":\"title\",\"type\":\"text\",\"boost\":2},{\"name\":\"body\",\"type\":"
    "\"text\"},"
    "{\"name\":\"lang\",\"type\":\"keyword\"},{\"name\":\"views\",\"type\":\"int\"}]}";

ws_letters ws_letters_now;

void ws_letters_open(void)
{
    ws_schema *schema;
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(schema_json), NULL), WS_OK);
    cr_assert_eq(ws_index_open(&ws_letters_now.index, NULL, schema, NULL, NULL), WS_OK);
    cr_assert_eq(ws_writer_open(&ws_letters_now.writer, ws_letters_now.index, NULL, NULL), WS_OK);
    cr_assert_eq(ws_scratch_new(&ws_letters_now.scratch), WS_OK);
    ws_schema_free(schema);
}

void ws_letters_close(void)
{
    ws_scratch_free(ws_letters_now.scratch);
    ws_writer_close(ws_letters_now.writer);
    ws_index_close(ws_letters_now.index);
}

void ws_letters_put(const char *id, const char *title, const char *body)
{
    ws_doc *doc;
    cr_assert_eq(ws_doc_new(&doc), WS_OK);
    ws_doc_set(doc, WS_STR("title"), ws_cstr(title));
    ws_doc_set(doc, WS_STR("body"), ws_cstr(body));
    ws_doc_set(doc, WS_STR("lang"), ws_cstr(body[0] && (uint8_t)body[0] < 0x80 ? "en" : "ko"));
    cr_assert_eq(ws_writer_put(ws_letters_now.writer, ws_cstr(id), doc, 0, NULL), WS_OK);
    ws_doc_free(doc);
}

void ws_letters_commit(void)
{
    cr_assert_eq(ws_writer_commit(ws_letters_now.writer, NULL, NULL, NULL), WS_OK);
}

static void read_answer(const ws_results *r, ws_letters_answer *a)
{
    memset(a, 0, sizeof *a);
    a->n = ws_results_count(r);
    ws_results_total(r, &a->total, &a->relation);
    for (uint32_t i = 0; i < a->n; i++) {
        ws_hit hit = {.size = sizeof hit};
        cr_assert_eq(ws_results_hit(r, i, &hit), WS_OK);
        cr_assert_eq(hit.id.len, 1, "ids are there before fetch");
        cr_assert_float_eq(hit.score_value, hit.score * 0x1p-20, 1e-9);
        a->ids[i] = hit.id.ptr[0];
        a->scores[i] = hit.score;
    }
}

ws_query *ws_letters_parse(const char *text, uint32_t op, const char *filter)
{
    ws_query_options options = WS_QUERY_OPTIONS_INIT;
    ws_query *query;
    options.op = op;
    options.filter = ws_cstr(filter);
    cr_assert_eq(ws_query_parse(&query, ws_letters_now.index, ws_cstr(text), &options, NULL),
                 WS_OK);
    return query;
}

ws_letters_answer ws_letters_run(const char *text, uint32_t op, const char *filter,
                                 const ws_search_options *options)
{
    ws_query *query = ws_letters_parse(text, op, filter);
    ws_searcher *searcher;
    ws_results *results;
    ws_letters_answer a;
    cr_assert_eq(ws_searcher_open(&searcher, ws_letters_now.index, NULL), WS_OK);
    cr_assert_eq(ws_search(searcher, query, options, ws_letters_now.scratch, NULL, &results, NULL),
                 WS_OK);
    read_answer(results, &a);
    ws_results_free(results);
    ws_searcher_close(searcher);
    ws_query_free(query);
    return a;
}
