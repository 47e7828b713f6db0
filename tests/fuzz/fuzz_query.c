/* A query as a person, or a program gone wrong, may type it: the first byte picks the options, the
 * rest is the text and, behind a byte 0x1e, the filter. Whatever it is, it is a query; both
 * traversals find the same; spans lie in their texts. */
#include <stdlib.h>
#include <string.h>

#include "indexer/json_load.h"
#include "wikisearch/wikisearch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const schemas[] = {
    "",
    "{\"streams\":{\"surface\":1},\"fields\":[{\"name\":\"title\",\"type\":\"text\",\"analyzer\":"
    "\"keyword\"},"
    "{\"name\":\"tags\",\"type\":\"keyword\",\"multi\":true},{\"name\":\"views\",\"type\":\"int\"},"
    "{\"name\":\"body\",\"type\":\"text\",\"positions\":false},{\"name\":\"text\",\"type\":"
    "\"text\",\"analyzer\":\"whitespace\"}]}",
};

static const char *const documents[][4] = {
    {"title", "대한민국", "body",
     "대한민국은 동아시아의 한반도에 있는 민주공화국이다. 수도는 서울이다."},
    {"title", "History of Korea", "body",
     "The history of Korea begins with the Lower Paleolithic. K-POP and C++ came later."},
    {"title", "역사", "body",
     "역사는 인류의 과거를 다룬다. 대한민국의 역사, 세계의 역사 — 1945년, 3.5km, 1,234명."},
    {"title", "C++", "body",
     "C++ is a language. \"quoted\" text - and dashes -- e-mail foo_bar@example.com don't"},
    {"title", "東京", "body", "東京 カタカナ ﾊﾝｶｸ ＦＵＬＬ café CAFÉ ẞ ㄱㄴㄷ ㅎㅏㄴ"},
};

static ws_index *indexes[2];
static ws_searcher *searchers[2];
static ws_scratch *scratch;

static void must(int condition)
{
    if (!condition)
        abort();
}

static void put(ws_writer *writer, const char *const document[4], int number)
{
    char id[2] = {(char)('0' + number % 10), '\0'};
    ws_doc *doc;
    must(ws_doc_new(&doc) == WS_OK);
    for (int i = 0; i < 4; i += 2)
        must(ws_doc_set(doc, ws_cstr(document[i]), ws_cstr(document[i + 1])) == WS_OK);
    must(ws_writer_put(writer, ws_cstr(id), doc, 0, NULL) == WS_OK);
    ws_doc_free(doc);
}

static void make_index(int which)
{
    ws_schema *schema;
    ws_writer *writer;
    must(ws_schema_new_json(&schema, ws_cstr(schemas[which]), NULL) == WS_OK);
    must(ws_index_open(&indexes[which], NULL, schema, NULL, NULL) == WS_OK);
    must(ws_writer_open(&writer, indexes[which], NULL, NULL) == WS_OK);
    for (int i = 0; i < 10; i++) {
        put(writer, documents[i % 5], i);
        if (i == 6)
            must(ws_writer_commit(writer, NULL, NULL, NULL) == WS_OK);
    }
    must(ws_writer_delete(writer, ws_cstr("2"), NULL) == WS_OK);
    must(ws_writer_commit(writer, NULL, NULL, NULL) == WS_OK);
    ws_writer_close(writer);
    ws_schema_free(schema);
    must(ws_searcher_open(&searchers[which], indexes[which], NULL) == WS_OK);
}

static ws_results *search(int which, const ws_query *query, uint32_t traversal)
{
    ws_search_options options = WS_SEARCH_OPTIONS_INIT;
    ws_results *results;
    options.traversal = traversal;
    must(ws_search(searchers[which], query, &options, scratch, NULL, &results, NULL) == WS_OK);
    return results;
}

static void check_spans(ws_str text, const ws_span *spans, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        must(spans[i].start < spans[i].end && spans[i].end <= text.len);
        must(i == 0 || spans[i - 1].end <= spans[i].start);
        must(((uint8_t)text.ptr[spans[i].start] & 0xc0) != 0x80);
        must(spans[i].end == text.len || ((uint8_t)text.ptr[spans[i].end] & 0xc0) != 0x80);
    }
}

static void check_same(const ws_results *a, const ws_results *b)
{
    uint64_t totals[2];
    uint32_t relations[2];
    ws_results_total(a, &totals[0], &relations[0]);
    ws_results_total(b, &totals[1], &relations[1]);
    must(totals[0] == totals[1] && ws_results_count(a) == ws_results_count(b));
    for (uint32_t i = 0; i < ws_results_count(a); i++) {
        ws_hit x = {.size = sizeof x}, y = {.size = sizeof y};
        must(ws_results_hit(a, i, &x) == WS_OK && ws_results_hit(b, i, &y) == WS_OK);
        must(x.score == y.score && x.doc_key == y.doc_key);
        check_spans(x.title, x.title_spans, x.n_title_spans);
        check_spans(x.snippet, x.snippet_spans, x.n_snippet_spans);
    }
}

static void check_description(const ws_query *query)
{
    json_t *json;
    must(ws_json_load(&json, ws_query_describe(query), WS_JSON_LOAD_NUL, NULL) == WS_OK);
    must(json_is_string(json_object_get(json, "normalized")) &&
         json_is_array(json_object_get(json, "terms")) &&
         json_is_array(json_object_get(json, "warnings")));
    json_decref(json);
}

static void check_query(int which, const ws_query *query)
{
    ws_cost estimate = {.size = sizeof estimate}, cost = {.size = sizeof cost};
    must(ws_query_estimate(searchers[which], query, &estimate) == WS_OK);
    ws_results *a = search(which, query, WS_TRAVERSAL_AUTO),
               *b = search(which, query, WS_TRAVERSAL_EXHAUSTIVE);
    must(ws_results_fetch(a, 0, ws_results_count(a), NULL, NULL, NULL) == WS_OK);
    check_same(a, b);
    ws_results_cost(a, &cost);
    must(cost.postings <= estimate.postings);
    ws_results_free(a);
    ws_results_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_query_options options = WS_QUERY_OPTIONS_INIT;
    ws_query *query;
    ws_error error = {0};
    if (size == 0)
        return 0;
    if (!scratch) {
        make_index(0);
        make_index(1);
        must(ws_scratch_new(&scratch) == WS_OK);
    }
    int which = data[0] >> 1 & 1;
    const uint8_t *text = data + 1, *cut = size > 1 ? memchr(text, 0x1e, size - 1) : NULL;
    size_t n = cut ? (size_t)(cut - text) : size - 1;
    options.op = data[0] & 1;
    if (cut)
        options.filter = (ws_str){(const char *)cut + 1, size - 2 - n};
    ws_status status =
        ws_query_parse(&query, indexes[which], (ws_str){(const char *)text, n}, &options, &error);
    if (status < 0) { /* the filter's fault */
        must(cut && (status == WS_ERR_SYNTAX || status == WS_ERR_SCHEMA) && error.message[0]);
        must(error.offset <= options.filter.len);
        return 0;
    }
    check_description(query);
    check_query(which, query);
    ws_query_free(query);
    return 0;
}
