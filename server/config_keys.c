#include "server/config_keys.h"

#define TEXT(name, flags, fallback, help)                                                          \
 {                                                                                                 \
  name, WS_KEY_TYPE_TEXT, flags, fallback, 0, 0, {NULL}, help                                      \
 }
#define NUMBER(name, fallback, min, max, help)                                                     \
 {                                                                                                 \
  name, WS_KEY_TYPE_NUMBER, 0, fallback, min, max, {NULL}, help                                    \
 }
#define CHOICE(name, first, second, help)                                                          \
 {                                                                                                 \
  name, WS_KEY_TYPE_CHOICE, 0, first, 0, 0, {first, second, NULL}, help                            \
 }
#define RESERVED(name)                                                                             \
 {                                                                                                 \
  name, WS_KEY_TYPE_TEXT, WS_KEY_RESERVED, "", 0, 0, {NULL}, "reserved"                            \
 }
#define MINUTES_10 600000

const ws_key_row ws_key_rows[WS_KEYS] = {
    [WS_KEY_INDEX_DIR] = TEXT("index.dir", WS_KEY_QUIET, "./index", "directory of the index"),
    [WS_KEY_INDEX_ACCESS] =
        CHOICE("index.access", "mmap", "read", "map segment files, or copy them into memory"),
    [WS_KEY_INDEX_REFRESH_MS] = NUMBER("index.refresh_ms", "1000", 0, MINUTES_10,
                                       "how often a new generation is looked for; 0 = never"),
    [WS_KEY_HTTP_LISTEN] =
        TEXT("http.listen", WS_KEY_QUIET, "127.0.0.1:8080", "ADDRESS:PORT, or unix:PATH"),
    [WS_KEY_HTTP_WORKERS] =
        NUMBER("http.workers", "0", 0, 1024, "threads that run queries; 0 = one per core"),
    [WS_KEY_HTTP_QUEUE] = NUMBER("http.queue", "0", 0, 1000000,
                                 "requests that may wait for a worker; 0 = 64 per worker"),
    [WS_KEY_HTTP_QUEUE_POLICY] = CHOICE("http.queue_policy", "shed", "unbounded",
                                        "unbounded accepts everything: the bad mode"),
    [WS_KEY_HTTP_BACKLOG] = NUMBER("http.backlog", "1024", 1, 65535,
                                   "connections the kernel may hold before they are accepted"),
    [WS_KEY_HTTP_MAX_CONNECTIONS] =
        NUMBER("http.max_connections", "8192", 1, 1000000, "beyond it 503 and close"),
    [WS_KEY_HTTP_HEAD_TIMEOUT_MS] = NUMBER("http.head_timeout_ms", "5000", 10, MINUTES_10,
                                           "from the first byte of a head to its end"),
    [WS_KEY_HTTP_BODY_TIMEOUT_MS] = NUMBER("http.body_timeout_ms", "30000", 10, MINUTES_10,
                                           "from the end of a head to the end of its body"),
    [WS_KEY_HTTP_IDLE_TIMEOUT_MS] =
        NUMBER("http.idle_timeout_ms", "75000", 10, MINUTES_10, "a connection without a request"),
    [WS_KEY_HTTP_WRITE_TIMEOUT_MS] = NUMBER("http.write_timeout_ms", "10000", 10, MINUTES_10,
                                            "a client that takes none of its answer"),
    [WS_KEY_HTTP_DRAIN_TIMEOUT_MS] = NUMBER("http.drain_timeout_ms", "10000", 0, MINUTES_10,
                                            "for requests in flight after SIGTERM"),
    [WS_KEY_FRONT_MODE] = CHOICE("front.mode", "split", "inline",
                                 "inline runs queries on the I/O thread: the bad mode"),
    [WS_KEY_ADMISSION_BUDGET_MS] = NUMBER("admission.budget_ms", "400", 1, MINUTES_10,
                                          "longest predicted wait for a worker; beyond it 503"),
    [WS_KEY_SEARCH_TIMEOUT_MS] =
        NUMBER("search.timeout_ms", "1000", 1, 60000, "for a search that doesn't say timeout_ms"),
    [WS_KEY_HIGHLIGHT_MODE] =
        CHOICE("highlight.mode", "window", "full", "full analyses whole texts: the bad mode"),
    [WS_KEY_LIMIT_BODY_BYTES] =
        NUMBER("limit.body_bytes", "1048576", 1024, 67108864, "largest request body"),
    [WS_KEY_LIMIT_QUERY_CODE_POINTS] = NUMBER("limit.query_code_points", "1024", 1, 16384,
                                              "longer queries are clipped, with a warning"),
    [WS_KEY_LIMIT_QUERY_TERMS] =
        NUMBER("limit.query_terms", "64", 1, 1024, "further words are left out, with a warning"),
    [WS_KEY_LIMIT_RESULT_WINDOW] =
        NUMBER("limit.result_window", "10000", 100, 1000000, "largest offset + limit"),
    [WS_KEY_LOG_ACCESS] = TEXT("log.access", WS_KEY_QUIET, "",
                               "file of the access log; - = standard error; empty = none"),
    [WS_KEY_LOG_FILE] = TEXT("log.file", WS_KEY_QUIET, "",
                             "file of messages and slow requests; empty = standard error"),
    [WS_KEY_LOG_SLOW_MS] = NUMBER("log.slow_ms", "0", 0, MINUTES_10,
                                  "requests at least this slow are logged; 0 = none"),
    [WS_KEY_AUTH_KEY] = TEXT("auth.key", WS_KEY_QUIET | WS_KEY_SECRET, "",
                             "key that clients must send; empty = none"),
    [WS_KEY_AUTH_ADMIN_KEY] = TEXT("auth.admin_key", WS_KEY_QUIET | WS_KEY_SECRET, "",
                                   "key for /v1/config; empty = loopback only"),
    [WS_KEY_SEARCH_PRUNING] = RESERVED("search.pruning"),
    [WS_KEY_SEARCH_FACETS] = RESERVED("search.facets"),
    [WS_KEY_CACHE_BODIES_BYTES] = RESERVED("cache.bodies_bytes"),
    [WS_KEY_CACHE_RESULTS_BYTES] = RESERVED("cache.results_bytes"),
    [WS_KEY_CACHE_TTL] = RESERVED("cache.ttl"),
    [WS_KEY_CACHE_INVALIDATE] = RESERVED("cache.invalidate"),
    [WS_KEY_ANALYZER_KO] = RESERVED("analyzer.ko"),
    [WS_KEY_INDEX_MEMORY] = RESERVED("index.memory"),
    [WS_KEY_INDEX_ASYNC_WORKERS] = RESERVED("index.async.workers"),
    [WS_KEY_INDEX_ASYNC_QUEUE] = RESERVED("index.async.queue"),
    [WS_KEY_INDEX_ASYNC_POLICY] = RESERVED("index.async.policy"),
    [WS_KEY_MEM_LIMIT] = RESERVED("mem.limit"),
};
