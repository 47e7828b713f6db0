#include "tests/support/oracle.h"

#include "tests/support/oracle_int.h"

/* --- tokens --- */

static uint32_t *slot_of(ws_oracle *o, const char *text, size_t len)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)text[i]) * 1099511628211u;
    for (;; h++) {
        uint32_t *slot = &o->slots[h % o->n_slots];
        if (*slot == 0)
            return slot;
        const known_term *t = &o->terms[*slot - 1];
        if (t->len == len && memcmp(t->text, text, len) == 0)
            return slot;
    }
}

static void grow_terms(ws_oracle *o)
{
    o->terms_cap = o->terms_cap ? o->terms_cap * 2 : 1024;
    o->terms = need(realloc(o->terms, o->terms_cap * sizeof *o->terms));
    free(o->slots);
    o->n_slots = o->terms_cap * 2;
    o->slots = need(calloc(o->n_slots, sizeof *o->slots));
    for (uint32_t i = 0; i < o->n_terms; i++)
        *slot_of(o, o->terms[i].text, o->terms[i].len) = i + 1;
}

static uint32_t term_number(ws_oracle *o, ws_str text)
{
    if (o->n_terms == o->terms_cap)
        grow_terms(o);
    uint32_t *slot = slot_of(o, text.ptr, text.len);
    if (*slot == 0) {
        char *copy = need(malloc(text.len + 1));
        memcpy(copy, text.ptr, text.len);
        o->terms[o->n_terms] = (known_term){copy, text.len};
        *slot = ++o->n_terms;
    }
    return *slot - 1;
}

token_list ws_oracle_analyse(ws_oracle *o, uint32_t kind, uint32_t mode, ws_str text)
{
    ws_tokens found;
    token_list list;
    must(ws_analyzer_run(o->analyzer, kind, mode, text, &found) == WS_OK, "analysis failed");
    list.n = found.n_tokens;
    list.n_positions = found.n_positions;
    list.tokens = need(malloc((found.n_tokens + 1) * sizeof *list.tokens));
    for (uint32_t i = 0; i < found.n_tokens; i++) {
        const ws_token *t = &found.tokens[i];
        list.tokens[i] = (token){term_number(o, t->text), t->position, t->stream,
                                 (t->flags & WS_TOKEN_IN_STEM) != 0};
    }
    return list;
}

/* --- documents --- */

ws_oracle *ws_oracle_new(const ws_schema *schema)
{
    ws_oracle *o = need(calloc(1, sizeof *o));
    o->schema = *schema;
    must(ws_analyzer_new(&o->analyzer, NULL) == WS_OK, "no analyzer");
    return o;
}

static void free_document(document *d)
{
    for (uint32_t f = 0; f < WS_MAX_FIELDS; f++) {
        free(d->text[f].tokens);
        for (uint32_t i = 0; i < d->n_keywords[f]; i++)
            free(d->keywords[f][i]);
        free(d->keywords[f]);
    }
}

void ws_oracle_free(ws_oracle *o)
{
    for (uint32_t i = 0; i < o->n_docs; i++)
        free_document(&o->docs[i]);
    for (uint32_t i = 0; i < o->n_terms; i++)
        free(o->terms[i].text);
    ws_analyzer_free(o->analyzer);
    free(o->docs);
    free(o->terms);
    free(o->slots);
    free(o->hits);
    free(o);
}

static char *copy_text(ws_str text)
{
    char *copy = need(malloc(text.len + 1));
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

static void set_value(ws_oracle *o, document *d, const ws_oracle_value *v)
{
    uint32_t f = v->field;
    if (o->schema.fields[f].type == WS_FIELD_TEXT) {
        d->text[f] = ws_oracle_analyse(o, o->schema.fields[f].analyzer, WS_ANALYZE_INDEX, v->value);
    } else if (o->schema.fields[f].type == WS_FIELD_KEYWORD) {
        d->keywords[f] = need(realloc(d->keywords[f], (d->n_keywords[f] + 1) * sizeof(char *)));
        d->keywords[f][d->n_keywords[f]++] = copy_text(v->value);
    } else if (o->schema.fields[f].type == WS_FIELD_INT) {
        char *digits = copy_text(v->value);
        d->has_int[f] = 1;
        d->ints[f] = strtoll(digits, NULL, 10);
        free(digits);
    }
}

uint32_t ws_oracle_add(ws_oracle *o, const ws_oracle_value *values, uint32_t n, uint32_t replaces)
{
    if (o->n_docs == o->docs_cap) {
        o->docs_cap = o->docs_cap ? o->docs_cap * 2 : 256;
        o->docs = need(realloc(o->docs, o->docs_cap * sizeof *o->docs));
    }
    document *d = &o->docs[o->n_docs];
    memset(d, 0, sizeof *d);
    d->key = replaces == NONE ? o->next_key : o->docs[replaces].key;
    o->next_key++;
    d->segment = o->n_segments;
    d->live = 1;
    for (uint32_t i = 0; i < n; i++)
        set_value(o, d, &values[i]);
    if (replaces != NONE)
        ws_oracle_delete(o, replaces);
    return o->n_docs++;
}

void ws_oracle_delete(ws_oracle *o, uint32_t doc)
{
    o->docs[doc].live = 0;
}

uint32_t ws_oracle_n_docs(const ws_oracle *o)
{
    return o->n_docs;
}

uint64_t ws_oracle_doc_key(const ws_oracle *o, uint32_t doc)
{
    return o->docs[doc].key;
}

/* --- the statistics epoch --- */

uint64_t ws_oracle_length(const document *d, uint32_t field, uint32_t stream)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < d->text[field].n; i++)
        n += d->text[field].tokens[i].stream == stream;
    return n;
}

static void count_stream(const ws_oracle *o, const uint8_t *segments, uint32_t field,
                         uint32_t stream, uint64_t *docs, uint64_t *sum)
{
    *docs = *sum = 0;
    for (uint32_t i = 0; i < o->n_docs; i++) {
        uint64_t length =
            segments[o->docs[i].segment] ? ws_oracle_length(&o->docs[i], field, stream) : 0;
        *docs += length != 0;
        *sum += length;
    }
}

void ws_oracle_set_epoch(ws_oracle *o, const uint8_t *in_epoch)
{
    memcpy(o->in_epoch, in_epoch, o->n_segments);
    o->epoch_docs = 0;
    for (uint32_t i = 0; i < o->n_docs; i++)
        o->epoch_docs += in_epoch[o->docs[i].segment];
    for (uint32_t f = 0; f < o->schema.n_fields; f++)
        for (uint32_t s = 0; s < 3; s++)
            count_stream(o, in_epoch, f, s, &o->stream_docs[f][s], &o->stream_sum[f][s]);
}

void ws_oracle_epoch_stream(const ws_oracle *o, uint32_t field, uint32_t stream, uint64_t *n_docs,
                            uint64_t *sum_length)
{
    *n_docs = o->stream_docs[field][stream];
    *sum_length = o->stream_sum[field][stream];
}

/* More than 1 % apart: x / y by whole numbers. */
static int apart(long double was, long double is)
{
    return was == 0 ? is != 0 : is * 100 > was * 101 || is * 100 < was * 99;
}

static int epoch_is_old(const ws_oracle *o, const uint8_t *all)
{
    if (apart((long double)o->epoch_docs, (long double)o->n_docs))
        return 1;
    for (uint32_t f = 0; f < o->schema.n_fields; f++)
        for (uint32_t s = 0; s < 3; s++) {
            uint64_t docs, sum;
            count_stream(o, all, f, s, &docs, &sum);
            if (docs == 0)
                continue;
            long double was = o->stream_docs[f][s] ? (long double)o->stream_sum[f][s] /
                                                         (long double)o->stream_docs[f][s]
                                                   : 0;
            if (apart(was, (long double)sum / (long double)docs))
                return 1;
        }
    return 0;
}

int ws_oracle_commit(ws_oracle *o)
{
    uint8_t all[256];
    memset(all, 1, sizeof all);
    o->n_segments++;
    must(o->n_segments < 256, "too many segments");
    if (!epoch_is_old(o, all))
        return 0;
    ws_oracle_set_epoch(o, all);
    return 1;
}

/* --- the whole --- */

static int compare_hits(const void *a, const void *b)
{
    const ws_oracle_hit *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->key < y->key ? -1 : x->key > y->key;
}

uint32_t ws_oracle_search(ws_oracle *o, ws_str text, int all, const ws_oracle_condition *conditions,
                          uint32_t n_conditions, const ws_oracle_hit **hits, uint32_t *shift)
{
    clause *clauses = need(calloc(CLAUSES, sizeof *clauses));
    uint32_t n_clauses = ws_oracle_cut(o, text, clauses), n_scorers, n = 0;
    scorer *scorers = ws_oracle_scorers(o, clauses, n_clauses, &n_scorers, shift);
    o->hits = need(realloc(o->hits, (o->n_docs + 1) * sizeof *o->hits));
    for (uint32_t i = 0; i < o->n_docs; i++) {
        const document *d = &o->docs[i];
        if (ws_oracle_matches(o, d, clauses, n_clauses, all, conditions, n_conditions))
            o->hits[n++] = (ws_oracle_hit){d->key, ws_oracle_score(o, d, scorers, n_scorers), i};
    }
    qsort(o->hits, n, sizeof *o->hits, compare_hits);
    *hits = o->hits;
    for (uint32_t i = 0; i < n_clauses; i++)
        ws_oracle_free_clause(&clauses[i]);
    free(scorers);
    free(clauses);
    return n;
}
