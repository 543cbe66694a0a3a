#!/usr/bin/env bash
# make bench-costs: lines of unlike times on three hosts of the speeds 1 : 3 : 9, with one slot each, which
# sleeps stand for. Costs are given (--cost), given wrongly by a random factor of typically 2.7, or not. The
# time is that from the first start of a line to the last end, beside the least time that all slots together
# need for the sleeps; and the part of it in which a slot had no program.
# costs.sh [LINES [RUNS]]
set -u
lines=${1:-200} runs=${2:-3}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
# Columns: the cost, a wrong one, and the seconds on each host.
awk -v n="$lines" 'function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185 * rand()) }
    BEGIN {
    srand(1)
    for (i = 0; i < n; i++) {
        s = 0.1 + 3.9 * rand()
        printf "%.4f %.4f %.4f %.4f %.4f\n", s, s * exp(normal()), s, s / 3, s / 9
    }
}' >"$tmp/lines"
bound=$(awk '{ sum += $3 } END { print sum / 13 }' "$tmp/lines")

# shellcheck disable=SC2016 # the programs' own variables
nap='case $SPEED in 1) sleep {3};; 3) sleep {4};; *) sleep {5};; esac'
# span NAME OPTIONS...: runs all lines, and prints the time beside the bound.
span() {
    local all=("$PLBRUN" -j 1 -C ' ' --lines "$tmp/lines" --joblog "$tmp/log" --run "$nap" "${@:2}")
    rm -f "$tmp"/log*
    mpirun --oversubscribe --bind-to none -np 1 -x SPEED=1 "${all[@]}" : -np 1 -x SPEED=3 "${all[@]}" : \
        -np 1 -x SPEED=9 "${all[@]}" >/dev/null || exit
    tail -n +2 "$tmp/log" | awk -v name="$1" -v bound="$bound" '
        NR == 1 || $3 < first { first = $3 }
        $3 + $4 > last { last = $3 + $4 }
        { sum += $4 }
        END { printf "%-14s %6.2f s, bound %.2f s, ratio %.3f, idle %.3f\n", name, last - first, bound,
            (last - first) / bound, 1 - sum / 3 / (last - first) }'
}
for ((run = 0; run < runs; run++)); do
    span "given" --cost column:1
    span "given wrongly" --cost column:2
    span "unknown"
done
