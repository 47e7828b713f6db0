#!/usr/bin/env python3
"""Writes the seeds of fuzz_trace into corpus/trace: a byte for the format, then a trace of it, whole, cut and wrong."""
import gzip
import lzma
import struct

from seed_files import write_seeds

AUTO, ARC, LIRS, ADDRESS, SIZES, BE32, BE64, ORACLE = range(8)

TRACES = [
    (ARC, b"10 3 0 0\n7 1 0 1\n"), (ARC, b"0 0 0 0\n"), (ARC, b"1 4294967296 0 0\n"), (ARC, b"1 99999 0 0\n"),
    (LIRS, b"1\n2\r\n*\n\n3"), (LIRS, b"18446744073709551616\n"), (LIRS, b"-1\n"), (LIRS, b"x" * 5000),
    (ADDRESS, b"s 0x1fffff50 1\nl 0xFF 2\n"), (ADDRESS, b"l 0x\n"), (ADDRESS, b"l\n"),
    (SIZES, b"1 2 3\n2 5 7\n"), (SIZES, b"1\n"),
    (BE32, struct.pack(">20I", *range(20))), (BE64, struct.pack(">20Q", *range(20))),
    (ORACLE, b"".join(struct.pack("<IQIq", t, t * 7919, 4096, -1) for t in range(20))),
]


def seeds():
    for kind, text in TRACES:
        for first in (kind, AUTO):
            yield bytes([first]) + text
        yield bytes([kind]) + text[:-1]
    for kind, text in TRACES[:3] + TRACES[-3:]:
        yield bytes([kind]) + gzip.compress(text, mtime=0)
        yield bytes([AUTO]) + lzma.compress(text, preset=0)
    yield b""
    yield bytes([AUTO])


if __name__ == "__main__":
    write_seeds("trace", seeds())
