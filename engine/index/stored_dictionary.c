/* The zstd dictionary of an index: raw bytes, digested once for writing and once for reading. */
#include <zdict.h>

#include "base/error.h"
#include "base/mem.h"
#include "engine/index/stored.h"
#include "engine/index/stored_int.h"

#define LEAST_SAMPLES 16u
#define LEAST_BYTES   (64u << 10)

static ws_status make(ws_stored_dictionary **out, const void *bytes, size_t n)
{
    *out = NULL;
    ws_stored_dictionary *d = ws_calloc(1, sizeof *d + n);
    if (!d)
        return WS_ERR_NOMEM;
    atomic_store(&d->references, 1);
    d->n = n;
    memcpy(d->bytes, bytes, n);
    d->decompress = ZSTD_createDDict(d->bytes, n);
    d->compress = ZSTD_createCDict(d->bytes, n, WS_STORED_LEVEL);
    if (!d->decompress || !d->compress) {
        ws_stored_dictionary_unref(d);
        return WS_ERR_NOMEM;
    }
    *out = d;
    return WS_OK;
}

ws_status ws_stored_dictionary_train(ws_stored_dictionary **out, const void *samples, const size_t *sizes, uint32_t n,
                                     size_t max_bytes)
{
    size_t total = 0;
    *out = NULL;
    for (uint32_t i = 0; i < n; i++)
        total += sizes[i];
    if (n < LEAST_SAMPLES || total < LEAST_BYTES)
        return WS_OK;
    void *bytes = ws_malloc(max_bytes);
    if (!bytes)
        return WS_ERR_NOMEM;
    size_t made = ZDICT_trainFromBuffer(bytes, max_bytes, samples, sizes, n);
    ws_status status = ZDICT_isError(made) ? WS_OK : make(out, bytes, made); /* untrainable samples: no dictionary */
    ws_free(bytes);
    return status;
}

ws_status ws_stored_dictionary_from_segment(ws_stored_dictionary **out, ws_segment *segment)
{
    *out = NULL;
    size_t n = segment->stored_dir.size ? ws_stored_dictionary_length(segment) : 0;
    if (n == 0)
        return WS_OK;
    WS_TRY(ws_segment_file_touch(&segment->file, segment->stored.data, n));
    return make(out, segment->stored.data, n);
}

ws_stored_dictionary *ws_stored_dictionary_ref(ws_stored_dictionary *d)
{
    if (d)
        atomic_fetch_add_explicit(&d->references, 1, memory_order_relaxed);
    return d;
}

void ws_stored_dictionary_unref(ws_stored_dictionary *d)
{
    if (!d || atomic_fetch_sub_explicit(&d->references, 1, memory_order_acq_rel) != 1)
        return;
    ZSTD_freeDDict(d->decompress);
    ZSTD_freeCDict(d->compress);
    ws_free(d);
}

ws_str ws_stored_dictionary_bytes(const ws_stored_dictionary *d)
{
    ws_str bytes = {d ? (const char *)d->bytes : NULL, d ? d->n : 0};
    return bytes;
}
