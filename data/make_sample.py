#!/usr/bin/env python3
"""Cuts the bilingual sample of data/sample/ out of the shared Wikipedia corpora.

1,500 articles of each language are those whose titles are asked for most (weights of the autocomplete list), the rest a random draw, so
that lengths and words are those of the encyclopedia. Stubs below 100 characters are left out. The cut depends on nothing but its input.
"""
import argparse
import io
import json
import os
import random
import subprocess
import sys

PER_LANGUAGE = 5000
LEAST_CHARACTERS = 100
FAMOUS = 1500
MOST_CHARACTERS = 60000  # a few very long articles would be half of the sample
SEED = 20261201


def lines_of(path):
    process = subprocess.Popen(["zstd", "-dc", "--long=27", path], stdout=subprocess.PIPE)
    yield from io.TextIOWrapper(process.stdout, encoding="utf-8")
    if process.wait():
        sys.exit(f"cannot read {path}")


def weights(shared, language):
    result = {}
    for line in lines_of(os.path.join(shared, "queries/titles-weighted.tsv.zst")):
        title, lang, weight = line.rstrip("\n").split("\t")
        if lang == language:
            result[title] = max(int(weight), result.get(title, 0))
    return result


def candidates(shared, language):
    for part in (1, 2):
        for line in lines_of(os.path.join(shared, f"corpus/{language}-wiki-{part}.jsonl.zst")):
            article = json.loads(line)
            if LEAST_CHARACTERS <= len(article["text"]) <= MOST_CHARACTERS:
                yield article


def choose(shared, language):
    articles = list(candidates(shared, language))
    weight = weights(shared, language)
    articles.sort(key=lambda a: (-weight.get(a["title"], 0), a["id"]))
    famous, rest = articles[:FAMOUS], articles[FAMOUS:]
    rest.sort(key=lambda a: a["id"])
    chosen = famous + random.Random(SEED).sample(rest, PER_LANGUAGE - len(famous))
    return sorted(chosen, key=lambda a: a["id"])


def write(articles, path):
    text = "".join(json.dumps(a, ensure_ascii=False, separators=(",", ":")) + "\n" for a in articles)
    subprocess.run(["zstd", "-19", "-q", "-f", "-o", path], input=text.encode(), check=True)
    print(f"{path}: {len(articles)} articles, {len(text.encode())} bytes, {os.path.getsize(path)} compressed")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", default=os.environ.get("WIKISEARCH_SHARED_DATA", os.path.join(here, "../../shared/data")))
    shared = parser.parse_args().shared
    if not os.path.isdir(os.path.join(shared, "corpus")):
        sys.exit(f"no corpus in {shared}: nothing to cut")
    for language in ("ko", "en"):
        write(choose(shared, language), os.path.join(here, f"sample/{language}.jsonl.zst"))


if __name__ == "__main__":
    main()
