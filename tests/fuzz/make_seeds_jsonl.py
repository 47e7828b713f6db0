#!/usr/bin/env python3
"""Writes the seeds of fuzz_jsonl into corpus/jsonl."""
from seed_files import write_seeds

DEFAULT = b"\0"
LINES = b"\1"
TYPES = b"\2"
SEEDS = [
    DEFAULT, DEFAULT + b"{}", DEFAULT + b'{"id": 1}', DEFAULT + b'{"id": "one"}', DEFAULT + b'{"id": null}',
    DEFAULT + b'{"id": 9, "title": "\xec\x88\x98\xed\x95\x99", "text": "body", "categories": ["a", "b"], "lang": "ko"}',
    DEFAULT + b'{"id": 1, "title": 5}', DEFAULT + b'{"id": 1, "title": ["x"]}', DEFAULT + b'{"id": 1, "title": {"x": 1}}',
    DEFAULT + b'{"id": 1, "title": true}', DEFAULT + b'{"id": 1, "title": null}', DEFAULT + b'{"id": 1.5}',
    DEFAULT + b'{"id": 1e3}', DEFAULT + b'{"id": -0}', DEFAULT + b'{"id": 9223372036854775807}',
    DEFAULT + b'{"id": 9223372036854775808}', DEFAULT + b'{"id": 1, "x": 123456789012345678901234567890}',
    DEFAULT + b'{"id": 1, "x": 1e999}', DEFAULT + b'{"id": 1, "x": -1e-999}', DEFAULT + b'{"id": 1, "id": 2}',
    DEFAULT + b'{"id": 1, "title": "\\u0000"}', DEFAULT + b'{"id": 1, "title": "\\ud83d\\ude00"}',
    DEFAULT + b'{"id": 1, "title": "\\ud83d"}', DEFAULT + b'{"id": 1, "title": "\\ude00\\ud83d"}',
    DEFAULT + b'{"id": 1, "title": "a\xffb"}', DEFAULT + b'{"id": 1, "title": "\xed\xa0\x80"}',
    DEFAULT + b'{"id": 1, "title": "\xf4\x90\x80\x80"}', DEFAULT + b'{"id": 1, "title": "\xc0\x80"}',
    DEFAULT + b'{"id": 1, "title": "a\tb"}', DEFAULT + b'{"id": 1, "title": "a\0b"}', DEFAULT + b'{"\xff": 1, "id": 1}',
    DEFAULT + b'{"id": 1, "x": ' + b"[" * 63 + b"]" * 63 + b"}", DEFAULT + b'{"id": 1, "x": ' + b"[" * 64 + b"]" * 64 + b"}",
    DEFAULT + b"[" * 500, DEFAULT + b'{"a":' * 100, DEFAULT + b'["' + b"\\\"[" * 30 + b'"]', DEFAULT + b'"\\',
    DEFAULT + b"[1]", DEFAULT + b'"id"', DEFAULT + b"null", DEFAULT + b"1", DEFAULT + b'{"id": 1} ', DEFAULT + b'{"id": 1}}',
    DEFAULT + b'{"id": 1', DEFAULT + b'{"id"', DEFAULT + b'\xef\xbb\xbf{"id": 1}', DEFAULT + b"NaN", DEFAULT + b"{'id': 1}",
    LINES + b'{"text": "no id"}', LINES + b'{"id": 5, "text": "with id"}', LINES + b"{}", LINES + b'{"text": ""}',
    TYPES + b'{"sku": "x", "n": 5, "k": "a", "m": ["a", "b", "a"], "s": "text"}',
    TYPES + b'{"sku": 1, "n": -9223372036854775808, "k": 7, "m": 7, "s": 1.25}',
    TYPES + b'{"sku": 1, "n": "5"}', TYPES + b'{"sku": 1, "n": 5.0}', TYPES + b'{"sku": 1, "n": true}',
    TYPES + b'{"sku": 1, "k": true, "m": [true, false], "s": [1, "a", true]}', TYPES + b'{"sku": 1, "m": []}',
    TYPES + b'{"sku": 1, "m": [null]}', TYPES + b'{"sku": 1, "s": [[1]]}', TYPES + b'{"sku": 1, "s": {"a": 1}}',
    TYPES + b'{"sku": 1, "m": [' + b",".join(b'"%d"' % i for i in range(200)) + b"]}",
    TYPES + b'{"sku": 1, "n": 12345678901234567890, "big": 1}', TYPES + b'{"n": 1}', TYPES + b'{"sku": ""}',
]

if __name__ == "__main__":
    write_seeds("jsonl", SEEDS)
