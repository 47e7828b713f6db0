#!/usr/bin/env python3
"""How well the ranking agrees with people: judged sets in Korean and English, printed beside published rivals.

The sets lie in ir/ and corpus/ of the shared data and are not part of the project: without them the script says so and exits 77. `--self-test` checks the
measures on hand-made rankings.

Measures: MRR@10 for question sets (one answer each); MAP over the first 1,000 and nDCG@10 (linear gains, as trec_eval) for the others. The small sets are indexed as
one field of title and text, the Wikipedia articles by the default schema.
"""
import argparse
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

# Lucene 10 with EnglishAnalyzer or Nori, and the same analysis as ours elsewhere: what they reach on these sets.
RIVALS = {
    "korquad": "Nori .9437 (MRR@10), particle stripping + raw bigrams x 0.5: .9453",
    "cranfield": "EnglishAnalyzer .3862 / .4942 (k1 .9, b .4), .4113 / .5212 (1.2, .75)",
    "npl": "EnglishAnalyzer .2857 / .4368 (k1 .9, b .4), .2855 / .4326 (1.2, .75)",
    "cisi": "EnglishAnalyzer .2045 / .3644 (k1 .9, b .4), .2183 / .3845 (1.2, .75)",
    "xquad": "EnglishAnalyzer .9554 (MRR@10)",
    "miracl-dev": "Nori .567, particle stripping + raw bigrams x 0.5: .579 (nDCG@10)",
    "miracl-train": "Nori .618, particle stripping + raw bigrams x 0.5: .638 (nDCG@10)",
    "mrtydi-dev": "Nori .551, particle stripping + raw bigrams x 0.5: .607 (nDCG@10)",
    "mrtydi-test": "Nori .674, particle stripping + raw bigrams x 0.5: .710 (nDCG@10)",
}
ARTICLES = {name: name for name in ("miracl-dev", "miracl-train", "mrtydi-dev", "mrtydi-test")}


def schema_of(k1, b, two_fields):
    fields = [{"name": "body", "from": "text", "type": "text"}]
    if two_fields:
        fields.insert(0, {"name": "title", "type": "text", "boost": two_fields})
    return {"id": "id", "bm25": {"k1": k1, "b": b}, "fields": fields}


# --- measures ---

def reciprocal_rank(ranking, relevant, depth=10):
    return next((1 / rank for rank, doc in enumerate(ranking[:depth], 1) if relevant.get(doc, 0) > 0), 0.0)


def average_precision(ranking, relevant):
    found, total = 0, 0.0
    for rank, doc in enumerate(ranking[:1000], 1):
        if relevant.get(doc, 0) > 0:
            found += 1
            total += found / rank
    wanted = sum(1 for grade in relevant.values() if grade > 0)
    return total / wanted if wanted else 0.0


def ndcg(ranking, relevant, depth=10):
    gain = sum(max(relevant.get(doc, 0), 0) / math.log2(rank + 1) for rank, doc in enumerate(ranking[:depth], 1))
    best = sorted((g for g in relevant.values() if g > 0), reverse=True)[:depth]
    ideal = sum(g / math.log2(rank + 1) for rank, g in enumerate(best, 1))
    return gain / ideal if ideal else 0.0


def self_test():
    relevant = {"a": 1, "b": 2, "c": 0}
    assert reciprocal_rank(["c", "x", "b"], relevant) == 1 / 3
    assert reciprocal_rank(["x"] * 10 + ["a"], relevant) == 0
    assert average_precision(["a", "x", "b"], relevant) == (1 + 2 / 3) / 2
    assert average_precision([], relevant) == 0
    ideal = 2 + 1 / math.log2(3)
    assert abs(ndcg(["b", "a"], relevant) - 1) < 1e-12
    assert abs(ndcg(["a", "b"], relevant) - (1 + 2 / math.log2(3)) / ideal) < 1e-12
    assert ndcg(["x"], {}) == 0
    print("7 passed, 0 failed")


# --- data ---

def lines_of(path, *flags):
    process = subprocess.Popen(["zstd", "-dc", *flags, path], stdout=subprocess.PIPE)
    yield from io.TextIOWrapper(process.stdout, encoding="utf-8")
    if process.wait():
        sys.exit(f"cannot read {path}")


def read_topics(folder):
    queries, relevant = {}, {}
    for line in open(os.path.join(folder, "queries.tsv"), encoding="utf-8"):
        number, text = line.rstrip("\n").split("\t", 1)
        queries[number] = text
    for line in open(os.path.join(folder, "qrels.txt"), encoding="utf-8"):
        number, _, doc, grade = line.split()
        relevant.setdefault(number, {})[doc] = int(grade)
    return {n: q for n, q in queries.items() if any(g > 0 for g in relevant.get(n, {}).values())}, relevant


def korquad(shared):
    data = json.loads("".join(lines_of(os.path.join(shared, "ir/ko-korquad/KorQuAD_v1.0_dev.json.zst"))))
    ids, queries, relevant = {}, {}, {}
    for article in data["data"]:
        for paragraph in article["paragraphs"]:
            doc = ids.setdefault(paragraph["context"], str(len(ids) + 1))
            for question in paragraph["qas"]:
                queries[question["id"]] = question["question"]
                relevant[question["id"]] = {doc: 1}
    return [{"id": doc, "text": text} for text, doc in ids.items()], queries, relevant


def small_set(shared, name):
    folder = os.path.join(shared, "ir", "en-" + name)
    documents = []
    for line in lines_of(os.path.join(folder, "corpus.jsonl.zst")):
        d = json.loads(line)
        title = d.get("title") or ""
        text = d["text"] if title and d["text"].startswith(title) else f"{title}\n{d['text']}"
        documents.append({"id": str(d["id"]), "text": text})
    return documents, *read_topics(folder)


def articles(shared):
    for part in (1, 2):
        for line in lines_of(os.path.join(shared, f"corpus/ko-wiki-{part}.jsonl.zst"), "--long=27"):
            d = json.loads(line)
            yield {"id": str(d["id"]), "title": d["title"], "text": d["text"]}


# --- running ---

def build(program, directory, documents, schema):
    source, schema_file, index = (os.path.join(directory, n) for n in ("documents.jsonl", "schema.json", "index"))
    with open(source, "w", encoding="utf-8") as out:
        for d in documents:
            out.write(json.dumps(d, ensure_ascii=False) + "\n")
    with open(schema_file, "w", encoding="utf-8") as out:
        json.dump(schema, out)
    subprocess.run([program, "import", "-i", index, "--schema", schema_file, "-q", source], check=True, stdout=subprocess.DEVNULL)
    return index


def plain(question):
    """A question is a bag of words: no phrases, no minus."""
    return " ".join(word.lstrip("-") for word in question.replace('"', " ").split())


def rank(program, index, queries, depth):
    lines = "".join(plain(q) + "\tor\n" for q in queries.values())
    done = subprocess.run([program, "search", "-i", index, "--json", "-n", str(depth), "--total", "none", "--batch", "-"], input=lines,
                          text=True, stdout=subprocess.PIPE, check=True)
    return {n: [hit["id"] for hit in json.loads(line)["hits"]] for n, line in zip(queries, done.stdout.splitlines())}


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def report(name, rankings, relevant, kind):
    if kind == "questions":
        text = f"MRR@10 {mean(reciprocal_rank(r, relevant[n]) for n, r in rankings.items()):.4f}"
    elif kind == "articles":
        text = f"nDCG@10 {mean(ndcg(r, relevant[n]) for n, r in rankings.items()):.4f}"
    else:
        text = (f"MAP {mean(average_precision(r, relevant[n]) for n, r in rankings.items()):.4f} / "
                f"nDCG@10 {mean(ndcg(r, relevant[n]) for n, r in rankings.items()):.4f}")
    print(f"{name:14} {len(rankings):5} queries  {text:34}  beside {RIVALS[name]}", flush=True)


def run_small(options, shared, name):
    documents, queries, relevant = korquad(shared) if name == "korquad" else small_set(shared, name)
    questions = name in ("korquad", "xquad")
    directory = tempfile.mkdtemp(prefix="wikisearch-relevance-")
    try:
        index = build(options.bin, directory, documents, schema_of(options.k1, options.b, 0))
        report(name, rank(options.bin, index, queries, 10 if questions else 1000), relevant, "questions" if questions else "ranked")
    finally:
        shutil.rmtree(directory)


def run_articles(options, shared, names):
    directory = tempfile.mkdtemp(prefix="wikisearch-relevance-")
    try:
        index = build(options.bin, directory, articles(shared), schema_of(options.k1, options.b, options.title))
        for name in names:
            queries, relevant = read_topics(os.path.join(shared, "ir", "ko-" + name))
            report(name, rank(options.bin, index, queries, 10), relevant, "articles")
    finally:
        shutil.rmtree(directory)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.environ.get("WIKISEARCH_BIN", "wikisearch"))
    parser.add_argument("--set", default="korquad,cranfield,npl,cisi,xquad", help="comma-separated: " + ", ".join(RIVALS))
    parser.add_argument("--k1", type=float, default=0.9)
    parser.add_argument("--b", type=float, default=0.4)
    parser.add_argument("--title", type=float, default=0.75, help="boost of the title of articles; 0 = no title field")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    shared = os.environ.get("WIKISEARCH_SHARED_DATA", os.path.join(here, "../../../shared/data"))
    if not os.path.isdir(os.path.join(shared, "ir")):
        print(f"skipped: no judged sets in {shared}/ir")
        sys.exit(77)
    names = options.set.split(",")
    for name in names:
        if name not in ARTICLES:
            run_small(options, shared, name)
    if any(name in ARTICLES for name in names):
        run_articles(options, shared, [name for name in names if name in ARTICLES])


if __name__ == "__main__":
    main()
