/* The analysed query, as docs/search.md describes it: shared by the traversals, the snippet maker
 * and tests. Immutable once made. */
#ifndef WS_QUERY_QUERY_INT_H
#define WS_QUERY_QUERY_INT_H

#include <stdatomic.h>

#include "base/arena.h"
#include "engine/index/dictionary.h"
#include "engine/index/schema.h"
#include "engine/text/analyzer.h"
#include "wikisearch/query.h"

/* One distinct posting list that the query touches. */
typedef struct {
    ws_str key;            /* stored term key (docs/format.md section 4) */
    uint8_t field, stream; /* as in the key */
    /* times it is scored; 0 = needed for matching only (phrases, negative clauses, weight 0) */
    uint32_t multiplicity;
} ws_query_list;

#define WS_NO_LIST UINT32_MAX

/* The tokens of a clause at one position, in one field. */
typedef struct {
    /* list of the word (of the surface, in a phrase that asks for it) */
    uint32_t word;
    /* in-stem bigrams: query->bigrams[first ...] are lists; 0 in a phrase */
    uint32_t first_bigram, n_bigrams;
} ws_query_place;

typedef struct {
    uint8_t field;
    uint32_t first_place, n_places; /* query->places[] */
} ws_query_alternative;

typedef struct {
    uint8_t phrase, negative;
    uint32_t first_alternative, n_alternatives; /* query->alternatives[] */
    ws_str text;                                /* as typed, without - and quotes */
} ws_query_clause;

/* A predicate on a column: conjunction of these is the filter. */
typedef struct {
    uint8_t field;
    uint8_t negative;  /* keyword: != */
    ws_str value;      /* keyword */
    int64_t low, high; /* int: low <= value <= high */
} ws_query_predicate;

struct ws_query {
    _Atomic uint32_t references;
    ws_arena arena; /* owns everything below */
    uint32_t op;    /* WS_OPERATOR_* */
    ws_query_list *lists;
    uint32_t n_lists;
    ws_query_place *places;
    uint32_t n_places;
    uint32_t *bigrams;
    uint32_t n_bigrams;
    ws_query_alternative *alternatives;
    uint32_t n_alternatives;
    ws_query_clause *clauses; /* positive and negative, in the order typed */
    uint32_t n_clauses, n_positive;
    ws_query_predicate *predicates;
    uint32_t n_predicates;
    ws_str *ignored; /* stop words left out, as typed */
    uint32_t n_ignored;
    ws_str describe;   /* JSON */
    uint8_t key[16];   /* ws_query_key */
    ws_status clipped; /* WS_OK or WS_TRUNCATED */
};

ws_query *ws_query_ref(ws_query *query);
void ws_query_unref(ws_query *query); /* the last one frees; NULL does nothing. [any] */

#endif
