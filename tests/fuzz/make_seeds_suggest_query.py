#!/usr/bin/env python3
"""Writes the seeds of fuzz_suggest_query into corpus/suggest_query: what people type, and what no keyboard makes."""
from seed_files import write_seeds

TYPED = [
    "", "ㄷ", "대", "대하", "댛", "대한ㅁ", "대한민국", "대 한 민", "ㄷㅎㅁㄱ", "ㄷ한ㅁ국", "ㄷㅎ민구", "ㄳ", "ㄻ", "대ㅎㅁㄱ", "eogksals",
    "vkdlTjs", "EOGKS", "ㅗㅑㄴㅅㅐ교", "ㅗㅑㄴ새교", "쟈ㅏㅑ", "대한밍국", "데한민국", "historu", "hitsory", "hstory", "History of",
    "strasse", "STRASSE", "ｈｉｓｔ", "5k", "5㎞", "東", "東京", "東京都庁", "cafe\u0301", "café", "a", "aa", "aaa", "aaaa", "aaaaa", "abaa",
    "aaba", "\u1112\u1161\u11ab", "\u1109\u1161\u11b7\u1109", "ﾡﾢ", "한\u200b글", "ㅏ", "ㅏㅑㅓ", "ㄱㅏ", "대eks", "eo한", "서울특별시 ㄱ",
    "서울특별시ㄱㄴㄱ", "값ㅅ", "갑ㅅ", "a" * 70, "대" * 70, "😀", "😀😀😀😀", "ㅋㅋ", "ㅋㅋㅋㅋ", " ", "\t\n", "*", "1990년대 후반",
]
RAW = [b"\xff\xfe", b"\xea\xb0", b"\x80" * 300, b"a\0b", b"\0", bytes(range(256)), b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80"]


def seeds():
    yield b""
    for number, text in enumerate(TYPED):
        yield bytes([number * 37 % 256]) + text.encode("utf-8")
    for number, text in enumerate(RAW):
        yield bytes([number * 29 % 256]) + text


if __name__ == "__main__":
    write_seeds("suggest_query", seeds())
