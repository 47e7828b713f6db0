#include "server/prescan.h"

#include "base/str.h"

enum {
    S_START, /* before the request line; one empty line is skipped (RFC 9112 2.2) */
    S_START_LF,
    S_METHOD,
    S_TARGET,
    S_VERSION,
    S_LINE_LF,
    S_FIELD, /* first byte of a field, or of the empty line */
    S_NAME,
    S_VALUE,
    S_VALUE_LF,
    S_END_LF,
    S_DONE,
    S_REFUSED
};

int ws_is_token_char(unsigned char c)
{
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return 1;
    return c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

int ws_field_name_is(ws_str name, const char *lower)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (c >= 'A' && c <= 'Z')
            c = (unsigned char)(c + 32);
        if (lower[i] == 0 || c != (unsigned char)lower[i])
            return 0;
    }
    return lower[name.len] == 0;
}

void ws_prescan_init(ws_prescan *scan)
{
    *scan = (ws_prescan){.state = S_START};
}

static int refuse(ws_prescan *scan, ws_problem_kind kind, const char *detail)
{
    scan->state = S_REFUSED;
    scan->refusal = (ws_refusal){kind, detail};
    return 0;
}

static int bad(ws_prescan *scan, const char *detail)
{
    return refuse(scan, WS_PROBLEM_BAD_REQUEST, detail);
}

/* --- values of the fields that decide framing and routing --- */

static int is_host_char(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
           c == '-' || c == '_' || c == '~';
}

static int is_address_char(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' ||
           c == '.';
}

int ws_host_is_valid(ws_str value)
{
    size_t i = 0;
    if (value.len && value.ptr[0] == '[') {
        for (i = 1; i < value.len && is_address_char((unsigned char)value.ptr[i]);)
            i++;
        if (i < 3 || i == value.len || value.ptr[i] != ']')
            return 0;
        i++;
    } else {
        while (i < value.len && is_host_char((unsigned char)value.ptr[i]))
            i++;
        if (i == 0)
            return 0;
    }
    if (i == value.len)
        return 1;
    if (value.ptr[i] != ':' || value.len - i > 6)
        return 0;
    for (i++; i < value.len; i++) {
        if (value.ptr[i] < '0' || value.ptr[i] > '9')
            return 0;
    }
    return 1;
}

static int check_host(ws_prescan *scan, ws_str value)
{
    if (scan->n_hosts++)
        return bad(scan, "more than one Host field");
    return ws_host_is_valid(value) ? 1 : bad(scan, "malformed Host field");
}

static int check_length(ws_prescan *scan, ws_str value)
{
    if (scan->framing == WS_FRAMING_LENGTH)
        return bad(scan, "more than one Content-Length field");
    if (scan->framing == WS_FRAMING_CHUNKED)
        return bad(scan, "both Content-Length and Transfer-Encoding");
    /* Digits only: no sign, no list, and far from overflow. */
    if (value.len > 18 || !ws_str_to_u64(value, &scan->content_length))
        return bad(scan, "malformed Content-Length field");
    scan->framing = WS_FRAMING_LENGTH;
    return 1;
}

static int ends_with_chunked(ws_str value)
{
    size_t comma = value.len;
    while (comma > 0 && value.ptr[comma - 1] != ',')
        comma--;
    ws_str last = ws_str_sub(value, comma, value.len);
    while (last.len && (last.ptr[0] == ' ' || last.ptr[0] == '\t'))
        last = ws_str_sub(last, 1, last.len);
    return comma > 0 && ws_field_name_is(last, "chunked");
}

static int check_coding(ws_prescan *scan, ws_str value)
{
    if (scan->framing == WS_FRAMING_CHUNKED)
        return bad(scan, "more than one Transfer-Encoding field");
    if (scan->framing == WS_FRAMING_LENGTH)
        return bad(scan, "both Content-Length and Transfer-Encoding");
    if (scan->minor == 0)
        return bad(scan, "Transfer-Encoding in HTTP/1.0");
    scan->framing = WS_FRAMING_CHUNKED;
    if (ws_field_name_is(value, "chunked"))
        return 1;
    if (ends_with_chunked(value) && !ws_field_name_is(ws_str_sub(value, 0, 7), "chunked"))
        return refuse(scan, WS_PROBLEM_TRANSFER_CODING_UNSUPPORTED,
                      "the only transfer coding understood is chunked");
    return bad(scan, "the transfer coding must be exactly chunked");
}

static int end_field(ws_prescan *scan, const char *head, uint32_t value_end)
{
    ws_str name = {head + scan->name_start, scan->name_end - scan->name_start};
    uint32_t start = scan->value_start;
    while (start < value_end && (head[start] == ' ' || head[start] == '\t'))
        start++;
    while (value_end > start && (head[value_end - 1] == ' ' || head[value_end - 1] == '\t'))
        value_end--;
    ws_str value = {head + start, value_end - start};

    if (++scan->n_fields > WS_HEAD_FIELDS_MAX)
        return refuse(scan, WS_PROBLEM_HEADERS_TOO_LARGE, "more than 64 header fields");
    if (ws_field_name_is(name, "host"))
        return check_host(scan, value);
    if (ws_field_name_is(name, "content-length"))
        return check_length(scan, value);
    if (ws_field_name_is(name, "transfer-encoding"))
        return check_coding(scan, value);
    return 1;
}

/* --- the automaton; each step returns 0 when the request is refused --- */

static int step_start(ws_prescan *scan, unsigned char c)
{
    if (c == '\r' && scan->line_start == 0) {
        scan->state = S_START_LF;
        return 1;
    }
    if (!ws_is_token_char(c))
        return bad(scan, "the request line must begin with a method");
    scan->state = S_METHOD;
    return 1;
}

static int step_method(ws_prescan *scan, unsigned char c)
{
    if (ws_is_token_char(c))
        return scan->pos - scan->line_start < 32 ? 1 : bad(scan, "the method is too long");
    if (c != ' ')
        return bad(scan, "the method must be followed by one space");
    scan->method_end = scan->pos;
    scan->target_start = scan->pos + 1;
    scan->state = S_TARGET;
    return 1;
}

static int step_target(ws_prescan *scan, unsigned char c)
{
    if (c == ' ') {
        scan->target_end = scan->pos;
        scan->state = S_VERSION;
        return scan->target_end > scan->target_start ? 1 : bad(scan, "empty request target");
    }
    /* Bytes from 0x80 on are let through: people paste Korean into curl. */
    if (c <= 0x20 || c == 0x7f || c == '#')
        return bad(scan, "byte not allowed in the request target");
    return 1;
}

static int step_version(ws_prescan *scan, unsigned char c)
{
    static const char shape[] = "HTTP/0.0";
    uint8_t at = scan->version_pos++;
    if (at == 8) {
        if (c != '\r')
            return bad(scan, "malformed request line");
        scan->state = S_LINE_LF;
        if (scan->major != 1 || scan->minor > 1)
            return refuse(scan, WS_PROBLEM_HTTP_VERSION_UNSUPPORTED,
                          "HTTP/1.1 and HTTP/1.0 are understood");
        return 1;
    }
    if (at != 5 && at != 7)
        return c == (unsigned char)shape[at] ? 1 : bad(scan, "malformed HTTP version");
    if (c < '0' || c > '9')
        return bad(scan, "malformed HTTP version");
    *(at == 5 ? &scan->major : &scan->minor) = (uint8_t)(c - '0');
    return 1;
}

static int step_field(ws_prescan *scan, unsigned char c)
{
    if (c == '\r') {
        scan->state = S_END_LF;
        return 1;
    }
    if (c == ' ' || c == '\t')
        return bad(scan, "folded header field");
    if (c == ':')
        return bad(scan, "empty header field name");
    if (!ws_is_token_char(c))
        return bad(scan, "byte not allowed in a header field name");
    scan->name_start = scan->pos;
    scan->state = S_NAME;
    return 1;
}

static int step_name(ws_prescan *scan, unsigned char c)
{
    if (ws_is_token_char(c))
        return 1;
    if (c == ' ' || c == '\t')
        return bad(scan, "space before the colon of a header field");
    if (c != ':')
        return bad(scan, "byte not allowed in a header field name");
    scan->name_end = scan->pos;
    scan->value_start = scan->pos + 1;
    scan->state = S_VALUE;
    return 1;
}

static int step_value(ws_prescan *scan, unsigned char c)
{
    if (c == '\r') {
        scan->state = S_VALUE_LF;
        return 1;
    }
    if (c == '\n')
        return bad(scan, "bare LF in a header field");
    if ((c < 0x20 && c != '\t') || c == 0x7f)
        return bad(scan, "control byte in a header field");
    return 1;
}

static int expect_lf(ws_prescan *scan, unsigned char c, uint8_t next)
{
    if (c != '\n')
        return bad(scan, "CR without LF");
    scan->state = next;
    return 1;
}

static int step(ws_prescan *scan, const char *head, unsigned char c)
{
    switch (scan->state) {
    case S_START:
        return step_start(scan, c);
    case S_START_LF:
        scan->line_start = 2;
        return expect_lf(scan, c, S_START);
    case S_METHOD:
        return step_method(scan, c);
    case S_TARGET:
        return step_target(scan, c);
    case S_VERSION:
        return step_version(scan, c);
    case S_LINE_LF:
        return expect_lf(scan, c, S_FIELD);
    case S_FIELD:
        return step_field(scan, c);
    case S_NAME:
        return step_name(scan, c);
    case S_VALUE:
        return step_value(scan, c);
    case S_VALUE_LF:
        return expect_lf(scan, c, S_FIELD) && end_field(scan, head, scan->pos - 1);
    default: /* S_END_LF */
        if (!expect_lf(scan, c, S_DONE))
            return 0;
        if (scan->minor == 1 && scan->n_hosts == 0)
            return bad(scan, "HTTP/1.1 needs a Host field");
        return 1;
    }
}

/* Before byte `pos` is looked at: may the head be that long? */
static int within_limits(ws_prescan *scan)
{
    if (scan->state < S_LINE_LF && scan->pos - scan->line_start > WS_REQUEST_LINE_MAX)
        return refuse(scan, WS_PROBLEM_URI_TOO_LONG, "the request line is longer than 8192 bytes");
    if (scan->pos >= WS_HEAD_MAX)
        return refuse(scan, WS_PROBLEM_HEADERS_TOO_LARGE,
                      "the request head is longer than 16384 bytes");
    return 1;
}

ws_prescan_result ws_prescan_feed(ws_prescan *scan, const char *head, size_t len)
{
    while (scan->state < S_DONE && scan->pos < len) {
        if (!within_limits(scan) || !step(scan, head, (unsigned char)head[scan->pos]))
            break;
        scan->pos++;
    }
    if (scan->state == S_REFUSED)
        return WS_PRESCAN_REFUSED;
    return scan->state == S_DONE ? WS_PRESCAN_DONE : WS_PRESCAN_MORE;
}
