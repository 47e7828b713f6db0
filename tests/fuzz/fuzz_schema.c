/* The binary schema from any bytes: refused, or a schema that survives its own bytes. */
#include <stdlib.h>

#include "engine/index/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_schema schema, back;
    ws_buf bytes;
    ws_str text = {(const char *)data, size};
    ws_status status = ws_schema_decode(&schema, text);
    must(status == WS_OK || status == WS_ERR_CORRUPT);
    if (status)
        return 0;
    ws_buf_init(&bytes);
    ws_schema_encode(&schema, &bytes);
    must(ws_buf_status(&bytes) == WS_OK && bytes.len == size);
    must(ws_schema_decode(&back, ws_buf_slice(&bytes)) == WS_OK && ws_schema_equal(&schema, &back));
    for (uint32_t f = 0; f < schema.n_fields; f++)
        must(ws_schema_find(&schema, ws_cstr(schema.fields[f].name)) == (int)f);
    int title = ws_schema_title_field(&schema), body = ws_schema_body_field(&schema);
    must((title < 0) == (body < 0) && title <= body && body < (int)schema.n_fields);
    ws_buf_fini(&bytes);
    return 0;
}
