/* What the facade's files share: the index handle and the analyzers it lends. */
#ifndef WS_API_API_INT_H
#define WS_API_API_INT_H

#include <pthread.h>
#include <unistd.h>

#include "engine/index/snapshot.h"
#include "engine/index/stored.h"
#include "engine/query/query_int.h"
#include "engine/text/analyzer.h"
#include "wikisearch/wikisearch.h"

#define WS_ANALYZER_POOL 8u

struct ws_index {
    pthread_mutex_t mutex; /* guards snapshot, pools, writer flag */
    char dir[4096];        /* "" = memory */
    ws_schema schema;
    ws_segment_options options;
    ws_snapshot *snapshot; /* current; one reference. A memory or new index has an empty one */
    uint64_t limits[WS_LIMITS];
    uint64_t fingerprint; /* of this library */
    uint32_t analysis_ok;
    uint32_t writer_open;
    pid_t pid;                                /* handles die in a forked child */
    ws_analyzer *analyzers[WS_ANALYZER_POOL]; /* idle ones, lent to calls */
    uint32_t n_analyzers;
};

struct ws_searcher {
    ws_snapshot *snapshot;
    ws_schema schema;
    uint64_t limits[WS_LIMITS];
    /* K and F tables of the epoch; see engine/query/score.h */
    const struct ws_score_tables *scores;
    /* results of it need the tables no longer: only ws_search does */
    _Atomic uint32_t references;
    pid_t pid; /* of the process that opened it */
};

struct ws_scratch {
    ws_stored_reader *reader; /* made at first fetch */
    ws_analyzer *analyzer;    /* made at first fetch */
    void *search;             /* engine/query's working memory; see engine/query/exec.h */
};

#define WS_OPTIONS_MAX 4096u /* bytes: a larger size was never set */

/* Copies a caller's options over the defaults in `to` (`known` bytes): of a smaller struct what it
 * has; of a larger one what is known, and its tail must be zero (WS_ERR_ARG). from NULL: nothing.
 * name: of the struct, for the message. */
ws_status ws_api_read_options(void *to, size_t known, const void *from, const char *name,
                              ws_error *error);

/* Fills a caller's struct of to->size bytes from `full`; what it has beyond is left alone.
 * WS_ERR_ARG when size was not set. */
ws_status ws_api_write_answer(void *to, const void *full, size_t known);

/* WS_ERR_STATE in a forked child. */
static inline ws_status ws_index_check_process(const ws_index *index)
{
    return index->pid == getpid() ? WS_OK : WS_ERR_STATE;
}

/* Current snapshot with a reference of the caller's. [any] */
ws_snapshot *ws_index_pin(ws_index *index);

/* Makes `snapshot` (reference moves) the current one when its generation is newer. [any] */
void ws_index_publish(ws_index *index, ws_snapshot *snapshot);

/* Lends an analyzer: from the pool or a new one. give_back NULL does nothing. [any] */
ws_status ws_index_lend_analyzer(ws_index *index, ws_analyzer **analyzer);
void ws_index_give_back(ws_index *index, ws_analyzer *analyzer);

#endif
