#include "server/reader.h"

void ws_reader_init(ws_reader *reader, uint64_t body_limit)
{
    *reader = (ws_reader){.body_limit = body_limit};
    ws_prescan_init(&reader->scan);
}

static ws_read_result refuse(ws_reader *reader, ws_refusal refusal)
{
    reader->refusal = refusal;
    return WS_READ_REFUSED;
}

static ws_read_result read_head(ws_reader *reader, const char *data, size_t len, size_t *consumed)
{
    ws_prescan *scan = &reader->scan;
    ws_refusal refusal = {WS_PROBLEM_NONE, NULL};
    switch (ws_prescan_feed(scan, data, len)) {
    case WS_PRESCAN_MORE:
        return WS_READ_MORE;
    case WS_PRESCAN_REFUSED:
        return refuse(reader, scan->refusal);
    case WS_PRESCAN_DONE:
        break;
    }
    if (!ws_request_parse(&reader->request, data, scan, &refusal))
        return refuse(reader, refusal);
    *consumed = scan->pos;
    ws_body_init(&reader->body, (ws_framing)scan->framing, scan->content_length,
                 reader->body_limit);
    reader->in_body = 1;
    return WS_READ_HEAD;
}

static ws_read_result read_body(ws_reader *reader, const char *data, size_t len, size_t *consumed)
{
    ws_request *request = reader->request;
    ws_body_result result = ws_body_feed(&reader->body, data, len, consumed, &request->body);
    if (ws_buf_status(&request->body) < 0)
        return refuse(reader, (ws_refusal){WS_PROBLEM_OVERLOADED, "out of memory"});
    if (result == WS_BODY_REFUSED)
        return refuse(reader, reader->body.refusal);
    if (result == WS_BODY_MORE)
        return WS_READ_MORE;
    ws_reader_init(reader, reader->body_limit);
    return WS_READ_DONE;
}

ws_read_result ws_reader_feed(ws_reader *reader, const char *data, size_t len, size_t *consumed)
{
    *consumed = 0;
    if (reader->refusal.kind != WS_PROBLEM_NONE)
        return WS_READ_REFUSED;
    return reader->in_body ? read_body(reader, data, len, consumed)
                           : read_head(reader, data, len, consumed);
}

int ws_reader_is_busy(const ws_reader *reader, size_t len)
{
    return len > 0 || reader->in_body || reader->scan.pos > 0;
}
