#include "engine/index/id_table.h"

#include "base/error.h"
#include "base/mem.h"

static ws_status copy_section(ws_segment *segment, ws_section from, ws_section *to)
{
    uint8_t *copy = ws_malloc(from.size);
    if (!copy)
        return WS_ERR_NOMEM;
    to->data = copy;
    to->size = from.size;
    WS_TRY(ws_segment_file_touch(&segment->file, from.data, from.size));
    memcpy(copy, from.data, from.size);
    return WS_OK;
}

static ws_status copy_identity(ws_segment *table, ws_segment *segment)
{
    table->meta = segment->meta;
    table->file.id = segment->file.id;
    table->file.n_docs = segment->file.n_docs;
    table->file.tail_hash = segment->file.tail_hash;
    WS_TRY(copy_section(segment, segment->id_map, &table->id_map));
    return copy_section(segment, segment->doc_key, &table->doc_key);
}

ws_status ws_id_table_open(ws_segment **out, const char *path, ws_error *error)
{
    ws_segment_options options = {WS_ACCESS_MMAP, WS_VERIFY_LAZY, 0};
    ws_segment *segment;
    *out = NULL;
    ws_segment *table = ws_calloc(1, sizeof *table);
    if (!table)
        return ws_error_set(error, WS_ERR_NOMEM, "no memory for the ids of %s", path);
    ws_status status = ws_segment_open(&segment, path, &options, error);
    if (!status) {
        status = copy_identity(table, segment);
        if (status)
            ws_error_at(error, status, path, 0, "cannot read the ids: %s", ws_status_text(status));
        ws_segment_unref(segment);
    }
    if (status) {
        ws_id_table_free(table);
        return status;
    }
    *out = table;
    return WS_OK;
}

void ws_id_table_free(ws_segment *table)
{
    if (!table)
        return;
    ws_free((void *)(uintptr_t)table->id_map.data);
    ws_free((void *)(uintptr_t)table->doc_key.data);
    ws_free(table);
}

size_t ws_id_table_memory(const ws_segment *table)
{
    return sizeof *table + table->id_map.size + table->doc_key.size;
}
