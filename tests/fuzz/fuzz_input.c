/* A file of an import, plain, gzip, zstd or anything else: read as lines to its end or to an error.
 * The lines must cover the stream without a gap, whatever the limit of their length. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "indexer/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        abort();
}

static void read_lines(const char *path, size_t line_max, size_t size)
{
    ws_input *in;
    ws_splitter *splitter;
    ws_line line;
    ws_error error = {0};
    ws_input_options options = {.decoder_memory = 8u << 20};
    uint64_t at = 0;
    ws_status status = ws_input_open(&in, path, &options, &error);
    must(status == WS_OK || (in == NULL && error.message[0]));
    if (status)
        return;
    must(ws_splitter_new(&splitter, in, line_max) == WS_OK);
    while ((status = ws_splitter_next(splitter, &line, &error)) == WS_OK) {
        must(line.offset == at || (at == 0 && line.offset == 3)); /* a byte order mark */
        must(line.length > 0 && line.bytes.len <= line.length);
        must(line.too_long ? line.bytes.len == 0 && line.length > line_max
                           : line.bytes.len <= line_max);
        at = line.offset + line.length;
    }
    must(status < 0 && at <= ws_input_stream_offset(in) && ws_input_file_offset(in) <= size);
    must(status != WS_ERR_NOT_FOUND || at == ws_input_stream_offset(in) || at == 0);
    ws_splitter_free(splitter);
    ws_input_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_lines(path, 100, size);
    read_lines(path, 1 << 20, size);
    close(fd);
    return 0;
}
