/* A schema in JSON: refused with a message, or one that survives being written as JSON and in
 * binary. */
#include <stdlib.h>

#include "engine/api/schema_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
    if (!condition)
        abort();
}

static void check_json(const ws_schema *schema)
{
    ws_buf buf;
    ws_json json;
    ws_schema *back;
    ws_buf_init(&buf);
    ws_json_init(&json, &buf);
    ws_schema_write_json(schema, &json);
    must(ws_schema_new_json(&back, ws_buf_slice(&buf), NULL) == WS_OK);
    must(ws_schema_equal(schema, back));
    ws_schema_free(back);
    ws_buf_fini(&buf);
}

static void check_binary(const ws_schema *schema)
{
    ws_buf buf;
    ws_schema back;
    ws_buf_init(&buf);
    ws_schema_encode(schema, &buf);
    must(ws_schema_decode(&back, ws_buf_slice(&buf)) == WS_OK);
    must(ws_schema_equal(schema, &back));
    ws_buf_fini(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_schema *schema;
    ws_error error = {0};
    ws_status status = ws_schema_new_json(&schema, (ws_str){(const char *)data, size}, &error);
    if (status) {
        must(schema == NULL && error.code == status && error.message[0]);
        return 0;
    }
    check_json(schema);
    check_binary(schema);
    ws_schema_free(schema);
    return 0;
}
