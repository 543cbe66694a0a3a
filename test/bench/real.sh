#!/usr/bin/env bash
# make bench-real: the same jobs simulated and on three real ranks, whose emulated PUs are 1 : 3 : 9 as fast.
# A table in Markdown goes to standard output and to FOLDER/real.md, and its numbers to FOLDER/real.csv: the
# median of the real runs, the shortest and the longest, simulated over real, and the mean idle time of the
# PUs. Usage: test/bench/real.sh FOLDER [RUNS [BALANCER...]]
#
# A PU of speed 9 needs 20 wall seconds for a CPU second, and sleeps most of them. So all ranks take a tenth
# of a core. In the case `slower` the fastest PU is four times slower from the middle of the run on. `short`
# is a tenth of the work. `one` is one machine, of the slowest and the fastest PU. The units of `unequal` cost
# 0.1 to 1.9 of the mean, which is told, and may move. Three runs of all take some two minutes.
. "$(dirname "$0")/../support/lib.sh"
set -o pipefail
folder=${1:?usage: test/bench/real.sh FOLDER [RUNS [BALANCER...]]} runs=${2:-3}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- greedy greedy+idle hdss hdss+sync acosta plb-hec plb-hac sure

pu() { # SPEED [LINE]
    printf '[pu p%s]\npower = %s\nrate = %s\nslowdown = %s\n%s\n' "$1" "$1" \
        "$(awk -v s="$1" 'BEGIN { printf "%.9g", s / 180 }')" $((180 / $1)) "${2:-}"
}
for case in steady slower; do
    for speed in 1 3 9; do
        printf '[node n%s]\npus = p%s\n' $speed $speed
        [ $case$speed = slower9 ] && pu 9 'slow = 0.5:4' || pu $speed
    done >"$tmp/$case.cluster"
done
cp "$tmp/steady.cluster" "$tmp/short.cluster"
cp "$tmp/steady.cluster" "$tmp/unequal.cluster"
{
    printf '[node n]\npus = p1, p9\n'
    pu 1
    pu 9
} >"$tmp/one.cluster"
# A unit lasts 1 ms on the fastest PU; all PUs together need a second.
conf=$tmp/timed.conf
printf '[app]\nkernel = %s\n[timed]\nunits = 1444\nwork = 5e-5\n' "$BUILD/test/kernels/timed.so" >"$conf"

run() { # COMMAND...: its makespan, and the mean idle time of its PUs in per cent
    "$@" --quiet --report "$tmp/r.json" 2>"$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
    awk 'function number() { sub(/.*: */, ""); sub(/,.*/, ""); return $0 + 0 }
         /^  "makespan_s"/ { makespan = number() }
         /"busy_s"/ { busy += number(); n++ }
         END { printf "%.9g %.4g\n", makespan, 100 * (1 - busy / n / makespan) }' "$tmp/r.json"
}
real() { # RANKS SETTINGS...: median, shortest and longest makespan, and the idle time of the median
    local ranks=$1
    shift
    for ((i = 0; i < runs; i++)); do
        run mpirun --oversubscribe --bind-to none -np "$ranks" "$PLBRUN" "$conf" "$@" || exit
    done | sort -g | awk '{ v[NR] = $1; idle[NR] = $2 }
                          END { m = int((NR + 1) / 2); print v[m], v[1], v[NR], idle[m] }'
}
row() { # BALANCER CASE
    local name=${1%+*} settings s r ranks=3
    settings=(balance.balancer="$name" balance.migration=off)
    [[ $1 != *+idle ]] || settings+=(balance.greedy.ahead=0)
    [[ $1 != *+sync ]] || settings+=(balance.hdss.sync=yes)
    [ "$2" != short ] || settings+=(timed.units=144)
    [ "$2" != unequal ] || settings+=(timed.ramp=0.9 balance.migration=on)
    [ "$2" != one ] || ranks=1
    s=$(run "$PLBRUN" --simulate "$tmp/$2.cluster" "$conf" "${settings[@]}") || exit
    r=$(real $ranks "${settings[@]}" cluster.file="$tmp/$2.cluster") || exit
    echo "$1 $2 $s $r" | tr ' ' , >>"$folder/real.csv"
    echo "$s $r" | awk -v head="| $1 | $2 |" '
        { printf "%s %.3f | %.3f | %.2f–%.2f | %.3f |", head, $1, $3, $4, $5, $1 / $3
          printf " %.1f | %.1f |\n", $2, $6 }'
}

echo "balancer,case,simulated_s,idle_simulated,real_s,shortest_s,longest_s,idle_real" >"$folder/real.csv"
{
    echo "| balancer | case | simulated, s | real, s | from–to | ratio | idle simulated, % | idle real, % |"
    echo "|---|---|---|---|---|---|---|---|"
    for balancer; do
        cases='steady short one'
        [[ $balancer != plb-* && $balancer != sure ]] || cases+=' slower'
        [[ $balancer != plb-hac && $balancer != sure ]] || cases+=' unequal'
        for case in $cases; do
            row "$balancer" "$case"
        done
    done
} | tee "$folder/real.md"
