/* BM25 in integers (docs/format.md section 8): tables by epoch, one step a posting.
 *
 * F(tf, length) does not depend on the term, so a table for each (field, stream) is made once an
 * epoch and shared by all its queries. A table of contributions per term, which saves the
 * multiplication, would cost thousands of evaluations for each of a query's posting lists (a Korean
 * word has eight) and push the others out of the first-level cache.
 *
 * 64 rows of 256 lengths are 64 KiB, but a corpus has some 60 lengths and a list few tfs, so what
 * is asked stays in the cache. With 16 rows a search for "the" took 40 % longer: articles have it
 * more often than 15 times, and each such posting needs a division.
 */
#ifndef WS_QUERY_SCORE_H
#define WS_QUERY_SCORE_H

#include "engine/index/manifest.h"

#define WS_SCORE_ROWS  64u /* tf 1 to 63; row 0 is never asked */
#define WS_SCORE_NORMS 256u

/* Of one (field, stream). Immutable. */
typedef struct {
    uint64_t n_docs;                 /* N: documents with a token there, at the epoch */
    uint64_t weight;                 /* w in 1/65,536 */
    uint64_t length[WS_SCORE_NORMS]; /* K by length code, units of 2^-20 */
    /* F at [tf << 8 | length code], units of 2^-31 */
    uint32_t rows[WS_SCORE_ROWS * WS_SCORE_NORMS];
} ws_score_table;

typedef struct ws_score_tables {
    ws_score_table *streams[WS_MAX_FIELDS][WS_SCHEMA_STREAMS]; /* NULL: nothing scores there */
} ws_score_tables;

/* Tables of a manifest's schema and epoch. WS_ERR_NOMEM. About 20 us a (field, stream). */
ws_status ws_score_tables_new(ws_score_tables **out, const ws_manifest *manifest);
void ws_score_tables_free(ws_score_tables *tables); /* NULL does nothing */

/* boost * weight of a stream in 1/65,536; 0 where nothing scores. [any] */
uint64_t ws_score_weight(const ws_schema *schema, uint32_t field, uint32_t stream);

/* idf in units of 2^-20; df is cut to n_docs. The only floating point of scoring. [any] */
uint64_t ws_score_idf(uint64_t n_docs, uint64_t df);

/* K of a length code. sum_length = 0 (no statistics yet) counts every document as of mean length.
 * [any] */
uint64_t ws_score_length(const ws_schema *schema, uint64_t n_docs, uint64_t sum_length,
                         uint8_t code);

/* F for any tf >= 1; at most 2^31, when the length counts for nothing. [any] */
static inline uint32_t ws_score_fraction(uint64_t length, uint32_t tf)
{
    uint64_t below = ((uint64_t)tf << 20) + length;
    if (tf < 1u << 13)
        return (uint32_t)(((uint64_t)tf << 51) / below);
    return (uint32_t)(((unsigned __int128)tf << 51) / below);
}

/* u of a term: idf * weight, before the shift. */
static inline uint64_t ws_score_unit(uint64_t idf, uint64_t weight)
{
    return idf * weight >> 16; /* below 2^25 * 2^39 */
}

/* Contribution of one posting. unit below 2^31. */
static inline uint32_t ws_score_posting(const ws_score_table *table, uint32_t unit, uint32_t tf,
                                        uint8_t code)
{
    uint32_t fraction = tf < WS_SCORE_ROWS ? table->rows[tf << 8 | code]
                                           : ws_score_fraction(table->length[code], tf);
    return (uint32_t)((uint64_t)unit * fraction >> 31);
}

#endif
