#!/usr/bin/env python3
"""Writes the seeds of fuzz_query into corpus/query."""
from seed_files import write_seeds

OR, AND, OTHER = 0, 1, 2  # OTHER: the second schema

TEXTS = [
    "대한민국", "대한민국은", "history", "역사 history", '"대한민국의 역사"', '"history of korea"', "-history korea", 'korea -"of the"',
    "k-pop", "C++", "C#", ".NET", "3.5km", "1,234명", "2018년에", "don't", "O’Neil", "foo_bar@example.com", "e-mail",
    "東京", "カタカナ", "ﾊﾝｶｸ", "ＦＵＬＬ", "café", "ㄱ", "ㅎㅏㄴ", "\u1112\u1161\u11ab", "--help", "- a", "-", '"', '""', '-"', '"a', 'a"b c"d',
    "a\u3000b", "a\u00a0b", "a\tb\nc", "AND OR NOT", "title:c*", "(a OR b)", "a~2 b^3", "\\\"", "the the the the", "ẞ İ ①",
    " ".join(f"w{i}" for i in range(80)), "가" * 300, '"' + "a " * 40 + '"', "x-" * 60, "- - - -", '"" "" ""', "대한 민국 -대한민국",
]
BYTES = [b"", b"\xff\xfe\xfd", b"a\x80b", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x00a\x00", b'"\xff', b"-\xff", b"\xc2", b"\xe2\x80"]
FILTERS = [
    'lang = "ko"', 'lang != "en" AND source = "x"', "views > 5", 'tags = "a\\"b"', "views >= -1 AND views < 9223372036854775807",
    "", " ", "lang", 'lang = "ko', "body = 1", "nope = 1", "views = 99999999999999999999", 'lang="ko"AND lang="en"',
]

if __name__ == "__main__":
    seeds = [bytes([OR + i % 4]) + text.encode() for i, text in enumerate(TEXTS)]
    seeds += [bytes([i % 4]) + text for i, text in enumerate(BYTES)]
    seeds += [bytes([which]) + "역사".encode() + b"\x1e" + text.encode() for text in FILTERS for which in (OR, AND + OTHER)]
    write_seeds("query", seeds)
