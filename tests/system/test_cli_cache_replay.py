#!/usr/bin/env python3
"""`wikisearch cache-replay`: hit ratios against an LRU written here, formats, mistakes."""
import collections
import gzip
import lzma
import random
import struct

from cli_support import SEED, Case, main, run


def trace(n=20000, ids=2000):
    rng = random.Random(SEED)
    return [int(rng.paretovariate(0.7)) % ids for _ in range(n)]


def lru_hits(requests, size):
    kept, hits = collections.OrderedDict(), 0
    for request in requests:
        if request in kept:
            hits += 1
            kept.move_to_end(request)
        else:
            kept[request] = True
            if len(kept) > size:
                kept.popitem(last=False)
    return hits


class Replay(Case):
    def replay(self, *args, **more):
        return self.run_ok("cache-replay", "--json", *args, **more).json_lines()

    def test_lru_is_exact_whatever_the_file_is(self):
        requests = trace()
        lines = "".join(f"{r}\n" for r in requests).encode()
        words = b"".join(struct.pack(">I", r) for r in requests)
        files = [self.write("a", lines), self.write("b.gz", gzip.compress(lines)), self.write("c", words),
                 self.write("d.xz", lzma.compress(words))]
        expected = [(s, lru_hits(requests, s)) for s in (10, 100, 1000)]
        for file in files:
            rows = self.replay("--policy", "lru", "--size", "10,100,1000", file)
            self.assertEqual([(r["size"], r["hits"]) for r in rows], expected, file)
            self.assertEqual({r["requests"] for r in rows}, {len(requests)})

    def test_the_cache_hits_more_than_lru_and_as_often_again(self):
        requests = trace()
        lines = "".join(f"{r}\n" for r in requests).encode()
        rows = self.replay("--size", "50,200", "-", stdin=lines)
        for row in rows:
            self.assertGreater(row["hits"], lru_hits(requests, row["size"]))
            self.assertAlmostEqual(row["hit_percent"], 100 * row["hits"] / len(requests), places=3)
        self.assertEqual(self.replay("--size", "50,200", "-", stdin=lines), rows)

    def test_everything_fits(self):
        requests = trace(5000, 300)
        file = self.write("t", "".join(f"{r}\n" for r in requests))
        for shards in (1, 4):
            row = self.replay("--size", "1000", "--shards", shards, file)[0]
            self.assertEqual(row["hits"], len(requests) - len(set(requests)))
        self.assertEqual(self.replay("--limit", 7, file)[0]["requests"], 7)

    def test_mistakes(self):
        file = self.write("t", "1\n2\nthree\n")
        for args, code in [((file,), 4), ((self.path("none"),), 3), (("--size", "0", file), 2),
                           (("--size", "1,x", file), 2), (("--format", "lisr", file), 2), ((), 2)]:
            result = run("cache-replay", *args)
            self.assertEqual(result.code, code, f"{args}: {result.err}")
            self.assertEqual(result.out, "")
            self.assertNotEqual(result.err, "")


if __name__ == "__main__":
    main()
