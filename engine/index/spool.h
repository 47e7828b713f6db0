/* Bytes that are produced now and copied into a segment file later: in memory up to a limit, then
 * in an unlinked file of the index directory. [1]. A segment's sections grow side by side; each has
 * a spool, only the file's first does not. */
#ifndef WS_INDEX_SPOOL_H
#define WS_INDEX_SPOOL_H

#include "base/buf.h"
#include "base/file.h"

typedef struct {
    ws_buf tail;      /* bytes not spilled */
    size_t limit;     /* spill beyond this many bytes; SIZE_MAX = never */
    const char *dir;  /* where to spill; NULL = never */
    int fd;           /* -1 until spilled */
    uint64_t spilled; /* bytes in fd */
    ws_status status; /* sticky */
    ws_error error;
} ws_spool;

/* `dir` is borrowed until fini. */
void ws_spool_init(ws_spool *spool, const char *dir, size_t limit);
void ws_spool_fini(ws_spool *spool);
void ws_spool_append(ws_spool *spool, const void *bytes, size_t n); /* errors are sticky */
uint64_t ws_spool_length(const ws_spool *spool);
size_t ws_spool_memory(const ws_spool *spool); /* heap bytes held */

/* Calls `sink` with every byte in order. */
typedef void (*ws_spool_sink)(void *ctx, const void *bytes, size_t n);
ws_status ws_spool_replay(ws_spool *spool, ws_spool_sink sink, void *ctx, ws_error *error);

#endif
