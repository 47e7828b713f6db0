/* The zstd dictionary of an index: raw bytes, digested once for writing and once for reading. */
#include "engine/index/stored_int.h"

#include <zdict.h>

#include "base/error.h"
#include "base/mem.h"

#define LEAST_SAMPLES 16u
#define LEAST_BYTES   (64u << 10)

static void *zstd_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return ws_malloc(size);
}

static void zstd_free(void *ctx, void *ptr)
{
    (void)ctx;
    ws_free(ptr);
}

const ZSTD_customMem ws_zstd_memory = {zstd_alloc, zstd_free, NULL};

/* --- making one --- */

static ws_status make(ws_stored_dictionary **out, const void *bytes, size_t n)
{
    *out = NULL;
    ws_stored_dictionary *d = ws_calloc(1, sizeof *d + n);
    if (!d)
        return WS_ERR_NOMEM;
    atomic_init(&d->references, 1);
    d->n = n;
    memcpy(d->bytes, bytes, n);
    d->decompress =
        ZSTD_createDDict_advanced(d->bytes, n, ZSTD_dlm_byRef, ZSTD_dct_auto, ws_zstd_memory);
    if (!d->decompress) {
        ws_stored_dictionary_unref(d);
        return WS_ERR_NOMEM;
    }
    *out = d;
    return WS_OK;
}

ws_status ws_stored_dictionary_train(ws_stored_dictionary **out, const void *samples,
                                     const size_t *sizes, uint32_t n, size_t max_bytes)
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
    ws_status status = ZDICT_isError(made)
                           ? WS_OK
                           : make(out, bytes, made); /* untrainable samples: no dictionary */
    ws_free(bytes);
    return status;
}

ws_status ws_stored_dictionary_compressor(ws_stored_dictionary *d, const ZSTD_CDict **compressor)
{
    /* acquire and release: who sees the pointer sees what it points to. */
    ZSTD_CDict *made = atomic_load_explicit(&d->compress, memory_order_acquire), *first = NULL;
    if (!made) {
        ZSTD_compressionParameters parameters =
            ZSTD_getCParams(WS_STORED_LEVEL, WS_STORED_CHUNK_MAX, d->n);
        made = ZSTD_createCDict_advanced(d->bytes, d->n, ZSTD_dlm_byRef, ZSTD_dct_auto, parameters,
                                         ws_zstd_memory);
        if (!made)
            return WS_ERR_NOMEM;
        if (!atomic_compare_exchange_strong(&d->compress, &first, made)) {
            ZSTD_freeCDict(made);
            made = first;
        }
    }
    *compressor = made;
    return WS_OK;
}

/* --- a segment's --- */

ws_status ws_segment_dictionary(ws_segment *segment, ws_stored_dictionary **out)
{
    ws_stored_dictionary *made = atomic_load_explicit(&segment->dictionary, memory_order_acquire),
                         *first = NULL;
    size_t n = ws_stored_dictionary_length(segment);
    *out = made;
    if (made || n == 0)
        return WS_OK;
    WS_TRY(ws_segment_file_touch(&segment->file, segment->stored.data, n));
    WS_TRY(make(&made, segment->stored.data, n));
    if (!atomic_compare_exchange_strong(&segment->dictionary, &first, made)) {
        ws_stored_dictionary_unref(made);
        made = first;
    }
    *out = made;
    return WS_OK;
}

ws_status ws_stored_dictionary_from_segment(ws_stored_dictionary **out, ws_segment *segment)
{
    ws_status status = ws_segment_dictionary(segment, out);
    ws_stored_dictionary_ref(*out);
    return status;
}

/* --- references --- */

ws_stored_dictionary *ws_stored_dictionary_ref(ws_stored_dictionary *d)
{
    if (d)
        atomic_fetch_add_explicit(&d->references, 1, memory_order_relaxed);
    return d;
}

void ws_stored_dictionary_unref(ws_stored_dictionary *d)
{
    /* acq_rel: the last owner must see what the others did before it frees. */
    if (!d || atomic_fetch_sub_explicit(&d->references, 1, memory_order_acq_rel) != 1)
        return;
    ZSTD_freeDDict(d->decompress);
    ZSTD_freeCDict(atomic_load_explicit(&d->compress, memory_order_relaxed));
    ws_free(d);
}

ws_str ws_stored_dictionary_bytes(const ws_stored_dictionary *d)
{
    ws_str bytes = {d ? (const char *)d->bytes : NULL, d ? d->n : 0};
    return bytes;
}
