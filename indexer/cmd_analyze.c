/* wikisearch analyze */
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/str.h"
#include "indexer/cli.h"
#include "indexer/verbs.h"

typedef struct {
    ws_json *json; /* NULL = a table */
} printer;

static void print_row(const ws_analyzed_token *t)
{
    printf("%8u %8u %8u  %-8s ", t->position, t->start, t->end, t->stream);
    ws_cli_print_safe(stdout, t->text);
    putchar('\n');
}

static void on_token(void *ctx, const ws_analyzed_token *t)
{
    ws_json *j = ((printer *)ctx)->json;
    if (!j) {
        print_row(t);
        return;
    }
    ws_json_object(j);
    ws_json_ku64(j, "position", t->position);
    ws_json_ku64(j, "start", t->start);
    ws_json_ku64(j, "end", t->end);
    ws_json_kcstr(j, "stream", t->stream);
    ws_json_kstr(j, "token", t->text);
    ws_json_end_object(j);
}

static ws_status analyze(ws_index *index, const ws_cli_common *common, ws_str field, ws_str text,
                         uint32_t mode, ws_error *error)
{
    ws_buf buf;
    ws_json json;
    printer p = {common->json ? &json : NULL};
    ws_buf_init(&buf);
    ws_json_init(&json, &buf);
    if (!common->json)
        printf("%8s %8s %8s  %-8s %s\n", "position", "start", "end", "stream", "token");
    ws_json_object(&json);
    ws_json_key(&json, "tokens");
    ws_json_array(&json);
    ws_status status = ws_analyze(index, field, text, mode, on_token, &p, error);
    ws_json_end_array(&json);
    ws_json_end_object(&json);
    if (status >= 0 && common->json)
        printf("%.*s\n", (int)buf.len, (const char *)buf.data);
    ws_buf_fini(&buf);
    return status;
}

int ws_cmd_analyze(int argc, char **argv)
{
    const char *field = NULL, *text[1];
    uint32_t mode = 0, n;
    const ws_cli_option options[] = {
        {"field", 0, WS_CLI_TEXT, &field, "NAME", "as this text field of the index does", NULL, 0,
         0},
        {"mode", 0, WS_CLI_CHOICE, &mode, "index|query", "default index", "index|query", 0, 0},
    };
    const ws_cli_verb verb = {"analyze",
                              "TEXT",
                              "Shows the tokens of a text: position, first byte and byte behind "
                              "the last in the text, stream, token. Without\n"
                              "--field by the standard rules, and no index is needed.",
                              options,
                              WS_ARRAY_LEN(options),
                              1,
                              1,
                              "index.access"};
    ws_cli_common common;
    ws_error error = {0};
    ws_index *index = NULL;
    int code = ws_cli_parse(&verb, argc, argv, &common, text, &n);
    if (code != WS_CLI_GO_ON)
        return code;
    ws_status status = field ? ws_cli_open(&index, &common, &error) : WS_OK;
    if (status >= 0)
        status = analyze(index, &common, ws_cstr(field), ws_cstr(text[0]), mode, &error);
    ws_index_close(index);
    return ws_cli_finish(status < 0 ? ws_cli_fail(&error) : WS_EXIT_OK);
}
