#!/usr/bin/env python3
"""The counting in tests/run.py: a failure or a skip must not get lost between a program and the table."""
import os
import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.join(os.environ["WIKISEARCH_SOURCE_DIR"], "tests"))
import run  # noqa: E402

CRITERION = ("[SKIP] a::b: no data\n[PASS] a::c\n"
             "\x1b[0;34m====\x1b[0m] Synthesis: Tested: \x1b[1m4\x1b[0m | Passing: 2 | Failing: 1 | Crashing: 1\n")
PYTHON = ("test_x (__main__.T.test_x) ... skipped 'no browser'\n"
          "Ran 5 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=1)\n")


def tally(status, text, must_run=False):
    result = run.Tally()
    result.add_case("name", status, text, must_run)
    return result


class Counts(unittest.TestCase):
    def test_criterion(self):
        got = tally("fail", CRITERION)
        self.assertEqual((got.passed, got.failed, got.skipped), (2, 2, ["name: a::b: no data"]))

    def test_own_line_is_the_last_one(self):
        got = tally("run", "1 passed, 0 failed\nmore\n7 passed, 0 failed\n")
        self.assertEqual((got.passed, got.failed), (7, 0))

    def test_python(self):
        got = tally("fail", PYTHON)
        self.assertEqual((got.passed, got.failed, got.skipped), (2, 2, ["name: test_x: no browser"]))

    def test_program_that_says_nothing_counts_once(self):
        self.assertEqual(tally("run", "").passed, 1)
        failed = tally("fail", "")
        self.assertEqual((failed.passed, failed.failed), (0, 1))

    def test_crash_after_a_good_count_is_a_failure(self):
        self.assertEqual(tally("fail", "3 passed, 0 failed\n").failed, 1)

    def test_exit_0_with_failures_is_a_failure(self):
        got = tally("run", "3 passed, 1 failed\n")
        self.assertEqual((got.failed, got.failures), (1, ["name"]))

    def test_program_without_a_test_is_a_failure(self):
        self.assertEqual(tally("run", "0 passed, 0 failed\n").failed, 1)

    def test_skipped_program_keeps_its_reason(self):
        got = tally("skipped", "trying\nno browser: install one\n")
        self.assertEqual((got.passed, got.failed, got.skipped), (0, 0, ["name: no browser: install one"]))

    def test_only_programs_that_ask_for_it_are_skipped(self):
        for message, want in (("SKIP_RETURN_CODE=77", "skipped"), ("Unable to find executable", "fail")):
            case = ElementTree.fromstring(f'<testcase status="notrun"><skipped message="{message}"/></testcase>')
            self.assertEqual(run.status_of(case), want)
        self.assertEqual(run.status_of(ElementTree.fromstring('<testcase status="run"/>')), "run")
        self.assertEqual(run.status_of(ElementTree.fromstring('<testcase status="fail"/>')), "fail")

    def test_skipped_program_that_must_run_is_a_failure(self):
        got = tally("skipped", "no browser\n", must_run=True)
        self.assertEqual((got.passed, got.failed), (0, 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
