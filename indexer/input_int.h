/* What the reader of raw bytes and the decoders share. */
#ifndef WS_INDEXER_INPUT_INT_H
#define WS_INDEXER_INPUT_INT_H

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "indexer/input.h"

#define WS_INPUT_RAW_BYTES (128u << 10)

struct ws_input {
    const char *path;
    int fd;
    uint8_t regular;  /* a file: reads do not wait */
    uint8_t at_end;   /* the file has no more bytes than raw[] */
    uint8_t in_frame; /* inside a zstd frame or a gzip member */
    uint8_t done;     /* the stream has ended */
    uint32_t kind;
    const atomic_int *stop;
    uint64_t decoder_memory; /* most allowed */
    uint64_t window_memory;  /* of the first frame */
    ws_input_identity identity;

    uint8_t raw[WS_INPUT_RAW_BYTES]; /* bytes of the file, [raw_begin, raw_end) not consumed yet */
    size_t raw_begin, raw_end;
    uint64_t file_offset;   /* in the file, of raw_begin */
    uint64_t stream_offset; /* delivered */

    ZSTD_DCtx *zstd;
    z_stream gzip;
    uint8_t gzip_ready;
    lzma_stream xz;
    uint8_t xz_ready;

    ws_status failed; /* sticky */
    ws_error error;
};

/* Sees to it that raw[] holds at least `want` bytes, fewer at the end of the file. */
ws_status ws_input_fill(ws_input *in, size_t want, ws_error *error);

static inline size_t ws_input_available(const ws_input *in)
{
    return in->raw_end - in->raw_begin;
}

static inline void ws_input_consume(ws_input *in, size_t n)
{
    in->raw_begin += n;
    in->file_offset += n;
}

/* Decode into buffer[cap]; *n = 0 with WS_OK and in->done at the end. Bytes may come together with
 * an error. */
ws_status ws_input_read_zstd(ws_input *in, void *buffer, size_t cap, size_t *n, ws_error *error);
ws_status ws_input_read_gzip(ws_input *in, void *buffer, size_t cap, size_t *n, ws_error *error);
ws_status ws_input_read_xz(ws_input *in, void *buffer, size_t cap, size_t *n, ws_error *error);

/* Checks the header of the zstd frame at raw_begin against the limits; *memory = bytes its decoding
 * takes (0 for a skippable frame). */
ws_status ws_input_zstd_frame(ws_input *in, uint64_t *memory, ws_error *error);

void ws_input_decoders_fini(ws_input *in);

#endif
