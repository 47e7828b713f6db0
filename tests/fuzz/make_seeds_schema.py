#!/usr/bin/env python3
"""Writes the seeds of fuzz_schema into corpus/schema: docs/format.md section 9, right and wrong."""
import struct

from seed_files import write_seeds

ONE = 65536


def name(text):
    return bytes([len(text)]) + text


def field(title, kind=1, analyzer=0, flags=3, boost=ONE, source=None):
    return struct.pack("<BBBBI", kind, analyzer, flags, 0, boost) + name(title) + name(title if source is None else source)


def schema(fields, version=1, n=None, k1=15099494, b=6710886, weights=(ONE, ONE // 2, 0), key=b"id"):
    return struct.pack("<BBHII3I", version, len(fields) if n is None else n, 0, k1, b, *weights) + name(key) + b"".join(fields)


DEFAULT = [field(b"title", boost=2 * ONE), field(b"body", source=b"text"), field(b"lang", 2, flags=1, boost=0),
           field(b"categories", 2, flags=5, boost=0), field(b"source", 4, flags=1, boost=0)]


def seeds():
    yield b""
    yield schema([])
    yield schema(DEFAULT)
    yield schema(DEFAULT, key=b"")
    yield from (schema(DEFAULT, version=v) for v in (0, 2, 255))
    yield from (schema(DEFAULT, n=n) for n in (0, 4, 6, 32, 33, 255))
    yield from (schema(DEFAULT, b=b) for b in (0, 1 << 24, (1 << 24) + 1, 0xFFFFFFFF))
    yield from (schema(DEFAULT, k1=k) for k in (0, 0xFFFFFFFF))
    yield schema(DEFAULT, weights=(0xFFFFFFFF,) * 3)
    yield from (schema([field(b"x", kind)]) for kind in range(6))
    yield from (schema([field(b"x", analyzer=a)]) for a in range(4))
    yield from (schema([field(b"x", flags=f)]) for f in (0, 1, 2, 4, 7, 8, 255))
    yield from (schema([field(b"x", boost=b)]) for b in (0, 100 * ONE, 100 * ONE + 1))
    yield from (schema([field(t)]) for t in (b"", b"x" * 64, b"x" * 65, b"a\0b", b"\xed\x95\x9c", b"\xff"))
    yield schema([field(b"x"), field(b"x")])
    yield from (schema([field(b"t%d" % i) for i in range(n)]) for n in (8, 9))
    yield schema([field(b"s%d" % i, 4, flags=1) for i in range(32)])
    whole = schema(DEFAULT)
    yield from (whole[:n] for n in (1, 2, 23, 24, 25, 26, 27, 34, 35, 50, len(whole) - 1))
    yield whole + b"\0"


if __name__ == "__main__":
    write_seeds("schema", seeds())
