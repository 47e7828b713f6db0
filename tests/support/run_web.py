#!/usr/bin/env python3
"""Runs tests/web/run.mjs with Node, a browser and playwright-core, which it puts into the build folder.

Exit 77 (skipped) when one of them can't be had. The script gets: WIKISEARCHD_BIN, WIKISEARCH_BIN,
WIKISEARCH_SOURCE_DIR, WIKISEARCH_BUILD_DIR, WIKISEARCH_NODE_MODULES, WIKISEARCH_CHROMIUM.
"""
import os
import shutil
import subprocess
import sys

PLAYWRIGHT = "playwright-core@1.60.0"  # the last one for Node 18


def skip(why):
    print(why)
    sys.exit(77)


def node_modules(build):
    """The folder node_modules with the package in it."""
    place = os.path.join(build, "node")
    modules = os.path.join(place, "node_modules")
    if not os.path.isdir(os.path.join(modules, "playwright-core")):
        os.makedirs(place, exist_ok=True)
        install = subprocess.run(
            ["npm", "install", "--prefix", place, "--no-audit", "--no-fund", "--no-save", PLAYWRIGHT],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if install.returncode:
            print(install.stdout.decode(errors="replace"))
            skip(f"npm could not install {PLAYWRIGHT}")
    return modules


def main():
    source, build = os.environ["WIKISEARCH_SOURCE_DIR"], os.environ["WIKISEARCH_BUILD_DIR"]
    for program in ("node", "npm"):
        if not shutil.which(program):
            skip(f"{program} is missing: apt-get install nodejs npm")
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = next((path for path in map(shutil.which, names) if path), None)
    if not browser:
        skip("no browser: apt-get install chromium")
    environment = dict(os.environ, WIKISEARCH_NODE_MODULES=node_modules(build), WIKISEARCH_CHROMIUM=browser)
    script = os.path.join(source, "tests", "web", "run.mjs")
    sys.exit(subprocess.run(["node", script], env=environment, stdin=subprocess.DEVNULL).returncode)


if __name__ == "__main__":
    main()
