#!/usr/bin/env python3
"""Writes the seeds of fuzz_schema_json into corpus/schema_json."""
import json

from seed_files import write_seeds

TEXT = {"name": "t", "type": "text"}


def fields(*field, **more):
    return dict(more, fields=list(field))


SCHEMAS = [
    {}, [], None, 5, "text", fields(), fields(TEXT), fields(TEXT, TEXT), fields(5), fields([]), {"fields": {}},
    fields(TEXT, id="sku"), fields(TEXT, id=""), fields(TEXT, id=5), fields(TEXT, id="k" * 64), fields(TEXT, id="k" * 65),
    fields(TEXT, bm25={"k1": 0.9, "b": 0.4}), fields(TEXT, bm25={"k1": 100, "b": 1}), fields(TEXT, bm25={"k1": 101}),
    fields(TEXT, bm25={"b": -0.1}), fields(TEXT, bm25={}), fields(TEXT, bm25=[]), fields(TEXT, bm25={"k": 1}),
    fields(TEXT, streams={"word": 1, "bigram": 0.5, "surface": 0}), fields(TEXT, streams={"word": 1e-9}),
    fields(TEXT, streams={"words": 1}), fields(TEXT, streams={"bigram": "1"}), fields(TEXT, unknown=1),
    fields({"name": "t"}), fields({"type": "text"}), fields({"name": "t", "type": "txt"}), fields({"name": "", "type": "text"}),
    fields({"name": "a b", "type": "text"}), fields({"name": "id", "type": "text"}), fields({"name": "_x", "type": "int"}),
    fields({"name": "n" * 64, "type": "int"}), fields({"name": "n" * 65, "type": "int"}), fields({"name": 5, "type": "int"}),
    fields({"name": "t", "from": "", "type": "text"}), fields({"name": "t", "from": "한", "type": "text"}),
    fields({"name": "t", "type": "text", "analyzer": "whitespace"}), fields({"name": "t", "type": "text", "analyzer": "x"}),
    fields({"name": "t", "type": "int", "analyzer": "standard"}), fields({"name": "t", "type": "text", "boost": 0.3333}),
    fields({"name": "t", "type": "text", "boost": 1e300}), fields({"name": "t", "type": "text", "boost": 100}),
    fields({"name": "t", "type": "text", "stored": False, "positions": False}),
    fields({"name": "t", "type": "text", "stored": 0}), fields({"name": "k", "type": "keyword", "multi": True}),
    fields({"name": "k", "type": "keyword", "multi": True, "stored": False}), fields({"name": "t", "type": "text", "multi": True}),
    fields({"name": "s", "type": "stored"}), fields({"name": "s", "type": "stored", "stored": True}),
    fields(*[{"name": f"f{i}", "type": "int"} for i in range(32)]), fields(*[{"name": f"f{i}", "type": "int"} for i in range(33)]),
    fields(*[{"name": f"f{i}", "type": "text"} for i in range(8)]), fields(*[{"name": f"f{i}", "type": "text"} for i in range(9)]),
]
RAW = [b"", b"{", b'{"fields": [', b'{"id": "a", "id": "b"}', b"[" * 100, b'{"id": 99999999999999999999}', b'{"id": "\\u0000"}',
       b'{"id": "\xff"}', b" ", b"\0"]

if __name__ == "__main__":
    seeds = [json.dumps(s, ensure_ascii=False).encode() for s in SCHEMAS] + RAW
    write_seeds("schema_json", seeds)
