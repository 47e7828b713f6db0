#!/bin/sh
# usage: run_libfuzzer.sh DIR SECONDS     every fuzz target in DIR, from its seeds, for SECONDS
set -u
dir=$(cd "$1" && pwd)
seconds=$2
corpora=$(cd "$(dirname "$0")" && pwd)/corpus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
for target in "$dir"/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=${target##*/fuzz_}
    mkdir -p "$work/$name"
    # New inputs go to the first folder, so that the seeds in the tree stay as they are.
    if "$target" -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="$dir/$name-" \
        "$work/$name" "$corpora/$name" >"$work/log" 2>&1; then
        passed=$((passed + 1))
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log") inputs"
    else
        failed=$((failed + 1))
        tail -60 "$work/log"
        echo "$name FAILED; its input is in $dir"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
