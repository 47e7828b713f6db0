/* Random queries over random corpora: hits, scores, order and totals must be those of the oracle,
 * bit for bit, whatever the traversal, the instruction set and the page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/api/api_int.h"
#include "tests/support/corpus.h"
#include "tests/support/oracle.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

#define TEXT_CAP 4096
#define NO_DOC   UINT32_MAX

/* Index and oracle side by side. */
typedef struct {
    ws_rng rng;
    ws_schema *schema;
    char dir[WS_TMPDIR_CAP];
    ws_index *index, *scalar; /* one directory, two instruction sets */
    ws_writer *writer;
    ws_searcher *searchers[2];
    ws_scratch *scratch;
    ws_oracle *oracle;
    char **bodies; /* by document of the oracle */
    uint32_t n_docs;
    uint32_t n_searches, n_matching, n_shifted; /* what the queries were like */
} world;

static const char standard_schema[] =
    "{\"fields\":[{\"name\":\"title\",\"type\":\"text\",\"boost\":2,\"stored\":false},"
    "{\"name\":\"body\",\"type\":\"text\",\"stored\":false},{\"name\":\"lang\",\"type\":"
    "\"keyword\",\"stored\":false},"
    "{\"name\":\"tags\",\"type\":\"keyword\",\"multi\":true,\"stored\":false},"
    "{\"name\":\"views\",\"type\":\"int\",\"stored\":false}]}";
static const char odd_schema[] =
    "{\"bm25\":{\"k1\":1.2,\"b\":0.75},\"streams\":{\"word\":1,\"bigram\":0.3,\"surface\":0.7},"
    "\"fields\":[{\"name\":\"title\",\"type\":\"text\",\"boost\":0,\"stored\":false},"
    "{\"name\":\"body\",\"type\":\"text\",\"boost\":1.7,\"stored\":false},"
    "{\"name\":\"views\",\"type\":\"int\",\"stored\":false}]}";
static const char mixed_schema[] =
    "{\"bm25\":{\"k1\":2,\"b\":1},\"fields\":[{\"name\":\"name\",\"type\":\"text\",\"analyzer\":"
    "\"keyword\",\"boost\":3,"
    "\"stored\":false},{\"name\":\"title\",\"type\":\"text\",\"positions\":false,\"stored\":false},"
    "{\"name\":\"body\",\"type\":\"text\",\"analyzer\":\"whitespace\",\"stored\":false}]}";
static const char heavy_schema[] =
    "{\"bm25\":{\"k1\":0,\"b\":0.4},\"streams\":{\"word\":40,\"bigram\":3,\"surface\":9},"
    "\"fields\":[{\"name\":\"title\",\"type\":\"text\",\"boost\":100,\"stored\":false},"
    "{\"name\":\"body\",\"type\":\"text\",\"boost\":7,\"stored\":false}]}";

static world *open_world(const char *schema, uint64_t seed)
{
    world *w = calloc(1, sizeof *w);
    w->rng = ws_rng_seeded(seed);
    cr_assert_eq(ws_schema_new_json(&w->schema, ws_cstr(schema), NULL), WS_OK);
    ws_tmpdir_make(w->dir);
    cr_assert_eq(ws_index_open(&w->index, w->dir, w->schema, NULL, NULL), WS_OK);
    cr_assert_eq(ws_writer_open(&w->writer, w->index, NULL, NULL), WS_OK);
    cr_assert_eq(ws_scratch_new(&w->scratch), WS_OK);
    w->oracle = ws_oracle_new(w->schema);
    return w;
}

static void close_world(world *w)
{
    for (int i = 0; i < 2; i++)
        ws_searcher_close(w->searchers[i]);
    ws_writer_close(w->writer);
    ws_index_close(w->scalar);
    ws_index_close(w->index);
    ws_scratch_free(w->scratch);
    ws_oracle_free(w->oracle);
    ws_schema_free(w->schema);
    for (uint32_t i = 0; i < w->n_docs; i++)
        free(w->bodies[i]);
    free(w->bodies);
    ws_tmpdir_remove(w->dir);
    free(w);
}

/* --- documents --- */

/* Values of a document, in buffers of this struct. */
typedef struct {
    char text[WS_MAX_FIELDS][TEXT_CAP];
    ws_oracle_value values[WS_MAX_FIELDS + 2];
    uint32_t n;
} draft;

static const char *const tags[] = {"a", "b", "c", "나라", "x y \"z\"", "back\\slash"};

static void add_value(draft *d, uint32_t field, const char *text)
{
    d->values[d->n++] = (ws_oracle_value){field, ws_cstr(text)};
}

static void draft_field(world *w, draft *d, uint32_t f, uint32_t max_words)
{
    const ws_field *field = &w->schema->fields[f];
    char *text = d->text[f];
    if (field->type == WS_FIELD_TEXT) {
        uint32_t words =
            (uint32_t)ws_rng_below(&w->rng, strcmp(field->name, "body") ? 5 : max_words + 1);
        if (ws_rng_below(&w->rng, 20) == 0)
            words = words * 3;
        size_t at = ws_corpus_text(&w->rng, words, text, TEXT_CAP);
        if (ws_rng_below(&w->rng, max_words * 10) ==
            0) /* a word more often than the tables have rows */
            for (uint64_t n = ws_rng_between(&w->rng, 60, 200); n; n--)
                at += (size_t)snprintf(text + at, TEXT_CAP - at, " history");
        add_value(d, f, text);
    } else if (field->type == WS_FIELD_INT && ws_rng_below(&w->rng, 5)) {
        snprintf(text, TEXT_CAP, "%d", (int)ws_rng_below(&w->rng, 200) - 100);
        add_value(d, f, text);
    } else if (field->type == WS_FIELD_KEYWORD) {
        uint64_t n = field->flags & WS_FIELD_MULTI ? ws_rng_below(&w->rng, 3)
                                                   : ws_rng_below(&w->rng, 8) != 0;
        while (n--)
            add_value(d, f, tags[ws_rng_below(&w->rng, field->flags & WS_FIELD_MULTI ? 6 : 3)]);
    }
}

static void put_index(world *w, const draft *d, uint32_t number)
{
    char id[32];
    ws_doc *doc;
    snprintf(id, sizeof id, "doc-%u", number);
    cr_assert_eq(ws_doc_new(&doc), WS_OK);
    for (uint32_t i = 0; i < d->n; i++)
        cr_assert_eq(ws_doc_set(doc, ws_cstr(w->schema->fields[d->values[i].field].name),
                                d->values[i].value),
                     WS_OK);
    cr_assert_eq(ws_writer_put(w->writer, ws_cstr(id), doc, 0, NULL), WS_OK);
    ws_doc_free(doc);
}

static void remember_body(world *w, const draft *d)
{
    int body = ws_schema_body_field(w->schema);
    w->bodies = realloc(w->bodies, (w->n_docs + 1) * sizeof *w->bodies);
    w->bodies[w->n_docs++] = strdup(d->text[body]);
}

/* Ids are numbers of the first document that had them, so that a replacement keeps its id. */
static void put(world *w, uint32_t max_words, uint32_t replaces)
{
    static draft d;
    memset(&d, 0, sizeof d);
    for (uint32_t f = 0; f < w->schema->n_fields; f++)
        draft_field(w, &d, f, max_words);
    put_index(w, &d, replaces == NO_DOC ? w->n_docs : replaces);
    ws_oracle_add(w->oracle, d.values, d.n, replaces);
    remember_body(w, &d);
}

static void delete (world *w, uint32_t doc)
{
    char id[32];
    snprintf(id, sizeof id, "doc-%u", doc);
    if (ws_writer_delete(w->writer, ws_cstr(id), NULL) == WS_OK)
        ws_oracle_delete(w->oracle, doc);
}

static void commit(world *w)
{
    cr_assert_eq(ws_writer_commit(w->writer, NULL, NULL, NULL), WS_OK);
    ws_oracle_commit(w->oracle);
}

/* n documents in a segment of their own; up to `changes` of documents [0, below) are deleted with
 * them. */
static void add_segment(world *w, uint32_t n, uint32_t max_words, uint32_t changes, uint32_t below)
{
    for (uint32_t i = 0; i < n; i++)
        put(w, max_words, NO_DOC);
    for (uint32_t i = 0; i < changes; i++)
        delete (w, (uint32_t)ws_rng_below(&w->rng, below));
    commit(w);
}

/* Replaces documents [from, to) and commits. From then on those numbers name their successors' ids,
 * so they are not deleted by number. */
static void replace_segment(world *w, uint32_t from, uint32_t to, uint32_t max_words)
{
    for (uint32_t doc = from; doc < to; doc++)
        put(w, max_words, doc);
    commit(w);
}

/* --- searching --- */

static void open_searchers(world *w)
{
    ws_index_options options = WS_INDEX_OPTIONS_INIT;
    options.isa = 1;
    cr_assert_eq(ws_index_open(&w->scalar, w->dir, NULL, &options, NULL), WS_OK);
    cr_assert_eq(ws_searcher_open(&w->searchers[0], w->index, NULL), WS_OK);
    cr_assert_eq(ws_searcher_open(&w->searchers[1], w->scalar, NULL), WS_OK);
}

/* Puts segments into the epoch or takes them out, in a copy of the index's snapshot. */
static void change_epoch(world *w, ws_index *index, const uint8_t *in_epoch)
{
    ws_snapshot *old = ws_index_pin(index), *changed;
    ws_manifest m;
    ws_manifest_init(&m);
    cr_assert_eq(ws_manifest_copy(&m, &old->manifest), WS_OK);
    ws_snapshot_segment *segments = ws_calloc(m.n_segments, sizeof *segments);
    for (uint32_t i = 0; i < m.n_segments; i++) {
        segments[i].segment = ws_segment_ref(old->segments[i].segment);
        cr_assert_eq(ws_live_copy(&segments[i].live, &old->segments[i].live), WS_OK);
        m.segments[i].in_epoch = in_epoch[i];
    }
    for (uint32_t i = 0; i < m.n_streams; i++)
        ws_oracle_epoch_stream(w->oracle, m.streams[i].field, m.streams[i].stream,
                               &m.streams[i].n_docs, &m.streams[i].sum_length);
    m.generation++;
    cr_assert_eq(ws_snapshot_make(&changed, &m, segments), WS_OK);
    ws_index_publish(index, changed);
    ws_snapshot_unref(old);
}

static void set_epoch(world *w, const uint8_t *in_epoch)
{
    ws_oracle_set_epoch(w->oracle, in_epoch);
    for (int i = 0; i < 2; i++) {
        ws_searcher_close(w->searchers[i]);
        change_epoch(w, i ? w->scalar : w->index, in_epoch);
        cr_assert_eq(ws_searcher_open(&w->searchers[i], i ? w->scalar : w->index, NULL), WS_OK);
    }
}

/* A query in both languages: text and options, and the conditions for the oracle. */
typedef struct {
    char text[TEXT_CAP], filter[1024];
    ws_oracle_condition conditions[3];
    uint32_t n_conditions;
    int all;
} question;

static void write_keyword(question *q, const char *name, const char *value, int negative)
{
    size_t at = strlen(q->filter);
    at += (size_t)snprintf(q->filter + at, sizeof q->filter - at, "%s%s %s \"", at ? " AND " : "",
                           name, negative ? "!=" : "=");
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            q->filter[at++] = '\\';
        q->filter[at++] = *value;
    }
    q->filter[at] = '"';
}

static void write_int(question *q, const char *name, ws_oracle_condition *c, uint64_t kind,
                      int64_t value)
{
    static const char *const ops[] = {"=", "!=", "<", "<=", ">", ">="};
    size_t at = strlen(q->filter);
    snprintf(q->filter + at, sizeof q->filter - at, "%s%s%s%d", at ? " and " : "", name, ops[kind],
             (int)value);
    c->negative = kind == 1;
    c->low = kind == 2 || kind == 3 ? INT64_MIN : kind == 4 ? value + 1 : value;
    c->high = kind == 4 || kind == 5 ? INT64_MAX : kind == 2 ? value - 1 : value;
}

static void add_condition(world *w, question *q)
{
    uint32_t field = (uint32_t)ws_rng_below(&w->rng, w->schema->n_fields);
    const ws_field *f = &w->schema->fields[field];
    ws_oracle_condition *c = &q->conditions[q->n_conditions];
    memset(c, 0, sizeof *c);
    c->field = field;
    if (f->type == WS_FIELD_KEYWORD) {
        c->value = ws_cstr(tags[ws_rng_below(&w->rng, 6)]);
        c->negative = (int)ws_rng_below(&w->rng, 2);
        write_keyword(q, f->name, c->value.ptr, c->negative);
    } else if (f->type == WS_FIELD_INT) {
        write_int(q, f->name, c, ws_rng_below(&w->rng, 6),
                  (int64_t)ws_rng_below(&w->rng, 160) - 80);
    } else {
        return;
    }
    q->n_conditions++;
}

static void make_question(world *w, question *q)
{
    memset(q, 0, sizeof *q);
    ws_corpus_query(&w->rng, w->bodies[ws_rng_below(&w->rng, w->n_docs)], q->text, sizeof q->text);
    q->all = (int)ws_rng_below(&w->rng, 2);
    if (ws_rng_below(&w->rng, 3) == 0)
        for (uint64_t n = ws_rng_between(&w->rng, 1, 3); n; n--)
            add_condition(w, q);
}

static int page_is_right(const ws_results *r, const ws_oracle_hit *hits, uint32_t n,
                         uint32_t offset, uint32_t limit)
{
    uint32_t expected = n > offset ? n - offset : 0;
    expected = expected < limit ? expected : limit;
    if (ws_results_count(r) != expected)
        return 0;
    for (uint32_t i = 0; i < expected; i++) {
        ws_hit hit = {.size = sizeof hit};
        if (ws_results_hit(r, i, &hit) || hit.score != hits[offset + i].score ||
            hit.doc_key != hits[offset + i].key)
            return 0;
    }
    return 1;
}

/* One search compared; 0 when it differs. */
static int search_is_right(world *w, ws_searcher *searcher, const ws_query *query,
                           uint32_t traversal, uint32_t offset, uint32_t limit,
                           const ws_oracle_hit *hits, uint32_t n, uint32_t shift)
{
    ws_search_options options = WS_SEARCH_OPTIONS_INIT;
    ws_results *results;
    uint64_t total;
    uint32_t relation;
    ws_cost cost = {.size = sizeof cost};
    options.traversal = traversal;
    options.offset = offset;
    options.limit = limit;
    cr_assert_eq(ws_search(searcher, query, &options, w->scratch, NULL, &results, NULL), WS_OK);
    ws_results_total(results, &total, &relation);
    ws_results_cost(results, &cost);
    int right = total == n && relation == WS_RELATION_EQ && cost.scale_shift == shift &&
                page_is_right(results, hits, n, offset, limit);
    ws_results_free(results);
    return right;
}

static ws_query *parse(world *w, const question *q)
{
    ws_query_options options = WS_QUERY_OPTIONS_INIT;
    ws_query *query;
    ws_error error = {0};
    options.op = q->all ? WS_OPERATOR_AND : WS_OPERATOR_OR;
    options.filter = ws_cstr(q->filter);
    cr_assert_eq(ws_query_parse(&query, w->index, ws_cstr(q->text), &options, &error), WS_OK,
                 "%s: %s", q->filter, error.message);
    return query;
}

/* Number of searches of one query that differ from the oracle. */
static uint32_t count_differences(world *w, const question *q)
{
    const uint32_t limits[] = {1, 10, 100, 10000};
    const ws_oracle_hit *hits;
    uint32_t shift, differences = 0;
    ws_query *query = parse(w, q);
    uint32_t n = ws_oracle_search(w->oracle, ws_cstr(q->text), q->all, q->conditions,
                                  q->n_conditions, &hits, &shift);
    for (int s = 0; s < 2; s++)
        for (uint32_t traversal = 0; traversal < 2; traversal++)
            for (int k = 0; k < 4; k++)
                differences += !search_is_right(w, w->searchers[s], query, traversal, 0, limits[k],
                                                hits, n, shift);
    differences += !search_is_right(w, w->searchers[0], query, 0,
                                    (uint32_t)ws_rng_below(&w->rng, 20), 7, hits, n, shift);
    w->n_searches++;
    w->n_matching += n != 0;
    w->n_shifted += shift != 0;
    ws_query_free(query);
    return differences;
}

static void compare(world *w, uint32_t n_queries)
{
    static question q;
    for (uint32_t i = 0; i < n_queries; i++) {
        make_question(w, &q);
        cr_assert_eq(count_differences(w, &q), 0, "seed %llu, query %u: '%s' %s, filter '%s'",
                     (unsigned long long)w->rng.seed, i, q.text, q.all ? "and" : "or", q.filter);
    }
}

/* Queries whose lists stand in few windows, beside lists that stand in all and only score or
 * exclude. */
static void compare_rare(world *w)
{
    static const char *const patterns[] = {"name%u",
                                           "name%u -the",
                                           "name%u the",
                                           "name%u -\"the of\"",
                                           "name%u history 역사",
                                           "\"name%u the\"",
                                           "name%u -name%u",
                                           "고려대학교 name%u"};
    for (uint32_t i = 0; i < 96; i++) {
        question q = {.all = i / 8 % 2};
        unsigned a = (unsigned)ws_rng_skewed(&w->rng, 12), b = (unsigned)ws_rng_skewed(&w->rng, 12);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
        snprintf(q.text, sizeof q.text, patterns[i % 8], a, b);
#pragma GCC diagnostic pop
        cr_assert_eq(count_differences(w, &q), 0, "seed %llu: '%s' %s",
                     (unsigned long long)w->rng.seed, q.text, q.all ? "and" : "or");
    }
}

/* Guards against queries that ask nothing. */
static void finish(world *w)
{
    cr_assert_gt(w->n_matching * 10, w->n_searches * 3, "only %u of %u queries match",
                 w->n_matching, w->n_searches);
    close_world(w);
}

Test(search_oracle, one_segment)
{
    world *w = open_world(standard_schema, 1);
    add_segment(w, 500, 40, 0, 0);
    open_searchers(w);
    compare(w, 600);
    finish(w);
}

Test(search_oracle, four_segments_with_deletes_and_replacements)
{
    world *w = open_world(standard_schema, 2);
    add_segment(w, 250, 40, 0, 0);
    add_segment(w, 90, 40, 30, 250);
    replace_segment(w, 250, 300, 40);
    add_segment(w, 3, 40, 20, 250); /* too few for a new epoch */
    open_searchers(w);
    compare(w, 600);
    finish(w);
}

Test(search_oracle, segments_outside_the_epoch)
{
    world *w = open_world(standard_schema, 3);
    const uint8_t epochs[][4] = {{1, 0, 1, 0}, {0, 0, 0, 1}, {0, 1, 1, 1}, {0, 0, 0, 0}};
    add_segment(w, 120, 30, 0, 0);
    add_segment(w, 90, 50, 10, 120);
    add_segment(w, 150, 20, 20, 210);
    add_segment(w, 60, 30, 20, 360);
    open_searchers(w);
    for (int i = 0; i < 4; i++) {
        set_epoch(w, epochs[i]);
        compare(w, 100);
    }
    finish(w);
}

Test(search_oracle, odd_weights)
{
    world *w = open_world(odd_schema, 4);
    add_segment(w, 200, 40, 0, 0);
    add_segment(w, 100, 40, 30, 200);
    open_searchers(w);
    compare(w, 300);
    finish(w);
}

Test(search_oracle, three_analyzers_and_a_field_without_positions)
{
    world *w = open_world(mixed_schema, 5);
    add_segment(w, 200, 40, 0, 0);
    add_segment(w, 100, 40, 30, 200);
    open_searchers(w);
    compare(w, 300);
    finish(w);
}

Test(search_oracle, scale_is_lowered_for_heavy_weights)
{
    world *w = open_world(heavy_schema, 6);
    add_segment(w, 300, 30, 0, 0);
    open_searchers(w);
    compare(w, 200);
    cr_assert_gt(w->n_shifted * 2, w->n_searches);
    finish(w);
}

/* Several windows, lists of many blocks, bit sets. */
Test(search_oracle, large_segments)
{
    world *w = open_world(standard_schema, 7);
    add_segment(w, 9000, 6, 0, 0);
    add_segment(w, 4500, 6, 2000, 9000);
    open_searchers(w);
    compare(w, 80);
    compare_rare(w);
    finish(w);
}

/* --- the comparison must be able to fail --- */

static void put_river(world *w, uint32_t number)
{
    static draft d;
    memset(&d, 0, sizeof d);
    snprintf(d.text[1], TEXT_CAP, "history w%u river river sea", number % 5);
    add_value(&d, 1, d.text[1]);
    put_index(w, &d, number);
    ws_oracle_add(w->oracle, d.values, 1, NO_DOC);
    remember_body(w, &d);
}

static void flip(const uint8_t *byte, unsigned bit)
{
    *(uint8_t *)(uintptr_t)byte ^= (uint8_t)(1u << bit); /* the file was copied into memory */
}

/* TF block of "river": width 1, no exceptions, then one bit a document (docs/format.md 5.2). */
static void change_tf(ws_segment *segment, uint32_t doc)
{
    uint8_t key[WS_TERM_KEY_MAX];
    ws_term_info info;
    ws_str stored = {(const char *)key,
                     ws_term_key(1, WS_STREAM_WORD, ws_cstr("river"), key, NULL)};
    cr_assert_eq(ws_dictionary_find(segment, stored, &info), WS_OK);
    const uint8_t *block = segment->tf.data + info.tf_offset;
    cr_assert_eq(info.df, 30);
    flip(block + 2 + doc / 8, doc % 8);
}

typedef enum { NOTHING, ONE_TF, ONE_NORM, ONE_LIVE_BIT } mutation;

static void mutate(ws_index *index, mutation what)
{
    ws_snapshot_segment *s = &index->snapshot->segments[0];
    if (what == ONE_TF)
        change_tf(s->segment, 7);
    else if (what == ONE_NORM)
        flip(s->segment->norms[1][WS_STREAM_WORD].data + 7, 0);
    else if (what == ONE_LIVE_BIT)
        s->live.words[0] ^= 1u << 7;
}

/* Searches that differ when the second index has one thing changed in memory. */
static uint32_t differences_of(mutation what)
{
    world *w = open_world(standard_schema, 8);
    ws_index_options options = {sizeof options, WS_ACCESS_READ, WS_VERIFY_OFF, 1};
    question q = {.text = "river"};
    for (uint32_t i = 0; i < 30; i++)
        put_river(w, i);
    commit(w);
    delete (w, 3); /* so that there are live bits */
    cr_assert_eq(ws_writer_commit(w->writer, NULL, NULL, NULL), WS_OK);
    cr_assert_eq(ws_index_open(&w->scalar, w->dir, NULL, &options, NULL), WS_OK);
    mutate(w->scalar, what);
    cr_assert_eq(ws_searcher_open(&w->searchers[0], w->index, NULL), WS_OK);
    cr_assert_eq(ws_searcher_open(&w->searchers[1], w->scalar, NULL), WS_OK);
    uint32_t differences = count_differences(w, &q);
    close_world(w);
    return differences;
}

Test(search_oracle, one_changed_tf_norm_or_live_bit_is_noticed)
{
    cr_assert_eq(differences_of(NOTHING), 0);
    cr_assert_geq(differences_of(ONE_TF), 6);
    cr_assert_geq(differences_of(ONE_NORM), 6);
    cr_assert_eq(differences_of(ONE_LIVE_BIT), 8);
}
