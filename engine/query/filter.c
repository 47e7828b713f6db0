#include "engine/query/filter.h"

#include "base/error.h"
#include "base/str.h"
#include "engine/index/column.h"

/* --- text to predicates --- */

typedef struct {
    const ws_schema *schema;
    ws_str text;
    size_t at;
    ws_arena *arena;
    ws_error *error;
} parser;

typedef enum { EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL } comparison;

static ws_status fail(const parser *p, ws_status code, size_t at, const char *message)
{
    return ws_error_at(p->error, code, NULL, at, "filter: %s", message);
}

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static char peek(const parser *p)
{
    return p->at < p->text.len ? p->text.ptr[p->at] : '\0';
}

static void skip_space(parser *p)
{
    while (p->at < p->text.len && is_space(p->text.ptr[p->at]))
        p->at++;
}

static ws_str take_name(parser *p)
{
    size_t from = p->at;
    while (p->at < p->text.len && is_name(p->text.ptr[p->at]))
        p->at++;
    return ws_str_sub(p->text, from, p->at);
}

static ws_status unknown_field(const parser *p, ws_str name, size_t at)
{
    const char *names[WS_MAX_FIELDS];
    for (uint32_t i = 0; i < p->schema->n_fields; i++)
        names[i] = p->schema->fields[i].name;
    int nearest = ws_str_nearest(name, names, p->schema->n_fields);
    return ws_error_at(p->error, WS_ERR_SCHEMA, NULL, at, "filter: no field " WS_STR_FMT "%s%s%s",
                       (int)(name.len < 64 ? name.len : 64), name.ptr,
                       nearest < 0 ? "" : " (did you mean ", nearest < 0 ? "" : names[nearest],
                       nearest < 0 ? "" : "?)");
}

static ws_status parse_field(parser *p, uint32_t *field)
{
    size_t at = p->at;
    ws_str name = take_name(p);
    if (name.len == 0)
        return fail(p, WS_ERR_SYNTAX, at, "expected the name of a field");
    int found = ws_schema_find(p->schema, name);
    if (found < 0)
        return unknown_field(p, name, at);
    uint8_t type = p->schema->fields[found].type;
    if (type != WS_FIELD_KEYWORD && type != WS_FIELD_INT)
        return fail(p, WS_ERR_SCHEMA, at, "only keyword and int fields can be compared");
    *field = (uint32_t)found;
    return WS_OK;
}

static ws_status parse_comparison(parser *p, comparison *op)
{
    size_t at = p->at;
    char first = peek(p);
    if (first != '=' && first != '!' && first != '<' && first != '>')
        return fail(p, WS_ERR_SYNTAX, at, "expected =, !=, <, <=, > or >=");
    p->at++;
    int with_equal = first != '=' && peek(p) == '=';
    p->at += (size_t)with_equal;
    if (first == '!' && !with_equal)
        return fail(p, WS_ERR_SYNTAX, at, "expected !=");
    *op = first == '='   ? EQUAL
          : first == '!' ? NOT_EQUAL
          : first == '<' ? (with_equal ? LESS_EQUAL : LESS)
                         : (with_equal ? GREATER_EQUAL : GREATER);
    return WS_OK;
}

static ws_status parse_quoted(parser *p, ws_str *value)
{
    size_t open = p->at, n = 0;
    if (peek(p) != '"')
        return fail(p, WS_ERR_SYNTAX, open, "expected a value in double quotes");
    char *out = ws_arena_alloc(p->arena, p->text.len - open);
    if (!out)
        return fail(p, WS_ERR_NOMEM, open, "no memory");
    for (p->at++; p->at < p->text.len && p->text.ptr[p->at] != '"'; p->at++) {
        if (p->text.ptr[p->at] == '\\') {
            p->at++;
            if (peek(p) != '"' && peek(p) != '\\')
                return fail(p, WS_ERR_SYNTAX, p->at, "expected \\\" or \\\\");
        }
        out[n++] = p->text.ptr[p->at];
    }
    if (p->at == p->text.len)
        return fail(p, WS_ERR_SYNTAX, open, "the value has no closing quote");
    p->at++;
    *value = ws_str_make(out, n);
    return WS_OK;
}

static ws_status parse_integer(parser *p, int64_t *value)
{
    size_t from = p->at;
    if (peek(p) == '-')
        p->at++;
    take_name(p);
    if (!ws_str_to_i64(ws_str_sub(p->text, from, p->at), value))
        return fail(p, WS_ERR_SYNTAX, from, "expected an integer of 64 bits");
    return WS_OK;
}

/* An empty range is low > high. */
static void set_range(ws_query_predicate *out, comparison op, int64_t value)
{
    out->low = op == LESS || op == LESS_EQUAL ? INT64_MIN : value;
    out->high = op == GREATER || op == GREATER_EQUAL ? INT64_MAX : value;
    if ((op == LESS && value == INT64_MIN) || (op == GREATER && value == INT64_MAX)) {
        out->low = 1;
        out->high = 0;
    } else if (op == LESS) {
        out->high = value - 1;
    } else if (op == GREATER) {
        out->low = value + 1;
    }
}

static ws_status parse_condition(parser *p, ws_query_predicate *out)
{
    uint32_t field = 0;
    comparison op = EQUAL;
    int64_t value = 0;
    WS_TRY(parse_field(p, &field));
    skip_space(p);
    size_t at = p->at;
    WS_TRY(parse_comparison(p, &op));
    skip_space(p);
    memset(out, 0, sizeof *out);
    out->field = (uint8_t)field;
    out->negative = op == NOT_EQUAL;
    if (p->schema->fields[field].type == WS_FIELD_KEYWORD) {
        if (op != EQUAL && op != NOT_EQUAL)
            return fail(p, WS_ERR_SCHEMA, at, "a keyword field can only be compared by = and !=");
        return parse_quoted(p, &out->value);
    }
    WS_TRY(parse_integer(p, &value));
    set_range(out, op, value);
    return WS_OK;
}

static int take_and(parser *p)
{
    size_t before = p->at;
    ws_str word = take_name(p);
    if (ws_str_eq(word, WS_STR("AND")) || ws_str_eq(word, WS_STR("and")))
        return 1;
    p->at = before;
    return 0;
}

static ws_status parse_conditions(parser *p, ws_query_predicate *out, uint32_t *n)
{
    for (;;) {
        skip_space(p);
        if (*n == WS_FILTER_MAX)
            return fail(p, WS_ERR_SYNTAX, p->at, "more than 64 conditions");
        WS_TRY(parse_condition(p, &out[*n]));
        ++*n;
        skip_space(p);
        if (p->at == p->text.len)
            return WS_OK;
        if (!take_and(p))
            return fail(p, WS_ERR_SYNTAX, p->at, "expected AND or the end");
    }
}

ws_status ws_filter_parse(const ws_schema *schema, ws_str text, ws_arena *arena,
                          ws_query_predicate **predicates, uint32_t *n, ws_error *error)
{
    parser p = {schema, text, 0, arena, error};
    ws_query_predicate found[WS_FILTER_MAX];
    uint32_t n_found = 0;
    *predicates = NULL;
    *n = 0;
    skip_space(&p);
    if (p.at == text.len)
        return WS_OK;
    WS_TRY(parse_conditions(&p, found, &n_found));
    *predicates = ws_arena_alloc(arena, n_found * sizeof *found);
    if (!*predicates)
        return fail(&p, WS_ERR_NOMEM, 0, "no memory");
    memcpy(*predicates, found, n_found * sizeof *found);
    *n = n_found;
    return WS_OK;
}

/* --- predicates to bits --- */

static size_t n_words(const ws_segment *segment)
{
    return ((size_t)segment->meta.n_docs + 63) / 64;
}

static ws_status match_keyword(ws_segment *segment, const ws_query_predicate *p, uint64_t *bits)
{
    int64_t ordinal;
    WS_TRY(ws_column_ordinal(segment, p->field, p->value, &ordinal));
    if (ordinal < 0)
        return WS_ERR_NOT_FOUND;
    return ws_column_match_ordinal(segment, p->field, (uint32_t)ordinal, bits);
}

/* The documents that = accepts. A segment in which no document has the field has no column, or one
 * of another kind when the schema is not the segment's: nothing is equal to anything there. */
static ws_status match_equal(ws_segment *segment, const ws_query_predicate *p, uint64_t *bits)
{
    uint32_t type = ws_column_type(segment, p->field);
    ws_status status = WS_ERR_NOT_FOUND;
    if (p->value.ptr && (type == WS_COLUMN_KEYWORD || type == WS_COLUMN_MULTI))
        status = match_keyword(segment, p, bits);
    else if (!p->value.ptr && type == WS_COLUMN_INT)
        status = ws_column_match_range(segment, p->field, p->low, p->high, bits);
    if (status != WS_ERR_NOT_FOUND)
        return status;
    memset(bits, 0, n_words(segment) * sizeof *bits);
    return WS_OK;
}

ws_status ws_filter_match(ws_segment *segment, const ws_query_predicate *predicates, uint32_t n,
                          uint64_t *bits, uint64_t *room)
{
    size_t words = n_words(segment);
    uint32_t tail = segment->meta.n_docs % 64;
    memset(bits, 0xff, words * sizeof *bits);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t flip = predicates[i].negative ? ~0ull : 0;
        WS_TRY(match_equal(segment, &predicates[i], room));
        for (size_t w = 0; w < words; w++)
            bits[w] &= room[w] ^ flip;
    }
    if (tail)
        bits[words - 1] &= (1ull << tail) - 1;
    return WS_OK;
}
