/* Options of the command line: every kind, every mistake. Usage messages go to stderr of the test.
 */
#include "indexer/cli.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/str.h"
#include "tests/support/test.h"

typedef struct {
    int flag;
    const char *text;
    uint64_t number, size;
    uint32_t choice;
    ws_cli_common common;
    const char *arguments[4];
    uint32_t n;
} parsed;

/* Parses the words up to NULL as options of a verb that has one of each kind. */
static int parse(parsed *p, const char *const *words)
{
    char *argv[16] = {(char *)(uintptr_t) "verb"};
    int argc = 1;
    memset(p, 0, sizeof *p);
    const ws_cli_option options[] = {
        {"flag", 'f', WS_CLI_FLAG, &p->flag, NULL, "", NULL, 0, 0},
        {"text", 't', WS_CLI_TEXT, &p->text, "TEXT", "", NULL, 0, 0},
        {"number", 'n', WS_CLI_NUMBER, &p->number, "N", "", NULL, 2, 100},
        {"size", 0, WS_CLI_SIZE, &p->size, "SIZE", "", NULL, 0, 0},
        {"choice", 0, WS_CLI_CHOICE, &p->choice, "or|and", "", "or|and", 0, 0},
    };
    const ws_cli_verb verb = {"verb", "WORD",        "", options, WS_ARRAY_LEN(options), 1,
                              3,      "index.access"};
    while (*words)
        argv[argc++] = (char *)(uintptr_t)*words++;
    return ws_cli_parse(&verb, argc, argv, &p->common, p->arguments, &p->n);
}

#define PARSE(p, ...) parse(p, (const char *const[]){__VA_ARGS__, NULL})

Test(cli, every_kind_in_every_spelling)
{
    parsed p;
    cr_assert_eq(PARSE(&p, "-f", "--text", "a", "-n", "10", "--size=1K", "one", "--choice", "and"),
                 WS_CLI_GO_ON);
    cr_assert_eq(p.flag, 1);
    cr_assert_str_eq(p.text, "a");
    cr_assert_eq(p.number, 10u);
    cr_assert_eq(p.size, 1024u);
    cr_assert_eq(p.choice, 1u);
    cr_assert_eq(p.n, 1u);
    cr_assert_str_eq(p.arguments[0], "one");
    cr_assert_eq(PARSE(&p, "--number=7", "-tvalue", "x"), WS_CLI_GO_ON);
    cr_assert_eq(p.number, 7u);
    cr_assert_str_eq(p.text, "value");
    cr_assert_eq(PARSE(&p, "--text=", "x"), WS_CLI_GO_ON);
    cr_assert_str_eq(p.text, "");
}

Test(cli, arguments)
{
    parsed p;
    cr_assert_eq(PARSE(&p, "--", "-f", "--flag", "--"), WS_CLI_GO_ON);
    cr_assert_eq(p.flag, 0);
    cr_assert_eq(p.n, 3u);
    cr_assert_str_eq(p.arguments[0], "-f");
    cr_assert_str_eq(p.arguments[2], "--");
    cr_assert_eq(PARSE(&p, "-"), WS_CLI_GO_ON, "a dash alone is standard input");
    cr_assert_str_eq(p.arguments[0], "-");
    cr_assert_eq(PARSE(&p, "-f"), WS_EXIT_USAGE, "one is needed");
    cr_assert_eq(PARSE(&p, "1", "2", "3", "4", "5", "6"), WS_EXIT_USAGE, "three at most");
}

Test(cli, mistakes_are_usage_errors)
{
    parsed p;
    cr_assert_eq(PARSE(&p, "x", "--flagg"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "-z"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "--flag=1"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "--text"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "-n", "1"), WS_EXIT_USAGE, "below the least");
    cr_assert_eq(PARSE(&p, "x", "-n", "101"), WS_EXIT_USAGE, "above the most");
    cr_assert_eq(PARSE(&p, "x", "-n", "ten"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "-n", "-5"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "--size", "5X"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "--choice", "xor"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "--choice", "an"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "--choice", "or|and"), WS_EXIT_USAGE);
}

Test(cli, common_options)
{
    parsed p;
    unsetenv("WIKISEARCH_INDEX");
    cr_assert_eq(PARSE(&p, "x"), WS_CLI_GO_ON);
    cr_assert_str_eq(p.common.index, "index");
    setenv("WIKISEARCH_INDEX", "/tmp/env", 1);
    cr_assert_eq(PARSE(&p, "x", "--json", "--quiet"), WS_CLI_GO_ON);
    cr_assert_str_eq(p.common.index, "/tmp/env");
    cr_assert(p.common.json && p.common.quiet);
    cr_assert_eq(PARSE(&p, "x", "-i", "here"), WS_CLI_GO_ON);
    cr_assert_str_eq(p.common.index, "here");
    unsetenv("WIKISEARCH_INDEX");
}

Test(cli, settings_are_taken_refused_or_corrected)
{
    parsed p;
    cr_assert_eq(PARSE(&p, "x", "--set", "index.access=read", "--set=index.access=mmap"),
                 WS_CLI_GO_ON);
    cr_assert_str_eq(ws_cli_setting(&p.common, "index.access"), "mmap", "the last one counts");
    cr_assert_null(ws_cli_setting(&p.common, "index.acces"));
    cr_assert_eq(PARSE(&p, "x", "--set", "index.access=disk"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "--set", "http.workers=2"), WS_EXIT_USAGE, "another program's");
    cr_assert_eq(PARSE(&p, "x", "--set", "index.acces=mmap"), WS_EXIT_USAGE, "nobody's");
    cr_assert_eq(PARSE(&p, "x", "--set", "index.access"), WS_EXIT_USAGE);
    cr_assert_eq(PARSE(&p, "x", "--set", "=1"), WS_EXIT_USAGE);
}

Test(cli, sizes)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"17", 17},
                {"1K", 1024},
                {"512M", 512u << 20},
                {"2g", 2ull << 30},
                {"3T", 3ull << 40},
                {"10KB", 10240},
                {"5B", 5},
                {"18446744073709551615", UINT64_MAX},
                {"16777215T", 16777215ull << 40}};
    static const char *const bad[] = {
        "", "K", "B", "1KK", "-1", "1.5M", " 1", "1 ", "16777216T", "0x10", "18446744073709551616"};
    uint64_t bytes;
    for (size_t i = 0; i < WS_ARRAY_LEN(good); i++) {
        cr_assert(ws_cli_size(good[i].text, &bytes), "%s", good[i].text);
        cr_assert_eq(bytes, good[i].bytes, "%s", good[i].text);
    }
    for (size_t i = 0; i < WS_ARRAY_LEN(bad); i++)
        cr_assert_not(ws_cli_size(bad[i], &bytes), "%s", bad[i]);
}

Test(cli, exit_codes_by_status)
{
    cr_assert_eq(ws_cli_exit(WS_OK), 0);
    cr_assert_eq(ws_cli_exit(WS_FALLBACK), 0);
    cr_assert_eq(ws_cli_exit(WS_ERR_SYNTAX), 2);
    cr_assert_eq(ws_cli_exit(WS_ERR_SCHEMA), 2);
    cr_assert_eq(ws_cli_exit(WS_ERR_LOCKED), 3);
    cr_assert_eq(ws_cli_exit(WS_ERR_NOT_FOUND), 3);
    cr_assert_eq(ws_cli_exit(WS_ERR_FSYNC_FAILED), 3);
    cr_assert_eq(ws_cli_exit(WS_ERR_NOMEM), 3);
    cr_assert_eq(ws_cli_exit(WS_ERR_CORRUPT), 4);
    cr_assert_eq(ws_cli_exit(WS_ERR_ANALYSIS), 5);
    cr_assert_eq(ws_cli_exit(WS_ERR_VERSION), 5);
    cr_assert_eq(ws_cli_exit(WS_ERR_CANCELLED), 6);
}

Test(cli, text_cannot_drive_a_terminal)
{
    char printed[64];
    FILE *out = fmemopen(printed, sizeof printed, "w");
    cr_assert_not_null(out);
    /* ESC, BEL, newline, DEL, U+009B (another ESC [); 한 (U+D55C) stays */
    ws_cli_print_safe(out, WS_STR("a\033[1m\a\n\177\xC2\x9B"
                                  "b\xED\x95\x9C"));
    fclose(out);
    cr_assert_str_eq(printed, "a [1m    b\xED\x95\x9C");
}

Test(cli, the_nearest_name_is_offered)
{
    static const char *const names[] = {"import", "search", "stats"};
    char hint[64];
    ws_cli_suggest(hint, sizeof hint, "serch", names, 3);
    cr_assert_str_eq(hint, "; did you mean search?");
    ws_cli_suggest(hint, sizeof hint, "xyzzy", names, 3);
    cr_assert_str_eq(hint, "");
}
