#!/usr/bin/env python3
"""Who may include whom (docs/design.md). One include root cannot enforce it, so this does.

usage: check_layers.py [--self-test]
"""
import re
import sys
import tempfile

from lint_support import ROOT, expect, finish, finish_self_test, plant, project_files, read

# Outside libraries by the headers that mean them.
LIBRARIES = [
    ("xxhash", r"xxhash\.h"), ("zstd", r"zstd.*\.h|zdict\.h"), ("zlib", r"zlib\.h"), ("lzma", r"lzma\.h"),
    ("bzip2", r"bzlib\.h"), ("expat", r"expat.*\.h"), ("icu", r"unicode/.*"),
    ("stemmer", r"libstemmer\.h"), ("mecab", r"mecab\.h"), ("jansson", r"jansson\.h"),
    ("uv", r"uv\.h|uv/.*"), ("llhttp", r"llhttp\.h"), ("sqlite", r"sqlite3\.h"),
    ("hiredis", r"hiredis/.*"), ("criterion", r"criterion/.*"),
]
SYSTEM = re.compile(
    r"(sys|linux|arpa|netinet|net|asm)/\w+\.h|(assert|ctype|dirent|dlfcn|endian|errno|fcntl|fenv|float|fnmatch|ftw|"
    r"getopt|glob|grp|inttypes|langinfo|libgen|limits|locale|malloc|math|netdb|poll|pthread|pwd|regex|sched|semaphore|"
    r"setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|strings|"
    r"syslog|termios|threads|time|uchar|unistd|wchar|wctype|"
    r"immintrin|emmintrin|x86intrin|arm_neon|cpuid)\.h")

BASE_PUBLIC = r"wikisearch/(export|status|budget|version)\.h"
PUBLIC = r"wikisearch/\w+\.h"

# (name, files, project headers they may include, libraries they may include). The first match counts.
LAYERS = [
    ("include", r"include/wikisearch/", [PUBLIC], []),
    ("base", r"base/", [r"base/", BASE_PUBLIC], ["xxhash"]),
    ("engine/text", r"engine/text/", [r"base/", r"engine/text/", PUBLIC], ["icu", "stemmer", "mecab"]),
    ("engine/index", r"engine/index/", [r"base/", r"engine/index/", PUBLIC], ["zstd"]),
    ("engine/query", r"engine/query/",
     [r"base/", r"engine/(text|index|query)/", PUBLIC], []),
    ("engine/api", r"engine/api/",
     [r"base/", r"engine/", r"cache/", r"trie/", r"indexer/", PUBLIC], ["jansson"]),
    ("cache", r"cache/", [r"base/", r"cache/", PUBLIC], []),
    ("trie", r"trie/", [r"base/", r"trie/", r"engine/text/jamo\.h", PUBLIC], []),
    ("wikisearch program", r"indexer/(main\.c|cmd_\w+\.[ch]|cli\w*\.[ch])",
     [r"base/", r"indexer/", PUBLIC], []),
    ("indexer", r"indexer/",
     [r"base/", r"engine/(text|index)/", r"trie/", r"indexer/", PUBLIC],
     ["expat", "bzip2", "zlib", "lzma", "zstd", "jansson"]),
    ("server", r"server/", [r"base/", r"server/", PUBLIC],
     ["uv", "llhttp", "jansson", "sqlite", "hiredis"]),
    ("loadtest", r"loadtest/micro/", [r"base/", r"engine/", r"cache/", r"trie/", r"indexer/", r"loadtest/", PUBLIC],
     ["jansson"]),
    ("loadtest", r"loadtest/", [r"base/", r"loadtest/", PUBLIC], ["jansson", "uv"]),
    ("tests/support/test.h", r"tests/support/test\.h", [], ["criterion"]),
    ("tests", r"tests/",
     [r"base/", r"engine/", r"cache/", r"trie/", r"indexer/", r"server/", r"loadtest/", r"tests/", PUBLIC],
     [name for name, _ in LIBRARIES if name != "criterion"]),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def library_of(header):
    for name, pattern in LIBRARIES:
        if re.fullmatch(pattern, header):
            return name
    return None


def objection(layer, allowed, libraries, quote, header):
    """Why `layer` may not include `header`, or None."""
    if re.match(r"(base|engine|cache|trie|indexer|server|loadtest|tests|wikisearch)/", header):
        if any(re.match(pattern, header) for pattern in allowed):
            return None
        return f"{layer} may not include {header}"
    library = library_of(header)
    if library:
        return None if library in libraries else f"{layer} may not use {library} ({header})"
    if quote == '"':
        return f'"{header}" is no path from the top of the project'
    return None if SYSTEM.fullmatch(header) else f"unknown header <{header}>: a new dependency?"


def check(root, files):
    findings, examined = [], 0
    for path in files:
        if not path.endswith((".c", ".h")):
            continue
        rule = next((rule for rule in LAYERS if re.match(rule[1], path)), None)
        if not rule:
            findings.append(f"{path}: belongs to no layer")
            continue
        examined += 1
        text = read(root, path)
        for match in INCLUDE.finditer(text):
            why = objection(rule[0], rule[2], rule[3], match.group(1), match.group(2))
            if why:
                line = text.count("\n", 0, match.start()) + 1
                findings.append(f"{path}:{line}: {why}")
    return findings, examined


GOOD = {
    "include/wikisearch/a.h": '#include <stdint.h>\n#include "wikisearch/status.h"\n',
    "base/a.c": '#include "base/a.h"\n#include "wikisearch/status.h"\n#include <xxhash.h>\n#include <sys/mman.h>\n',
    "engine/text/a.c": '#include <unicode/ubrk.h>\n#include "base/a.h"\n',
    "engine/api/a.c": '#include "indexer/ingest.h"\n#include <jansson.h>\n',
    "trie/a.c": '#include "engine/text/jamo.h"\n',
    "indexer/a.c": '#include <zlib.h>\n#include "engine/index/a.h"\n',
    "indexer/cmd_import.c": '#include "wikisearch/wikisearch.h"\n#include "indexer/cli.h"\n',
    "server/a.c": '#include <uv.h>\n#  include "server/a.h"\n',
    "tests/unit/a.c": '#include "tests/support/test.h"\n#include "engine/index/a.h"\n',
    "tests/support/test.h": "#include <criterion/criterion.h>\n",
}
BAD = [
    ("base/b.c", '#include "engine/text/a.h"\n', "base may not include engine/text/a.h"),
    ("base/b2.c", '#include "wikisearch/search.h"\n', "base may not include wikisearch/search.h"),
    ("base/b3.c", "#include <zstd.h>\n", "base may not use zstd"),
    ("engine/text/b.c", '#include "engine/index/a.h"\n', "engine/text may not include"),
    ("engine/index/b.c", "#include <unicode/ubrk.h>\n", "engine/index may not use icu"),
    ("engine/index/b2.c", '#include "engine/query/a.h"\n', "engine/index may not include"),
    ("engine/query/b.c", "#include <jansson.h>\n", "engine/query may not use jansson"),
    ("engine/api/b.c", '#include "server/a.h"\n', "engine/api may not include server/a.h"),
    ("cache/b.c", '#include "trie/a.h"\n', "cache may not include"),
    ("trie/b.c", '#include "engine/text/analyzer.h"\n', "trie may not include"),
    ("indexer/b.c", '#include "engine/query/a.h"\n', "indexer may not include"),
    ("indexer/cmd_search.c", '#include "engine/index/a.h"\n', "wikisearch program may not include"),
    ("server/b.c", '#include "engine/api/a.h"\n', "server may not include"),
    ("server/b2.c", "#include <zstd.h>\n", "server may not use zstd"),
    ("loadtest/b.c", '#include "server/a.h"\n', "loadtest may not include"),
    ("include/wikisearch/b.h", '#include "base/a.h"\n', "include may not include base/a.h"),
    ("tests/unit/b.c", "#include <criterion/criterion.h>\n", "tests may not use criterion"),
    ("base/b4.c", '#include "b.h"\n', "no path from the top"),
    ("base/b5.c", "#include <glib.h>\n", "unknown header <glib.h>"),
    ("stray/b.c", "", "belongs to no layer"),
]


def self_test():
    with tempfile.TemporaryDirectory() as root:
        for path, text in GOOD.items():
            plant(root, path, text)
        failed = expect("clean tree", check(root, sorted(GOOD))[0], [])
        for path, text, want in BAD:
            plant(root, path, text)
            failed += expect(path, check(root, [path])[0], [want])
    finish_self_test(failed, len(BAD) + 1)


if __name__ == "__main__":
    if "--self-test" in sys.argv[1:]:
        self_test()
    finish(*check(ROOT, project_files(ROOT)))
