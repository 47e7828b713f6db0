#!/usr/bin/env python3
"""Hit counts and scores against another engine's answers to 1,689 queries on its own tokens.

usage: race.py [--index DIR] [--keep] [--program PATH] [--memory SIZE]

Imports data/race/en.tok.zst (one tokenised document a line) and asks every query of en.queries.tsv; en.truth.tsv holds the exact
hit counts and the scores of the top 10. Counts must be equal, scores within 1e-4. Prints a line per query class, what differs,
and the bytes of the index by section.

The data is looked for in $WIKISEARCH_SHARED_DATA, else beside the project in shared/data; without it the test is skipped (77).
The program is --program, else $WIKISEARCH_BIN, else build/release/bin/wikisearch.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.environ.get("WIKISEARCH_SOURCE_DIR") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.environ.get("WIKISEARCH_SHARED_DATA") or os.path.join(ROOT, "..", "shared", "data")
RACE = os.path.join(SHARED, "race")
TOLERANCE = 1e-4
SCHEMA = {"id": "", "bm25": {"k1": 1.2, "b": 0.75},
          "fields": [{"name": "body", "type": "text", "analyzer": "whitespace", "stored": False}]}


def read_queries():
    """(class, query) pairs, with the counts and top scores of the other engine."""
    with open(os.path.join(RACE, "en.queries.tsv"), encoding="utf-8") as file:
        queries = [line.rstrip("\n").split("\t") for line in file]
    truth = {}
    with open(os.path.join(RACE, "en.truth.tsv"), encoding="utf-8") as file:
        for line in file:
            query, count, top = line.rstrip("\n").split("\t")
            truth[query] = (int(count), [float(hit.split(":")[1]) for hit in top.split()])
    return queries, truth


def translate(query):
    """The other syntax marks words that must be there by +: here that is the operator."""
    words = query.split(" ")
    if words[0].startswith("+"):
        return " ".join(word.lstrip("+") for word in words), "and"
    return query, "or"


def run(program, *arguments, **options):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, check=False, **options)
    if done.returncode:
        sys.exit(f"{program} {arguments[0]} ended with {done.returncode}")
    return done.stdout


def build_index(program, index, memory):
    schema = os.path.join(index, "race-schema.json")
    os.makedirs(index, exist_ok=True)
    with open(schema, "w", encoding="utf-8") as file:
        json.dump(SCHEMA, file)
    start = time.monotonic()
    run(program, "import", "-i", index, "--schema", schema, "--format", "lines", "--memory", memory, "--quiet",
        os.path.join(RACE, "en.tok.zst"))
    print(f"imported in {time.monotonic() - start:.1f} s")


def ask(program, index, queries):
    """One answer per query."""
    lines = "".join("\t".join(translate(query)) + "\n" for _, query in queries)
    start = time.monotonic()
    out = run(program, "search", "-i", index, "--batch", "-", "-n", "10", input=lines.encode())
    print(f"{len(queries)} queries in {time.monotonic() - start:.1f} s")
    return [json.loads(line) for line in out.splitlines()]


class Tally:
    def __init__(self):
        self.queries = self.counts = self.scores = 0
        self.worst = 0.0


def compare(queries, truth, answers):
    """Tallies by class, and the first queries that differ."""
    tallies, examples = {}, []
    for (name, query), answer in zip(queries, answers):
        tally = tallies.setdefault(name, Tally())
        count, scores = truth[query]
        got = [hit["_score"] for hit in answer["hits"]]
        tally.queries += 1
        tally.counts += answer["total"] != {"value": count, "relation": "eq"}
        difference = max([abs(a - b) for a, b in zip(got, scores)] + [0.0 if len(got) == len(scores) else 1.0])
        tally.worst = max(tally.worst, difference)
        tally.scores += difference > TOLERANCE
        if answer["total"]["value"] != count or difference > TOLERANCE:
            examples.append(f"{query}: {answer['total']['value']} hits, not {count}; scores {difference:.6f} apart")
    return tallies, examples


def print_tallies(tallies):
    print(f"{'class':16} {'queries':>7} {'counts differ':>13} {'scores differ':>13} {'worst':>10}")
    for name, t in sorted(tallies.items()):
        print(f"{name:16} {t.queries:7} {t.counts:13} {t.scores:13} {t.worst:10.7f}")


def find_sections(value):
    """The object of section names and bytes, wherever the statistics have it."""
    if isinstance(value, dict):
        if "DOC_IDS" in value:
            return value
        for inner in value.values():
            found = find_sections(inner)
            if found:
                return found
    return None


def print_bytes(program, index):
    stats = json.loads(run(program, "stats", "-i", index, "--json"))
    sections = find_sections(stats) or {}
    print(f"index {stats.get('bytes', sum(sections.values())):,} bytes")
    for name, n in sections.items():
        print(f"  {name:12} {n:12,}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--index", help="folder of the index; built when it has none")
    parser.add_argument("--keep", action="store_true", help="leave the index")
    parser.add_argument("--program", default=os.environ.get("WIKISEARCH_BIN") or
                        os.path.join(ROOT, "build", "release", "bin", "wikisearch"))
    parser.add_argument("--memory", default="1G")
    options = parser.parse_args()
    if not os.path.exists(os.path.join(RACE, "en.truth.tsv")):
        print(f"skipped: no {RACE}")
        sys.exit(77)
    index = options.index or tempfile.mkdtemp(prefix="wikisearch-race-")
    try:
        if not os.path.exists(os.path.join(index, "MANIFEST")):
            build_index(options.program, index, options.memory)
        queries, truth = read_queries()
        tallies, examples = compare(queries, truth, ask(options.program, index, queries))
        print_tallies(tallies)
        for example in examples[:20]:
            print(example)
        print_bytes(options.program, index)
    finally:
        if not options.index and not options.keep:
            shutil.rmtree(index)
    failed = len(examples)
    print(f"{len(queries) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
