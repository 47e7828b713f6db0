#include "server/options.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"
#include "wikisearch/index.h"

typedef enum {
    FLAG_HELP,
    FLAG_VERSION,
    FLAG_JSON,
    FLAG_QUIET,
    FLAG_SET,
    FLAG_INDEX,
    FLAG_LISTEN,
    FLAG_CONFIG,
    FLAG_STATE,
    FLAG_EFFECTIVE,
    FLAG_LEVEL
} flag;

/* clang-format off */
static const struct {
    const char *name, *short_name, *argument, *help;
    flag flag;
} flags[] = {
    {"--help", "-h", NULL, "this text", FLAG_HELP},
    {"--version", NULL, NULL, "version and build", FLAG_VERSION},
    {"--json", NULL, NULL, "results as JSON on standard output", FLAG_JSON},
    {"--quiet", "-q", NULL, "warnings and errors only", FLAG_QUIET},
    {"--index", "-i", "DIR", "the index (default $WIKISEARCH_INDEX, else ./index)", FLAG_INDEX},
    {"--listen", NULL, "ADDRESS", "127.0.0.1:8080 (default), [::1]:0, unix:PATH", FLAG_LISTEN},
    {"--config", NULL, "FILE", "configuration file of key = value lines", FLAG_CONFIG},
    {"--set", NULL, "KEY=VALUE", "sets one key; see `wikisearchd config`", FLAG_SET},
    {"--state", NULL, "DIR", "reserved for live documents", FLAG_STATE},
    {"--effective", NULL, NULL, "config: values and where they come from", FLAG_EFFECTIVE},
    {"--level", NULL, "LEVEL", "check: quick, normal (default) or deep", FLAG_LEVEL},
};
/* clang-format on */

static const char *const verbs[] = {"serve", "config", "check"};

void ws_options_write_help(ws_buf *out)
{
    ws_buf_cstr(out, "usage: wikisearchd [serve|config|check] [flags]\n\n"
                     "  serve   answer HTTP requests (default)\n"
                     "  config  print the configuration and exit\n"
                     "  check   examine the index: exit 0 fine, 1 damaged, 3 can't tell\n\n");
    for (size_t i = 0; i < WS_ARRAY_LEN(flags); i++) {
        char left[64];
        ws_buf_printf(out, "  ");
        size_t before = out->len;
        ws_buf_printf(out, "%s%s%s%s%s", flags[i].short_name ? flags[i].short_name : "",
                      flags[i].short_name ? ", " : "", flags[i].name, flags[i].argument ? " " : "",
                      flags[i].argument ? flags[i].argument : "");
        size_t width = out->len - before;
        memset(left, ' ', sizeof left);
        ws_buf_append(out, left, width < 22 ? 24 - width : 2);
        ws_buf_printf(out, "%s\n", flags[i].help);
    }
    ws_buf_cstr(out, "\nKeys (--set KEY=VALUE, WIKISEARCH_KEY_NAME in the environment, or the "
                     "file):\n");
    for (int i = 0; i < WS_KEYS; i++) {
        if (!ws_config_is_reserved((ws_key)i))
            ws_buf_printf(out, "  %-26s %s\n", ws_config_name((ws_key)i),
                          ws_config_help((ws_key)i));
    }
}

static ws_status read_verb(ws_options *options, const char *text, ws_error *error)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(verbs); i++) {
        if (strcmp(text, verbs[i]) == 0) {
            options->verb = (ws_verb)i;
            return WS_OK;
        }
    }
    int nearest = ws_str_nearest(ws_cstr(text), verbs, WS_ARRAY_LEN(verbs));
    if (nearest >= 0)
        return ws_error_set(error, WS_ERR_ARG, "unknown command \"%.64s\"; did you mean \"%s\"?",
                            text, verbs[nearest]);
    return ws_error_set(error, WS_ERR_ARG, "unknown command \"%.64s\"", text);
}

static ws_status read_level(ws_options *options, const char *text, ws_error *error)
{
    static const char *const levels[] = {"quick", "normal", "deep"};
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(text, levels[i]) == 0) {
            options->level = i; /* as WS_CHECK_* are numbered */
            return WS_OK;
        }
    }
    return ws_error_set(error, WS_ERR_ARG, "--level must be quick, normal or deep");
}

static ws_status read_set(ws_config *config, const char *text, ws_error *error)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL)
        return ws_error_set(error, WS_ERR_ARG, "--set needs KEY=VALUE");
    return ws_config_set(config, ws_str_make(text, (size_t)(equals - text)), ws_cstr(equals + 1),
                         WS_SOURCE_FLAG, 0, error);
}

static ws_status set_key(ws_config *config, ws_key key, const char *value, ws_error *error)
{
    return ws_config_set(config, ws_cstr(ws_config_name(key)), ws_cstr(value), WS_SOURCE_FLAG, 0,
                         error);
}

static ws_status apply(ws_options *options, ws_config *config, const char **file, flag which,
                       const char *value, ws_error *error)
{
    switch (which) {
    case FLAG_HELP:
        options->help = 1;
        break;
    case FLAG_VERSION:
        options->version = 1;
        break;
    case FLAG_JSON:
        options->json = 1;
        break;
    case FLAG_QUIET:
        options->quiet = 1;
        break;
    case FLAG_SET:
        return read_set(config, value, error);
    case FLAG_INDEX:
        return set_key(config, WS_KEY_INDEX_DIR, value, error);
    case FLAG_LISTEN:
        return set_key(config, WS_KEY_HTTP_LISTEN, value, error);
    case FLAG_CONFIG:
        *file = value;
        break;
    case FLAG_STATE:
        return ws_error_set(error, WS_ERR_ARG, "--state is reserved and can't be set yet");
    case FLAG_EFFECTIVE:
        break; /* what `config` prints anyway */
    case FLAG_LEVEL:
        return read_level(options, value, error);
    }
    return WS_OK;
}

static ws_status unknown_flag(const char *text, size_t len, ws_error *error)
{
    const char *names[WS_ARRAY_LEN(flags)];
    for (size_t i = 0; i < WS_ARRAY_LEN(flags); i++)
        names[i] = flags[i].name;
    int nearest = ws_str_nearest(ws_str_make(text, len), names, WS_ARRAY_LEN(flags));
    int shown = (int)WS_MIN(len, (size_t)64);
    if (nearest >= 0)
        return ws_error_set(error, WS_ERR_ARG, "unknown flag %.*s; did you mean %s?", shown, text,
                            names[nearest]);
    return ws_error_set(error, WS_ERR_ARG, "unknown flag %.*s", shown, text);
}

static int find_flag(const char *text, size_t len)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(flags); i++) {
        const char *s = flags[i].short_name;
        if ((strlen(flags[i].name) == len && memcmp(flags[i].name, text, len) == 0) ||
            (s && strlen(s) == len && memcmp(s, text, len) == 0))
            return (int)i;
    }
    return -1;
}

/* Reads argv[*at], and the one after it when the flag takes a value. */
static ws_status read_flag(ws_options *options, ws_config *config, const char **file, int argc,
                           char *const *argv, int *at, ws_error *error)
{
    const char *text = argv[*at], *value = NULL;
    const char *equals = text[1] == '-' ? strchr(text, '=') : NULL;
    size_t len = equals ? (size_t)(equals - text) : strlen(text);
    int i = find_flag(text, len);
    if (i < 0)
        return unknown_flag(text, len, error);
    if (flags[i].argument) {
        value = equals ? equals + 1 : *at + 1 < argc ? argv[++*at] : NULL;
        if (value == NULL)
            return ws_error_set(error, WS_ERR_ARG, "%s needs %s", flags[i].name, flags[i].argument);
    } else if (equals) {
        return ws_error_set(error, WS_ERR_ARG, "%s takes no value", flags[i].name);
    }
    return apply(options, config, file, flags[i].flag, value, error);
}

ws_status ws_options_read(ws_options *options, ws_config *config, int argc, char *const *argv,
                          char *const *environment, ws_error *error)
{
    const char *file = NULL;
    int have_verb = 0;
    *options = (ws_options){.verb = WS_VERB_SERVE, .level = WS_CHECK_NORMAL};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1] != 0) {
            WS_TRY(read_flag(options, config, &file, argc, argv, &i, error));
        } else if (!have_verb) {
            WS_TRY(read_verb(options, argv[i], error));
            have_verb = 1;
        } else {
            return ws_error_set(error, WS_ERR_ARG, "unexpected argument \"%.64s\"", argv[i]);
        }
    }
    if (options->help || options->version)
        return WS_OK;
    WS_TRY(ws_config_read_environment(config, environment, error));
    return file ? ws_config_read_file(config, file, error) : WS_OK;
}
