#include "engine/query/document.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/index/id_map.h"

static void write_value(ws_json *j, const ws_field *field, ws_str value)
{
    int64_t number;
    if (field->type == WS_FIELD_INT && ws_str_to_i64(value, &number))
        ws_json_i64(j, number);
    else
        ws_json_str(j, value);
}

static ws_status write_one(ws_json *j, ws_stored_reader *reader, const ws_field *field,
                           uint32_t value, ws_buf *whole)
{
    ws_buf_clear(whole);
    WS_TRY(ws_stored_whole(reader, value, whole));
    write_value(j, field, ws_buf_slice(whole));
    return WS_OK;
}

static int is_several(const ws_stored_reader *reader, const ws_schema *schema, uint32_t f)
{
    return (schema->fields[f].flags & WS_FIELD_MULTI) || ws_stored_find(reader, f, 1) >= 0;
}

static ws_status write_field(ws_json *j, ws_stored_reader *reader, const ws_schema *schema,
                             uint32_t f, ws_buf *whole)
{
    int value = ws_stored_find(reader, f, 0), several = is_several(reader, schema, f);
    if (value < 0 && !several)
        return WS_OK;
    ws_json_key(j, schema->fields[f].name);
    if (!several)
        return write_one(j, reader, &schema->fields[f], (uint32_t)value, whole);
    ws_json_array(j);
    for (uint32_t nth = 0; (value = ws_stored_find(reader, f, nth)) >= 0; nth++)
        WS_TRY(write_one(j, reader, &schema->fields[f], (uint32_t)value, whole));
    ws_json_end_array(j);
    return WS_OK;
}

static ws_status write_brief_body(ws_json *j, ws_stored_reader *reader, uint32_t f,
                                  uint32_t code_points)
{
    ws_str chunk;
    uint32_t offset;
    int value = ws_stored_find(reader, f, 0);
    if (value < 0)
        return WS_OK;
    WS_TRY(ws_stored_chunk(reader, (uint32_t)value, 0, &chunk, &offset));
    ws_json_kstr(j, "snippet", ws_str_sub(chunk, 0, ws_utf8_skip(chunk, code_points)));
    return WS_OK;
}

/* code_points 0: everything. */
static ws_status write_all(ws_json *j, ws_stored_reader *reader, const ws_schema *schema,
                           ws_segment *segment, uint32_t doc, uint32_t code_points, ws_buf *whole)
{
    char buffer[WS_ID_MAX];
    ws_str id;
    int body = code_points ? ws_schema_body_field(schema) : -1;
    WS_TRY(ws_segment_id(segment, doc, buffer, &id));
    ws_json_object(j);
    ws_json_kstr(j, "id", id);
    ws_status status = ws_stored_open(reader, segment, doc);
    for (uint32_t f = 0; !status && f < schema->n_fields; f++) {
        if (!(schema->fields[f].flags & WS_FIELD_IS_STORED))
            continue;
        status = (int)f == body ? write_brief_body(j, reader, f, code_points)
                                : write_field(j, reader, schema, f, whole);
    }
    ws_json_end_object(j);
    return status == WS_ERR_NOT_FOUND ? WS_OK
                                      : status; /* an index that stores nothing has ids only */
}

static ws_status write_document(ws_json *j, ws_stored_reader *reader, const ws_schema *schema,
                                ws_segment *segment, uint32_t doc, uint32_t code_points)
{
    ws_buf whole;
    ws_buf_init(&whole);
    ws_status status = write_all(j, reader, schema, segment, doc, code_points, &whole);
    ws_buf_fini(&whole);
    return status;
}

ws_status ws_document_write(ws_json *j, ws_stored_reader *reader, const ws_schema *schema,
                            ws_segment *segment, uint32_t doc)
{
    return write_document(j, reader, schema, segment, doc, 0);
}

ws_status ws_document_write_brief(ws_json *j, ws_stored_reader *reader, const ws_schema *schema,
                                  ws_segment *segment, uint32_t doc, uint32_t code_points)
{
    return write_document(j, reader, schema, segment, doc, code_points);
}
