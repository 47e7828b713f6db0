/* What a query becomes over a snapshot, and then over one segment: units of score, cursors, and
 * what is left to ask. [1].
 *
 * A plan knows each posting list's document frequency and unit. A segment plan keeps of the query
 * only what can match in that segment: a place without its word or one of its bigrams, an
 * alternative without one of its places, a clause without an alternative are gone.
 */
#ifndef WS_QUERY_PLAN_H
#define WS_QUERY_PLAN_H

#include "base/arena.h"
#include "engine/index/postings.h"
#include "engine/index/snapshot.h"
#include "engine/query/query_int.h"
#include "engine/query/score.h"

#define WS_WINDOW_DOCS  4096u /* documents of a window */
#define WS_WINDOW_WORDS (WS_WINDOW_DOCS / 64)

typedef struct {
    ws_term_info *infos; /* [segments of the snapshot]; df = 0 where it has none */
    uint64_t df;         /* at the epoch (docs/format.md section 7) */
    /* u times the multiplicity, after the shift; 0 = the list does not score */
    uint32_t unit;
} ws_plan_list;

typedef struct {
    const ws_snapshot *snapshot;
    const ws_query *query;
    const ws_score_tables *tables;
    ws_plan_list *lists; /* by list of the query */
    /* by alternative of the query; 0 = no phrase, negative, or scores nothing */
    uint32_t *phrase_units;
    /* by clause: how often the query has it; 0 = an equal one came before */
    uint32_t *repeats;
    uint32_t shift;              /* bits by which the scale is lowered */
    uint64_t document_frequency; /* sum over the word lists */
} ws_plan;

/* Looks every list up and sets the units. Everything is in `arena`. WS_ERR_CORRUPT,
 * WS_ERR_NOMEM. */
ws_status ws_plan_make(ws_plan *plan, const ws_snapshot *snapshot, const ws_query *query,
                       const ws_score_tables *tables, ws_arena *arena);

/* --- over one segment --- */

/* A posting list of the segment. */
typedef struct {
    ws_postings postings;
    const ws_score_table *table; /* NULL when unit is 0 */
    const uint8_t *norms;
    uint32_t unit;
    uint8_t matches;  /* a clause asks whether a document has it */
    uint8_t drives;   /* a positive clause does: without such a list no document matches */
    uint32_t counted; /* blocks that the cost holds already: 0 to counted - 1 */
    /* window traversals */
    uint32_t block;     /* block where the present window begins; seeks begin here */
    uint32_t ahead, at; /* OR: block and place of the first posting behind the present window */
    uint32_t next;      /* OR: its document, WS_NO_DOC at the end */
    uint8_t filled;     /* bits[] are not all 0; AND: they hold the whole window */
    uint64_t bits[WS_WINDOW_WORDS]; /* documents of the window that have it */
} ws_segment_list;

typedef struct {
    uint32_t word;           /* list of the segment, WS_NO_LIST */
    uint32_t n_bigrams;      /* 0: none, or the segment lacks one */
    const uint32_t *bigrams; /* lists of the segment */
} ws_segment_place;

typedef struct {
    uint8_t field;
    uint32_t n_places;
    ws_segment_place *places;
    /* phrases */
    uint32_t unit; /* 0 = does not score */
    const ws_score_table *table;
    const uint8_t *norms;
    uint32_t n_lists; /* distinct lists, rarest first */
    uint32_t *lists;
    uint32_t *index; /* [n_lists] working memory: a document's posting in each */
} ws_segment_alternative;

typedef struct {
    uint8_t phrase;
    uint32_t repeats;
    uint32_t n_alternatives;
    ws_segment_alternative *alternatives;
    uint64_t most; /* documents that may match: upper bound */
} ws_segment_clause;

typedef struct {
    ws_segment *segment;
    const ws_live *live;
    uint32_t index; /* in the snapshot */
    uint32_t n_docs;
    uint32_t op;
    ws_segment_list *lists;
    uint32_t n_lists;
    ws_segment_clause *positive, *negative; /* words first, then phrases; each rarest first */
    uint32_t n_positive, n_negative;
    const uint64_t *accepted; /* the filter's bits; NULL = all */
} ws_segment_plan;

/* Makes the plan of segment `index`; everything is in `arena`. *matches 0: no document of it can
 * match, the rest is not set. Errors: WS_ERR_CORRUPT, WS_ERR_NOMEM. */
ws_status ws_plan_segment(ws_segment_plan *out, const ws_plan *plan, uint32_t index,
                          ws_arena *arena, int *matches);

#endif
