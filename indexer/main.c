/* wikisearch: the command line. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "indexer/cli.h"
#include "indexer/verbs.h"

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} verb;

static const verb verbs[] = {
    {"import", ws_cmd_import, "read documents from files into an index"},
    {"search", ws_cmd_search, "find documents"},
    {"analyze", ws_cmd_analyze, "show the tokens of a text"},
    {"get", ws_cmd_get, "print a stored document"},
    {"put", ws_cmd_put, "add or replace documents, one JSON object a line"},
    {"delete", ws_cmd_delete, "delete documents by id"},
    {"stats", ws_cmd_stats, "counts, segments, bytes by section"},
    {"inspect", ws_cmd_inspect, "one term, document or segment in detail"},
    {"check", ws_cmd_check, "look for damage"},
    {"merge", ws_cmd_merge, "merge segments"},
    {"suggest", ws_cmd_suggest, "complete what was typed"},
    {"trie", ws_cmd_trie, "build or dump a suggest file"},
    {"cache-replay", ws_cmd_cache_replay, "hit ratios of a cache over an access trace"},
};

static int help(FILE *out)
{
    fprintf(out, "usage: wikisearch VERB [options] [arguments]\n\n");
    for (size_t i = 0; i < WS_ARRAY_LEN(verbs); i++)
        fprintf(out, "  %-13s %s\n", verbs[i].name, verbs[i].summary);
    fprintf(out,
            "\nwikisearch VERB --help describes a verb. Exit codes: 0 fine, 1 a finding, 2 usage,\n"
            "3 I/O or locked, 4 corrupt, 5 version or analysis mismatch, 6 interrupted.\n");
    return out == stdout ? ws_cli_finish(WS_EXIT_OK) : WS_EXIT_USAGE;
}

static int unknown(const char *word)
{
    const char *names[WS_ARRAY_LEN(verbs)];
    char hint[96];
    for (size_t i = 0; i < WS_ARRAY_LEN(verbs); i++)
        names[i] = verbs[i].name;
    ws_cli_suggest(hint, sizeof hint, word, names, WS_ARRAY_LEN(verbs));
    if (word[0] == '-')
        return ws_cli_usage("the verb comes first (see wikisearch --help)");
    return ws_cli_usage("there is no verb %s%s", word, hint);
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    signal(SIGXFSZ, SIG_IGN); /* a file at its limit is an error of its write */
    if (!word)
        return help(stderr);
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
        return help(stdout);
    if (!strcmp(word, "--version")) {
        printf("wikisearch %s\n", ws_build_info());
        return ws_cli_finish(WS_EXIT_OK);
    }
    for (size_t i = 0; i < WS_ARRAY_LEN(verbs); i++)
        if (!strcmp(verbs[i].name, word))
            return verbs[i].run(argc - 1, argv + 1);
    return unknown(word);
}
