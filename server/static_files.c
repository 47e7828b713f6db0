/* The web page: files compiled into the program. No path of the file system is ever built from a
 * request. */
#include "base/str.h"
#include "server/embedded.h"
#include "server/exchange.h"

ws_handled ws_handle_static(ws_exchange *ex)
{
    ws_str name = ws_str_sub(ex->request->path, 1, ex->request->path.len);
    if (name.len == 0)
        name = WS_STR("index.html");
    for (size_t i = 0; i < ws_embedded_file_count; i++) {
        const struct ws_embedded_file *file = &ws_embedded_files[i];
        if (!ws_str_eq(name, ws_cstr(file->path)))
            continue;
        ex->response.content_type = file->content_type;
        ex->response.fixed = file->data;
        ex->response.fixed_len = file->size;
        ws_buf_cstr(&ex->response.headers,
                    "Cache-Control: no-cache\r\n"
                    "Content-Security-Policy: default-src 'self'; frame-ancestors 'none'; "
                    "base-uri 'none'; form-action 'self'\r\n"
                    "Referrer-Policy: no-referrer\r\n");
        ws_exchange_tag(ex, file->etag);
        return WS_ANSWERED;
    }
    ws_problem_set(&ex->problem, WS_PROBLEM_NO_SUCH_ROUTE, "there is no page here");
    return WS_ANSWERED;
}
