/* The meaning of docs/search.md and the scores of docs/format.md section 8, coded a second time in
 * the plainest way: from token lists that the analyzer made and this keeps, never from an index.
 * Nothing of engine/query is used. [1].
 *
 * Documents are added in the order of their keys and sealed into segments by a commit, as the
 * writer does it. Failures (memory, misuse) end the program: this is test equipment.
 */
#ifndef WS_TESTS_SUPPORT_ORACLE_H
#define WS_TESTS_SUPPORT_ORACLE_H

#include "engine/index/schema.h"
#include "engine/text/analyzer.h"

typedef struct ws_oracle ws_oracle;

ws_oracle *ws_oracle_new(const ws_schema *schema); /* copied */
void ws_oracle_free(ws_oracle *oracle);

typedef struct {
    uint32_t field;
    ws_str value; /* text, keyword, or the decimal digits of an int */
} ws_oracle_value;

/* Adds a document; returns its number. Its key is the next one, or with `replaces` (a document's
 * number, else UINT32_MAX) the key of that document, which is deleted. */
uint32_t ws_oracle_add(ws_oracle *oracle, const ws_oracle_value *values, uint32_t n,
                       uint32_t replaces);
void ws_oracle_delete(ws_oracle *oracle, uint32_t doc); /* it stays in the statistics */

/* Seals the documents since the last commit into a segment and renews the epoch when docs/format.md
 * section 7 says so. Returns 1 when it was renewed. */
int ws_oracle_commit(ws_oracle *oracle);

/* Puts the segments with in_epoch[i] = 1 into the epoch and takes the others out, whatever the rule
 * says. */
void ws_oracle_set_epoch(ws_oracle *oracle, const uint8_t *in_epoch);
void ws_oracle_epoch_stream(const ws_oracle *oracle, uint32_t field, uint32_t stream,
                            uint64_t *n_docs, uint64_t *sum_length);

uint32_t ws_oracle_n_docs(const ws_oracle *oracle);
uint64_t ws_oracle_doc_key(const ws_oracle *oracle, uint32_t doc);

/* A condition: keyword field = or != value; int field low <= value <= high, or not that. */
typedef struct {
    uint32_t field;
    int negative;
    ws_str value;
    int64_t low, high;
} ws_oracle_condition;

typedef struct {
    uint64_t key;
    uint64_t score;
    uint32_t doc;
} ws_oracle_hit;

/* Runs a query; returns how many documents match. *hits: all of them in order, valid until the next
 * call. */
uint32_t ws_oracle_search(ws_oracle *oracle, ws_str text, int all,
                          const ws_oracle_condition *conditions, uint32_t n_conditions,
                          const ws_oracle_hit **hits, uint32_t *shift);

#endif
