/* What the verbs of `wikisearch` share: options, messages, exit codes. Data goes to stdout,
 * messages to stderr. [1]. */
#ifndef WS_INDEXER_CLI_H
#define WS_INDEXER_CLI_H

#include <stdio.h>

#include "wikisearch/wikisearch.h"

/* Exit codes. */
#define WS_EXIT_OK          0
#define WS_EXIT_FINDING     1 /* check found damage; get, delete, inspect: there is no such thing */
#define WS_EXIT_USAGE       2
#define WS_EXIT_IO          3 /* I/O, locked, no index, out of memory: cannot tell */
#define WS_EXIT_CORRUPT     4
#define WS_EXIT_MISMATCH    5 /* version or analysis */
#define WS_EXIT_INTERRUPTED 6 /* can be resumed */

typedef enum {
    WS_CLI_FLAG,   /* target: int, set to 1 */
    WS_CLI_TEXT,   /* target: const char * */
    WS_CLI_NUMBER, /* target: uint64_t; low and high bound it */
    WS_CLI_SIZE,   /* target: uint64_t; 512M, 64K, 1G, plain bytes */
    WS_CLI_CHOICE  /* target: uint32_t, index of the word in `choices` */
} ws_cli_kind;

typedef struct {
    const char *name; /* without the dashes */
    char letter;      /* 0 = none */
    ws_cli_kind kind;
    void *target;
    const char *argument; /* for the help: "DIR"; NULL for flags */
    const char *help;
    const char *choices; /* "or|and" */
    uint64_t low, high;  /* NUMBER; high 0 = no bound */
} ws_cli_option;

#define WS_CLI_SETTINGS_MAX 16u

/* Options of every verb. */
typedef struct {
    const char *index; /* never NULL */
    int json, quiet;
    const char *settings[WS_CLI_SETTINGS_MAX]; /* KEY=VALUE */
    uint32_t n_settings;
} ws_cli_common;

typedef struct {
    const char *verb, *arguments, *summary; /* "search", "QUERY...", what it does */
    const ws_cli_option *options;
    uint32_t n_options;
    uint32_t min_arguments, max_arguments; /* positional ones */
    const char *settings; /* --set keys that mean something to the verb, "a|b"; NULL = none */
} ws_cli_verb;

#define WS_CLI_GO_ON (-1)

/* Parses argv[1..] of a verb (argv[0] is the verb).
 *   arguments  out: the positional ones in order, strings of argv; room for max_arguments, or for
 *              argc when that is less
 * Returns WS_CLI_GO_ON, or the exit code: help was printed to stdout, or a usage message to
 * stderr. */
int ws_cli_parse(const ws_cli_verb *verb, int argc, char **argv, ws_cli_common *common,
                 const char **arguments, uint32_t *n_arguments);

/* Value of a setting given with --set, NULL when it was not. */
const char *ws_cli_setting(const ws_cli_common *common, const char *key);

/* Parses "512M". 1 when it is a size. */
int ws_cli_size(const char *text, uint64_t *bytes);

/* Exit code that a status means. */
int ws_cli_exit(ws_status status);

/* Prints "wikisearch: PATH: MESSAGE (byte OFFSET)" to stderr; returns the exit code. */
int ws_cli_fail(const ws_error *error);

/* Prints "wikisearch: ..." to stderr; returns WS_EXIT_USAGE. */
int ws_cli_usage(const char *format, ...) WS_PRINTF(1, 2);

/* Prints "wikisearch: ..." to stderr unless --quiet. */
void ws_cli_note(const ws_cli_common *common, const char *format, ...) WS_PRINTF(2, 3);

/* Says that an older generation had to be taken; error: of the call that gave WS_FALLBACK. */
void ws_cli_note_fallback(const ws_cli_common *common, const ws_error *error);

/* Opens the index of --index; says so when an older generation had to be taken. */
ws_status ws_cli_open(ws_index **index, const ws_cli_common *common, ws_error *error);

/* Ends a verb: flushes stdout; a failed write turns `code` into WS_EXIT_IO. */
int ws_cli_finish(int code);

/* Prints to `out` with control characters replaced, so that no document can drive a terminal. */
void ws_cli_print_safe(FILE *out, ws_str text);

/* 1 when `out` is a terminal and NO_COLOR is not set. */
int ws_cli_colour(FILE *out);

/* Names the nearest of names[n] to `word` after ": ", or nothing: for "unknown verb X". */
void ws_cli_suggest(char *out, size_t cap, const char *word, const char *const *names, size_t n);

#endif
