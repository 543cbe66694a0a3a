#!/usr/bin/env bash
# make bench-real: the same jobs simulated and on three real ranks, whose emulated PUs are 1 : 3 : 9 as fast.
# A table in Markdown goes to standard output and to FOLDER/real.md: the median of the real runs, the shortest
# and the longest, simulated over real, and the mean idle time of the PUs. FOLDER/real.csv has these numbers
# and, of the median run, systems solved, training and the mean idle time in it in per cent of the time, the
# PUs' parts of the units in per cent, and when the fastest PU's block was right after a change. Usage:
# test/bench/real.sh FOLDER [RUNS [BALANCER...]]
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

# run COMMAND...: makespan, mean idle time of the PUs in per cent, systems solved, training and the mean idle
# time in it in per cent, and the PUs' parts of the units in per cent: three, 0 where there is no such PU.
run() {
    "$@" --quiet --report "$tmp/r.json" 2>"$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
    awk 'function number() { sub(/.*: */, ""); sub(/,.*/, ""); return $0 + 0 }
         /^  "makespan_s"/ { makespan = number() }
         /^  "solves"/ { solves = number() }
         /^  "profile_s"/ { training = number() }
         /^      "units"/ { units[++m] = number(); all += units[m] }
         /"busy_s"/ { busy += number(); n++ }
         /"training_s"/ { early += number() }
         END { printf "%.9g %.4g %d %.3g %.3g", makespan, 100 * (1 - busy / n / makespan), solves,
                      100 * training / makespan, 100 * early / n / makespan
               for (p = 1; p <= 3; p++) printf " %.4g", 100 * units[p] / all }' "$tmp/r.json"
}
# adapted: by the trace, seconds from the change until the fastest PU begins a block within 10 % of its part
# of a step by the new rates, which are 1 : 3 : 9 / 4, and how many others it began before; -1: it never does.
adapted() {
    awk '/"name":"task"/ {
             match($0, /"tid":[0-9]+/); pu = substr($0, RSTART + 6, RLENGTH - 6) + 0
             match($0, /"ts":[0-9.e+-]+/); at = substr($0, RSTART + 5, RLENGTH - 5) / 1e6
             match($0, /"count":[0-9]+/); count = substr($0, RSTART + 8, RLENGTH - 8) + 0
             match($0, /"block":[0-9]+/); b = substr($0, RSTART + 8, RLENGTH - 8)
             if (!(b in units)) { order[++n] = b; began[b] = at; owner[b] = pu }
             units[b] += count
         }
         END {
             for (i = 1; i <= n; i++) {
                 b = order[i]
                 if (began[b] < 0.5) last[owner[b]] = units[b]
             }
             right = (last[0] + last[1] + last[2]) * 2.25 / 6.25
             for (i = 1; i <= n; i++) {
                 b = order[i]
                 if (owner[b] != 2 || began[b] < 0.5) continue
                 if (units[b] > 0.9 * right && units[b] < 1.1 * right) {
                     printf " %.3f %d", began[b] - 0.5, others
                     exit
                 }
                 others++
             }
             printf " -1 %d", others
         }' "$tmp/t.json"
}
# real RANKS CASE SETTING...: the run with the median makespan; shortest and longest makespan; the largest
# difference of a PU's parts.
real() {
    local ranks=$1 case=$2 trace=()
    shift 2
    [ "$case" != slower ] || trace=(--trace "$tmp/t.json")
    for ((i = 0; i < runs; i++)); do
        run mpirun --oversubscribe --bind-to none -np "$ranks" "$PLBRUN" "$conf" "$@" "${trace[@]}" || exit
        [ "$case" != slower ] || adapted
        echo
    done | sort -g | awk '
        { v[NR] = $1
          line[NR] = $2 " " $3 " " $4 " " $5 " " $6 " " $7 " " $8
          later[NR] = " " $9 " " $10
          for (p = 6; p <= 8; p++) {
              if (NR == 1 || $p < low[p]) low[p] = $p
              if (NR == 1 || $p > high[p]) high[p] = $p
              if (high[p] - low[p] > differ) differ = high[p] - low[p]
          } }
        END { m = int((NR + 1) / 2)
              printf "%s %s %s %s %.3g%s\n", v[m], v[1], v[NR], line[m], differ, later[m] }'
}
row() { # BALANCER CASE
    local name=${1%+*} settings s r ranks=3
    settings=(balance.balancer="$name" balance.migration=off)
    [[ $1 != *+idle ]] || settings+=(balance.greedy.ahead=0)
    [[ $1 != *+sync ]] || settings+=(balance.hdss.sync=yes)
    [ "$2" != short ] || settings+=(timed.units=144)
    [ "$2" != unequal ] || settings+=(timed.ramp=0.9 balance.migration=on)
    [ "$2" != one ] || ranks=1
    s=$(run "$PLBRUN" --simulate "$tmp/$2.cluster" "$conf" "${settings[@]}" | cut -d' ' -f1,2) || exit
    r=$(real $ranks "$2" "${settings[@]}" cluster.file="$tmp/$2.cluster") || exit
    echo "$1 $2 $s $r" | tr ' ' , >>"$folder/real.csv"
    echo "$s $r" | awk -v head="| $1 | $2 |" '
        { printf "%s %.3f | %.3f | %.2f–%.2f | %.3f |", head, $1, $3, $4, $5, $1 / $3
          printf " %.1f | %.1f |\n", $2, $6 }'
}

head="balancer,case,simulated_s,idle_simulated,real_s,shortest_s,longest_s,idle_real,solves,training"
echo "$head,idle_training,part_1,part_2,part_3,parts_differ,adapted_s,other_blocks" >"$folder/real.csv"
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
