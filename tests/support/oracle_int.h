/* The oracle's inside: its token lists and the steps of a search, a file each. */
#ifndef WS_TESTS_SUPPORT_ORACLE_INT_H
#define WS_TESTS_SUPPORT_ORACLE_INT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/oracle.h"

#define NONE UINT32_MAX

static inline void must(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "oracle: %s\n", what);
    abort();
}

static inline void *need(void *memory)
{
    must(memory != NULL, "out of memory");
    return memory;
}

/* Texts become numbers, so that comparing is cheap; by linear probing in a table that never
 * shrinks. */
typedef struct {
    char *text;
    size_t len;
} known_term;

typedef struct {
    uint32_t term, position;
    uint8_t stream;
    uint8_t in_stem;
} token;

typedef struct {
    token *tokens;
    uint32_t n, n_positions;
} token_list;

typedef struct {
    uint64_t key;
    uint32_t segment;
    int live;
    token_list text[WS_MAX_FIELDS];
    char **keywords[WS_MAX_FIELDS];
    uint32_t n_keywords[WS_MAX_FIELDS];
    int has_int[WS_MAX_FIELDS];
    int64_t ints[WS_MAX_FIELDS];
} document;

struct ws_oracle {
    ws_schema schema;
    ws_analyzer *analyzer;
    known_term *terms;
    uint32_t n_terms, terms_cap;
    uint32_t *slots, n_slots;
    document *docs;
    uint32_t n_docs, docs_cap;
    uint64_t next_key;
    uint32_t n_segments;
    uint8_t in_epoch[256];
    uint64_t epoch_docs;
    uint64_t stream_docs[WS_MAX_FIELDS][3], stream_sum[WS_MAX_FIELDS][3]; /* at the epoch */
    ws_oracle_hit *hits;
};

typedef struct {
    uint32_t word, surface; /* terms or NONE */
    uint32_t bigrams[512];
    uint32_t n_in_stem;
} place;

typedef struct {
    int phrase, negative;
    char *text;
    size_t len;
    token_list tokens[WS_MAX_FIELDS]; /* by text field */
    int dropped[WS_MAX_FIELDS];
} clause;

#define CLAUSES 128

/* One thing that scores: a token of a word clause, or a phrase in a field. */
typedef struct {
    uint32_t field, stream, term;
    const token_list *phrase; /* NULL: a token */
    uint64_t times;           /* occurrences of the token in the query */
    uint64_t df;
    uint64_t u;
} scorer;

/* oracle.c */
token_list ws_oracle_analyse(ws_oracle *o, uint32_t kind, uint32_t mode, ws_str text);
uint64_t ws_oracle_length(const document *d, uint32_t field, uint32_t stream);

/* oracle_match.c: docs/search.md. out[CLAUSES]; returns how many */
uint32_t ws_oracle_cut(ws_oracle *o, ws_str text, clause *out);
void ws_oracle_free_clause(clause *c);
place ws_oracle_place(const token_list *tokens, uint32_t position);
uint32_t ws_oracle_tf(const document *d, uint32_t field, uint32_t stream, uint32_t term);
uint32_t ws_oracle_phrase_tf(const document *d, uint32_t field, const token_list *tokens);
int ws_oracle_has_alternative(const ws_oracle *o, const clause *c, uint32_t field);
int ws_oracle_matches(const ws_oracle *o, const document *d, const clause *clauses, uint32_t n,
                      int all, const ws_oracle_condition *conditions, uint32_t n_conditions);

/* oracle_score.c: docs/format.md section 8. The scorers are the caller's (free) */
scorer *ws_oracle_scorers(const ws_oracle *o, const clause *clauses, uint32_t n_clauses,
                          uint32_t *n, uint32_t *shift);
uint64_t ws_oracle_score(const ws_oracle *o, const document *d, const scorer *all, uint32_t n);

#endif
