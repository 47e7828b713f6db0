/* Counters and histograms of the daemon, and their text form (Prometheus 0.0.4). Names are
 * normative: docs/http-api.md.
 *
 * All of it belongs to the I/O thread: a worker's times come with its finished job. Nothing here
 * locks. */
#ifndef WS_SERVER_METRICS_H
#define WS_SERVER_METRICS_H

#include "base/buf.h"
#include "base/histogram.h"
#include "server/pool.h"
#include "server/process.h"
#include "wikisearch/index.h"

typedef enum {
    WS_ROUTE_SEARCH,
    WS_ROUTE_DOC,
    WS_ROUTE_UI,
    WS_ROUTE_OTHER,
    WS_ROUTE_LABELS
} ws_route_label;

/* Sum of the document frequencies of a query's words, as a share of the documents: below 0.1 %,
 * below 1 %, more. */
typedef enum { WS_CLASS_RARE, WS_CLASS_MEDIUM, WS_CLASS_HIGH, WS_CLASS_OTHER, WS_CLASSES } ws_class;

typedef enum {
    WS_PHASE_PARSE,
    WS_PHASE_SCORE,
    WS_PHASE_FETCH,
    WS_PHASE_SERIALISE,
    WS_PHASES
} ws_phase;

typedef enum { WS_SHED_FULL, WS_SHED_BUDGET, WS_SHED_DEADLINE, WS_SHED_REASONS } ws_shed_reason;

#define WS_METRIC_CODES    24u /* status codes counted apart */
#define WS_METRIC_WARNINGS 16u /* warning codes counted apart */

typedef struct {
    uint64_t requests[WS_ROUTE_LABELS][WS_METRIC_CODES];
    uint64_t parse_errors[WS_METRIC_CODES];
    ws_histogram duration[WS_ROUTE_LABELS]; /* ns, from the end of the head to the answer handed to
                                               the kernel */
    ws_histogram phase[WS_PHASES];
    ws_histogram wait[WS_LANES];
    ws_histogram query_terms;
    uint64_t shed[WS_LANES][WS_SHED_REASONS];
    uint64_t searches[WS_CLASSES];
    uint64_t worker_cpu_ns[WS_CLASSES];
    uint64_t cancelled; /* requests whose client left before the answer */
    uint64_t query_timeouts;
    uint64_t postings, blocks, fetch_bytes;
    uint64_t accepted, refused_connections;
    uint64_t refresh_errors;
    struct {
        char code[32];
        uint64_t count;
    } warnings[WS_METRIC_WARNINGS];
    uint32_t n_warnings;
} ws_metrics;

/* What is read at the moment of a scrape. */
typedef struct {
    ws_pool_stats pool;
    ws_process_stats process;
    ws_index_stats_data index;
    uint64_t io_cpu_ns;
    uint32_t connections_idle, connections_active, connections_max;
} ws_gauges;

void ws_metrics_init(ws_metrics *metrics);

void ws_metrics_request(ws_metrics *metrics, ws_route_label route, unsigned status, uint64_t ns);
void ws_metrics_parse_error(ws_metrics *metrics, unsigned status);
void ws_metrics_warning(ws_metrics *metrics, ws_str code);

const char *ws_class_name(ws_class c); /* "rare"; static */

/* Class of a query from its document frequencies. */
ws_class ws_class_of(uint64_t document_frequency, uint64_t n_docs);

/* Appends the whole exposition. About 250 lines. */
void ws_metrics_write(const ws_metrics *metrics, const ws_gauges *gauges, ws_buf *out);

#endif
