#!/usr/bin/env python3
"""Writes the seeds of fuzz_input into corpus/input: plain, gzip, zstd and xz files, cut ones, headers of all kinds."""
import gzip
import lzma
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "system"))
from cli_support import zstd_compressed  # noqa: E402
from seed_files import write_seeds  # noqa: E402

TEXTS = [b"", b"\n", b"a", b"a\n", b"a\r\nb\r\n", b"\n\n\n", b"one\ntwo\nthree", b"x" * 99 + b"\n", b"x" * 100 + b"\n",
         b"x" * 101 + b"\n", b"x" * 300, b"\xef\xbb\xbf{}\n", b"\xef\xbb\xbf", b"\r", b"\r\n", b'{"id": 1}\n' * 20, b"\0\n\0"]


def zstd_header(descriptor, rest):
    return struct.pack("<IB", 0xFD2FB528, descriptor) + rest


def seeds():
    yield from TEXTS
    for text in TEXTS:
        if text:
            yield gzip.compress(text, mtime=0)
            yield zstd_compressed(text)
    text = b"some words and some words\n" * 40
    packed, frame = gzip.compress(text, mtime=0), zstd_compressed(text)
    yield packed + packed
    yield frame + frame
    yield packed + b"\0" * 10
    yield packed + b"junk"
    yield frame + b"junk"
    yield frame + struct.pack("<II", 0x184D2A50, 4) + b"skip" + frame
    yield struct.pack("<II", 0x184D2A5F, 0)
    yield struct.pack("<II", 0x184D2A5F, 1 << 31)
    for cut in (1, 2, 3, 4, 5, 6, 9, 20):
        yield packed[:cut]
        yield frame[:cut]
    yield packed[:-4]
    yield frame[:-2]
    yield zstd_compressed(text, 27)
    for descriptor in (0x00, 0x20, 0x60, 0xA0, 0xE0, 0x40, 0x23, 0x63, 0xE3, 0x04, 0x08, 0x10):
        for rest in (b"", b"\xff" * 20, b"\0" * 20):
            yield zstd_header(descriptor, rest)
    packed = lzma.compress(text, preset=0)
    yield packed
    yield packed + packed
    yield packed + b"\0" * 4 + packed
    yield packed + b"junk"
    for cut in (6, 7, 12, 13, 24, len(packed) - 12, len(packed) - 1):
        yield packed[:cut]
    for at in (6, 8, 13, 20, len(packed) // 2, len(packed) - 3):
        yield packed[:at] + bytes([packed[at] ^ 0x41]) + packed[at + 1:]


if __name__ == "__main__":
    write_seeds("input", seeds())
