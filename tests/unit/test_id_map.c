/* Ids and DOC_KEYs of a segment against arrays. */
#include "engine/index/id_map.h"
#include "engine/index/id_map_int.h"
#include "tests/support/faults.h"
#include "tests/support/sample_index.h"
#include "tests/support/test.h"

#define MOST 3000u

typedef struct {
    char ids[MOST][40];
    uint64_t keys[MOST];
    uint32_t n;
} model;

static model m; /* 150 KB, too much for a stack */

static ws_segment *build(void)
{
    ws_id_writer *w;
    ws_segment *segment;
    cr_assert_eq(ws_id_writer_new(&w), WS_OK);
    for (uint32_t d = 0; d < m.n; d++)
        cr_assert_eq(ws_id_writer_add(w, ws_cstr(m.ids[d]), m.keys[d]), WS_OK);
    ws_segment_out *out = sample_part_begin();
    cr_assert_eq(ws_id_writer_finish(w, out), WS_OK);
    ws_id_writer_free(w);
    cr_assert_eq(sample_part_end(out, m.n, 0, &segment), WS_OK);
    return segment;
}

/* The last document with this id, or -1. */
static int64_t last_of(const char *id)
{
    for (uint32_t d = m.n; d-- > 0;)
        if (strcmp(m.ids[d], id) == 0)
            return d;
    return -1;
}

static void expect_model(uint32_t encoding, int slots)
{
    ws_segment *s = build();
    char buffer[WS_ID_MAX];
    ws_str id;
    uint32_t found;
    cr_assert_eq(ws_load_u32le(s->id_map.data), encoding);
    cr_assert_eq(ws_load_u32le(s->id_map.data + 4) != 0, slots);
    for (uint32_t d = 0; d < m.n; d++) {
        cr_assert_eq(ws_segment_id(s, d, buffer, &id), WS_OK);
        cr_assert(ws_str_eq(id, ws_cstr(m.ids[d])), "document %u", d);
        cr_assert_eq(ws_segment_find_id(s, ws_cstr(m.ids[d]), &found), WS_OK, "document %u", d);
        cr_assert_eq(found, (uint32_t)last_of(m.ids[d]), "document %u", d);
        cr_assert_eq(ws_segment_doc_key(s, d), m.keys[d], "document %u", d);
        cr_assert_eq(ws_segment_find_key(s, m.keys[d], &found), WS_OK);
        cr_assert_eq(m.keys[found], m.keys[d]);
    }
    static const char *const absent[] = {
        "", "-1", "00", "x", "18446744073709551616", "9223372036854775808", "1 "};
    for (size_t i = 0; i < WS_ARRAY_LEN(absent); i++)
        cr_assert_eq(ws_segment_find_id(s, ws_cstr(absent[i]), &found),
                     last_of(absent[i]) < 0 ? WS_ERR_NOT_FOUND : WS_OK, "%s", absent[i]);
    cr_assert_eq(ws_segment_find_key(s, UINT64_MAX, &found), WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_segment_id(s, m.n, buffer, &id), WS_ERR_RANGE);
    ws_segment_unref(s);
}

Test(id_map, ascending_numbers_need_no_slots)
{
    ws_rng rng = ws_rng_seeded(11);
    uint64_t value = 0;
    m.n = MOST;
    for (uint32_t d = 0; d < m.n; d++) {
        value += ws_rng_between(&rng, 1, 1000);
        snprintf(m.ids[d], sizeof m.ids[d], "%llu", (unsigned long long)value);
        m.keys[d] = 5000 + d;
    }
    expect_model(WS_ID_DECIMAL, 0);
}

Test(id_map, numbers_in_any_order_are_found_by_slots)
{
    for (unsigned bits = 8; bits <= 63; bits += 11) {
        ws_rng rng = ws_rng_seeded(12);
        m.n = 300;
        for (uint32_t d = 0; d < m.n; d++) {
            snprintf(m.ids[d], sizeof m.ids[d], "%llu",
                     (unsigned long long)(ws_rng_u64(&rng) >> (64 - bits)));
            m.keys[d] = ws_rng_skewed(&rng, bits);
        }
        expect_model(WS_ID_DECIMAL, 1);
    }
}

Test(id_map, one_id_that_is_no_number_makes_all_bytes)
{
    static const char *const odd[] = {"a", "007", "-5", "9223372036854775808",
                                      "\xed\x95\x9c" /* U+D55C */};
    for (size_t i = 0; i < WS_ARRAY_LEN(odd); i++) {
        m.n = 40;
        for (uint32_t d = 0; d < m.n; d++) {
            snprintf(m.ids[d], sizeof m.ids[d], "%u", d * 3);
            m.keys[d] = d;
        }
        snprintf(m.ids[20], sizeof m.ids[20], "%s", odd[i]);
        expect_model(WS_ID_BYTES, 1);
    }
}

Test(id_map, the_later_of_two_documents_with_one_id_is_found)
{
    ws_rng rng = ws_rng_seeded(13);
    for (int bytes = 0; bytes < 2; bytes++) {
        m.n = 1000;
        for (uint32_t d = 0; d < m.n; d++) {
            snprintf(m.ids[d], sizeof m.ids[d], bytes ? "id%u" : "%u",
                     (unsigned)ws_rng_below(&rng, 200));
            m.keys[d] = d;
        }
        expect_model(bytes ? WS_ID_BYTES : WS_ID_DECIMAL, 1);
    }
}

Test(id_map, a_single_document_works)
{
    m.n = 1;
    m.keys[0] = UINT64_MAX - 1;
    snprintf(m.ids[0], sizeof m.ids[0], "9223372036854775807");
    expect_model(WS_ID_DECIMAL, 0);
    snprintf(m.ids[0], sizeof m.ids[0], "%036d", 0);
    expect_model(WS_ID_BYTES, 1);
}

Test(id_map, keys_that_a_replacement_kept_stay)
{
    m.n = 500;
    for (uint32_t d = 0; d < m.n; d++) {
        snprintf(m.ids[d], sizeof m.ids[d], "%u", d);
        m.keys[d] = d % 10 == 3 ? d / 10 : 1000000 + d;
    }
    expect_model(WS_ID_DECIMAL, 0);
}

Test(id_map, the_writer_finds_what_it_holds)
{
    ws_rng rng = ws_rng_seeded(14);
    ws_id_writer *w;
    uint32_t found;
    cr_assert_eq(ws_id_writer_new(&w), WS_OK);
    cr_assert_eq(ws_id_writer_find(w, ws_cstr("0"), &found), WS_ERR_NOT_FOUND);
    for (m.n = 0; m.n < MOST;) {
        uint32_t d = m.n;
        snprintf(m.ids[d], sizeof m.ids[d], "k%u", (unsigned)ws_rng_below(&rng, MOST));
        m.keys[d] = ws_rng_u64(&rng);
        cr_assert_eq(ws_id_writer_add(w, ws_cstr(m.ids[d]), m.keys[d]), WS_OK);
        m.n++;
        const char *asked = m.ids[ws_rng_below(&rng, m.n)];
        cr_assert_eq(ws_id_writer_find(w, ws_cstr(asked), &found), WS_OK);
        cr_assert_eq(found, (uint32_t)last_of(asked));
        cr_assert_eq(ws_id_writer_doc_key(w, found), m.keys[found]);
    }
    cr_assert_eq(ws_id_writer_count(w), m.n);
    cr_assert_geq(ws_id_writer_memory(w), (size_t)MOST * 14);
    ws_id_writer_free(w);
}

Test(id_map, no_memory_is_a_status)
{
    ws_faults faults;
    int failed = 1;
    for (uint64_t n = 0; failed; n++) {
        ws_id_writer *w;
        ws_faults_arm(&faults, n);
        ws_status status = ws_id_writer_new(&w);
        for (uint32_t d = 0; !status && d < 2000; d++) {
            char id[16];
            snprintf(id, sizeof id, "id%u", d);
            status = ws_id_writer_add(w, ws_cstr(id), d);
        }
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu",
                     (unsigned long long)n);
        ws_id_writer_free(w);
    }
}

/* --- damage behind right hashes --- */

/* Every ID_MAP and DOC_KEY with one byte changed: opening or reading says so, or the answers are
 * those of some other map. */
static void damage(uint8_t xor)
{
    ws_segment *whole = build();
    size_t size = whole->file.map.size;
    size_t from = (size_t)(whole->id_map.data - whole->file.map.data);
    size_t to = (size_t)(whole->doc_key.data - whole->file.map.data) + (size_t)whole->doc_key.size;
    for (size_t at = from; at < to; at++) {
        ws_segment *s;
        ws_segment_options options = {0, 0, 0};
        char buffer[WS_ID_MAX];
        ws_str id;
        uint32_t found;
        uint8_t *copy = ws_malloc(size);
        memcpy(copy, whole->file.map.data, size);
        copy[at] ^= xor;
        sample_rehash(copy, size);
        ws_status status = ws_segment_open_memory(&s, copy, size, &options, NULL);
        if (status) {
            cr_assert_eq(status, WS_ERR_CORRUPT);
            continue;
        }
        for (uint32_t d = 0; d < m.n; d++) {
            ws_segment_doc_key(s, d);
            if (ws_segment_id(s, d, buffer, &id) == WS_OK) {
                cr_assert_leq(id.len, (size_t)WS_ID_MAX);
                status = ws_segment_find_id(s, id, &found);
                cr_assert(status == WS_ERR_NOT_FOUND || status == WS_ERR_CORRUPT ||
                          (status == WS_OK && found < m.n));
            }
        }
        ws_segment_unref(s);
    }
    ws_segment_unref(whole);
}

Test(id_map, damage_never_leads_outside)
{
    for (int bytes = 0; bytes < 2; bytes++) {
        m.n = 20;
        for (uint32_t d = 0; d < m.n; d++) {
            snprintf(m.ids[d], sizeof m.ids[d], bytes ? "id%u" : "%u", (d * 7) % 20);
            m.keys[d] = d * d;
        }
        damage(0xff);
        damage(0x01);
        damage(0x80);
    }
}
