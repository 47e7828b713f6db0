/* xz behind ws_input. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/mem.h"
#include "indexer/input_int.h"

static void *xz_alloc(void *ctx, size_t count, size_t size)
{
    (void)ctx;
    return ws_reallocarray(NULL, count, size);
}

static void xz_free(void *ctx, void *ptr)
{
    (void)ctx;
    ws_free(ptr);
}

static const lzma_allocator allocator = {xz_alloc, xz_free, NULL};

static ws_status ready(ws_input *in, ws_error *error)
{
    if (in->xz_ready)
        return WS_OK;
    in->xz.allocator = &allocator;
    if (lzma_stream_decoder(&in->xz, in->decoder_memory, LZMA_CONCATENATED) != LZMA_OK)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for xz");
    in->xz_ready = 1;
    return WS_OK;
}

static ws_status failed(ws_input *in, lzma_ret result, ws_error *error)
{
    switch (result) {
    case LZMA_MEM_ERROR:
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for xz");
    case LZMA_MEMLIMIT_ERROR:
        return ws_error_at(error, WS_ERR_LIMIT, in->path, in->file_offset,
                           "xz needs %llu MiB of memory: raise --memory",
                           (unsigned long long)(lzma_memusage(&in->xz) >> 20));
    case LZMA_BUF_ERROR:
        return ws_error_at(error, WS_ERR_CORRUPT, in->path, in->file_offset,
                           "the file ends inside an xz stream");
    default:
        return ws_error_at(error, WS_ERR_CORRUPT, in->path, in->file_offset, "xz: damaged");
    }
}

static ws_status xz_step(ws_input *in, uint8_t *buffer, size_t cap, size_t *n, ws_error *error)
{
    WS_TRY(ws_input_fill(in, 1, error));
    size_t had = ws_input_available(in);
    in->xz.next_in = in->raw + in->raw_begin;
    in->xz.avail_in = had;
    in->xz.next_out = buffer + *n;
    in->xz.avail_out = cap - *n;
    lzma_ret result = lzma_code(&in->xz, had ? LZMA_RUN : LZMA_FINISH);
    ws_input_consume(in, had - in->xz.avail_in);
    *n = cap - in->xz.avail_out;
    if (result == LZMA_STREAM_END)
        in->done = 1;
    else if (result != LZMA_OK)
        return failed(in, result, error);
    return WS_OK;
}

ws_status ws_input_read_xz(ws_input *in, void *buffer, size_t cap, size_t *n, ws_error *error)
{
    ws_status status = ready(in, error);
    *n = 0;
    while (!status && *n < cap && !in->done)
        status = xz_step(in, buffer, cap, n, error);
    return status;
}
