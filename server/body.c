#include "server/body.h"

#include "base/bytes.h"

enum {
    B_COUNTED,
    B_SIZE, /* hexadecimal digits of a chunk size */
    B_SIZE_LF,
    B_DATA,
    B_DATA_CR,
    B_DATA_LF,
    B_LAST_CR, /* the empty line after the chunk of size 0 */
    B_LAST_LF,
    B_DONE,
    B_REFUSED
};

#define CHUNK_DIGITS_MAX 8 /* a chunk size stays below 2^32 */

static ws_body_result refuse(ws_body *body, ws_problem_kind kind, const char *detail)
{
    body->state = B_REFUSED;
    body->refusal = (ws_refusal){kind, detail};
    return WS_BODY_REFUSED;
}

void ws_body_init(ws_body *body, ws_framing framing, uint64_t length, uint64_t limit)
{
    *body = (ws_body){.limit = limit, .state = B_SIZE};
    if (framing == WS_FRAMING_CHUNKED)
        return;
    body->left = framing == WS_FRAMING_LENGTH ? length : 0;
    body->state = body->left ? B_COUNTED : B_DONE;
    if (body->left > limit)
        refuse(body, WS_PROBLEM_BODY_TOO_LARGE, "the body is larger than the limit");
}

static int hex_value(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void end_size(ws_body *body)
{
    body->state = B_SIZE_LF;
    if (body->digits == 0)
        refuse(body, WS_PROBLEM_BAD_REQUEST, "malformed chunk size");
    else if (body->left > body->limit || body->total + body->left > body->limit)
        refuse(body, WS_PROBLEM_BODY_TOO_LARGE, "the body is larger than the limit");
}

static void step_size(ws_body *body, unsigned char c)
{
    int digit = hex_value(c);
    if (c == '\r') {
        end_size(body);
    } else if (digit < 0 || body->digits == CHUNK_DIGITS_MAX) {
        refuse(body, WS_PROBLEM_BAD_REQUEST, "malformed chunk size (extensions are not accepted)");
    } else {
        body->left = body->left * 16 + (unsigned)digit;
        body->digits++;
    }
}

static void expect(ws_body *body, unsigned char c, unsigned char wanted, uint8_t next)
{
    if (c == wanted)
        body->state = next;
    else
        refuse(body, WS_PROBLEM_BAD_REQUEST,
               body->state == B_LAST_CR ? "trailer fields are not accepted" : "malformed chunk");
}

static void step(ws_body *body, unsigned char c)
{
    switch (body->state) {
    case B_SIZE:
        step_size(body, c);
        break;
    case B_SIZE_LF:
        expect(body, c, '\n', body->left ? B_DATA : B_LAST_CR);
        break;
    case B_DATA_CR:
        expect(body, c, '\r', B_DATA_LF);
        break;
    case B_DATA_LF:
        expect(body, c, '\n', B_SIZE);
        body->digits = 0;
        break;
    case B_LAST_CR:
        expect(body, c, '\r', B_LAST_LF);
        break;
    default: /* B_LAST_LF */
        expect(body, c, '\n', B_DONE);
        break;
    }
}

static size_t take_content(ws_body *body, const char *data, size_t len, ws_buf *out)
{
    size_t n = (size_t)WS_MIN((uint64_t)len, body->left);
    if (out)
        ws_buf_append(out, data, n);
    body->left -= n;
    body->total += n;
    if (body->left == 0)
        body->state = body->state == B_COUNTED ? B_DONE : B_DATA_CR;
    return n;
}

ws_body_result ws_body_feed(ws_body *body, const char *data, size_t len, size_t *consumed,
                            ws_buf *out)
{
    size_t at = 0;
    while (at < len && body->state < B_DONE) {
        if (body->state == B_COUNTED || body->state == B_DATA)
            at += take_content(body, data + at, len - at, out);
        else
            step(body, (unsigned char)data[at++]);
    }
    *consumed = at;
    if (body->state == B_REFUSED)
        return WS_BODY_REFUSED;
    return body->state == B_DONE ? WS_BODY_DONE : WS_BODY_MORE;
}
