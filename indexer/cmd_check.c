/* wikisearch check */
#include "base/bytes.h"
#include "base/json.h"
#include "indexer/cli.h"
#include "indexer/verbs.h"

typedef struct {
    const ws_cli_common *common;
    uint64_t good, bad;
} printer;

static void print_json(const ws_check_item *item)
{
    ws_buf buf;
    ws_json j;
    ws_buf_init(&buf);
    ws_json_init(&j, &buf);
    ws_json_object(&j);
    ws_json_kcstr(&j, "path", item->path);
    ws_json_kcstr(&j, "section", item->section);
    ws_json_kbool(&j, "ok", item->status == WS_OK);
    ws_json_ku64(&j, "offset", item->offset);
    ws_json_kcstr(&j, "message", item->message);
    ws_json_end_object(&j);
    printf("%.*s\n", (int)buf.len, (const char *)buf.data);
    ws_buf_fini(&buf);
}

static void on_item(void *ctx, const ws_check_item *item)
{
    printer *p = ctx;
    int is_good = item->status == WS_OK;
    *(is_good ? &p->good : &p->bad) += 1;
    if (p->common->json)
        print_json(item);
    else if (!is_good)
        printf("bad  %s %s: %s (byte %llu)\n", item->path, item->section, item->message,
               (unsigned long long)item->offset);
    else if (!p->common->quiet)
        printf("ok   %s %s\n", item->path, item->section);
}

int ws_cmd_check(int argc, char **argv)
{
    uint32_t level = WS_CHECK_NORMAL, n;
    const ws_cli_option options[] = {
        {"level", 0, WS_CLI_CHOICE, &level, "LEVEL",
         "quick: structure; normal (default): every byte's hash; deep: everything decoded",
         "quick|normal|deep", 0, 0},
    };
    const ws_cli_verb verb = {
        "check",
        "",
        "Looks for damage, changes nothing. Exit code 0: none; 1: damage; 3: it could not be told.",
        options,
        WS_ARRAY_LEN(options),
        0,
        0,
        NULL};
    ws_cli_common common;
    ws_error error = {0};
    int code = ws_cli_parse(&verb, argc, argv, &common, NULL, &n);
    if (code != WS_CLI_GO_ON)
        return code;
    printer p = {.common = &common};
    ws_status status = ws_check(common.index, level, on_item, &p, NULL, &error);
    if (status < 0 && status != WS_ERR_CORRUPT) {
        ws_cli_fail(&error);
        return ws_cli_finish(WS_EXIT_IO);
    }
    if (!common.json)
        printf("%llu good, %llu bad\n", (unsigned long long)p.good, (unsigned long long)p.bad);
    return ws_cli_finish(status || p.bad ? WS_EXIT_FINDING : WS_EXIT_OK);
}
