#!/usr/bin/env bash
# make bench-serve: a server for each slot beside a program for each line. The program loads for a second and
# takes 5 ms for a line. The ideal is a load, and the time of all lines over the slots.
# serve.sh [LINES [RUNS]]
set -u
lines=${1:-500} runs=${2:-3} few=$((${1:-500} / 25))
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cores=$(nproc)
cat >"$tmp/model.py" <<'P'
import sys, time
time.sleep(1)
for line in sys.stdin if len(sys.argv) < 2 else sys.argv[1:]:
    time.sleep(0.005)
    print(int(line) ** 2, flush=True)
P

# seconds COMMAND...: how long it takes.
seconds() {
    local begin=$EPOCHREALTIME
    "$@" >/dev/null 2>&1
    awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f\n", b - a }'
}
alone() { seq "$1" | python3 "$tmp/model.py"; }
served() { "$PLBRUN" --serve "python3 $tmp/model.py" --range "1-$lines"; }
started() { "$PLBRUN" --run "python3 $tmp/model.py {}" --range "1-$few"; }

for ((run = 0; run < runs; run++)); do
    load=$(seconds alone 1)
    all=$(seconds alone "$lines")
    with=$(seconds served)
    without=$(seconds started)
    awk -v n="$lines" -v few="$few" -v c="$cores" -v l="$load" -v a="$all" -v w="$with" -v o="$without" '
        BEGIN {
        ideal = l + (a - l) / c
        printf "--serve %.2f s for %d lines, ideal %.2f s, ratio %.2f; --run %.2f s for %d lines\n", \
            w, n, ideal, w / ideal, o, few }'
done
