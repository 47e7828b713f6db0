#include "server/reader.h"

#include <string.h>

#include "base/bytes.h"
#include "base/str.h"
#include "tests/support/rng.h"
#include "tests/support/test.h"

#define HOST "Host: a\r\n"

static void note_request(ws_buf *out, const ws_request *r)
{
    ws_buf_printf(out, "%s %.*s ? %.*s 1.%u ka=%u body=%.*s xws=%.*s\n", ws_method_name(r->method),
                  WS_STR_ARG(r->path), WS_STR_ARG(r->query), r->minor, r->keep_alive,
                  WS_STR_ARG(ws_buf_slice(&r->body)), WS_STR_ARG(r->fields[WS_HEADER_X_WS]));
}

/* Feeds data[len] cut by `cut`: the n-th call sees at most cut(n) new bytes. */
static void read_stream(const char *data, size_t len, ws_rng *rng, size_t step, ws_buf *out)
{
    ws_reader reader;
    ws_request *request = NULL;
    size_t done = 0, seen = 0, consumed;
    ws_reader_init(&reader, 1000);
    for (;;) {
        ws_read_result result = ws_reader_feed(&reader, data + done, seen - done, &consumed);
        done += consumed;
        cr_assert_leq(done, seen);
        if (result == WS_READ_HEAD) {
            request = reader.request;
        } else if (result == WS_READ_DONE) {
            note_request(out, request);
            ws_request_free(request);
            request = NULL;
        } else if (result == WS_READ_REFUSED) {
            ws_buf_printf(out, "refused %s: %s\n", ws_problem_code(reader.refusal.kind),
                          reader.refusal.detail);
            break;
        } else if (seen == len) {
            ws_buf_printf(out, "more, busy=%d\n", ws_reader_is_busy(&reader, len - done));
            break;
        } else {
            size_t n = rng ? 1 + ws_rng_below(rng, step) : step;
            seen = WS_MIN(len, seen + n);
        }
    }
    ws_request_free(request);
}

static void expect_transcript(const char *data, size_t len, const char *wanted)
{
    ws_buf out;
    ws_buf_init(&out);
    read_stream(data, len, NULL, len ? len : 1, &out);
    ws_buf_u8(&out, 0);
    cr_assert_str_eq((const char *)out.data, wanted);
    ws_buf_fini(&out);
}

#define EXPECT(data, wanted) expect_transcript(data, sizeof(data) - 1, wanted)

Test(reader, reads_a_request)
{
    EXPECT("GET /a?b=c HTTP/1.1\r\n" HOST "X-WS: 1 \r\n\r\n",
           "GET /a ? b=c 1.1 ka=1 body= xws=1\nmore, busy=0\n");
    EXPECT("HEAD / HTTP/1.0\r\n\r\n", "HEAD / ?  1.0 ka=0 body= xws=\nmore, busy=0\n");
    EXPECT("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
           "GET / ?  1.0 ka=1 body= xws=\nmore, busy=0\n");
    EXPECT("GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n",
           "GET / ?  1.1 ka=0 body= xws=\nmore, busy=0\n");
}

Test(reader, encodes_high_bytes_of_the_target)
{
    /* 대 is U+B300, EB 8C 80. */
    EXPECT("GET /s?q=\xEB\x8C\x80&r=1 HTTP/1.1\r\n" HOST "\r\n",
           "GET /s ? q=%EB%8C%80&r=1 1.1 ka=1 body= xws=\nmore, busy=0\n");
}

Test(reader, takes_targets_apart)
{
    EXPECT("GET http://x.example/p?q HTTP/1.1\r\n" HOST "\r\n",
           "GET /p ? q 1.1 ka=1 body= xws=\nmore, busy=0\n");
    EXPECT("GET HTTP://x.example HTTP/1.1\r\n" HOST "\r\n",
           "GET / ?  1.1 ka=1 body= xws=\nmore, busy=0\n");
    EXPECT("GET https://x.example?q HTTP/1.1\r\n" HOST "\r\n",
           "GET / ? q 1.1 ka=1 body= xws=\nmore, busy=0\n");
    EXPECT("OPTIONS * HTTP/1.1\r\n" HOST "\r\n",
           "OPTIONS * ?  1.1 ka=1 body= xws=\nmore, busy=0\n");
    EXPECT("CONNECT a:80 HTTP/1.1\r\n" HOST "\r\n",
           "CONNECT a:80 ?  1.1 ka=1 body= xws=\nmore, busy=0\n");
    EXPECT("GET * HTTP/1.1\r\n" HOST "\r\n", "refused bad_request: malformed request target\n");
    EXPECT("GET a HTTP/1.1\r\n" HOST "\r\n", "refused bad_request: malformed request head\n");
    EXPECT("BREW / HTTP/1.1\r\n" HOST "\r\n",
           "refused method_unknown: this method is not known here\n");
}

Test(reader, ignores_upgrades)
{
    EXPECT("GET / HTTP/1.1\r\n" HOST "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"
           "GET /b HTTP/1.1\r\n" HOST "\r\n",
           "GET / ?  1.1 ka=1 body= xws=\nGET /b ?  1.1 ka=1 body= xws=\nmore, busy=0\n");
}

Test(reader, reads_counted_and_chunked_bodies)
{
    EXPECT("POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabcGET /x HTTP/1.1\r\n" HOST "\r\n",
           "POST / ?  1.1 ka=1 body=abc xws=\nGET /x ?  1.1 ka=1 body= xws=\nmore, busy=0\n");
    EXPECT("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
           "2\r\nab\r\n00A\r\n0123456789\r\n0\r\n\r\n",
           "POST / ?  1.1 ka=1 body=ab0123456789 xws=\nmore, busy=0\n");
    EXPECT("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n2\r\na", "more, busy=1\n");
}

#define CHUNKED "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"

Test(reader, refuses_loose_chunks)
{
    static const char *const bodies[] = {
        "2;ext=1\r\nab\r\n0\r\n\r\n", "2 \r\nab\r\n0\r\n\r\n",        " 2\r\nab\r\n0\r\n\r\n",
        "0x2\r\nab\r\n0\r\n\r\n",     "2\nab\r\n0\r\n\r\n",           "2\r\nab\n0\r\n\r\n",
        "2\r\nabc\r\n0\r\n\r\n",      "\r\nab\r\n0\r\n\r\n",          "100000000\r\n",
        "-2\r\nab\r\n0\r\n\r\n",      "2\r\nab\r\n0\r\nX: y\r\n\r\n", "0\r\n\rX",
    };
    for (size_t i = 0; i < WS_ARRAY_LEN(bodies); i++) {
        char data[256];
        ws_buf out;
        size_t len = (size_t)(stpcpy(stpcpy(data, CHUNKED), bodies[i]) - data);
        ws_buf_init(&out);
        read_stream(data, len, NULL, len, &out);
        cr_expect(ws_str_starts_with(ws_buf_slice(&out), WS_STR("refused bad_request")),
                  "body %zu: %.*s", i, WS_STR_ARG(ws_buf_slice(&out)));
        ws_buf_fini(&out);
    }
}

Test(reader, limits_bodies)
{
    EXPECT("POST / HTTP/1.1\r\n" HOST "Content-Length: 1001\r\n\r\n",
           "refused body_too_large: the body is larger than the limit\n");
    EXPECT(CHUNKED "3e9\r\n", "refused body_too_large: the body is larger than the limit\n");
    EXPECT(CHUNKED "ffffffff\r\n", "refused body_too_large: the body is larger than the limit\n");
}

/* --- any cut gives the same --- */

static const char *const streams[] = {
    "GET /a HTTP/1.1\r\n" HOST "\r\nPOST /b HTTP/1.1\r\n" HOST
    "Content-Length: 4\r\n\r\nbodyGET /c HTTP/1.0\r\n\r\n",
    CHUNKED "4\r\nbody\r\n1\r\n!\r\n0\r\n\r\nGET /\xEB\x8C\x80 HTTP/1.1\r\n" HOST "\r\n",
    CHUNKED "4\r\nbody\r\n1;x\r\n!\r\n0\r\n\r\n",
    "GET /a HTTP/1.1\r\n" HOST "\r\nGET /b HTTP/1.1\r\n" HOST HOST "\r\nGET /c HTTP/1.0\r\n\r\n",
    "\r\nPOST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n",
    "GET / HTTP/1.1\r\n" HOST "X-WS: 1\r\nX-WS: 2\r\n\r\nGARBAGE",
};

Test(reader, any_cut_gives_the_same)
{
    ws_rng rng = ws_rng_seeded(11);
    for (size_t i = 0; i < WS_ARRAY_LEN(streams); i++) {
        size_t len = strlen(streams[i]);
        ws_buf whole;
        ws_buf_init(&whole);
        read_stream(streams[i], len, NULL, len, &whole);
        for (size_t step = 1; step <= 40; step++) {
            ws_buf cut;
            ws_buf_init(&cut);
            read_stream(streams[i], len, step > 20 ? &rng : NULL, step, &cut);
            cr_assert(ws_str_eq(ws_buf_slice(&whole), ws_buf_slice(&cut)),
                      "stream %zu, step %zu, seed %llu:\n%.*s\n%.*s", i, step,
                      (unsigned long long)rng.seed, WS_STR_ARG(ws_buf_slice(&whole)),
                      WS_STR_ARG(ws_buf_slice(&cut)));
            ws_buf_fini(&cut);
        }
        ws_buf_fini(&whole);
    }
}
