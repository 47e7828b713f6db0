#include "server/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/support/test.h"

static ws_metrics *metrics;
static ws_gauges gauges;

static void set_up(void)
{
    metrics = ws_calloc(1, sizeof *metrics);
    ws_metrics_init(metrics);
    memset(&gauges, 0, sizeof gauges);
}

static void tear_down(void)
{
    ws_free(metrics);
}

/* NUL-terminated exposition; free with ws_free. */
static char *exposition(void)
{
    ws_buf out;
    ws_buf_init(&out);
    ws_metrics_write(metrics, &gauges, &out);
    ws_buf_u8(&out, 0);
    cr_assert_eq(ws_buf_status(&out), WS_OK);
    return (char *)out.data;
}

/* Value of a sample, or -1. */
static double sample(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, name, n) == 0 && line[n] == ' ')
            return strtod(line + n, NULL);
    }
    return -1;
}

static void expect_sample(const char *name, double value)
{
    char *text = exposition();
    cr_expect_float_eq(sample(text, name), value, 1e-9, "%s is %g", name, sample(text, name));
    ws_free(text);
}

Test(metrics, counts_requests, .init = set_up, .fini = tear_down)
{
    ws_metrics_request(metrics, WS_ROUTE_SEARCH, 200, 3000000);
    ws_metrics_request(metrics, WS_ROUTE_SEARCH, 200, 30000000);
    ws_metrics_request(metrics, WS_ROUTE_SEARCH, 503, 1000);
    ws_metrics_request(metrics, WS_ROUTE_DOC, 418, 1000);
    expect_sample("wikisearch_http_requests_total{route=\"search\",code=\"200\"}", 2);
    expect_sample("wikisearch_http_requests_total{route=\"search\",code=\"503\"}", 1);
    expect_sample("wikisearch_http_requests_total{route=\"doc\",code=\"0\"}", 1);
    expect_sample("wikisearch_http_requests_total{route=\"ui\",code=\"200\"}", 0);
    expect_sample("wikisearch_http_request_duration_seconds_count{route=\"search\"}", 3);
    expect_sample("wikisearch_http_request_duration_seconds_sum{route=\"search\"}", 0.033001);
}

Test(metrics, histogram_is_cumulative, .init = set_up, .fini = tear_down)
{
    static const uint64_t values_us[] = {50, 200, 2000, 90000, 140000, 700000, 9000000};
    for (size_t i = 0; i < 7; i++)
        ws_metrics_request(metrics, WS_ROUTE_OTHER, 200, values_us[i] * 1000);
#define BUCKET(le) "wikisearch_http_request_duration_seconds_bucket{route=\"other\",le=\"" le "\"}"
    expect_sample(BUCKET("0.0001"), 1);
    expect_sample(BUCKET("0.00025"), 2);
    expect_sample(BUCKET("0.0025"), 3);
    expect_sample(BUCKET("0.1"), 4);
    expect_sample(BUCKET("0.15"), 5);
    expect_sample(BUCKET("1"), 6);
    expect_sample(BUCKET("5"), 6);
    expect_sample(BUCKET("+Inf"), 7);
#undef BUCKET
}

Test(metrics, warnings_are_counted_by_code_in_bounded_room, .init = set_up, .fini = tear_down)
{
    char code[40];
    for (int i = 0; i < 100; i++) {
        snprintf(code, sizeof code, "code_%d", i % 30);
        ws_metrics_warning(metrics, ws_cstr(code));
    }
    ws_metrics_warning(metrics, WS_STR("a_code_that_is_much_too_long_to_be_one_of_ours"));
    cr_assert_eq(metrics->n_warnings, WS_METRIC_WARNINGS);
    expect_sample("wikisearch_warnings_total{code=\"code_0\"}", 4);
    expect_sample("wikisearch_warnings_total{code=\"code_15\"}", 3);
    expect_sample("wikisearch_warnings_total{code=\"code_29\"}", -1);
}

Test(metrics, gauges_are_shown, .init = set_up, .fini = tear_down)
{
    gauges.pool.queued[WS_LANE_HEAVY] = 7;
    gauges.pool.workers_alive = 2;
    gauges.pool.busy_ns = 1500000000;
    gauges.connections_idle = 3;
    gauges.index.n_docs = 12345678;
    gauges.index.generation = 42;
    gauges.io_cpu_ns = 250000000;
    metrics->shed[WS_LANE_LIGHT][WS_SHED_BUDGET] = 5;
    metrics->cancelled = 9;
    expect_sample("wikisearch_queue_depth{class=\"heavy\"}", 7);
    expect_sample("wikisearch_workers", 2);
    expect_sample("wikisearch_worker_busy_seconds_total", 1.5);
    expect_sample("wikisearch_connections{state=\"idle\"}", 3);
    expect_sample("wikisearch_index_documents", 12345678);
    expect_sample("wikisearch_index_generation", 42);
    expect_sample("wikisearch_cpu_seconds_total{role=\"io\",class=\"other\"}", 0.25);
    expect_sample("wikisearch_shed_requests_total{class=\"light\",reason=\"budget\"}", 5);
    expect_sample("wikisearch_cancelled_requests_total", 9);
}

Test(metrics, classes_by_share_of_documents)
{
    cr_assert_eq(ws_class_of(0, 10000), WS_CLASS_RARE);
    cr_assert_eq(ws_class_of(9, 10000), WS_CLASS_RARE);
    cr_assert_eq(ws_class_of(10, 10000), WS_CLASS_MEDIUM);
    cr_assert_eq(ws_class_of(99, 10000), WS_CLASS_MEDIUM);
    cr_assert_eq(ws_class_of(100, 10000), WS_CLASS_HIGH);
    cr_assert_eq(ws_class_of(50000, 10000), WS_CLASS_HIGH);
}

/* --- the format: every family has help and type once, before its samples, and all its samples
 * together --- */

static int is_metric_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The family a sample belongs to: histograms lose their suffix. */
static size_t family_length(const char *line, const char *type)
{
    static const char *const suffixes[] = {"_bucket", "_sum", "_count"};
    size_t n = 0;
    while (is_metric_char(line[n]))
        n++;
    for (int i = 0; strcmp(type, "histogram") == 0 && i < 3; i++) {
        size_t m = strlen(suffixes[i]);
        if (n > m && strncmp(line + n - m, suffixes[i], m) == 0)
            return n - m;
    }
    return n;
}

Test(metrics, exposition_is_well_formed, .init = set_up, .fini = tear_down)
{
    char *text = exposition();
    char family[128] = "", type[32] = "";
    static char seen[200][128];
    int n_seen = 0, n_samples = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "# HELP ", 7) == 0) {
            cr_assert_eq(sscanf(line, "# HELP %127s", family), 1);
            for (int i = 0; i < n_seen; i++)
                cr_assert_str_neq(family, seen[i]);
            strcpy(seen[n_seen++], family);
            type[0] = 0;
        } else if (strncmp(line, "# TYPE ", 7) == 0) {
            char name[128];
            cr_assert_eq(sscanf(line, "# TYPE %127s %31s", name, type), 2);
            cr_assert_str_eq(name, family);
            int counter = strcmp(type, "counter") == 0;
            size_t n = strlen(family);
            cr_assert_eq(counter, strcmp(family + n - 6, "_total") == 0, "%s", family);
        } else {
            cr_assert_eq(family_length(line, type), strlen(family), "%s", line);
            cr_assert_eq(strncmp(line, family, strlen(family)), 0, "%s", line);
            cr_assert_not_null(strrchr(line, ' '));
            n_samples++;
        }
    }
    cr_assert_gt(n_samples, 150);
    ws_free(text);
}
