/* wikisearch inspect */
#include "base/str.h"
#include "indexer/cli.h"
#include "indexer/report.h"
#include "indexer/verbs.h"

int ws_cmd_inspect(int argc, char **argv)
{
    const ws_cli_verb verb = {"inspect",
                              "term TEXT | doc ID | segment NUMBER",
                              "One thing in detail, as JSON. TEXT may be FIELD:TEXT; NUMBER is "
                              "hexadecimal, as stats prints it. Exit code 1:\n"
                              "there is no such thing.",
                              NULL,
                              0,
                              2,
                              2,
                              "index.access"};
    ws_cli_common common;
    ws_error error = {0};
    ws_index *index = NULL;
    ws_text text = {0};
    const char *words[2];
    uint32_t n;
    int code = ws_cli_parse(&verb, argc, argv, &common, words, &n);
    if (code != WS_CLI_GO_ON)
        return code;
    ws_status status = ws_cli_open(&index, &common, &error);
    int is_open = status >= 0;
    if (is_open)
        status = ws_index_inspect(index, words[0], ws_cstr(words[1]), &text, &error);
    ws_index_close(index);
    if (status < 0) {
        code = ws_cli_fail(&error);
        return is_open && status == WS_ERR_NOT_FOUND ? WS_EXIT_FINDING : code;
    }
    if (common.json)
        printf("%.*s\n", (int)text.len, text.ptr);
    else
        ws_report_json(stdout, (ws_str){text.ptr, text.len});
    ws_text_free(&text);
    return ws_cli_finish(WS_EXIT_OK);
}
