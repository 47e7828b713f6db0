#!/usr/bin/env python3
"""`import --memory` is a ceiling: under RLIMIT_AS = ceiling + 64 MB an import of words that are all different goes through.

The address space of a sanitized program is terabytes, so this needs a plain build: WIKISEARCH_BIN, or WIKISEARCH_RELEASE_BIN.
"""
import os
import random
import resource
import subprocess
import unittest

from cli_support import BIN, SEED, Case, is_sanitized, jsonl, zstd_compressed

HEADROOM = 64 << 20
RELEASE = os.environ.get("WIKISEARCH_RELEASE_BIN") or BIN


def distinct_words(n_docs, words, seed=SEED):
    """Documents in which no word comes twice."""
    rng = random.Random(seed)
    docs = []
    for i in range(n_docs):
        text = " ".join(f"{rng.getrandbits(44):x}" for _ in range(words))
        docs.append({"id": i, "title": f"t{rng.getrandbits(40):x}", "text": text, "lang": "en"})
    return docs


class Ceiling(Case):
    def setUp(self):
        super().setUp()
        if is_sanitized(RELEASE):
            self.skipTest("a sanitized program has no small address space: set WIKISEARCH_RELEASE_BIN")

    def under_limit(self, ceiling, *args):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (ceiling + HEADROOM, ceiling + HEADROOM))
        process = subprocess.run([RELEASE, "import", "-i", self.index, "--memory", str(ceiling), "--json", *args],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit, check=False)
        return process.returncode, process.stdout.decode(), process.stderr.decode()

    def import_under(self, ceiling, n_docs, *args):
        import json
        code, out, err = self.under_limit(ceiling, *args)
        self.assertEqual(code, 0, err[-2000:])
        report = json.loads(out)
        self.assertEqual((report["documents"], report["bad"]), (n_docs, 0))
        self.assertEqual(self.stats()["documents"], n_docs)
        self.run_ok("check", "-i", self.index, "--level", "normal", "-q", program=RELEASE)
        print(f"ceiling {ceiling >> 20} MiB: {report['peak_rss'] >> 20} MiB resident, {report['flushes']} flushes, "
              f"{report['merges']} merges", flush=True)
        return report

    def test_all_different_words(self):
        for ceiling, n_docs in ((48 << 20, 3000), (96 << 20, 6000)):
            file = self.write("a.jsonl", jsonl(distinct_words(n_docs, 400)))
            report = self.import_under(ceiling, n_docs, "--commit-every", "1000000", file)
            self.assertGreater(report["flushes"], 1, "the ceiling was never felt")
            self.assertLessEqual(report["peak_rss"], ceiling + HEADROOM)
            for name in os.listdir(self.index):
                os.unlink(os.path.join(self.index, name))

    def test_many_commits_and_merges(self):
        file = self.write("a.jsonl", jsonl(distinct_words(4000, 200)))
        report = self.import_under(64 << 20, 4000, "--commit-every", "250", file)
        self.assertGreater(report["merges"], 0)

    def test_a_long_zstd_window(self):
        docs = distinct_words(3000, 200)
        file = self.write("a.zst", zstd_compressed(jsonl(docs), 27))
        self.import_under(224 << 20, 3000, "--commit-every", "1000", file)

    def test_long_documents(self):
        rng = random.Random(SEED)
        docs = distinct_words(20, 200)
        for i in (3, 8, 9, 10, 11, 15):
            docs[i]["text"] = " ".join(f"{rng.getrandbits(30):x}" for _ in range(100000))
        file = self.write("a.jsonl", jsonl(docs))
        self.import_under(384 << 20, 20, "--threads", "2", file)

    def test_more_threads_than_the_memory_bears(self):
        file = self.write("a.jsonl", jsonl(distinct_words(500, 200)))
        code, out, err = self.under_limit(48 << 20, "--threads", "64", file)
        self.assertEqual(code, 0, err)
        self.assertIn("instead of 64", err)
        self.assertIn('"documents":500', out)


if __name__ == "__main__":
    unittest.main(verbosity=2)
