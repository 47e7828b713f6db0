/* MANIFEST in bytes, and its user map against an array. */
#include "base/bytes.h"
#include "base/hash.h"
#include "base/str.h"
#include "engine/index/manifest.h"
#include "tests/support/faults.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#include <stdio.h>

static void random_manifest(ws_rng *rng, ws_manifest *m)
{
    ws_manifest_init(m);
    uint64_t *numbers[] = {&m->generation, &m->previous_generation, &m->commit_time_ns, &m->epoch,
                           &m->epoch_docs, &m->next_doc_key,        &m->fingerprint};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = ws_rng_skewed(rng, 64);
    m->n_segments = (uint32_t)ws_rng_below(rng, 20);
    m->segments = ws_calloc(m->n_segments + 1u, sizeof *m->segments);
    for (uint32_t i = 0; i < m->n_segments; i++) {
        ws_manifest_segment *s = &m->segments[i];
        s->id = m->next_segment_id + ws_rng_below(rng, 5);
        m->next_segment_id = s->id + 1;
        s->length = ws_rng_u64(rng);
        s->tail_hash = ws_rng_u64(rng);
        s->n_docs = (uint32_t)ws_rng_between(rng, 1, 100000000);
        s->live_generation = ws_rng_below(rng, 2) ? ws_rng_u64(rng) | 1 : 0;
        s->n_deleted = s->live_generation ? (uint32_t)ws_rng_below(rng, s->n_docs + 1) : 0;
        s->live_hash = ws_rng_u64(rng);
        s->in_epoch = (uint32_t)ws_rng_below(rng, 2);
    }
    for (uint8_t f = 0; f < 2; f++)
        for (uint8_t st = 0; st < WS_SCHEMA_STREAMS; st++)
            if (ws_rng_below(rng, 2))
                m->streams[m->n_streams++] =
                    (ws_manifest_stream){f, st, ws_rng_u64(rng), ws_rng_u64(rng)};
    if (ws_rng_below(rng, 2))
        snprintf(m->suggest_file, sizeof m->suggest_file, "trie-%u.wst", ws_rng_u32(rng));
    if (ws_rng_below(rng, 2))
        ws_user_map_set(m, ws_cstr("applied"), ws_cstr("12345"));
}

static void expect_equal(const ws_manifest *a, const ws_manifest *b)
{
    cr_assert_eq(a->generation, b->generation);
    cr_assert_eq(a->previous_generation, b->previous_generation);
    cr_assert_eq(a->commit_time_ns, b->commit_time_ns);
    cr_assert_eq(a->epoch, b->epoch);
    cr_assert_eq(a->epoch_docs, b->epoch_docs);
    cr_assert_eq(a->next_doc_key, b->next_doc_key);
    cr_assert_eq(a->next_segment_id, b->next_segment_id);
    cr_assert_eq(a->fingerprint, b->fingerprint);
    cr_assert_eq(a->n_segments, b->n_segments);
    for (uint32_t i = 0; i < a->n_segments; i++) {
        const ws_manifest_segment *x = &a->segments[i], *y = &b->segments[i];
        cr_assert(x->id == y->id && x->length == y->length && x->tail_hash == y->tail_hash);
        cr_assert(x->n_docs == y->n_docs && x->n_deleted == y->n_deleted &&
                  x->in_epoch == y->in_epoch);
        cr_assert(x->live_generation == y->live_generation && x->live_hash == y->live_hash);
    }
    cr_assert_eq(a->n_streams, b->n_streams);
    for (uint32_t i = 0; i < a->n_streams; i++) {
        const ws_manifest_stream *x = &a->streams[i], *y = &b->streams[i];
        cr_assert(x->field == y->field && x->stream == y->stream);
        cr_assert(x->n_docs == y->n_docs && x->sum_length == y->sum_length);
    }
    cr_assert(ws_schema_equal(&a->schema, &b->schema));
    cr_assert_eq(a->user_map.len, b->user_map.len);
    if (a->user_map.len)
        cr_assert_arr_eq(a->user_map.data, b->user_map.data, a->user_map.len);
    cr_assert_str_eq(a->suggest_file, b->suggest_file);
}

Test(manifest, survives_its_bytes)
{
    ws_rng rng = ws_rng_seeded(70);
    for (int i = 0; i < 300; i++) {
        ws_manifest m, back, copy;
        ws_buf bytes;
        ws_buf_init(&bytes);
        ws_buf_cstr(&bytes, "before"); /* appends */
        random_manifest(&rng, &m);
        ws_manifest_encode(&m, &bytes);
        ws_str all = ws_buf_slice(&bytes);
        cr_assert_eq(ws_manifest_decode(&back, ws_str_sub(all, 6, all.len), NULL), WS_OK,
                     "round %d, seed %llu", i, (unsigned long long)rng.seed);
        expect_equal(&m, &back);
        ws_manifest_init(&copy);
        cr_assert_eq(ws_manifest_copy(&copy, &m), WS_OK);
        ws_manifest_fini(&m);
        expect_equal(&copy, &back);
        for (uint32_t f = 0; f < 3; f++)
            for (uint32_t st = 0; st < WS_SCHEMA_STREAMS; st++) {
                const ws_manifest_stream *found = ws_manifest_find_stream(&copy, f, st);
                cr_assert(!found || (found->field == f && found->stream == st));
            }
        ws_manifest_fini(&copy);
        ws_manifest_fini(&back);
        ws_buf_fini(&bytes);
    }
}

Test(manifest, a_new_one_is_empty)
{
    ws_manifest m;
    ws_manifest_init(&m);
    cr_assert_eq(m.generation, (uint64_t)0);
    cr_assert_eq(m.n_segments, 0u);
    cr_assert_eq(m.schema.n_fields, 5u);
    ws_manifest_fini(&m);
}

/* --- damage --- */

static void encode_random(uint64_t seed, ws_buf *bytes)
{
    ws_manifest m;
    ws_rng rng = ws_rng_make(seed);
    ws_buf_init(bytes);
    random_manifest(&rng, &m);
    ws_manifest_encode(&m, bytes);
    ws_manifest_fini(&m);
}

Test(manifest, every_damaged_byte_and_every_cut_is_corrupt)
{
    ws_buf bytes;
    ws_manifest back;
    ws_error error;
    encode_random(71, &bytes);
    ws_str all = ws_buf_slice(&bytes);
    for (size_t i = 0; i < bytes.len; i++) {
        for (int b = 0; b < 8; b++) {
            bytes.data[i] = (uint8_t)(bytes.data[i] ^ 1 << b);
            error.message[0] = 0;
            cr_assert_eq(ws_manifest_decode(&back, all, &error), WS_ERR_CORRUPT, "byte %zu, bit %d",
                         i, b);
            cr_assert(error.message[0]);
            bytes.data[i] = (uint8_t)(bytes.data[i] ^ 1 << b);
        }
        cr_assert_eq(ws_manifest_decode(&back, ws_str_sub(all, 0, i), NULL), WS_ERR_CORRUPT,
                     "cut at %zu", i);
    }
    ws_buf_u8(&bytes, 0);
    cr_assert_eq(ws_manifest_decode(&back, ws_buf_slice(&bytes), NULL), WS_ERR_CORRUPT, "longer");
    ws_buf_fini(&bytes);
}

static ws_status decode_rehashed(ws_buf *bytes)
{
    ws_manifest back;
    ws_store_u64le(bytes->data + bytes->len - 8, ws_hash64(bytes->data, bytes->len - 8));
    ws_status status = ws_manifest_decode(&back, ws_buf_slice(bytes), NULL);
    if (!status)
        ws_manifest_fini(&back);
    return status;
}

Test(manifest, damage_behind_a_right_hash_is_a_status)
{
    ws_buf bytes;
    ws_rng rng = ws_rng_seeded(72);
    uint32_t refused = 0;
    encode_random(73, &bytes);
    for (int i = 0; i < 20000; i++) {
        uint8_t *byte = &bytes.data[ws_rng_below(&rng, bytes.len - 8)], was = *byte;
        *byte = (uint8_t)ws_rng_u32(&rng);
        ws_status status = decode_rehashed(&bytes);
        cr_assert(status == WS_OK || status == WS_ERR_CORRUPT || status == WS_ERR_VERSION, "%d",
                  status);
        refused += status != WS_OK;
        *byte = was;
    }
    cr_assert_gt(refused, 1000u);
    bytes.data[8] = 2;
    cr_assert_eq(decode_rehashed(&bytes), WS_ERR_VERSION);
    bytes.data[8] = 1;
    bytes.data[10] = 77;
    cr_assert_eq(decode_rehashed(&bytes), WS_OK, "a newer minor version is readable");
    ws_buf_fini(&bytes);
}

Test(manifest, what_cannot_be_is_corrupt)
{
    for (int change = 0; change < 12; change++) {
        ws_manifest m, back;
        ws_buf bytes;
        ws_rng rng = ws_rng_make(74);
        ws_buf_init(&bytes);
        do {
            ws_manifest_init(&m);
            ws_manifest_fini(&m);
            random_manifest(&rng, &m);
            if (m.n_segments >= 3 && m.n_streams >= 2)
                break;
            ws_manifest_fini(&m);
        } while (1);
        switch (change) {
        case 0:
            break;
        case 1:
            m.segments[1].id = m.segments[0].id;
            break;
        case 2:
            m.next_segment_id = m.segments[m.n_segments - 1].id;
            break;
        case 3:
            m.segments[0].n_docs = 0;
            break;
        case 4:
            m.segments[0].n_docs = WS_DOCS_MAX + 1;
            break;
        case 5:
            m.segments[0].n_deleted = m.segments[0].n_docs + 1;
            break;
        case 6:
            m.segments[0].live_generation = 0, m.segments[0].n_deleted = 1;
            break;
        case 7:
            m.segments[0].in_epoch = 2;
            break;
        case 8:
            m.streams[1].field = m.streams[0].field, m.streams[1].stream = m.streams[0].stream;
            break;
        case 9:
            m.streams[0].field = 5;
            break;
        case 10:
            snprintf(m.suggest_file, sizeof m.suggest_file, "../x");
            break;
        default: /* more documents than 32 bits number */
            for (uint32_t i = 0; i < 3; i++)
                m.segments[i].n_docs = WS_DOCS_MAX;
        }
        ws_manifest_encode(&m, &bytes);
        ws_status status = ws_manifest_decode(&back, ws_buf_slice(&bytes), NULL);
        cr_expect_eq(status, change ? WS_ERR_CORRUPT : WS_OK, "change %d", change);
        if (!status)
            ws_manifest_fini(&back);
        ws_manifest_fini(&m);
        ws_buf_fini(&bytes);
    }
}

Test(manifest, no_memory_is_a_status)
{
    ws_faults faults;
    int failed = 1;
    ws_buf bytes;
    encode_random(75, &bytes);
    for (uint64_t n = 0; failed; n++) {
        ws_manifest m, copy;
        ws_buf again;
        ws_buf_init(&again);
        ws_manifest_init(&copy);
        ws_faults_arm(&faults, n);
        ws_status status = ws_manifest_decode(&m, ws_buf_slice(&bytes), NULL);
        if (!status) {
            status = ws_manifest_copy(&copy, &m);
            ws_manifest_encode(&m, &again);
            if (!status)
                status = ws_buf_status(&again);
            if (!status)
                status = ws_user_map_set(&m, ws_cstr("k"), ws_cstr("v"));
            ws_manifest_fini(&m);
        }
        failed = ws_faults_disarm(&faults);
        cr_assert_eq(status, failed ? WS_ERR_NOMEM : WS_OK, "allocation %llu",
                     (unsigned long long)n);
        ws_manifest_fini(&copy);
        ws_buf_fini(&again);
    }
    ws_buf_fini(&bytes);
}

/* --- the user map --- */

#define KEYS 8u

Test(manifest, user_map_is_a_map)
{
    ws_rng rng = ws_rng_seeded(76);
    ws_manifest m;
    char values[KEYS][400] = {{0}};
    int there[KEYS] = {0};
    ws_manifest_init(&m);
    for (int i = 0; i < 3000; i++) {
        char key[16];
        uint32_t k = (uint32_t)ws_rng_below(&rng, KEYS);
        int n = snprintf(key, sizeof key, "%.*s%u", k ? 4 : 0, "key-", k),
            remove = ws_rng_below(&rng, 4) == 0;
        char value[400];
        size_t length = (size_t)ws_rng_below(&rng, sizeof value - 1);
        memset(value, 'a' + (int)ws_rng_below(&rng, 26), length);
        value[length] = 0;
        cr_assert_eq(ws_user_map_set(&m, ws_str_make(key, (size_t)n),
                                     ws_str_make(remove ? NULL : value, length)),
                     WS_OK);
        there[k] = !remove;
        memcpy(values[k], value, sizeof value);
        for (uint32_t j = 0; j < KEYS; j++) {
            ws_str found = {NULL, 0};
            n = snprintf(key, sizeof key, "%.*s%u", j ? 4 : 0, "key-", j);
            ws_status status = ws_user_map_get(&m, ws_str_make(key, (size_t)n), &found);
            cr_assert_eq(status, there[j] ? WS_OK : WS_ERR_NOT_FOUND);
            cr_assert(status || ws_str_eq(found, ws_cstr(values[j])));
        }
    }
    ws_manifest_fini(&m);
}

Test(manifest, user_map_has_a_limit)
{
    ws_manifest m;
    static char value[WS_USER_MAP_MAX];
    ws_str found;
    ws_manifest_init(&m);
    memset(value, 'x', sizeof value);
    cr_assert_eq(ws_user_map_set(&m, ws_cstr("k"), ws_str_make(value, WS_USER_MAP_MAX - 4)),
                 WS_ERR_LIMIT);
    cr_assert_eq(ws_user_map_get(&m, ws_cstr("k"), &found), WS_ERR_NOT_FOUND);
    cr_assert_eq(ws_user_map_set(&m, ws_cstr("k"), ws_str_make(value, WS_USER_MAP_MAX - 5)), WS_OK);
    cr_assert_eq(ws_user_map_set(&m, ws_cstr("j"), ws_cstr("")), WS_ERR_LIMIT);
    cr_assert_eq(ws_user_map_set(&m, ws_cstr("k"), ws_str_make(value, WS_USER_MAP_MAX - 4)),
                 WS_ERR_LIMIT);
    cr_assert_eq(ws_user_map_get(&m, ws_cstr("k"), &found), WS_OK);
    cr_assert_eq(found.len, (size_t)WS_USER_MAP_MAX - 5, "the old value stays");
    cr_assert_eq(ws_user_map_set(&m, ws_cstr("k"), ws_str_make(value, 0)), WS_OK,
                 "an empty value is a value");
    cr_assert_eq(ws_user_map_get(&m, ws_cstr("k"), &found), WS_OK);
    cr_assert_eq(found.len, (size_t)0);
    ws_manifest_fini(&m);
}
