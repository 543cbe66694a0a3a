#!/usr/bin/env bash
# Figures 2 to 4 of Stafford and others (2017) on real processes: the paper's three machines, whose CPU and
# GPU are emulated, each with the speeds and watts of one benchmark. Shares are static, or plbrun chooses them
# for an objective. FOLDER/watts.csv gets the median of RUNS, with the least and the most, what equations 1
# and 2 say of the share, and the least that they permit for the objective. The watts are those of the
# .cluster files, and the times are real. Takes about a minute. Usage: test/bench/watts.sh FOLDER [RUNS]
. "$(dirname "$0")/../support/lib.sh"
set -o pipefail
folder=${1:?usage: test/bench/watts.sh FOLDER [RUNS]} runs=${2:-3}
conf=$tmp/timed.conf
# The CPU alone needs 0.3 s: 60 times what this machine's core does.
printf '[app]\nkernel = %s\n[timed]\nunits = 1000\nwork = 5e-6\n' "$BUILD/test/kernels/timed.so" >"$conf"

# machine NAME SHARE: its .cluster file, with powers that give the CPU this share.
machine() {
    awk -v share="$2" '
        /^\[pu cpu\]/ { cpu = 1 }
        /^\[pu gpu\]/ { cpu = 0 }
        /^rate/ {
            printf "slowdown = %.9g\npower = %.9g\n", 60 / ($3 / 1e9), cpu ? share + 1e-12 : 1 - share + 1e-12
            next
        }
        { print }' "$root/examples/energy/$1.cluster" >"$tmp/machine.cluster"
}
# beside NAME WHAT SHARE,...: the line of a run, with what the equations say.
beside() {
    awk -v name="$1" -v what="$2" -v line="$3" '
        /^\[pu cpu\]/ { p = 1 }
        /^\[pu gpu\]/ { p = 2 }
        /^rate/ { speed[p] = $3 / 1e9 }
        /^static_watts/ { fixed += $3 }
        /^dynamic_watts/ { dynamic[p] = $3 }
        function both(share) { # of 0.3 s for the CPU alone
            c = share * 0.3
            g = (1 - share) * 0.3 * speed[1] / speed[2]
            seconds = c > g ? c : g
            joules = fixed * seconds + dynamic[1] * c + dynamic[2] * g
            return what == "energy" ? joules : what == "edp" ? joules * seconds : seconds
        }
        END {
            best = both(0)
            if (both(1) < best) best = both(1)
            if (both(speed[1] / (speed[1] + speed[2])) < best) best = both(speed[1] / (speed[1] + speed[2]))
            split(line, column, ",")
            both(column[1])
            printf "%s,%s,%s,%.6g,%.6g,%.6g\n", name, what, line, seconds, joules, best
        }' "$root/examples/energy/$1.cluster"
}
run() { # SETTING...: the median run by its time: seconds and joules, each with the least and the most
    for ((i = 0; i < runs; i++)); do
        mpirun --oversubscribe --bind-to none -np 1 "$PLBRUN" --quiet "$conf" \
            cluster.file="$tmp/machine.cluster" balance.migration=off "$@" --report "$tmp/r.json" || exit
        awk 'function number() { sub(/.*: */, ""); sub(/,.*/, ""); return $0 + 0 }
             /^  "makespan_s"/ { seconds = number() }
             /^  "energy_j"/ { joules = number() }
             /^      "units"/ { units[++n] = number() }
             END { printf "%.6g %.6g %d\n", seconds, joules, units[1] }' "$tmp/r.json"
    done | sort -g | awk '
        { t[NR] = $1; e[NR] = $2; share[NR] = $3 / 1000
          if (NR == 1 || $2 < low) low = $2
          if (NR == 1 || $2 > high) high = $2 }
        END { m = int((NR + 1) / 2)
              printf "%.3f,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", share[m], t[m], t[1], t[NR], e[m], low, high }'
}
head="machine,what,share,seconds,least_s,most_s,joules,least_j,most_j,equation_s,equation_j,best"
echo "$head" >"$folder/watts.csv"
for name in kepler-324-mandelbrot kepler-758-binomial gtx950-taylor; do
    for share in 0 0.25 0.5 0.75 1; do
        machine $name $share
        beside $name static "$(run balance.balancer=static)" || exit
    done
    machine $name 0.5
    for objective in time energy edp; do
        beside $name $objective "$(run balance.objective=$objective)" || exit
    done
done >>"$folder/watts.csv"
