#include "indexer/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/mem.h"
#include "indexer/input_int.h"

#define POLL_MS    200
#define ZSTD_MAGIC 0xFD2FB528u

static const uint8_t XZ_MAGIC[6] = {0xfd, '7', 'z', 'X', 'Z', 0};

/* --- bytes of the file --- */

static int stopped(const ws_input *in)
{
    return in->stop && atomic_load_explicit(in->stop, memory_order_relaxed);
}

/* A pipe may stay silent for long: the wait ends when somebody says stop. */
static ws_status wait_readable(const ws_input *in, ws_error *error)
{
    struct pollfd p = {.fd = in->fd, .events = POLLIN};
    for (;;) {
        if (stopped(in))
            return ws_error_set(error, WS_ERR_CANCELLED, "interrupted");
        if (in->regular)
            return WS_OK;
        int ready = poll(&p, 1, POLL_MS);
        if (ready > 0)
            return WS_OK;
        if (ready < 0 && errno != EINTR)
            return ws_error_errno(error, errno, in->path, "poll");
    }
}

/* *n = 0 at the end of the file. */
static ws_status read_some(ws_input *in, void *to, size_t cap, size_t *n, ws_error *error)
{
    *n = 0;
    for (;;) {
        WS_TRY(wait_readable(in, error));
        ssize_t got = read(in->fd, to, cap);
        if (got >= 0) {
            *n = (size_t)got;
            in->at_end = got == 0;
            return WS_OK;
        }
        if (errno != EINTR && errno != EAGAIN)
            return ws_error_errno(error, errno, in->path, "read");
    }
}

ws_status ws_input_fill(ws_input *in, size_t want, ws_error *error)
{
    if (ws_input_available(in) >= want || in->at_end)
        return WS_OK;
    memmove(in->raw, in->raw + in->raw_begin, ws_input_available(in));
    in->raw_end -= in->raw_begin;
    in->raw_begin = 0;
    while (in->raw_end < want && !in->at_end) {
        size_t n;
        WS_TRY(read_some(in, in->raw + in->raw_end, sizeof in->raw - in->raw_end, &n, error));
        in->raw_end += n;
    }
    return WS_OK;
}

static ws_status read_plain(ws_input *in, void *buffer, size_t cap, size_t *n, ws_error *error)
{
    *n = WS_MIN(ws_input_available(in), cap);
    if (*n) {
        memcpy(buffer, in->raw + in->raw_begin, *n);
        ws_input_consume(in, *n);
        return WS_OK;
    }
    if (!in->at_end)
        WS_TRY(read_some(in, buffer, cap, n, error));
    in->file_offset += *n;
    in->done = in->at_end;
    return WS_OK;
}

/* --- opening --- */

static ws_status open_file(ws_input *in, ws_error *error)
{
    struct stat st;
    in->fd = strcmp(in->path, "-") ? open(in->path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (in->fd < 0)
        return ws_error_errno(error, errno, in->path, "open");
    if (fstat(in->fd, &st) < 0)
        return ws_error_errno(error, errno, in->path, "stat");
    in->regular = S_ISREG(st.st_mode);
    in->identity.size = in->regular ? (uint64_t)st.st_size : 0;
    return WS_OK;
}

static uint32_t kind_of(const uint8_t *p, size_t n)
{
    if (n >= 4 && (ws_load_u32le(p) == ZSTD_MAGIC ||
                   (ws_load_u32le(p) & 0xFFFFFFF0u) == ZSTD_MAGIC_SKIPPABLE_START))
        return WS_INPUT_ZSTD;
    if (n >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8)
        return WS_INPUT_GZIP;
    if (n >= sizeof XZ_MAGIC && memcmp(p, XZ_MAGIC, sizeof XZ_MAGIC) == 0)
        return WS_INPUT_XZ;
    return WS_INPUT_PLAIN;
}

static ws_status start(ws_input *in, ws_error *error)
{
    WS_TRY(open_file(in, error));
    WS_TRY(ws_input_fill(in, WS_INPUT_HEAD_BYTES, error));
    in->identity.hash = ws_hash64(in->raw, WS_MIN(in->raw_end, (size_t)WS_INPUT_HEAD_BYTES));
    in->kind = kind_of(in->raw, in->raw_end);
    return in->kind == WS_INPUT_ZSTD ? ws_input_zstd_frame(in, &in->window_memory, error) : WS_OK;
}

ws_status ws_input_open(ws_input **out, const char *path, const ws_input_options *options,
                        ws_error *error)
{
    *out = NULL;
    ws_input *in = ws_calloc(1, sizeof *in);
    if (!in)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for reading %s", path);
    in->path = path;
    in->fd = -1;
    in->decoder_memory = options && options->decoder_memory ? options->decoder_memory : UINT64_MAX;
    in->stop = options ? options->stop : NULL;
    ws_status status = start(in, error);
    if (status) {
        ws_input_close(in);
        return status;
    }
    *out = in;
    return WS_OK;
}

void ws_input_close(ws_input *in)
{
    if (!in)
        return;
    ws_input_decoders_fini(in);
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    ws_free(in);
}

/* --- reading --- */

static ws_status read_decoded(ws_input *in, void *buffer, size_t cap, size_t *n, ws_error *error)
{
    switch (in->kind) {
    case WS_INPUT_ZSTD:
        return ws_input_read_zstd(in, buffer, cap, n, error);
    case WS_INPUT_GZIP:
        return ws_input_read_gzip(in, buffer, cap, n, error);
    case WS_INPUT_XZ:
        return ws_input_read_xz(in, buffer, cap, n, error);
    default:
        return read_plain(in, buffer, cap, n, error);
    }
}

ws_status ws_input_read(ws_input *in, void *buffer, size_t cap, size_t *n, ws_error *error)
{
    *n = 0;
    if (!in->failed && !in->done && cap)
        in->failed = read_decoded(in, buffer, cap, n, &in->error);
    in->stream_offset += *n;
    if (*n || !in->failed)
        return WS_OK;
    if (error)
        *error = in->error;
    return in->failed;
}

ws_status ws_input_skip(ws_input *in, uint64_t to, ws_error *error)
{
    uint8_t scratch[16384];
    while (in->stream_offset < to) {
        size_t n, want = (size_t)WS_MIN(to - in->stream_offset, (uint64_t)sizeof scratch);
        WS_TRY(ws_input_read(in, scratch, want, &n, error));
        if (n == 0)
            return ws_error_at(error, WS_ERR_RANGE, in->path, in->stream_offset,
                               "ends before the place to go on from");
    }
    return WS_OK;
}

/* --- looking in from outside --- */

const char *ws_input_path(const ws_input *in)
{
    return in->path;
}

uint32_t ws_input_kind(const ws_input *in)
{
    return in->kind;
}

const char *ws_input_kind_name(uint32_t kind)
{
    static const char *const names[] = {"plain", "zstd", "gzip", "xz"};
    return kind <= WS_INPUT_XZ ? names[kind] : names[0];
}

ws_input_identity ws_input_identify(const ws_input *in)
{
    return in->identity;
}

uint64_t ws_input_file_offset(const ws_input *in)
{
    return in->file_offset;
}

uint64_t ws_input_stream_offset(const ws_input *in)
{
    return in->stream_offset;
}

uint64_t ws_input_decoder_memory(const ws_input *in)
{
    return in->kind == WS_INPUT_ZSTD   ? in->window_memory
           : in->kind == WS_INPUT_GZIP ? 64u << 10
           : in->kind == WS_INPUT_XZ   ? lzma_memusage(&in->xz)
                                       : 0;
}
