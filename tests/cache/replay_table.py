#!/usr/bin/env python3
"""Replays the public traces through the cache and compares with measured policies, cell by cell.

usage: replay_table.py PROGRAM TRACES TABLE [--policy lazy|lru] [--runs 3] [--column NAME] [--floor MEAN]
  PROGRAM  the wikisearch program (a release build)
  TRACES   folder with the trace files
  TABLE    text with the table of reference hit ratios: rows |trace|size|column|...|
  --runs   seeds per cell; the median counts
  --column the reference column (default Caffeine; LRU is exact and must be met exactly by --policy lru)
  --floor  exit 1 when our mean over the cells is below

Cells whose trace is not there are named and left out. Exit 77 when there is no trace at all.
"""
import argparse
import concurrent.futures
import json
import os
import re
import statistics
import subprocess
import sys

FILES = {"arc_OLTP": "arc-OLTP", "arc_P3": "arc-P3", "cp_w106": "cloudphysics-w106", "corda_vs": "corda-vaultservice",
         "scarab_recs_otter": "scarab-recs", "adaptsize_req_unw": "adapt_size-request",
         "lcs_cloudPhysicsIO": "cloudPhysicsIO"}
PREFIXES = {"lirs_": "lirs-", "c2k_": "cache2k-", "addr_": "address-"}
NOT_PUBLIC_TRACES = re.compile("syn_|wikiengine_")


def trace_file(folder, name):
    stem = FILES.get(name)
    for prefix, real in PREFIXES.items():
        if name.startswith(prefix):
            stem = real + name[len(prefix):]
    found = [f for f in sorted(os.listdir(folder)) if stem and re.match(re.escape(stem) + r"(\.|$)", f)]
    return os.path.join(folder, found[0]) if found else None


def read_table(path):
    """[(trace, size, {column: hit percent})]"""
    cells, columns = [], None
    with open(path, encoding="utf-8") as file:
        for line in file:
            fields = [f.strip() for f in line.strip().strip("|").split("|")]
            if fields[:2] == ["trace", "C"]:
                columns = fields[2:]
            elif columns and len(fields) == len(columns) + 2 and fields[1].isdigit():
                values = dict(zip(columns, map(float, fields[2:])))
                if not NOT_PUBLIC_TRACES.match(fields[0]):
                    cells.append((fields[0], int(fields[1]), values))
    return cells


def replay(program, path, sizes, policy, seed):
    command = [program, "cache-replay", "--json", "--quiet", "--policy", policy, "--seed", str(seed),
               "--size", ",".join(map(str, sizes)), path]
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
    return {row["size"]: row["hit_percent"] for row in map(json.loads, out.splitlines())}


def measure(args, cells):
    """{(trace, size): median hit percent}, [traces that are not there]"""
    by_trace, missing, results = {}, [], {}
    for name, size, _ in cells:
        by_trace.setdefault(name, []).append(size)
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, sizes in by_trace.items():
            path = trace_file(args.traces, name)
            if not path:
                missing.append(name)
                continue
            for seed in range(1, args.runs + 1):
                jobs[name, seed] = pool.submit(replay, args.program, path, sizes, args.policy, seed)
    for name, sizes in by_trace.items():
        for size in sizes:
            runs = [jobs[name, seed].result()[size] for seed in range(1, args.runs + 1) if (name, seed) in jobs]
            if runs:
                results[name, size] = statistics.median(runs)
    return results, missing


def report(cells, results, column, missing):
    won = lost = 0
    ours, theirs = [], []
    print(f"{'trace':20} {'size':>7} {'ours':>7} {column:>9} {'diff':>7}")
    for name, size, values in cells:
        if (name, size) not in results:
            continue
        hit, reference = results[name, size], values[column]
        ours.append(hit)
        theirs.append(reference)
        won += hit > reference + 0.5
        lost += hit < reference - 0.5
        print(f"{name:20} {size:7} {hit:7.2f} {reference:9.2f} {hit - reference:+7.2f}")
    mean = statistics.mean(ours)
    print(f"cells {len(ours)} of {len(cells)}: ours {mean:.2f}, {column} {statistics.mean(theirs):.2f}; "
          f"won {won}, lost {lost} by more than 0.5 points")
    non_lirs = [h for (n, s), h in results.items() if not n.startswith("lirs_")]
    print(f"without the LIRS suite: {len(non_lirs)} cells, ours {statistics.mean(non_lirs):.2f}")
    if missing:
        print("not there: " + ", ".join(missing))
    return mean


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("traces")
    parser.add_argument("table")
    parser.add_argument("--policy", default="lazy")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--column", default="Caffeine")
    parser.add_argument("--floor", type=float, default=0)
    args = parser.parse_args()
    if not os.path.isdir(args.traces) or not os.path.exists(args.table):
        print(f"skipped: no traces in {args.traces} or no table {args.table}")
        sys.exit(77)
    cells = read_table(args.table)
    results, missing = measure(args, cells)
    if not results:
        print(f"skipped: none of the traces of {args.table} is in {args.traces}")
        sys.exit(77)
    if report(cells, results, args.column, missing) < args.floor:
        print(f"FAILED: the mean is below {args.floor}")
        sys.exit(1)


if __name__ == "__main__":
    main()
