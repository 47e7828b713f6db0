/* wikisearch suggest */
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/str.h"
#include "indexer/cli.h"
#include "indexer/verbs.h"

#define DEFAULT_FILE "suggest.wst"

typedef struct {
    const char *file, *context;
    uint64_t limit;
} choices;

static void print_row(const ws_suggestion *s)
{
    printf("%10.1f  %-8s ", s->popularity, ws_match_name(s->match));
    ws_cli_print_safe(stdout, ws_str_make(s->text, s->text_length));
    if (strcmp(s->target, s->text) != 0) {
        printf(" -> ");
        ws_cli_print_safe(stdout, ws_str_make(s->target, s->target_length));
    }
    putchar('\n');
}

static void json_row(ws_json *j, const ws_suggestion *s)
{
    ws_json_object(j);
    ws_json_kstr(j, "text", ws_str_make(s->text, s->text_length));
    ws_json_kstr(j, "target", ws_str_make(s->target, s->target_length));
    ws_json_kstr(j, "context", ws_str_make(s->context, s->context_length));
    ws_json_kcstr(j, "match", ws_match_name(s->match));
    ws_json_kcstr(j, "source", s->learned ? "log" : "title");
    ws_json_ku64(j, "score", s->score);
    ws_json_key(j, "highlight");
    ws_json_array(j);
    ws_json_array(j);
    ws_json_u64(j, s->highlight_start);
    ws_json_u64(j, s->highlight_end);
    ws_json_end_array(j);
    ws_json_end_array(j);
    ws_json_end_object(j);
}

static void print_json(ws_str typed, const ws_suggestion *found, uint32_t n)
{
    ws_buf buf;
    ws_json json;
    ws_buf_init(&buf);
    ws_json_init(&json, &buf);
    ws_json_object(&json);
    ws_json_kstr(&json, "q", typed);
    ws_json_key(&json, "suggestions");
    ws_json_array(&json);
    for (uint32_t i = 0; i < n; i++)
        json_row(&json, &found[i]);
    ws_json_end_array(&json);
    ws_json_end_object(&json);
    printf("%.*s\n", (int)buf.len, (const char *)buf.data);
    ws_buf_fini(&buf);
}

static ws_status suggest(const char *file, const choices *c, ws_str typed, int json,
                         ws_error *error)
{
    static ws_suggestion found[WS_SUGGEST_K_MAX];
    ws_suggest_query_options options = WS_SUGGEST_QUERY_OPTIONS_INIT;
    ws_suggest *s;
    uint32_t n = (uint32_t)c->limit;
    ws_status status = ws_suggest_open(&s, file, NULL, error);
    if (status < 0)
        return status;
    options.context = ws_cstr(c->context);
    status = ws_suggest_query(s, typed, &options, found, &n);
    ws_suggest_close(s);
    if (status < 0) {
        error->code = status;
        snprintf(error->message, sizeof error->message, "%s", ws_status_text(status));
        return status;
    }
    if (json)
        print_json(typed, found, n);
    for (uint32_t i = 0; i < n && !json; i++)
        print_row(&found[i]);
    return status;
}

int ws_cmd_suggest(int argc, char **argv)
{
    choices c = {NULL, NULL, 10};
    const char *typed[1];
    const ws_cli_option options[] = {
        {"limit", 'n', WS_CLI_NUMBER, &c.limit, "N", "suggestions, 1 to 64 (default 10)", NULL, 1,
         WS_SUGGEST_K_MAX},
        {"context", 0, WS_CLI_TEXT, &c.context, "NAME", "only of this group", NULL, 0, 0},
        {"file", 0, WS_CLI_TEXT, &c.file, "FILE",
         "suggest file (default: " DEFAULT_FILE " in the index directory)", NULL, 0, 0},
    };
    const ws_cli_verb verb = {"suggest",
                              "TYPED",
                              "Completes what was typed: half-typed syllables, initials, the wrong "
                              "keyboard layout, one wrong key.\n"
                              "Popularity, why it was found, text. The file is made by trie build.",
                              options,
                              WS_ARRAY_LEN(options),
                              1,
                              1,
                              NULL};
    ws_cli_common common;
    ws_error error = {0};
    char path[4096];
    uint32_t n;
    int code = ws_cli_parse(&verb, argc, argv, &common, typed, &n);
    if (code != WS_CLI_GO_ON)
        return code;
    snprintf(path, sizeof path, "%s/" DEFAULT_FILE, common.index);
    ws_status status = suggest(c.file ? c.file : path, &c, ws_cstr(typed[0]), common.json, &error);
    return ws_cli_finish(status < 0 ? ws_cli_fail(&error) : WS_EXIT_OK);
}
