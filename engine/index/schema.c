#include "engine/index/schema.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"

#define VERSION    1u
#define HEAD_BYTES 24u
#define ONE        65536u /* weights and boosts */
#define BIGRAM     1u     /* the stream without positions */

static void add_default(ws_schema *s, const char *name, const char *from, uint8_t type,
                        uint8_t flags, uint32_t boost)
{
    ws_field *f = &s->fields[s->n_fields++];
    memcpy(f->name, name, strlen(name) + 1);
    memcpy(f->from, from, strlen(from) + 1);
    f->type = type;
    f->flags = flags;
    f->boost = boost;
}

void ws_schema_init_default(ws_schema *s)
{
    const uint8_t text = WS_FIELD_IS_STORED | WS_FIELD_POSITIONS;
    memset(s, 0, sizeof *s);
    memcpy(s->id_key, "id", 3);
    s->k1 = (uint32_t)(0.9 * (1 << 24));
    s->b = (uint32_t)(0.4 * (1 << 24));
    s->weights[0] = ONE;
    s->weights[1] = ONE / 2;
    add_default(s, "title", "title", WS_FIELD_TEXT, text, 3 * ONE / 4);
    add_default(s, "body", "text", WS_FIELD_TEXT, text, ONE);
    add_default(s, "lang", "lang", WS_FIELD_KEYWORD, WS_FIELD_IS_STORED, 0);
    add_default(s, "categories", "categories", WS_FIELD_KEYWORD,
                WS_FIELD_IS_STORED | WS_FIELD_MULTI, 0);
    add_default(s, "source", "source", WS_FIELD_STORED, WS_FIELD_IS_STORED, 0);
}

/* --- binary form --- */

static void put_name(ws_buf *out, const char *name)
{
    ws_buf_u8(out, (uint8_t)strlen(name));
    ws_buf_cstr(out, name);
}

void ws_schema_encode(const ws_schema *s, ws_buf *out)
{
    ws_buf_u8(out, VERSION);
    ws_buf_u8(out, (uint8_t)s->n_fields);
    ws_buf_u16le(out, 0);
    ws_buf_u32le(out, s->k1);
    ws_buf_u32le(out, s->b);
    for (uint32_t i = 0; i < WS_SCHEMA_STREAMS; i++)
        ws_buf_u32le(out, s->weights[i]);
    put_name(out, s->id_key);
    for (uint32_t i = 0; i < s->n_fields; i++) {
        const ws_field *f = &s->fields[i];
        ws_buf_u8(out, f->type);
        ws_buf_u8(out, f->analyzer);
        ws_buf_u8(out, f->flags);
        ws_buf_u8(out, 0);
        ws_buf_u32le(out, f->boost);
        put_name(out, f->name);
        put_name(out, f->from);
    }
}

typedef struct {
    const uint8_t *p, *end;
} reader;

static int get_name(reader *r, char out[65])
{
    if (r->p >= r->end)
        return 0;
    size_t n = *r->p++;
    if (n > 64 || n > (size_t)(r->end - r->p) || memchr(r->p, 0, n))
        return 0;
    memcpy(out, r->p, n);
    out[n] = 0;
    r->p += n;
    return 1;
}

static int get_field(reader *r, ws_field *f)
{
    if (r->end - r->p < 8)
        return 0;
    f->type = r->p[0];
    f->analyzer = r->p[1];
    f->flags = r->p[2];
    f->boost = ws_load_u32le(r->p + 4);
    r->p += 8;
    return get_name(r, f->name) && get_name(r, f->from);
}

static int valid_field(const ws_schema *s, uint32_t i)
{
    const ws_field *f = &s->fields[i];
    if (f->type < WS_FIELD_TEXT || f->type > WS_FIELD_STORED || f->analyzer > 2 || f->flags > 7 ||
        !f->name[0] || f->boost > 100 * ONE)
        return 0;
    return ws_schema_find(s, ws_cstr(f->name)) == (int)i; /* names differ */
}

ws_status ws_schema_decode(ws_schema *s, ws_str bytes)
{
    reader r = {(const uint8_t *)bytes.ptr, (const uint8_t *)bytes.ptr + bytes.len};
    uint32_t n_text = 0;
    memset(s, 0, sizeof *s);
    if (bytes.len < HEAD_BYTES || r.p[0] != VERSION || r.p[1] > WS_MAX_FIELDS)
        return WS_ERR_CORRUPT;
    uint32_t n_fields = r.p[1];
    s->k1 = ws_load_u32le(r.p + 4);
    s->b = ws_load_u32le(r.p + 8);
    for (uint32_t i = 0; i < WS_SCHEMA_STREAMS; i++)
        s->weights[i] = ws_load_u32le(r.p + 12 + 4 * i);
    r.p += HEAD_BYTES;
    if (s->b > 1u << 24 || !get_name(&r, s->id_key))
        return WS_ERR_CORRUPT;
    for (uint32_t i = 0; i < n_fields; i++) {
        if (!get_field(&r, &s->fields[i]))
            return WS_ERR_CORRUPT;
        s->n_fields = i + 1;
        n_text += s->fields[i].type == WS_FIELD_TEXT;
        if (!valid_field(s, i))
            return WS_ERR_CORRUPT;
    }
    return r.p == r.end && n_text <= WS_MAX_TEXT_FIELDS ? WS_OK : WS_ERR_CORRUPT;
}

/* --- questions --- */

static int same_field(const ws_field *a, const ws_field *b)
{
    return a->type == b->type && a->analyzer == b->analyzer && a->flags == b->flags &&
           a->boost == b->boost && strcmp(a->name, b->name) == 0 && strcmp(a->from, b->from) == 0;
}

int ws_schema_equal(const ws_schema *a, const ws_schema *b)
{
    if (a->n_fields != b->n_fields || a->k1 != b->k1 || a->b != b->b ||
        strcmp(a->id_key, b->id_key) != 0 || memcmp(a->weights, b->weights, sizeof a->weights) != 0)
        return 0;
    for (uint32_t i = 0; i < a->n_fields; i++)
        if (!same_field(&a->fields[i], &b->fields[i]))
            return 0;
    return 1;
}

int ws_schema_find(const ws_schema *s, ws_str name)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (ws_str_eq(ws_cstr(s->fields[i].name), name))
            return (int)i;
    return -1;
}

int ws_schema_has_positions(const ws_schema *s, uint32_t field, uint32_t stream)
{
    return stream != BIGRAM && (s->fields[field].flags & WS_FIELD_POSITIONS) != 0;
}

int ws_schema_stores_any(const ws_schema *s)
{
    for (uint32_t f = 0; f < s->n_fields; f++)
        if (s->fields[f].flags & WS_FIELD_IS_STORED)
            return 1;
    return 0;
}

int ws_schema_body_field(const ws_schema *s)
{
    for (uint32_t i = s->n_fields; i-- > 0;)
        if (s->fields[i].type == WS_FIELD_TEXT)
            return (int)i;
    return -1;
}

int ws_schema_title_field(const ws_schema *s)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].type == WS_FIELD_TEXT)
            return (int)i;
    return -1;
}
