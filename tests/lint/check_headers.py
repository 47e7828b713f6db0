#!/usr/bin/env python3
"""Every header compiles alone, and twice in a row: the public ones as C11 and C++17, pedantic; the others as gnu11.

usage: check_headers.py [--self-test]
Takes the folders of outside headers from $WIKISEARCH_BUILD_DIR/compile_commands.json. Compilers: $CC, $CXX.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

from lint_support import ROOT, expect, finish, finish_self_test, plant, project_files

CC = shlex.split(os.environ.get("CC") or "cc")
CXX = shlex.split(os.environ.get("CXX") or "c++")
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
PUBLIC = re.compile(r"include/wikisearch/\w+\.h$")


def outside_folders():
    """-I and -isystem flags of the build for folders outside the project."""
    path = os.path.join(os.environ.get("WIKISEARCH_BUILD_DIR", ""), "compile_commands.json")
    if not os.path.exists(path):
        return []
    flags = []
    with open(path, encoding="utf-8") as file:
        for entry in json.load(file):
            words = shlex.split(entry["command"])
            folders = [w[2:] for w in words if w.startswith("-I") and len(w) > 2]
            folders += [words[i + 1] for i, w in enumerate(words) if w == "-isystem"]
            for folder in folders:
                flag = ["-isystem", folder]
                if not folder.startswith(ROOT + "/include") and folder != ROOT and flag not in flags:
                    flags.append(flag)
    return [word for flag in flags for word in flag]


def compile_alone(root, path, compiler, flags):
    """Empty when it compiles, else the first lines of the compiler's complaint."""
    # The declaration keeps a header of macros only from being an empty translation unit.
    source = f'#include "{path}"\n' * 2 + "typedef int alone;\n"
    run = subprocess.run(
        compiler + flags + WARNINGS + [f"-I{root}", f"-I{root}/include", "-"],
        input=source.encode(), cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if run.returncode == 0:
        return ""
    return "\n    ".join(run.stderr.decode(errors="replace").splitlines()[:6])


def check_one(root, path, outside):
    findings = []
    if PUBLIC.match(path):
        public = [("C11", CC, ["-x", "c", "-std=c11", "-pedantic"]),
                  ("C++17", CXX, ["-x", "c++", "-std=c++17", "-pedantic"])]
    else:
        public = [("gnu11", CC, ["-x", "c", "-std=gnu11"] + outside)]
    for name, compiler, flags in public:
        complaint = compile_alone(root, path, compiler, flags)
        if complaint:
            findings.append(f"{path}: does not compile alone as {name}:\n    {complaint}")
    return findings


def check(root, files, outside):
    headers = [path for path in files if path.endswith(".h")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: check_one(root, path, outside), headers))
    return [finding for result in results for finding in result], len(headers)


BAD = [
    ("base/needs_another.h", "static inline uint32_t f(void)\n{\n    return 0;\n}\n", ["as gnu11"]),
    ("base/no_guard.h", "struct s {\n    int a;\n};\n", ["as gnu11"]),
    ("include/wikisearch/gnu.h", "#ifndef G\n#define G\nstatic inline int f(int a)\n{\n"
     "    return ({ a; });\n}\n#endif\n", ["as C11", "as C++17"]),
    ("include/wikisearch/no_cpp.h", "#ifndef N\n#define N\ntypedef struct {\n    int class;\n} n;\n#endif\n",
     ["as C++17"]),
    ("include/wikisearch/warns.h", "#ifndef W\n#define W\nstatic inline int f(unsigned a, int b)\n{\n"
     "    return a < b;\n}\n#endif\n", ["as C11", "as C++17"]),
]
GOOD = ("include/wikisearch/good.h", "#ifndef G\n#define G\n#include <stdint.h>\n"
        "static inline uint32_t good(void)\n{\n    return 0;\n}\n#endif\n")


def self_test():
    with tempfile.TemporaryDirectory() as root:
        plant(root, *GOOD)
        failed = expect("good header", check(root, [GOOD[0]], [])[0], [])
        for path, text, wanted in BAD:
            plant(root, path, text)
            failed += expect(path, check(root, [path], [])[0], wanted)
    finish_self_test(failed, len(BAD) + 1)


if __name__ == "__main__":
    if "--self-test" in sys.argv[1:]:
        self_test()
    finish(*check(ROOT, project_files(ROOT), outside_folders()))
