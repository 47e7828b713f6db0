/* A whole segment: read by many threads, damaged anywhere, it gives the truth or a status. */
#include <pthread.h>

#include "tests/support/faults.h"
#include "tests/support/sample_index.h"
#include "tests/support/test.h"
#include "tests/support/tmpdir.h"

static char dir[WS_TMPDIR_CAP];

static void make_dir(void)
{
    ws_tmpdir_make(dir);
}

static void remove_dir(void)
{
    ws_tmpdir_remove(dir);
}

static ws_status open_bytes(const uint8_t *data, size_t size, ws_segment **s)
{
    ws_segment_options options = {0, 0, 0};
    uint8_t *copy = ws_malloc(size);
    cr_assert_not_null(copy);
    memcpy(copy, data, size);
    return ws_segment_open_memory(s, copy, size, &options, NULL);
}

static ws_status open_file(const char *path, uint32_t verify, ws_segment **s)
{
    ws_segment_options options = {WS_ACCESS_MMAP, verify, 0};
    return ws_segment_open(s, path, &options, NULL);
}

Test(segment, holds_what_was_put_in)
{
    const uint32_t n = 300;
    size_t size;
    uint8_t *data = sample_segment(n, 110, 500, &size);
    sample_doc *docs = sample_docs_new(n, 110, 500);
    ws_segment *s;
    ws_stored_reader *reader;
    cr_assert_eq(open_bytes(data, size, &s), WS_OK);
    cr_assert_eq(ws_stored_reader_new(&reader), WS_OK);
    cr_assert_eq(s->meta.n_docs, n);
    cr_assert_eq(s->meta.min_doc_key, (uint64_t)100);
    cr_assert_eq(s->meta.max_doc_key, (uint64_t)100 + n - 1);
    for (uint32_t d = 0; d < n; d++) {
        ws_buf body;
        char buffer[WS_ID_MAX];
        ws_str id;
        int64_t views;
        int present;
        ws_buf_init(&body);
        cr_assert_eq(ws_stored_open(reader, s, d), WS_OK);
        cr_assert_eq(
            ws_stored_whole(reader, (uint32_t)ws_stored_find(reader, SAMPLE_BODY, 0), &body),
            WS_OK);
        cr_assert(ws_str_eq(ws_buf_slice(&body), ws_cstr(docs[d].body)));
        cr_assert_eq(ws_segment_id(s, d, buffer, &id), WS_OK);
        cr_assert(ws_str_eq(id, ws_cstr(docs[d].id)));
        cr_assert_eq(ws_column_int(s, SAMPLE_VIEWS, d, &views, &present), WS_OK);
        cr_assert(present == docs[d].has_views && (!present || views == docs[d].views));
        ws_buf_fini(&body);
    }
    const ws_stream_meta *words = ws_segment_stream(s, SAMPLE_BODY, 0);
    uint64_t length = 0;
    for (uint32_t d = 0; d < n; d++)
        length += docs[d].n_body;
    cr_assert_not_null(words);
    cr_assert_eq(words->sum_length, length);
    cr_assert_null(ws_segment_stream(s, SAMPLE_LANG, 0));
    ws_stored_reader_free(reader);
    ws_segment_unref(s);
    sample_docs_free(docs, n);
    ws_free(data);
}

Test(segment, any_inverted_byte_is_found_by_full_verification, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    size_t size;
    uint8_t *data = sample_segment(8, 111, 60, &size);
    ws_segment *s;
    ws_tmpdir_write(ws_tmpdir_path(path, sizeof path, dir, "a.wsg"), data, size);
    for (size_t i = 0; i < size; i++) {
        sample_poke(path, i, (uint8_t)~data[i]);
        cr_assert_eq(open_file(path, WS_VERIFY_FULL, &s), WS_ERR_CORRUPT, "byte %zu", i);
        sample_poke(path, i, data[i]);
    }
    for (size_t n = 0; n < size; n += 7)
        if (n)
            cr_assert_eq(open_bytes(data, n, &s), WS_ERR_CORRUPT, "cut at %zu", n);
    ws_free(data);
}

/* Several blocks of 64 KiB, verified lazily: what is read is right, or it is an error. */
Test(segment, reading_lazily_never_gives_something_wrong, .init = make_dir, .fini = remove_dir,
     .timeout = 120)
{
    char path[1024];
    size_t size;
    uint8_t *data = sample_segment(600, 112, 2000, &size);
    ws_rng rng = ws_rng_seeded(113);
    ws_segment *s;
    uint32_t refused = 0;
    cr_assert_gt(size, (size_t)4 * WS_SUM_BLOCK_BYTES);
    ws_tmpdir_write(ws_tmpdir_path(path, sizeof path, dir, "a.wsg"), data, size);
    cr_assert_eq(open_file(path, WS_VERIFY_LAZY, &s), WS_OK);
    sample_reading truth = sample_read(s);
    cr_assert_eq(truth.status, WS_OK);
    ws_segment_unref(s);
    for (int i = 0; i < 60; i++) {
        size_t at = (size_t)ws_rng_below(&rng, size);
        sample_poke(path, at, (uint8_t)(data[at] ^ 1 << ws_rng_below(&rng, 8)));
        ws_status status = open_file(path, WS_VERIFY_LAZY, &s);
        if (!status) {
            sample_reading r = sample_read(s);
            status = r.status;
            cr_assert(status == WS_ERR_CORRUPT || (status == WS_OK && r.hash == truth.hash),
                      "byte %zu", at);
            ws_segment_unref(s);
        }
        cr_assert(status == WS_OK || status == WS_ERR_CORRUPT, "byte %zu: %d", at, status);
        refused += status != WS_OK;
        sample_poke(path, at, data[at]);
    }
    cr_assert_gt(refused, 50u);
    ws_free(data);
}

/* The hashes are made right again: the decoders stand alone. */
Test(segment, decoders_survive_any_bytes, .timeout = 300)
{
    size_t size;
    uint8_t *data = sample_segment(40, 114, 300, &size);
    ws_rng rng = ws_rng_seeded(115);
    uint32_t refused = 0, survived = 0;
    for (int i = 0; i < 1000; i++) {
        uint8_t *copy = ws_malloc(size);
        ws_segment *s;
        ws_segment_options options = {0, 0, (uint32_t)(i % 2)};
        memcpy(copy, data, size);
        for (uint64_t k = ws_rng_between(&rng, 1, 4); k > 0; k--) {
            uint64_t at =
                ws_rng_between(&rng, WS_SEGMENT_HEADER_BYTES, size - WS_SEGMENT_TAIL_BYTES - 1);
            copy[at] = (uint8_t)(ws_rng_below(&rng, 2) ? ws_rng_u32(&rng)
                                                       : copy[at] ^ 1u << ws_rng_below(&rng, 8));
        }
        sample_rehash(copy, size);
        ws_status status = ws_segment_open_memory(&s, copy, size, &options, NULL);
        if (status) {
            cr_assert(status == WS_ERR_CORRUPT || status == WS_ERR_VERSION, "round %d: %d", i,
                      status);
            refused++;
            continue;
        }
        status = sample_read(s).status;
        cr_assert(status == WS_OK || status == WS_ERR_CORRUPT, "round %d: %d, seed %llu", i, status,
                  (unsigned long long)rng.seed);
        survived++;
        ws_segment_unref(s);
    }
    cr_assert(refused > 100 && survived > 100, "%u refused, %u read", refused, survived);
    ws_free(data);
}

/* --- threads --- */

typedef struct {
    ws_segment *segment;
    sample_reading reading;
} job;

static void *read_all(void *ctx)
{
    job *j = ctx;
    j->reading = sample_read(j->segment);
    ws_segment_unref(j->segment);
    return NULL;
}

/* A file with a dictionary, so that threads race for making it. */
static void write_with_dictionary(const char *path)
{
    ws_schema schema = sample_schema();
    ws_inverter *inv;
    ws_segment_out *out;
    ws_stored_dictionary *dictionary;
    uint64_t length, hash;
    sample_doc *docs = sample_docs_new(200, 116, 500);
    size_t sizes[200];
    ws_buf samples;
    ws_buf_init(&samples);
    for (uint32_t d = 0; d < 200; d++) {
        sizes[d] = strlen(docs[d].body);
        ws_buf_cstr(&samples, docs[d].body);
    }
    cr_assert_eq(ws_stored_dictionary_train(&dictionary, samples.data, sizes, 200, 8192), WS_OK);
    cr_assert_not_null(dictionary);
    cr_assert_eq(ws_inverter_new(&inv, &schema, dictionary, NULL), WS_OK);
    cr_assert_eq(ws_segment_out_new(&out, path, 1, 7, NULL), WS_OK);
    for (uint32_t d = 0; d < 200; d++)
        cr_assert_eq(sample_add(inv, &docs[d]), WS_OK);
    cr_assert_eq(ws_inverter_flush(inv, out), WS_OK);
    cr_assert_eq(ws_segment_out_finish(out, &length, &hash, NULL), WS_OK);
    ws_segment_out_free(out);
    ws_inverter_free(inv);
    ws_stored_dictionary_unref(dictionary);
    ws_buf_fini(&samples);
    sample_docs_free(docs, 200);
}

Test(segment, threads_share_it_without_locks, .init = make_dir, .fini = remove_dir)
{
    enum { THREADS = 4 };
    char path[1024];
    pthread_t threads[THREADS];
    job jobs[THREADS];
    ws_segment *s;
    write_with_dictionary(ws_tmpdir_path(path, sizeof path, dir, "a.wsg"));
    for (int round = 0; round < 5; round++) {
        cr_assert_eq(open_file(path, WS_VERIFY_LAZY, &s), WS_OK);
        for (int i = 0; i < THREADS; i++) {
            jobs[i].segment = ws_segment_ref(s);
            cr_assert_eq(pthread_create(&threads[i], NULL, read_all, &jobs[i]), 0);
        }
        ws_segment_unref(s);
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            cr_assert_eq(jobs[i].reading.status, WS_OK);
            cr_assert_eq(jobs[i].reading.hash, jobs[0].reading.hash);
        }
    }
}

Test(segment, no_memory_is_a_status, .init = make_dir, .fini = remove_dir)
{
    char path[1024];
    ws_faults faults;
    int failed = 1;
    write_with_dictionary(ws_tmpdir_path(path, sizeof path, dir, "a.wsg"));
    for (uint64_t n = 0; failed; n++) {
        ws_segment *s;
        ws_faults_arm(&faults, n);
        ws_status status = open_file(path, WS_VERIFY_LAZY, &s);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu",
                     (unsigned long long)n);
        ws_segment_unref(s);
    }
    cr_assert_geq(faults.seen, (uint64_t)3);
}

/* Building a segment with an allocation failing anywhere: a status, and nothing is lost. */
Test(segment, building_without_memory_is_a_status, .timeout = 120)
{
    ws_faults faults;
    int failed = 1;
    sample_doc *docs = sample_docs_new(12, 117, 300);
    for (uint64_t n = 0; failed; n++) {
        uint64_t length, hash;
        uint8_t *data = NULL;
        size_t size;
        ws_faults_arm(&faults, n);
        ws_status status = sample_write(docs, 12, 1, NULL, &length, &hash, &data, &size, NULL);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu: %d",
                     (unsigned long long)n, status);
        ws_free(data);
    }
    sample_docs_free(docs, 12);
}
