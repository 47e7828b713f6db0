#!/usr/bin/env python3
"""Writes the seeds of fuzz_analyzer into corpus/analyzer."""
import unicodedata

from seed_files import write_seeds

STANDARD, WHITESPACE, KEYWORD, QUERY, NEW = 0, 1, 2, 4, 8  # NEW: a new analyzer must agree

TEXTS = [
    # Korean: particles, endings, units, compounds
    "대한민국은 민주공화국이다", "학교에서부터 집까지도", "물은 산을 그는", "고양이라고도 한다", "서울(서울特別市)은", "공부하였으며 발전시켰다",
    "2018년에 3.5km를 1,234,567명이 10.1인치", "5·18 민주화 운동", "도로ㆍ지반‧수자원", "iPhone15프로 Linux를 Windows에서는", "㈜카카오 (주)카카오", "은 는 이 가",
    "가", "가" * 199, "나" * 200, "다" * 201, "대한민국에서는" * 40, "뷁쀍쒧", "3만 5도 7의 9를",
    # jamo: half typed, initials, half width, conjoining, old
    "대하", "대한ㅁ", "ㄷㅎㅁㄱ", "ㅎㅏㄴㄱㅡㄹ", "ㄳㅄㅀ ㅘㅢ", "ㅋㅋㅋㅋ ㅠㅠ", "ﾡￂﾤ ﾾￇﾻ", "\u1112\u1161\u11ab\u1100\u1173\u11af", "\u1112\u1161ㄳ\u1161", "하\u11abㅏ", "\u1112\u119e\u11ab", "\ud7b0\ua960", "\u3164\uffa0\u115f\u1160",
    # normalisation
    "Ａㆍㅏ ＫＢＳ뉴스 ｈｉｓｔ", "e\u0301\u0323 cafe\u0301 CAFÉ", "hyphen\u00adation 한\u200b글 zero\u200dwidth", "ẞ ß İ ı ſ ﬁ ﷺ ㎞ ① Ⅻ ½", "a" + "\u0301" * 100, "a" + "\u0323\u0301" * 40 + "b", "\u0301\u0301", "\u0f71\u0f72\u0f74", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛", "\U0001d15e\U0001d165",
    # other scripts
    "ภาษาไทย ไม่มีช่องว่าง", "ພາສາລາວ ភាសាខ្មែរ မြန်မာဘာသာ", "ก" * 120, "東京 漢字 𠮷野家", "カタカナ ｶﾀｶﾅ ガギ ひらがな ー", "русский Ελληνικά ΣΊΣΥΦΟΣ", "العربية ١٢٣ עברית", "हिन्दी தமிழ்",
    # names, joints, numbers
    "C++ C# F# g++ .NET Node.js ASP.NET a+b c++17 c#1", "K-POP은 x86-64 AT&T foo_bar@example.com", "https://www.example.com/a/b?c=d&e=f#g", "don't O’Neil’s 'quoted' rock’n’roll’", "1,234 1,23 1.2.3 3. .5 1,,2 1·2·3", "running studies national nationally flies",
    "a-b-c-d-e-f-g-h", "a.", "a-", "-a", "a--b", "x" * 241, "ab-" * 100, "1" * 300, "internationalization" * 20,
    # nothing, blanks, symbols
    "", " ", " \t\r\n\v\f\u3000\u00a0\u2028", "!?,.;:()[]{}", "👨\u200d👩\u200d👧\u200d👦 👍🏽 🇰🇷 ☃\ufe0f", "\u200b\u200c\u200d\ufeff\u00ad", "\ufffd\ufffe", "a\0b\0", "\0",
]
BYTES = [
    b"\xff\xfe\xfd", b"a\x80b", b"\xed\xa0\x80\xed\xb0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b"\xe0\x9f\xbf", b"\xea\xb0", "대한".encode()[:-1] + " a".encode(),
    b"\xea\xb0\x80\x80\xcc\x81", b"e\xcc\xff\xcc\x81", b"1\xc2", b"O\xe2\x80Neil", b"\xf0\x9f\x98", bytes(range(128, 256)), bytes(range(256)), "가나".encode("utf-16-le"),
]

if __name__ == "__main__":
    kinds = [STANDARD, STANDARD + NEW, KEYWORD, STANDARD + QUERY, WHITESPACE + NEW]
    texts = [text.encode("utf-8", "surrogatepass") for text in TEXTS] + BYTES
    texts += [unicodedata.normalize("NFD", text).encode() for text in TEXTS[:6]]
    seeds = [b""] + [bytes([STANDARD]) + text for text in texts]
    seeds += [bytes([kinds[i % 5]]) + text for i, text in enumerate(texts) if i % 3 == 0]
    write_seeds("analyzer", seeds)
