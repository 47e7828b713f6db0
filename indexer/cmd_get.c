/* wikisearch get */
#include "base/str.h"
#include "indexer/cli.h"
#include "indexer/verbs.h"

static ws_status get(const ws_cli_common *common, const char *id, ws_error *error)
{
    ws_index *index = NULL;
    ws_searcher *searcher = NULL;
    ws_text text = {0};
    ws_status status = ws_cli_open(&index, common, error);
    if (status >= 0)
        status = ws_searcher_open(&searcher, index, error);
    if (status >= 0)
        status = ws_document_get(searcher, ws_cstr(id), &text, error);
    if (status >= 0)
        printf("%.*s\n", (int)text.len, text.ptr);
    ws_text_free(&text);
    ws_searcher_close(searcher);
    ws_index_close(index);
    return status;
}

static int is_missing(const ws_cli_common *common, const char *id, ws_status status,
                      const ws_error *error)
{
    if (status != WS_ERR_NOT_FOUND || error->path[0])
        return 0;
    ws_cli_note(common, "no document %s", id);
    return 1;
}

int ws_cmd_get(int argc, char **argv)
{
    const ws_cli_verb verb = {
        "get",
        "ID",
        "Prints a stored document as one JSON object. Exit code 1: there is none.",
        NULL,
        0,
        1,
        1,
        "index.access"};
    ws_cli_common common;
    ws_error error = {0};
    const char *id[1];
    uint32_t n;
    int code = ws_cli_parse(&verb, argc, argv, &common, id, &n);
    if (code != WS_CLI_GO_ON)
        return code;
    ws_status status = get(&common, id[0], &error);
    if (is_missing(&common, id[0], status, &error))
        return WS_EXIT_FINDING;
    return ws_cli_finish(status < 0 ? ws_cli_fail(&error) : WS_EXIT_OK);
}
