/* wikisearch stats */
#include "base/str.h"
#include "indexer/cli.h"
#include "indexer/report.h"
#include "indexer/verbs.h"

int ws_cmd_stats(int argc, char **argv)
{
    const ws_cli_verb verb = {
        "stats",
        "",
        "Counts, segments, bytes by section; --json adds the schema and the user map.",
        NULL,
        0,
        0,
        0,
        "index.access"};
    ws_cli_common common;
    ws_error error = {0};
    ws_index *index = NULL;
    ws_text text = {0};
    uint32_t n;
    int code = ws_cli_parse(&verb, argc, argv, &common, NULL, &n);
    if (code != WS_CLI_GO_ON)
        return code;
    ws_status status = ws_cli_open(&index, &common, &error);
    if (status >= 0)
        status = ws_index_describe(index, &text, &error);
    ws_index_close(index);
    if (status < 0)
        return ws_cli_fail(&error);
    if (common.json)
        printf("%.*s\n", (int)text.len, text.ptr);
    else
        ws_report_index(stdout, (ws_str){text.ptr, text.len});
    ws_text_free(&text);
    return ws_cli_finish(WS_EXIT_OK);
}
