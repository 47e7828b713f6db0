#include "server/request.h"

#include <llhttp.h>

#include "base/mem.h"
#include "base/str.h"

static const char *const method_names[WS_METHODS] = {
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE",
};

static const char *const field_names[WS_HEADERS] = {
    "accept-encoding", "authorization",   "content-encoding", "content-type",
    "expect",          "forwarded",       "if-none-match",    "via",
    "x-api-key",       "x-forwarded-for", "x-request-id",     "x-ws",
};

/* What the parser's callbacks fill; lives as long as one call of ws_request_parse. */
typedef struct {
    ws_request *request;
    int field; /* index of the field whose value comes next, or -1 */
} parse;

const char *ws_method_name(unsigned method)
{
    return method < WS_METHODS ? method_names[method] : "?";
}

static int find_method(ws_str name)
{
    for (int i = 0; i < WS_METHODS; i++) {
        if (ws_str_eq(name, ws_cstr(method_names[i])))
            return i;
    }
    return -1;
}

/* --- llhttp; the head is fed at once, so each span comes whole --- */

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
    parse *p = parser->data;
    p->request->target = ws_str_make(at, len);
    return 0;
}

static int on_field(llhttp_t *parser, const char *at, size_t len)
{
    parse *p = parser->data;
    p->field = -1;
    for (int i = 0; i < WS_HEADERS; i++) {
        if (ws_field_name_is(ws_str_make(at, len), field_names[i]))
            p->field = i;
    }
    return 0;
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
    parse *p = parser->data;
    if (p->field >= 0 && p->request->fields[p->field].ptr == NULL) {
        while (len && (at[len - 1] == ' ' || at[len - 1] == '\t'))
            len--;
        p->request->fields[p->field] = ws_str_make(at, len);
    }
    return 0;
}

static int on_headers_complete(llhttp_t *parser)
{
    parse *p = parser->data;
    p->request->keep_alive = llhttp_should_keep_alive(parser) != 0;
    return 1; /* the body is read by ws_body */
}

static int run_parser(ws_request *request, size_t len)
{
    llhttp_settings_t settings;
    llhttp_t parser;
    parse p = {request, -1};
    llhttp_settings_init(&settings);
    settings.on_url = on_url;
    settings.on_header_field = on_field;
    settings.on_header_value = on_value;
    settings.on_headers_complete = on_headers_complete;
    llhttp_init(&parser, HTTP_REQUEST, &settings);
    parser.data = &p;
    llhttp_errno_t e = llhttp_execute(&parser, request->head, len);
    /* CONNECT and Upgrade make the parser stop after the head; neither is taken up here. */
    return (e == HPE_OK || e == HPE_PAUSED_UPGRADE) && request->target.len > 0;
}

/* --- the copy --- */

static size_t count_high(ws_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += (unsigned char)s.ptr[i] >= 0x80;
    return n;
}

/* Copies the head, with the high bytes of the target percent-encoded: parsers differ on them, and
 * everything after this sees ASCII. Returns the length of the copy, 0 when memory is short. */
static size_t copy_head(ws_request *request, const char *head, const ws_prescan *scan)
{
    static const char hex[] = "0123456789ABCDEF";
    ws_str target = {head + scan->target_start, scan->target_end - scan->target_start};
    size_t from = scan->line_start, len = scan->pos - from + 2 * count_high(target);
    char *out = ws_malloc(len + 1);
    if (out == NULL)
        return 0;
    request->head = out;
    memcpy(out, head + from, scan->target_start - from);
    out += scan->target_start - from;
    for (size_t i = 0; i < target.len; i++) {
        unsigned char c = (unsigned char)target.ptr[i];
        if (c < 0x80) {
            *out++ = (char)c;
        } else {
            *out++ = '%';
            *out++ = hex[c >> 4];
            *out++ = hex[c & 15];
        }
    }
    request->line = ws_str_make(request->head, (size_t)(out - request->head) + 9); /* " HTTP/1.x" */
    memcpy(out, head + scan->target_end, scan->pos - scan->target_end);
    request->head[len] = 0;
    return len;
}

/* --- the target: /path?query, *, or http://host/path?query --- */

static ws_str strip_authority(ws_str target)
{
    static const ws_str schemes[] = {{"http://", 7}, {"https://", 8}};
    for (size_t i = 0; i < 2; i++) {
        ws_str s = schemes[i];
        if (target.len <= s.len || !ws_field_name_is(ws_str_sub(target, 0, s.len), s.ptr))
            continue;
        size_t at = s.len;
        while (at < target.len && target.ptr[at] != '/' && target.ptr[at] != '?')
            at++;
        return at > s.len ? ws_str_sub(target, at, target.len) : target;
    }
    return target;
}

static int split_target(ws_request *request)
{
    ws_str t = strip_authority(request->target);
    int absolute = t.ptr != request->target.ptr;
    if (ws_str_eq(t, WS_STR("*")) && request->method == WS_METHOD_OPTIONS) {
        request->path = t;
        return 1;
    }
    if (request->method == WS_METHOD_CONNECT) {
        request->path = t;
        return 1;
    }
    size_t mark = 0;
    while (mark < t.len && t.ptr[mark] != '?')
        mark++;
    request->path = ws_str_sub(t, 0, mark);
    request->query = ws_str_sub(t, mark + 1, t.len);
    if (absolute && request->path.len == 0)
        request->path = WS_STR("/");
    return request->path.len > 0 && request->path.ptr[0] == '/';
}

static int fail(ws_request *request, ws_refusal *refusal, ws_problem_kind kind, const char *detail)
{
    ws_request_free(request);
    *refusal = (ws_refusal){kind, detail};
    return 0;
}

int ws_request_parse(ws_request **out, const char *head, const ws_prescan *scan,
                     ws_refusal *refusal)
{
    *out = NULL;
    int method =
        find_method(ws_str_make(head + scan->line_start, scan->method_end - scan->line_start));
    if (method < 0)
        return fail(NULL, refusal, WS_PROBLEM_METHOD_UNKNOWN, "this method is not known here");
    ws_request *request = ws_calloc(1, sizeof *request);
    size_t len = request ? copy_head(request, head, scan) : 0;
    if (len == 0)
        return fail(request, refusal, WS_PROBLEM_OVERLOADED, "out of memory");
    request->method = (uint8_t)method;
    request->minor = scan->minor;
    request->framing = scan->framing;
    request->content_length = scan->content_length;
    ws_buf_init(&request->body);
    if (!run_parser(request, len))
        return fail(request, refusal, WS_PROBLEM_BAD_REQUEST, "malformed request head");
    if (!split_target(request))
        return fail(request, refusal, WS_PROBLEM_BAD_REQUEST, "malformed request target");
    *out = request;
    return 1;
}

void ws_request_free(ws_request *request)
{
    if (request == NULL)
        return;
    ws_buf_fini(&request->body);
    ws_free(request->head);
    ws_free(request);
}
