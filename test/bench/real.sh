#!/usr/bin/env bash
# make bench-real: the same jobs simulated and on three real ranks, whose emulated PUs are 1 : 3 : 9 as fast.
# A table in Markdown goes to standard output and to FOLDER/real.md: the median of the real runs, the shortest
# and the longest, and simulated over real. Usage: test/bench/real.sh FOLDER [RUNS [BALANCER...]]
#
# A PU of speed 9 needs 20 wall seconds for a CPU second, and sleeps most of them. So all ranks take a tenth
# of a core. In the case `slower` the fastest PU is four times slower from the middle of the run on.
. "$(dirname "$0")/../support/lib.sh"
set -o pipefail
folder=${1:?usage: test/bench/real.sh FOLDER [RUNS [BALANCER...]]} runs=${2:-3}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- greedy gss factoring plb-hac sure

for case in steady slower; do
    for speed in 1 3 9; do
        rate=$(awk -v s=$speed 'BEGIN { printf "%.9g", s / 180 }')
        printf '[node n%s]\npus = p%s\n[pu p%s]\n' $speed $speed $speed
        printf 'power = %s\nrate = %s\nslowdown = %s\n' $speed "$rate" $((180 / speed))
        [ $case$speed != slower9 ] || echo 'slow = 0.75:4'
    done >"$tmp/$case.cluster"
done
number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -n 1; }
# A unit lasts 1 ms on the fastest PU; all PUs together need one and a half seconds.
conf=$tmp/timed.conf
printf '[app]\nkernel = %s\n[timed]\nunits = 2167\nwork = 5e-5\n' "$BUILD/test/kernels/timed.so" >"$conf"

run() { # COMMAND...: its makespan
    "$@" --quiet --report "$tmp/r.json" 2>"$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
    number makespan_s
}
real() { # SETTINGS...: median, shortest and longest
    for ((i = 0; i < runs; i++)); do
        run mpirun --oversubscribe --bind-to none -np 3 "$PLBRUN" "$conf" "$@" || exit
    done | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)], v[1], v[NR] }'
}
row() { # BALANCER UNITS RAMP MIGRATION CASE
    local settings=(balance.balancer="$1" timed.ramp="$3" balance.migration="$4") s r
    s=$(run "$PLBRUN" --simulate "$tmp/$5.cluster" "$conf" "${settings[@]}") || exit
    r=$(real "${settings[@]}" cluster.file="$tmp/$5.cluster") || exit
    echo "$s $r" | awk -v head="| $1 | $2 | $4 | $5 |" \
        '{ printf "%s %.3f | %.3f | %.2f–%.2f | %.3f |\n", head, $1, $2, $3, $4, $1 / $2 }'
}

{
    echo "| balancer | units | migration | PUs | simulated, s | real, s | from–to | ratio |"
    echo "|---|---|---|---|---|---|---|---|"
    for balancer; do
        for migration in off on; do
            row "$balancer" equal 0 $migration steady
            row "$balancer" unequal 0.9 $migration steady
            row "$balancer" equal 0 $migration slower
        done
    done
} | tee "$folder/real.md"
