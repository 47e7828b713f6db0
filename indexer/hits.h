/* Results of a search as JSON, the shape of GET /v1/search (docs/http-api.md), and as text. [1]. */
#ifndef WS_INDEXER_HITS_H
#define WS_INDEXER_HITS_H

#include <stdio.h>

#include "base/json.h"
#include "wikisearch/search.h"

/* Stored fields that a hit shows beside title and snippet. */
typedef struct {
    char name[65];
    int is_int, is_multi;
} ws_hit_field;

#define WS_HIT_FIELDS_MAX 32u
typedef struct {
    ws_hit_field fields[WS_HIT_FIELDS_MAX];
    uint32_t n;
} ws_hit_fields;

/* Reads them from the description of an index. */
ws_status ws_hit_fields_read(ws_hit_fields *fields, ws_str description);

/* One answer. */
typedef struct {
    const ws_results *results;
    const ws_query *query;
    ws_str text; /* as typed */
    int partial;
    int with_total; /* 0: it was not counted */
    uint64_t generation;
    uint64_t took_ns; /* wall time of search and fetch; for the profile */
    int profile;
} ws_answer;

void ws_hits_write(ws_json *j, const ws_answer *answer, const ws_hit_fields *fields);

/* rank, score, id, title, snippet; words in bold when `bold`. first_rank = offset + 1. */
void ws_hits_print(FILE *out, const ws_answer *answer, uint32_t first_rank, int bold);

#endif
