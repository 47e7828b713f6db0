#!/usr/bin/env python3
"""`wikisearch search`: what it prints, and that its offsets are true."""
import json
import os
import pty
import subprocess

from cli_support import BIN, Case, documents, environment, jsonl, main, run, unique, word


def utf16(text):
    return text.encode("utf-16-le")


def cut(text, span):
    return utf16(text)[2 * span[0]:2 * span[1]].decode("utf-16-le")


class Search(Case):
    def setUp(self):
        super().setUp()
        docs = documents(200)
        docs.append({"id": "emoji", "title": "😀 대한민국의 역사 😀", "text": "😀😀 앞 " * 5 + "대한민국의 독립 운동은 길었다.",
                     "lang": "ko", "categories": ["a", "b"]})
        docs.append({"id": "evil", "title": "a\u001b[31mred\u009b", "text": "terminal <b>&amp; \u001b]0;x\u0007 evilword"})
        self.file = self.write("a.jsonl", jsonl(docs))
        self.run_ok("import", "-i", self.index, "-q", self.file)

    def test_shape(self):
        answer = self.search("대한민국", "-n", "5")
        self.assertEqual(list(answer), ["hits", "total", "query", "partial", "degraded", "warnings", "generation"])
        self.assertEqual(len(answer["hits"]), 5)
        self.assertEqual(answer["total"]["relation"], "eq")
        self.assertGreater(answer["total"]["value"], 5)
        self.assertEqual((answer["partial"], answer["degraded"], answer["warnings"]), (False, [], []))
        self.assertEqual(answer["query"]["q"], "대한민국")
        self.assertEqual(answer["generation"], self.stats()["generation"])
        scores = [h["_score"] for h in answer["hits"]]
        self.assertEqual(scores, sorted(scores, reverse=True))
        for hit in answer["hits"]:
            self.assertEqual(list(hit)[:5], ["id", "_score", "title", "snippet", "_highlight"])
            self.assertIn("lang", hit)

    def test_highlights_are_utf16_offsets(self):
        answer = self.search("독립 대한민국", "--operator", "and")
        self.assertEqual(answer["total"]["value"], 1)
        hit = answer["hits"][0]
        self.assertEqual(hit["id"], "emoji")
        self.assertEqual(hit["categories"], ["a", "b"])
        self.assertTrue(hit["_highlight"]["title"])
        for span in hit["_highlight"]["title"]:
            self.assertIn("대한민국", cut(hit["title"], span))
        marked = [cut(hit["snippet"], s) for s in hit["_highlight"]["snippet"]]
        self.assertTrue(any("대한민국" in m for m in marked), marked)
        self.assertTrue(any("독립" in m for m in marked), marked)

    def test_paging_operators_filters_totals(self):
        whole = self.search(f"{word(1)} {word(2)}", "-n", "50")
        page = self.search(f"{word(1)} {word(2)}", "-n", "10", "--offset", "10")
        self.assertEqual(page["hits"], whole["hits"][10:20])
        self.assertEqual(page["total"], whole["total"])
        both = self.search(f"{word(1)} {word(2)}", "--operator", "and", "-n", "1")
        self.assertLess(both["total"]["value"], whole["total"]["value"])
        english = self.search(word(1), "--filter", 'lang = "en"', "-n", "100")
        self.assertTrue(english["hits"])
        self.assertEqual({h["lang"] for h in english["hits"]}, {"en"})
        self.assertEqual(self.search(word(1), "--total", "none", "-n", "10")["hits"],
                         self.search(word(1), "-n", "10")["hits"])
        slow = self.search(f"{word(1)} {word(2)} 대한민국", "--traversal", "exhaustive", "-n", "50")
        fast = self.search(f"{word(1)} {word(2)} 대한민국", "-n", "50")
        self.assertEqual(slow["hits"], fast["hits"])
        self.assertEqual(slow["total"], fast["total"])

    def test_bad_filters_are_usage_errors(self):
        for bad in ["lang =", "nofield = \"x\"", "lang ~ \"x\""]:
            result = run("search", "-i", self.index, "--filter", bad, "x")
            self.assertEqual((result.code, result.out), (2, ""), result.err)

    def test_no_hits_is_fine(self):
        result = self.run_ok("search", "-i", self.index, "nosuchword")
        self.assertEqual(result.out, "0 documents\n")

    def test_words_may_come_as_several_arguments_and_dashes_behind_a_double_dash(self):
        joined = self.search(f"{word(1)} {word(2)}")
        self.assertEqual(self.search(word(1), word(2))["hits"], joined["hits"])
        without = self.search("--", word(1), f"-{word(2)}")
        self.assertLess(without["total"]["value"], joined["total"]["value"])

    def test_text_output_cannot_drive_a_terminal(self):
        result = self.run_ok("search", "-i", self.index, "evilword")
        self.assertIn("evil", result.out)
        self.assertNotIn("\x1b", result.out)
        self.assertNotIn("\x07", result.out)
        self.assertNotIn("\x9b", result.out)

    def terminal_output(self, **env):
        master, slave = pty.openpty()
        process = subprocess.Popen([BIN, "search", "-i", self.index, "독립"], stdout=slave, env=environment(**env))
        os.close(slave)
        out = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            out += piece
        os.close(master)
        self.assertEqual(process.wait(), 0)
        return out.decode()

    def test_words_are_bold_on_a_terminal_unless_no_color(self):
        self.assertRegex(self.terminal_output(), "\x1b\\[1m독립[^\x1b]*\x1b\\[0m")
        self.assertNotIn("\x1b", self.terminal_output(NO_COLOR="1"))
        self.assertNotIn("\x1b", self.run_ok("search", "-i", self.index, "독립").out)

    def test_profile(self):
        answer = self.search(word(1), "--profile")
        self.assertGreater(answer["cost"]["postings"], 0)
        self.assertIn("took_ms", answer)
        self.assertIn("postings", self.run_ok("search", "-i", self.index, "--profile", word(1)).out)

    def test_batch(self):
        queries = [unique(3), f"{word(1)} {word(2)}\tand", f"{word(1)}\tor\tlang = \"en\"", "", "nosuchword"]
        answers = self.batch(queries)
        self.assertEqual(len(answers), 5)
        self.assertEqual(answers[0]["hits"][0]["id"], "3")
        self.assertEqual(answers[1], self.search(f"{word(1)} {word(2)}", "--operator", "and"))
        self.assertEqual(answers[2], self.search(word(1), "--filter", 'lang = "en"'))
        self.assertEqual(answers[3]["total"]["value"], 0)
        self.assertEqual(answers[4]["hits"], [])
        result = run("search", "-i", self.index, "--batch", "-", stdin=b"a\nb\txor\nc\n")
        self.assertEqual(result.code, 2)
        self.assertIn("line 2", result.err)
        self.assertEqual(len(result.json_lines()), 1)
        self.assertEqual(run("search", "-i", self.index, "--batch", "-", "x").code, 2, "not both")
        file = self.write("queries", f"{unique(5)}\n")
        self.assertEqual(self.run_ok("search", "-i", self.index, "--batch", file).json()["hits"][0]["id"], "5")

    def test_any_text_is_a_query(self):
        for text in ['"', '""""', "-", '- "', '-"a b', "a\tb", "\u200b", "😀", "ㄱㄴㄷ", "'; drop table", "{}[]()^~*?:\\/"]:
            answer = self.search("--", text)
            self.assertIn("hits", answer)
        self.run_ok("search", "-i", self.index, "--", b"\xff\xfe broken".decode("utf-8", "surrogateescape"))
        long = json.loads(self.run_ok("search", "-i", self.index, "--json", f"{word(1)} " * 3000).out)
        self.assertTrue(long["warnings"])


if __name__ == "__main__":
    main()
