#define _GNU_SOURCE /* memmem */
#include "tests/support/titles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "engine/text/jamo.h"
#include "engine/text/normalize.h"
#include "indexer/lines.h"
#include "trie/entries.h"

#define ALL 2000000u

static void must(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "titles: %s\n", what);
    abort();
}

ws_str ws_titles_normalise(ws_str text)
{
    static ws_normalizer n;
    static int ready;
    if (!ready)
        must(ws_normalizer_init(&n) == WS_OK, "normalizer");
    ready = 1;
    must(ws_normalizer_run(&n, text) == WS_OK, "normalize");
    return ws_buf_slice(&n.text);
}

static ws_str copy(ws_str text)
{
    char *bytes = malloc(text.len + 1);
    must(bytes != NULL, "memory");
    memcpy(bytes, text.ptr, text.len);
    return ws_str_make(bytes, text.len);
}

static void add(ws_titles *t, ws_str surface, uint64_t weight)
{
    char key[WS_KEY_MAX];
    if (surface.len == 0 || surface.len > WS_ENTRY_TEXT_MAX)
        return;
    ws_str normal = ws_titles_normalise(surface);
    if (normal.len > WS_ENTRY_TEXT_MAX || ws_jamo_key(normal, key, sizeof key) == 0)
        return;
    t->titles[t->n++] = (ws_title){copy(surface), copy(normal), weight};
}

/* title TAB lang TAB weight */
static void add_row(ws_titles *t, ws_str line)
{
    uint64_t weight;
    const char *tab = memchr(line.ptr, '\t', line.len), *last = tab;
    for (const char *p = tab; p && p < line.ptr + line.len; p++)
        last = *p == '\t' ? p : last;
    if (!last)
        return;
    ws_str number = ws_str_sub(line, (size_t)(last + 1 - line.ptr), line.len);
    if (ws_str_to_u64(number, &weight))
        add(t, ws_str_make(line.ptr, (size_t)(tab - line.ptr)), weight);
}

/* {"id":9,"title":"수학","text":... The weight is the length of the article. */
static void add_article(ws_titles *t, ws_str line)
{
    static const char mark[] = "\"title\":\"";
    const char *start = memmem(line.ptr, line.len, mark, sizeof mark - 1);
    if (!start)
        return;
    start += sizeof mark - 1;
    const char *end = memchr(start, '"', (size_t)(line.ptr + line.len - start));
    if (end && !memchr(start, '\\', (size_t)(end - start)))
        add(t, ws_str_make(start, (size_t)(end - start)), line.len / 100);
}

static void read_file(ws_titles *t, const char *path, void (*on_line)(ws_titles *, ws_str))
{
    ws_input *input;
    ws_splitter *splitter;
    ws_line line;
    ws_error error = {0};
    must(ws_input_open(&input, path, NULL, &error) == WS_OK, path);
    must(ws_splitter_new(&splitter, input, 16u << 20) == WS_OK, "splitter");
    while (t->n < ALL && ws_splitter_next(splitter, &line, &error) == WS_OK)
        on_line(t, line.bytes);
    ws_splitter_free(splitter);
    ws_input_close(input);
}

static int by_key(const void *a, const void *b)
{
    char x[WS_KEY_MAX], y[WS_KEY_MAX];
    const ws_title *s = a, *t = b;
    size_t n = ws_jamo_key(s->normal, x, sizeof x), m = ws_jamo_key(t->normal, y, sizeof y);
    int order = ws_str_cmp(ws_str_make(x, n), ws_str_make(y, m));
    return order ? order : ws_str_cmp(s->surface, t->surface);
}

static int same_key(const ws_title *a, const ws_title *b)
{
    char x[WS_KEY_MAX], y[WS_KEY_MAX];
    size_t n = ws_jamo_key(a->normal, x, sizeof x), m = ws_jamo_key(b->normal, y, sizeof y);
    return ws_str_eq(ws_str_make(x, n), ws_str_make(y, m));
}

static void drop(ws_title *title)
{
    free((char *)(uintptr_t)title->surface.ptr);
    free((char *)(uintptr_t)title->normal.ptr);
}

/* Evenly over the list, then one a key. */
static void choose(ws_titles *t, uint32_t max)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->n <= max || (uint64_t)i * max / t->n >= kept)
            t->titles[kept++] = t->titles[i];
        else
            drop(&t->titles[i]);
    }
    t->n = kept;
    qsort(t->titles, t->n, sizeof *t->titles, by_key);
    kept = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        if (kept && same_key(&t->titles[kept - 1], &t->titles[i]))
            drop(&t->titles[i]);
        else
            t->titles[kept++] = t->titles[i];
    }
    t->n = kept;
}

void ws_titles_read(ws_titles *titles, uint32_t max)
{
    char path[4096];
    const char *list = getenv("WS_TITLES"), *source = getenv("WIKISEARCH_SOURCE_DIR");
    memset(titles, 0, sizeof *titles);
    titles->titles = malloc(ALL * sizeof *titles->titles);
    must(titles->titles != NULL, "memory");
    titles->full = list != NULL;
    if (list)
        read_file(titles, list, add_row);
    for (int i = 0; i < 2 && !list; i++) {
        snprintf(path, sizeof path, "%s/data/sample/%s.jsonl.zst", source ? source : ".",
                 i ? "en" : "ko");
        read_file(titles, path, add_article);
    }
    choose(titles, max);
    must(titles->n > 0, "no titles");
}

void ws_titles_free(ws_titles *titles)
{
    for (uint32_t i = 0; i < titles->n; i++)
        drop(&titles->titles[i]);
    free(titles->titles);
}
