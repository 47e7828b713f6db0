#!/usr/bin/env python3
"""HTTP at the byte: what is refused and what is answered, over bare sockets (docs/http-api.md sections 1 to 4)."""
import json
import sys
import time
import urllib.parse

from daemon_support import ARTICLES, DaemonCase, request, search_target, unittest, wait_until

HOST = b"Host: x\r\n"

# Raw requests that are refused: name, bytes, status. The connection is closed after each.
REFUSED = [
    ("garbage line", b"nonsense\r\n\r\n", 400),
    ("HTTP/9.9", b"GET / HTTP/9.9\r\n" + HOST + b"\r\n", 505),
    ("HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ("no Host", b"GET / HTTP/1.1\r\n\r\n", 400),
    ("two Hosts", b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n", 400),
    ("malformed Host", b"GET / HTTP/1.1\r\nHost: :\r\n\r\n", 400),
    ("NUL in a value", b"GET / HTTP/1.1\r\n" + HOST + b"A: b\0c\r\n\r\n", 400),
    ("space before the colon", b"GET / HTTP/1.1\r\n" + HOST + b"A : b\r\n\r\n", 400),
    ("folded line", b"GET / HTTP/1.1\r\n" + HOST + b"A: b\r\n c\r\n\r\n", 400),
    ("bare LF", b"GET / HTTP/1.1\nHost: x\n\n", 400),
    ("bare CR", b"GET / HTTP/1.1\r\n" + HOST + b"A: b\rc\r\n\r\n", 400),
    ("CR before the end", b"GET / HTTP/1.1\r\n" + HOST + b"A: b\r\n\rX\r\n\r\n", 400),
    ("empty field name", b"GET / HTTP/1.1\r\n" + HOST + b": b\r\n\r\n", 400),
    ("control byte in the target", b"GET /\x01 HTTP/1.1\r\n" + HOST + b"\r\n", 400),
    ("two lengths", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
    ("the same length twice", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
    ("signed length", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Length: +2\r\n\r\n{}", 400),
    ("length and chunked", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("chunked not last", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked, gzip\r\n\r\n", 400),
    ("another coding first", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("folded length", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Length:\r\n 2\r\n\r\n{}", 400),
    ("chunk extension", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\n", 400),
    ("chunk size beyond 32 bits", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1FFFFFFFF\r\n", 400),
    ("bare LF in a chunk", b"POST /v1/search HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n", 400),
    ("65 fields", b"GET / HTTP/1.1\r\n" + HOST + b"".join(b"A%d: b\r\n" % i for i in range(64)) + b"\r\n", 431),
    ("1 MB field", b"GET / HTTP/1.1\r\n" + HOST + b"A: " + b"a" * 1000000 + b"\r\n\r\n", 431),
    ("64 KiB URL", b"GET /" + b"a" * 65536 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414),
    ("unknown method", b"BREW / HTTP/1.1\r\n" + HOST + b"\r\n", 501),
]


class Http(DaemonCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.real(ARTICLES, "--set", "http.head_timeout_ms=700", "--set", "http.idle_timeout_ms=1500",
                                "--set", "http.body_timeout_ms=900")

    def test_malformed_requests_are_refused_and_the_connection_closed(self):
        for name, data, status in REFUSED:
            with self.subTest(name), self.daemon.connect() as c:
                try:
                    c.send(data)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # it was refused before all was sent
                answer = c.answer()
                self.assertIsNotNone(answer, "no answer")
                self.assertEqual(answer.status, status)
                self.assertTrue(c.ended())
        self.assertEqual(self.daemon.get("/livez").status, 200)
        self.assertGreaterEqual(self.daemon.metric("http_parse_errors_total"), len(REFUSED) - 3)

    def test_a_request_may_be_split_anywhere(self):
        data = request(search_target("대한민국"), "Accept: */*")
        with self.daemon.connect() as c:
            c.send(data)
            whole = c.answer().body
            for at in range(1, len(data), 3):
                c.send(data[:at])
                time.sleep(0.001)
                c.send(data[at:])
                self.assertEqual(c.answer().body, whole, f"split at {at}")

    def test_pipelined_requests_are_answered_in_order(self):
        with self.daemon.connect() as c:
            queries = ["history", "대한민국", "nothing", "world"] * 25
            c.send(b"".join(request(search_target(q)) for q in queries))
            for q in queries:
                self.assertEqual(c.answer().json()["query"]["q"], q)

    def test_bodies_by_length_and_in_chunks(self):
        body = json.dumps({"q": "역사", "limit": 1}).encode()
        fields = ("Content-Type: application/json",)
        with self.daemon.connect() as c:
            c.send(request("/v1/search", *fields, method="POST", body=body))
            by_length = c.answer()
            chunks = b"".join(b"%x\r\n%s\r\n" % (1, body[i:i + 1]) for i in range(len(body))) + b"0\r\n\r\n"
            c.send(request("/v1/search", *fields, "Transfer-Encoding: chunked", method="POST") + chunks)
            self.assertEqual(c.answer().body, by_length.body)
            c.send(request("/v1/search", *fields, "Expect: 100-continue", f"Content-Length: {len(body)}", method="POST"))
            while b"100 Continue" not in c.rest:
                self.assertTrue(c.more())
            c.send(body)
            self.assertEqual(c.answer().body, by_length.body)
            self.assertEqual(c.get(search_target("역사", limit=1)).body, by_length.body)

    def test_slow_senders_and_idle_connections_end(self):
        with self.daemon.connect() as slow, self.daemon.connect() as idle, self.daemon.connect() as body:
            slow.send(b"GET / HT")
            body.send(request("/v1/search", "Content-Type: application/json", "Content-Length: 10", method="POST"))
            self.assertEqual(slow.answer().status, 408)
            self.assertEqual(body.answer().status, 408)
            self.assertTrue(slow.ended() and body.ended() and idle.ended())

    def test_a_client_that_never_reads_costs_little(self):
        before = self.daemon.resident()
        with self.daemon.connect() as c:
            c.socket.settimeout(0.5)
            try:
                for _ in range(3000):
                    c.send(request("/app.js") * 10)
            except (TimeoutError, OSError):
                pass
            self.assertLess(self.daemon.resident() - before, 24 << 20)

    def test_head_options_versions_and_closing(self):
        with self.daemon.connect() as c:
            c.send(request("/", method="HEAD"))
            head = c.answer(head_only=True)
            self.assertEqual((head.status, c.rest), (200, b""))
            page = c.get("/")
            self.assertEqual(head.fields["content-length"], str(len(page.body)))
            c.send(request("/v1/search", method="OPTIONS"))
            self.assertIn("GET", c.answer().fields["allow"])
            c.send(request("/v1/search", method="DELETE"))
            refused = c.answer()
            self.assertEqual((refused.status, refused.code), (405, "method_not_allowed"))
            c.send(b"GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            self.assertEqual(c.answer().status, 200)
            c.send(b"GET /livez HTTP/1.0\r\n\r\n")
            self.assertEqual(c.answer().status, 200)
            self.assertTrue(c.ended())

    def test_the_page_is_cached_by_its_tag_and_guarded(self):
        with self.daemon.connect() as c:
            page = c.get("/")
            self.assertEqual(page.status, 200)
            self.assertIn("default-src 'self'", page.fields["content-security-policy"])
            self.assertEqual(page.fields["x-content-type-options"], "nosniff")
            self.assertEqual(c.get("/", f"If-None-Match: {page.fields['etag']}").status, 304)
            for path in ("/../etc/passwd", "/%2e%2e/x", "/index.html/x", "/.git/config"):
                self.assertIn(c.get(path).status, (400, 404), path)


class Api(DaemonCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.real(ARTICLES)

    def problem(self, target, status, code, *fields):
        answer = self.daemon.get(target, *fields)
        self.assertEqual((answer.status, answer.code), (status, code), target)
        self.assertEqual(answer.fields["content-type"], "application/problem+json")
        self.assertEqual(answer.json()["request_id"], answer.fields["x-request-id"])
        return answer.json()

    def test_search_answers_with_utf16_highlights(self):
        answer = self.daemon.get(search_target("history 나라"))
        self.assertEqual(answer.status, 200)
        found = answer.json()
        self.assertEqual(found["total"], {"value": 3, "relation": "eq"})
        for hit in found["hits"]:
            for name in ("title", "snippet"):
                units = hit[name].encode("utf-16-le")
                words = [units[2 * a:2 * b].decode("utf-16-le").lower() for a, b in hit["_highlight"][name]]
                self.assertTrue(set(words) <= {"history", "나라"}, words)
        self.assertTrue(any("😀" in h["snippet"] and h["_highlight"]["snippet"] for h in found["hits"]))

    def test_filters_paging_and_operators(self):
        get = lambda **p: self.daemon.get(search_target(p.pop("q", "history 나라"), **p)).json()
        self.assertEqual([h["id"] for h in get(filter='lang = "ko"')["hits"]], ["1"])
        self.assertEqual(get(operator="and")["total"]["value"], 0)
        self.assertEqual(get(limit=0)["hits"], [])
        first, second = get(limit=1)["hits"], get(limit=1, offset=1)["hits"]
        self.assertEqual(first + second, get(limit=2)["hits"])
        self.assertEqual(get(q='"history of the world"')["total"]["value"], 1)
        self.assertEqual(get(q="history -world")["total"]["value"], 1)

    def test_unknown_and_wrong_parameters_name_the_trouble(self):
        self.assertIn("limit", json.dumps(self.problem("/v1/search?q=a&limti=3", 400, "unknown_parameter")).replace("limti", ""))
        self.problem("/v1/search?q=a&limit=x", 400, "invalid_parameter")
        self.problem("/v1/search?q=a&limit=1000", 400, "limit_exceeded")
        self.problem("/v1/search?q=a&limit=100&offset=9999", 400, "limit_exceeded")
        self.problem("/v1/search", 400, "invalid_parameter")
        self.problem("/v1/search?q=%zz", 400, "invalid_parameter")
        self.problem("/v1/search?q=%ff", 400, "invalid_utf8")
        self.problem("/v1/search?q=a&q=b", 400, "invalid_parameter")
        error = self.problem("/v1/search?q=a&filter=" + urllib.parse.quote('lang ? "ko"'), 400, "invalid_filter")
        self.assertIn("5", error["detail"])
        self.problem("/v1/serach?q=a", 404, "no_such_route")
        self.problem("/v1/indexes/other/search?q=a", 404, "index_not_found")

    def test_documents_by_id_and_latest(self):
        one = self.daemon.get("/v1/documents/1")
        self.assertEqual(one.json()["body"], ARTICLES[0]["text"])
        self.assertEqual(self.daemon.get("/v1/documents/1", f"If-None-Match: {one.fields['etag']}").status, 304)
        self.assertEqual(self.daemon.get("/v1/documents/a%2Fb%20c").json()["title"], "Odd id")
        self.problem("/v1/documents/9", 404, "document_not_found")
        latest = self.daemon.get("/v1/documents?order=latest&limit=2").json()["documents"]
        self.assertEqual([d["id"] for d in latest], ["a/b c", "2"])
        self.assertEqual(self.daemon.get("/v1/indexes/default/documents/2").json()["id"], "2")

    def test_analyze(self):
        body = json.dumps({"text": "😀 대한민국은"}).encode()
        with self.daemon.connect() as c:
            c.send(request("/v1/analyze", "Content-Type: application/json", method="POST", body=body))
            tokens = c.answer().json()["tokens"]
        words = [(t["token"], t["start"], t["end"]) for t in tokens if t["stream"] == "word"]
        self.assertEqual(words, [("대한민국", 3, 8)])

    def test_stats_config_version_metrics_and_timing_headers(self):
        self.assertEqual(self.daemon.get("/v1/stats").json()["index"]["documents"], 3)
        config = {c["key"]: c for c in self.daemon.get("/v1/config").json()["config"]}
        self.assertEqual(config["http.workers"]["observed"], config["http.workers"]["effective"])
        self.assertEqual(config["cache.ttl"]["effective"], "unsupported")
        self.assertIn("version", self.daemon.get("/version").json())
        answer = self.daemon.get(search_target("history"), "X-WS: 1", "X-Request-Id: mine-1")
        self.assertRegex(answer.fields["x-ws"], r"^q=\d+,p=\d+,c=\d+,s=\d+,f=\d+,o=\d+;post=\d+;cpu=\d+;class=\w+;cfg=[0-9a-f]{8}$")
        self.assertEqual(answer.fields["x-request-id"], "mine-1")
        self.assertIn("queue;dur=", answer.fields["server-timing"])
        self.assertEqual(answer.fields["ws-index-generation"], "1")
        metrics = self.daemon.metrics()
        self.assertEqual(metrics["wikisearch_index_documents"], 3)
        self.assertGreaterEqual(metrics['wikisearch_http_requests_total{route="search",code="200"}'], 1)

    def test_poison_queries_are_answered_or_refused_and_delay_nobody(self):
        poison = ["역사 " * 2000, " ".join(f"w{i}" for i in range(1500)), '"' * 1000, "-" * 5000, "a" * 16000, "\" -" * 3000]
        for text in poison:
            with self.daemon.connect() as c:
                c.send(request("/v1/search", "Content-Type: application/json", method="POST", body=json.dumps({"q": text[:16000]}).encode()))
                answer = c.answer()
                self.assertIn(answer.status, (200, 400))
                if answer.status == 200 and len(text) > 1024:
                    self.assertTrue(answer.json()["warnings"], text[:20])
        with self.daemon.connect() as c:
            c.send(request("/v1/search", "Content-Type: application/json", method="POST", body=json.dumps({"q": "역사 " * 20000}).encode()))
            self.assertEqual(c.answer().code, "limit_exceeded")
        deep = b'{"q":' + b"[" * 100 + b"]" * 100 + b"}"
        with self.daemon.connect() as c:
            c.send(request("/v1/search", "Content-Type: application/json", method="POST", body=deep))
            self.assertEqual(c.answer().code, "invalid_json")
        wait_until("idle", lambda: self.daemon.metric("busy_workers") == 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
