/* Status codes, byte slices and the error record: the vocabulary of every call.
 *
 * 0 is success, positive values are successes with something to say, negative values are errors
 * grouped by hundred: the caller's mistake, wrong state, input/output, corruption, resources.
 * A call that fails leaves its out-parameters NULL or 0 and the object it was called on as it was.
 */
#ifndef WIKISEARCH_STATUS_H
#define WIKISEARCH_STATUS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "wikisearch/export.h"

WS_BEGIN_DECLS

typedef int32_t ws_status;

#define WS_OK        0
#define WS_PARTIAL   1 /* the budget ended: what is returned is right, but not everything */
#define WS_TRUNCATED 2 /* a limit clipped the input; a warning says which */
#define WS_FALLBACK  3 /* MANIFEST was damaged, the one before it was opened */

#define WS_ERR_ARG    (-100) /* a NULL, a size or a combination that the contract forbids */
#define WS_ERR_UTF8   (-101) /* bytes that must be UTF-8 are not (identifiers only) */
/* strict query, filter, schema or configuration text; offset says where */
#define WS_ERR_SYNTAX (-102)
#define WS_ERR_RANGE  (-103) /* a number outside its documented range */
#define WS_ERR_SCHEMA (-104) /* a field that the schema doesn't have, or a value of another type */

#define WS_ERR_STATE     (-200) /* not allowed now: closed, forked, read-only */
#define WS_ERR_LOCKED    (-201) /* another writer holds the index; the message names its pid */
#define WS_ERR_CONFLICT  (-202) /* the version asked for is not the present one */
#define WS_ERR_NOT_FOUND (-203) /* no such index, document, field or term */
#define WS_ERR_CANCELLED (-204) /* ws_budget_cancel was called */

#define WS_ERR_IO           (-300) /* the operating system refused; errno is in the message */
#define WS_ERR_NOSPC        (-301) /* disk full or quota */
#define WS_ERR_FSYNC_FAILED (-302) /* durability is unknown; never retried */

#define WS_ERR_CORRUPT  (-400) /* bytes on disk are not what was written */
#define WS_ERR_VERSION  (-401) /* a format newer than this library */
#define WS_ERR_ANALYSIS (-402) /* the index was analysed by different rules */

#define WS_ERR_NOMEM (-500) /* an allocation failed */
#define WS_ERR_LIMIT (-501) /* a configured limit; the message names it */

/* A slice of bytes. Not NUL-terminated unless said. {NULL, 0} is the empty slice. */
typedef struct {
    const char *ptr;
    size_t len;
} ws_str;

/* What went wrong, in the caller's storage. Every function that takes one accepts NULL.
 * Untouched on success. */
typedef struct {
    ws_status code;
    uint64_t offset;   /* byte in `path` or in the text given; 0 when it has no meaning */
    /* file or directory, NUL-terminated, may be empty, cut on the left when too long */
    char path[256];
    char message[256]; /* English, one line, NUL-terminated */
} ws_error;

/* Slice over a NUL-terminated string; NULL gives the empty slice. The string must outlive it. */
static inline ws_str ws_cstr(const char *text)
{
    ws_str s = {text, text ? strlen(text) : 0};
    return s;
}

/* Returns a static English phrase for `code`, never NULL. [any] O(1). */
WS_API const char *ws_status_text(ws_status code);

WS_END_DECLS

#endif
