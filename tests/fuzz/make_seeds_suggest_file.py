#!/usr/bin/env python3
"""Writes the seeds of fuzz_suggest_file into corpus/suggest_file: docs/format.md section 10, right and wrong. The target
itself puts length and hash in when the first byte is not 0."""
import struct

from seed_files import write_seeds

MAGIC, END = b"WSSUG\r\n\x1a", b"WSSUGEND"


def short(text):
    return bytes([len(text)]) + text


def entry(surface, shared=0, flags=0, normal=None, target=None, context=None, score=0x10000, fraction=None):
    body = bytes([shared]) + short(surface[shared:])
    flags |= (4 if target is not None else 0) | (16 if context is not None else 0)
    flags |= (2 if normal is not None else 0) | (32 if fraction is not None else 0)
    body += bytes([flags])
    body += short(normal) if normal is not None else b""
    body += short(target) if target is not None else b""
    body += bytes([context]) if context is not None else b""
    body += struct.pack("<I", score)
    return body + (struct.pack("<H", fraction) if fraction is not None else b"")


def blocked(flags, key):
    return struct.pack("<BH", flags, len(key)) + key


def suggest(entries=(), contexts=(), patterns=(), n=None, n_contexts=None, n_blocked=None, major=1, order=0x0A0B0C0D,
            origin=5, half=604800000, magic=MAGIC, end=END, extra=b"", repair=1):
    counts = (len(contexts) if n_contexts is None else n_contexts, len(patterns) if n_blocked is None else n_blocked)
    head = magic + struct.pack("<HHIqQII", major, 0, order, origin, half, *counts) + bytes(24)
    body = b"".join(map(short, contexts)) + b"".join(patterns) + b"".join(entries) + extra
    tail = struct.pack("<Q", len(entries) if n is None else n) + bytes(16) + end
    return bytes([repair]) + head + body + tail


def u(text):
    return text.encode("utf-8")


def seeds():
    yield b""
    yield b"\1"
    yield b"\1" + b"x" * 200
    yield suggest()
    yield suggest(repair=0)
    yield suggest([entry(u("가"))])
    yield suggest([entry(u("History"), flags=1)])
    yield suggest([entry(u("Straße"), normal=u("strasse"))])
    yield suggest([entry(u("가"), target=u("나"))])
    yield suggest([entry(u("가"), flags=8, fraction=7)])
    yield suggest([entry(u("가"), context=1)], [u("문맥")])
    yield suggest([entry(u("가")), entry(u("가"), context=1), entry(u("가"), context=2)], [b"a", b"b"])
    yield suggest([entry(u("가"), context=1), entry(u("가"))], [b"a"])
    yield suggest([entry(u("가"), context=2)], [b"a"])
    yield suggest([entry(u("가"), context=0)], [b"a"])
    yield suggest([entry(u("가")), entry(u("각"), shared=1), entry(u("각시"), shared=3)])
    yield suggest([entry(u("각")), entry(u("가"))])
    yield suggest([entry(u("가")), entry(u("가"))])
    yield suggest([entry(u("가")), entry(u("가 "))])
    yield suggest([entry(u("가"), shared=0), entry(u("가나"), shared=4)])
    many = [entry(b"%05d" % i, shared=0 if i == 0 else 3, score=i * 977) for i in range(100)]
    yield suggest(many)
    yield suggest([entry(b"x" * n, shared=n - 1) for n in range(1, 60)])
    yield suggest([entry(b"x" * 255)])
    yield suggest([entry(b"x" * 255), entry(b"x" * 200 + b"y", shared=200)])
    yield suggest([entry(u("가"), normal=b"")])
    yield suggest([entry(u("가"), normal=b"a\0b")])
    yield suggest([entry(b"\0")])
    yield suggest([entry(b" ")])
    yield suggest([entry(b"")])
    yield suggest([entry(b"\xff")])
    yield suggest([entry(b"a", target=b"\xff")])
    yield suggest([entry(b"a", normal=b"\xff")])
    yield suggest([entry(b"a", flags=3)])
    yield suggest([entry(b"a", flags=64)])
    yield suggest([entry(b"a", score=0xFFFFFFFF, fraction=0xFFFF)])
    yield suggest(patterns=[blocked(0, b"\x80\x93"), blocked(3, b"bad")])
    yield suggest(patterns=[blocked(0, b"a"), blocked(0, b"a")])
    yield suggest(patterns=[blocked(4, b"a")])
    yield suggest(patterns=[blocked(0, b"")])
    yield suggest(patterns=[blocked(0, b"k" * 600)])
    yield suggest(contexts=[b""])
    yield suggest(contexts=[b"a", b"a"])
    yield suggest(contexts=[b"a\0"])
    yield suggest(contexts=[b"c%d" % i for i in range(255)])
    yield suggest(contexts=[b"c%d" % i for i in range(256)])
    yield from (suggest(n=n) for n in (1, 2**32, 2**64 - 1))
    yield suggest([entry(b"a"), entry(b"b")], n=1)
    yield suggest(n_contexts=2**32 - 1)
    yield suggest(n_blocked=2**32 - 1)
    yield from (suggest(half=h) for h in (0, 1, 2**40, 2**40 + 1))
    yield from (suggest(major=m) for m in (0, 2, 65535))
    yield suggest(order=0x0D0C0B0A)
    yield suggest(origin=-(2**63))
    yield suggest(magic=b"WSSUG\n\n\x1a")
    yield suggest(end=b"WSSUGENX")
    yield suggest(extra=b"x")
    full = suggest(many, [u("문맥")], [blocked(3, b"bad")])
    yield from (full[:n] for n in (50, 96, 97, 98, 150, len(full) - 1))
    yield full + b"\0"


if __name__ == "__main__":
    write_seeds("suggest_file", seeds())
