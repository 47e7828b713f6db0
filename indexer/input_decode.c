/* The decompressors behind ws_input. zstd frame headers are read here as well (RFC 8878, 3.1.1.1):
 * the library tells the window only after it has allocated it. */
#include <zstd_errors.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "indexer/input_int.h"

#define FRAME_HEADER_MAX 18u
/* Context, input and output buffers of a ZSTD_DCtx, above its window. */
#define DECODER_EXTRA (1u << 20)
#define MIB(bytes)    (((bytes) + (1u << 20) - 1) >> 20)

static ws_status corrupt(const ws_input *in, ws_error *error, const char *what)
{
    return ws_error_at(error, WS_ERR_CORRUPT, in->path, in->file_offset, "%s", what);
}

/* --- zstd --- */

/* Bytes of the field Frame_Content_Size, by its flag. */
static size_t content_size_bytes(uint8_t descriptor)
{
    static const uint8_t sizes[4] = {0, 2, 4, 8};
    unsigned flag = descriptor >> 6;
    return flag == 0 && (descriptor & 0x20) ? 1 : sizes[flag];
}

static uint64_t load_content_size(const uint8_t *p, size_t n)
{
    switch (n) {
    case 1:
        return p[0];
    case 2:
        return ws_load_u16le(p) + 256u;
    case 4:
        return ws_load_u32le(p);
    default:
        return ws_load_u64le(p);
    }
}

/* Window of the frame whose header is at p; 0 when its bytes do not suffice. A frame in a single
 * segment has its content for a window. */
static uint64_t window_of(const uint8_t *p, size_t n)
{
    static const uint8_t dictionary_bytes[4] = {0, 1, 2, 4};
    uint8_t descriptor = p[4];
    if (!(descriptor & 0x20)) {
        if (n < 6)
            return 0;
        uint64_t base = (uint64_t)1 << (10 + (p[5] >> 3));
        return base + base / 8 * (p[5] & 7);
    }
    size_t at = 5u + dictionary_bytes[descriptor & 3], size = content_size_bytes(descriptor);
    return at + size > n ? 0 : WS_MAX(load_content_size(p + at, size), (uint64_t)1024);
}

ws_status ws_input_zstd_frame(ws_input *in, uint64_t *memory, ws_error *error)
{
    const uint8_t *p = in->raw + in->raw_begin;
    size_t n = ws_input_available(in);
    *memory = 0;
    if (n >= 4 && (ws_load_u32le(p) & 0xFFFFFFF0u) == ZSTD_MAGIC_SKIPPABLE_START)
        return WS_OK;
    if (n < 5 || ws_load_u32le(p) != ZSTD_MAGICNUMBER)
        return n < 5 ? WS_OK
                     : corrupt(in, error,
                               "not a zstd frame"); /* a cut one is found when it is decoded */
    uint64_t window = window_of(p, n);
    if (window > (uint64_t)1 << WS_INPUT_WINDOW_LOG_MAX)
        return ws_error_at(error, WS_ERR_LIMIT, in->path, in->file_offset,
                           "a zstd window of %llu MiB; at most %u MiB (zstd --long=%u) can be read",
                           (unsigned long long)MIB(window), 1u << (WS_INPUT_WINDOW_LOG_MAX - 20),
                           WS_INPUT_WINDOW_LOG_MAX);
    *memory = window + DECODER_EXTRA;
    if (*memory > in->decoder_memory)
        return ws_error_at(
            error, WS_ERR_LIMIT, in->path, in->file_offset,
            "its zstd window needs %llu MiB of memory, %llu MiB are left for it: raise --memory",
            (unsigned long long)MIB(*memory), (unsigned long long)(in->decoder_memory >> 20));
    return WS_OK;
}

static ws_status ready_zstd(ws_input *in, ws_error *error)
{
    if (in->zstd)
        return WS_OK;
    in->zstd = ZSTD_createDCtx();
    if (!in->zstd)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for zstd");
    ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax, WS_INPUT_WINDOW_LOG_MAX);
    return WS_OK;
}

/* Between frames: checks the next header, or finds the end. */
static ws_status begin_frame(ws_input *in, ws_error *error)
{
    uint64_t memory;
    WS_TRY(ws_input_fill(in, FRAME_HEADER_MAX, error));
    if (ws_input_available(in) == 0) {
        in->done = 1;
        return WS_OK;
    }
    WS_TRY(ws_input_zstd_frame(in, &memory, error));
    in->in_frame = 1;
    return WS_OK;
}

static ws_status zstd_step(ws_input *in, ZSTD_outBuffer *out, ws_error *error)
{
    WS_TRY(ws_input_fill(in, 1, error));
    ZSTD_inBuffer from = {in->raw + in->raw_begin, ws_input_available(in), 0};
    size_t before = out->pos;
    size_t left = ZSTD_decompressStream(in->zstd, out, &from);
    ws_input_consume(in, from.pos);
    if (ZSTD_isError(left))
        return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
                   ? ws_error_set(error, WS_ERR_NOMEM, "no memory for the zstd window")
                   : ws_error_at(error, WS_ERR_CORRUPT, in->path, in->file_offset, "zstd: %s",
                                 ZSTD_getErrorName(left));
    if (left == 0)
        in->in_frame = 0;
    else if (from.pos == 0 && out->pos == before && in->at_end && ws_input_available(in) == 0)
        return corrupt(in, error, "the file ends inside a zstd frame");
    return WS_OK;
}

ws_status ws_input_read_zstd(ws_input *in, void *buffer, size_t cap, size_t *n, ws_error *error)
{
    ZSTD_outBuffer out = {buffer, cap, 0};
    ws_status status = ready_zstd(in, error);
    while (!status && out.pos < cap && !in->done) {
        if (!in->in_frame)
            status = begin_frame(in, error);
        else
            status = zstd_step(in, &out, error);
    }
    *n = out.pos;
    return status;
}

/* --- gzip --- */

static void *zlib_alloc(void *ctx, unsigned count, unsigned size)
{
    (void)ctx;
    return ws_reallocarray(NULL, count, size);
}

static void zlib_free(void *ctx, void *ptr)
{
    (void)ctx;
    ws_free(ptr);
}

static ws_status begin_member(ws_input *in, ws_error *error)
{
    WS_TRY(ws_input_fill(in, 2, error));
    while (in->gzip_ready && ws_input_available(in) &&
           in->raw[in->raw_begin] == 0) { /* padding of tape blocks */
        ws_input_consume(in, 1);
        WS_TRY(ws_input_fill(in, 2, error));
    }
    if (ws_input_available(in) == 0) {
        in->done = 1;
        return WS_OK;
    }
    if (ws_input_available(in) < 2 || in->raw[in->raw_begin] != 0x1f ||
        in->raw[in->raw_begin + 1] != 0x8b)
        return corrupt(in, error, "bytes after the end of the gzip data");
    in->gzip.zalloc = zlib_alloc;
    in->gzip.zfree = zlib_free;
    if ((in->gzip_ready ? inflateReset(&in->gzip) : inflateInit2(&in->gzip, 15 + 16)) != Z_OK)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for gzip");
    in->gzip_ready = in->in_frame = 1;
    return WS_OK;
}

static ws_status gzip_step(ws_input *in, uint8_t *buffer, size_t cap, size_t *n, ws_error *error)
{
    WS_TRY(ws_input_fill(in, 1, error));
    if (ws_input_available(in) == 0)
        return corrupt(in, error, "the file ends inside a gzip member");
    size_t had = ws_input_available(in);
    in->gzip.next_in = in->raw + in->raw_begin;
    in->gzip.avail_in = (unsigned)had;
    in->gzip.next_out = buffer + *n;
    in->gzip.avail_out = (unsigned)WS_MIN(cap - *n, (size_t)1 << 30);
    unsigned room = in->gzip.avail_out;
    int result = inflate(&in->gzip, Z_NO_FLUSH);
    ws_input_consume(in, had - in->gzip.avail_in);
    *n += room - in->gzip.avail_out;
    if (result == Z_STREAM_END)
        in->in_frame = 0;
    else if (result == Z_MEM_ERROR)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for gzip");
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return ws_error_at(error, WS_ERR_CORRUPT, in->path, in->file_offset, "gzip: %s",
                           in->gzip.msg ? in->gzip.msg : "damaged");
    return WS_OK;
}

ws_status ws_input_read_gzip(ws_input *in, void *buffer, size_t cap, size_t *n, ws_error *error)
{
    ws_status status = WS_OK;
    *n = 0;
    while (!status && *n < cap && !in->done) {
        if (!in->in_frame)
            status = begin_member(in, error);
        else
            status = gzip_step(in, buffer, cap, n, error);
    }
    return status;
}

void ws_input_decoders_fini(ws_input *in)
{
    ZSTD_freeDCtx(in->zstd);
    if (in->gzip_ready)
        inflateEnd(&in->gzip);
}
