#!/usr/bin/env python3
"""`wikisearch import`: inputs, formats, schemas, bad documents, locks, signals."""
import fcntl
import json
import os
import signal
import subprocess
import time

from cli_support import BIN, Case, documents, environment, gzipped, jsonl, letters, main, run, unique, word, zstd_compressed

PROBES = ["대한민국", f"{word(1)} {word(2)}", f"{word(1)} {word(7)}\tand", f'"{word(1)} {word(2)}"', f"역사 -{word(1)}", f"{word(3)}\tor\tlang = \"en\""]


class Inputs(Case):
    def answers(self, index):
        """What probes find, with scores; segments differ between runs, so they are merged first."""
        self.run_ok("merge", "-i", index)
        found = self.batch(PROBES, "-n", "50", index=index)
        return [(a["hits"], a["total"]) for a in found]

    def test_every_kind_of_input_gives_the_same_index(self):
        data = jsonl(documents(300))
        half = data.index(b"\n", len(data) // 2) + 1
        files = {"plain": data, "gz": gzipped(data), "gz2": gzipped(data[:half]) + gzipped(data[half:]),
                 "zst": zstd_compressed(data), "zst2": zstd_compressed(data[:half]) + zstd_compressed(data[half:]),
                 "long": zstd_compressed(data, 27), "noeol": data[:-1], "crlf": data.replace(b"\n", b"\r\n"),
                 "bom": b"\xef\xbb\xbf" + data, "blank": b"\n  \n" + data.replace(b"\n", b"\n\n")}
        expected = None
        for name, content in files.items():
            file = self.write(name, content)
            index = self.path("index-" + name)
            report = self.run_ok("import", "-i", index, "--json", "--commit-every", "100", file).json()
            self.assertEqual((report["documents"], report["bad"]), (300, 0), name)
            self.assertEqual(report["file_bytes"], len(content), name)
            answers = self.answers(index)
            expected = expected or answers
            self.assertTrue(answers[0][1]["value"])
            self.assert_same(answers, expected, name)
        for name in ("plain", "gz", "zst"):
            index = self.path("stdin-" + name)
            self.run_ok("import", "-i", index, "-q", "-", stdin=files[name])
            self.assert_same(self.answers(index), expected, name)
        parts = [self.write("part1", data[:half]), self.write("part2", gzipped(data[half:]))]
        self.run_ok("import", "-i", self.path("parts"), "-q", *parts)
        self.assert_same(self.answers(self.path("parts")), expected, "two files")

    def test_a_pipe_is_read_once(self):
        """What was read to look at the input must not be lost: more than a pipe holds goes through it."""
        data = jsonl(documents(2000, words=60))
        self.assertGreater(len(data), 500_000)
        report = run("import", "-i", self.path("piped"), "--json", "/dev/stdin", stdin=data)
        self.assertEqual((report.code, report.json()["documents"], report.json()["bad"]), (0, 2000, 0), report.err)

    def test_threads_do_not_change_the_answers(self):
        file = self.write("a", jsonl(documents(300)))
        found = []
        for threads in (1, 2, 5):
            index = self.path(f"t{threads}")
            self.run_ok("import", "-i", index, "-q", "--threads", threads, "--commit-every", "70", file)
            found.append(self.answers(index))
        self.assert_same(found[0], found[1])
        self.assert_same(found[0], found[2])

    def test_cut_and_damaged_files_deliver_what_was_good(self):
        data = jsonl(documents(400))
        for name, content, code in [("cut.gz", gzipped(data)[:-300], 4), ("cut.zst", zstd_compressed(data)[:-300], 4),
                                    ("junk.gz", gzipped(data) + b"junk", 4)]:
            file = self.write(name, content)
            index = self.path("index-" + name)
            result = run("import", "-i", index, "--json", file)
            self.assertEqual(result.code, code, result.err)
            self.assertRegex(result.err, name + r": .* \(byte \d+\)")
            report = result.json()
            self.assertEqual(report["bad"], 0)
            self.assertGreater(report["documents"], 0)
            self.assertEqual(self.stats(index)["documents"], report["documents"])

    def test_missing_inputs_are_noticed_before_anything_is_made(self):
        file = self.write("a", jsonl(documents(3)))
        for args in [(self.path("none"),), (file, self.path("none")), (self.dir,)]:
            result = run("import", "-i", self.index, *args)
            self.assertEqual(result.code, 3, result.err)
        self.assertFalse(os.path.exists(self.index))
        self.assertEqual(run("import", "-i", self.index, "-", "-").code, 2)

    def test_an_empty_input_makes_an_empty_index(self):
        self.run_ok("import", "-i", self.index, "-q", self.write("empty", b""))
        self.assertEqual(self.stats()["documents"], 0)
        self.assertEqual(self.search("x")["total"]["value"], 0)
        self.run_ok("check", "-i", self.index, "--level", "deep")

    def test_a_window_that_does_not_fit_the_ceiling_is_said(self):
        file = self.write("long", zstd_compressed(jsonl(documents(50)), 27))
        result = run("import", "-i", self.index, "--memory", "64M", file)
        self.assertEqual(result.code, 3)
        self.assertIn("129 MiB", result.err)
        self.assertIn("--memory", result.err)
        result = run("import", "-i", self.index, "--memory", "10M", self.write("a", jsonl(documents(5))))
        self.assertEqual(result.code, 3)
        self.assertRegex(result.err, r"at least \d+ MiB")


class Documents(Case):
    def test_bad_documents_are_counted_with_their_place(self):
        good = documents(40)
        lines = [json.dumps(d, ensure_ascii=False).encode() for d in good]
        bad = {3: b"{not json", 5: b'{"title": "no id"}', 9: b'{"id": 9, "text": 5}', 12: b'[1, 2]',
               17: b'{"id": "", "text": "empty id"}', 20: b'{"id": "a\\nb"}', 23: b"[" * 100, 30: b'{"id": 1, "id": 2}',
               31: b'{"id": "' + b"x" * 600 + b'"}', 33: b'{"id": 12345678901234567890}'}
        for at, line in bad.items():
            lines[at] = line
        offsets, at = [], 0
        for line in lines:
            offsets.append(at)
            at += len(line) + 1
        file = self.write("a.jsonl", b"\n".join(lines) + b"\n")
        for content in (file, self.write("a.gz", gzipped(b"\n".join(lines)))):
            index = content + ".index"
            result = self.run_ok("import", "-i", index, "--json", content, "--commit-every", "7")
            report = result.json()
            self.assertEqual((report["documents"], report["bad"]), (40, len(bad)))
            self.assertEqual([(b["document"], b["offset"]) for b in report["bad_documents"]],
                             [(n, offsets[n]) for n in sorted(bad)])
            self.assertTrue(all(b["file"] == content and b["reason"] for b in report["bad_documents"]))
            self.assertEqual(self.stats(index)["documents"], 40 - len(bad))
        text = self.run_ok("import", "-i", self.path("text"), file).out
        self.assertIn(f"byte {offsets[9]} (document 9): text: string expected, not integer", text)

    def test_only_the_first_twenty_are_kept(self):
        file = self.write("a", b"nonsense\n" * 500 + jsonl(documents(5)))
        report = self.run_ok("import", "-i", self.index, "--json", "--format", "jsonl", file).json()
        self.assertEqual((report["bad"], len(report["bad_documents"])), (500, 20))
        self.assertEqual([b["document"] for b in report["bad_documents"]], list(range(20)))
        self.assertEqual(self.stats()["documents"], 5)

    def test_a_line_beyond_the_document_limit_is_skipped(self):
        docs = documents(6)
        docs[2]["text"] = "long " * 900000
        data = jsonl(docs)
        self.assertGreater(len(jsonl([docs[2]])), 4 << 20)
        report = self.run_ok("import", "-i", self.index, "--json", "--memory", "256M", self.write("a", data)).json()
        self.assertEqual(report["bad"], 1)
        self.assertEqual(report["bad_documents"][0]["offset"], len(jsonl(docs[:2])))
        self.assertIn("longer", report["bad_documents"][0]["reason"])
        self.assertEqual(self.stats()["documents"], 5)

    def test_invalid_utf8_is_replaced_and_counted(self):
        line = b'{"id": 1, "title": "br\xffken", "text": "x\xed\x95 unique"}\n'
        report = self.run_ok("import", "-i", self.index, "--json", self.write("a", line)).json()
        self.assertEqual(report["bad"], 0)
        self.assertEqual(self.run_ok("get", "-i", self.index, 1).json()["title"], "br\ufffdken")

    def test_the_later_document_of_an_id_wins(self):
        docs = documents(10) + documents(10)
        for d in docs[10:]:
            d["text"] = "second" + letters(d["id"])
        file = self.write("a", jsonl(docs))
        for every in ("100", "7"):
            index = self.path("every" + every)
            report = self.run_ok("import", "-i", index, "--json", "--commit-every", every, file).json()
            self.assertEqual(report["replaced"], 10)
            self.assertEqual(self.stats(index)["documents"], 10)
            for i in range(10):
                self.assertEqual(self.search("second" + letters(i), index=index)["total"]["value"], 1)
                self.assertEqual(self.search(unique(i), index=index)["total"]["value"], 0)
        self.run_ok("check", "-i", index, "--level", "deep")

    def test_lines(self):
        file = self.write("a.txt", "first line of text\n\n세 번째 줄\nlast line")
        report = self.run_ok("import", "-i", self.index, "--json", "--format", "lines", file).json()
        self.assertEqual(report["documents"], 4)
        self.assertEqual([self.run_ok("get", "-i", self.index, i).json().get("body", "") for i in range(4)],
                         ["first line of text", "", "세 번째 줄", "last line"])
        second = self.write("b.txt", "another\n")
        self.run_ok("import", "-i", self.path("two"), "-q", "--format", "lines", file, second)
        self.assertEqual(self.run_ok("get", "-i", self.path("two"), 4).json()["body"], "another")
        result = run("import", "-i", self.path("auto"), file)
        self.assertEqual(result.code, 2, "text could be anything: it must be said")
        self.assertIn("--format", result.err)

    def test_limit_and_lang(self):
        docs = documents(50)
        for d in docs[:10]:
            del d["lang"]
        file = self.write("a", jsonl(docs))
        report = self.run_ok("import", "-i", self.index, "--json", "--limit", "20", "--lang", "ja", file).json()
        self.assertEqual(report["documents"], 20)
        self.assertEqual(self.stats()["documents"], 20)
        self.assertEqual(self.search("document", "--filter", 'lang = "ja"')["total"]["value"], 10)
        schema = self.write("s.json", '{"fields": [{"name": "text", "type": "text"}]}')
        self.assertEqual(run("import", "-i", self.path("no"), "--schema", schema, "--lang", "ko", file).code, 2)

    def test_schema(self):
        schema = self.write("s.json", json.dumps({
            "id": "sku", "fields": [{"name": "title", "from": "name", "type": "text"},
                                    {"name": "price", "type": "int"},
                                    {"name": "brand", "type": "keyword"}]}))
        file = self.write("a", b'{"sku": "x-1", "name": "blue chair", "price": 30, "brand": "Acme"}\n'
                               b'{"sku": "x-2", "name": "red chair", "price": 70, "brand": "Other"}\n')
        self.run_ok("import", "-i", self.index, "-q", "--schema", schema, file)
        self.assertEqual([h["id"] for h in self.search("chair", "--filter", "price < 50")["hits"]], ["x-1"])
        self.assertEqual(self.search("chair", "--filter", 'brand = "Other"')["hits"][0]["price"], 70)
        self.run_ok("import", "-i", self.index, "-q", file)
        self.assertEqual(self.stats()["documents"], 2, "without --schema the index's own is taken")
        other = self.write("o.json", '{"fields": [{"name": "title", "type": "text"}]}')
        result = run("import", "-i", self.index, "--schema", other, file)
        self.assertEqual(result.code, 2)
        self.assertIn("another schema", result.err)
        result = run("import", "-i", self.path("no"), "--schema", self.write("bad.json", '{"feilds": []}'), file)
        self.assertEqual(result.code, 2)
        self.assertIn("fields", result.err)


class Processes(Case):
    def test_generations_are_printed_as_they_become_durable(self):
        file = self.write("a", jsonl(documents(250)))
        result = self.run_ok("import", "-i", self.index, "--commit-every", "100", file)
        counts = [line.split() for line in result.err.split("\n") if line.startswith("generation")]
        self.assertEqual([c[2] for c in counts], ["100", "200", "250"])
        numbers = [int(c[1].rstrip(":")) for c in counts]
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(self.run_ok("import", "-i", self.path("quiet"), "-q", file).err, "")

    def test_a_locked_index_names_the_holder(self):
        file = self.write("a", jsonl(documents(5)))
        self.run_ok("import", "-i", self.index, "-q", file)
        with open(os.path.join(self.index, "LOCK"), "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.truncate(0)
            lock.write(b"%d\n" % os.getpid())
            lock.flush()
            for args in [("import", file), ("put", file), ("delete", "1"), ("merge",)]:
                result = run(*args, "-i", self.index)
                self.assertEqual(result.code, 3, args)
                self.assertIn(str(os.getpid()), result.err, args)
            self.run_ok("search", "-i", self.index, unique(1))
        self.run_ok("import", "-i", self.index, "-q", file)

    def start(self, *args):
        return subprocess.Popen([BIN, "import", "-i", self.index, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=environment())

    def interrupt_after(self, signal_number, fed, every):
        """Feeds documents through a pipe, interrupts, and returns (process, stderr)."""
        process = self.start("--commit-every", str(every), "--json", "-")
        process.stdin.write(jsonl(documents(fed)))
        process.stdin.flush()
        line = process.stderr.readline()
        self.assertTrue(line.startswith(b"generation"), line)
        time.sleep(0.2)
        process.send_signal(signal_number)
        # The pipe stays open until the end: its closing would end the input, and the import would be complete.
        process.wait(timeout=60)
        out, err = process.stdout.read(), process.stderr.read()
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()
        return process, out.decode(), (line + err).decode()

    def test_sigint_and_sigterm_commit_and_can_be_resumed(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process, out, err = self.interrupt_after(number, 1000, 100)
            self.assertEqual(process.returncode, 6, err)
            self.assertIn("interrupted", err)
            report = json.loads(out)
            self.assertEqual(self.stats()["documents"], report["documents"])
            self.assertLessEqual(report["documents"], 1000)
            self.assertGreaterEqual(report["documents"], 100)
            self.run_ok("check", "-i", self.index, "--level", "deep", "-q")
            found = self.batch([unique(i) for i in range(1000)])
            self.assert_same([a["total"]["value"] for a in found],
                             [int(i < report["documents"]) for i in range(1000)])
            result = run("import", "-i", self.index, "--json", "--resume", "-", stdin=jsonl(documents(1000)))
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual(result.json()["resumed_at"], report["documents"])
            self.assertEqual(self.stats()["documents"], 1000)
            for name in os.listdir(self.index):
                os.unlink(os.path.join(self.index, name))

    def test_a_silent_pipe_can_be_interrupted(self):
        process = self.start("-")
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
        self.assertEqual(process.returncode, 6)
        process.stdin.close()
        process.stdout.close()
        process.stderr.close()


if __name__ == "__main__":
    main()
