/* wikisearch trie build, trie dump */
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/str.h"
#include "indexer/cli.h"
#include "indexer/lines.h"
#include "indexer/verbs.h"

#define LINE_MAX_BYTES (1u << 16)
#define COLUMNS_MAX    16u

enum { TITLE, WEIGHT, CONTEXT, TARGET, FIELDS };

typedef struct {
    const char *output, *half_life, *columns;
    int at[FIELDS]; /* column of each field, -1 = none; -2 = the last one */
    uint64_t rows, added, longer, bad, first_bad;
} builder;

/* --- options --- */

/* "7d", "12h", "30m", "90s" */
static int parse_duration(const char *text, uint64_t *ms)
{
    static const struct {
        char unit;
        uint64_t ms;
    } units[] = {{'d', 86400000}, {'h', 3600000}, {'m', 60000}, {'s', 1000}};
    size_t n = strlen(text);
    uint64_t number;
    for (size_t i = 0; n > 1 && i < WS_ARRAY_LEN(units); i++)
        if (text[n - 1] == units[i].unit && ws_str_to_u64(ws_str_make(text, n - 1), &number) &&
            number > 0 && number <= ((uint64_t)1 << 40) / units[i].ms) {
            *ms = number * units[i].ms;
            return 1;
        }
    return 0;
}

/* "title,-,weight": which column is what. 0 when there is an unknown word or no title. */
static int parse_columns(builder *b)
{
    static const char *const names[FIELDS] = {"title", "weight", "context", "target"};
    const char *p = b->columns;
    for (int i = 0; i < FIELDS; i++)
        b->at[i] = -1;
    if (!p) {
        b->at[TITLE] = 0;
        b->at[WEIGHT] = -2;
        return 1;
    }
    for (int column = 0; column < (int)COLUMNS_MAX; column++) {
        size_t n = strcspn(p, ",");
        int known = n == 1 && *p == '-';
        for (int i = 0; i < FIELDS; i++)
            if (strlen(names[i]) == n && memcmp(names[i], p, n) == 0) {
                b->at[i] = column;
                known = 1;
            }
        if (!known)
            return 0;
        if (!p[n])
            return b->at[TITLE] >= 0;
        p += n + 1;
    }
    return 0;
}

/* --- build --- */

static uint32_t split(ws_str line, ws_str cells[COLUMNS_MAX])
{
    uint32_t n = 0;
    for (size_t from = 0; n < COLUMNS_MAX; n++) {
        const char *tab = memchr(line.ptr + from, '\t', line.len - from);
        size_t end = tab ? (size_t)(tab - line.ptr) : line.len;
        cells[n] = ws_str_sub(line, from, end);
        if (!tab)
            return n + 1;
        from = end + 1;
    }
    return n;
}

static ws_str cell(const builder *b, int field, const ws_str *cells, uint32_t n)
{
    int at = b->at[field] == -2 ? (int)n - 1 : b->at[field];
    return at >= 0 && at < (int)n ? cells[at] : ws_str_make(NULL, 0);
}

/* Returns an error only when going on makes no sense. */
static ws_status add_line(builder *b, ws_suggest *s, const ws_line *line)
{
    ws_str cells[COLUMNS_MAX], text;
    uint64_t weight = 0;
    ws_status status = WS_ERR_ARG;
    b->rows++;
    if (!line->too_long) {
        uint32_t n = split(line->bytes, cells);
        text = cell(b, WEIGHT, cells, n);
        if ((b->at[WEIGHT] == -2 && n == 1) || b->at[WEIGHT] == -1 || ws_str_to_u64(text, &weight))
            status = ws_suggest_put(s, cell(b, TITLE, cells, n), cell(b, TARGET, cells, n),
                                    cell(b, CONTEXT, cells, n), weight);
    }
    b->added += status == WS_OK;
    b->longer += status == WS_TRUNCATED;
    if (status != WS_ERR_ARG && status != WS_ERR_UTF8)
        return status;
    if (b->bad++ == 0)
        b->first_bad = line->offset;
    return WS_OK;
}

static ws_status add_file(builder *b, ws_suggest *s, const char *path, ws_error *error)
{
    ws_input *input;
    ws_splitter *splitter;
    ws_line line;
    ws_status status = ws_input_open(&input, path, NULL, error);
    if (status < 0)
        return status;
    status = ws_splitter_new(&splitter, input, LINE_MAX_BYTES);
    while (status >= 0 && (status = ws_splitter_next(splitter, &line, error)) >= 0) {
        status = add_line(b, s, &line);
        if (status < 0)
            snprintf(error->message, sizeof error->message, "%s", ws_status_text(status));
    }
    ws_splitter_free(splitter);
    ws_input_close(input);
    return status == WS_ERR_NOT_FOUND ? WS_OK : status;
}

static void report(const builder *b, ws_suggest *s, const ws_cli_common *common)
{
    ws_suggest_stats_data stats = {.size = sizeof stats};
    if (ws_suggest_stats(s, &stats) < 0)
        return;
    if (common->json) {
        printf("{\"rows\":%llu,\"entries\":%llu,\"too_long\":%llu,\"bad\":%llu,\"memory\":%llu}\n",
               (unsigned long long)b->rows, (unsigned long long)stats.n_entries,
               (unsigned long long)b->longer, (unsigned long long)b->bad,
               (unsigned long long)stats.bytes);
        return;
    }
    printf("%llu rows, %llu entries, %.1f MiB in memory\n", (unsigned long long)b->rows,
           (unsigned long long)stats.n_entries, (double)stats.bytes / (1 << 20));
    if (b->longer)
        printf("%llu longer than %u bytes were left out\n", (unsigned long long)b->longer,
               WS_SUGGEST_TEXT_MAX);
    if (b->bad)
        printf("%llu bad rows were left out, the first at byte %llu\n", (unsigned long long)b->bad,
               (unsigned long long)b->first_bad);
}

static ws_status build(builder *b, uint64_t half_life_ms, const char *const *files, uint32_t n,
                       const ws_cli_common *common, ws_error *error)
{
    ws_suggest_options options = WS_SUGGEST_OPTIONS_INIT;
    ws_suggest *s;
    options.half_life_ms = half_life_ms;
    ws_status status = ws_suggest_open(&s, NULL, &options, error);
    for (uint32_t i = 0; status >= 0 && i < n; i++)
        status = add_file(b, s, files[i], error);
    if (status >= 0)
        status = ws_suggest_save(s, b->output, error);
    if (status >= 0)
        report(b, s, common);
    ws_suggest_close(s);
    if (status < 0 && !error->code)
        error->code = status;
    return status;
}

/* --- dump --- */

static int dump_row(void *ctx, const ws_suggest_item *item)
{
    (void)ctx;
    ws_cli_print_safe(stdout, item->text);
    putchar('\t');
    ws_cli_print_safe(stdout, item->target);
    putchar('\t');
    ws_cli_print_safe(stdout, item->context);
    printf("\t%.4f\t%s\t", (double)item->score * 0x1p-32, item->learned ? "log" : "title");
    ws_cli_print_safe(stdout, item->keys);
    putchar('\n');
    return ferror(stdout);
}

static ws_status dump(const char *file, ws_error *error)
{
    ws_suggest *s;
    ws_status status = ws_suggest_open(&s, file, NULL, error);
    if (status < 0)
        return status;
    ws_suggest_each(s, dump_row, NULL);
    ws_suggest_close(s);
    return WS_OK;
}

/* --- the verb --- */

static int run(builder *b, const ws_cli_common *common, const char *const *words, uint32_t n)
{
    uint64_t half_life_ms = 604800000;
    ws_error error = {0};
    if (strcmp(words[0], "dump") == 0) {
        if (n != 2)
            return ws_cli_usage("trie dump takes one file");
        return ws_cli_finish(dump(words[1], &error) < 0 ? ws_cli_fail(&error) : WS_EXIT_OK);
    }
    if (strcmp(words[0], "build") != 0)
        return ws_cli_usage("trie: build or dump, not %s", words[0]);
    if (n < 2 || !b->output)
        return ws_cli_usage("trie build takes files of titles and -o OUTPUT");
    if (b->half_life && !parse_duration(b->half_life, &half_life_ms))
        return ws_cli_usage("trie build: --half-life takes 7d, 12h, 30m or 90s, not %s",
                            b->half_life);
    if (!parse_columns(b))
        return ws_cli_usage(
            "trie build: --columns takes title, weight, context, target and -, with "
            "a title, not %s",
            b->columns);
    ws_status status = build(b, half_life_ms, words + 1, n - 1, common, &error);
    return ws_cli_finish(status < 0 ? ws_cli_fail(&error) : WS_EXIT_OK);
}

int ws_cmd_trie(int argc, char **argv)
{
    builder b = {0};
    const char *words[64];
    const ws_cli_option options[] = {
        {"output", 'o', WS_CLI_TEXT, &b.output, "FILE", "suggest file that build writes", NULL, 0,
         0},
        {"half-life", 0, WS_CLI_TEXT, &b.half_life, "TIME",
         "after which popularity counts half: 7d, 12h, 30m, 90s (default 7d)", NULL, 0, 0},
        {"columns", 0, WS_CLI_TEXT, &b.columns, "LIST",
         "title,weight,context,target or - in the order of the file (default: the first is the "
         "title, the last the weight)",
         NULL, 0, 0},
    };
    const ws_cli_verb verb = {"trie",
                              "build FILE... | dump FILE",
                              "build reads titles and weights, a tab between, from plain, zstd or "
                              "gzip files (- = standard "
                              "input) and writes a suggest file.\n"
                              "dump prints one: text, target, context, score, source, keys.",
                              options,
                              WS_ARRAY_LEN(options),
                              1,
                              WS_ARRAY_LEN(words),
                              NULL};
    ws_cli_common common;
    uint32_t n;
    int code = ws_cli_parse(&verb, argc, argv, &common, words, &n);
    return code == WS_CLI_GO_ON ? run(&b, &common, words, n) : code;
}
