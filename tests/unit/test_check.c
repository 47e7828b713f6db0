/* The examiner: silent about what is whole, and never silent about what is not. */
#include <unistd.h>

#include "engine/index/check.h"
#include "tests/support/faults.h"
#include "tests/support/sample_index.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"
#include "wikisearch/budget.h"

#define DOCS 12u

static char dir[WS_TMPDIR_CAP];

static void make_dir(void)
{
    ws_tmpdir_make(dir);
}

static void remove_dir(void)
{
    ws_tmpdir_remove(dir);
}

typedef struct {
    uint32_t good, bad;
    char last_bad[512];
} tally;

static void count(void *ctx, const ws_check_item *item)
{
    tally *t = ctx;
    cr_assert(item->path && item->section && item->message);
    if (item->status == WS_OK) {
        cr_assert_str_eq(item->message, "ok");
        t->good++;
        return;
    }
    cr_assert_str_neq(item->message, "ok");
    t->bad++;
    snprintf(t->last_bad, sizeof t->last_bad, "%s %s: %s", item->path, item->section,
             item->message);
}

/* Three generations: two segments, deletes, a merge that left its inputs to MANIFEST.prev. */
static void build(void)
{
    ws_manifest m;
    ws_live live;
    sample_manifest(&m);
    sample_doc *docs = sample_docs_new(DOCS, 100, 300);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(sample_add_segment(&m, dir, docs, DOCS, NULL), WS_OK);
        cr_assert_eq(sample_commit(&m, dir, NULL), WS_OK);
    }
    cr_assert_eq(ws_live_init(&live, 2, DOCS), WS_OK);
    ws_live_delete(&live, 3);
    live.generation = 3;
    cr_assert_eq(ws_live_write(&live, dir, &m.segments[1].live_hash, NULL), WS_OK);
    m.segments[1].live_generation = 3;
    m.segments[1].n_deleted = 1;
    ws_live_fini(&live);
    m.segments[0] = m.segments[1];
    m.n_segments = 1;
    cr_assert_eq(sample_commit(&m, dir, NULL), WS_OK);
    cr_assert_eq(ws_manifest_sweep(dir, NULL), WS_OK);
    sample_docs_free(docs, DOCS);
    ws_manifest_fini(&m);
}

static ws_status check(uint32_t level, tally *t)
{
    ws_error error = {0};
    *t = (tally){0, 0, ""};
    ws_status status = ws_check_directory(dir, level, count, t, NULL, &error);
    cr_assert(status == WS_OK || error.message[0]);
    return status;
}

Test(check, whole_indexes_have_no_findings, .init = make_dir, .fini = remove_dir)
{
    tally t[3];
    build();
    for (uint32_t level = WS_CHECK_QUICK; level <= WS_CHECK_DEEP; level++) {
        cr_assert_eq(check(level, &t[level]), WS_OK, "%s", t[level].last_bad);
        cr_assert_eq(t[level].bad, 0u);
    }
    cr_assert_geq(t[0].good, 4u);
    cr_assert_geq(t[1].good, t[0].good + 10, "every section is named");
    cr_assert_geq(t[2].good, t[1].good + 4);
    cr_assert_eq(ws_check_directory(dir, WS_CHECK_DEEP, NULL, NULL, NULL, NULL), WS_OK,
                 "without a callback");
}

static char *path_of(const char *name, char out[1024])
{
    return ws_tmpdir_path(out, 1024, dir, name);
}

/* Inverts one byte after the other (each `step`th) of a file and expects a finding at `level`. */
static void expect_findings(const char *name, size_t step, uint32_t level)
{
    char path[1024];
    uint8_t *data;
    size_t size;
    tally t;
    cr_assert_eq(ws_file_read(path_of(name, path), 1u << 24, &data, &size, NULL), WS_OK);
    for (size_t i = 0; i < size; i += step) {
        sample_poke(path, i, (uint8_t)~data[i]);
        cr_assert_eq(check(level, &t), WS_ERR_CORRUPT, "%s, byte %zu", name, i);
        cr_assert_geq(t.bad, 1u);
        sample_poke(path, i, data[i]);
    }
    ws_tmpdir_write(path, data, size / 2);
    cr_assert_eq(check(level, &t), WS_ERR_CORRUPT, "%s, cut", name);
    cr_assert_eq(unlink(path), 0);
    ws_status status = check(level, &t);
    cr_assert(strcmp(name, "MANIFEST.prev") == 0 ? status == WS_OK : status == WS_ERR_CORRUPT,
              "%s, gone: %d", name, status);
    ws_tmpdir_write(path, data, size);
    cr_assert_eq(check(level, &t), WS_OK, "%s", t.last_bad);
    ws_free(data);
}

Test(check, damage_in_every_file_is_found, .init = make_dir, .fini = remove_dir, .timeout = 300)
{
    build();
    expect_findings("MANIFEST", 1, WS_CHECK_QUICK);
    expect_findings("MANIFEST.prev", 1, WS_CHECK_QUICK);
    expect_findings("del-0000000000000002-0000000000000003.wsd", 1, WS_CHECK_QUICK);
    expect_findings("seg-0000000000000002.wsg", 3, WS_CHECK_NORMAL);
}

Test(check, what_the_previous_manifest_names_must_be_there, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    tally t;
    build();
    cr_assert_eq(unlink(path_of("seg-0000000000000001.wsg", path)), 0);
    cr_assert_eq(check(WS_CHECK_QUICK, &t), WS_ERR_CORRUPT);
    cr_assert(strstr(t.last_bad, "seg-0000000000000001.wsg") != NULL);
}

Test(check, without_an_index_it_cannot_be_told, .init = make_dir, .fini = remove_dir)
{
    tally t;
    cr_assert_eq(check(WS_CHECK_QUICK, &t), WS_ERR_NOT_FOUND);
    cr_assert_eq(t.good + t.bad, 0u);
}

Test(check, a_cancel_ends_it, .init = make_dir, .fini = remove_dir)
{
    ws_budget budget;
    tally t = {0, 0, ""};
    build();
    ws_budget_init(&budget, 0, 0);
    ws_budget_cancel(&budget);
    cr_assert_eq(ws_check_directory(dir, WS_CHECK_DEEP, count, &t, &budget, NULL),
                 WS_ERR_CANCELLED);
}

/* --- lies behind right hashes: only decoding finds them --- */

typedef struct {
    uint8_t *data;
    size_t size;
    ws_segment *segment; /* the truth */
} liar;

static void liar_init(liar *l)
{
    ws_segment_options options = {0, 0, 0};
    l->data = sample_segment(60, 101, 300, &l->size);
    uint8_t *copy = ws_malloc(l->size);
    memcpy(copy, l->data, l->size);
    cr_assert_eq(ws_segment_open_memory(&l->segment, copy, l->size, &options, NULL), WS_OK);
}

static void liar_fini(liar *l)
{
    ws_segment_unref(l->segment);
    ws_free(l->data);
}

/* Place in data of something in the segment's memory. */
static uint8_t *at(const liar *l, const uint8_t *in_segment)
{
    return l->data + (in_segment - l->segment->file.map.data);
}

static ws_status check_liar(const liar *l, tally *t)
{
    ws_segment_options options = {0, 0, 0};
    ws_schema schema = sample_schema();
    ws_segment *s;
    uint8_t *copy = ws_malloc(l->size);
    *t = (tally){0, 0, ""};
    memcpy(copy, l->data, l->size);
    sample_rehash(copy, l->size);
    ws_error error = {0};
    ws_status status = ws_segment_open_memory(&s, copy, l->size, &options, &error);
    if (status)
        return status;
    cr_assert_eq(ws_check_segment(s, &schema, WS_CHECK_NORMAL, count, t, NULL, &error), WS_OK,
                 "hashes are right");
    status = ws_check_segment(s, &schema, WS_CHECK_DEEP, count, t, NULL, &error);
    ws_segment_unref(s);
    return status;
}

static void expect_lie(liar *l, uint8_t *byte, uint8_t value, const char *what)
{
    tally t;
    uint8_t was = *byte;
    cr_assert_neq(was, value);
    *byte = value;
    cr_assert_eq(check_liar(l, &t), WS_ERR_CORRUPT, "%s", what);
    *byte = was;
}

Test(check, numbers_that_contradict_each_other_are_found)
{
    liar l;
    tally t;
    liar_init(&l);
    cr_assert_eq(check_liar(&l, &t), WS_OK, "%s", t.last_bad);
    ws_segment *s = l.segment;
    ws_section meta =
        ws_segment_file_section(&s->file, WS_KIND_META, WS_ALL_FIELDS, WS_ALL_STREAMS);
    uint8_t *m = at(&l, meta.data);
    expect_lie(&l, m + 8, (uint8_t)(m[8] + 1), "terms");
    expect_lie(&l, m + 16, (uint8_t)(m[16] + 1), "postings");
    expect_lie(&l, m + 24, (uint8_t)(m[24] + 1), "positions");
    expect_lie(&l, m + 32, (uint8_t)(m[32] + 1), "least key");
    expect_lie(&l, m + 40, (uint8_t)(m[40] - 1), "greatest key");
    expect_lie(&l, m + 56 + 4, (uint8_t)(m[60] - 1), "documents of a stream");
    expect_lie(&l, m + 56 + 8, (uint8_t)(m[64] + 1), "length of a stream");
    expect_lie(&l, m + 56 + 16, (uint8_t)(m[72] + 1), "terms of a stream");
    uint8_t *norms = at(&l, s->norms[SAMPLE_BODY][0].data);
    uint32_t d = 0;
    while (norms[d] == 0)
        d++;
    expect_lie(&l, norms + d, 0, "a length of 0 with postings");
    expect_lie(&l, norms + 4, 1, "a length below the last position");
    while (norms[d] != 0)
        d++;
    cr_assert_lt(d, s->meta.n_docs);
    expect_lie(&l, norms + d, 9, "a length without postings");
    uint8_t *keys = at(&l, s->doc_key.data);
    expect_lie(&l, keys + 8, 0, "keys outside their range");
    uint8_t *slots = at(&l, s->term_hash.data + 16);
    while (!ws_load_u32le(slots))
        slots += 4;
    expect_lie(&l, slots + 3, (uint8_t)(slots[3] ^ 0x40), "a term that the hash does not find");
    liar_fini(&l);
}

/* Any byte, any value, hashes right: the check ends with a status, and a segment that it calls good
 * can be read. */
Test(check, random_lies_are_survived, .timeout = 300)
{
    liar l;
    ws_rng rng = ws_rng_seeded(102);
    uint32_t found = 0;
    liar_init(&l);
    for (int i = 0; i < 1500; i++) {
        uint64_t where =
            ws_rng_between(&rng, WS_SEGMENT_HEADER_BYTES, l.size - WS_SEGMENT_TAIL_BYTES - 1);
        uint8_t was = l.data[where];
        tally t;
        l.data[where] = (uint8_t)ws_rng_u32(&rng);
        ws_status status = check_liar(&l, &t);
        cr_assert(status == WS_OK || status == WS_ERR_CORRUPT || status == WS_ERR_VERSION,
                  "byte %llu: %d, seed %llu", (unsigned long long)where, status,
                  (unsigned long long)rng.seed);
        found += status != WS_OK;
        l.data[where] = was;
    }
    cr_assert_gt(found, 300u);
    liar_fini(&l);
}

Test(check, no_memory_is_a_status, .init = make_dir, .fini = remove_dir)
{
    ws_faults faults;
    int failed = 1;
    build();
    for (uint64_t n = 0; failed; n++) {
        ws_faults_arm(&faults, n);
        ws_status status = ws_check_directory(dir, WS_CHECK_DEEP, NULL, NULL, NULL, NULL);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu",
                     (unsigned long long)n);
    }
}
