#include "engine/query/cut.h"

#include "base/str.h"
#include "base/utf8.h"

/* Unicode property White_Space. */
static int is_space(uint32_t c)
{
    if (c < 0x80)
        return c == ' ' || (c >= '\t' && c <= '\r');
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
           c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

/* Code point at `at`, ' ' at the end; *n its bytes. */
static uint32_t code_point_at(ws_str text, size_t at, size_t *n)
{
    uint32_t c = ' ';
    *n = at < text.len ? ws_utf8_decode(text, at, &c) : 0;
    return c;
}

static int begins_negative(ws_str text, size_t at)
{
    size_t n;
    if (at >= text.len || text.ptr[at] != '-')
        return 0;
    uint32_t next = code_point_at(text, at + 1, &n);
    return !is_space(next) && next != '-'; /* --help is text */
}

static void take_phrase(ws_cutter *c, ws_clause_text *clause)
{
    size_t from = ++c->at;
    while (c->at < c->text.len && c->text.ptr[c->at] != '"')
        c->at++;
    clause->text = ws_str_sub(c->text, from, c->at);
    clause->phrase = 1;
    c->at += c->at < c->text.len; /* the closing quote */
}

static void take_word(ws_cutter *c, ws_clause_text *clause)
{
    size_t from = c->at, n;
    for (uint32_t next; c->at < c->text.len; c->at += n) {
        next = code_point_at(c->text, c->at, &n);
        if (is_space(next) || next == '"')
            break;
    }
    clause->text = ws_str_sub(c->text, from, c->at);
}

static void skip_space(ws_cutter *c)
{
    size_t n;
    while (c->at < c->text.len && is_space(code_point_at(c->text, c->at, &n)))
        c->at += n;
}

int ws_cut_next(ws_cutter *c, ws_clause_text *clause)
{
    for (;;) {
        skip_space(c);
        if (c->at == c->text.len)
            return 0;
        memset(clause, 0, sizeof *clause);
        clause->negative = (uint8_t)begins_negative(c->text, c->at);
        c->at += clause->negative;
        if (c->text.ptr[c->at] == '"')
            take_phrase(c, clause);
        else
            take_word(c, clause);
        if (clause->text.len)
            return 1;
    }
}

size_t ws_cut_limit(ws_str text, uint64_t n)
{
    size_t at = 0, bytes;
    for (; n && at < text.len; n--, at += bytes)
        code_point_at(text, at, &bytes);
    return at;
}
