#!/usr/bin/env bash
# make bench-ideal: how near the ideal jobs of equal units end on three real ranks, whose emulated PUs are
# 1 : 3 : 9 as fast and of which balancers are told nothing, and how near in the simulator. The ideal is all
# work over all speeds: 3 s. A table in Markdown. Usage: test/bench/ideal.sh FOLDER [RUNS [BALANCER...]]
#
# A PU of speed 9 needs 20 wall seconds for a CPU second, so a host that takes the cores away for a moment
# makes the PU slow for twenty. Runs in which it took more than 1 % (steal in /proc/stat) are done again, at
# most three times as often; the last column says how many of all were left.
. "$(dirname "$0")/../support/lib.sh"
set -o pipefail
folder=${1:?usage: test/bench/ideal.sh FOLDER [RUNS [BALANCER...]]} runs=${2:-5}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- greedy gss factoring awf sure plb-hac

units=4333 work=5e-5
for speed in 1 3 9; do
    rate=$(awk -v s=$speed 'BEGIN { printf "%.9g", s / 180 }')
    printf '[node n%s]\npus = p%s\n[pu p%s]\nrate = %s\nslowdown = %s\n' \
        $speed $speed $speed "$rate" $((180 / speed))
done >"$tmp/unlike.cluster"
conf=$tmp/timed.conf
printf '[app]\nkernel = %s\n[timed]\nunits = %s\nwork = %s\n' \
    "$BUILD/test/kernels/timed.so" $units $work >"$conf"

number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -n 1; }
ticks() { awk '/^cpu / { print $9, $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 }' /proc/stat; }
run() { # COMMAND...: its makespan over the ideal
    "$@" --quiet --report "$tmp/r.json" 2>"$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
    awk -v s="$(number makespan_s)" -v u=$units -v w=$work 'BEGIN { print s / (u * w * 180 / 13) }'
}
real() { # SETTINGS...: median, shortest and longest of the undisturbed runs, how many, and of how many
    local good=0 before after ratio
    for ((i = 0; i < 3 * runs && good < runs; i++)); do
        before=$(ticks)
        ratio=$(run mpirun --oversubscribe --bind-to none -np 3 "$PLBRUN" "$conf" "$@") || exit
        after=$(ticks)
        if awk -v b="$before" -v a="$after" \
            'BEGIN { split(b, x); split(a, y); exit y[1] - x[1] > 0.01 * (y[2] - x[2]) }'; then
            echo "$ratio"
            good=$((good + 1))
        fi
        echo "$((i + 1))" >"$tmp/tries"
    done | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] + 0, v[1] + 0, v[NR] + 0, NR }'
}

{
    echo "| balancer | simulated | real, median | from–to | runs |"
    echo "|---|---|---|---|---|"
    for balancer; do
        s=$(run "$PLBRUN" --simulate "$tmp/unlike.cluster" "$conf" balance.balancer="$balancer") || exit
        r=$(real balance.balancer="$balancer" cluster.file="$tmp/unlike.cluster") || exit
        echo "$s $r $(cat "$tmp/tries")" | awk -v b="$balancer" \
            '{ real = $5 > 0 ? sprintf("%.4f | %.4f–%.4f", $2, $3, $4) : "disturbed |"
               printf "| %s | %.4f | %s | %d of %d |\n", b, $1, real, $5, $6 }'
    done
} | tee "$folder/ideal.md"
