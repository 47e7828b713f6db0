"""What the tests of the command line share: the program, made-up documents, compression without other programs."""
import ctypes
import ctypes.util
import gzip
import json
import os
import random
import subprocess
import tempfile
import unittest

BIN = os.environ.get("WIKISEARCH_BIN", "")
SOURCE = os.environ.get("WIKISEARCH_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
SEED = int(os.environ.get("WS_TEST_SEED", "20261201"))
TIMEOUT = 300


def environment(**more):
    env = {k: v for k, v in os.environ.items() if k not in ("WIKISEARCH_INDEX", "WS_FAILPOINT", "NO_COLOR")}
    env.update(more)
    return env


class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout.decode("utf-8", "replace")
        self.err = process.stderr.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.out)

    def json_lines(self):
        return [json.loads(line) for line in self.out.split("\n") if line]


def run(*args, stdin=b"", program=None, env=None, cwd=None):
    """Runs `wikisearch args`."""
    return Result(subprocess.run([program or BIN, *map(str, args)], input=stdin, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, timeout=TIMEOUT, env=env or environment(), cwd=cwd,
                                 check=False))


def is_sanitized(program):
    version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    return "sanitizer" in version


class Case(unittest.TestCase):
    """A test with a directory of its own; programs must be there, or the build is wrong."""

    def setUp(self):
        self.assertTrue(os.path.exists(BIN), "WIKISEARCH_BIN is not set")
        temporary = tempfile.TemporaryDirectory(prefix="wikisearch-test-")
        self.addCleanup(temporary.cleanup)
        self.dir = temporary.name
        self.index = os.path.join(self.dir, "index")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        return self.path(name)

    def run_ok(self, *args, **more):
        result = run(*args, **more)
        self.assertEqual(result.code, 0, f"{args}: {result.err}")
        return result

    def assert_same(self, got, expected, why=""):
        """Equality of long lists; tells the first difference only."""
        if got != expected:
            at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b), min(len(got), len(expected)))
            self.fail(f"{why}: differs at {at}: {str(got[at:at + 1])[:600]}, expected {str(expected[at:at + 1])[:600]}")

    def stats(self, index=None):
        return self.run_ok("stats", "-i", index or self.index, "--json").json()

    def search(self, *args, index=None):
        return self.run_ok("search", "-i", index or self.index, "--json", *args).json()

    def batch(self, queries, *args, index=None):
        """One answer for each of the queries (text, or text TAB operator TAB filter)."""
        text = "".join(q + "\n" for q in queries).encode()
        return self.run_ok("search", "-i", index or self.index, "--batch", "-", *args, stdin=text).json_lines()


# --- documents ---

KOREAN = ["대한민국", "역사", "서울", "한국어", "도시", "사람들이", "문화는", "경제를", "바다", "하늘에서"]


def letters(number):
    """A number in letters that no stemmer touches; digits would be words of their own."""
    return "".join("bcdfghjkmn"[int(digit)] for digit in str(number))


def unique(number):
    """The word that only document `number` has."""
    return f"zq{letters(number)}x"


def word(number):
    """A word of many documents; low numbers are frequent."""
    return f"w{letters(number)}k"


def documents(n, words=40, start=0):
    """Documents with ids start, start + 1, ...; each has a word of its own, unique(id)."""
    out = []
    for i in range(start, start + n):
        rng = random.Random(SEED * 1000003 + i)
        text = [unique(i)]
        for _ in range(words):
            text.append(rng.choice(KOREAN) if rng.random() < 0.2 else word(int(rng.paretovariate(0.4)) % 3000))
        out.append({"id": i, "title": f"Document {i} {rng.choice(KOREAN)}", "text": " ".join(text),
                    "categories": [f"c{i % 7}"], "lang": "ko" if i % 3 else "en", "source": "made up"})
    return out


def jsonl(docs):
    return "".join(json.dumps(d, ensure_ascii=False) + "\n" for d in docs).encode()


# --- compression ---

def gzipped(data):
    return gzip.compress(data, 6)


class _Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


def zstd_compressed(data, window_log=0):
    """A zstd frame without content size, by the library that the program itself needs."""
    name = ctypes.util.find_library("zstd") or "libzstd.so.1"
    lib = ctypes.CDLL(name)
    lib.ZSTD_createCCtx.restype = ctypes.c_void_p
    lib.ZSTD_compressBound.restype = lib.ZSTD_compressStream2.restype = ctypes.c_size_t
    lib.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    lib.ZSTD_freeCCtx.argtypes = [ctypes.c_void_p]
    lib.ZSTD_CCtx_setParameter.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    lib.ZSTD_compressStream2.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Buffer), ctypes.POINTER(_Buffer),
                                         ctypes.c_int]
    context = lib.ZSTD_createCCtx()
    lib.ZSTD_CCtx_setParameter(context, 100, 1)  # level
    if window_log:
        lib.ZSTD_CCtx_setParameter(context, 101, window_log)
    room = lib.ZSTD_compressBound(len(data)) + 1024
    target = ctypes.create_string_buffer(room)
    source = ctypes.create_string_buffer(data, len(data))
    out = _Buffer(ctypes.addressof(target), room, 0)
    first = _Buffer(ctypes.addressof(source), len(data), 0)
    lib.ZSTD_compressStream2(context, out, first, 0)  # without the end, so that the size is not known
    nothing = _Buffer(None, 0, 0)
    if lib.ZSTD_compressStream2(context, out, nothing, 2) != 0 or first.pos != len(data):
        raise RuntimeError("zstd failed")
    lib.ZSTD_freeCCtx(context)
    return target.raw[:out.pos]


def main():
    unittest.main(verbosity=2)
