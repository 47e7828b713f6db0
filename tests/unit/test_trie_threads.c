/* Readers beside a writer: answers are always made of entries that were there, and those that
 * nobody touches are always found. Meant for ThreadSanitizer and AddressSanitizer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/str.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"
#include "wikisearch/suggest.h"

#define READERS 2
#define CHANGES 6000

typedef struct {
    ws_suggest *suggest;
    atomic_int *stop;
    uint64_t seed, queries, found;
    const char *wrong; /* NULL = nothing was */
} reader;

static const char *const syllables[] = {"가", "각", "나", "대", "한", "민", "국", "사", "과"};

static size_t random_text(ws_rng *rng, char out[64])
{
    size_t n = 0;
    for (uint64_t i = ws_rng_between(rng, 1, 4); i > 0; i--)
        n += (size_t)snprintf(out + n, 64 - n, "%s",
                              syllables[ws_rng_below(rng, WS_ARRAY_LEN(syllables))]);
    return n;
}

/* The steady entry has the highest score of all that begin with 대하. */
static void check_answer(reader *r, const ws_suggestion *out, uint32_t n, int steady)
{
    if (steady && (n == 0 || strcmp(out[0].text, "대한민국") != 0))
        r->wrong = "the steady entry is not first";
    for (uint32_t i = 0; i < n; i++) {
        if (strlen(out[i].text) != out[i].text_length || out[i].highlight_end > out[i].text_length)
            r->wrong = "a torn suggestion";
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(out[i].text, out[j].text) == 0)
                r->wrong = "a suggestion twice";
    }
}

static void *read_on(void *ctx)
{
    reader *r = ctx;
    ws_rng rng = ws_rng_make(r->seed);
    ws_suggestion *out = malloc(10 * sizeof *out);
    while (!atomic_load_explicit(r->stop, memory_order_relaxed) && !r->wrong) {
        char text[64];
        uint32_t n = 10;
        int steady = ws_rng_below(&rng, 4) == 0;
        size_t length =
            steady ? (size_t)snprintf(text, sizeof text, "대하") : random_text(&rng, text);
        if (ws_suggest_query(r->suggest, ws_str_make(text, length), NULL, out, &n) < 0)
            r->wrong = "a query failed";
        else
            check_answer(r, out, n, steady);
        r->queries++;
        r->found += n;
    }
    free(out);
    return NULL;
}

static void change(ws_suggest *s, ws_rng *rng, uint32_t i)
{
    char text[64];
    ws_str t = ws_str_make(text, random_text(rng, text)), none = {NULL, 0};
    ws_str context = ws_cstr(ws_rng_below(rng, 2) ? "하나" : "");
    ws_status status;
    if (ws_str_eq(t, ws_cstr("대한민국")))
        return;
    switch (ws_rng_below(rng, 4)) {
    case 0:
        status = ws_suggest_remove(s, t, context);
        cr_assert(status == WS_OK || status == WS_ERR_NOT_FOUND);
        return;
    case 1:
        cr_assert_geq(ws_suggest_observe(s, t, 1000 + i), 0);
        return;
    default:
        cr_assert_geq(ws_suggest_put(s, t, none, context, ws_rng_below(rng, 1000)), 0);
    }
}

static void run(uint32_t n_readers)
{
    ws_suggest_options options = WS_SUGGEST_OPTIONS_INIT;
    ws_rng rng = ws_rng_seeded(51);
    atomic_int stop = 0;
    reader readers[80];
    pthread_t threads[80];
    ws_suggest *s;
    uint64_t queries = 0, found = 0;
    options.origin_ms = 1;
    cr_assert_eq(ws_suggest_open(&s, NULL, &options, NULL), WS_OK);
    ws_str none = {NULL, 0};
    cr_assert_eq(ws_suggest_put(s, ws_cstr("대한민국"), none, none, 1u << 30), WS_OK);
    for (uint32_t i = 0; i < n_readers; i++) {
        readers[i] = (reader){s, &stop, rng.seed + i, 0, 0, NULL};
        cr_assert_eq(pthread_create(&threads[i], NULL, read_on, &readers[i]), 0);
    }
    for (uint32_t i = 0; i < CHANGES; i++)
        change(s, &rng, i);
    atomic_store(&stop, 1);
    for (uint32_t i = 0; i < n_readers; i++) {
        pthread_join(threads[i], NULL);
        cr_assert_null(readers[i].wrong, "%s", readers[i].wrong ? readers[i].wrong : "");
        queries += readers[i].queries;
        found += readers[i].found;
    }
    cr_assert_gt(queries, 0);
    cr_assert_gt(found, 0);
    printf("%u readers: %llu queries beside %u changes\n", n_readers, (unsigned long long)queries,
           CHANGES);
    ws_suggest_close(s);
}

Test(threads, readers_and_a_writer)
{
    run(READERS);
}

/* More readers than there are slots. */
Test(threads, a_crowd_of_readers)
{
    run(80);
}

Test(threads, a_file_is_saved_beside_a_writer)
{
    ws_rng rng = ws_rng_seeded(52);
    ws_suggest *s, *back;
    ws_error error = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/test_trie_threads.%llu",
             (unsigned long long)ws_rng_u64(&rng));
    cr_assert_eq(ws_suggest_open(&s, NULL, NULL, NULL), WS_OK);
    for (uint32_t i = 0; i < 500; i++)
        change(s, &rng, i);
    for (uint32_t i = 0; i < 5; i++) {
        cr_assert_eq(ws_suggest_save(s, path, &error), WS_OK, "%s", error.message);
        cr_assert_eq(ws_suggest_open(&back, path, NULL, &error), WS_OK, "%s", error.message);
        ws_suggest_close(back);
        for (uint32_t j = 0; j < 300; j++)
            change(s, &rng, j);
    }
    remove(path);
    ws_suggest_close(s);
}
