#!/usr/bin/env python3
"""Writes the seeds of fuzz_manifest into corpus/manifest: docs/format.md section 7, right and wrong. The target itself
puts length and hash in when the first byte is not 0."""
import struct

from make_seeds_schema import DEFAULT, schema
from seed_files import write_seeds

MAGIC = b"WSMAN\r\n\x1a"


def segment(number, docs=10, deleted=0, live=0, in_epoch=1):
    return struct.pack("<QQQIIQQII", number, 4096, 0x1122334455667788, docs, deleted, live, 99, in_epoch, 0)


def stream(field, number, docs=10, length=100):
    return struct.pack("<BBHIQQ", field, number, 0, 0, docs, length)


def pairs(*items):
    return b"".join(struct.pack("<H", len(item)) + item for item in items)


def manifest(segments=(), streams=(), user=b"", suggest=b"", major=1, minor=0, next_segment=100, counts=None,
             rules=None, magic=MAGIC, repair=1):
    rules = schema(DEFAULT) if rules is None else rules
    counts = counts or (len(segments), len(streams), len(rules), len(user), len(suggest), 0)
    head = magic + struct.pack("<HHI8Q", major, minor, 0, 3, 2, 10**18, 1, 10, 1000, next_segment, 0xFEED)
    body = head + struct.pack("<6I", *counts) + b"".join(segments) + b"".join(streams) + rules + user + suggest
    return bytes([repair]) + body + bytes(8)


def seeds():
    yield b""
    yield b"\0"
    yield b"\1" + b"x" * 200
    yield manifest()
    yield manifest(repair=0)
    full = manifest([segment(i) for i in range(1, 9)], [stream(0, 0), stream(1, 0), stream(1, 1)],
                    pairs(b"applied", b"42", b"import.checkpoint", b"{}"), b"trie-3.wst")
    yield full
    yield from (full[:n] for n in (50, 104, 112, 113, 120, 300, len(full) - 1))
    yield full + b"\0"
    yield manifest(magic=b"WSMAN\n\n\x1a")
    yield from (manifest(major=m) for m in (0, 2, 65535))
    yield manifest(minor=7)
    yield from (manifest([segment(*s)]) for s in ((0,), (99,), (100,), (1, 0), (1, 0x7FFFFFFE), (1, 0x7FFFFFFF),
                                                  (1, 10, 10, 5), (1, 10, 11, 5), (1, 10, 1, 0), (1, 10, 0, 0, 2)))
    yield manifest([segment(2), segment(1)])
    yield manifest([segment(2), segment(2)])
    yield manifest([segment(i, 0x7FFFFFFE) for i in range(1, 4)])
    yield manifest([segment(i) for i in range(1, 400)], next_segment=400)
    yield from (manifest(streams=[stream(*s)]) for s in ((4, 2), (5, 0), (0, 3), (0, 0, 2**64 - 1, 2**64 - 1)))
    yield manifest(streams=[stream(0, 0), stream(0, 0)])
    yield manifest(streams=[stream(f, s) for f in range(5) for s in range(3)] * 2)
    yield from (manifest(user=u) for u in (pairs(b""), pairs(b"", b""), pairs(b"k", b"v"), pairs(b"k"), b"\1", b"\xff\xff",
                                           pairs(b"k", b"v" * 4091), pairs(b"k", b"v" * 4092)))
    yield from (manifest(suggest=s) for s in (b"x" * 255, b"x" * 256, b"a/b", b"a\0b", b"\xff"))
    yield from (manifest(counts=c) for c in ((2**32 - 1, 0, 0, 0, 0, 0), (0, 2**32 - 1, 0, 0, 0, 0),
                                             (0, 0, 2**32 - 1, 0, 0, 0), (4097, 0, 0, 0, 0, 0), (1, 1, 1, 1, 1, 1)))
    yield from (manifest(rules=r) for r in (b"", schema([]), schema(DEFAULT, n=33), schema(DEFAULT, version=2)))


if __name__ == "__main__":
    write_seeds("manifest", seeds())
