/* Searches over a segment whose bytes lie, without the hashes that would tell: a status or an
 * answer, never a read beyond. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "engine/api/api_int.h"
#include "tests/support/corpus.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

static const char schema_json[] = "{\"fields\":[{\"name\":\"title\",\"type\":\"text\",\"stored\":"
                                  "false},{\"name\":\"body\",\"type\":\"text\",\"stored\":false},"
                                  "{\"name\":\"lang\",\"type\":\"keyword\",\"stored\":false},{"
                                  "\"name\":\"views\",\"type\":\"int\",\"stored\":false}]}";

static char dir[WS_TMPDIR_CAP];
static ws_rng rng;
static ws_index *handle;
static ws_searcher *searcher;
static ws_scratch *scratch;

static void put(ws_writer *writer, ws_doc *doc, uint32_t number)
{
    char id[16], views[16], title[256], body[512];
    snprintf(id, sizeof id, "%u", number);
    snprintf(views, sizeof views, "%u", number % 100);
    ws_corpus_text(&rng, 3, title, sizeof title);
    ws_corpus_text(&rng, (uint32_t)ws_rng_below(&rng, 12), body, sizeof body);
    ws_doc_reset(doc);
    ws_doc_set(doc, WS_STR("title"), ws_cstr(title));
    ws_doc_set(doc, WS_STR("body"), ws_cstr(body));
    ws_doc_set(doc, WS_STR("lang"), ws_cstr(number % 3 ? "ko" : "en"));
    ws_doc_set(doc, WS_STR("views"), ws_cstr(views));
    cr_assert_eq(ws_writer_put(writer, ws_cstr(id), doc, 0, NULL), WS_OK);
}

static void build(void)
{
    ws_schema *schema;
    ws_index *index;
    ws_writer *writer;
    ws_doc *doc;
    cr_assert_eq(ws_schema_new_json(&schema, ws_cstr(schema_json), NULL), WS_OK);
    cr_assert_eq(ws_index_open(&index, dir, schema, NULL, NULL), WS_OK);
    cr_assert_eq(ws_writer_open(&writer, index, NULL, NULL), WS_OK);
    cr_assert_eq(ws_doc_new(&doc), WS_OK);
    for (uint32_t i = 0; i < 9000; i++)
        put(writer, doc, i);
    cr_assert_eq(ws_writer_commit(writer, NULL, NULL, NULL), WS_OK);
    ws_doc_free(doc);
    ws_writer_close(writer);
    ws_index_close(index);
    ws_schema_free(schema);
}

static void setup(void)
{
    ws_index_options options = {sizeof options, WS_ACCESS_READ, WS_VERIFY_OFF, 0};
    rng = ws_rng_seeded(41);
    ws_tmpdir_make(dir);
    build();
    cr_assert_eq(ws_index_open(&handle, dir, NULL, &options, NULL), WS_OK);
    cr_assert_eq(ws_searcher_open(&searcher, handle, NULL), WS_OK);
    cr_assert_eq(ws_scratch_new(&scratch), WS_OK);
}

static void teardown(void)
{
    ws_scratch_free(scratch);
    ws_searcher_close(searcher);
    ws_index_close(handle);
    ws_tmpdir_remove(dir);
}

static const char *const texts[] = {
    "the history",  "\"the of\" history", "대한민국은 -\"한국 역사\"",
    "the -history", "name1 the",          "\"대한민국의 역사\"",
    "k-pop e-mail", "역사 학교 사람"};

/* Runs every query both ways; returns how many ended in an error. */
static uint32_t search_all(void)
{
    uint32_t n_errors = 0;
    for (uint32_t i = 0; i < WS_ARRAY_LEN(texts) * 4; i++) {
        ws_query_options parsing = WS_QUERY_OPTIONS_INIT;
        ws_search_options options = WS_SEARCH_OPTIONS_INIT;
        ws_query *query;
        ws_results *results;
        parsing.op = i & 1;
        parsing.filter = i % 3 ? WS_STR("") : WS_STR("lang = \"ko\" AND views < 50");
        options.traversal = i >> 1 & 1;
        cr_assert_eq(ws_query_parse(&query, handle, ws_cstr(texts[i / 4]), &parsing, NULL), WS_OK);
        ws_status status = ws_search(searcher, query, &options, scratch, NULL, &results, NULL);
        cr_assert(status == WS_OK || status == WS_ERR_CORRUPT || status == WS_ERR_STATE,
                  "status %d", status);
        n_errors += status < 0;
        ws_results_free(results);
        ws_query_free(query);
    }
    return n_errors;
}

/* A random byte of a random section of those that a search reads. */
static uint8_t *random_byte(ws_segment *s)
{
    const ws_section sections[] = {s->doc_ids,     s->tf,          s->pos,      s->block_dir,
                                   s->pos_dir,     s->term_blocks, s->id_map,   s->norms[1][0],
                                   s->norms[1][1], s->column[2],   s->column[3]};
    for (;;) {
        const ws_section *section = &sections[ws_rng_below(&rng, WS_ARRAY_LEN(sections))];
        if (section->size)
            return (uint8_t *)(uintptr_t)section->data + ws_rng_below(&rng, section->size);
    }
}

Test(search_damage, changed_bytes_are_an_error_or_another_answer, .init = setup, .fini = teardown)
{
    uint32_t n_errors = 0;
    cr_assert_eq(search_all(), 0);
    for (int round = 0; round < 150; round++) {
        uint8_t *bytes[64], before[64];
        uint64_t n = ws_rng_between(&rng, 1, 64);
        for (uint64_t i = 0; i < n; i++) {
            bytes[i] = random_byte(handle->snapshot->segments[0].segment);
            before[i] = *bytes[i];
            *bytes[i] ^= (uint8_t)(1u << ws_rng_below(&rng, 8));
        }
        n_errors += search_all();
        while (n--)
            *bytes[n] = before[n];
    }
    cr_assert_gt(n_errors, 100, "the damage was seen %u times", n_errors);
    cr_assert_eq(search_all(), 0, "and left no trace");
}
