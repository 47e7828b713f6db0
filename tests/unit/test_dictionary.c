/* Dictionary and postings of whole segments against plain arrays: lookups, iteration, blocks,
 * seeking, positions. */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/postings.h"
#include "engine/index/segment_parts.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define N_DOCS 3000u

/* One term of the model: its key and its postings, laid one after the other. */
typedef struct {
    uint8_t key[WS_TERM_KEY_MAX];
    size_t key_length;
    uint32_t df, *docs, *tfs, *positions; /* positions of all documents, tf by tf */
    uint64_t cf;
} model_term;

typedef struct {
    model_term *terms;
    uint32_t n;
    ws_segment *segment;
} world;

static ws_schema two_streams(void)
{
    ws_schema s;
    memset(&s, 0, sizeof s);
    s.n_fields = 1;
    memcpy(s.fields[0].name, "body", 5);
    s.fields[0].type = WS_FIELD_TEXT;
    s.fields[0].flags = WS_FIELD_POSITIONS;
    return s;
}

static int compare_terms(const void *a, const void *b)
{
    const model_term *x = a, *y = b;
    return ws_str_cmp(ws_str_make((const char *)x->key, x->key_length),
                      ws_str_make((const char *)y->key, y->key_length));
}

static void random_key(ws_rng *rng, model_term *t, uint32_t i)
{
    char text[600];
    size_t n =
        (size_t)snprintf(text, sizeof text, "%.*s%u", (int)ws_rng_below(rng, 6), "sharedprefix", i);
    if (ws_rng_below(rng, 40) == 0) { /* longer than a key keeps */
        memset(text, 'x', sizeof text);
        n = (size_t)snprintf(text + 400, 100, "%u", i) + 400;
    }
    t->key_length =
        ws_term_key(0, (uint32_t)ws_rng_below(rng, 2), ws_str_make(text, n), t->key, NULL);
}

static void random_postings(ws_rng *rng, model_term *t)
{
    static const uint32_t sizes[] = {1, 1, 2, 3, 255, 256, 257, 512, 513, 1500, N_DOCS};
    uint32_t wanted = sizes[ws_rng_below(rng, WS_ARRAY_LEN(sizes))];
    if (ws_rng_below(rng, 3))
        wanted = 1 + (uint32_t)ws_rng_below(rng, 4);
    t->docs = malloc(N_DOCS * sizeof *t->docs);
    t->tfs = malloc(N_DOCS * sizeof *t->tfs);
    t->positions = malloc(N_DOCS * 12 * sizeof *t->positions);
    for (uint32_t d = 0; d < N_DOCS && t->df < wanted; d++) {
        if (ws_rng_below(rng, N_DOCS - d) >= wanted - t->df)
            continue;
        uint32_t tf = ws_rng_below(rng, 3) ? 1 : 1 + (uint32_t)ws_rng_below(rng, 12), at = 0;
        for (uint32_t i = 0; i < tf; i++)
            t->positions[t->cf + i] = at += (uint32_t)ws_rng_skewed(rng, 16);
        t->docs[t->df] = d;
        t->tfs[t->df++] = tf;
        t->cf += tf;
    }
}

static void write_term(ws_postings_writer *w, ws_segment_parts *parts, const model_term *t)
{
    int positions = t->key[1] == 0;
    uint64_t at = 0;
    cr_assert_eq(
        ws_postings_writer_begin(w, ws_str_make((const char *)t->key, t->key_length), positions),
        WS_OK);
    for (uint32_t i = 0; i < t->df; at += t->tfs[i++])
        cr_assert_eq(
            ws_postings_writer_add(w, t->docs[i], t->tfs[i], positions ? t->positions + at : NULL),
            WS_OK);
    cr_assert_eq(ws_postings_writer_end(w), WS_OK);
    ws_segment_parts_term(parts, 0, t->key[1], t->cf);
}

static void write_documents(ws_segment_parts *parts)
{
    for (uint32_t d = 0; d < N_DOCS; d++) {
        char id[16];
        size_t n = (size_t)snprintf(id, sizeof id, "%u", d);
        for (uint32_t s = 0; s < WS_SCHEMA_STREAMS; s++)
            cr_assert_eq(ws_segment_parts_norm(parts, 0, s, s < 2 ? 1 : 0), WS_OK);
        cr_assert_eq(ws_segment_parts_id(parts, ws_str_make(id, n), d), WS_OK);
    }
}

static void build(world *w, ws_rng *rng, uint32_t n)
{
    static ws_schema schema;
    ws_segment_parts parts;
    ws_segment_out *out;
    ws_postings_writer *writer;
    ws_postings_totals totals;
    uint64_t length, hash;
    uint8_t *data;
    size_t size;
    schema = two_streams();
    w->n = n;
    w->terms = calloc(n + 1u, sizeof *w->terms);
    for (uint32_t i = 0; i < n; i++) {
        random_key(rng, &w->terms[i], i);
        random_postings(rng, &w->terms[i]);
    }
    qsort(w->terms, n, sizeof *w->terms, compare_terms);
    cr_assert_eq(ws_segment_out_new(&out, NULL, 1, 1, NULL), WS_OK);
    cr_assert_eq(ws_segment_parts_init(&parts, &schema, NULL, NULL, SIZE_MAX), WS_OK);
    cr_assert_eq(ws_postings_writer_new(&writer, out, NULL, SIZE_MAX), WS_OK);
    for (uint32_t i = 0; i < n; i++)
        write_term(writer, &parts, &w->terms[i]);
    write_documents(&parts);
    cr_assert_eq(ws_postings_writer_finish(writer, &totals), WS_OK);
    cr_assert_eq(ws_segment_parts_finish(&parts, &totals, out), WS_OK);
    cr_assert_eq(ws_segment_out_finish(out, &length, &hash, NULL), WS_OK);
    cr_assert_eq(ws_segment_out_take(out, &data, &size), WS_OK);
    ws_segment_options options = {0, 0, (uint32_t)ws_rng_below(rng, 2)};
    cr_assert_eq(ws_segment_open_memory(&w->segment, data, size, &options, NULL), WS_OK);
    ws_postings_writer_free(writer);
    ws_segment_parts_fini(&parts);
    ws_segment_out_free(out);
}

static void destroy(world *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        free(w->terms[i].docs);
        free(w->terms[i].tfs);
        free(w->terms[i].positions);
    }
    free(w->terms);
    ws_segment_unref(w->segment);
}

static void check_blocks(ws_segment *segment, const model_term *t, const ws_term_info *info)
{
    static ws_postings p;
    uint32_t at = 0, positions[64];
    uint64_t position_at = 0;
    cr_assert_eq(info->df, t->df);
    cr_assert_eq(info->cf, t->cf);
    ws_postings_open(&p, segment, info);
    for (uint32_t b = 0; b < p.n_blocks; b++) {
        cr_assert_eq(ws_postings_load(&p, b), WS_OK);
        cr_assert_eq(ws_postings_load_tfs(&p), WS_OK);
        for (uint32_t i = 0; i < p.n; i++, at++) {
            cr_assert_eq(p.docs[i], t->docs[at]);
            cr_assert_eq(p.tfs[i], t->tfs[at]);
            if (!info->positions)
                continue;
            if (at % 7 != 3) { /* skipping some is allowed */
                cr_assert_eq(ws_postings_positions(&p, i, positions), WS_OK);
                cr_assert_arr_eq(positions, t->positions + position_at,
                                 t->tfs[at] * sizeof *positions);
            }
            position_at += t->tfs[at];
        }
    }
    cr_assert_eq(at, t->df);
}

static void check_seeks(ws_rng *rng, ws_segment *segment, const model_term *t,
                        const ws_term_info *info)
{
    static ws_postings p;
    uint32_t at = 0, target = 0, doc;
    ws_postings_open(&p, segment, info);
    while (target < N_DOCS + 10) {
        cr_assert_eq(ws_postings_seek(&p, target, &doc), WS_OK);
        while (at < t->df && t->docs[at] < target)
            at++;
        cr_assert_eq(doc, at < t->df ? t->docs[at] : WS_NO_DOC, "seek %u", target);
        target += 1 + (uint32_t)ws_rng_skewed(rng, 9);
    }
    ws_postings_open(&p, segment, info);
    for (uint32_t i = 0; i <= t->df; i++) {
        cr_assert_eq(ws_postings_next(&p, &doc), WS_OK);
        cr_assert_eq(doc, i < t->df ? t->docs[i] : WS_NO_DOC);
    }
}

static void check_world(ws_rng *rng, world *w)
{
    ws_term_iterator it;
    ws_term_info info;
    cr_assert_eq(ws_term_iterator_init(&it, w->segment, ws_cstr(NULL)), WS_OK);
    for (uint32_t i = 0; i < w->n; i++) {
        const model_term *t = &w->terms[i];
        ws_str key = {(const char *)t->key, t->key_length};
        cr_assert_eq(ws_term_iterator_next(&it), WS_OK);
        cr_assert(ws_str_eq(ws_str_make((const char *)it.key, it.key_length), key));
        cr_assert_eq(ws_dictionary_find(w->segment, key, &info), WS_OK);
        cr_assert_eq(info.doc_offset, it.info.doc_offset);
        check_blocks(w->segment, t, &info);
        check_seeks(rng, w->segment, t, &info);
    }
    cr_assert_eq(ws_term_iterator_next(&it), WS_ERR_NOT_FOUND);
    uint8_t key[WS_TERM_KEY_MAX];
    for (int i = 0; i < 200; i++) {
        char text[32];
        size_t n = (size_t)snprintf(text, sizeof text, "absent%d", i);
        n = ws_term_key(0, 0, ws_str_make(text, n), key, NULL);
        cr_assert_eq(ws_dictionary_find(w->segment, ws_str_make((const char *)key, n), &info),
                     WS_ERR_NOT_FOUND);
    }
}

Test(dictionary, segments_of_every_number_of_terms_hold_what_was_written)
{
    static const uint32_t counts[] = {0, 1, 2, 15, 16, 17, 33, 200};
    ws_rng rng = ws_rng_seeded(21);
    for (size_t i = 0; i < WS_ARRAY_LEN(counts); i++) {
        world w;
        build(&w, &rng, counts[i]);
        check_world(&rng, &w);
        destroy(&w);
    }
}

/* The first key >= any text, against a scan. */
Test(dictionary, iteration_begins_at_any_key)
{
    ws_rng rng = ws_rng_seeded(22);
    world w;
    build(&w, &rng, 100);
    for (int round = 0; round < 300; round++) {
        ws_term_iterator it;
        char from[16];
        size_t n = (size_t)snprintf(from, sizeof from, "%c%c%.*s%u", 0, (int)ws_rng_below(&rng, 3),
                                    (int)ws_rng_below(&rng, 7), "sharedp",
                                    (unsigned)ws_rng_below(&rng, 120));
        uint32_t expected = 0;
        while (expected < w.n && ws_str_cmp(ws_str_make((const char *)w.terms[expected].key,
                                                        w.terms[expected].key_length),
                                            ws_str_make(from, n)) < 0)
            expected++;
        cr_assert_eq(ws_term_iterator_init(&it, w.segment, ws_str_make(from, n)), WS_OK);
        ws_status status = ws_term_iterator_next(&it);
        cr_assert_eq(status, expected < w.n ? WS_OK : WS_ERR_NOT_FOUND);
        if (status == WS_OK)
            cr_assert_arr_eq(it.key, w.terms[expected].key, w.terms[expected].key_length);
    }
    destroy(&w);
}

Test(dictionary, keys_and_documents_out_of_order_are_refused)
{
    ws_segment_out *out;
    ws_postings_writer *w;
    cr_assert_eq(ws_segment_out_new(&out, NULL, 1, 1, NULL), WS_OK);
    cr_assert_eq(ws_postings_writer_new(&w, out, NULL, SIZE_MAX), WS_OK);
    cr_assert_eq(ws_postings_writer_begin(w, ws_str_make("\0\0b", 3), 0), WS_OK);
    cr_assert_eq(ws_postings_writer_add(w, 5, 1, NULL), WS_OK);
    cr_assert_eq(ws_postings_writer_add(w, 5, 1, NULL), WS_ERR_ARG);
    cr_assert_eq(ws_postings_writer_add(w, 6, 0, NULL), WS_ERR_ARG);
    cr_assert_eq(ws_postings_writer_end(w), WS_OK);
    cr_assert_eq(ws_postings_writer_begin(w, ws_str_make("\0\0a", 3), 0), WS_OK);
    cr_assert_eq(ws_postings_writer_add(w, 1, 1, NULL), WS_OK);
    cr_assert_eq(ws_postings_writer_end(w), WS_ERR_ARG);
    ws_postings_writer_free(w);
    ws_segment_out_free(out);
}
