/* A line of an import: the first byte picks a schema, the rest is the document. Whatever it is, it
 * becomes a document whose values fit the schema, or a reason. */
#include <stdlib.h>

#include "base/utf8.h"
#include "indexer/json_load.h"
#include "indexer/jsonl.h"
#include "wikisearch/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const schemas[] = {
    "",
    "{\"id\": \"\", \"fields\": [{\"name\": \"body\", \"from\": \"text\", \"type\": \"text\"}]}",
    "{\"id\": \"sku\", \"fields\": [{\"name\": \"n\", \"type\": \"int\"}, {\"name\": \"k\", "
    "\"type\": \"keyword\"},"
    "{\"name\": \"m\", \"type\": \"keyword\", \"multi\": true}, {\"name\": \"s\", \"type\": "
    "\"stored\"},"
    "{\"name\": \"same\", \"from\": \"n\", \"type\": \"stored\"}]}",
};

static void must(int condition)
{
    if (!condition)
        abort();
}

static void check_integer(ws_str bytes)
{
    size_t at = bytes.len && bytes.ptr[0] == '-';
    must(bytes.len > at && bytes.len <= 20);
    for (; at < bytes.len; at++)
        must(bytes.ptr[at] >= '0' && bytes.ptr[at] <= '9');
}

static void check(const ws_schema *schema, const ws_ingest_document *document)
{
    must(document->n_values <= 1024 && ws_utf8_valid(document->id));
    for (uint32_t i = 0; i < document->n_values; i++) {
        const ws_ingest_value *v = &document->values[i];
        must(v->field < schema->n_fields && ws_utf8_valid(v->bytes));
        if (schema->fields[v->field].type == WS_FIELD_INT)
            check_integer(v->bytes);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ws_schema *schema;
    ws_jsonl *parser;
    ws_ingest_document document;
    ws_error error = {0};
    if (size == 0)
        return 0;
    ws_str text = {(const char *)data + 1, size - 1};
    must(ws_schema_new_json(&schema, ws_cstr(schemas[data[0] % 3]), NULL) == WS_OK);
    must(ws_jsonl_new(&parser, schema) == WS_OK);
    must(ws_json_depth(text) <= WS_JSON_DEPTH_MAX + 1);
    for (int i = 0; i < 2; i++) {
        ws_status status = ws_jsonl_parse(parser, text, 7, &document, &error);
        if (status == WS_OK)
            check(schema, &document);
        else
            must(status < 0 && error.message[0]);
    }
    ws_jsonl_free(parser);
    ws_schema_free(schema);
    return 0;
}
