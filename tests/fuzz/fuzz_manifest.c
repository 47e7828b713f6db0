/* MANIFEST and the live bits beside it from any bytes. The first byte says whether length and hash
 * are made right before they are read. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/index/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        abort();
}

/* What was accepted is accepted again, and its user map can be walked and changed. */
static void check(ws_manifest *m)
{
    ws_manifest back;
    ws_buf bytes;
    ws_str value;
    ws_buf_init(&bytes);
    ws_manifest_encode(m, &bytes);
    must(ws_buf_status(&bytes) == WS_OK);
    must(ws_manifest_decode(&back, ws_buf_slice(&bytes), NULL) == WS_OK);
    must(back.n_segments == m->n_segments && ws_schema_equal(&back.schema, &m->schema));
    must(ws_user_map_get(&back, ws_cstr("no such key, surely"), &value) == WS_ERR_NOT_FOUND);
    ws_status status = ws_user_map_set(&back, ws_cstr("k"), ws_cstr("v"));
    must(status == WS_OK || status == WS_ERR_LIMIT);
    if (!status)
        must(ws_user_map_get(&back, ws_cstr("k"), &value) == WS_OK &&
             ws_str_eq(value, ws_cstr("v")));
    ws_manifest_fini(&back);
    ws_buf_fini(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_manifest m;
    ws_error error = {0};
    if (size < 1)
        return 0;
    size_t n = size - 1;
    uint8_t *bytes = ws_malloc(n);
    must(bytes != NULL);
    memcpy(bytes, data + 1, n);
    if (data[0] && n >= 112) {
        ws_store_u32le(bytes + 12, (uint32_t)n);
        ws_store_u64le(bytes + n - 8, ws_hash64(bytes, n - 8));
    }
    ws_status status = ws_manifest_decode(&m, ws_str_make((const char *)bytes, n), &error);
    must(status == WS_OK ||
         ((status == WS_ERR_CORRUPT || status == WS_ERR_VERSION) && error.message[0]));
    if (!status) {
        check(&m);
        ws_manifest_fini(&m);
    }
    ws_free(bytes);
    return 0;
}
