/* Stored documents against the values that went in: every length, every chunk, with and without a
 * dictionary, copied by a merge, damaged, short of memory. */
#include "tests/support/faults.h"
#include "tests/support/sample_index.h"
#include "tests/support/test.h"

#define MOST_DOCS   60u
#define MOST_VALUES 12u

typedef struct {
    uint32_t n;
    uint8_t fields[MOST_VALUES];
    char *values[MOST_VALUES];
    size_t lengths[MOST_VALUES];
} record;

typedef struct {
    record docs[MOST_DOCS];
    uint32_t n;
} model;

/* Text of `n` bytes: words, Latin and Hangul, so that it packs; or noise that does not. */
static char *random_value(ws_rng *rng, size_t n, int noise)
{
    char *value = malloc(n + 32), word[SAMPLE_WORD_MAX];
    for (size_t at = 0; at < n;) {
        size_t len = sample_word((uint32_t)ws_rng_below(rng, 60), word);
        memcpy(value + at, word, len);
        value[at + len] = ' ';
        at += len + 1;
    }
    for (size_t i = 0; noise && i < n; i++)
        value[i] = (char)ws_rng_u32(rng);
    return value;
}

static size_t random_length(ws_rng *rng)
{
    static const size_t edges[] = {0,
                                   1,
                                   WS_STORED_SHORT_MAX - 1,
                                   WS_STORED_SHORT_MAX,
                                   WS_STORED_SHORT_MAX + 1,
                                   WS_STORED_CHUNK_MAX - 4,
                                   WS_STORED_CHUNK_MAX - 1,
                                   WS_STORED_CHUNK_MAX,
                                   WS_STORED_CHUNK_MAX + 1,
                                   2 * WS_STORED_CHUNK_MAX,
                                   2 * WS_STORED_CHUNK_MAX + 1,
                                   40000};
    return ws_rng_below(rng, 3) ? (size_t)ws_rng_skewed(rng, 12)
                                : edges[ws_rng_below(rng, WS_ARRAY_LEN(edges))];
}

static model *make_model(uint64_t seed, uint32_t n)
{
    ws_rng rng = ws_rng_seeded(seed);
    model *m = calloc(1, sizeof *m);
    m->n = n;
    for (uint32_t d = 0; d < n; d++) {
        record *r = &m->docs[d];
        r->n = (uint32_t)ws_rng_below(&rng, MOST_VALUES + 1);
        for (uint32_t i = 0; i < r->n; i++) {
            r->fields[i] = (uint8_t)(i / 2 + ws_rng_below(&rng, 2) * (i % 2));
            r->lengths[i] = random_length(&rng);
            r->values[i] = random_value(&rng, r->lengths[i], ws_rng_below(&rng, 8) == 0);
        }
    }
    return m;
}

static void free_model(model *m)
{
    for (uint32_t d = 0; d < m->n; d++)
        for (uint32_t i = 0; i < m->docs[d].n; i++)
            free(m->docs[d].values[i]);
    free(m);
}

static ws_status add_record(ws_stored_writer *w, const record *r)
{
    ws_stored_value values[MOST_VALUES];
    for (uint32_t i = 0; i < r->n; i++)
        values[i] = (ws_stored_value){r->fields[i], {r->values[i], r->lengths[i]}};
    return ws_stored_writer_add(w, values, r->n);
}

static ws_status write_model(const model *m, ws_stored_dictionary *dictionary, ws_segment **segment)
{
    ws_stored_writer *w;
    WS_TRY(ws_stored_writer_new(&w, dictionary, NULL, SIZE_MAX, 3));
    ws_segment_out *out = sample_part_begin();
    ws_status status = WS_OK;
    for (uint32_t d = 0; !status && d < m->n; d++)
        status = add_record(w, &m->docs[d]);
    if (!status)
        status = ws_stored_writer_finish(w, out);
    ws_stored_writer_free(w);
    if (status) {
        ws_segment_out_free(out);
        return status;
    }
    return sample_part_end(out, m->n, 1, segment);
}

static void expect_value(ws_stored_reader *reader, const record *r, uint32_t i, ws_rng *rng)
{
    const ws_stored_head *head = ws_stored_value_head(reader, i);
    ws_buf whole;
    ws_buf_init(&whole);
    cr_assert_eq(head->field, r->fields[i]);
    cr_assert_eq(head->raw_length, r->lengths[i]);
    cr_assert_eq(head->n_chunks == 0, r->lengths[i] <= WS_STORED_SHORT_MAX);
    cr_assert_eq(ws_stored_whole(reader, i, &whole), WS_OK);
    cr_assert_eq(whole.len, r->lengths[i]);
    if (whole.len)
        cr_assert_arr_eq(whole.data, r->values[i], whole.len);
    for (int k = 0; k < 4; k++) {
        ws_str chunk;
        uint32_t begin, at = (uint32_t)ws_rng_below(rng, r->lengths[i] + 1);
        cr_assert_eq(ws_stored_chunk(reader, i, at, &chunk, &begin), WS_OK);
        cr_assert_leq(begin, at);
        cr_assert_leq(chunk.len, (size_t)WS_STORED_CHUNK_MAX);
        cr_assert(at < begin + chunk.len || at == r->lengths[i]);
        cr_assert_leq(begin + chunk.len, r->lengths[i]);
        if (chunk.len)
            cr_assert_arr_eq(chunk.ptr, r->values[i] + begin, chunk.len);
    }
    ws_buf_fini(&whole);
}

static void expect_record(ws_stored_reader *reader, ws_segment *s, uint32_t doc, const record *r,
                          ws_rng *rng)
{
    cr_assert_eq(ws_stored_open(reader, s, doc), WS_OK);
    cr_assert_eq(ws_stored_count(reader), r->n);
    for (uint32_t i = 0; i < r->n; i++)
        expect_value(reader, r, i, rng);
    for (uint32_t field = 0; field < 10; field++) {
        uint32_t nth = 0;
        for (uint32_t i = 0; i < r->n; i++)
            if (r->fields[i] == field)
                cr_assert_eq(ws_stored_find(reader, field, nth++), (int)i);
        cr_assert_eq(ws_stored_find(reader, field, nth), -1);
    }
    cr_assert_null(ws_stored_value_head(reader, r->n));
}

static void expect_model(ws_segment *s, const model *m)
{
    ws_stored_reader *reader;
    ws_rng rng = ws_rng_seeded(15);
    cr_assert_eq(ws_stored_reader_new(&reader), WS_OK);
    for (uint32_t k = 0; k < 2 * m->n; k++) {
        uint32_t d = k < m->n ? k : (uint32_t)ws_rng_below(&rng, m->n);
        expect_record(reader, s, d, &m->docs[d], &rng);
    }
    cr_assert_eq(ws_stored_open(reader, s, m->n), WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_stored_count(reader), 0u);
    ws_stored_reader_free(reader);
}

/* Trained on the values of a model. */
static ws_stored_dictionary *train(const model *m, size_t most)
{
    ws_buf samples;
    size_t *sizes = calloc(MOST_DOCS * MOST_VALUES, sizeof *sizes);
    uint32_t n = 0;
    ws_stored_dictionary *dictionary;
    ws_buf_init(&samples);
    for (uint32_t d = 0; d < m->n; d++)
        for (uint32_t i = 0; i < m->docs[d].n; i++) {
            sizes[n] = WS_MIN(m->docs[d].lengths[i], (size_t)2048);
            ws_buf_append(&samples, m->docs[d].values[i], sizes[n]);
            n += sizes[n] != 0;
        }
    cr_assert_eq(ws_stored_dictionary_train(&dictionary, samples.data, sizes, n, most), WS_OK);
    cr_assert_not_null(dictionary);
    cr_assert_leq(ws_stored_dictionary_bytes(dictionary).len, most);
    free(sizes);
    ws_buf_fini(&samples);
    return dictionary;
}

Test(stored, gives_back_every_value)
{
    for (uint64_t seed = 20; seed < 24; seed++) {
        model *m = make_model(seed, MOST_DOCS);
        ws_stored_dictionary *dictionary = seed % 2 ? train(m, 16384) : NULL;
        ws_segment *s;
        cr_assert_eq(write_model(m, dictionary, &s), WS_OK);
        ws_str bytes = ws_stored_dictionary_bytes(dictionary);
        cr_assert_eq(ws_load_u32le(s->stored_dir.data), bytes.len);
        if (bytes.len)
            cr_assert_arr_eq(s->stored.data, bytes.ptr, bytes.len);
        ws_stored_dictionary_unref(dictionary); /* the segment needs its own bytes only */
        expect_model(s, m);
        ws_segment_unref(s);
        free_model(m);
    }
}

Test(stored, chunks_are_cut_at_code_points)
{
    /* U+D55C is 3 bytes: 4,096 is no multiple of 3. */
    static char text[30001];
    ws_stored_value value = {0, {text, 0}};
    ws_stored_writer *w;
    ws_stored_reader *reader;
    ws_segment *s;
    for (size_t at = 0; at + 3 <= sizeof text; at += 3)
        memcpy(text + at, "\xed\x95\x9c", 3);
    value.bytes.len = 30000;
    cr_assert_eq(ws_stored_writer_new(&w, NULL, NULL, SIZE_MAX, 3), WS_OK);
    cr_assert_eq(ws_stored_writer_add(w, &value, 1), WS_OK);
    ws_segment_out *out = sample_part_begin();
    cr_assert_eq(ws_stored_writer_finish(w, out), WS_OK);
    ws_stored_writer_free(w);
    cr_assert_eq(sample_part_end(out, 1, 1, &s), WS_OK);
    cr_assert_eq(ws_stored_reader_new(&reader), WS_OK);
    cr_assert_eq(ws_stored_open(reader, s, 0), WS_OK);
    cr_assert_eq(ws_stored_value_head(reader, 0)->n_chunks, 8u);
    for (uint32_t at = 0; at < 30000; at += 500) {
        ws_str chunk;
        uint32_t begin;
        cr_assert_eq(ws_stored_chunk(reader, 0, at, &chunk, &begin), WS_OK);
        cr_assert_eq(begin % 3, 0u);
        cr_assert_eq(chunk.len % 3, (size_t)0);
    }
    ws_stored_reader_free(reader);
    ws_segment_unref(s);
}

Test(stored, one_chunk_costs_one_chunk)
{
    model *m = make_model(25, MOST_DOCS);
    ws_segment *s;
    ws_stored_reader *reader;
    cr_assert_eq(write_model(m, NULL, &s), WS_OK);
    cr_assert_eq(ws_stored_reader_new(&reader), WS_OK);
    for (uint32_t d = 0; d < m->n; d++) {
        uint64_t before = ws_stored_bytes(reader), shorts = 0;
        for (uint32_t i = 0; i < m->docs[d].n; i++)
            shorts += m->docs[d].lengths[i] <= WS_STORED_SHORT_MAX ? m->docs[d].lengths[i] : 0;
        cr_assert_eq(ws_stored_open(reader, s, d), WS_OK);
        cr_assert_eq(ws_stored_bytes(reader) - before, shorts);
        for (uint32_t i = 0; i < m->docs[d].n; i++) {
            ws_str chunk;
            uint32_t begin;
            before = ws_stored_bytes(reader);
            cr_assert_eq(ws_stored_chunk(reader, i, 0, &chunk, &begin), WS_OK);
            cr_assert_eq(ws_stored_bytes(reader) - before,
                         ws_stored_value_head(reader, i)->n_chunks ? chunk.len : 0);
        }
    }
    ws_stored_reader_free(reader);
    ws_segment_unref(s);
    free_model(m);
}

Test(stored, too_many_values_are_a_limit)
{
    ws_stored_writer *w;
    static ws_stored_value values[WS_STORED_VALUES_MAX + 1];
    cr_assert_eq(ws_stored_writer_new(&w, NULL, NULL, SIZE_MAX, 3), WS_OK);
    cr_assert_eq(ws_stored_writer_add(w, values, WS_STORED_VALUES_MAX), WS_OK);
    cr_assert_eq(ws_stored_writer_add(w, values, WS_STORED_VALUES_MAX + 1), WS_ERR_LIMIT);
    ws_stored_writer_free(w);
}

/* --- copying --- */

Test(stored, a_copy_is_verbatim_with_the_same_dictionary_and_packed_again_with_another)
{
    model *m = make_model(26, 30);
    ws_stored_dictionary *a = train(m, 8192), *b = train(m, 4096), *own;
    ws_stored_dictionary *to[] = {a, b, NULL};
    ws_segment *from, *copy;
    cr_assert_eq(write_model(m, a, &from), WS_OK);
    for (size_t k = 0; k < WS_ARRAY_LEN(to); k++) {
        ws_stored_writer *w;
        cr_assert_eq(ws_stored_writer_new(&w, to[k], NULL, SIZE_MAX, 3), WS_OK);
        for (uint32_t d = 0; d < m->n; d++)
            cr_assert_eq(ws_stored_writer_copy(w, from, d), WS_OK);
        ws_segment_out *out = sample_part_begin();
        cr_assert_eq(ws_stored_writer_finish(w, out), WS_OK);
        ws_stored_writer_free(w);
        cr_assert_eq(sample_part_end(out, m->n, 1, &copy), WS_OK);
        int same = copy->stored.size == from->stored.size &&
                   memcmp(copy->stored.data, from->stored.data, from->stored.size) == 0;
        cr_assert_eq(same, k == 0);
        expect_model(copy, m);
        ws_segment_unref(copy);
    }
    cr_assert_eq(ws_stored_dictionary_from_segment(&own, from), WS_OK);
    cr_assert(ws_str_eq(ws_stored_dictionary_bytes(own), ws_stored_dictionary_bytes(a)));
    ws_segment_unref(from);
    cr_assert_eq(write_model(m, own, &copy), WS_OK, "a segment's dictionary outlives it");
    expect_model(copy, m);
    ws_segment_unref(copy);
    ws_stored_dictionary_unref(own);
    ws_stored_dictionary_unref(a);
    ws_stored_dictionary_unref(b);
    free_model(m);
}

Test(stored, too_little_to_train_on_gives_no_dictionary)
{
    ws_stored_dictionary *d;
    size_t sizes[32];
    static char samples[32 * 4096];
    for (size_t i = 0; i < 32; i++)
        sizes[i] = 100;
    cr_assert_eq(ws_stored_dictionary_train(&d, samples, sizes, 32, 8192), WS_OK);
    cr_assert_null(d);
    for (size_t i = 0; i < 32; i++)
        sizes[i] = 4096;
    cr_assert_eq(ws_stored_dictionary_train(&d, samples, sizes, 15, 8192), WS_OK);
    cr_assert_null(d);
    cr_assert_eq(ws_stored_dictionary_train(&d, samples, sizes, 32, 8192), WS_OK,
                 "zeros teach nothing");
    ws_stored_dictionary_unref(d);
    cr_assert_eq(ws_stored_dictionary_bytes(NULL).len, (size_t)0);
}

/* --- memory --- */

/* Chunks that a model packs, short ones included. */
static uint64_t count_chunks(const model *m)
{
    uint64_t n = m->n;
    for (uint32_t d = 0; d < m->n; d++)
        for (uint32_t i = 0; i < m->docs[d].n; i++)
            if (m->docs[d].lengths[i] > WS_STORED_SHORT_MAX)
                n += (m->docs[d].lengths[i] + WS_STORED_CHUNK_MAX - 1) / WS_STORED_CHUNK_MAX;
    return n;
}

Test(stored, chunks_cost_no_allocation_after_warm_up)
{
    model *m = make_model(27, MOST_DOCS);
    ws_stored_dictionary *dictionary = train(m, 16384);
    ws_segment *s;
    ws_stored_reader *reader;
    ws_stored_writer *w;
    ws_faults faults;
    ws_rng rng = ws_rng_seeded(16);
    cr_assert_eq(write_model(m, dictionary, &s), WS_OK);
    cr_assert_eq(ws_stored_reader_new(&reader), WS_OK);
    expect_record(reader, s, 0, &m->docs[0], &rng);
    for (int warm = 0; warm < 2; warm++) {
        ws_faults_arm(&faults, UINT64_MAX);
        for (uint32_t d = 0; d < m->n; d++) {
            ws_str chunk;
            uint32_t begin;
            cr_assert_eq(ws_stored_open(reader, s, d), WS_OK);
            for (uint32_t i = 0; i < ws_stored_count(reader); i++)
                cr_assert_eq(ws_stored_chunk(reader, i, 0, &chunk, &begin), WS_OK);
        }
        ws_faults_disarm(&faults);
        cr_assert(!warm || faults.seen == 0, "%llu allocations", (unsigned long long)faults.seen);
    }
    cr_assert_eq(ws_stored_writer_new(&w, dictionary, NULL, SIZE_MAX, 3), WS_OK);
    for (int warm = 0; warm < 3; warm++) {
        ws_faults_arm(&faults, UINT64_MAX);
        for (uint32_t d = 0; d < m->n; d++)
            cr_assert_eq(add_record(w, &m->docs[d]), WS_OK);
        ws_faults_disarm(&faults);
        /* Spools grow, and zstd fits its tables again after 128 small inputs in a row. */
        cr_assert(warm < 2 || faults.seen * 20 < count_chunks(m),
                  "%llu allocations for %llu chunks", (unsigned long long)faults.seen,
                  (unsigned long long)count_chunks(m));
    }
    cr_assert_geq(ws_stored_writer_memory(w), (size_t)100000);
    ws_stored_writer_free(w);
    ws_stored_reader_free(reader);
    ws_segment_unref(s);
    ws_stored_dictionary_unref(dictionary);
    free_model(m);
}

Test(stored, no_memory_is_a_status)
{
    model *m = make_model(28, 6);
    ws_faults faults;
    int failed = 1;
    ws_stored_dictionary *dictionary = NULL;
    {
        model *teacher = make_model(29, MOST_DOCS);
        dictionary = train(teacher, 8192);
        free_model(teacher);
    }
    ws_segment *s;
    cr_assert_eq(write_model(m, dictionary, &s), WS_OK);
    for (uint64_t n = 0; failed; n++) {
        ws_stored_writer *w;
        ws_faults_arm(&faults, n);
        ws_status status = ws_stored_writer_new(&w, n % 2 ? dictionary : NULL, NULL, SIZE_MAX, 3);
        for (uint32_t d = 0; !status && d < m->n; d++)
            status = add_record(w, &m->docs[d]);
        for (uint32_t d = 0; !status && d < m->n; d++)
            status = ws_stored_writer_copy(w, s, d);
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu",
                     (unsigned long long)n);
        ws_stored_writer_free(w);
    }
    ws_segment_unref(s);
    failed = 1;
    for (uint64_t n = 0; failed; n++) {
        ws_stored_reader *reader;
        ws_buf whole;
        ws_buf_init(&whole);
        cr_assert_eq(write_model(m, dictionary, &s),
                     WS_OK); /* a fresh one has no dictionary digested yet */
        ws_faults_arm(&faults, n);
        ws_status status = ws_stored_reader_new(&reader);
        for (uint32_t d = 0; !status && d < m->n; d++) {
            status = ws_stored_open(reader, s, d);
            for (uint32_t i = 0; !status && i < ws_stored_count(reader); i++)
                status = ws_stored_whole(reader, i, &whole);
        }
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu",
                     (unsigned long long)n);
        ws_stored_reader_free(reader);
        ws_segment_unref(s);
        ws_buf_fini(&whole);
    }
    ws_stored_dictionary_unref(dictionary);
    free_model(m);
}

/* --- damage behind right hashes --- */

Test(stored, damage_is_a_status_or_another_text, .timeout = 120)
{
    model *m = make_model(30, 8);
    ws_segment *whole;
    cr_assert_eq(write_model(m, NULL, &whole), WS_OK);
    size_t size = whole->file.map.size, from = (size_t)(whole->stored.data - whole->file.map.data);
    size_t to =
        (size_t)(whole->stored_dir.data - whole->file.map.data) + (size_t)whole->stored_dir.size;
    ws_rng rng = ws_rng_seeded(17);
    ws_stored_reader *reader;
    uint32_t refused = 0;
    cr_assert_eq(ws_stored_reader_new(&reader), WS_OK);
    for (int round = 0; round < 3000; round++) {
        ws_segment_options options = {0, 0, 0};
        ws_segment *s;
        uint8_t *copy = ws_malloc(size);
        memcpy(copy, whole->file.map.data, size);
        for (uint64_t k = ws_rng_between(&rng, 1, 3); k > 0; k--)
            copy[ws_rng_between(&rng, from, to - 1)] = (uint8_t)ws_rng_u32(&rng);
        sample_rehash(copy, size);
        ws_status status = ws_segment_open_memory(&s, copy, size, &options, NULL);
        if (status) {
            cr_assert_eq(status, WS_ERR_CORRUPT);
            refused++;
            continue;
        }
        sample_reading r = {0, WS_OK};
        for (uint32_t d = 0; d < m->n; d++)
            sample_read_values(&r, s, d, reader);
        cr_assert(r.status == WS_OK || r.status == WS_ERR_CORRUPT, "round %d: %d", round, r.status);
        refused += r.status != WS_OK;
        ws_segment_unref(s);
    }
    cr_assert_gt(refused, 100u);
    ws_stored_reader_free(reader);
    ws_segment_unref(whole);
    free_model(m);
}
