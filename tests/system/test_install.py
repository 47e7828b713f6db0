#!/usr/bin/env python3
"""What `cmake --install` puts down is usable: the README's C program, pkg-config, the CMake package, the symbols."""
import glob
import os
import re
import shlex
import subprocess
import tempfile
import unittest

SOURCE = os.environ["WIKISEARCH_SOURCE_DIR"]
BUILD = os.environ["WIKISEARCH_BUILD_DIR"]
SANITIZE = shlex.split(os.environ.get("WIKISEARCH_SANITIZE_FLAGS", ""))
CC = shlex.split(os.environ.get("CC") or "cc")
HIT = "대한민국"

CMAKE_PROJECT = """cmake_minimum_required(VERSION 3.25)
project(embedder C)
find_package(wikisearch 0.1 REQUIRED CONFIG)
foreach(kind wikisearch wikisearch_static)
    add_executable(with_${kind} demo.c)
    target_link_libraries(with_${kind} PRIVATE wikisearch::${kind})
endforeach()
"""


def run(command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        raise AssertionError(f"{shlex.join(command)}: exit {done.returncode}\n{text}")
    return text


def readme_program():
    """The C block after the heading that has "C program" in it, or None."""
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        found = re.search(r"^#+ .*C program.*?^```c\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    return found.group(1) if found else None


def public_functions():
    names = set()
    for path in glob.glob(os.path.join(SOURCE, "include", "wikisearch", "*.h")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        names.update(re.findall(r"^WS_API[^;(]*?(\w+)\s*\(", text, re.MULTILINE))
    return names


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = cls.folder.name
        cls.prefix = os.path.join(cls.work, "prefix")
        run(["cmake", "--install", BUILD, "--prefix", cls.prefix])
        cls.pc = os.path.dirname(glob.glob(cls.prefix + "/**/wikisearch.pc", recursive=True)[0])
        cls.lib = os.path.dirname(cls.pc)
        cls.environment = dict(os.environ, PKG_CONFIG_PATH=cls.pc, LD_LIBRARY_PATH=cls.lib)
        cls.program = readme_program()
        if cls.program:
            with open(os.path.join(cls.work, "demo.c"), "w", encoding="utf-8") as file:
                file.write(cls.program)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def pkg_config(self, *flags):
        return shlex.split(run(["pkg-config", *flags, "wikisearch"], env=self.environment))

    def need_program(self):
        if not self.program:
            self.skipTest("README.md has no C program")

    def expect_hit(self, command):
        self.assertIn(HIT, run(command, env=self.environment, cwd=self.work))

    def test_readme_program_with_pkg_config(self):
        self.need_program()
        run([*CC, "-Wall", *SANITIZE, "demo.c", *self.pkg_config("--cflags", "--libs"), "-o", "demo"],
            env=self.environment, cwd=self.work)
        self.expect_hit(["./demo"])

    def test_readme_program_with_the_cmake_package(self):
        self.need_program()
        project = os.path.join(self.work, "project")
        os.makedirs(project)
        with open(os.path.join(project, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(CMAKE_PROJECT)
        with open(os.path.join(project, "demo.c"), "w", encoding="utf-8") as file:
            file.write(self.program)
        run(["cmake", "-S", project, "-B", project + "/build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
             f"-DCMAKE_C_FLAGS={shlex.join(SANITIZE)}"], env=self.environment)
        run(["cmake", "--build", project + "/build"], env=self.environment)
        self.expect_hit([project + "/build/with_wikisearch"])
        self.expect_hit([project + "/build/with_wikisearch_static"])

    def test_version_of_the_pkg_config_file(self):
        with open(os.path.join(SOURCE, "include", "wikisearch", "version.h"), encoding="utf-8") as file:
            version = re.search(r'WS_VERSION_STRING "([^"]+)"', file.read()).group(1)
        self.assertEqual(self.pkg_config("--modversion"), [version])

    def test_shared_library_exports_the_public_functions_and_nothing_else(self):
        text = run(["nm", "-D", "--defined-only", os.path.join(self.lib, "libwikisearch.so")])
        exported = {line.split()[-1].split("@")[0] for line in text.splitlines()}
        # Coverage and sanitizer runtimes put names of their own into it.
        exported = {name for name in exported if not re.match(r"_|gcov|mangle_path|llvm", name)}
        declared = public_functions()
        self.assertTrue(declared)
        self.assertEqual(exported - declared, set(), "exported but not declared")
        self.assertEqual(declared - exported, set(), "declared but not exported")


if __name__ == "__main__":
    unittest.main(verbosity=2)
