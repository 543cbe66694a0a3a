#!/usr/bin/env bash
# make bench-journal: a journal of 560 MB of results. The CPU time of its thread, and how much of that its
# checksums of the results take. Medians of ROUNDS runs of triad on one rank.
# PLBRUN and BUILD as in the tests.
. "$(dirname "$0")/../support/lib.sh"
rounds=${1:-5}
printf '[app]\nkernel = %s\n[triad]\nelements = 70000640\n[run]\njournal = %s\n' \
    "$BUILD/kernels/triad.so" "$tmp/triad.journal" >"$tmp/triad.conf"
# An emulated PU of a hundredth of the speed: the run lasts for many of the journal's half seconds.
lines "$tmp/slow.cluster" '[node a]' 'pus = p' '[pu p]' 'slowdown = 100'
median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
for _ in $(seq "$rounds"); do
    rm -f "$tmp"/triad.journal*
    ranks 1 --log debug "$tmp/triad.conf" cluster.file="$tmp/slow.cluster" || exit
    sed -n 's/.*its thread took \([0-9.]*\) s of CPU time, of which checksums took \([0-9.]*\) s.*/\1 \2/p' \
        "$tmp/out"
done >"$tmp/all"
awk 'END { exit NR == 0 }' "$tmp/all" || exit
for column in 1 2; do awk -v c=$column '{ print $c }' "$tmp/all" | median; done | paste -s -d ' ' | awk '{
    printf "a journal of 560 MB takes %.3f s of CPU time, and its checksums %.3f s of them\n", $1, $2
    printf "that is %.3f s and %.3f s for 1,000 MB\n", $1 / 0.56, $2 / 0.56
}'
