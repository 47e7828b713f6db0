#!/usr/bin/env python3
"""Verbs, flags and exit codes of `wikisearch`."""
import json
import os

from cli_support import BIN, Case, documents, environment, jsonl, main, run, unique

VERBS = ["import", "search", "analyze", "get", "put", "delete", "stats", "inspect", "check", "merge", "cache-replay"]


class Usage(Case):
    def test_help_of_every_verb_goes_to_stdout(self):
        for verb in VERBS:
            result = self.run_ok(verb, "--help")
            self.assertTrue(result.out.startswith(f"usage: wikisearch {verb}"), verb)
            self.assertIn("--index DIR", result.out)
            self.assertEqual(result.err, "")
        listing = self.run_ok("--help").out
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", listing)

    def test_version(self):
        self.assertRegex(self.run_ok("--version").out, r"^wikisearch \S*0\.1\.0")
        self.assertEqual(self.run_ok("--version").out, self.run_ok("search", "--version").out)

    def test_mistakes_are_usage_errors_with_the_nearest_match(self):
        for args, hint in [((), "usage:"), (("serch", "x"), "did you mean search?"), (("xyzzy",), "no verb xyzzy"),
                           (("search", "--limt", "3", "x"), "did you mean --limit?"), (("search",), "QUERY"),
                           (("search", "-n", "many", "x"), "number"), (("get",), "ID"), (("get", "1", "2"), "too many"),
                           (("check", "--level", "deeper"), "quick|normal|deep"),
                           (("import", "--memory", "lots", "x"), "512M"), (("import",), "FILE"),
                           (("stats", "--set", "http.workers=3"), "no meaning"),
                           (("stats", "--set", "index.acess=read"), "did you mean index.access?"),
                           (("analyze", "--mode", "idx", "x"), "index|query"), (("--json", "stats"), "verb comes first")]:
            result = run(*args)
            self.assertEqual(result.code, 2, f"{args}: {result.err}")
            self.assertIn(hint, result.err, args)
            self.assertEqual(result.out, "", args)

    def test_formats_still_to_come_are_refused(self):
        file = self.write("x", "a,b\n")
        for args in [("--format", "csv"), ("--format", "tsv"), ("--format", "mediawiki"), ("--url", "http://x"),
                     ("--namespaces", "0")]:
            result = run("import", "-i", self.index, *args, file)
            self.assertEqual(result.code, 2, args)
            self.assertIn("yet", result.err, args)
        self.assertFalse(os.path.exists(self.index))

    def test_without_an_index_every_reader_says_so(self):
        for args in [("search", "x"), ("get", "1"), ("stats",), ("inspect", "doc", "1"), ("delete", "1"), ("merge",),
                     ("check",), ("analyze", "--field", "body", "x")]:
            result = run(*args, "-i", self.path("nowhere"))
            self.assertEqual(result.code, 3, f"{args}: {result.err}")
            self.assertIn("nowhere", result.err, args)

    def test_a_full_disk_on_stdout_is_an_error(self):
        with open("/dev/full", "wb") as full:
            import subprocess
            code = subprocess.run([BIN, "--help"], stdout=full, stderr=subprocess.PIPE, check=False).returncode
        self.assertEqual(code, 3)

    def test_index_from_the_environment_and_by_default(self):
        file = self.write("a.jsonl", jsonl(documents(3)))
        env = environment(WIKISEARCH_INDEX=self.path("from_env"))
        self.assertEqual(run("import", file, env=env).code, 0)
        self.assertTrue(os.path.exists(self.path("from_env/MANIFEST")))
        self.assertEqual(run("import", file, cwd=self.dir).code, 0)
        self.assertTrue(os.path.exists(self.path("index/MANIFEST")))


class Verbs(Case):
    def setUp(self):
        super().setUp()
        self.docs = documents(30)
        self.file = self.write("a.jsonl", jsonl(self.docs))
        self.run_ok("import", "-i", self.index, "-q", self.file, "--commit-every", "10")

    def test_get_prints_what_was_imported(self):
        for i in (0, 7, 29):
            got = self.run_ok("get", "-i", self.index, i).json()
            expected = self.docs[i]
            self.assertEqual(got["id"], str(i))
            self.assertEqual(got["title"], expected["title"])
            self.assertEqual(got["body"], expected["text"])
            self.assertEqual(got["lang"], expected["lang"])
            self.assertEqual(got["categories"], expected["categories"])
        result = run("get", "-i", self.index, "30")
        self.assertEqual((result.code, result.out), (1, ""))
        self.assertIn("no document 30", result.err)

    def test_put_and_delete(self):
        line = json.dumps({"id": 7, "title": "새 제목", "text": "completely different", "lang": "ko"}) + "\n"
        result = run("put", "-i", self.index, "-", "--json", stdin=(line + "\n{\"id\": 99, \"title\": 3}\n").encode())
        self.assertEqual(result.code, 1, result.err)
        self.assertIn("line 3", result.err)
        outcome = result.json()
        self.assertEqual((outcome["put"], outcome["bad"]), (1, 1))
        self.assertEqual(self.stats()["generation"], outcome["generation"])
        self.assertEqual(self.run_ok("get", "-i", self.index, 7).json()["title"], "새 제목")
        self.assertEqual(self.stats()["documents"], 30)
        result = run("delete", "-i", self.index, "7", "8", "1000", "--json")
        self.assertEqual(result.code, 1)
        self.assertEqual((result.json()["deleted"], result.json()["missing"]), (2, 1))
        self.assertEqual(run("get", "-i", self.index, "8").code, 1)
        self.assertEqual(self.stats()["documents"], 28)
        self.assertEqual(self.run_ok("check", "-i", self.index, "--level", "deep").code, 0)

    def test_put_makes_an_index(self):
        result = self.run_ok("put", "-i", self.path("new"), "-", stdin=b'{"id": "a", "title": "x", "text": "y"}')
        self.assertIn("put 1", result.out)
        self.assertEqual(self.run_ok("get", "-i", self.path("new"), "a").json()["body"], "y")

    def test_stats_in_both_forms(self):
        stats = self.stats()
        self.assertEqual(stats["documents"], 30)
        self.assertEqual(stats["schema"]["fields"][0]["name"], "title")
        self.assertEqual(sum(s["documents"] for s in stats["segments"]), 30)
        self.assertIn("import.checkpoint", stats["user"])
        text = self.run_ok("stats", "-i", self.index).out
        self.assertRegex(text, r"documents +30\n")
        for kind in ("STORED", "POS", "TERM_BLOCKS"):
            self.assertIn(kind, stats["sections"])
            self.assertIn(kind, text)
        total = sum(os.path.getsize(os.path.join(self.index, s)) for s in os.listdir(self.index) if s.endswith(".wsg"))
        self.assertEqual(stats["bytes"], total)

    def test_inspect(self):
        term = self.run_ok("inspect", "-i", self.index, "term", unique(7), "--json").json()
        self.assertEqual([(t["field"], t["df"]) for t in term["terms"] if t["stream"] == "word"], [("body", 1)])
        self.assertEqual(term["terms"][0]["segments"][0]["first"][0]["id"], "7")
        only = self.run_ok("inspect", "-i", self.index, "term", "title:document", "--json").json()
        self.assertEqual({t["field"] for t in only["terms"]}, {"title"})
        self.assertEqual(only["terms"][0]["df"], 30)
        doc = self.run_ok("inspect", "-i", self.index, "doc", "7", "--json").json()
        self.assertEqual((doc["id"], doc["doc_key"]), ("7", 7))
        self.assertEqual(doc["columns"]["lang"], ["ko"])
        self.assertIn({"field": "title", "bytes": len(self.docs[7]["title"].encode()), "chunks": 0}, doc["stored"])
        number = self.stats()["segments"][0]["segment"]
        segment = self.run_ok("inspect", "-i", self.index, "segment", number).json()
        self.assertEqual(segment["segment"], number)
        self.assertIn("DOC_IDS", [s["kind"] for s in segment["sections"]])
        for args in [("term", "nosuchword"), ("doc", "1000"), ("segment", "ffff")]:
            self.assertEqual(run("inspect", "-i", self.index, *args).code, 1, args)
        for args in [("thing", "1"), ("segment", "xyz")]:
            self.assertEqual(run("inspect", "-i", self.index, *args).code, 2, args)

    def test_analyze(self):
        rows = self.run_ok("analyze", "대한민국은 Running", "--json").json()["tokens"]
        word = rows[0]
        self.assertEqual((word["position"], word["stream"], word["start"]), (0, "word", 0))
        self.assertEqual(word["token"], "대한민국")
        self.assertEqual(word["end"], len("대한민국은".encode()))
        self.assertIn("run", [r["token"] for r in rows if r["stream"] == "word"])
        table = self.run_ok("analyze", "대한민국은 Running").out.split("\n")
        self.assertEqual(table[0].split(), ["position", "start", "end", "stream", "token"])
        self.assertEqual(len(table) - 2, len(rows))
        by_field = self.run_ok("analyze", "-i", self.index, "--field", "title", "a b", "--mode", "query")
        self.assertIn("word", by_field.out)
        self.assertEqual(run("analyze", "-i", self.index, "--field", "lang", "a").code, 2)
        self.assertEqual(run("analyze", "-i", self.index, "--field", "none", "a").code, 2)

    def test_merge(self):
        before = self.stats()
        self.assertGreater(len(before["segments"]), 1)
        outcome = self.run_ok("merge", "-i", self.index, "--json").json()
        self.assertEqual(outcome["segments"], 1)
        after = self.stats()
        self.assertEqual((len(after["segments"]), after["documents"]), (1, 30))
        self.assertEqual(outcome["generation"], after["generation"])
        self.assertEqual(after["user"], before["user"], "the user map is carried forward")
        self.run_ok("check", "-i", self.index, "--level", "deep", "-q")

    def test_check_finds_damage_in_every_kind_of_file(self):
        self.run_ok("delete", "-i", self.index, "3")
        good = self.run_ok("check", "-i", self.index, "--level", "deep", "--json").json_lines()
        self.assertTrue(all(item["ok"] for item in good))
        in_use = {f"seg-{s['segment']}.wsg" for s in self.stats()["segments"]} | {"MANIFEST", "MANIFEST.prev"}
        for name in sorted(os.listdir(self.index)):
            path = os.path.join(self.index, name)
            if name == "LOCK":
                continue
            with open(path, "rb") as file:
                data = bytearray(file.read())
            data[len(data) // 2] ^= 0x10
            with open(path, "wb") as file:
                file.write(data)
            result = run("check", "-i", self.index, "--level", "deep")
            self.assertIn(result.code, (1,) if name in in_use else (0, 1), f"{name}: {result.out[-300:]} {result.err}")
            data[len(data) // 2] ^= 0x10
            with open(path, "wb") as file:
                file.write(data)
        self.run_ok("check", "-i", self.index, "--level", "deep")

    def test_settings(self):
        read = self.run_ok("search", "-i", self.index, "--set", "index.access=read", unique(3), "--json").json()
        self.assertEqual([h["id"] for h in read["hits"]], ["3"])


if __name__ == "__main__":
    main()
