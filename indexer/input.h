/* One stream of bytes out of a plain, zstd, gzip or xz file or of standard input, whichever it is:
 * told by the first bytes.
 *
 * Files of several zstd frames, gzip members or xz streams are one stream. A file that is cut or
 * damaged delivers what was good, then an error with the offset in the file. [1].
 *
 * Memory: 128 KiB, and for zstd the window that the frame asks for (128 MiB at most, --long=27)
 * or the dictionary of xz, refused when it exceeds what the caller allows. */
#ifndef WS_INDEXER_INPUT_H
#define WS_INDEXER_INPUT_H

#include <stdatomic.h>
#include <stddef.h>

#include "wikisearch/status.h"

typedef struct ws_input ws_input;

#define WS_INPUT_PLAIN 0u
#define WS_INPUT_ZSTD  1u
#define WS_INPUT_GZIP  2u
#define WS_INPUT_XZ    3u

#define WS_INPUT_WINDOW_LOG_MAX 27u
#define WS_INPUT_HEAD_BYTES     65536u /* what the identity's hash covers */

typedef struct {
    uint64_t decoder_memory; /* most that a decompressor may take, bytes; 0 = no bound */
    const atomic_int *stop;  /* not 0: reading ends soon, WS_ERR_CANCELLED; NULL = never */
} ws_input_options;

/* What tells one input from another, for resuming. */
typedef struct {
    uint64_t size; /* bytes of the file; 0 for a pipe */
    uint64_t hash; /* of the first WS_INPUT_HEAD_BYTES bytes, as they are in the file */
} ws_input_identity;

/* Opens and reads the first bytes.
 *   path     file, "-" = standard input; borrowed until close
 *   options  NULL = defaults
 * Errors: WS_ERR_NOT_FOUND, WS_ERR_IO, WS_ERR_LIMIT (window), WS_ERR_CANCELLED, WS_ERR_NOMEM. An
 * empty file is an empty stream. */
ws_status ws_input_open(ws_input **out, const char *path, const ws_input_options *options,
                        ws_error *error);
void ws_input_close(ws_input *input); /* standard input stays open */

/* Reads up to `cap` bytes.
 *   n  out: bytes read; 0 with WS_OK = the end
 * Errors (repeated by later calls): WS_ERR_CORRUPT with the offset in the file, WS_ERR_LIMIT (a
 * later zstd frame has a window that is not allowed), WS_ERR_IO, WS_ERR_CANCELLED, WS_ERR_NOMEM. */
ws_status ws_input_read(ws_input *input, void *buffer, size_t cap, size_t *n, ws_error *error);

/* Reads and forgets bytes up to offset `to` of the decompressed stream. WS_ERR_RANGE when the
 * stream ends before. */
ws_status ws_input_skip(ws_input *input, uint64_t to, ws_error *error);

const char *ws_input_path(const ws_input *input);
uint32_t ws_input_kind(const ws_input *input); /* WS_INPUT_* */
const char *ws_input_kind_name(uint32_t kind);
ws_input_identity ws_input_identify(const ws_input *input);
uint64_t ws_input_file_offset(const ws_input *input);   /* bytes of the file that were consumed */
uint64_t ws_input_stream_offset(const ws_input *input); /* bytes delivered */

/* Bytes that the decompressor takes, by the first frame. */
uint64_t ws_input_decoder_memory(const ws_input *input);

#endif
