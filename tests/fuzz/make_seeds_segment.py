#!/usr/bin/env python3
"""Writes the seeds of fuzz_segment into corpus/segment: scripts of edits, see fuzz_segment.c."""
import random
import struct

from seed_files import write_seeds

REHASH, SCALAR, CUT = 4, 8, 16


def edit(place, value):
    return struct.pack("<I", place & 0xFFFFFF)[:3] + bytes([value])


def seeds():
    yield from (bytes([which]) for which in range(16))
    for which in range(4):
        for place in (0, 8, 12, 16, 24, 32, 48):  # the header
            yield bytes([which]) + edit(place, 0xFF)
            yield bytes([which | REHASH]) + edit(place, 0xFF)
        for place in (63, 64, 100, 1000, 0xFFFFFF):
            yield bytes([which | CUT]) + edit(place, 0)
            yield bytes([which | CUT | REHASH]) + edit(place, 0)
    rng = random.Random(1)
    for number in range(60):
        which = number % 4 | REHASH | (SCALAR if number % 3 == 0 else 0)
        count = 1 + number % 6
        yield bytes([which]) + b"".join(
            edit(rng.randrange(1 << 24), rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))) for _ in range(count))


if __name__ == "__main__":
    write_seeds("segment", seeds())
