/* The schema in binary: round trips, refusals, questions. */
#include <stdio.h>

#include "base/str.h"
#include "engine/index/schema.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

static ws_str encoded(const ws_schema *s, ws_buf *buf)
{
    ws_buf_clear(buf);
    ws_schema_encode(s, buf);
    cr_assert_eq(ws_buf_status(buf), WS_OK);
    return ws_buf_slice(buf);
}

static void random_name(ws_rng *rng, char out[65], unsigned number)
{
    int n = snprintf(out, 65, "f%u_", number);
    for (uint64_t more = ws_rng_below(rng, 50); more > 0; more--)
        out[n++] = (char)('a' + ws_rng_below(rng, 26));
    out[n] = 0;
}

static ws_schema random_schema(ws_rng *rng)
{
    ws_schema s;
    memset(&s, 0, sizeof s);
    uint32_t n_text = 0;
    s.n_fields = (uint32_t)ws_rng_below(rng, WS_MAX_FIELDS + 1);
    s.k1 = ws_rng_u32(rng);
    s.b = (uint32_t)ws_rng_below(rng, (1u << 24) + 1);
    for (uint32_t i = 0; i < WS_SCHEMA_STREAMS; i++)
        s.weights[i] = ws_rng_u32(rng);
    if (ws_rng_below(rng, 2))
        random_name(rng, s.id_key, 99);
    for (uint32_t i = 0; i < s.n_fields; i++) {
        ws_field *f = &s.fields[i];
        random_name(rng, f->name, i);
        random_name(rng, f->from, i);
        f->type = (uint8_t)ws_rng_between(rng, n_text < WS_MAX_TEXT_FIELDS ? 1 : 2, 4);
        n_text += f->type == WS_FIELD_TEXT;
        f->analyzer = (uint8_t)ws_rng_below(rng, 3);
        f->flags = (uint8_t)ws_rng_below(rng, 8);
        f->boost = (uint32_t)ws_rng_below(rng, 100 * 65536 + 1);
    }
    return s;
}

Test(schema, survives_its_bytes)
{
    ws_rng rng = ws_rng_seeded(2);
    ws_buf buf;
    ws_buf_init(&buf);
    for (int i = 0; i < 500; i++) {
        ws_schema s = random_schema(&rng), back;
        cr_assert_eq(ws_schema_decode(&back, encoded(&s, &buf)), WS_OK, "round %d, seed %llu", i,
                     (unsigned long long)rng.seed);
        cr_assert(ws_schema_equal(&s, &back), "round %d, seed %llu", i,
                  (unsigned long long)rng.seed);
    }
    ws_buf_fini(&buf);
}

Test(schema, default_is_the_documented_one)
{
    ws_schema s;
    ws_schema_init_default(&s);
    cr_assert_eq(s.n_fields, 5u);
    cr_assert_str_eq(s.id_key, "id");
    cr_assert_str_eq(s.fields[1].name, "body");
    cr_assert_str_eq(s.fields[1].from, "text");
    cr_assert_eq(s.fields[0].boost, 3 * s.fields[1].boost / 4);
    cr_assert_eq(s.weights[1] * 2, s.weights[0]);
    cr_assert_eq(s.weights[2], 0u);
    cr_assert_float_eq(s.k1 / 16777216.0, 0.9, 1e-6);
    cr_assert_float_eq(s.b / 16777216.0, 0.4, 1e-6);
    cr_assert_eq(ws_schema_title_field(&s), 0);
    cr_assert_eq(ws_schema_body_field(&s), 1);
    cr_assert_eq(ws_schema_find(&s, ws_cstr("categories")), 3);
    cr_assert_eq(ws_schema_find(&s, ws_cstr("text")), -1);
    cr_assert(s.fields[3].flags & WS_FIELD_MULTI);
}

Test(schema, positions_follow_the_flag_but_for_bigrams)
{
    ws_schema s;
    ws_schema_init_default(&s);
    s.fields[1].flags = WS_FIELD_IS_STORED;
    for (uint32_t stream = 0; stream < WS_SCHEMA_STREAMS; stream++) {
        cr_assert_eq(ws_schema_has_positions(&s, 0, stream), stream != 1);
        cr_assert_not(ws_schema_has_positions(&s, 1, stream));
    }
}

Test(schema, no_text_field_no_title_no_body)
{
    ws_schema s;
    ws_schema_init_default(&s);
    s.fields[0].type = s.fields[1].type = WS_FIELD_STORED;
    cr_assert_eq(ws_schema_title_field(&s), -1);
    cr_assert_eq(ws_schema_body_field(&s), -1);
}

Test(schema, every_difference_counts)
{
    ws_schema a, b;
    ws_schema_init_default(&a);
    for (int change = 0; change < 10; change++) {
        b = a;
        switch (change) {
        case 0:
            b.k1++;
            break;
        case 1:
            b.b++;
            break;
        case 2:
            b.weights[2]++;
            break;
        case 3:
            b.id_key[0] = 'x';
            break;
        case 4:
            b.n_fields--;
            break;
        case 5:
            b.fields[0].name[0] = 'x';
            break;
        case 6:
            b.fields[1].from[0] = 'x';
            break;
        case 7:
            b.fields[2].type++;
            break;
        case 8:
            b.fields[3].flags ^= 1;
            break;
        default:
            b.fields[0].boost++;
            break;
        }
        cr_assert_not(ws_schema_equal(&a, &b), "change %d", change);
    }
    b = a;
    cr_assert(ws_schema_equal(&a, &b));
}

Test(schema, cut_bytes_are_corrupt)
{
    ws_schema s, back;
    ws_buf buf;
    ws_buf_init(&buf);
    ws_schema_init_default(&s);
    ws_str bytes = encoded(&s, &buf);
    for (size_t n = 0; n < bytes.len; n++)
        cr_assert_eq(ws_schema_decode(&back, ws_str_sub(bytes, 0, n)), WS_ERR_CORRUPT, "%zu", n);
    ws_buf_u8(&buf, 0);
    cr_assert_eq(ws_schema_decode(&back, ws_buf_slice(&buf)), WS_ERR_CORRUPT, "a byte too many");
    ws_buf_fini(&buf);
}

Test(schema, damaged_bytes_are_corrupt_or_another_sound_schema)
{
    ws_rng rng = ws_rng_seeded(3);
    ws_schema s, back, again;
    ws_buf buf, second;
    ws_buf_init(&buf);
    ws_buf_init(&second);
    ws_schema_init_default(&s);
    size_t n = encoded(&s, &buf).len, sound = 0;
    for (size_t i = 0; i < n * 64; i++) {
        uint8_t *byte = &buf.data[i % n], was = *byte;
        *byte = (uint8_t)ws_rng_u32(&rng);
        if (ws_schema_decode(&back, ws_buf_slice(&buf)) == WS_OK) {
            cr_assert_eq(ws_schema_decode(&again, encoded(&back, &second)), WS_OK);
            cr_assert(ws_schema_equal(&back, &again));
            sound++;
        }
        *byte = was;
    }
    cr_assert_gt(sound, (size_t)0, "names and weights have no wrong values");
    ws_buf_fini(&buf);
    ws_buf_fini(&second);
}

Test(schema, doubled_names_and_wrong_numbers_are_corrupt)
{
    ws_buf buf;
    ws_schema back;
    ws_buf_init(&buf);
    for (int change = 0; change < 6; change++) {
        ws_schema s;
        ws_schema_init_default(&s);
        switch (change) {
        case 0:
            memcpy(s.fields[1].name, s.fields[0].name, 65);
            break;
        case 1:
            s.fields[0].type = 5;
            break;
        case 2:
            s.fields[0].analyzer = 3;
            break;
        case 3:
            s.b = (1u << 24) + 1;
            break;
        case 4:
            s.fields[0].boost = 100 * 65536 + 1;
            break;
        default:
            s.fields[2].name[0] = 0;
            break;
        }
        cr_assert_eq(ws_schema_decode(&back, encoded(&s, &buf)), WS_ERR_CORRUPT, "%d", change);
    }
    ws_buf_fini(&buf);
}
