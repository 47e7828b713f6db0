/* Scores: docs/format.md section 8, once more. */
#include <math.h>

#include "tests/support/oracle_int.h"

static uint64_t weight_of(const ws_oracle *o, uint32_t field, uint32_t stream)
{
    return (uint64_t)o->schema.fields[field].boost * o->schema.weights[stream] >> 16;
}

static uint64_t df_of(const ws_oracle *o, uint32_t field, uint32_t stream, uint32_t term)
{
    uint64_t in = 0, out = 0;
    for (uint32_t i = 0; i < o->n_docs; i++) {
        uint64_t has = ws_oracle_tf(&o->docs[i], field, stream, term) != 0;
        in += o->in_epoch[o->docs[i].segment] ? has : 0;
        out += o->in_epoch[o->docs[i].segment] ? 0 : has;
    }
    return in ? in : out;
}

/* u by (field, stream of N and w), for a term whose own stream gives df; 0 for a term that is
 * nowhere. */
static uint64_t unit_of(const ws_oracle *o, uint32_t field, uint32_t stream, uint64_t df,
                        uint32_t shift)
{
    long double n = (long double)o->stream_docs[field][stream], d = (long double)df;
    if (df == 0)
        return 0;
    if (d > n)
        d = n;
    long double idf = floorl(logl(1 + (n - d + 0.5L) / (d + 0.5L)) * 1048576 + 0.5L);
    return ((uint64_t)idf * weight_of(o, field, stream) >> 16) >> shift;
}

/* The least length that has the same code. */
static uint64_t coded_length(uint64_t length)
{
    uint64_t m = length - 24, step = 1;
    if (length < 32)
        return length;
    while (m / step >= 16)
        step *= 2;
    return 24 + m / step * step;
}

static uint64_t contribution(const ws_oracle *o, const document *d, uint32_t field, uint32_t stream,
                             uint64_t u, uint64_t tf)
{
    typedef unsigned __int128 wide;
    uint64_t sum = o->stream_sum[field][stream], docs = o->stream_docs[field][stream];
    uint64_t length = coded_length(ws_oracle_length(d, field, stream));
    wide above = (wide)o->schema.k1 *
                 ((((wide)1 << 24) - o->schema.b) * sum + (wide)o->schema.b * length * docs);
    wide k = sum ? above / ((wide)sum << 28) : (wide)(o->schema.k1 >> 4);
    if (k > (wide)1 << 52)
        k = (wide)1 << 52;
    wide f = ((wide)tf << 51) / (((wide)tf << 20) + k);
    return (uint64_t)(u * f >> 31);
}

static uint32_t add_token_scorer(const ws_oracle *o, scorer *all, uint32_t n, uint32_t field,
                                 const token *t)
{
    if (weight_of(o, field, t->stream) == 0)
        return n;
    for (uint32_t i = 0; i < n; i++)
        if (!all[i].phrase && all[i].field == field && all[i].stream == t->stream &&
            all[i].term == t->term) {
            all[i].times++;
            return n;
        }
    all[n] = (scorer){field, t->stream, t->term, NULL, 1, df_of(o, field, t->stream, t->term), 0};
    return n + 1;
}

static scorer *make_scorers(const ws_oracle *o, const clause *clauses, uint32_t n_clauses,
                            uint32_t *n)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < n_clauses; i++)
        for (uint32_t f = 0; f < o->schema.n_fields; f++)
            most += clauses[i].tokens[f].n + 1;
    scorer *all = need(calloc(most, sizeof *all));
    *n = 0;
    for (uint32_t i = 0; i < n_clauses; i++)
        for (uint32_t f = 0; f < o->schema.n_fields; f++) {
            const clause *c = &clauses[i];
            if (c->negative || !ws_oracle_has_alternative(o, c, f))
                continue;
            if (c->phrase)
                all[(*n)++] = (scorer){f, WS_STREAM_WORD, NONE, &c->tokens[f], 1, 0, 0};
            for (uint32_t t = 0; t < c->tokens[f].n && !c->phrase; t++)
                *n = add_token_scorer(o, all, *n, f, &c->tokens[f].tokens[t]);
        }
    return all;
}

static uint64_t phrase_unit(const ws_oracle *o, const scorer *s, uint32_t shift)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->phrase->n_positions; i++) {
        place p = ws_oracle_place(s->phrase, i);
        uint32_t stream = p.surface != NONE ? WS_STREAM_SURFACE : WS_STREAM_WORD;
        uint64_t df = df_of(o, s->field, stream, p.surface != NONE ? p.surface : p.word);
        if (df == 0)
            return 0; /* the phrase is nowhere */
        sum += unit_of(o, s->field, WS_STREAM_WORD, df, shift);
    }
    return sum;
}

/* Sets every u at the least shift whose sum stays below 2^31. */
static uint32_t set_units(const ws_oracle *o, scorer *all, uint32_t n)
{
    for (uint32_t shift = 0;; shift++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < n; i++) {
            all[i].u = all[i].phrase ? phrase_unit(o, &all[i], shift)
                                     : unit_of(o, all[i].field, all[i].stream, all[i].df, shift) *
                                           all[i].times;
            sum += all[i].u;
        }
        if (sum < (uint64_t)1 << 31)
            return shift;
    }
}

uint64_t ws_oracle_score(const ws_oracle *o, const document *d, const scorer *all, uint32_t n)
{
    uint64_t score = 0;
    for (uint32_t i = 0; i < n; i++) {
        const scorer *s = &all[i];
        uint32_t tf = s->phrase ? ws_oracle_phrase_tf(d, s->field, s->phrase)
                                : ws_oracle_tf(d, s->field, s->stream, s->term);
        if (tf && s->u)
            score += contribution(o, d, s->field, s->stream, s->u, tf);
    }
    return score;
}

scorer *ws_oracle_scorers(const ws_oracle *o, const clause *clauses, uint32_t n_clauses,
                          uint32_t *n, uint32_t *shift)
{
    scorer *all = make_scorers(o, clauses, n_clauses, n);
    *shift = set_units(o, all, *n);
    return all;
}
