#include "server/config.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "server/config_keys.h"
#include "server/listen.h"
#include "server/options.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

static ws_config config;
static ws_error error;

static void set_up(void)
{
    ws_config_init(&config);
    memset(&error, 0, sizeof error);
}

static void tear_down(void)
{
    ws_config_fini(&config);
}

static ws_status set(const char *key, const char *value, ws_config_source source)
{
    return ws_config_set(&config, ws_cstr(key), ws_cstr(value), source, 0, &error);
}

Test(config, defaults_are_valid_values, .init = set_up, .fini = tear_down)
{
    for (int i = 0; i < WS_KEYS; i++) {
        const ws_key_row *row = &ws_key_rows[i];
        cr_assert_not_null(row->name, "key %d", i);
        cr_assert_not_null(row->help, "%s", row->name);
        if (row->flags & WS_KEY_RESERVED)
            continue;
        uint64_t number = ws_config_number(&config, (ws_key)i);
        cr_assert_eq(set(row->name, row->fallback, WS_SOURCE_FLAG), WS_OK, "%s: %s", row->name,
                     error.message);
        cr_assert_eq(ws_config_number(&config, (ws_key)i), number, "%s", row->name);
    }
}

Test(config, holds_the_keys_of_the_interface, .init = set_up, .fini = tear_down)
{
    static const char *const names[] = {
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
    for (size_t i = 0; i < WS_ARRAY_LEN(names); i++) {
        int found = 0;
        for (int k = 0; k < WS_KEYS; k++)
            found += strcmp(ws_config_name((ws_key)k), names[i]) == 0;
        cr_expect_eq(found, 1, "%s", names[i]);
    }
}

Test(config, reserved_keys_cannot_be_set, .init = set_up, .fini = tear_down)
{
    cr_assert_eq(set("search.pruning", "on", WS_SOURCE_FLAG), WS_ERR_ARG);
    cr_assert_not_null(strstr(error.message, "reserved"));
    cr_assert_eq(set("search.facets", "off", WS_SOURCE_FILE), WS_ERR_ARG);
    cr_assert_eq(set("cache.ttl", "", WS_SOURCE_ENV), WS_ERR_ARG);
}

Test(config, unknown_keys_name_the_nearest, .init = set_up, .fini = tear_down)
{
    cr_assert_eq(set("http.worker", "1", WS_SOURCE_FLAG), WS_ERR_ARG);
    cr_assert_not_null(strstr(error.message, "\"http.workers\""), "%s", error.message);
    cr_assert_eq(set("zzz", "1", WS_SOURCE_FLAG), WS_ERR_ARG);
    cr_assert_null(strstr(error.message, "did you mean"));
}

Test(config, refuses_bad_values, .init = set_up, .fini = tear_down)
{
    static const char *const rows[][2] = {
        {"http.workers", "two"},
        {"http.workers", "-1"},
        {"http.workers", ""},
        {"http.workers", "1025"},
        {"http.backlog", "0"},
        {"front.mode", "Split"},
        {"http.queue_policy", ""},
        {"auth.key", "short"},
        {"auth.key", "has a space in it all"},
        {"log.access", "a\nb"},
        {"http.listen", "\xFF"},
        {"auth.key", "0123456789\xEA\xB0\x80 0123"},
        {"index.refresh_ms", "1s"},
        {"http.workers", "99999999999999999999999"},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        cr_expect_eq(set(rows[i][0], rows[i][1], WS_SOURCE_FLAG), WS_ERR_RANGE, "%s=%s", rows[i][0],
                     rows[i][1]);
        cr_expect_not_null(strstr(error.message, rows[i][0]), "%s", error.message);
    }
}

/* --- precedence, against the rule: the strongest source wins, of one source the last (a file: an
 * error) --- */

Test(config, strongest_source_wins_in_any_order)
{
    ws_rng rng = ws_rng_seeded(5);
    for (int round = 0; round < 500; round++) {
        uint64_t wanted = 0;
        int strongest = WS_SOURCE_DEFAULT, file_set = 0;
        ws_config_init(&config);
        for (int i = 0; i < 6; i++) {
            char value[24];
            int source = (int)ws_rng_between(&rng, WS_SOURCE_FILE, WS_SOURCE_FLAG);
            uint64_t number = ws_rng_between(&rng, 1, 1000);
            snprintf(value, sizeof value, "%llu", (unsigned long long)number);
            ws_status status = set("http.workers", value, (ws_config_source)source);
            int twice = source == WS_SOURCE_FILE && file_set && strongest == WS_SOURCE_FILE;
            cr_assert_eq(status, twice ? WS_ERR_ARG : WS_OK, "seed %llu",
                         (unsigned long long)rng.seed);
            if (status == WS_OK && source >= strongest) {
                strongest = source;
                wanted = number;
            }
            file_set |= source == WS_SOURCE_FILE;
        }
        cr_assert_eq(ws_config_number(&config, WS_KEY_HTTP_WORKERS), wanted, "seed %llu",
                     (unsigned long long)rng.seed);
        cr_assert_eq(config.settings[WS_KEY_HTTP_WORKERS].source, strongest);
        ws_config_fini(&config);
    }
}

/* --- file --- */

static ws_status read_text(const char *text)
{
    return ws_config_read_text(&config, ws_cstr(text), "wikisearchd.conf", &error);
}

Test(config, reads_a_file, .init = set_up, .fini = tear_down)
{
    cr_assert_eq(read_text("# comment\n\n  http.workers = 3 \r\nlog.access=/var/log/a b.log\n"
                           "\t# another\nauth.key = 0123456789abcdef#=x\nhttp.queue=9"),
                 WS_OK, "%s", error.message);
    cr_assert_eq(ws_config_number(&config, WS_KEY_HTTP_WORKERS), 3);
    cr_assert_eq(config.settings[WS_KEY_HTTP_WORKERS].line, 3);
    cr_assert_str_eq(ws_config_text(&config, WS_KEY_LOG_ACCESS), "/var/log/a b.log");
    cr_assert_str_eq(ws_config_text(&config, WS_KEY_AUTH_KEY), "0123456789abcdef#=x");
    cr_assert_eq(ws_config_number(&config, WS_KEY_HTTP_QUEUE), 9);
}

Test(config, file_errors_name_the_line, .init = set_up, .fini = tear_down)
{
    static const struct {
        const char *text;
        ws_status status;
        uint64_t line;
    } rows[] = {
        {"http.workers = 1\nhttp.workers = 2\n", WS_ERR_ARG, 2},
        {"\n\nhttp.workers\n", WS_ERR_SYNTAX, 3},
        {"= 3\n", WS_ERR_ARG, 1},
        {"http.workers = 1 # one\n", WS_ERR_RANGE, 1},
        {"search.pruning = on\n", WS_ERR_ARG, 1},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_config_fini(&config);
        cr_expect_eq(read_text(rows[i].text), rows[i].status, "%s", rows[i].text);
        cr_expect_eq(error.offset, rows[i].line, "%s", rows[i].text);
        cr_expect_str_eq(error.path, "wikisearchd.conf");
    }
}

/* --- environment --- */

Test(config, reads_the_environment, .init = set_up, .fini = tear_down)
{
    char *environment[] = {"PATH=/bin",
                           "WIKISEARCH_HTTP_QUEUE_POLICY=unbounded",
                           "WIKISEARCH_INDEX=/data/index",
                           "WIKISEARCH_SHARED_DATA=/somewhere",
                           "WIKISEARCHD_BIN=x",
                           "WIKISEARCH",
                           NULL};
    cr_assert_eq(ws_config_read_environment(&config, environment, &error), WS_OK, "%s",
                 error.message);
    cr_assert_eq(ws_config_number(&config, WS_KEY_HTTP_QUEUE_POLICY), WS_QUEUE_UNBOUNDED);
    cr_assert_str_eq(ws_config_text(&config, WS_KEY_INDEX_DIR), "/data/index");
    cr_assert_eq(config.settings[WS_KEY_INDEX_DIR].source, WS_SOURCE_ENV);
}

Test(config, environment_errors, .init = set_up, .fini = tear_down)
{
    char *typo[] = {"WIKISEARCH_HTTP_WORKER=2", NULL};
    char *value[] = {"WIKISEARCH_HTTP_WORKERS=many", NULL};
    char *reserved[] = {"WIKISEARCH_CACHE_TTL=5", NULL};
    cr_assert_eq(ws_config_read_environment(&config, typo, &error), WS_ERR_ARG);
    cr_assert_not_null(strstr(error.message, "WIKISEARCH_HTTP_WORKERS"), "%s", error.message);
    cr_assert_eq(ws_config_read_environment(&config, value, &error), WS_ERR_RANGE);
    cr_assert_not_null(strstr(error.message, "WIKISEARCH_HTTP_WORKERS"), "%s", error.message);
    cr_assert_eq(ws_config_read_environment(&config, reserved, &error), WS_ERR_ARG);
}

/* --- telling --- */

static json_t *shown(void)
{
    ws_buf out;
    ws_buf_init(&out);
    ws_config_write(&config, &out, NULL, NULL);
    json_t *root = json_loadb((const char *)out.data, out.len, 0, NULL);
    ws_buf_u8(&out, 0);
    cr_assert_null(strstr((const char *)out.data, "secret-secret"));
    ws_buf_fini(&out);
    cr_assert_eq(json_array_size(root), WS_KEYS);
    return root;
}

static const char *member(const json_t *root, ws_key key, const char *name)
{
    return json_string_value(json_object_get(json_array_get(root, key), name));
}

Test(config, tells_values_and_sources_but_no_secrets, .init = set_up, .fini = tear_down)
{
    cr_assert_eq(read_text("auth.key = secret-secret-secret\nhttp.listen = 127.0.0.1:1\n"), WS_OK);
    cr_assert_eq(set("front.mode", "inline", WS_SOURCE_FLAG), WS_OK);
    json_t *root = shown();
    cr_assert_str_eq(member(root, WS_KEY_AUTH_KEY, "value"), "(set)");
    cr_assert_str_eq(member(root, WS_KEY_AUTH_ADMIN_KEY, "value"), "");
    cr_assert_str_eq(member(root, WS_KEY_HTTP_LISTEN, "source"), "file");
    cr_assert_str_eq(member(root, WS_KEY_HTTP_LISTEN, "where"), "wikisearchd.conf:2");
    cr_assert_str_eq(member(root, WS_KEY_FRONT_MODE, "value"), "inline");
    cr_assert_str_eq(member(root, WS_KEY_FRONT_MODE, "source"), "flag");
    cr_assert_str_eq(member(root, WS_KEY_CACHE_TTL, "effective"), "unsupported");
    cr_assert_str_eq(member(root, WS_KEY_HTTP_BACKLOG, "source"), "default");
    json_decref(root);
}

Test(config, hash_follows_behaviour, .init = set_up, .fini = tear_down)
{
    uint32_t before = ws_config_hash(&config);
    set("auth.key", "0123456789abcdef", WS_SOURCE_FLAG);
    set("http.listen", "127.0.0.1:1", WS_SOURCE_FLAG);
    set("log.access", "-", WS_SOURCE_FLAG);
    set("admission.budget_ms", "0400", WS_SOURCE_FLAG);
    cr_assert_eq(ws_config_hash(&config), before);
    set("http.workers", "7", WS_SOURCE_FLAG);
    cr_assert_neq(ws_config_hash(&config), before);
}

/* --- command line --- */

static ws_status read_options(ws_options *options, int argc, char **argv)
{
    char *environment[] = {"WIKISEARCH_HTTP_WORKERS=5", NULL};
    tear_down();
    return ws_options_read(options, &config, argc, argv, environment, &error);
}

Test(config, reads_the_command_line, .init = set_up, .fini = tear_down)
{
    ws_options o;
    char *plain[] = {"wikisearchd", "-i", "/x", "--listen=[::1]:0", "--set", "http.queue=3", "-q"};
    cr_assert_eq(read_options(&o, 7, plain), WS_OK, "%s", error.message);
    cr_assert_eq(o.verb, WS_VERB_SERVE);
    cr_assert(o.quiet);
    cr_assert_str_eq(ws_config_text(&config, WS_KEY_INDEX_DIR), "/x");
    cr_assert_str_eq(ws_config_text(&config, WS_KEY_HTTP_LISTEN), "[::1]:0");
    cr_assert_eq(ws_config_number(&config, WS_KEY_HTTP_QUEUE), 3);
    cr_assert_eq(ws_config_number(&config, WS_KEY_HTTP_WORKERS), 5);
    char *check[] = {"wikisearchd", "check", "--level", "deep", "--json"};
    cr_assert_eq(read_options(&o, 5, check), WS_OK, "%s", error.message);
    cr_assert_eq(o.verb, WS_VERB_CHECK);
    cr_assert_eq(o.level, 2);
    cr_assert(o.json);
}

Test(config, refuses_bad_command_lines, .init = set_up, .fini = tear_down)
{
    static char *rows[][4] = {
        {"wikisearchd", "--indx", "a", "--index"},
        {"wikisearchd", "serv", NULL, "\"serve\""},
        {"wikisearchd", "--index", NULL, "DIR"},
        {"wikisearchd", "serve", "config", "config"},
        {"wikisearchd", "--set", "a", "KEY=VALUE"},
        {"wikisearchd", "--json=1", NULL, "no value"},
        {"wikisearchd", "--state", "a", "reserved"},
        {"wikisearchd", "--level", "x", "quick"},
        {"wikisearchd", "--set", "http.worker=1", "http.workers"},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_options o;
        cr_expect_lt(read_options(&o, rows[i][2] ? 3 : 2, rows[i]), 0, "row %zu", i);
        cr_expect_not_null(strstr(error.message, rows[i][3]), "row %zu: %s", i, error.message);
    }
}

/* --- addresses --- */

Test(config, listen_addresses)
{
    static const struct {
        const char *text;
        int ok, loopback, is_unix;
    } rows[] = {
        {"127.0.0.1:8080", 1, 1, 0},
        {"127.9.9.9:0", 1, 1, 0},
        {"localhost:1", 1, 1, 0},
        {"[::1]:8080", 1, 1, 0},
        {"0.0.0.0:80", 1, 0, 0},
        {"[::]:80", 1, 0, 0},
        {"10.1.2.3:80", 1, 0, 0},
        {"unix:/tmp/x", 1, 1, 1},
        {"[::ffff:127.0.0.1]:1", 1, 1, 0},
        {"unix:", 0, 0, 0},
        {":8080", 0, 0, 0},
        {"8080", 0, 0, 0},
        {"127.0.0.1", 0, 0, 0},
        {"127.0.0.1:", 0, 0, 0},
        {"127.0.0.1:65536", 0, 0, 0},
        {"::1:80", 0, 0, 0},
        {"[127.0.0.1]:80", 0, 0, 0},
        {"example.org:80", 0, 0, 0},
        {"127.0.0.1:-1", 0, 0, 0},
        {"", 0, 0, 0},
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_listen listen;
        ws_status status = ws_listen_parse(&listen, rows[i].text, &error);
        cr_expect_eq(status, rows[i].ok ? WS_OK : WS_ERR_SYNTAX, "%s", rows[i].text);
        if (status == WS_OK) {
            cr_expect_eq(listen.is_loopback, rows[i].loopback, "%s", rows[i].text);
            cr_expect_eq(listen.is_unix, rows[i].is_unix, "%s", rows[i].text);
        }
    }
}
