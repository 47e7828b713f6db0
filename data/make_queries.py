#!/usr/bin/env python3
"""Draws the frozen query sets of data/queries/ by document frequency: data/queries/README.md says what the classes mean.

Columns: query, document frequency of each of its words in the shared corpus (of surface words, as data/queries/README.md explains), the same in data/sample/.
"""
import argparse
import io
import json
import os
import random
import re
import subprocess
import sys

SEED = 20261202
PER_CLASS = 200
DOCUMENTS = {"ko": 52651, "en": 67177}
CLASSES = {"high": (0.05, 1.0), "medium": (0.005, 0.02), "rare": (0.0, 0.001)}
ALWAYS = {"ko": ["대한민국", "역사", "일본"], "en": ["history", "university", "world"]}
WORD = {"ko": re.compile(r"[가-힣]{2,8}"), "en": re.compile(r"[a-z]{3,20}")}


def lines_of(path):
    process = subprocess.Popen(["zstd", "-dc", path], stdout=subprocess.PIPE)
    yield from io.TextIOWrapper(process.stdout, encoding="utf-8")
    if process.wait():
        sys.exit(f"cannot read {path}")


def frequencies(shared, language):
    table = {}
    for line in lines_of(os.path.join(shared, f"words/df-{language}.tsv.zst")):
        fields = line.rstrip("\n").split("\t")
        if len(fields) >= 2 and fields[1].isdigit() and WORD[language].fullmatch(fields[0]):
            table[fields[0]] = int(fields[1])
    return table


def sample_frequencies(here, language):
    table = {}
    for line in lines_of(os.path.join(here, f"sample/{language}.jsonl.zst")):
        article = json.loads(line)
        for word in set(re.findall(r"\w+", (article["title"] + " " + article["text"]).lower())):
            table[word] = table.get(word, 0) + 1
    return table


def in_class(table, language, name):
    low, high = (share * DOCUMENTS[language] for share in CLASSES[name])
    return sorted(w for w, df in table.items() if max(low, 3) <= df < high)


def write(path, rows, note):
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"# {note}; seed {SEED}\n")
        for row in rows:
            out.write("\t".join(str(column) for column in row) + "\n")
    print(f"{path}: {len(rows)} queries")


def single(table, sample, language, name, rng):
    words = in_class(table, language, name)
    if name == "high":
        # The commonest words of all come first in the class; users ask for the words below them too.
        fixed = ALWAYS[language]
        words = [w for w in words if w not in fixed]
        drawn = fixed + rng.sample(words, min(PER_CLASS - len(fixed), len(words)))
    else:
        drawn = rng.sample([w for w in words if sample.get(w, 0) > 0], PER_CLASS)
    return [(w, table[w], sample.get(w, 0)) for w in drawn]


def several(table, sample, language, rng):
    pools = {name: [w for w in in_class(table, language, name) if sample.get(w, 0) > 0] for name in CLASSES}
    shapes = [("high", "high"), ("high", "medium"), ("medium", "medium"), ("high", "rare"), ("high", "medium", "medium")]
    rows = []
    for i in range(PER_CLASS):
        words = [rng.choice(pools[name]) for name in shapes[i % len(shapes)]]
        rows.append((" ".join(words), ",".join(str(table[w]) for w in words), ",".join(str(sample[w]) for w in words)))
    return rows


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", default=os.environ.get("WIKISEARCH_SHARED_DATA", os.path.join(here, "../../shared/data")))
    shared = parser.parse_args().shared
    if not os.path.isdir(os.path.join(shared, "words")):
        sys.exit(f"no words in {shared}: nothing to draw from")
    for language in ("ko", "en"):
        rng = random.Random(SEED)
        table, sample = frequencies(shared, language), sample_frequencies(here, language)
        for name in CLASSES:
            write(os.path.join(here, f"queries/{language}-{name}.tsv"), single(table, sample, language, name, rng),
                  f"one {name} word: query, df, df in the sample")
        write(os.path.join(here, f"queries/{language}-multi.tsv"), several(table, sample, language, rng),
              "two or three words: query, df of each, df of each in the sample")


if __name__ == "__main__":
    main()
