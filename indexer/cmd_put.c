/* wikisearch put, wikisearch delete */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "indexer/cli.h"
#include "indexer/verbs.h"

#define DEFAULT_MEMORY (256ull << 20)

typedef struct {
    const ws_cli_common *common;
    uint64_t memory;
    ws_index *index;
    ws_writer *writer;
    uint64_t done, missing, bad, generation;
} session;

/* A new index gets the default schema. */
static ws_status open_index(session *s, int create, ws_error *error)
{
    ws_schema *schema;
    ws_status status = ws_index_open(&s->index, s->common->index, NULL, NULL, error);
    if (status == WS_FALLBACK)
        ws_cli_note_fallback(s->common, error);
    if (status != WS_ERR_NOT_FOUND || !create)
        return status;
    status = ws_schema_new_json(&schema, ws_cstr(NULL), error);
    if (status)
        return status;
    status = ws_index_open(&s->index, s->common->index, schema, NULL, error);
    ws_schema_free(schema);
    return status;
}

static ws_status open_session(session *s, int create, ws_error *error)
{
    ws_writer_options options = WS_WRITER_OPTIONS_INIT;
    options.memory = s->memory;
    ws_status status = open_index(s, create, error);
    return status < 0 ? status : ws_writer_open(&s->writer, s->index, &options, error);
}

static void close_session(session *s)
{
    ws_writer_close(s->writer);
    ws_index_close(s->index);
}

static void print_outcome(const session *s, const char *what)
{
    ws_buf buf;
    ws_json j;
    if (!s->common->json) {
        printf("%s %llu, bad %llu, missing %llu, generation %llu\n", what,
               (unsigned long long)s->done, (unsigned long long)s->bad,
               (unsigned long long)s->missing, (unsigned long long)s->generation);
        return;
    }
    ws_buf_init(&buf);
    ws_json_init(&j, &buf);
    ws_json_object(&j);
    ws_json_ku64(&j, what, s->done);
    ws_json_ku64(&j, "bad", s->bad);
    ws_json_ku64(&j, "missing", s->missing);
    ws_json_ku64(&j, "generation", s->generation);
    ws_json_end_object(&j);
    printf("%.*s\n", (int)buf.len, (const char *)buf.data);
    ws_buf_fini(&buf);
}

/* --- put --- */

static int is_documents_fault(ws_status status)
{
    return status <= WS_ERR_ARG && status > WS_ERR_STATE;
}

static ws_status put_line(session *s, ws_str line, uint64_t number, ws_error *error)
{
    ws_status status = ws_writer_put_json(s->writer, line, 0, error);
    if (status >= 0)
        s->done++;
    if (!is_documents_fault(status) && status != WS_ERR_LIMIT)
        return status;
    s->bad++;
    fprintf(stderr, "wikisearch: line %llu: %s\n", (unsigned long long)number, error->message);
    return WS_OK;
}

static ws_status put_all(session *s, FILE *in, ws_error *error)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    uint64_t number = 0;
    ws_status status = WS_OK;
    while (status >= 0 && (n = getline(&line, &cap, in)) >= 0) {
        number++;
        if (strspn(line, " \t\r\n") != (size_t)n)
            status = put_line(s, ws_str_make(line, (size_t)n), number, error);
    }
    free(line);
    return status < 0 ? status : ws_writer_commit(s->writer, NULL, &s->generation, error);
}

static FILE *open_lines(const char *path, ws_error *error)
{
    FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
    if (!in) {
        error->code = WS_ERR_IO;
        snprintf(error->path, sizeof error->path, "%s", path);
        snprintf(error->message, sizeof error->message, "%s", strerror(errno));
    }
    return in;
}

static ws_status put_file(session *s, const char *path, ws_error *error)
{
    FILE *in = open_lines(path, error);
    if (!in)
        return WS_ERR_IO;
    ws_status status = open_session(s, 1, error);
    if (status >= 0)
        status = put_all(s, in, error);
    if (in != stdin)
        fclose(in);
    return status;
}

int ws_cmd_put(int argc, char **argv)
{
    session s = {.memory = DEFAULT_MEMORY};
    const ws_cli_option options[] = {
        {"memory", 0, WS_CLI_SIZE, &s.memory, "SIZE", "ceiling (default 256M)", NULL, 16u << 20, 0},
    };
    const ws_cli_verb verb = {"put",
                              "FILE",
                              "Adds or replaces documents, one JSON object a line (- is standard "
                              "input), and commits once at the end. For many\n"
                              "documents use import. Exit code 1: some were bad and left out.",
                              options,
                              WS_ARRAY_LEN(options),
                              1,
                              1,
                              NULL};
    ws_cli_common common;
    ws_error error = {0};
    const char *path[1];
    uint32_t n;
    int code = ws_cli_parse(&verb, argc, argv, &common, path, &n);
    if (code != WS_CLI_GO_ON)
        return code;
    s.common = &common;
    ws_status status = put_file(&s, path[0], &error);
    if (status >= 0)
        print_outcome(&s, "put");
    close_session(&s);
    if (status < 0)
        return ws_cli_fail(&error);
    return ws_cli_finish(s.bad ? WS_EXIT_FINDING : WS_EXIT_OK);
}

/* --- delete --- */

static ws_status delete_all(session *s, const char *const *ids, uint32_t n, ws_error *error)
{
    ws_status status = open_session(s, 0, error);
    for (uint32_t i = 0; status >= 0 && i < n; i++) {
        status = ws_writer_delete(s->writer, ws_cstr(ids[i]), error);
        s->done += status >= 0;
        if (status == WS_ERR_NOT_FOUND) {
            ws_cli_note(s->common, "no document %s", ids[i]);
            s->missing++;
            status = WS_OK;
        }
    }
    return status < 0 ? status : ws_writer_commit(s->writer, NULL, &s->generation, error);
}

int ws_cmd_delete(int argc, char **argv)
{
    const ws_cli_verb verb = {
        "delete",
        "ID...",
        "Deletes documents by id and commits once. Exit code 1: one was not there.",
        NULL,
        0,
        1,
        UINT32_MAX,
        NULL};
    ws_cli_common common;
    session s = {.common = &common, .memory = DEFAULT_MEMORY};
    ws_error error = {0};
    uint32_t n;
    const char **ids = ws_calloc((size_t)argc, sizeof *ids);
    if (!ids)
        return WS_EXIT_IO;
    int code = ws_cli_parse(&verb, argc, argv, &common, ids, &n);
    if (code == WS_CLI_GO_ON) {
        ws_status status = delete_all(&s, ids, n, &error);
        if (status >= 0)
            print_outcome(&s, "deleted");
        close_session(&s);
        code = status < 0 ? ws_cli_fail(&error)
                          : ws_cli_finish(s.missing ? WS_EXIT_FINDING : WS_EXIT_OK);
    }
    ws_free((void *)ids);
    return code;
}
