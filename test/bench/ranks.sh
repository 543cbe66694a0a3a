#!/usr/bin/env bash
# make bench-ranks: what more ranks of the same cores cost. Each kernel runs as jobs of about 0.1, 1 and 10 s,
# on one rank that has all cores, and on two and three like ranks: static without migration, static with it,
# and the default. One rank has the threads of all cores, so no number of ranks can be quicker than it, but
# for the cuts between threads: 1.00 is what is wanted.
#
# Makespans are medians of RUNS rounds; configurations take turns in a round, so that a slow minute of the
# machine meets all of them. Each job's size is found by running it on one rank.
#
# Usage: test/bench/ranks.sh FOLDER [RUNS [KERNEL...]]. LENGTHS="0.1 1", RANKS="2": these alone. Times are
# kept in FOLDER/ranks, a file for each job, and the table has all that are there: so a long run can be made
# in parts. FOLDER/ranks.md is the table.
. "$(dirname "$0")/../support/lib.sh"
set -o pipefail
PLB_PYTHON=${PLB_PYTHON-$(python_with numpy)}
export PLB_PYTHON
folder=${1:?usage: test/bench/ranks.sh FOLDER [RUNS [KERNEL...]]} runs=${2:-3}
shift $(($# < 2 ? $# : 2))

# Kernel, the size that its time grows with, to which power, where the search begins, and the largest size
# that memory has room for; then settings, in which SIZE stands for it.
jobs() {
    cat <<'J'
binomial    1 64     1e7  binomial.count=SIZE
blackscholes 1 64    1e7  blackscholes.count=SIZE blackscholes.method=montecarlo
command     1 50     1e5  --run "awk 'BEGIN{for(i=0;i<20000;i++)s+={}*i}'" --range 1-SIZE
gaussian    1 500    5e5  gaussian.height=SIZE gaussian.width=2000 gaussian.sigma=40
grn         3 100    1e4  grn.genes=SIZE grn.set=2
kmeans      1 50000  2e7  kmeans.count=SIZE kmeans.clusters=32 kmeans.passes=10 kmeans.tolerance=0
mandelbrot  1 100    1e6  mandelbrot.height=SIZE mandelbrot.width=1000
matmul      3 1500   2e4  matmul.rows=SIZE matmul.inner=SIZE matmul.columns=SIZE matmul.dtype=float32
nbody       2 2000   1e6  nbody.bodies=SIZE nbody.steps=10
python      1 20     1e6  pi.blocks=SIZE
spmm        1 20000  3e6  spmm.rows=SIZE spmm.inner=100000 spmm.kind=uniform
taylor      1 200    2e5  taylor.height=SIZE taylor.width=1000 taylor.order=40
triad       1 1e6    4e8  triad.elements=SIZE
J
}
[ $# -gt 0 ] || set -- $(jobs | awk '{ print $1 }')

# made SIZE: the arguments of this job. Sizes are whole numbers, and triad's multiples of 4096.
made() {
    local text whole
    whole=$(awk -v n="$1" -v k="$kernel" \
        'BEGIN { m = k == "triad" ? 4096 : 1; printf "%.0f", int(n / m + 0.5) * m }')
    text=${settings//SIZE/$whole}
    # shellcheck disable=SC2206 # several words
    case $kernel in
    command) eval "arguments=($text)" ;;
    python) arguments=("$root/examples/python-kernel/app.conf"); arguments+=($text) ;;
    *)
        lines "$tmp/$kernel.conf" '[app]' "kernel = $kernel"
        arguments=("$tmp/$kernel.conf"); arguments+=($text)
        ;;
    esac
}
# makespan RANKS SETTING...: of one run of this job.
makespan() {
    (cd "$tmp" && mpirun --oversubscribe --bind-to none -np "$1" "$PLBRUN" "${arguments[@]}" "${@:2}" \
        --quiet --report "$tmp/r.json" >"$tmp/out" 2>"$tmp/err") || { cat "$tmp/err" >&2; exit 1; }
    sed -n 's/^ *"makespan_s": *\([0-9.e+-]*\),*$/\1/p' "$tmp/r.json"
}
# size LENGTH: the size with which one rank needs about so many seconds; 0 where memory has no room for it.
size() {
    local now=$first seconds
    for _ in 1 2 3 4 5; do
        made "$now"
        seconds=$(makespan 1) || exit
        awk -v s="$seconds" -v t="$1" 'BEGIN { exit !(s > 0.9 * t && s < 1.1 * t) }' && break
        # a run that is far too short says little of what a longer one takes
        now=$(awk -v n="$now" -v s="$seconds" -v t="$1" -v p="$power" 'BEGIN {
            f = t / s; f = f > 20 ? 20 : f; printf "%.0f", n * f ^ (1 / p) + 1 }')
        awk -v n="$now" -v most="$most" 'BEGIN { exit !(n > most) }' && { echo 0; return; }
    done
    echo "$now"
}

mkdir -p "$folder/ranks"
for wanted; do
    read -r kernel power first most settings < <(jobs | awk -v k="$wanted" '$1 == k')
    for length in ${LENGTHS:-0.1 1 10}; do
        file=$folder/ranks/$kernel-$length
        at=$(size "$length") || { echo "$kernel: does not run here" >&2; break; }
        [ "$at" != 0 ] || { echo "$kernel $length: no room in memory" >&2; continue; }
        made "$at"
        for ((i = 0; i < runs; i++)); do
            echo "one $(makespan 1)" || exit
            for n in ${RANKS:-2 3}; do
                echo "$n-static $(makespan "$n" balance.balancer=static balance.migration=off)" || exit
                echo "$n-moving $(makespan "$n" balance.balancer=static)" || exit
                echo "$n-default $(makespan "$n")" || exit
            done
        done >"$tmp/times" || exit
        cp "$tmp/times" "$file"
    done
done

for file in "$folder"/ranks/*; do
    sort -k1,1 -k2,2g "$file" | awk -v name="$(basename "$file")" '
        { v[$1, ++n[$1]] = $2 }
        function median(key) { return v[key, int((n[key] + 1) / 2)] }
        END {
            split(name, job, "-")
            for (r = 2; r <= 3; r++) {
                if (!n[r "-default"]) continue
                one = median("one"); fixed = median(r "-static")
                best = one < fixed ? one : fixed
                print job[1], job[2], r, one, fixed, median(r "-moving") / fixed, median(r "-default") / best
            }
        }'
done | sort -k1,1 -k2,2g -k3,3 | awk '
    BEGIN {
        print "| kernel | job, s | ranks | one rank, s | static, s | with migration, over that |" \
              " default, over the better |"
        print "|---|---|---|---|---|---|---|"
    }
    {
        printf "| %s | %s | %s | %.3g | %.3g | %.3f | %.3f |\n", $1, $2, $3, $4, $5, $6, $7
        moving += log($6); def += log($7); n++
        if ($6 > most_moving) most_moving = $6
        if ($7 > most_def) most_def = $7
    }
    END {
        printf "| geometric mean of %d | | | | | %.3f | %.3f |\n", n, exp(moving / n), exp(def / n)
        printf "| worst | | | | | %.3f | %.3f |\n", most_moving, most_def
    }' | tee "$folder/ranks.md"
