#include "server/prescan.h"

#include <string.h>

#include "base/bytes.h"
#include "tests/support/test.h"

#define GET       "GET /v1/search?q=a HTTP/1.1\r\n"
#define HOST      "Host: localhost\r\n"
#define POST_HEAD "POST /v1/search HTTP/1.1\r\n" HOST

typedef struct {
    const char *name, *head;
    size_t len; /* 0: strlen */
    ws_problem_kind kind;
} row;

#define ROW(name, head, kind)                                                                      \
 {                                                                                                 \
  name, head, sizeof(head) - 1, WS_PROBLEM_##kind                                                  \
 }
#define GOOD(name, head) ROW(name, head, NONE)
#define BAD(name, head)  ROW(name, head, BAD_REQUEST)

/* clang-format off */
static const row rows[] = {
    GOOD("plain", GET HOST "\r\n"),
    GOOD("1.0 without Host", "GET / HTTP/1.0\r\n\r\n"),
    GOOD("1.0 with Host", "GET / HTTP/1.0\r\nHost: a\r\n\r\n"),
    GOOD("an empty line before it", "\r\n" GET HOST "\r\n"),
    GOOD("absolute target", "GET http://a/b HTTP/1.1\r\n" HOST "\r\n"),
    GOOD("raw Korean in the target", "GET /v1/search?q=\xEB\x8C\x80 HTTP/1.1\r\n" HOST "\r\n"),
    GOOD("Host with port", GET "Host: a.example:8080\r\n\r\n"),
    GOOD("Host IPv6", GET "Host: [::1]:80\r\n\r\n"),
    GOOD("Host in capitals, tabs around the value", GET "HOST:\t a \t\r\n\r\n"),
    GOOD("empty value", GET HOST "X-A:\r\n\r\n"),
    GOOD("obs-text in a value", GET HOST "X-A: \xEA\xB0\x80\r\n\r\n"),
    GOOD("Content-Length", POST_HEAD "Content-Length: 5\r\n\r\n"),
    GOOD("chunked", POST_HEAD "Transfer-Encoding: chunked\r\n\r\n"),
    GOOD("Chunked in capitals", POST_HEAD "Transfer-Encoding: CHUNKED\r\n\r\n"),
    GOOD("an odd method is not this scan's business", "BREW / HTTP/1.1\r\n" HOST "\r\n"),

    BAD("garbage line", "\x16\x03\x01 hello\r\n\r\n"),
    BAD("words", "hello world\r\n\r\n"),
    BAD("HTTP/0.9", "GET /\r\n"),
    BAD("lower-case http", "GET / http/1.1\r\n" HOST "\r\n"),
    BAD("two spaces", "GET  / HTTP/1.1\r\n" HOST "\r\n"),
    BAD("space at the end of the line", "GET / HTTP/1.1 \r\n" HOST "\r\n"),
    BAD("two-digit version", "GET / HTTP/1.10\r\n" HOST "\r\n"),
    BAD("two empty lines before it", "\r\n\r\n" GET HOST "\r\n"),
    BAD("fragment", "GET /#a HTTP/1.1\r\n" HOST "\r\n"),
    BAD("control byte in the target", "GET /\x01 HTTP/1.1\r\n" HOST "\r\n"),
    BAD("NUL in the target", "GET /\0 HTTP/1.1\r\n" HOST "\r\n"),
    BAD("tab in the target", "GET /\t HTTP/1.1\r\n" HOST "\r\n"),
    ROW("HTTP/9.9", "GET / HTTP/9.9\r\n" HOST "\r\n", HTTP_VERSION_UNSUPPORTED),
    ROW("HTTP/2.0 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", HTTP_VERSION_UNSUPPORTED),
    ROW("HTTP/1.2", "GET / HTTP/1.2\r\n" HOST "\r\n", HTTP_VERSION_UNSUPPORTED),

    BAD("no Host", GET "\r\n"),
    BAD("two Hosts", GET HOST HOST "\r\n"),
    BAD("two Hosts in 1.0", "GET / HTTP/1.0\r\n" HOST HOST "\r\n"),
    BAD("Host: :", GET "Host: :\r\n\r\n"),
    BAD("empty Host", GET "Host:\r\n\r\n"),
    BAD("Host with a path", GET "Host: a/b\r\n\r\n"),
    BAD("Host list", GET "Host: a, b\r\n\r\n"),
    BAD("Host with userinfo", GET "Host: u@a\r\n\r\n"),
    BAD("Host with a long port", GET "Host: a:123456\r\n\r\n"),
    BAD("Host with an open bracket", GET "Host: [::1\r\n\r\n"),

    BAD("NUL in a value", GET HOST "X-A: a\0b\r\n\r\n"),
    BAD("control byte in a value", GET HOST "X-A: a\x08\r\n\r\n"),
    BAD("DEL in a value", GET HOST "X-A: a\x7f\r\n\r\n"),
    BAD("space before the colon", GET HOST "X-A : a\r\n\r\n"),
    BAD("tab before the colon", GET HOST "X-A\t: a\r\n\r\n"),
    BAD("folded field", GET HOST "X-A: a\r\n b\r\n\r\n"),
    BAD("folded first field", GET " " HOST "\r\n"),
    BAD("folded Content-Length", POST_HEAD "Content-Length: \r\n 5\r\n\r\n"),
    BAD("bare LF after the request line", "GET / HTTP/1.1\n" HOST "\r\n"),
    BAD("bare LF after a field", GET "Host: a\n\r\n"),
    BAD("bare LF at the end", GET HOST "\n"),
    BAD("bare CR in a value", GET HOST "X-A: a\rb\r\n\r\n"),
    BAD("CR smuggle", GET HOST "Dummy: x\rContent-Length: 23\r\n\r\n"),
    BAD("header end CRLF CR X", GET HOST "\rX"),
    BAD("empty field name", GET HOST ": a\r\n\r\n"),
    BAD("field without a colon", GET HOST "X-A\r\n\r\n"),
    BAD("field name in brackets", GET HOST "(X): a\r\n\r\n"),
    BAD("non-ASCII field name", GET HOST "\xEA\xB0\x80: a\r\n\r\n"),

    BAD("two equal Content-Lengths", POST_HEAD "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"),
    BAD("two Content-Lengths", POST_HEAD "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"),
    BAD("Content-Length list", POST_HEAD "Content-Length: 5, 5\r\n\r\n"),
    BAD("Content-Length +5", POST_HEAD "Content-Length: +5\r\n\r\n"),
    BAD("Content-Length -5", POST_HEAD "Content-Length: -5\r\n\r\n"),
    BAD("Content-Length 0x5", POST_HEAD "Content-Length: 0x5\r\n\r\n"),
    BAD("Content-Length empty", POST_HEAD "Content-Length:\r\n\r\n"),
    BAD("Content-Length 5 5", POST_HEAD "Content-Length: 5 5\r\n\r\n"),
    BAD("Content-Length beyond 64 bits", POST_HEAD "Content-Length: 99999999999999999999\r\n\r\n"),
    BAD("CL then TE", POST_HEAD "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
    BAD("TE then CL", POST_HEAD "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"),
    BAD("two TE", POST_HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
    BAD("TE identity", POST_HEAD "Transfer-Encoding: identity\r\n\r\n"),
    BAD("TE chunked, gzip", POST_HEAD "Transfer-Encoding: chunked, gzip\r\n\r\n"),
    BAD("TE chunked, chunked", POST_HEAD "Transfer-Encoding: chunked, chunked\r\n\r\n"),
    BAD("TE xchunked", POST_HEAD "Transfer-Encoding: xchunked\r\n\r\n"),
    BAD("TE chunked;a", POST_HEAD "Transfer-Encoding: chunked;a=b\r\n\r\n"),
    BAD("TE with a vertical tab", POST_HEAD "Transfer-Encoding: \x0b" "chunked\r\n\r\n"),
    BAD("TE in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ROW("TE gzip, chunked", POST_HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n",
        TRANSFER_CODING_UNSUPPORTED),
};
/* clang-format on */

/* Scans head[len] in pieces that end at the given places. */
static ws_prescan scan_split(const char *head, size_t len, size_t first, size_t second)
{
    ws_prescan scan;
    ws_prescan_init(&scan);
    if (ws_prescan_feed(&scan, head, first) == WS_PRESCAN_MORE &&
        ws_prescan_feed(&scan, head, second) == WS_PRESCAN_MORE)
        ws_prescan_feed(&scan, head, len);
    return scan;
}

Test(prescan, gives_the_verdict_of_the_table)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_prescan scan = scan_split(rows[i].head, rows[i].len, 0, 0);
        cr_expect_eq(scan.refusal.kind, rows[i].kind, "%s: %s (%s)", rows[i].name,
                     ws_problem_code(scan.refusal.kind),
                     scan.refusal.detail ? scan.refusal.detail : "accepted");
        if (rows[i].kind == WS_PROBLEM_NONE)
            cr_expect_eq(scan.pos, rows[i].len, "%s: %u of %zu bytes", rows[i].name, scan.pos,
                         rows[i].len);
    }
}

Test(prescan, verdict_does_not_depend_on_where_the_bytes_are_cut)
{
    for (size_t i = 0; i < WS_ARRAY_LEN(rows); i++) {
        ws_prescan whole = scan_split(rows[i].head, rows[i].len, 0, 0);
        for (size_t a = 0; a <= rows[i].len; a++) {
            for (size_t b = a; b <= rows[i].len; b += 1 + rows[i].len / 16) {
                ws_prescan cut = scan_split(rows[i].head, rows[i].len, a, b);
                cr_assert_eq(cut.refusal.kind, whole.refusal.kind, "%s at %zu, %zu", rows[i].name,
                             a, b);
                cr_assert_eq(cut.pos, whole.pos, "%s at %zu, %zu", rows[i].name, a, b);
                cr_assert_eq(cut.framing, whole.framing, "%s", rows[i].name);
                cr_assert_eq(cut.content_length, whole.content_length, "%s", rows[i].name);
            }
        }
    }
}

Test(prescan, stops_at_the_end_of_the_head)
{
    static const char two[] = GET HOST "\r\n" GET HOST "\r\n";
    ws_prescan scan;
    ws_prescan_init(&scan);
    cr_assert_eq(ws_prescan_feed(&scan, two, sizeof two - 1), WS_PRESCAN_DONE);
    cr_assert_eq(scan.pos, (sizeof two - 1) / 2);
}

Test(prescan, finds_method_target_and_framing)
{
    static const char head[] = "\r\nPOST /a?b HTTP/1.1\r\nhost: a\r\nCONTENT-LENGTH: 0042\r\n\r\n";
    ws_prescan scan;
    ws_prescan_init(&scan);
    cr_assert_eq(ws_prescan_feed(&scan, head, sizeof head - 1), WS_PRESCAN_DONE);
    cr_assert_eq(scan.line_start, 2);
    cr_assert_eq(scan.method_end - scan.line_start, 4);
    cr_assert_eq(scan.target_end - scan.target_start, 4);
    cr_assert_eq(memcmp(head + scan.target_start, "/a?b", 4), 0);
    cr_assert_eq(scan.framing, WS_FRAMING_LENGTH);
    cr_assert_eq(scan.content_length, 42);
    cr_assert_eq(scan.n_fields, 2);
}

/* --- every byte in every kind of place, against the rule spelled out --- */

static ws_problem_kind verdict_with(const char *before, char byte, const char *after)
{
    char head[256];
    size_t n = strlen(before), m = strlen(after);
    memcpy(head, before, n);
    head[n] = byte;
    memcpy(head + n + 1, after, m);
    return scan_split(head, n + 1 + m, 0, 0).refusal.kind;
}

Test(prescan, every_byte_in_a_field_name)
{
    for (int c = 0; c < 256; c++) {
        int alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        /* RFC 9110 5.6.2; the colon ends the name earlier, which is fine too. */
        int good = alnum || c == ':' || (c && memchr("!#$%&'*+-.^_`|~", c, 15));
        ws_problem_kind kind = verdict_with(GET HOST "X", (char)c, "Y: a\r\n\r\n");
        cr_expect_eq(kind == WS_PROBLEM_NONE, good, "byte 0x%02x", (unsigned)c);
    }
}

Test(prescan, every_byte_in_a_field_value)
{
    for (int c = 0; c < 256; c++) {
        int good = c == '\t' || (c >= 0x20 && c != 0x7f);
        ws_problem_kind kind = verdict_with(GET HOST "X: a", (char)c, "b\r\n\r\n");
        cr_expect_eq(kind == WS_PROBLEM_NONE, good, "byte 0x%02x", (unsigned)c);
    }
}

Test(prescan, every_byte_in_the_target)
{
    for (int c = 0; c < 256; c++) {
        int good = c > 0x20 && c != 0x7f && c != '#';
        ws_problem_kind kind = verdict_with("GET /a", (char)c, "b HTTP/1.1\r\n" HOST "\r\n");
        cr_expect_eq(kind == WS_PROBLEM_NONE, good, "byte 0x%02x", (unsigned)c);
    }
}

Test(prescan, every_byte_in_the_version)
{
    for (int c = 0; c < 256; c++) {
        ws_problem_kind kind = verdict_with("GET / HTTP/1.", (char)c, "\r\nHost: a\r\n\r\n");
        ws_problem_kind wanted = c == '0' || c == '1'   ? WS_PROBLEM_NONE
                                 : c >= '2' && c <= '9' ? WS_PROBLEM_HTTP_VERSION_UNSUPPORTED
                                                        : WS_PROBLEM_BAD_REQUEST;
        cr_expect_eq(kind, wanted, "byte 0x%02x", (unsigned)c);
    }
}

/* --- limits --- */

/* "GET /aaa... HTTP/1.1" with a request line of `line` bytes and the rest filled by one field up to
 * `total`. */
static size_t make_head(char *out, size_t line, size_t total)
{
    static const char tail[] = " HTTP/1.1\r\nHost: a\r\nX: ";
    size_t n = (size_t)(stpcpy(out, "GET /") - out);
    size_t spaces = line - n - 9;
    memset(out + n, 'a', spaces);
    n += spaces;
    memcpy(out + n, tail, sizeof tail - 1);
    n += sizeof tail - 1;
    if (total < n + 4)
        total = n + 4;
    memset(out + n, 'b', total - 4 - n);
    memcpy(out + total - 4, "\r\n\r\n", 4);
    return total;
}

Test(prescan, request_line_limit)
{
    static char head[WS_HEAD_MAX + 64];
    size_t len = make_head(head, WS_REQUEST_LINE_MAX, 0);
    cr_assert_eq(scan_split(head, len, 0, 0).refusal.kind, WS_PROBLEM_NONE);
    len = make_head(head, WS_REQUEST_LINE_MAX + 1, 0);
    cr_assert_eq(scan_split(head, len, 0, 0).refusal.kind, WS_PROBLEM_URI_TOO_LONG);
}

Test(prescan, request_line_limit_is_seen_before_its_end)
{
    static char line[WS_REQUEST_LINE_MAX + 2];
    memset(line, 'a', sizeof line);
    memcpy(line, "GET /", 5);
    ws_prescan scan = scan_split(line, sizeof line, 0, 0);
    cr_assert_eq(scan.refusal.kind, WS_PROBLEM_URI_TOO_LONG);
}

Test(prescan, head_limit)
{
    static char head[WS_HEAD_MAX + 64];
    size_t len = make_head(head, 40, WS_HEAD_MAX);
    cr_assert_eq(scan_split(head, len, 0, 0).refusal.kind, WS_PROBLEM_NONE);
    len = make_head(head, 40, WS_HEAD_MAX + 1);
    cr_assert_eq(scan_split(head, len, 0, 0).refusal.kind, WS_PROBLEM_HEADERS_TOO_LARGE);
}

Test(prescan, field_count_limit)
{
    char head[4096];
    for (int n = 63; n <= 65; n++) {
        size_t len = (size_t)(stpcpy(head, GET HOST) - head);
        for (int i = 1; i < n; i++, len += 6)
            memcpy(head + len, "X: a\r\n", 6);
        memcpy(head + len, "\r\n", 2);
        cr_assert_eq(scan_split(head, len + 2, 0, 0).refusal.kind,
                     n <= 64 ? WS_PROBLEM_NONE : WS_PROBLEM_HEADERS_TOO_LARGE, "%d fields", n);
    }
}
