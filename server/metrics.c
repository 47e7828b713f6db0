#include "server/metrics.h"

#include "base/bytes.h"
#include "base/str.h"
#include "wikisearch/version.h"

/* Codes that a request can end with; the last one counts the rest. */
static const uint16_t codes[] = {200, 204, 304, 400, 401, 403, 404, 405, 408, 413,
                                 414, 415, 417, 431, 499, 500, 501, 503, 505, 0};
_Static_assert(WS_ARRAY_LEN(codes) <= WS_METRIC_CODES, "codes");

static size_t code_index(unsigned status)
{
    size_t i = 0;
    while (codes[i] && codes[i] != status)
        i++;
    return i;
}

void ws_metrics_init(ws_metrics *metrics)
{
    memset(metrics, 0, sizeof *metrics);
    for (int i = 0; i < WS_ROUTE_LABELS; i++)
        ws_histogram_init(&metrics->duration[i]);
    for (int i = 0; i < WS_PHASES; i++)
        ws_histogram_init(&metrics->phase[i]);
    for (int i = 0; i < WS_LANES; i++)
        ws_histogram_init(&metrics->wait[i]);
    ws_histogram_init(&metrics->query_terms);
}

void ws_metrics_request(ws_metrics *metrics, ws_route_label route, unsigned status, uint64_t ns)
{
    metrics->requests[route][code_index(status)]++;
    ws_histogram_record(&metrics->duration[route], ns);
}

void ws_metrics_parse_error(ws_metrics *metrics, unsigned status)
{
    metrics->parse_errors[code_index(status)]++;
}

void ws_metrics_warning(ws_metrics *metrics, ws_str code)
{
    uint32_t i = 0;
    while (i < metrics->n_warnings && !ws_str_eq(code, ws_cstr(metrics->warnings[i].code)))
        i++;
    if (i == metrics->n_warnings) {
        if (i == WS_METRIC_WARNINGS || code.len >= sizeof metrics->warnings[i].code)
            return;
        memcpy(metrics->warnings[i].code, code.ptr, code.len);
        metrics->n_warnings++;
    }
    metrics->warnings[i].count++;
}

const char *ws_class_name(ws_class c)
{
    static const char *const names[WS_CLASSES] = {"rare", "medium", "high", "other"};
    return names[c];
}

ws_class ws_class_of(uint64_t document_frequency, uint64_t n_docs)
{
    if (document_frequency * 1000 < n_docs)
        return WS_CLASS_RARE;
    return document_frequency * 100 < n_docs ? WS_CLASS_MEDIUM : WS_CLASS_HIGH;
}

/* --- text form --- */

static void family(ws_buf *out, const char *name, const char *type, const char *help)
{
    ws_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void single(ws_buf *out, const char *name, const char *type, const char *help, double value)
{
    family(out, name, type, help);
    ws_buf_printf(out, "%s %.15g\n", name, value);
}

static double seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

/* Upper bounds in seconds; they hold the service-level edges of the documentation. */
static const double bounds[] = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                0.1,    0.15,    0.2,    0.3,   0.5,    1,     1.5,  2.5,   5};

static void histogram(ws_buf *out, const char *name, const char *label, const char *value,
                      const ws_histogram *h)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(bounds); i++)
        ws_buf_printf(out, "%s_bucket{%s=\"%s\",le=\"%g\"} %llu\n", name, label, value, bounds[i],
                      (unsigned long long)ws_histogram_count_le(h, (uint64_t)(bounds[i] * 1e9)));
    ws_buf_printf(out, "%s_bucket{%s=\"%s\",le=\"+Inf\"} %llu\n", name, label, value,
                  (unsigned long long)h->count);
    ws_buf_printf(out, "%s_sum{%s=\"%s\"} %.15g\n", name, label, value, seconds(h->sum));
    ws_buf_printf(out, "%s_count{%s=\"%s\"} %llu\n", name, label, value,
                  (unsigned long long)h->count);
}

static void write_requests(const ws_metrics *m, ws_buf *out)
{
    static const char *const routes[WS_ROUTE_LABELS] = {"search", "doc", "ui", "other"};
    const char *name = "wikisearch_http_requests_total";
    family(out, name, "counter", "Requests answered.");
    for (int r = 0; r < WS_ROUTE_LABELS; r++) {
        for (size_t c = 0; c < WS_ARRAY_LEN(codes); c++) {
            if (m->requests[r][c] || codes[c] == 200)
                ws_buf_printf(out, "%s{route=\"%s\",code=\"%u\"} %llu\n", name, routes[r], codes[c],
                              (unsigned long long)m->requests[r][c]);
        }
    }
    name = "wikisearch_http_parse_errors_total";
    family(out, name, "counter", "Requests refused before they reached a route.");
    for (size_t c = 0; c < WS_ARRAY_LEN(codes); c++) {
        if (m->parse_errors[c] || codes[c] == 400)
            ws_buf_printf(out, "%s{code=\"%u\"} %llu\n", name, codes[c],
                          (unsigned long long)m->parse_errors[c]);
    }
    name = "wikisearch_http_request_duration_seconds";
    family(out, name, "histogram", "From the end of the head to the answer given to the kernel.");
    for (int r = 0; r < WS_ROUTE_LABELS; r++)
        histogram(out, name, "route", routes[r], &m->duration[r]);
}

static void write_phases(const ws_metrics *m, ws_buf *out)
{
    static const char *const phases[WS_PHASES] = {"parse", "score", "fetch", "serialise"};
    const char *name = "wikisearch_search_phase_seconds";
    family(out, name, "histogram", "Parts of a search.");
    for (int i = 0; i < WS_PHASES; i++)
        histogram(out, name, "phase", phases[i], &m->phase[i]);
}

static void write_queue(const ws_metrics *m, const ws_gauges *g, ws_buf *out)
{
    static const char *const lanes[WS_LANES] = {"system", "light", "heavy"};
    static const char *const reasons[WS_SHED_REASONS] = {"full", "budget", "deadline"};
    family(out, "wikisearch_queue_wait_seconds", "histogram", "Wait for a worker.");
    for (int i = WS_LANE_LIGHT; i < WS_LANES; i++)
        histogram(out, "wikisearch_queue_wait_seconds", "class", lanes[i], &m->wait[i]);
    family(out, "wikisearch_queue_depth", "gauge", "Requests that wait for a worker.");
    for (int i = WS_LANE_LIGHT; i < WS_LANES; i++)
        ws_buf_printf(out, "wikisearch_queue_depth{class=\"%s\"} %u\n", lanes[i],
                      g->pool.queued[i]);
    family(out, "wikisearch_queue_predicted_wait_seconds", "gauge",
           "Wait predicted for the next request.");
    for (int i = WS_LANE_LIGHT; i < WS_LANES; i++)
        ws_buf_printf(out, "wikisearch_queue_predicted_wait_seconds{class=\"%s\"} %.9g\n", lanes[i],
                      seconds(g->pool.wait_ns[i]));
    family(out, "wikisearch_shed_requests_total", "counter", "Requests refused for load.");
    for (int i = WS_LANE_LIGHT; i < WS_LANES; i++) {
        for (int r = 0; r < WS_SHED_REASONS; r++)
            ws_buf_printf(out, "wikisearch_shed_requests_total{class=\"%s\",reason=\"%s\"} %llu\n",
                          lanes[i], reasons[r], (unsigned long long)m->shed[i][r]);
    }
    single(out, "wikisearch_cancelled_requests_total", "counter",
           "Requests whose client left before the answer.", (double)m->cancelled);
    single(out, "wikisearch_workers", "gauge", "Worker threads alive.", g->pool.workers_alive);
    single(out, "wikisearch_busy_workers", "gauge", "Workers running a request now.",
           g->pool.busy[WS_LANE_LIGHT] + g->pool.busy[WS_LANE_HEAVY]);
    single(out, "wikisearch_worker_busy_seconds_total", "counter", "Time workers ran requests.",
           seconds(g->pool.busy_ns));
}

static void write_connections(const ws_metrics *m, const ws_gauges *g, ws_buf *out)
{
    family(out, "wikisearch_connections", "gauge", "Open connections.");
    ws_buf_printf(out, "wikisearch_connections{state=\"idle\"} %u\n", g->connections_idle);
    ws_buf_printf(out, "wikisearch_connections{state=\"active\"} %u\n", g->connections_active);
    single(out, "wikisearch_connections_max", "gauge", "Connections allowed.", g->connections_max);
    single(out, "wikisearch_connections_accepted_total", "counter", "Connections accepted.",
           (double)m->accepted);
    single(out, "wikisearch_connections_refused_total", "counter",
           "Connections beyond the limit, answered 503.", (double)m->refused_connections);
}

static void write_engine(const ws_metrics *m, const ws_gauges *g, ws_buf *out)
{
    static const unsigned terms[] = {1, 2, 3, 4, 6, 8, 12, 16, 32, 64};
    single(out, "wikisearch_postings_scanned_total", "counter", "Postings decoded.",
           (double)m->postings);
    single(out, "wikisearch_blocks_decoded_total", "counter", "Posting blocks decoded.",
           (double)m->blocks);
    single(out, "wikisearch_fetch_bytes_total", "counter", "Stored bytes decompressed.",
           (double)m->fetch_bytes);
    single(out, "wikisearch_query_timeouts_total", "counter", "Searches that their budget ended.",
           (double)m->query_timeouts);
    family(out, "wikisearch_query_terms", "histogram", "Posting lists of a query.");
    for (size_t i = 0; i < WS_ARRAY_LEN(terms); i++)
        ws_buf_printf(out, "wikisearch_query_terms_bucket{le=\"%u\"} %llu\n", terms[i],
                      (unsigned long long)ws_histogram_count_le(&m->query_terms, terms[i]));
    ws_buf_printf(out, "wikisearch_query_terms_bucket{le=\"+Inf\"} %llu\n",
                  (unsigned long long)m->query_terms.count);
    ws_buf_printf(out, "wikisearch_query_terms_sum %llu\nwikisearch_query_terms_count %llu\n",
                  (unsigned long long)m->query_terms.sum, (unsigned long long)m->query_terms.count);
    family(out, "wikisearch_search_requests_total", "counter", "Searches run, by query class.");
    for (int c = 0; c < WS_CLASS_OTHER; c++)
        ws_buf_printf(out, "wikisearch_search_requests_total{class=\"%s\"} %llu\n",
                      ws_class_name((ws_class)c), (unsigned long long)m->searches[c]);
    family(out, "wikisearch_cpu_seconds_total", "counter", "CPU time by thread role.");
    ws_buf_printf(out, "wikisearch_cpu_seconds_total{role=\"io\",class=\"other\"} %.9g\n",
                  seconds(g->io_cpu_ns));
    for (int c = 0; c < WS_CLASSES; c++)
        ws_buf_printf(out, "wikisearch_cpu_seconds_total{role=\"worker\",class=\"%s\"} %.9g\n",
                      ws_class_name((ws_class)c), seconds(m->worker_cpu_ns[c]));
    family(out, "wikisearch_warnings_total", "counter", "Warnings in answers.");
    for (uint32_t i = 0; i < m->n_warnings; i++)
        ws_buf_printf(out, "wikisearch_warnings_total{code=\"%s\"} %llu\n", m->warnings[i].code,
                      (unsigned long long)m->warnings[i].count);
}

static void write_index(const ws_metrics *m, const ws_gauges *g, ws_buf *out)
{
    const ws_index_stats_data *x = &g->index;
    single(out, "wikisearch_index_documents", "gauge", "Live documents.", (double)x->n_docs);
    single(out, "wikisearch_index_deleted_documents", "gauge",
           "Deleted documents not merged away yet.", (double)x->n_deleted);
    single(out, "wikisearch_index_segments", "gauge", "Segments.", x->n_segments);
    single(out, "wikisearch_index_bytes", "gauge", "Bytes of segment and delete files.",
           (double)x->bytes);
    single(out, "wikisearch_index_generation", "gauge", "Generation served.",
           (double)x->generation);
    single(out, "wikisearch_index_commit_timestamp_seconds", "gauge", "Time of its commit.",
           (double)x->commit_time_s);
    single(out, "wikisearch_index_fallback", "gauge",
           "1: the newest manifest was damaged, the one before it is served.", x->fallback);
    single(out, "wikisearch_index_refresh_errors_total", "counter",
           "Failed looks for a new generation.", (double)m->refresh_errors);
}

/* Label values come from the compiler's text: quotes and backslashes must not end the label. */
static void write_label(ws_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            ws_buf_u8(out, '\\');
        ws_buf_u8(out, *text == '\n' ? ' ' : (uint8_t)*text);
    }
}

static void write_process(const ws_gauges *g, ws_buf *out)
{
    const ws_process_stats *p = &g->process;
    single(out, "process_cpu_seconds_total", "counter", "User and system CPU time.",
           p->cpu_seconds);
    single(out, "process_resident_memory_bytes", "gauge", "Resident memory.",
           (double)p->resident_bytes);
    single(out, "process_open_fds", "gauge", "Open file descriptors.", (double)p->open_fds);
    single(out, "process_max_fds", "gauge", "Most file descriptors allowed.", (double)p->max_fds);
    single(out, "process_start_time_seconds", "gauge", "Start, seconds since 1970.",
           p->start_time_s);
    single(out, "process_major_page_faults_total", "counter", "Page faults that read the disk.",
           (double)p->major_faults);
}

void ws_metrics_write(const ws_metrics *metrics, const ws_gauges *gauges, ws_buf *out)
{
    write_requests(metrics, out);
    write_phases(metrics, out);
    write_queue(metrics, gauges, out);
    write_connections(metrics, gauges, out);
    write_engine(metrics, gauges, out);
    write_index(metrics, gauges, out);
    write_process(gauges, out);
    family(out, "wikisearch_build_info", "gauge", "Constant 1; the labels tell the build.");
    ws_buf_printf(out, "wikisearch_build_info{version=\"%s\",build=\"", ws_version());
    write_label(out, ws_build_info());
    ws_buf_cstr(out, "\"} 1\n");
}
