/* Opening an index, following its generations, and what it says about itself.
 *
 * An index is a directory of immutable segment files and one small MANIFEST that names them; a
 * generation is one MANIFEST. A ws_index may be used from any threads at once. It holds no lock:
 * readers in other processes follow the writer by ws_index_refresh. Handles are invalid in a forked
 * child (WS_ERR_STATE).
 */
#ifndef WIKISEARCH_INDEX_H
#define WIKISEARCH_INDEX_H

#include "wikisearch/budget.h"
#include "wikisearch/schema.h"
#include "wikisearch/status.h"

WS_BEGIN_DECLS

typedef struct ws_index ws_index;

#define WS_ACCESS_MMAP 0u /* segment files are mapped */
/* segment files are copied into memory: safe on file systems that cut files under us */
#define WS_ACCESS_READ 1u

#define WS_VERIFY_LAZY 0u /* structure at open, payload hashes at first touch, per 64 KiB */
#define WS_VERIFY_FULL 1u /* everything at open */
#define WS_VERIFY_OFF  2u /* structure only */

typedef struct {
    uint32_t size;   /* sizeof(ws_index_options), set by the INIT macro */
    uint32_t access; /* WS_ACCESS_* */
    uint32_t verify; /* WS_VERIFY_* */
    uint32_t isa;    /* 0 = best of this machine, 1 = scalar reference; others are for tests */
} ws_index_options;
#define WS_INDEX_OPTIONS_INIT {sizeof(ws_index_options), 0, 0, 0}

/* Opens an index.
 *   out      new handle; close with ws_index_close
 *   dir      directory, UTF-8 path; NULL = an index in memory, gone at close
 *   schema   NULL: the index must exist. Otherwise: created when there is none, and WS_ERR_SCHEMA
 *            when there is one with another schema. Required for a memory index
 *   options  NULL = defaults
 * Returns WS_OK, or WS_FALLBACK when MANIFEST was damaged and the generation before it was opened
 * (error is filled, the handle is good). Errors: WS_ERR_NOT_FOUND, WS_ERR_CORRUPT, WS_ERR_VERSION,
 * WS_ERR_ANALYSIS (opens, but a writer is refused: returned by ws_writer_open), WS_ERR_IO,
 * WS_ERR_NOMEM. Cost: milliseconds; validates structure, not payload. */
WS_API ws_status ws_index_open(ws_index **out, const char *dir, const ws_schema *schema,
                               const ws_index_options *options, ws_error *error);

/* Closes; NULL does nothing. Searchers and results of it stay valid until they are freed. [1] */
WS_API void ws_index_close(ws_index *index);

/* Looks whether a newer generation was committed, by this or another process, and opens it.
 *   generation  out: the generation now current; NULL allowed
 * Searchers opened before keep their snapshot. [any]. Without news: one small read. On error the
 * present generation stays. */
WS_API ws_status ws_index_refresh(ws_index *index, uint64_t *generation, ws_error *error);

typedef struct {
    uint32_t size;          /* set by the caller to sizeof(ws_index_stats_data) */
    uint32_t n_segments;
    uint64_t generation;
    uint64_t n_docs;        /* live documents */
    uint64_t n_deleted;     /* deleted, not yet merged away */
    uint64_t n_terms;       /* sum over segments */
    uint64_t bytes;         /* segment and delete files */
    uint64_t epoch;         /* statistics epoch */
    uint64_t next_doc_key;
    uint64_t commit_time_s; /* wall clock of the last commit, seconds since 1970 */
    uint32_t fallback;      /* 1: opened from MANIFEST.prev */
    uint32_t analysis_ok;   /* 0: the index was analysed by different rules */
} ws_index_stats_data;

/* Fills counts of the current generation. [any] O(segments). */
WS_API ws_status ws_index_stats(ws_index *index, ws_index_stats_data *stats);

/* Writes all there is to say as one JSON object: the counts above, bytes by section kind, every
 * segment, the schema, the user map.
 *   out  new text; free with ws_text_free. [any] */
typedef struct {
    char *ptr; /* NUL-terminated */
    size_t len;
} ws_text;
WS_API ws_status ws_index_describe(ws_index *index, ws_text *out, ws_error *error);

/* One thing in detail as a JSON object: kind "term" (argument: text, or field:text), "doc"
 * (external id) or "segment" (its number in hexadecimal). Errors: WS_ERR_NOT_FOUND, WS_ERR_ARG.
 * [any] */
WS_API ws_status ws_index_inspect(ws_index *index, const char *kind, ws_str argument, ws_text *out,
                                  ws_error *error);

/* Frees a text and makes it empty; an empty one is fine. */
WS_API void ws_text_free(ws_text *text);

/* Value of a user-map key that a commit stored (copied to a new text; empty when absent). [any] */
WS_API ws_status ws_index_user_value(ws_index *index, const char *key, ws_text *out);

#define WS_LIMIT_QUERY_CODE_POINTS 1u /* default 1024 */
#define WS_LIMIT_QUERY_TERMS       2u /* default 64: words of a query */
#define WS_LIMIT_RESULT_WINDOW     3u /* default 10000: offset + limit */
#define WS_LIMIT_DOCUMENT_BYTES    4u /* default 8 MiB */
#define WS_LIMITS                  5u

/* Reads or sets a limit. Errors: WS_ERR_ARG for an unknown one, WS_ERR_RANGE. [any] */
WS_API ws_status ws_index_get_limit(const ws_index *index, uint32_t which, uint64_t *value);
WS_API ws_status ws_index_set_limit(ws_index *index, uint32_t which, uint64_t value);

#define WS_CHECK_QUICK  0u /* manifest, footers, section tables, directories */
#define WS_CHECK_NORMAL 1u /* and every payload hash */
/* and every posting, position, stored document, id, column decoded and cross-checked */
#define WS_CHECK_DEEP   2u

typedef struct {
    const char *path;    /* file the finding is about */
    const char *section; /* section name, or "manifest", "footer" */
    const char *message; /* "ok", or what is wrong */
    uint64_t offset;     /* byte in the file, 0 when it has no meaning */
    ws_status status;    /* WS_OK or the error */
} ws_check_item;
typedef void (*ws_check_fn)(void *ctx, const ws_check_item *item);

/* Examines an index without changing it.
 *   callback  called once per section examined, in this thread; NULL allowed
 *   budget    NULL = unlimited
 * Returns WS_OK (all good), WS_ERR_CORRUPT (at least one finding), or why it couldn't tell. Cost:
 * QUICK like open, the others read everything. [any] */
WS_API ws_status ws_check(const char *dir, uint32_t level, ws_check_fn callback, void *ctx,
                          const ws_budget *budget, ws_error *error);

WS_END_DECLS

#endif
