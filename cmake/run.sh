#!/bin/sh
# `make run`: packages, release build, sample index, daemon. Each part is timed apart.
# Environment: BUILD JOBS INDEX LISTEN
set -eu
cd "$(dirname "$0")/.."
: "${BUILD:=build/release}" "${JOBS:=$(nproc)}" "${INDEX:=build/run-index}" "${LISTEN:=127.0.0.1:8080}"

now() { date +%s; }
minutes() { awk "BEGIN {printf \"%.1f min\", ($2 - $1) / 60}"; }

t0=$(now)
cmake/install-packages.sh run
t1=$(now)
cmake --preset release >"$BUILD.log" 2>&1 || {
    cat "$BUILD.log"
    exit 1
}
cmake --build "$BUILD" -j "$JOBS"
t2=$(now)

# Built under another name and renamed, so that a half-built index is never served.
if [ ! -e "$INDEX" ]; then
    rm -rf "$INDEX.new"
    "$BUILD/bin/wikisearch" import -i "$INDEX.new" data/sample/*.jsonl.zst
    mv "$INDEX.new" "$INDEX"
    indexed="indexing $(minutes "$t2" "$(now)")"
else
    indexed="index $INDEX was there"
fi
echo
echo "packages $(minutes "$t0" "$t1"), build $(minutes "$t1" "$t2"), $indexed"
echo "http://$LISTEN/   (Ctrl-C ends it)"
exec "$BUILD/bin/wikisearchd" --index "$INDEX" --listen "$LISTEN"
