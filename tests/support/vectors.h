/* The rows of tests/data/korean-vectors.tsv, by kind. [1]. */
#ifndef WS_TESTS_SUPPORT_VECTORS_H
#define WS_TESTS_SUPPORT_VECTORS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/support/test.h"

#define WS_VECTOR_CAP 1024

typedef struct {
    char kind[32], input[WS_VECTOR_CAP], expected[WS_VECTOR_CAP];
} ws_vector;

/* Undoes \uXXXX. */
static inline void ws_vector_unescape(const char *in, char *out)
{
    while (*in && *in != '\t' && *in != '\n') {
        unsigned c;
        if (in[0] == '\\' && in[1] == 'u' && sscanf(in + 2, "%4x", &c) == 1) {
            out += ws_utf8_encode(c, out);
            in += 6;
        } else {
            *out++ = *in++;
        }
    }
    *out = 0;
}

static inline const char *ws_vector_column(const char *line, int n)
{
    while (n-- && line)
        line = (line = strchr(line, '\t')) ? line + 1 : NULL;
    return line ? line : "";
}

/* Calls `check` for each row of a kind; fails when there are fewer than `at_least`. */
static inline void ws_vectors_each(const char *kind, void (*check)(const ws_vector *), int at_least)
{
    char path[4096], line[4096];
    const char *source = getenv("WIKISEARCH_SOURCE_DIR");
    int n = 0;
    snprintf(path, sizeof path, "%s/tests/data/korean-vectors.tsv", source ? source : ".");
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    while (fgets(line, sizeof line, file)) {
        static ws_vector v;
        ws_vector_unescape(line, v.kind);
        ws_vector_unescape(ws_vector_column(line, 1), v.input);
        ws_vector_unescape(ws_vector_column(line, 2), v.expected);
        if (strcmp(v.kind, kind) == 0) {
            check(&v);
            n++;
        }
    }
    fclose(file);
    cr_assert_geq(n, at_least, "%d rows of kind %s", n, kind);
}

#endif
