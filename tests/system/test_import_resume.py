#!/usr/bin/env python3
"""`import --resume`: the outcome is that of an import that was never interrupted, and little is read twice."""
import json
import os
import random
import signal
import subprocess
import time

from cli_support import BIN, SEED, Case, documents, environment, gzipped, jsonl, main, run, unique, word, zstd_compressed

DOCS = 1500
EVERY = 100
PROBES = ["대한민국", "역사 서울", f"{word(1)} {word(2)}\tand", f'"{word(1)} {word(2)}"', f"{word(5)} -{word(1)}", "c3\tor\tlang = \"ko\"",
          f"{unique(77)} {word(1)}"]


class Resume(Case):
    @classmethod
    def setUpClass(cls):
        docs = documents(DOCS, words=25)
        docs[700]["id"] = 5  # replaces a document of an earlier commit
        lines = jsonl(docs).split(b"\n")
        lines[333] = b"not a document"
        lines[801:801] = [b"", b"  "]
        cls.data = b"\n".join(lines)

    def command(self, index, *args):
        return ["import", "-i", index, "--commit-every", str(EVERY), "--json", *args]

    def answers(self, index):
        self.run_ok("merge", "-i", index)
        return [(a["hits"], a["total"]) for a in self.batch(PROBES, "-n", "100", index=index)]

    def whole(self, *files):
        """An import without interruption."""
        index = self.path("whole")
        report = self.run_ok(*self.command(index, *files)).json()
        return report, self.answers(index)

    def kill_after(self, commits, delay, *files):
        process = subprocess.Popen([BIN, *self.command(self.index, *files)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, env=environment())
        err = []
        while commits > 0:
            line = process.stderr.readline().decode()
            if not line:
                break
            err.append(line)
            commits -= line.startswith("generation")
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        err += process.stderr.read().decode().splitlines()
        process.stderr.close()
        process.wait()
        counts = [int(line.split()[2]) for line in err if line.startswith("generation")]
        return counts[-1] if counts else 0

    def check_equal(self, files, expected_report, expected):
        rng = random.Random(SEED)
        for attempt in range(3):
            held = self.kill_after(rng.randint(1, DOCS // EVERY - 2), rng.uniform(0, 0.05), *files)
            report = self.run_ok(*self.command(self.index, "--resume", *files)).json()
            why = f"seed {SEED}, attempt {attempt}"
            self.assertIn(report["resumed_at"], (held, min(DOCS, held + EVERY)), why)
            self.assertEqual(report["resumed_at"] + report["documents"], expected_report["documents"], why)
            self.assert_same(self.answers(self.index), expected, why)
            for name in os.listdir(self.index):
                os.unlink(os.path.join(self.index, name))

    def test_plain_gzip_and_zstd(self):
        for name, content in [("plain", self.data), ("gz", gzipped(self.data)), ("zst", zstd_compressed(self.data))]:
            file = self.write(name, content)
            report, expected = self.whole(file)
            self.assertEqual((report["bad"], report["replaced"]), (1, 1))
            self.check_equal([file], report, expected)
            for left in os.listdir(self.path("whole")):
                os.unlink(os.path.join(self.path("whole"), left))

    def test_several_files(self):
        cut = self.data.index(b"\n", len(self.data) // 2) + 1
        files = [self.write("one.gz", gzipped(self.data[:cut])), self.write("two", self.data[cut:])]
        report, expected = self.whole(*files)
        self.check_equal(files, report, expected)

    def test_line_numbers_go_on(self):
        file = self.write("a.txt", "".join(unique(i) + " text\n" for i in range(DOCS)))
        held = self.kill_after(3, 0, "--format", "lines", file)
        report = self.run_ok(*self.command(self.index, "--format", "lines", "--resume", file)).json()
        self.assertEqual(report["resumed_at"] + report["documents"], DOCS)
        self.assertGreaterEqual(report["resumed_at"], held)
        found = self.batch([unique(i) for i in range(DOCS)])
        self.assert_same([[h["id"] for h in a["hits"]] for a in found], [[str(i)] for i in range(DOCS)])

    def test_resuming_what_is_complete_reads_nothing(self):
        file = self.write("a", self.data)
        self.run_ok(*self.command(self.index, file))
        before = self.stats()
        report = self.run_ok(*self.command(self.index, "--resume", file)).json()
        self.assertEqual((report["documents"], report["resumed_at"]), (0, DOCS))
        self.assertEqual(self.stats()["generation"], before["generation"])
        more = self.write("b", jsonl(documents(50, start=DOCS)))
        report = self.run_ok(*self.command(self.index, "--resume", file, more)).json()
        self.assertEqual((report["documents"], report["resumed_at"]), (50, DOCS))

    def test_limit_counts_from_the_beginning(self):
        file = self.write("a", self.data)
        self.run_ok(*self.command(self.index, "--limit", "450", file))
        report = self.run_ok(*self.command(self.index, "--limit", "700", "--resume", file)).json()
        self.assertEqual((report["documents"], report["resumed_at"]), (250, 450))
        report = self.run_ok(*self.command(self.index, "--resume", file)).json()
        self.assertEqual(report["resumed_at"], 700)

    def test_another_input_is_refused(self):
        file = self.write("a", self.data)
        self.run_ok(*self.command(self.index, "--limit", "200", file))
        for name, content in [("longer", self.data + b'{"id": 9999}\n'), ("other", b" " + self.data[1:])]:
            result = run(*self.command(self.index, "--resume", self.write(name, content)))
            self.assertEqual(result.code, 2, name)
            self.assertIn(file, result.err)
        moved = self.path("moved")
        os.rename(file, moved)
        self.run_ok(*self.command(self.index, "--resume", moved))

    def test_nothing_to_resume(self):
        file = self.write("a", self.data)
        result = self.run_ok(*self.command(self.index, "--resume", file))
        self.assertIn("nothing to resume", result.err)
        self.assertEqual(json.loads(result.out)["documents"], DOCS)


if __name__ == "__main__":
    main()
