/* Random bilingual text for search tests: Korean nouns of real syllables with particles, English
 * words with endings, names with digits and symbols, all by a Zipf-like law; and queries made of
 * the same. [1]. */
#ifndef WS_TESTS_SUPPORT_CORPUS_H
#define WS_TESTS_SUPPORT_CORPUS_H

#include <stddef.h>

#include "tests/support/rng.h"

/* Appends `n` words with spaces between them to out[cap]; returns the length. Never more than cap -
 * 1 bytes; ends in NUL. */
size_t ws_corpus_text(ws_rng *rng, uint32_t n, char *out, size_t cap);

/* One word, with or without a particle. Returns its length. */
size_t ws_corpus_word(ws_rng *rng, char *out, size_t cap);

/* A query of 1 to 6 clauses: words, -words, "phrases", -"phrases"; phrases are often cut out of
 * `source` (a text of the corpus), so that some of them match. Returns its length. */
size_t ws_corpus_query(ws_rng *rng, const char *source, char *out, size_t cap);

#endif
