/* A cache trace of any format (the first byte says which): read to its end or to an error. */
#define _GNU_SOURCE /* memfd_create */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "indexer/trace.h"

#define IDS_MAX 100000u /* a line may stand for four billion */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        abort();
}

static void read_ids(const char *path, uint32_t format)
{
    ws_trace *trace;
    ws_error error = {0};
    uint64_t id, n = 0;
    ws_status status = ws_trace_open(&trace, path, format, &error);
    must(status == WS_OK || (trace == NULL && error.message[0]));
    if (status)
        return;
    must(ws_trace_format(trace) != WS_TRACE_AUTO);
    must(format == WS_TRACE_AUTO || ws_trace_format(trace) == format);
    while (n < IDS_MAX && (status = ws_trace_next(trace, &id, &error)) == WS_OK)
        n++;
    must(status == WS_OK || status == WS_ERR_NOT_FOUND || error.message[0]);
    ws_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (size == 0) {
        close(fd);
        return 0;
    }
    must(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_ids(path, data[0] % (WS_TRACE_ORACLE + 1));
    close(fd);
    return 0;
}
