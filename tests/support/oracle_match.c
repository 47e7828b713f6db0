/* Which documents match: docs/search.md, once more. */
#include "tests/support/oracle_int.h"

/* --- clauses --- */

void ws_oracle_free_clause(clause *c)
{
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++)
        free(c->tokens[f].tokens);
    free(c->text);
}

/* Bytes of the white space that begins at p, 0 when none does. */
static size_t space_at(const char *p, size_t left)
{
    static const char *const wide[] = {"\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80",
                                       "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf",
                                       "\xe2\x81\x9f", "\xe3\x80\x80"};
    if (left == 0)
        return 0;
    if (strchr(" \t\n\v\f\r", p[0]) && p[0])
        return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (left >= strlen(wide[i]) && memcmp(p, wide[i], strlen(wide[i])) == 0)
            return strlen(wide[i]);
    if (left >= 3 && (uint8_t)p[0] == 0xe2 && (uint8_t)p[1] == 0x80 && (uint8_t)p[2] >= 0x80 &&
        (uint8_t)p[2] <= 0x8a)
        return 3; /* U+2000 to U+200A */
    return 0;
}

static void add_clause(ws_oracle *o, clause *c, const char *text, size_t len)
{
    c->text = need(malloc(len + 1));
    memcpy(c->text, text, len);
    c->text[len] = '\0';
    c->len = len;
    for (uint32_t f = 0; f < o->schema.n_fields; f++)
        if (o->schema.fields[f].type == WS_FIELD_TEXT)
            c->tokens[f] = ws_oracle_analyse(o, o->schema.fields[f].analyzer, WS_ANALYZE_QUERY,
                                             (ws_str){c->text, len});
}

static int is_stop_clause(const clause *c)
{
    static const char list[] = " a an and are as at be but by for if in into is it no not of on or "
                               "such that the their then "
                               "there these they this to was will with ";
    char word[16];
    size_t from = strspn(c->text, ".,;:!?'()[]"), to = c->len, n;
    while (to > from && strchr(".,;:!?'()[]", c->text[to - 1]))
        to--;
    n = to - from;
    if (c->negative || c->phrase || n == 0 || n > 12 || strlen(c->text) != c->len)
        return 0;
    snprintf(word, sizeof word, " %.*s ", (int)n, c->text + from);
    if (n > 1 && word[1] >= 'A' && word[1] <= 'Z')
        word[1] = (char)(word[1] - 'A' + 'a');
    return strchr(word + 1, ' ') == word + n + 1 && strstr(list, word) != NULL;
}

static int selects(const ws_oracle *o, const clause *c)
{
    for (uint32_t f = 0; f < o->schema.n_fields && !c->negative; f++)
        if (ws_oracle_has_alternative(o, c, f))
            return 1;
    return 0;
}

/* "Stop words" of the page. Returns how many clauses are left. */
static uint32_t drop_stop_words(const ws_oracle *o, clause *clauses, uint32_t n)
{
    uint32_t kept = 0;
    int others = 0;
    for (uint32_t f = 0; f < o->schema.n_fields; f++)
        if (o->schema.fields[f].type == WS_FIELD_TEXT &&
            o->schema.fields[f].analyzer != WS_ANALYZER_STANDARD)
            return n;
    for (uint32_t i = 0; i < n; i++)
        others |= !is_stop_clause(&clauses[i]) && selects(o, &clauses[i]);
    for (uint32_t i = 0; i < n; i++)
        if (others && is_stop_clause(&clauses[i]))
            ws_oracle_free_clause(&clauses[i]);
        else
            clauses[kept++] = clauses[i];
    return kept;
}

uint32_t ws_oracle_cut(ws_oracle *o, ws_str text, clause *out)
{
    const char *p = text.ptr, *end = text.ptr + text.len;
    uint32_t n = 0;
    while (p < end) {
        size_t space = space_at(p, (size_t)(end - p));
        if (space) {
            p += space;
            continue;
        }
        clause *c = &out[n];
        memset(c, 0, sizeof *c);
        if (*p == '-' && p + 1 < end && p[1] != '-' && !space_at(p + 1, (size_t)(end - p - 1))) {
            c->negative = 1;
            p++;
        }
        const char *from = p;
        if (*p == '"') {
            c->phrase = 1;
            from = ++p;
            while (p < end && *p != '"')
                p++;
        } else {
            while (p < end && *p != '"' && !space_at(p, (size_t)(end - p)))
                p++;
        }
        add_clause(o, c, from, (size_t)(p - from));
        if (c->phrase && p < end)
            p++;
        must(++n < CLAUSES, "too many clauses");
    }
    return drop_stop_words(o, out, n);
}

place ws_oracle_place(const token_list *tokens, uint32_t position)
{
    place p = {NONE, NONE, {0}, 0};
    for (uint32_t i = 0; i < tokens->n; i++) {
        const token *t = &tokens->tokens[i];
        if (t->position != position)
            continue;
        if (t->stream == WS_STREAM_WORD)
            p.word = t->term;
        else if (t->stream == WS_STREAM_SURFACE)
            p.surface = t->term;
        else if (t->in_stem && p.n_in_stem < 512)
            p.bigrams[p.n_in_stem++] = t->term;
    }
    return p;
}

/* --- matching --- */

uint32_t ws_oracle_tf(const document *d, uint32_t field, uint32_t stream, uint32_t term)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->text[field].n; i++)
        n += d->text[field].tokens[i].term == term && d->text[field].tokens[i].stream == stream;
    return n;
}

static int has_place(const document *d, uint32_t field, const token_list *tokens, uint32_t position)
{
    place p = ws_oracle_place(tokens, position);
    if (p.word != NONE && ws_oracle_tf(d, field, WS_STREAM_WORD, p.word))
        return 1;
    for (uint32_t i = 0; i < p.n_in_stem; i++)
        if (!ws_oracle_tf(d, field, WS_STREAM_BIGRAM, p.bigrams[i]))
            return 0;
    return p.n_in_stem != 0;
}

static int stands_at(const document *d, uint32_t field, uint32_t stream, uint32_t term,
                     uint32_t position)
{
    for (uint32_t i = 0; i < d->text[field].n; i++) {
        const token *t = &d->text[field].tokens[i];
        if (t->position == position && t->stream == stream && t->term == term)
            return 1;
    }
    return 0;
}

static int phrase_stands_at(const document *d, uint32_t field, const token_list *tokens,
                            uint32_t position)
{
    for (uint32_t i = 0; i < tokens->n_positions; i++) {
        place p = ws_oracle_place(tokens, i);
        uint32_t stream = p.surface != NONE ? WS_STREAM_SURFACE : WS_STREAM_WORD;
        if (!stands_at(d, field, stream, p.surface != NONE ? p.surface : p.word, position + i))
            return 0;
    }
    return 1;
}

uint32_t ws_oracle_phrase_tf(const document *d, uint32_t field, const token_list *tokens)
{
    uint32_t n = 0;
    for (uint32_t at = 0; tokens->n_positions && at < d->text[field].n_positions; at++)
        n += (uint32_t)phrase_stands_at(d, field, tokens, at);
    return n;
}

/* A field without positions cannot answer a phrase of several places. */
int ws_oracle_has_alternative(const ws_oracle *o, const clause *c, uint32_t field)
{
    if (o->schema.fields[field].type != WS_FIELD_TEXT || c->tokens[field].n_positions == 0)
        return 0;
    return !c->phrase || c->tokens[field].n_positions == 1 ||
           (o->schema.fields[field].flags & WS_FIELD_POSITIONS);
}

static int is_dropped(const ws_oracle *o, const clause *c)
{
    for (uint32_t f = 0; f < o->schema.n_fields; f++)
        if (ws_oracle_has_alternative(o, c, f))
            return 0;
    return 1;
}

static int field_matches(const document *d, const clause *c, uint32_t field)
{
    if (c->phrase)
        return ws_oracle_phrase_tf(d, field, &c->tokens[field]) != 0;
    for (uint32_t i = 0; i < c->tokens[field].n_positions; i++)
        if (!has_place(d, field, &c->tokens[field], i))
            return 0;
    return 1;
}

static int clause_matches(const ws_oracle *o, const document *d, const clause *c)
{
    for (uint32_t f = 0; f < o->schema.n_fields; f++)
        if (ws_oracle_has_alternative(o, c, f) && field_matches(d, c, f))
            return 1;
    return 0;
}

static int meets(const ws_oracle *o, const document *d, const ws_oracle_condition *c)
{
    int equal = 0;
    if (o->schema.fields[c->field].type == WS_FIELD_INT)
        equal = d->has_int[c->field] && d->ints[c->field] >= c->low && d->ints[c->field] <= c->high;
    for (uint32_t i = 0; i < d->n_keywords[c->field]; i++)
        equal |= strlen(d->keywords[c->field][i]) == c->value.len &&
                 memcmp(d->keywords[c->field][i], c->value.ptr, c->value.len) == 0;
    return equal != c->negative;
}

int ws_oracle_matches(const ws_oracle *o, const document *d, const clause *clauses, uint32_t n,
                      int all, const ws_oracle_condition *conditions, uint32_t n_conditions)
{
    uint32_t positive = 0, matched = 0;
    if (!d->live)
        return 0;
    for (uint32_t i = 0; i < n_conditions; i++)
        if (!meets(o, d, &conditions[i]))
            return 0;
    for (uint32_t i = 0; i < n; i++) {
        if (is_dropped(o, &clauses[i]))
            continue;
        int matches = clause_matches(o, d, &clauses[i]);
        if (clauses[i].negative && matches)
            return 0;
        positive += !clauses[i].negative;
        matched += !clauses[i].negative && matches;
    }
    return all ? positive && matched == positive : matched != 0;
}
