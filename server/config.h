/* Configuration of the daemon: one table of keys drives flags, environment, file, and GET
 * /v1/config.
 *
 * Precedence: flag over environment over file over default, whatever the order in which they are
 * read. A key that is reserved for a part not built yet can't be set; an unknown key is an error
 * that names the nearest one. [1] until the threads start, read-only after.
 */
#ifndef WS_SERVER_CONFIG_H
#define WS_SERVER_CONFIG_H

#include "base/json.h"

typedef enum {
    WS_KEY_INDEX_DIR,
    WS_KEY_INDEX_ACCESS,
    WS_KEY_INDEX_REFRESH_MS,
    WS_KEY_HTTP_LISTEN,
    WS_KEY_HTTP_WORKERS,
    WS_KEY_HTTP_QUEUE,
    WS_KEY_HTTP_QUEUE_POLICY,
    WS_KEY_HTTP_BACKLOG,
    WS_KEY_HTTP_MAX_CONNECTIONS,
    WS_KEY_HTTP_HEAD_TIMEOUT_MS,
    WS_KEY_HTTP_BODY_TIMEOUT_MS,
    WS_KEY_HTTP_IDLE_TIMEOUT_MS,
    WS_KEY_HTTP_WRITE_TIMEOUT_MS,
    WS_KEY_HTTP_DRAIN_TIMEOUT_MS,
    WS_KEY_FRONT_MODE,
    WS_KEY_ADMISSION_BUDGET_MS,
    WS_KEY_SEARCH_TIMEOUT_MS,
    WS_KEY_HIGHLIGHT_MODE,
    WS_KEY_LIMIT_BODY_BYTES,
    WS_KEY_LIMIT_QUERY_CODE_POINTS,
    WS_KEY_LIMIT_QUERY_TERMS,
    WS_KEY_LIMIT_RESULT_WINDOW,
    WS_KEY_LOG_ACCESS,
    WS_KEY_LOG_FILE,
    WS_KEY_LOG_SLOW_MS,
    WS_KEY_AUTH_KEY,
    WS_KEY_AUTH_ADMIN_KEY,
    /* Reserved: the parts they steer are not built yet. */
    WS_KEY_SEARCH_PRUNING,
    WS_KEY_SEARCH_FACETS,
    WS_KEY_CACHE_BODIES_BYTES,
    WS_KEY_CACHE_RESULTS_BYTES,
    WS_KEY_CACHE_TTL,
    WS_KEY_CACHE_INVALIDATE,
    WS_KEY_ANALYZER_KO,
    WS_KEY_INDEX_MEMORY,
    WS_KEY_INDEX_ASYNC_WORKERS,
    WS_KEY_INDEX_ASYNC_QUEUE,
    WS_KEY_INDEX_ASYNC_POLICY,
    WS_KEY_MEM_LIMIT,
    WS_KEYS
} ws_key;

typedef enum { WS_SOURCE_DEFAULT, WS_SOURCE_FILE, WS_SOURCE_ENV, WS_SOURCE_FLAG } ws_config_source;

/* Choices, in the order of the table. */
enum { WS_QUEUE_SHED, WS_QUEUE_UNBOUNDED };
enum { WS_FRONT_SPLIT, WS_FRONT_INLINE };
enum { WS_HIGHLIGHT_WINDOW, WS_HIGHLIGHT_FULL };

typedef struct {
    char *text;      /* owned; NULL = the default */
    uint64_t number; /* value of a number, index of a choice */
    uint32_t line;   /* in the file, from 1 */
    uint8_t source;  /* ws_config_source */
} ws_setting;

typedef struct {
    ws_setting settings[WS_KEYS];
    char *file; /* owned; path of the configuration file read, or NULL */
} ws_config;

void ws_config_init(ws_config *config); /* all defaults; no memory held */
void ws_config_fini(ws_config *config);

/* Sets one key.
 *   name, value  copied
 *   source       a value from a stronger source already there stays; the new one is checked all the
 * same line         of the file, 0 elsewhere Errors: WS_ERR_ARG (unknown, reserved, twice in the
 * file), WS_ERR_RANGE (not a valid value), WS_ERR_NOMEM. */
ws_status ws_config_set(ws_config *config, ws_str name, ws_str value, ws_config_source source,
                        uint32_t line, ws_error *error);

/* Reads "key = value" lines; '#' begins a comment line.
 *   path  for messages; copied
 * error->offset is the line. */
ws_status ws_config_read_text(ws_config *config, ws_str text, const char *path, ws_error *error);
ws_status ws_config_read_file(ws_config *config, const char *path, ws_error *error);

/* Reads the variables WIKISEARCH_A_B of a NULL-terminated environment (http.queue_policy is
 * WIKISEARCH_HTTP_QUEUE_POLICY), and WIKISEARCH_INDEX. Others are left alone, unless they begin
 * with a section of the table. */
ws_status ws_config_read_environment(ws_config *config, char *const *environment, ws_error *error);

uint64_t ws_config_number(const ws_config *config, ws_key key);
const char *ws_config_text(const ws_config *config,
                           ws_key key); /* never NULL; valid until set again */

const char *ws_config_name(ws_key key); /* "http.listen"; static */
const char *ws_config_help(ws_key key); /* one line; static */
int ws_config_is_reserved(ws_key key);

/* Adds the members "effective" and "observed" of a key, when there is something to say. */
typedef void (*ws_config_observe_fn)(void *ctx, ws_key key, ws_json *j);

/* Appends a JSON array with one object per key: key, value, source, where; reserved ones
 * "effective":"unsupported". Secrets are shown as "(set)". observe  NULL allowed */
void ws_config_write(const ws_config *config, ws_buf *out, ws_config_observe_fn observe, void *ctx);

/* Hash of the values that change how requests are served (no addresses, logs, secrets): equal
 * numbers, equal behaviour. */
uint32_t ws_config_hash(const ws_config *config);

#endif
