#!/usr/bin/env python3
"""An import that dies at any point leaves the index at a commit: kill -9, failpoints, a damaged MANIFEST.

What is checked after each death: the index opens, holds exactly the documents of a commit (ids 0 to k - 1), and `check --level deep` is clean.
"""
import os
import random
import re
import signal
import subprocess
import time

from cli_support import BIN, SEED, Case, documents, environment, jsonl, main, run, unique, word

DOCS = 2400
EVERY = 150
KILLS = int(os.environ.get("WIKISEARCH_KILLS", "50"))
EARLY_KILLS = KILLS // 4  # at any time, the beginning included; the others after the first commit
PROBES = [f"{word(1)} {word(2)}", "대한민국 역사", f'"{word(1)} {word(2)}"', f"{word(3)} -{word(1)}"]


class Death(Case):
    @classmethod
    def setUpClass(cls):
        cls.data = jsonl(documents(DOCS, words=25))

    def setUp(self):
        super().setUp()
        self.file = self.write("a.jsonl", self.data)

    def command(self, *more):
        return [BIN, "import", "-i", self.index, "--commit-every", str(EVERY), "--memory", "128M", *more, self.file]

    def committed(self, err):
        """Documents of the last commit that was printed, 0 for none."""
        found = re.findall(r"^generation \d+: (\d+) documents committed$", err, re.MULTILINE)
        return int(found[-1]) if found else 0

    def verify(self, printed, why):
        """Exactly the printed commit, or the one after it (durable, but the process died before it said so)."""
        if not os.path.exists(os.path.join(self.index, "MANIFEST")):
            self.assertEqual(printed, 0, why)
            return 0
        held = self.stats()["documents"]
        self.assertIn(held, (printed, min(printed + EVERY, DOCS)), why)
        check = run("check", "-i", self.index, "--level", "deep")
        self.assertEqual(check.code, 0, f"{why}: {check.out[-2000:]} {check.err}")
        found = self.batch([unique(i) for i in range(DOCS)], "-n", "2")
        self.assert_same([[h["id"] for h in a["hits"]] for a in found],
                         [[str(i)] if i < held else [] for i in range(DOCS)], why)
        return held

    def clear(self):
        if os.path.isdir(self.index):
            for name in os.listdir(self.index):
                os.unlink(os.path.join(self.index, name))

    def kill_at(self, commits, delay):
        """Runs an import, kills it `delay` seconds after it printed that many commits; returns (killed, stderr)."""
        process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
        err = b""
        while commits > 0:
            line = process.stderr.readline()
            if not line:
                break
            err += line
            commits -= line.startswith(b"generation")
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        err += process.stderr.read()
        process.stderr.close()
        return process.wait() == -signal.SIGKILL, err.decode()

    def finish(self, why):
        """Resumes to the end: everything is there."""
        result = run(*self.command("--resume")[1:])
        self.assertEqual(result.code, 0, f"{why}: {result.err}")
        self.verify(DOCS, why)

    def test_kill_at_random_points(self):
        rng = random.Random(SEED)
        start = time.monotonic()
        self.assertEqual(run(*self.command()[1:]).code, 0)
        whole = time.monotonic() - start
        step = whole / (DOCS / EVERY)
        self.clear()
        killed = after_first = 0
        for attempt in range(4 * KILLS):
            if killed == KILLS:
                break
            commits = 0 if killed < EARLY_KILLS else rng.randint(1, DOCS // EVERY - 1)
            delay = rng.uniform(0, whole / 2 if commits == 0 else 2 * step)
            died, err = self.kill_at(commits, delay)
            why = f"seed {SEED}, attempt {attempt}, {commits} commits + {delay:.4f} s"
            if died:
                killed += 1
                printed = self.committed(err)
                after_first += printed > 0
                self.verify(printed, why)
                if killed % 10 == 0:
                    self.finish(why)
            self.clear()
        print(f"{killed} kills, {after_first} after the first commit", flush=True)
        self.assertEqual(killed, KILLS)
        self.assertGreaterEqual(after_first, KILLS * 3 // 5)

    # The steps of a commit in the order of docs/format.md section 1, and those of the files below them.
    STEPS = ["segment.sync", "segment.rename", "commit.dir1", "commit.prev", "commit.manifest.write", "commit.manifest.sync",
             "commit.manifest.rename", "commit.dir2", "commit.unlink", "dir.sync", "file.rename", "file.sync"]

    def test_crash_at_every_step_of_a_commit(self):
        reached = []
        for step in self.STEPS:
            for call in (1, 3):
                why = f"{step}:crash:{call}"
                result = run(*self.command()[1:], env=environment(WS_FAILPOINT=why))
                if result.code == -signal.SIGKILL:
                    reached.append(step)
                    self.verify(self.committed(result.err), why)
                    if call == 3:
                        self.finish(why)
                else:
                    self.assertEqual(result.code, 0, f"{why}: {result.err}")
                self.clear()
        missed = [step for step in self.STEPS if step not in reached]
        print(f"{len(set(reached))} steps crashed, never reached: {missed}", flush=True)
        self.assertGreaterEqual(len(set(reached)), 10)

    def test_errors_at_every_step_of_a_commit(self):
        for step in self.STEPS:
            for action in ("eio", "enospc"):
                why = f"{step}:{action}:2"
                result = run(*self.command()[1:], env=environment(WS_FAILPOINT=why))
                self.assertIn(result.code, (0, 3), f"{why}: {result.err}")
                if result.code == 3:
                    self.assertNotEqual(result.err, "")
                    self.verify(self.committed(result.err), why)
                self.clear()

    def damage(self, name):
        path = os.path.join(self.index, name)
        with open(path, "r+b") as file:
            data = file.read()
            file.seek(len(data) // 2)
            file.write(bytes([data[len(data) // 2] ^ 0x20]))

    def test_a_damaged_manifest_falls_back_and_says_so(self):
        result = run(*self.command("--limit", str(4 * EVERY))[1:])
        self.assertEqual(result.code, 0, result.err)
        generation = self.stats()["generation"]
        before = self.batch(PROBES, "-n", "20")
        self.damage("MANIFEST")
        result = run("stats", "-i", self.index, "--json")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("MANIFEST", result.err)
        stats = result.json()
        self.assertTrue(stats["fallback"])
        self.assertLess(stats["generation"], generation)
        self.assertIn(stats["documents"], (3 * EVERY, 4 * EVERY))
        self.assertEqual(run("check", "-i", self.index).code, 1)
        result = run(*self.command("--resume", "--limit", str(4 * EVERY))[1:])
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(self.stats()["documents"], 4 * EVERY)
        self.assertEqual(run("check", "-i", self.index, "--level", "deep").code, 0)
        self.assert_same([a["total"] for a in self.batch(PROBES)], [a["total"] for a in before])

    def test_both_manifests_damaged_is_corruption_not_an_empty_index(self):
        self.assertEqual(run(*self.command("--limit", str(2 * EVERY))[1:]).code, 0)
        self.damage("MANIFEST")
        self.damage("MANIFEST.prev")
        for args in [("stats",), ("search", "x"), ("import", self.file)]:
            result = run(*args, "-i", self.index)
            self.assertEqual((result.code, result.out), (4, ""), f"{args}: {result.err}")
        self.assertEqual(run("check", "-i", self.index).code, 1)


if __name__ == "__main__":
    main()
