/* wikisearchd: the search library behind HTTP. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "server/options.h"
#include "server/server.h"
#include "wikisearch/wikisearch.h"

/* Exit codes shared by the programs. */
enum { EXIT_FINE, EXIT_FINDING, EXIT_USAGE, EXIT_IO, EXIT_CORRUPT, EXIT_VERSION };

extern char **environ;

static int exit_code(ws_status status)
{
    if (status >= 0)
        return EXIT_FINE;
    if (status > -200)
        return EXIT_USAGE;
    if (status == WS_ERR_CORRUPT)
        return EXIT_CORRUPT;
    return status == WS_ERR_VERSION || status == WS_ERR_ANALYSIS ? EXIT_VERSION : EXIT_IO;
}

static int complain(ws_status status, const ws_error *error)
{
    fprintf(stderr, "wikisearchd: %s%s", error->path, error->path[0] ? ": " : "");
    if (error->path[0] && error->offset && status > -300)
        fprintf(stderr, "line %llu: ", (unsigned long long)error->offset);
    fprintf(stderr, "%s\n", error->message[0] ? error->message : ws_status_text(status));
    return exit_code(status);
}

static int print_buf(ws_buf *out)
{
    int ok = ws_buf_status(out) >= 0 && fwrite(out->data, 1, out->len, stdout) == out->len &&
             fflush(stdout) == 0;
    ws_buf_fini(out);
    return ok ? EXIT_FINE : EXIT_IO;
}

static int print_help(void)
{
    ws_buf out;
    ws_buf_init(&out);
    ws_options_write_help(&out);
    return print_buf(&out);
}

static int print_version(int json)
{
    ws_buf out;
    ws_json j;
    ws_buf_init(&out);
    ws_json_init(&j, &out);
    if (json) {
        ws_json_object(&j);
        ws_json_kcstr(&j, "version", ws_version());
        ws_json_kcstr(&j, "build", ws_build_info());
        ws_json_end_object(&j);
        ws_buf_cstr(&out, "\n");
    } else {
        ws_buf_printf(&out, "wikisearchd %s\n%s\n", ws_version(), ws_build_info());
    }
    return print_buf(&out);
}

/* --- config --- */

static void print_key(const ws_config *config, ws_key key, ws_buf *out)
{
    static const char *const sources[] = {"default", "file", "environment", "flag"};
    const ws_setting *setting = &config->settings[key];
    const char *value = ws_config_text(config, key);
    int secret = (key == WS_KEY_AUTH_KEY || key == WS_KEY_AUTH_ADMIN_KEY) && value[0];
    if (ws_config_is_reserved(key)) {
        ws_buf_printf(out, "# %s: reserved, unsupported\n", ws_config_name(key));
        return;
    }
    ws_buf_printf(out, "# %s; %s", ws_config_help(key), sources[setting->source]);
    if (setting->source == WS_SOURCE_FILE)
        ws_buf_printf(out, " %s:%u", config->file, (unsigned)setting->line);
    if (secret)
        ws_buf_printf(out, "; set, not shown\n# %s =\n", ws_config_name(key));
    else
        ws_buf_printf(out, "\n%s = %s\n", ws_config_name(key), value);
}

static int print_config(const ws_config *config, int json)
{
    ws_buf out;
    ws_buf_init(&out);
    if (json) {
        ws_buf_cstr(&out, "{\"config\":");
        ws_config_write(config, &out, NULL, NULL);
        ws_buf_cstr(&out, "}\n");
    } else {
        for (int i = 0; i < WS_KEYS; i++)
            print_key(config, (ws_key)i, &out);
    }
    return print_buf(&out);
}

/* --- check --- */

typedef struct {
    int json, quiet;
    uint64_t good, bad;
} checking;

static void print_item(void *ctx, const ws_check_item *item)
{
    checking *c = ctx;
    ws_buf out;
    ws_json j;
    int ok = item->status == WS_OK;
    c->good += ok ? 1 : 0;
    c->bad += ok ? 0 : 1;
    if (ok && c->quiet)
        return;
    ws_buf_init(&out);
    ws_json_init(&j, &out);
    if (c->json) {
        ws_json_object(&j);
        ws_json_kcstr(&j, "path", item->path);
        ws_json_kcstr(&j, "section", item->section);
        ws_json_kbool(&j, "ok", ok);
        ws_json_ku64(&j, "offset", item->offset);
        ws_json_kcstr(&j, "message", item->message);
        ws_json_end_object(&j);
        ws_buf_cstr(&out, "\n");
    } else {
        ws_buf_printf(&out, "%s  %s  %s%s%s\n", ok ? "ok " : "BAD", item->path, item->section,
                      ok ? "" : ": ", ok ? "" : item->message);
    }
    print_buf(&out);
}

static int check(const ws_config *config, const ws_options *options)
{
    ws_error error = {.code = WS_OK};
    checking c = {options->json, options->quiet, 0, 0};
    ws_status status = ws_check(ws_config_text(config, WS_KEY_INDEX_DIR), options->level,
                                print_item, &c, NULL, &error);
    if (status >= 0) {
        if (!options->json && !options->quiet)
            printf("%llu sections, all good\n", (unsigned long long)c.good);
        return EXIT_FINE;
    }
    if (status == WS_ERR_CORRUPT) {
        fprintf(stderr, "wikisearchd: %llu of %llu sections are damaged\n",
                (unsigned long long)c.bad, (unsigned long long)(c.good + c.bad));
        return EXIT_FINDING;
    }
    complain(status, &error);
    return EXIT_IO;
}

/* --- serve --- */

/* A segment file was cut while it was mapped: nothing can be trusted any more. Async-signal-safe
 * calls only. */
static void on_bus_error(int signal)
{
    static const char text[] = "wikisearchd: SIGBUS: a file of the index was truncated while it "
                               "was in use, or the disk failed\n";
    (void)signal;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(EXIT_CORRUPT); /* nowhere to say it */
    _exit(EXIT_CORRUPT);
}

static void set_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL); /* a file at its limit is an error of its write */
    action.sa_handler = on_bus_error;
    sigaction(SIGBUS, &action, NULL);
}

static void warn_secrets(const ws_config *config)
{
    static const ws_key secrets[] = {WS_KEY_AUTH_KEY, WS_KEY_AUTH_ADMIN_KEY};
    for (size_t i = 0; i < 2; i++) {
        if (config->settings[secrets[i]].source == WS_SOURCE_FLAG)
            fprintf(stderr,
                    "wikisearchd: warning: %s on the command line can be read by every user of "
                    "this machine; use the configuration file or the environment\n",
                    ws_config_name(secrets[i]));
    }
}

static void announce(const ws_server *server)
{
    ws_buf out;
    ws_json j;
    ws_buf_init(&out);
    ws_json_init(&j, &out);
    ws_json_object(&j);
    ws_json_kcstr(&j, "listening", server->bound);
    ws_json_ku64(&j, "generation", server->view->generation);
    ws_json_ku64(&j, "documents", server->view->stats.n_docs);
    ws_json_end_object(&j);
    ws_buf_cstr(&out, "\n");
    print_buf(&out);
}

static int serve(ws_config *config, const ws_options *options)
{
    ws_error error = {.code = WS_OK};
    ws_server *server = ws_calloc(1, sizeof *server);
    if (server == NULL)
        return complain(WS_ERR_NOMEM, &error);
    warn_secrets(config);
    set_signals();
    ws_status status = ws_server_open(server, config, options->quiet, &error);
    if (status >= 0) {
        if (options->json)
            announce(server);
        ws_server_run(server);
        ws_server_close(server);
    }
    ws_free(server);
    if (status == WS_ERR_NOT_FOUND)
        fprintf(stderr, "wikisearchd: no index there; make one with: wikisearch import FILE\n");
    return status < 0 ? complain(status, &error) : EXIT_FINE;
}

static int run(const ws_options *options, ws_config *config)
{
    if (options->help)
        return print_help();
    if (options->version)
        return print_version(options->json);
    switch (options->verb) {
    case WS_VERB_CONFIG:
        return print_config(config, options->json);
    case WS_VERB_CHECK:
        return check(config, options);
    case WS_VERB_SERVE:
        break;
    }
    return serve(config, options);
}

int main(int argc, char **argv)
{
    ws_options options;
    ws_config config;
    ws_error error = {.code = WS_OK};
    ws_config_init(&config);
    ws_status status = ws_options_read(&options, &config, argc, argv, environ, &error);
    int code = status < 0 ? complain(status, &error) : run(&options, &config);
    if (status < 0 && exit_code(status) == EXIT_USAGE)
        fprintf(stderr, "try: wikisearchd --help\n");
    ws_config_fini(&config);
    return code;
}
