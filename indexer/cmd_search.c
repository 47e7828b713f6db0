/* wikisearch search */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "indexer/cli.h"
#include "indexer/hits.h"
#include "indexer/verbs.h"

typedef struct {
    uint64_t n, offset;
    const char *filter, *batch;
    uint32_t op, total, traversal;
    int profile;
} search_flags;

/* What one process keeps between the queries of a batch. */
typedef struct {
    const ws_cli_common *common;
    const search_flags *flags;
    ws_index *index;
    ws_searcher *searcher;
    ws_scratch *scratch;
    ws_hit_fields fields;
    ws_buf buf;
    int bold;
} session;

static ws_status open_session(session *s, ws_error *error)
{
    ws_text text;
    ws_status status = ws_cli_open(&s->index, s->common, error);
    if (status >= 0)
        status = ws_searcher_open(&s->searcher, s->index, error);
    if (status >= 0)
        status = ws_scratch_new(&s->scratch);
    if (status >= 0)
        status = ws_index_describe(s->index, &text, error);
    if (status < 0)
        return error->code ? status : (error->code = status);
    status = ws_hit_fields_read(&s->fields, (ws_str){text.ptr, text.len});
    ws_text_free(&text);
    return status < 0 ? (error->code = status) : WS_OK;
}

static void close_session(session *s)
{
    ws_scratch_free(s->scratch);
    ws_searcher_close(s->searcher);
    ws_index_close(s->index);
    ws_buf_fini(&s->buf);
}

static void print_json(session *s, const ws_answer *answer)
{
    ws_json json;
    ws_buf_clear(&s->buf);
    ws_json_init(&json, &s->buf);
    ws_hits_write(&json, answer, &s->fields);
    ws_buf_u8(&s->buf, '\n');
    fwrite(s->buf.data, 1, s->buf.len, stdout);
}

static ws_status answer_query(session *s, const ws_query *query, ws_str text, ws_error *error)
{
    ws_search_options options = WS_SEARCH_OPTIONS_INIT;
    ws_fetch_options fetch = WS_FETCH_OPTIONS_INIT;
    ws_results *results;
    options.limit = (uint32_t)s->flags->n;
    options.offset = (uint32_t)s->flags->offset;
    options.total = s->flags->total ? WS_TOTAL_NONE : WS_TOTAL_EXACT;
    options.traversal = s->flags->traversal ? WS_TRAVERSAL_EXHAUSTIVE : WS_TRAVERSAL_AUTO;
    uint64_t start = ws_now_ns();
    ws_status status = ws_search(s->searcher, query, &options, s->scratch, NULL, &results, error);
    if (status < 0)
        return status;
    int partial = status == WS_PARTIAL;
    status = ws_results_fetch(results, 0, ws_results_count(results), &fetch, NULL, error);
    ws_answer answer = {.results = results,
                        .query = query,
                        .text = text,
                        .partial = partial || status == WS_PARTIAL,
                        .with_total = !s->flags->total,
                        .generation = ws_searcher_generation(s->searcher),
                        .took_ns = ws_now_ns() - start,
                        .profile = s->flags->profile};
    if (status >= 0 && (s->common->json || s->flags->batch))
        print_json(s, &answer);
    else if (status >= 0)
        ws_hits_print(stdout, &answer, options.offset + 1, s->bold);
    ws_results_free(results);
    return status < 0 ? status : WS_OK;
}

static ws_status ask(session *s, ws_str text, uint32_t op, ws_str filter, ws_error *error)
{
    ws_query_options options = WS_QUERY_OPTIONS_INIT;
    ws_query *query;
    options.op = op ? WS_OPERATOR_AND : WS_OPERATOR_OR;
    options.filter = filter;
    ws_status status = ws_query_parse(&query, s->index, text, &options, error);
    if (status < 0)
        return status;
    if (status == WS_TRUNCATED && !s->flags->batch)
        ws_cli_note(s->common, "the query was cut at a limit (see warnings of --json)");
    status = answer_query(s, query, text, error);
    ws_query_free(query);
    return status;
}

/* --- batches: QUERY [TAB or|and [TAB FILTER]] a line --- */

static ws_str cut_field(ws_str *rest)
{
    const char *tab = rest->len ? memchr(rest->ptr, '\t', rest->len) : NULL;
    size_t n = tab ? (size_t)(tab - rest->ptr) : rest->len;
    ws_str field = ws_str_make(rest->ptr, n);
    *rest = ws_str_sub(*rest, n + 1, rest->len);
    return field;
}

static ws_status batch_line(session *s, ws_str line, ws_error *error)
{
    ws_str text = cut_field(&line), op = cut_field(&line), filter = line;
    int is_and = ws_str_eq(op, WS_STR("and"));
    if (op.len && !is_and && !ws_str_eq(op, WS_STR("or"))) {
        error->code = WS_ERR_ARG;
        snprintf(error->message, sizeof error->message, "operator or|and expected, not %.*s",
                 (int)op.len, op.ptr);
        return WS_ERR_ARG;
    }
    if (!filter.len && s->flags->filter)
        filter = ws_cstr(s->flags->filter);
    return ask(s, text, op.len ? (uint32_t)is_and : s->flags->op, filter, error);
}

static ws_status run_batch(session *s, FILE *in, ws_error *error)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    uint64_t number = 0;
    ws_status status = WS_OK;
    while (status >= 0 && (n = getline(&line, &cap, in)) >= 0) {
        size_t len = (size_t)n;
        number++;
        while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
            len--;
        status = batch_line(s, ws_str_make(line, len), error);
    }
    free(line);
    if (status < 0)
        fprintf(stderr, "wikisearch: line %llu of the batch:\n", (unsigned long long)number);
    return status;
}

static ws_status open_batch(session *s, ws_error *error)
{
    const char *path = s->flags->batch;
    FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
    if (!in) {
        error->code = WS_ERR_IO;
        snprintf(error->path, sizeof error->path, "%s", path);
        snprintf(error->message, sizeof error->message, "%s", strerror(errno));
        return WS_ERR_IO;
    }
    ws_status status = run_batch(s, in, error);
    if (in != stdin)
        fclose(in);
    return status;
}

/* --- one query --- */

/* The arguments with spaces between them; the caller frees it. */
static char *join(const char *const *words, uint32_t n)
{
    size_t bytes = 1;
    for (uint32_t i = 0; i < n; i++)
        bytes += strlen(words[i]) + 1;
    char *text = ws_calloc(1, bytes);
    for (uint32_t i = 0; text && i < n; i++) {
        strcat(text, i ? " " : "");
        strcat(text, words[i]);
    }
    return text;
}

static int run(const ws_cli_common *common, const search_flags *flags, const char *const *words,
               uint32_t n)
{
    session s = {.common = common, .flags = flags, .bold = ws_cli_colour(stdout)};
    ws_error error = {0};
    ws_buf_init(&s.buf);
    char *text = join(words, n);
    ws_status status = text ? open_session(&s, &error) : (error.code = WS_ERR_NOMEM);
    if (status >= 0)
        status = flags->batch ? open_batch(&s, &error)
                              : ask(&s, ws_cstr(text), flags->op, ws_cstr(flags->filter), &error);
    close_session(&s);
    ws_free(text);
    return status < 0 ? ws_cli_fail(&error) : WS_EXIT_OK;
}

int ws_cmd_search(int argc, char **argv)
{
    search_flags f = {.n = 10};
    const ws_cli_option options[] = {
        {"limit", 'n', WS_CLI_NUMBER, &f.n, "N", "hits to show (default 10)", NULL, 0, 10000},
        {"offset", 0, WS_CLI_NUMBER, &f.offset, "N", "hits to skip", NULL, 0, 10000},
        {"filter", 0, WS_CLI_TEXT, &f.filter, "FILTER", "lang = \"ko\" AND views >= 10", NULL, 0,
         0},
        {"operator", 0, WS_CLI_CHOICE, &f.op, "or|and", "how many of the words (default or)",
         "or|and", 0, 0},
        {"total", 0, WS_CLI_CHOICE, &f.total, "exact|none", "count what matches (default exact)",
         "exact|none", 0, 0},
        {"profile", 0, WS_CLI_FLAG, &f.profile, NULL, "what it cost", NULL, 0, 0},
        {"batch", 0, WS_CLI_TEXT, &f.batch, "FILE",
         "queries, one a line: QUERY [TAB or|and [TAB FILTER]]", NULL, 0, 0},
        {"traversal", 0, WS_CLI_CHOICE, &f.traversal, "NAME", "auto or exhaustive, for debugging",
         "auto|exhaustive", 0, 0},
    };
    const ws_cli_verb verb = {"search",
                              "QUERY...",
                              "Finds documents: words, \"phrases\", -words. Prints rank, score, "
                              "id, title and a snippet; --json prints what\n"
                              "GET /v1/search answers, --batch one such object a line.",
                              options,
                              WS_ARRAY_LEN(options),
                              0,
                              UINT32_MAX,
                              "index.access"};
    ws_cli_common common;
    uint32_t n;
    const char **words = ws_calloc((size_t)argc, sizeof *words);
    if (!words)
        return WS_EXIT_IO;
    int code = ws_cli_parse(&verb, argc, argv, &common, words, &n);
    if (code == WS_CLI_GO_ON && (n == 0) != (f.batch != NULL))
        code = ws_cli_usage("search needs either a QUERY or --batch FILE");
    if (code == WS_CLI_GO_ON)
        code = ws_cli_finish(run(&common, &f, words, n));
    ws_free((void *)words);
    return code;
}
