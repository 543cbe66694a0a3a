#!/usr/bin/env bash
# make bench-passes: passes of kernels of the examples, from the second one on, beside their entries alone on
# the same data and as many cores: k-means with 8, 32 and 128 clusters, a stencil, bodies. Both take turns,
# since a machine is not always as fast. The table has the least time of each, the tenth part and the median,
# and the ratios.
# PLBRUN and BUILD as in the tests.
. "$(dirname "$0")/../support/lib.sh"
rounds=${1:-7} passes=${2:-10} points=${3:-400000}

# describe JOB: its conf, and its settings for so many passes.
describe() {
    local kernel=${1%-*}
    printf '[app]\nkernel = %s\n' "$BUILD/kernels/$kernel.so" >"$tmp/app.conf"
    case $kernel in
    kmeans) settings=(kmeans.tolerance=0 kmeans.dimensions=4 kmeans.count="$points"
        kmeans.clusters="${1#*-}" kmeans.passes=$((passes - 1))) ;;
    stencil) settings=(stencil.rows="${1#*-}" stencil.columns="${1#*-}" stencil.steps="$passes") ;;
    nbody) settings=(nbody.bodies="${1#*-}" nbody.steps=$((passes - 1))) ;;
    esac
}
# ran RANKS THREADS BALANCER: seconds of the passes, a line for each.
ran() {
    mpirun --oversubscribe --bind-to none -np "$1" "$PLBRUN" --log debug "$tmp/app.conf" \
        cluster.threads="$2" balance.balancer="$3" "${settings[@]}" 2>&1 >"$tmp/out" |
        awk '/ has ended after / && $4 > 1 { print $(NF - 1) }'
}
# line RANKS THREADS JOB BALANCER
line() {
    describe "$3"
    : >"$tmp/ran"
    : >"$tmp/alone"
    for _ in $(seq "$rounds"); do
        ran "$1" "$2" "$4" >>"$tmp/ran"
        "$BUILD/bench/passes" "$tmp/app.conf" "$1" "$2" "$passes" "${settings[@]}" >>"$tmp/alone" || exit
    done
    { sort -g "$tmp/ran"; echo alone; sort -g "$tmp/alone"; } | awk -v what="$*" '
        $1 == "alone" { n = NR - 1; next }
        n == 0 { ran[NR] = 1e3 * $1; next }
        { alone[++m] = 1e3 * $1 }
        function show(part) {
            r = ran[int(n * part) + 1]; a = alone[int(m * part) + 1]
            printf "  %7.3f / %7.3f = %.3f", r, a, r / a
        }
        END { printf "%-25s", what; show(0); show(0.1); show(0.5); print "" }'
}
echo "ranks, threads, job, balancer: milliseconds of a pass / alone; kmeans: $points points of 32 bytes"
echo "                           least                      tenth part                 median"
for balancer in static sure; do
    for job in ${JOB:-kmeans-8 kmeans-32 kmeans-128 stencil-2048 nbody-8000}; do
        line 2 1 "$job" $balancer
        line 1 2 "$job" $balancer
    done
done
