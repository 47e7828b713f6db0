/* An index in memory whose documents have ids of one letter, so that what a query finds is a word.
 * One at a time: made by ws_letters_open, freed by ws_letters_close. [1]. */
#ifndef WS_TESTS_SUPPORT_LETTERS_H
#define WS_TESTS_SUPPORT_LETTERS_H

#include "wikisearch/wikisearch.h"

typedef struct {
    ws_index *index;
    ws_writer *writer;
    ws_scratch *scratch;
} ws_letters;

extern ws_letters ws_letters_now;

void ws_letters_open(void); /* fields title (boost 2), body, lang, views */
void ws_letters_close(void);

/* Puts a document; its lang is "en" when the body begins with ASCII, else "ko". */
void ws_letters_put(const char *id, const char *title, const char *body);
void ws_letters_commit(void);

typedef struct {
    char ids[64]; /* in order of rank */
    uint64_t total;
    uint32_t relation, n;
    uint32_t scores[64];
} ws_letters_answer;

ws_query *ws_letters_parse(const char *text, uint32_t op, const char *filter);
ws_letters_answer ws_letters_run(const char *text, uint32_t op, const char *filter,
                                 const ws_search_options *options);

#endif
