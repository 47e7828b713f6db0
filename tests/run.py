#!/usr/bin/env python3
"""Runs ctest label by label, each with a limit, and counts the single tests inside the programs.

usage: run.py BUILD_DIR LABEL...
Environment: JOBS; MUST_RUN, labels in which a skipped program counts as failed, and so does a label without tests.
Prints a table, the reasons of what was skipped, and at the end "N passed, N failed". Exit 1 when something failed.
"""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

LIMITS = {"unit": 600, "property": 900, "system": 900, "web": 600, "fuzz-replay": 300, "fuzz-mutate": 300,
          "lint": 300, "planted": 120}
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def counts_of(text):
    """(passed, failed) as the program itself says, or None."""
    criterion = re.findall(r"Tested: \d+ \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)", text)
    if criterion:
        passing, failing, crashing = map(int, criterion[-1])
        return passing, failing + crashing
    own = re.findall(r"^(\d+) passed, (\d+) failed", text, re.MULTILINE)
    if own:
        return int(own[-1][0]), int(own[-1][1])
    python = re.search(r"^Ran (\d+) tests? in", text, re.MULTILINE)
    if python:
        verdict = dict(re.findall(r"(failures|errors|skipped|expected failures)=(\d+)", text[python.end():]))
        failed = int(verdict.get("failures", 0)) + int(verdict.get("errors", 0))
        return int(python.group(1)) - failed - int(verdict.get("skipped", 0)), failed
    return None


def skips_in(text):
    """Reasons of tests skipped inside a program that ran."""
    found = re.findall(r"^\[SKIP\] (.*)$", text, re.MULTILINE)
    found += [f"{name}: {why}" for name, why in re.findall(r"^(\w+) .*\.\.\. skipped '(.*)'$", text, re.MULTILINE)]
    return [why for why in found if not why.endswith("Test is disabled")]


class Tally:
    def __init__(self):
        self.passed = self.failed = 0
        self.skipped, self.failures = [], []

    def add_case(self, name, status, text, must_run):
        text = COLOUR.sub("", text)
        if status == "skipped" and not must_run:
            lines = [line for line in text.strip().splitlines() if line.strip()]
            self.skipped.append(f"{name}: {lines[-1] if lines else 'no reason given'}")
            return
        passed, failed = counts_of(text) or ((1, 0) if status == "run" else (0, 1))
        reasons = skips_in(text)
        if status != "run" or not (passed or failed or reasons):
            failed = max(failed, 1)
        if status == "run" and failed:  # says so itself, yet exits 0
            status = "fail"
        self.passed += passed
        self.failed += failed
        self.skipped += [f"{name}: {why}" for why in reasons]
        if failed:
            self.failures.append(name)


def status_of(case):
    """ctest calls a program that it couldn't find "not run" as well: only those that asked for it are skipped."""
    skipped = case.find("skipped")
    asked = skipped is not None and skipped.get("message", "").startswith(("SKIP_", "Disabled"))
    return "skipped" if asked else "run" if case.get("status") == "run" else "fail"


def run_label(build, label, jobs, must_run):
    tally = Tally()
    report = os.path.join(os.path.abspath(build), f"report-{label}.xml")
    if os.path.exists(report):
        os.remove(report)
    command = ["ctest", "--test-dir", build, "-L", f"^{label}$", "-j", jobs, "--output-on-failure",
               "--output-junit", report, "--test-output-size-passed", "1000000",
               "--test-output-size-failed", "1000000", "--no-tests=ignore"]
    sys.stdout.flush()
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, timeout=LIMITS.get(label, 600), check=False)
    except subprocess.TimeoutExpired:
        tally.failed += 1
        tally.failures.append(f"{label}: more than {LIMITS.get(label, 600)} s together")
    if os.path.exists(report):
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            text = "\n".join(case.itertext())
            tally.add_case(case.get("name"), status_of(case), text, label in must_run)
    if label in must_run and not (tally.passed or tally.failed or tally.skipped):
        tally.failed += 1
        tally.failures.append(f"{label}: no test at all")
    return tally


def main():
    build, labels = sys.argv[1], sys.argv[2:]
    jobs = os.environ.get("JOBS") or str(os.cpu_count())
    must_run = os.environ.get("MUST_RUN", "").split()
    tallies = {label: run_label(build, label, jobs, must_run) for label in labels}
    print()
    for label, tally in tallies.items():
        print(f"{label}: {tally.passed} passed, {tally.failed} failed, {len(tally.skipped)} skipped")
    for label, tally in tallies.items():
        for why in tally.skipped:
            print(f"  skipped ({label}) {why}")
        for name in tally.failures:
            print(f"  FAILED ({label}) {name}")
    passed = sum(tally.passed for tally in tallies.values())
    failed = sum(tally.failed for tally in tallies.values())
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
