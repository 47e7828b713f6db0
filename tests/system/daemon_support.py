"""What the tests of the daemon share: starting it, talking to it over bare sockets, reading its metrics."""
import json
import os
import re
import signal
import socket
import subprocess
import time
import unittest
import urllib.parse

from cli_support import BIN, Case, environment, jsonl

DAEMON = os.environ.get("WIKISEARCHD_BIN", "")
FAKE = os.path.join(os.path.dirname(DAEMON), "wikisearchd_fake") if DAEMON else ""
LIMIT = 30  # seconds in which anything must have happened


class Answer:
    def __init__(self, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        self.fields = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.fields[name.strip().lower()] = value.strip()
        self.body = body

    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json().get("code")


class Connection:
    """A socket and what was read beyond the last answer."""

    def __init__(self, port, path=None):
        if path:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(LIMIT)
            self.socket.connect(path)
        else:
            self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        self.rest = b""

    def send(self, data):
        self.socket.sendall(data)

    def more(self):
        """Reads on; False at the end, however it came."""
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            return False
        self.rest += data
        return bool(data)

    def answer(self, head_only=False):
        """The next answer, interim ones left out; None when the connection ended."""
        while b"\r\n\r\n" not in self.rest:
            if not self.more():
                return None
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        status = int(head.split(b" ")[1])
        if 100 <= status < 200:
            return self.answer(head_only)
        found = re.search(rb"(?i)content-length: (\d+)", head)
        length = 0 if head_only or status in (204, 304) or not found else int(found.group(1))
        while len(self.rest) < length and self.more():
            pass
        body, self.rest = self.rest[:length], self.rest[length:]
        return Answer(head, body)

    def ended(self):
        """True when the other side has closed; waits for it."""
        while self.more():
            self.rest = b""
        return True

    def get(self, target, *fields):
        self.send(request(target, *fields))
        return self.answer()

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def request(target, *fields, method="GET", body=b"", host="Host: x"):
    lines = [f"{method} {target} HTTP/1.1"] + ([host] if host else []) + list(fields)
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n" + body


def search_target(query, **more):
    return "/v1/search?" + urllib.parse.urlencode({"q": query, **more})


class Daemon:
    """A running daemon; its messages are kept in a file."""

    def __init__(self, program, directory, *args, env=None, preexec=None, messages=None):
        self.messages_path = messages
        self.log_path = os.path.join(directory, f"daemon-{time.monotonic_ns()}.log")
        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen([program, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.log,
                                        env=env or environment(), preexec_fn=preexec)
        self.port = None
        self.path = None
        wait_until("listening", lambda: self.listening() or self.process.poll() is not None)

    def listening(self):
        found = re.search(r"listening on (?:http://\S+?:(\d+)|unix:(\S+))\s", self.messages())
        if found:
            self.port, self.path = int(found.group(1) or 0), found.group(2)
        return bool(found)

    def messages(self):
        texts = []
        for path in (self.log_path, self.messages_path):
            if path and os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    texts.append(file.read())
        return "".join(texts)

    def connect(self):
        return Connection(self.port, self.path)

    def get(self, target, *fields):
        with self.connect() as c:
            return c.get(target, *fields)

    def metrics(self):
        table = {}
        for line in self.get("/metrics").body.decode().splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                table[name] = float(value)
        return table

    def metric(self, start):
        return sum(v for name, v in self.metrics().items() if name.startswith("wikisearch_" + start))

    def resident(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        return self.process.returncode


def wait_until(what, condition, seconds=LIMIT):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError(f"never: {what}")


class DaemonCase(Case):
    """Tests that start daemons: stopped at the end, and none may have died on its own."""

    def setUp(self):
        super().setUp()
        self.assertTrue(os.path.exists(DAEMON), "WIKISEARCHD_BIN is not set")

    def start(self, *args, program=DAEMON, **more):
        daemon = Daemon(program, self.dir, "--listen", "127.0.0.1:0", *args, **more)
        self.addCleanup(self.finish, daemon)
        self.assertIsNone(daemon.process.poll(), daemon.messages())
        return daemon

    def finish(self, daemon):
        code = daemon.stop()
        self.assertEqual(code, 0, daemon.messages())

    def fake(self, *args, **more):
        directory = self.path("fake")
        os.makedirs(directory, exist_ok=True)
        self.generation(1, 1000)
        return self.start("--index", directory, *args, program=FAKE, **more)

    def generation(self, number, documents):
        path = os.path.join(self.path("fake"), "GENERATION")
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(f"{number} {documents}\n")
        os.replace(path + ".new", path)

    def real(self, articles, *args, **more):
        self.run_ok("import", "-i", self.index, "-q", self.write("articles.jsonl", jsonl(articles)))
        return self.start("--index", self.index, *args, **more)


ARTICLES = [
    {"id": 1, "title": "대한민국", "text": "대한민국은 동아시아의 나라이다. 역사가 길다.", "categories": ["나라"], "lang": "ko", "source": "t"},
    {"id": 2, "title": "History", "text": "History of the world.", "categories": [], "lang": "en", "source": "t"},
    {"id": "a/b c", "title": "Odd id", "text": "A document whose id needs escapes 😀 history.", "categories": ["x", "y"], "lang": "en"},
]

__all__ = ["ARTICLES", "Answer", "BIN", "Connection", "DAEMON", "Daemon", "DaemonCase", "FAKE", "LIMIT", "request", "search_target",
           "unittest", "wait_until"]
