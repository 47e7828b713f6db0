#!/usr/bin/env python3
"""Documentation, style that a compiler doesn't see, and tests that nobody would run.

usage: check_docs.py [--self-test]
  - every function in include/wikisearch has a documentation block: a comment that starts its paragraph
  - no public function is defined twice or declared without WS_API
  - no marker of unfinished work, no mention of the engine we keep clear of, no path of one developer's machine
  - C lines have at most 100 characters; files at most 600 lines, unless long_files.txt says why
  - every test file is registered, and every registered one exists
"""
import re
import sys
import tempfile

from lint_support import ROOT, expect, finish, finish_self_test, plant, project_files, read

LINE_MAX = 100
LINES_MAX = 600
LONG_FILES = "tests/lint/long_files.txt"
SOURCES = (".c", ".h", ".py", ".mjs", ".js", ".css", ".html", ".cmake", ".sh", ".json")
TEXTS = SOURCES + (".md", ".txt", ".in", "Makefile", ".ci/run")

# Spelled in pieces, or this file would be its own first finding.
FORBIDDEN = [
    (re.compile("xap" + "ian", re.IGNORECASE), "names an engine we keep clear of", None),
    (re.compile(r"\b(TO" + "DO|FIX" + r"ME)\b"), "unfinished work belongs into an issue", TEXTS),
    (re.compile("/wo" + r"rk/(main|shared)\b"), "a path of one machine", TEXTS),
]


def public_functions(text):
    """(line, name, documented) of each declaration with WS_API."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if not line.startswith("WS_API"):
            continue
        match = re.search(r"(\w+)\s*\(", line[len("WS_API"):])
        name = match.group(1) if match else "?"
        start = number
        while start > 0 and lines[start - 1].strip():
            start -= 1
        documented = any(above.startswith("/*") for above in lines[start:number])
        yield number + 1, name, documented


def check_functions(path, text):
    for line, name, documented in public_functions(text):
        if not documented:
            yield f"{path}:{line}: {name} has no documentation block"
    for match in re.finditer(r"^(?!WS_API|static|typedef|#)[a-z][\w \*]*\bws_\w+\([^;{]*\);", text, re.MULTILINE):
        line = text.count("\n", 0, match.start()) + 1
        yield f"{path}:{line}: a public function without WS_API"


def check_words(path, text):
    for pattern, why, endings in FORBIDDEN:
        if endings and not path.endswith(endings):
            continue
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {match.group(0)}: {why}"


def check_shape(path, text, excused):
    lines = text.split("\n")
    if path.endswith((".c", ".h")):
        for number, line in enumerate(lines):
            if len(line) > LINE_MAX:
                yield f"{path}:{number + 1}: {len(line)} characters, at most {LINE_MAX}"
            if line.endswith((" ", "\t")):
                yield f"{path}:{number + 1}: white space at the end"
    if path.endswith(SOURCES) and len(lines) - 1 > LINES_MAX and path not in excused:
        yield f"{path}: {len(lines) - 1} lines: split it, or say why not in {LONG_FILES}"


def excused_files(root, files):
    """Paths with a reason behind them: `path: reason`."""
    if LONG_FILES not in files:
        return set()
    entries = re.findall(r"^([^#:\s]+):\s*\S", read(root, LONG_FILES), re.MULTILINE)
    return set(entries)


REGISTERS = [
    (r"tests/unit/(test_\w+)\.c", "tests/unit/unit_tests.cmake", r"ws_unit_test\((\w+)"),
    (r"tests/fuzz/(fuzz_\w+)\.c", "tests/fuzz/fuzz_targets.cmake", r"ws_fuzz_target\((\w+)"),
    (r"tests/system/(test_\w+\.py)", "tests/system/system_tests.cmake", r"ws_system_test\(([\w.]+)"),
]


def check_registered(root, files):
    for pattern, register, entry in REGISTERS:
        present = {m.group(1) for m in (re.fullmatch(pattern, path) for path in files) if m}
        text = read(root, register) if register in files else ""
        listed = re.findall(entry, text)
        for name in sorted(present - set(listed)):
            yield f"{register}: {name} is not registered: it never runs"
        for name in sorted(set(listed) - present):
            yield f"{register}: {name} is registered but missing"
        for name in sorted({name for name in listed if listed.count(name) > 1}):
            yield f"{register}: {name} is registered twice"


def check(root, files):
    findings, excused = list(check_registered(root, files)), excused_files(root, files)
    for path in files:
        text = read(root, path)
        if re.fullmatch(r"include/wikisearch/\w+\.h", path):
            findings += check_functions(path, text)
        findings += check_words(path, text)
        findings += check_shape(path, text, excused)
    return findings, len(files)


DOCUMENTED = "/* Does it.\n *   a  a number */\nWS_API int ws_a(int a);\nWS_API int ws_b(int a);\n"
BAD = [
    ("include/wikisearch/bare.h", "WS_API int ws_bare(void);\n", ["ws_bare has no documentation block"]),
    ("include/wikisearch/gap.h", DOCUMENTED + "\nWS_API int ws_c(int a);\n", ["ws_c has no documentation"]),
    ("include/wikisearch/field.h", "typedef struct {\n    int a; /* a */\n} s;\nWS_API s *ws_d(void);\n",
     ["ws_d has no documentation"]),
    ("include/wikisearch/hidden.h", "/* Does it. */\nint ws_hidden(void);\n", ["without WS_API"]),
    ("docs/a.md", "as in Xap" + "ian\n", ["keep clear of"]),
    ("data/a.bin", "XAP" + "IAN", ["keep clear of"]),
    ("base/a.c", "/* TO" + "DO: more */\n", ["belongs into an issue"]),
    ("Makefile", "x:\n\tls /wo" + "rk/main\n", ["path of one machine"]),
    ("base/wide.c", "/* " + "x" * 100 + " */\n", ["106 characters"]),
    ("base/trail.h", "int a; \n", ["white space at the end"]),
    ("base/long.c", "int a;\n" * 601, ["601 lines"]),
    ("tests/unit/test_lost.c", "", ["test_lost is not registered"]),
]


def self_test():
    failed = 0
    with tempfile.TemporaryDirectory() as root:
        good = {"include/wikisearch/a.h": DOCUMENTED, "base/line.c": "/* " + "가" * 94 + " */\n",
                "tests/unit/test_a.c": "", "tests/unit/unit_tests.cmake": "ws_unit_test(test_a)\n"}
        for path, text in good.items():
            plant(root, path, text)
        failed += expect("clean tree", check(root, sorted(good))[0], [])
        for path, text, wanted in BAD:
            plant(root, path, text)
            failed += expect(path, check(root, [path])[0], wanted)
        plant(root, LONG_FILES, "base/long.c: a table of 600 rows\n")
        failed += expect("excused file", check(root, ["base/long.c", LONG_FILES])[0], [])
        plant(root, LONG_FILES, "base/long.c:\n")
        failed += expect("excuse without a reason", check(root, ["base/long.c", LONG_FILES])[0], ["601 lines"])
        plant(root, "tests/unit/unit_tests.cmake", "ws_unit_test(test_gone)\nws_unit_test(test_gone)\n")
        failed += expect("registers", check(root, ["tests/unit/unit_tests.cmake"])[0],
                         ["registered but missing", "registered twice"])
    finish_self_test(failed, len(BAD) + 4)


if __name__ == "__main__":
    if "--self-test" in sys.argv[1:]:
        self_test()
    finish(*check(ROOT, project_files(ROOT)))
