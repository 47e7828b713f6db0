#!/usr/bin/env python3
"""The daemon in operation: overload, leaving clients, new generations, draining, limits of the machine (docs/http-api.md 1.2, 1.3, 4 to 6)."""
import json
import os
import resource
import signal
import subprocess
import sys
import time

from cli_support import BIN, environment, is_sanitized, jsonl
from daemon_support import ARTICLES, DAEMON, FAKE, LIMIT, Connection, Daemon, DaemonCase, request, search_target, unittest, wait_until


class Load(DaemonCase):
    def test_what_does_not_fit_is_shed_at_once_and_health_stays_up(self):
        daemon = self.fake("--set", "http.workers=1", "--set", "http.queue=2", "--set", "admission.budget_ms=60000")
        connections = [daemon.connect() for _ in range(8)]
        for c in connections:
            c.send(request(search_target("slow:800")))
        self.assertEqual(daemon.get("/livez").status, 200)
        self.assertEqual(daemon.get("/readyz").status, 200)
        statuses = []
        for c in connections:
            answer = c.answer()
            statuses.append(answer.status)
            if answer.status == 503:
                self.assertEqual(answer.code, "overloaded")
                self.assertGreaterEqual(int(answer.fields["retry-after"]), 1)
                self.assertEqual(c.get("/livez").status, 200, "the connection stays open")
            c.close()
        # One runs and two wait; the first may still be one of those that wait when the others come.
        self.assertIn(statuses.count(503), (5, 6))
        self.assertEqual(statuses.count(200) + statuses.count(503), 8)
        self.assertEqual(daemon.metric("shed_requests_total"), statuses.count(503))
        self.assertEqual(daemon.get(search_target("history")).status, 200)

    def test_the_unbounded_bad_mode_sheds_nothing(self):
        daemon = self.fake("--set", "http.workers=1", "--set", "http.queue=1", "--set", "http.queue_policy=unbounded")
        connections = [daemon.connect() for _ in range(10)]
        for c in connections:
            c.send(request(search_target("slow:30")))
        self.assertEqual([c.answer().status for c in connections], [200] * 10)
        for c in connections:
            c.close()

    def test_inline_mode_answers_on_the_io_thread(self):
        daemon = self.fake("--set", "front.mode=inline")
        self.assertEqual(daemon.get(search_target("history")).status, 200)
        self.assertEqual(daemon.metric("busy_workers"), 0)

    def test_a_client_that_leaves_stops_its_work(self):
        daemon = self.fake("--set", "http.workers=1")
        gone = daemon.connect()
        gone.send(request(search_target("slow:20000", timeout_ms=60000)))
        wait_until("it runs", lambda: daemon.metric("busy_workers") == 1)
        gone.close()
        wait_until("it stopped", lambda: daemon.metric("busy_workers") == 0, 10)
        self.assertEqual(daemon.metric("cancelled_requests_total"), 1)
        self.assertEqual(daemon.get(search_target("history")).status, 200)

    def test_a_search_ends_with_its_time(self):
        daemon = self.fake()
        answer = daemon.get(search_target("slow:5000", timeout_ms=100))
        self.assertIn(answer.status, (200, 503))
        if answer.status == 200:
            self.assertTrue(answer.json()["partial"])
        else:
            self.assertEqual(answer.code, "timeout_no_results")

    def test_errors_of_the_engine_are_500_with_a_code(self):
        daemon = self.fake()
        for kind, expected in (("corrupt", (500, "internal")), ("io", (500, "internal")), ("nomem", (503, "overloaded"))):
            answer = daemon.get(search_target(f"bad:{kind}"))
            self.assertEqual((answer.status, answer.code), expected, kind)
        self.assertEqual(daemon.get("/livez").status, 200)


class Generations(DaemonCase):
    def test_a_commit_is_picked_up_without_a_restart(self):
        daemon = self.real(ARTICLES, "--set", "index.refresh_ms=50")
        self.assertEqual(daemon.get(search_target("island")).json()["total"]["value"], 0)
        more = [{"id": 77, "title": "Island", "text": "An island.", "lang": "en", "categories": [], "source": "t"}]
        self.run_ok("import", "-i", self.index, "-q", self.write("more.jsonl", jsonl(more)))
        wait_until("the new document", lambda: daemon.get(search_target("island")).json()["total"]["value"] == 1)
        self.assertEqual(daemon.get("/livez").fields["ws-index-generation"], "2")

    def test_a_damaged_new_generation_leaves_the_old_one_in_service(self):
        daemon = self.fake("--set", "index.refresh_ms=50")
        with open(os.path.join(self.path("fake"), "GENERATION"), "w", encoding="ascii") as file:
            file.write("corrupt\n")
        wait_until("the error", lambda: daemon.metric("index_refresh_errors_total") >= 1)
        self.assertEqual(daemon.get(search_target("history")).status, 200)
        self.assertEqual(daemon.get("/readyz").status, 200)

    def test_no_index_is_an_exit_code(self):
        done = subprocess.run([DAEMON, "--index", self.path("nowhere"), "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, timeout=LIMIT,
                              env=environment(), check=False)
        self.assertEqual(done.returncode, 3, done.stderr)


class Ending(DaemonCase):
    def test_sigterm_drains(self):
        daemon = self.fake("--set", "http.workers=1")
        busy, idle = daemon.connect(), daemon.connect()
        self.assertEqual(idle.get("/readyz").status, 200)
        busy.send(request(search_target("slow:700")))
        wait_until("it runs", lambda: daemon.metric("busy_workers") == 1)
        daemon.process.send_signal(signal.SIGTERM)
        answer = busy.answer()
        self.assertEqual((answer.status, answer.fields.get("connection")), (200, "close"))
        self.assertTrue(busy.ended() and idle.ended())
        self.assertEqual(daemon.process.wait(LIMIT), 0)
        with self.assertRaises(OSError):
            Connection(daemon.port)

    def test_a_second_signal_ends_it_at_once(self):
        daemon = self.fake()
        c = daemon.connect()
        c.send(request(search_target("slow:20000", timeout_ms=60000)))
        wait_until("it runs", lambda: daemon.metric("busy_workers") == 1)
        daemon.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        daemon.process.send_signal(signal.SIGTERM)
        wait_until("ended", lambda: daemon.process.poll() is not None, 10)
        daemon.process.returncode = 0  # how it ended is its own affair


class Access(DaemonCase):
    def test_listening_beyond_loopback_needs_a_key(self):
        done = subprocess.run([DAEMON, "--index", self.dir, "--listen", "0.0.0.0:0"], stderr=subprocess.PIPE, timeout=LIMIT, env=environment(),
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"key", done.stderr)

    def test_keys(self):
        daemon = self.fake(env=environment(WIKISEARCH_AUTH_KEY="0123456789abcdef", WIKISEARCH_AUTH_ADMIN_KEY="fedcba9876543210"))
        target = search_target("history")
        self.assertEqual(daemon.get(target).code, "missing_key")
        self.assertEqual(daemon.get(target, "X-API-Key: wrong-wrong-wrong").code, "invalid_key")
        self.assertEqual(daemon.get(target, "X-API-Key: 0123456789abcdef").status, 200)
        self.assertEqual(daemon.get(target, "Authorization: Bearer 0123456789abcdef").status, 200)
        self.assertEqual(daemon.get("/livez").status, 200)
        self.assertEqual(daemon.get("/").status, 200)
        self.assertEqual(daemon.get("/v1/config", "X-API-Key: 0123456789abcdef").code, "insufficient_scope")
        config = daemon.get("/v1/config", "X-API-Key: fedcba9876543210")
        self.assertEqual(config.status, 200)
        self.assertNotIn(b"0123456789abcdef", config.body)

    def test_unix_socket(self):
        path = self.path("socket")
        os.makedirs(self.path("fake"), exist_ok=True)
        self.generation(1, 10)
        daemon = Daemon(FAKE, self.dir, "--index", self.path("fake"), "--listen", f"unix:{path}")
        self.addCleanup(self.finish, daemon)
        self.assertEqual(daemon.get("/livez").status, 200)

    def test_configuration_by_flag_environment_and_file(self):
        file = self.write("wikisearchd.conf", "# a comment\nhttp.queue = 7\nhttp.workers = 1\nlog.slow_ms = 5\n")
        daemon = self.fake("--config", file, "--set", "http.workers=2", env=environment(WIKISEARCH_LOG_SLOW_MS="9"))
        config = {c["key"]: c for c in daemon.get("/v1/config").json()["config"]}
        self.assertEqual((config["http.queue"]["value"], config["http.queue"]["source"]), (7, "file"))
        self.assertTrue(config["http.queue"]["where"].endswith(":2"))
        self.assertEqual((config["http.workers"]["value"], config["http.workers"]["source"]), (2, "flag"))
        self.assertEqual((config["log.slow_ms"]["value"], config["log.slow_ms"]["source"]), (9, "env"))
        for bad, hint in (("http.worker=2", "http.workers"), ("cache.ttl=3", "cache.ttl"), ("http.queue=x", "http.queue")):
            done = subprocess.run([FAKE, "--index", self.path("fake"), "--listen", "127.0.0.1:0", "--set", bad], stderr=subprocess.PIPE,
                                  timeout=LIMIT, env=environment(), check=False)
            self.assertEqual(done.returncode, 2, bad)
            self.assertIn(hint.encode(), done.stderr)

    def test_access_and_slow_logs(self):
        log, slow = self.path("access.log"), self.path("slow.log")
        daemon = self.fake("--set", f"log.access={log}", "--set", f"log.file={slow}", "--set", "log.slow_ms=50",
                           messages=slow)
        daemon.get(search_target("slow:100 \"x"), "X-Request-Id: slow-one")
        daemon.get("/livez")
        read = lambda path: open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        wait_until("two lines", lambda: read(log).count("\n") >= 2)
        self.assertRegex(read(log).splitlines()[0], r'^127\.0\.0\.1 - - \[[^\]]+\] "GET /v1/search\?\S+ HTTP/1\.1" 200 \d+ \d+$')
        entries = [json.loads(line) for line in read(slow).splitlines() if line.startswith("{")]
        self.assertTrue(any("slow-one" in json.dumps(e) for e in entries), read(slow))
        os.rename(log, log + ".1")
        daemon.process.send_signal(signal.SIGHUP)
        wait_until("a new file", lambda: daemon.get("/livez").status == 200 and read(log) != "")


class Machine(DaemonCase):
    def test_two_thousand_idle_connections_cost_little(self):
        daemon = self.fake()
        with daemon.connect() as c:
            c.get("/livez")
        before = daemon.resident()
        connections = []
        for _ in range(2000):
            c = daemon.connect()
            self.assertEqual(c.get("/livez").status, 200)
            connections.append(c)
        grown = daemon.resident() - before
        for c in connections:
            c.close()
        # A sanitizer's red zones cost about 9 KiB a connection.
        self.assertLess(grown, (4 << 20) if not is_sanitized(BIN) else (40 << 20))
        wait_until("closed", lambda: daemon.metric("connections{") <= 2)

    def test_few_descriptors_are_said_and_survived(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        daemon = self.fake(preexec=few)
        self.assertRegex(daemon.messages(), r"\d+ connections at most")
        connections = []
        for _ in range(100):
            try:
                connections.append(Connection(daemon.port))
            except OSError:
                break
        for c in connections:
            c.close()
        wait_until("it serves again", lambda: self.alive(daemon))

    def alive(self, daemon):
        try:
            return daemon.get("/livez").status == 200
        except (OSError, AttributeError):
            return False

    def test_beyond_the_connection_limit_503(self):
        daemon = self.fake("--set", "http.max_connections=5")
        held = [daemon.connect() for _ in range(5)]
        for c in held:
            self.assertEqual(c.get("/livez").status, 200)
        with daemon.connect() as beyond:
            answer = beyond.answer()
            self.assertTrue(answer is None or answer.status == 503)
            self.assertTrue(beyond.ended())
        for c in held:
            c.close()
        wait_until("room again", lambda: self.alive(daemon))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
