/* Parsing the options of a verb. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "indexer/cli.h"

#define OPTIONS_MAX 40u

/* Keys of the configuration table that all programs share; the ones a verb does not know are
 * refused. */
static const char *const setting_keys[] = {
    "http.listen",         "http.workers",
    "http.queue",          "http.queue_policy",
    "http.backlog",        "http.max_connections",
    "front.mode",          "admission.budget_ms",
    "search.pruning",      "search.facets",
    "highlight.mode",      "cache.bodies_bytes",
    "cache.results_bytes", "cache.ttl",
    "cache.invalidate",    "analyzer.ko",
    "index.memory",        "index.access",
    "index.refresh_ms",    "index.async.workers",
    "index.async.queue",   "index.async.policy",
    "mem.limit",           "log.access",
    "log.slow_ms",         "auth.key",
    "auth.admin_key",
};

typedef struct {
    const ws_cli_verb *verb;
    ws_cli_common *common;
    ws_cli_option options[OPTIONS_MAX]; /* the verb's and the common ones */
    uint32_t n_options;
    const char *setting; /* of --set */
    int help, version;
    int argc;
    char **argv;
    int at;
} parser;

/* --- help --- */

static void print_option(const ws_cli_option *o)
{
    char left[64];
    snprintf(left, sizeof left, "%c%c%s --%s%s%s", o->letter ? '-' : ' ',
             o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    printf("  %-30s %s\n", left, o->help);
}

static int print_help(const parser *p)
{
    printf("usage: wikisearch %s [options]%s%s\n\n%s\n\noptions:\n", p->verb->verb,
           p->verb->arguments[0] ? " " : "", p->verb->arguments, p->verb->summary);
    for (uint32_t i = 0; i < p->n_options; i++)
        print_option(&p->options[i]);
    return ws_cli_finish(WS_EXIT_OK);
}

/* --- values --- */

/* Index of `word` in "a|b|c", -1. */
static int choice_index(const char *choices, const char *word)
{
    size_t n = strlen(word);
    for (int i = 0;; i++) {
        size_t here = strcspn(choices, "|");
        if (here == n && !memcmp(choices, word, n))
            return i;
        if (!choices[here])
            return -1;
        choices += here + 1;
    }
}

static int set_choice(const parser *p, const ws_cli_option *o, const char *value)
{
    int i = choice_index(o->choices, value);
    if (i < 0)
        return ws_cli_usage("%s: --%s takes %s, not %s", p->verb->verb, o->name, o->choices, value);
    *(uint32_t *)o->target = (uint32_t)i;
    return WS_CLI_GO_ON;
}

static int set_number(const parser *p, const ws_cli_option *o, const char *value)
{
    uint64_t number;
    uint64_t high = o->high ? o->high : UINT64_MAX;
    int ok = o->kind == WS_CLI_SIZE ? ws_cli_size(value, &number)
                                    : ws_str_to_u64(ws_cstr(value), &number);
    if (!ok)
        return ws_cli_usage("%s: --%s takes a %s, not %s", p->verb->verb, o->name,
                            o->kind == WS_CLI_SIZE ? "size such as 512M" : "number", value);
    if (number < o->low || number > high)
        return ws_cli_usage("%s: --%s must be from %llu to %llu", p->verb->verb, o->name,
                            (unsigned long long)o->low, (unsigned long long)high);
    *(uint64_t *)o->target = number;
    return WS_CLI_GO_ON;
}

static int add_setting(parser *p, const char *value)
{
    char key[64], hint[96];
    size_t n = strcspn(value, "=");
    if (!value[n] || n == 0 || n >= sizeof key)
        return ws_cli_usage("--set takes KEY=VALUE, not %s", value);
    memcpy(key, value, n);
    key[n] = 0;
    if (p->verb->settings && choice_index(p->verb->settings, key) >= 0) {
        if (p->common->n_settings == WS_CLI_SETTINGS_MAX)
            return ws_cli_usage("too many --set");
        p->common->settings[p->common->n_settings++] = value;
        return WS_CLI_GO_ON;
    }
    for (size_t i = 0; i < WS_ARRAY_LEN(setting_keys); i++)
        if (!strcmp(setting_keys[i], key))
            return ws_cli_usage("--set %s has no meaning for %s", key, p->verb->verb);
    ws_cli_suggest(hint, sizeof hint, key, setting_keys, WS_ARRAY_LEN(setting_keys));
    return ws_cli_usage("--set: there is no key %s%s", key, hint);
}

static int apply(parser *p, const ws_cli_option *o, const char *value)
{
    switch (o->kind) {
    case WS_CLI_FLAG:
        *(int *)o->target = 1;
        return WS_CLI_GO_ON;
    case WS_CLI_TEXT:
        *(const char **)o->target = value;
        return o->target == &p->setting ? add_setting(p, value) : WS_CLI_GO_ON;
    case WS_CLI_CHOICE:
        return set_choice(p, o, value);
    default:
        return set_number(p, o, value);
    }
}

/* --- words --- */

static const ws_cli_option *find_name(const parser *p, const char *name, size_t n)
{
    for (uint32_t i = 0; i < p->n_options; i++)
        if (strlen(p->options[i].name) == n && !memcmp(p->options[i].name, name, n))
            return &p->options[i];
    return NULL;
}

static const ws_cli_option *find_letter(const parser *p, char letter)
{
    for (uint32_t i = 0; i < p->n_options; i++)
        if (p->options[i].letter == letter)
            return &p->options[i];
    return NULL;
}

static int unknown_option(const parser *p, const char *word)
{
    const char *names[OPTIONS_MAX];
    char name[64], hint[96];
    size_t n = strcspn(word + 2, "=");
    snprintf(name, sizeof name, "%.*s", (int)(n < 60 ? n : 60), word + 2);
    for (uint32_t i = 0; i < p->n_options; i++)
        names[i] = p->options[i].name;
    int nearest = ws_str_nearest(ws_cstr(name), names, p->n_options);
    hint[0] = 0;
    if (nearest >= 0)
        snprintf(hint, sizeof hint, "; did you mean --%s?", names[nearest]);
    return ws_cli_usage("%s: unknown option --%s%s", p->verb->verb, name, hint);
}

/* The value after an option, attached or in the next word. */
static int with_value(parser *p, const ws_cli_option *o, const char *attached)
{
    if (o->kind == WS_CLI_FLAG)
        return attached ? ws_cli_usage("%s: --%s takes no value", p->verb->verb, o->name)
                        : apply(p, o, NULL);
    if (!attached && p->at + 1 >= p->argc)
        return ws_cli_usage("%s: --%s needs a value: %s", p->verb->verb, o->name, o->argument);
    return apply(p, o, attached ? attached : p->argv[++p->at]);
}

static int long_option(parser *p, const char *word)
{
    size_t n = strcspn(word + 2, "=");
    const ws_cli_option *o = find_name(p, word + 2, n);
    if (!o)
        return unknown_option(p, word);
    return with_value(p, o, word[2 + n] ? word + 3 + n : NULL);
}

static int short_option(parser *p, const char *word)
{
    const ws_cli_option *o = find_letter(p, word[1]);
    if (!o)
        return ws_cli_usage("%s: unknown option -%c (a query that begins with - goes behind --)",
                            p->verb->verb, word[1]);
    return with_value(p, o, word[2] ? word + 2 : NULL);
}

/* Too many are counted, not kept. */
static void keep_argument(const parser *p, const char *word, const char **arguments, uint32_t *n)
{
    if (*n < p->verb->max_arguments)
        arguments[*n] = word;
    (*n)++;
}

static int words(parser *p, const char **arguments, uint32_t *n_arguments)
{
    int only_arguments = 0;
    for (p->at = 1; p->at < p->argc; p->at++) {
        const char *word = p->argv[p->at];
        int result = WS_CLI_GO_ON;
        if (only_arguments || word[0] != '-' || !word[1])
            keep_argument(p, word, arguments, n_arguments);
        else if (!strcmp(word, "--"))
            only_arguments = 1;
        else
            result = word[1] == '-' ? long_option(p, word) : short_option(p, word);
        if (result != WS_CLI_GO_ON)
            return result;
    }
    return WS_CLI_GO_ON;
}

/* --- the whole --- */

static void gather_options(parser *p)
{
    const ws_cli_option common[] = {
        {"index", 'i', WS_CLI_TEXT, &p->common->index, "DIR",
         "index directory (default: $WIKISEARCH_INDEX, else ./index)", NULL, 0, 0},
        {"json", 0, WS_CLI_FLAG, &p->common->json, NULL, "one JSON object, or one a line", NULL, 0,
         0},
        {"quiet", 'q', WS_CLI_FLAG, &p->common->quiet, NULL, "no progress, no notes", NULL, 0, 0},
        {"set", 0, WS_CLI_TEXT, &p->setting, "KEY=VALUE", "a setting, where it has a meaning", NULL,
         0, 0},
        {"help", 'h', WS_CLI_FLAG, &p->help, NULL, "this text", NULL, 0, 0},
        {"version", 0, WS_CLI_FLAG, &p->version, NULL, "version of program and library", NULL, 0,
         0},
    };
    uint32_t n = p->verb->n_options;
    if (n)
        memcpy(p->options, p->verb->options, n * sizeof *p->options);
    memcpy(p->options + n, common, sizeof common);
    p->n_options = n + (uint32_t)WS_ARRAY_LEN(common);
}

static void set_defaults(ws_cli_common *common)
{
    const char *index = getenv("WIKISEARCH_INDEX");
    memset(common, 0, sizeof *common);
    common->index = index && *index ? index : "index";
}

static int check_arguments(const ws_cli_verb *verb, uint32_t n)
{
    if (n < verb->min_arguments)
        return ws_cli_usage("%s needs %s (see wikisearch %s --help)", verb->verb, verb->arguments,
                            verb->verb);
    if (n > verb->max_arguments)
        return ws_cli_usage("%s: too many arguments (see wikisearch %s --help)", verb->verb,
                            verb->verb);
    return WS_CLI_GO_ON;
}

static int check_settings(const ws_cli_common *common)
{
    uint64_t bytes;
    const char *access = ws_cli_setting(common, "index.access");
    const char *memory = ws_cli_setting(common, "index.memory");
    if (access && strcmp(access, "mmap") && strcmp(access, "read"))
        return ws_cli_usage("--set index.access takes mmap or read, not %s", access);
    if (memory && !ws_cli_size(memory, &bytes))
        return ws_cli_usage("--set index.memory takes a size such as 512M, not %s", memory);
    return WS_CLI_GO_ON;
}

int ws_cli_parse(const ws_cli_verb *verb, int argc, char **argv, ws_cli_common *common,
                 const char **arguments, uint32_t *n_arguments)
{
    parser p = {.verb = verb, .common = common, .argc = argc, .argv = argv};
    *n_arguments = 0;
    set_defaults(common);
    gather_options(&p);
    int result = words(&p, arguments, n_arguments);
    if (result != WS_CLI_GO_ON)
        return result;
    if (p.help)
        return print_help(&p);
    if (p.version) {
        printf("wikisearch %s\n", ws_build_info());
        return ws_cli_finish(WS_EXIT_OK);
    }
    result = check_arguments(verb, *n_arguments);
    return result == WS_CLI_GO_ON ? check_settings(common) : result;
}

const char *ws_cli_setting(const ws_cli_common *common, const char *key)
{
    size_t n = strlen(key);
    for (uint32_t i = common->n_settings; i-- > 0;)
        if (!strncmp(common->settings[i], key, n) && common->settings[i][n] == '=')
            return common->settings[i] + n + 1;
    return NULL;
}
