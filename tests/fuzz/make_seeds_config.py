#!/usr/bin/env python3
"""Writes the seed corpus of fuzz_config: configuration files, lists of variables, addresses."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "corpus", "config")

VALUES = {
    "http.listen": ["127.0.0.1:8080", "[::1]:0", "unix:/tmp/x", ":80", "localhost:1", "0.0.0.0:80"],
    "http.workers": ["0", "2", "1024", "1025", "-1", "x", "99999999999999999999"],
    "http.queue": ["0", "7"], "http.queue_policy": ["shed", "unbounded", "drop"], "http.backlog": ["1", "0"],
    "http.max_connections": ["10", "1000000"], "front.mode": ["split", "inline"], "admission.budget_ms": ["1", "0"],
    "highlight.mode": ["window", "full"], "index.access": ["mmap", "read"], "index.refresh_ms": ["0", "600000", "600001"],
    "log.access": ["", "-", "/var/log/a b", "로그"], "log.slow_ms": ["5"], "auth.key": ["", "short", "0123456789abcdef", "a b"],
    "search.pruning": ["on"], "cache.ttl": ["5"], "http.worker": ["1"], "": ["1"],
}
TEXTS = [
    "", "\n", "#", "# only a comment\n", "http.workers", "=", " = ", "\0", "a\0=b", "http.workers = 1\nhttp.workers = 2\n",
    "  http.workers\t=\t3\t\r\n# c\r\nhttp.queue=4", "\ufeffhttp.workers = 1\n", "auth.key = 0123456789abcdef#=\n",
    "WIKISEARCH_HTTP_WORKERS=2\nWIKISEARCH_INDEX=/x\nPATH=/bin\n", "WIKISEARCH_HTTP_WORKER=2\n", "WIKISEARCH_=\nWIKISEARCH\n=\n",
    "unix:" + "a" * 200, "[::1", "]:1", "x" * 5000, "http.workers = 1\n" * 3, "\n" * 300 + "http.queue = 3",
]


def main():
    os.makedirs(OUT, exist_ok=True)
    texts = TEXTS + [f"{key} = {value}\n" for key, values in VALUES.items() for value in values]
    texts.append("".join(f"{key} = {values[0]}\n" for key, values in list(VALUES.items())[:14]))
    for number, text in enumerate(texts):
        with open(os.path.join(OUT, f"seed-{number:03}"), "wb") as file:
            file.write(text.encode())
    print(len(texts), "seeds")


if __name__ == "__main__":
    main()
