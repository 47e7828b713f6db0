/* Cache access traces of the formats that are in use, as a stream of 64-bit ids. [1].
 *
 *   arc      text: first block, number of blocks, two ignored numbers; each block is a request
 *   lirs     text: one block number a line; empty lines and * are skipped
 *   address  text: operation, 0xADDRESS, ...
 *   sizes    text: time, id, size
 *   be32     4-byte big-endian ids
 *   be64     8-byte big-endian ids
 *   oracle   oracleGeneral of libCacheSim: u32 time, u64 id, u32 size, i64 next request;
 *            little-endian, 24 bytes
 *
 * Compressed files (gzip, zstd, xz) are read as they are. */
#ifndef WS_INDEXER_TRACE_H
#define WS_INDEXER_TRACE_H

#include <stdint.h>

#include "wikisearch/status.h"

typedef struct ws_trace ws_trace;

#define WS_TRACE_AUTO    0u
#define WS_TRACE_ARC     1u
#define WS_TRACE_LIRS    2u
#define WS_TRACE_ADDRESS 3u
#define WS_TRACE_SIZES   4u
#define WS_TRACE_BE32    5u
#define WS_TRACE_BE64    6u
#define WS_TRACE_ORACLE  7u
#define WS_TRACE_CHOICES "auto|arc|lirs|address|sizes|be32|be64|oracle"

/* Opens a trace.
 *   path    file, "-" = standard input; borrowed until close
 *   format  WS_TRACE_*; AUTO tells text by its bytes and columns, binary by where its zero bytes
 *           are
 * Errors: as ws_input_open. */
ws_status ws_trace_open(ws_trace **out, const char *path, uint32_t format, ws_error *error);
void ws_trace_close(ws_trace *trace);

uint32_t ws_trace_format(const ws_trace *trace); /* never AUTO */

/* The next request's id. WS_ERR_NOT_FOUND at the end; WS_ERR_CORRUPT: a line that is not of the
 * format, a record that is cut (the offset is in the decompressed stream); else as
 * ws_input_read. */
ws_status ws_trace_next(ws_trace *trace, uint64_t *id, ws_error *error);

#endif
