/* wikisearch import */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/mem.h"
#include "indexer/cli.h"
#include "indexer/import.h"
#include "indexer/progress.h"
#include "indexer/report.h"
#include "indexer/verbs.h"

#define SCHEMA_BYTES_MAX (1u << 20)
#define MAP_THRESHOLD    (256 << 10)

/* What --format takes; the ones behind `lines` are still to come. */
#define FORMATS "auto|jsonl|lines|mediawiki|csv|tsv"

typedef struct {
    uint32_t format;
    const char *schema, *lang, *namespaces, *url;
    uint64_t memory, threads, commit_every, limit;
    int resume;
} import_flags;

/* Set by the signal handler. */
static atomic_int stop;
static ws_budget budget;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&stop, 1);
    ws_budget_cancel(&budget);
}

/* The first signal ends the import in order, the second at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    ws_budget_init(&budget, 0, 0);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* The ceiling is meant in earnest: one arena instead of 64 MiB of addresses for each thread, and
 * large blocks go back to the system when they are freed. */
static void tame_malloc(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, MAP_THRESHOLD);
    mallopt(M_TRIM_THRESHOLD, MAP_THRESHOLD);
}

static ws_status load_schema(const char *path, ws_schema **schema, ws_error *error)
{
    uint8_t *text;
    size_t n;
    *schema = NULL;
    if (!path)
        return WS_OK;
    ws_status status = ws_file_read(path, SCHEMA_BYTES_MAX, &text, &n, error);
    if (status)
        return status;
    status = ws_schema_new_json(schema, (ws_str){(const char *)text, n}, error);
    if (status && error->path[0] == 0)
        snprintf(error->path, sizeof error->path, "%s", path);
    ws_free(text);
    return status;
}

/* Flags that belong to formats and sources which do not exist yet are refused, never ignored. */
static int refuse_unbuilt(const import_flags *flags)
{
    if (flags->format > WS_IMPORT_LINES)
        return ws_cli_usage(
            "import: the formats mediawiki, csv and tsv cannot be read yet; jsonl and lines can");
    if (flags->namespaces)
        return ws_cli_usage(
            "import: --namespaces is for the format mediawiki, which cannot be read yet");
    if (flags->url)
        return ws_cli_usage("import: --url is not supported yet");
    return WS_CLI_GO_ON;
}

static void describe(const ws_cli_common *common, ws_text *text)
{
    ws_index *index;
    ws_error error;
    *text = (ws_text){NULL, 0};
    if (ws_cli_open(&index, common, &error) < 0)
        return;
    ws_index_describe(index, text, NULL);
    ws_index_close(index);
}

static void print_report(const ws_cli_common *common, const ws_import_report *report,
                         const char *const *files)
{
    ws_text text;
    ws_buf buf;
    ws_json json;
    describe(common, &text);
    ws_str description = {text.ptr, text.len};
    if (common->json) {
        ws_buf_init(&buf);
        ws_json_init(&json, &buf);
        ws_report_import_json(&json, report, files, description);
        printf("%.*s\n", (int)buf.len, (const char *)buf.data);
        ws_buf_fini(&buf);
    } else {
        ws_report_import(stdout, report, files, description);
    }
    ws_text_free(&text);
}

static int run(const ws_cli_common *common, const import_flags *flags, const char *const *files,
               uint32_t n_files)
{
    ws_schema *schema;
    ws_error error = {0};
    ws_import_report *report = ws_calloc(1, sizeof *report);
    ws_progress progress;
    if (!report)
        return WS_EXIT_IO;
    ws_status status = load_schema(flags->schema, &schema, &error);
    if (status < 0) {
        ws_free(report);
        return ws_cli_fail(&error);
    }
    ws_progress_init(&progress, stderr, common->quiet);
    ws_import_options options = {
        .dir = common->index,
        .files = files,
        .n_files = n_files,
        .format = flags->format,
        .schema = schema,
        .lang = flags->lang,
        .memory = flags->memory,
        .threads = (uint32_t)flags->threads,
        .commit_every = flags->commit_every,
        .limit = flags->limit,
        .resume = flags->resume,
        .stop = &stop,
        .budget = &budget,
        .events = {&progress, ws_progress_show, ws_progress_committed, ws_progress_message},
    };
    status = ws_import_run(&options, report, &error);
    ws_progress_end(&progress);
    if (report->has_generation)
        print_report(common, report, files);
    ws_schema_free(schema);
    ws_free(report);
    return status < 0 ? ws_cli_fail(&error) : WS_EXIT_OK;
}

int ws_cmd_import(int argc, char **argv)
{
    import_flags f = {.memory = WS_IMPORT_MEMORY, .commit_every = WS_IMPORT_COMMIT_DOCS};
    const ws_cli_option options[] = {
        {"format", 0, WS_CLI_CHOICE, &f.format, "FORMAT", "auto (default), jsonl, lines", FORMATS,
         0, 0},
        {"schema", 0, WS_CLI_TEXT, &f.schema, "FILE", "fields of a new index, JSON", NULL, 0, 0},
        {"lang", 0, WS_CLI_TEXT, &f.lang, "CODE", "language of documents that name none", NULL, 0,
         0},
        {"memory", 0, WS_CLI_SIZE, &f.memory, "SIZE", "ceiling (default 512M)", NULL, 1, 0},
        {"threads", 0, WS_CLI_NUMBER, &f.threads, "N", "workers (default: cores)", NULL, 1, 64},
        {"commit-every", 0, WS_CLI_NUMBER, &f.commit_every, "DOCS",
         "durable commit (default 10000)", NULL, 1, 0},
        {"resume", 0, WS_CLI_FLAG, &f.resume, NULL,
         "go on behind the last commit of the same input", NULL, 0, 0},
        {"limit", 0, WS_CLI_NUMBER, &f.limit, "N", "read at most N documents", NULL, 1, 0},
        {"namespaces", 0, WS_CLI_TEXT, &f.namespaces, "LIST", "(format mediawiki, not yet)", NULL,
         0, 0},
        {"url", 0, WS_CLI_TEXT, &f.url, "URL", "(feed a running daemon, not yet)", NULL, 0, 0},
    };
    const ws_cli_verb verb = {"import",
                              "FILE...",
                              "Reads documents into the index, which is made when it is not there. "
                              "FILE: JSON lines or text lines,\n"
                              "plain, gzip or zstd; - is standard input. Every commit is durable "
                              "and its generation is printed.",
                              options,
                              WS_ARRAY_LEN(options),
                              1,
                              UINT32_MAX,
                              "index.memory|index.access"};
    ws_cli_common common;
    uint32_t n;
    const char **files = ws_calloc((size_t)argc, sizeof *files);
    if (!files)
        return WS_EXIT_IO;
    int code = ws_cli_parse(&verb, argc, argv, &common, files, &n);
    if (code == WS_CLI_GO_ON)
        code = refuse_unbuilt(&f);
    if (code == WS_CLI_GO_ON) {
        if (ws_cli_setting(&common, "index.memory"))
            ws_cli_size(ws_cli_setting(&common, "index.memory"), &f.memory);
        tame_malloc();
        catch_signals();
        code = ws_cli_finish(run(&common, &f, files, n));
    }
    ws_free((void *)files);
    return code;
}
