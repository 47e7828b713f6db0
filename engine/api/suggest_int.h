/* The inside of a ws_suggest: for engine/api/suggest*.c. */
#ifndef WS_API_SUGGEST_INT_H
#define WS_API_SUGGEST_INT_H

#include <pthread.h>

#include "engine/text/normalize.h"
#include "trie/learner.h"
#include "trie/suggest_file.h"
#include "trie/tiers.h"
#include "wikisearch/suggest.h"

/* What one query at a time needs. */
typedef struct {
    ws_normalizer normalizer;
    ws_buf cased;
    ws_typed typed;
    ws_tiers_scratch tiers;
} ws_suggest_reader;

struct ws_suggest {
    ws_entries entries;
    ws_suggest_file_head head;                  /* constant after open */
    ws_suggest_reader *readers[WS_EPOCH_SLOTS]; /* whose holds the slot of entries.pool.epoch */
    pthread_mutex_t writer;                     /* for all below, and changes of entries */
    ws_normalizer normalizer;
    ws_learner learner;
    ws_blocklist blocked;
};

/* A reader for the slot that was entered; for the crowd a new one. NULL when memory is short. */
ws_suggest_reader *ws_suggest_reader_take(ws_suggest *suggest, uint32_t slot);
void ws_suggest_reader_give(ws_suggest_reader *reader, uint32_t slot);
void ws_suggest_reader_free(ws_suggest_reader *reader);

#endif
