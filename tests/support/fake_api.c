/* A stand-in for the library behind the daemon, so that its tests can make a query as slow, as
 * heavy or as broken as they need it. It is linked into wikisearchd_fake only.
 *
 * An index is a directory with a file GENERATION: "7 1000" = generation 7 with 1,000 documents;
 * "corrupt", "version" and "io" open with that error. Words of a query steer it:
 *
 *   slow:250    the search lasts 250 ms, polling its budget all the while
 *   heavy       its estimate puts it into the heavy lane
 *   hits:5      number of hits (default 3)     df:40   sum of the document frequencies
 *   bad:corrupt ws_search fails with that status (corrupt, io, nomem, cancelled)
 *   warn        the description carries a warning
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/budget.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "wikisearch/wikisearch.h"

struct ws_index {
    char dir[512];
    uint64_t generation, n_docs;
    uint64_t limits[WS_LIMITS];
};

struct ws_searcher {
    uint64_t generation;
};

struct ws_scratch {
    int unused;
};

struct ws_query {
    char *text;
    ws_buf description;
    uint64_t slow_ms, hits, df;
    int heavy;
    ws_status bad;
};

struct ws_results {
    uint32_t n, offset;
    uint64_t total, slow_ms;
    int fetched, partial;
    char ids[100][24];
};

/* Four Hangul syllables (3 bytes each), one character beyond U+FFFF. */
static const char title[] = "대한민국 😀 <b>history</b>";
static const char snippet[] = "😀 대한민국의 역사";
static const ws_span title_spans[] = {{0, 12}, {21, 28}};
static const ws_span snippet_spans[] = {{5, 17}};

const char *ws_version(void)
{
    return WS_VERSION_STRING;
}

uint32_t ws_version_number(void)
{
    return WS_VERSION_NUMBER;
}

const char *ws_build_info(void)
{
    return "fake \"library\"";
}

/* --- index --- */

static ws_status read_generation(ws_index *index, ws_error *error)
{
    char path[600];
    uint8_t *data = NULL;
    size_t size = 0;
    unsigned long long generation = 0, n_docs = 0;
    snprintf(path, sizeof path, "%s/GENERATION", index->dir);
    WS_TRY(ws_file_read(path, 4096, &data, &size, error));
    char *text = ws_memdup0((const char *)data, size);
    ws_free(data);
    if (text == NULL)
        return WS_ERR_NOMEM;
    int n = sscanf(text, "%llu %llu", &generation, &n_docs);
    ws_status status = strncmp(text, "version", 7) == 0 ? WS_ERR_VERSION
                       : strncmp(text, "io", 2) == 0    ? WS_ERR_IO
                                                        : WS_ERR_CORRUPT;
    ws_free(text);
    if (n < 1)
        return ws_error_at(error, status, path, 0, "the fake index says so");
    index->generation = generation;
    index->n_docs = n == 2 ? n_docs : 1000;
    return WS_OK;
}

ws_status ws_index_open(ws_index **out, const char *dir, const ws_schema *schema,
                        const ws_index_options *options, ws_error *error)
{
    (void)schema;
    (void)options;
    *out = NULL;
    ws_index *index = ws_calloc(1, sizeof *index);
    if (index == NULL)
        return WS_ERR_NOMEM;
    snprintf(index->dir, sizeof index->dir, "%s", dir);
    ws_status status = read_generation(index, error);
    if (status < 0)
        ws_free(index);
    else
        *out = index;
    return status;
}

void ws_index_close(ws_index *index)
{
    ws_free(index);
}

ws_status ws_index_refresh(ws_index *index, uint64_t *generation, ws_error *error)
{
    WS_TRY(read_generation(index, error));
    *generation = index->generation;
    return WS_OK;
}

ws_status ws_index_stats(ws_index *index, ws_index_stats_data *stats)
{
    stats->generation = index->generation;
    stats->n_docs = index->n_docs;
    stats->n_segments = 1;
    stats->analysis_ok = 1;
    return WS_OK;
}

static ws_status to_text(ws_buf *buf, ws_text *out)
{
    out->ptr = ws_memdup0((const char *)buf->data, buf->len);
    out->len = out->ptr ? buf->len : 0;
    ws_buf_fini(buf);
    return out->ptr ? WS_OK : WS_ERR_NOMEM;
}

ws_status ws_index_describe(ws_index *index, ws_text *out, ws_error *error)
{
    ws_buf buf;
    (void)error;
    ws_buf_init(&buf);
    ws_buf_printf(&buf, "{\"generation\":%llu,\"schema\":{\"fields\":[",
                  (unsigned long long)index->generation);
    ws_buf_cstr(&buf, "{\"name\":\"title\",\"type\":\"text\",\"stored\":true},"
                      "{\"name\":\"body\",\"type\":\"text\",\"stored\":true},"
                      "{\"name\":\"lang\",\"type\":\"keyword\",\"stored\":true},"
                      "{\"name\":\"categories\",\"type\":\"keyword\",\"stored\":true,"
                      "\"multi\":true},"
                      "{\"name\":\"views\",\"type\":\"int\",\"stored\":true},"
                      "{\"name\":\"hidden\",\"type\":\"keyword\",\"stored\":false}]}}");
    return to_text(&buf, out);
}

void ws_text_free(ws_text *text)
{
    ws_free(text->ptr);
    *text = (ws_text){NULL, 0};
}

ws_status ws_index_get_limit(const ws_index *index, uint32_t which, uint64_t *value)
{
    *value = which < WS_LIMITS ? index->limits[which] : 0;
    return which < WS_LIMITS ? WS_OK : WS_ERR_ARG;
}

ws_status ws_index_set_limit(ws_index *index, uint32_t which, uint64_t value)
{
    if (which >= WS_LIMITS)
        return WS_ERR_ARG;
    index->limits[which] = value;
    return WS_OK;
}

ws_status ws_check(const char *dir, uint32_t level, ws_check_fn callback, void *ctx,
                   const ws_budget *budget, ws_error *error)
{
    ws_index *index = NULL;
    (void)level;
    (void)budget;
    ws_status status = ws_index_open(&index, dir, NULL, NULL, error);
    ws_check_item item = {dir, "manifest", status < 0 ? "broken" : "ok", 0, status};
    if (callback)
        callback(ctx, &item);
    ws_index_close(index);
    return status;
}

/* --- query --- */

static int has_equals(ws_str filter)
{
    return memchr(filter.ptr, '=', filter.len) != NULL;
}

static ws_status status_named(const char *name)
{
    return strncmp(name, "corrupt", 7) == 0     ? WS_ERR_CORRUPT
           : strncmp(name, "io", 2) == 0        ? WS_ERR_IO
           : strncmp(name, "nomem", 5) == 0     ? WS_ERR_NOMEM
           : strncmp(name, "cancelled", 9) == 0 ? WS_ERR_CANCELLED
                                                : WS_OK;
}

static uint64_t number_after(const char *text, const char *key, uint64_t fallback)
{
    const char *p = strstr(text, key);
    return p ? strtoull(p + strlen(key), NULL, 10) : fallback;
}

static void describe(ws_query *query)
{
    ws_json j;
    ws_json_init(&j, &query->description);
    ws_json_object(&j);
    ws_json_kcstr(&j, "normalized", query->text);
    ws_json_key(&j, "terms");
    ws_json_array(&j);
    ws_json_cstr(&j, query->text);
    ws_json_end_array(&j);
    ws_json_key(&j, "warnings");
    ws_json_array(&j);
    if (strstr(query->text, "warn")) {
        ws_json_object(&j);
        ws_json_kcstr(&j, "code", "query_truncated");
        ws_json_kcstr(&j, "message", "as asked");
        ws_json_end_object(&j);
    }
    ws_json_end_array(&j);
    ws_json_end_object(&j);
}

ws_status ws_query_parse(ws_query **out, ws_index *index, ws_str text,
                         const ws_query_options *options, ws_error *error)
{
    (void)index;
    *out = NULL;
    if (options->filter.len && !has_equals(options->filter))
        return ws_error_at(error, WS_ERR_SYNTAX, NULL, options->filter.len, "expected =");
    ws_query *query = ws_calloc(1, sizeof *query);
    if (query == NULL)
        return WS_ERR_NOMEM;
    query->text = ws_memdup0(text.ptr ? text.ptr : "", text.len);
    query->slow_ms = number_after(query->text, "slow:", 0);
    query->hits = number_after(query->text, "hits:", 3);
    query->df = number_after(query->text, "df:", 0);
    query->heavy = strstr(query->text, "heavy") != NULL;
    const char *bad = strstr(query->text, "bad:");
    query->bad = bad ? status_named(bad + 4) : WS_OK;
    describe(query);
    *out = query;
    return WS_OK;
}

void ws_query_free(ws_query *query)
{
    if (query == NULL)
        return;
    ws_buf_fini(&query->description);
    ws_free(query->text);
    ws_free(query);
}

ws_str ws_query_describe(const ws_query *query)
{
    return ws_buf_slice(&query->description);
}

ws_status ws_query_estimate(const ws_searcher *searcher, const ws_query *query, ws_cost *cost)
{
    (void)searcher;
    cost->document_frequency = query->df;
    cost->postings = query->heavy ? 10000000 : 100;
    return WS_OK;
}

/* --- search --- */

ws_status ws_searcher_open(ws_searcher **out, ws_index *index, ws_error *error)
{
    (void)error;
    *out = ws_calloc(1, sizeof **out);
    if (*out == NULL)
        return WS_ERR_NOMEM;
    (*out)->generation = index->generation;
    return WS_OK;
}

void ws_searcher_close(ws_searcher *searcher)
{
    ws_free(searcher);
}

uint64_t ws_searcher_generation(const ws_searcher *searcher)
{
    return searcher->generation;
}

ws_status ws_scratch_new(ws_scratch **out)
{
    *out = ws_calloc(1, sizeof **out);
    return *out ? WS_OK : WS_ERR_NOMEM;
}

void ws_scratch_free(ws_scratch *scratch)
{
    ws_free(scratch);
}

static ws_status dawdle(uint64_t milliseconds, const ws_budget *budget)
{
    static const struct timespec half_ms = {0, 500000};
    ws_budget own;
    ws_budget_init(&own, (uint32_t)milliseconds, 0);
    ws_status status = WS_OK;
    while (milliseconds && status == WS_OK && ws_budget_poll(&own, 0) == WS_OK) {
        nanosleep(&half_ms, NULL);
        status = ws_budget_poll(budget, 0);
    }
    return status;
}

ws_status ws_search(ws_searcher *searcher, const ws_query *query, const ws_search_options *options,
                    ws_scratch *scratch, const ws_budget *budget, ws_results **out, ws_error *error)
{
    (void)searcher;
    (void)scratch;
    *out = NULL;
    ws_status status = dawdle(query->slow_ms, budget);
    if (query->bad)
        status = query->bad;
    if (status < 0)
        return ws_error_at(error, status, "/secret/path", 0, "the fake library says so");
    ws_results *results = ws_calloc(1, sizeof *results);
    if (results == NULL)
        return WS_ERR_NOMEM;
    uint64_t found = status == WS_PARTIAL ? query->hits / 2 : query->hits;
    results->total = found;
    results->partial = status == WS_PARTIAL;
    uint64_t left = found > options->offset ? found - options->offset : 0;
    results->n = (uint32_t)(left < options->limit ? left : options->limit);
    for (uint32_t i = 0; i < results->n; i++)
        snprintf(results->ids[i], sizeof results->ids[i], "doc-%u", options->offset + i);
    *out = results;
    return status;
}

ws_status ws_results_fetch(ws_results *results, uint32_t from, uint32_t n,
                           const ws_fetch_options *options, const ws_budget *budget,
                           ws_error *error)
{
    (void)from;
    (void)n;
    (void)options;
    (void)budget;
    (void)error;
    results->fetched = 1;
    return WS_OK;
}

uint32_t ws_results_count(const ws_results *results)
{
    return results->n;
}

ws_status ws_results_hit(const ws_results *results, uint32_t i, ws_hit *hit)
{
    if (i >= results->n)
        return WS_ERR_RANGE;
    hit->score_value = 13.5 - i;
    hit->id = ws_cstr(results->ids[i]);
    hit->title = ws_cstr(title);
    hit->snippet = ws_cstr(snippet);
    hit->title_spans = title_spans;
    hit->n_title_spans = 2;
    hit->snippet_spans = snippet_spans;
    hit->n_snippet_spans = 1;
    hit->fetched = results->fetched != 0;
    return WS_OK;
}

ws_status ws_results_field(const ws_results *results, uint32_t i, ws_str field, uint32_t nth,
                           ws_str *value)
{
    static const char *const categories[] = {"역사", "나라"};
    (void)results;
    (void)i;
    if (ws_str_eq(field, WS_STR("categories")) && nth < 2)
        *value = ws_cstr(categories[nth]);
    else if (ws_str_eq(field, WS_STR("lang")) && nth == 0)
        *value = WS_STR("ko");
    else if (ws_str_eq(field, WS_STR("views")) && nth == 0)
        *value = WS_STR("1234");
    else
        return WS_ERR_NOT_FOUND;
    return WS_OK;
}

void ws_results_total(const ws_results *results, uint64_t *value, uint32_t *relation)
{
    *value = results->total;
    *relation = results->partial ? WS_RELATION_GTE : WS_RELATION_EQ;
}

void ws_results_cost(const ws_results *results, ws_cost *cost)
{
    cost->n_terms = 2;
    cost->postings = results->total;
    cost->blocks = 1;
    cost->fetch_bytes = 100;
}

void ws_results_free(ws_results *results)
{
    ws_free(results);
}

ws_status ws_document_get(ws_searcher *searcher, ws_str id, ws_text *out, ws_error *error)
{
    ws_buf buf;
    ws_json j;
    (void)searcher;
    if (!ws_str_starts_with(id, WS_STR("doc-")))
        return ws_error_set(error, WS_ERR_NOT_FOUND, "no such document");
    ws_buf_init(&buf);
    ws_json_init(&j, &buf);
    ws_json_object(&j);
    ws_json_kstr(&j, "id", id);
    ws_json_kcstr(&j, "title", title);
    if (ws_str_starts_with(id, WS_STR("doc-big"))) {
        ws_json_key(&j, "body");
        ws_buf_u8(&buf, '"');
        for (int i = 0; i < 400000; i++)
            ws_buf_cstr(&buf, "0123456789");
        ws_buf_u8(&buf, '"');
    }
    ws_json_end_object(&j);
    return to_text(&buf, out);
}

ws_status ws_documents_latest(ws_searcher *searcher, uint32_t offset, uint32_t limit, ws_str filter,
                              ws_text *out, ws_error *error)
{
    ws_buf buf;
    (void)searcher;
    if (filter.len && !has_equals(filter))
        return ws_error_at(error, WS_ERR_SYNTAX, NULL, 0, "expected =");
    ws_buf_init(&buf);
    ws_buf_cstr(&buf, "[");
    for (uint32_t i = 0; i < limit; i++)
        ws_buf_printf(&buf, "%s{\"id\":\"doc-%u\"}", i ? "," : "", offset + i);
    ws_buf_cstr(&buf, "]");
    return to_text(&buf, out);
}

ws_status ws_analyze(ws_index *index, ws_str field, ws_str text, uint32_t mode,
                     ws_analyze_fn callback, void *ctx, ws_error *error)
{
    (void)index;
    (void)mode;
    if (field.len && !ws_str_eq(field, WS_STR("body")))
        return ws_error_set(error, WS_ERR_SCHEMA, "there is no text field \"%.*s\"", (int)field.len,
                            field.ptr);
    uint32_t position = 0;
    for (size_t from = 0; from < text.len; position++) {
        size_t to = from;
        while (to < text.len && text.ptr[to] != ' ')
            to++;
        ws_analyzed_token token = {ws_str_sub(text, from, to), "word", (uint32_t)from, (uint32_t)to,
                                   position};
        callback(ctx, &token);
        from = to + 1;
    }
    return WS_OK;
}
