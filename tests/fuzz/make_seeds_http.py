#!/usr/bin/env python3
"""Writes the seed corpus of fuzz_http: streams of requests, good and bad, each with a byte that says how to cut them."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "corpus", "http")
HOST = b"Host: localhost\r\n"


def get(target=b"/v1/search?q=a", fields=HOST, version=b"1.1"):
    return b"GET " + target + b" HTTP/" + version + b"\r\n" + fields + b"\r\n"


def post(body=b'{"q":"a"}', fields=None, target=b"/v1/search"):
    if fields is None:
        fields = b"Content-Length: %d\r\n" % len(body)
    return b"POST " + target + b" HTTP/1.1\r\n" + HOST + fields + b"\r\n" + body


CHUNKED = b"Transfer-Encoding: chunked\r\n"
STREAMS = [
    get(), get() + get(b"/livez") + get(b"/v1/documents/1"), get() * 20, b"\r\n" + get(), b"\r\n\r\n" + get(),
    get(b"/v1/search?q=%EB%8C%80%ED%95%9C&limit=5&highlight=0&operator=and"), get("/v1/search?q=대한민국".encode()),
    get(b"/v1/search?q=%zz"), get(b"/v1/search?q=%00"), get(b"/v1/search?q=%C0%AF"), get(b"/v1/search?q=%ED%A0%80"),
    get(b"/v1/search?qq=1"), get(b"/v1/search?limit=1&limit=2"), get(b"/v1/search?limit=101"), get(b"/?&&=&a"),
    get(b"/v1/indexes/default/search?q=a"), get(b"/v1/indexes/x/search"), get(b"/v1/documents/a%2Fb"), get(b"/../a"),
    get(b"http://localhost/v1/search?q=a"), get(b"https://x"), b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n",
    b"CONNECT a:1 HTTP/1.1\r\n" + HOST + b"\r\n", b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n", get(b"*"), get(b"a"),
    get(fields=b"", version=b"1.0"), get(fields=b""), get(fields=HOST * 2), get(fields=b"Host: :\r\n"), get(fields=b"Host: [::1]:8\r\n"),
    get(version=b"9.9"), get(version=b"2.0"), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET /\r\n", b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00",
    get(fields=HOST + b"A : b\r\n"), get(fields=HOST + b": b\r\n"), get(fields=HOST + b"A: b\r\n c\r\n"), get(fields=HOST + b"A: b\nC: d\r\n"),
    get(fields=HOST + b"A: b\rC: d\r\n"), get(fields=HOST + b"A: b\0c\r\n"), get(fields=HOST + b"\rX"), get(fields=HOST + b"A: \xea\xb0\x80\r\n"),
    get(fields=HOST + b"X-WS: 1\r\nX-Request-Id: abc\r\nX-API-Key: k\r\nAuthorization: Bearer k\r\nIf-None-Match: \"a\"\r\n"),
    get(fields=HOST + b"Connection: close\r\n") + get(), get(fields=HOST + b"Connection: upgrade\r\nUpgrade: h2c\r\n") + get(),
    get(fields=HOST + b"X: y\r\n" * 63), get(fields=HOST + b"X: y\r\n" * 64), get(b"/" + b"a" * 8170), get(b"/" + b"a" * 8190),
    get(fields=HOST + b"X: " + b"y" * 16400 + b"\r\n"),
    post(), post() * 3, post(b'{"q":"\\ub300","limit":3,"highlight":false,"operator":"and"}'), post(b'{"q":1}'), post(b"[]"), post(b"{"),
    post(b'{"a":' + b"[" * 70 + b"]" * 70 + b"}"), post(b'{"q":"\xff"}'), post(b'{"q":"a","q":"b"}'), post(b"x" * 2001),
    post(b"", b"Content-Length: 5\r\nContent-Length: 5\r\n"), post(b"", b"Content-Length: +5\r\n"), post(b"", b"Content-Length: 5\r\n" + CHUNKED),
    post(b"", b"Content-Length: 99999999999999999999\r\n"), post(b'9\r\n{"q":"a"}\r\n0\r\n\r\n', CHUNKED) + get(),
    post(b'4\r\n{"q"\r\n5\r\n:"a"}\r\n00\r\n\r\n', CHUNKED), post(b"3;a=b\r\nabc\r\n0\r\n\r\n", CHUNKED), post(b"3\nabc\r\n0\r\n\r\n", CHUNKED),
    post(b"3\r\nabc\r\n0\r\nX: y\r\n\r\n", CHUNKED), post(b"fffffffff\r\n", CHUNKED), post(b"7d1\r\n", CHUNKED), post(b"\r\n", CHUNKED),
    post(b"", b"Transfer-Encoding: gzip, chunked\r\n"), post(b"", b"Transfer-Encoding: chunked, gzip\r\n"), post(b"", CHUNKED * 2),
    post(b'{"text":"a"}', b"Content-Length: 12\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n", b"/v1/analyze"),
]


def main():
    os.makedirs(OUT, exist_ok=True)
    for number, stream in enumerate(STREAMS):
        how = (0, 1, 6, 40, 200, 201, 255)[number % 7]
        with open(os.path.join(OUT, f"seed-{number:03}"), "wb") as file:
            file.write(bytes([how]) + stream)
    print(len(STREAMS), "seeds")


if __name__ == "__main__":
    main()
