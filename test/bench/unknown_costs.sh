#!/usr/bin/env bash
# make bench-unknown-costs: three jobs of unequal units, whose costs balancers do not know, on 1 to 3 real
# ranks that share this machine's cores. A table in Markdown goes to standard output and to
# FOLDER/unknown-costs.md: the median makespan of the best balancer, and the ratios of all to it.
# Usage: test/bench/unknown_costs.sh FOLDER [RUNS [BALANCER...]].
# JOBS="sleeps sweep", RANKS="1 3": these alone.
. "$(dirname "$0")/../support/lib.sh"
set -o pipefail
folder=${1:?usage: test/bench/unknown_costs.sh FOLDER [RUNS [BALANCER...]]} runs=${2:-5}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- $("$PLBRUN" --balancer help | awk '/^[^ ]/ && !/--simulate/ {print $1}')
kernels=$BUILD/test/kernels

# Each takes about a second on two cores.
lines "$tmp/mandelbrot.conf" '[app]' "kernel = $kernels/mandelbrot.so" '[mandelbrot]' 'rows = 1000' \
    'columns = 800' 'iterations = 2000'
lines "$tmp/sleeps.conf" '[app]' "kernel = $kernels/sweep.so" '[sweep]' 'units = 40' 'law = long' \
    'seconds = 0.02' 'times = 40' 'sleep = yes'
lines "$tmp/sweep.conf" '[app]' "kernel = $kernels/sweep.so" '[sweep]' 'units = 1000' 'seconds = 5e-4'

makespan() { # RANKS JOB BALANCER: of one run
    mpirun --oversubscribe --bind-to none -np "$1" "$PLBRUN" "$tmp/$2.conf" --balancer "$3" --quiet \
        --report "$tmp/r.json" 2>"$tmp/err" || { cat "$tmp/err" >&2; exit 1; }
    sed -n 's/^ *"makespan_s": *\([0-9.e+-]*\),*$/\1/p' "$tmp/r.json"
}

# Balancers take turns, so that a slow minute of the machine meets all of them.
for job in ${JOBS:-mandelbrot sleeps sweep}; do
    for ranks in ${RANKS:-1 2 3}; do
        for ((i = 0; i < runs; i++)); do
            for balancer; do
                seconds=$(makespan "$ranks" "$job" "$balancer") || exit
                echo "$job $ranks $balancer $seconds"
            done
        done
    done
done >"$tmp/times"

sort -k1,3 -k4,4g "$tmp/times" | awk '
    { key = $1 " " $2 " " $3; if (key != last) n = 0; last = key; v[key, ++n] = $4; count[key] = n
      if (!(($1, $2) in seen)) { seen[$1, $2] = 1; cells[++m] = $1 " " $2 }
      if (!($3 in known)) { known[$3] = 1; names[++b] = $3 } }
    END {
        head = "| job | ranks | best, s |"; rule = "|---|---|---|"
        for (i = 1; i <= b; i++) { head = head " " names[i] " |"; rule = rule "---|" }
        print head; print rule
        for (c = 1; c <= m; c++) {
            best = 1e300
            for (i = 1; i <= b; i++) {
                key = cells[c] " " names[i]; median[i] = v[key, int((count[key] + 1) / 2)]
                if (median[i] < best) best = median[i]
            }
            split(cells[c], part, " ")
            printf "| %s | %s | %.3f |", part[1], part[2], best
            for (i = 1; i <= b; i++) printf " %.3f |", median[i] / best
            print ""
        }
    }' | tee "$folder/unknown-costs.md"
