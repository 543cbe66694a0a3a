#!/usr/bin/env bash
# make bench-passes: passes of k-means over points that stay where they are, from the second one on, beside
# the entry alone on the same points and as many cores. Both take turns, since a machine is not always as
# fast. The table has the least time of each, the tenth part and the median, and the ratios.
# PLBRUN and BUILD as in the tests.
. "$(dirname "$0")/../support/lib.sh"
conf=$tmp/kmeans.conf
printf '[app]\nkernel = %s\n[kmeans]\ntolerance = 0\ndimensions = 4\n' "$BUILD/kernels/kmeans.so" >"$conf"
rounds=${1:-7} passes=${2:-10} points=${3:-400000}

# ran RANKS THREADS SETTING...: seconds of the passes, a line for each.
ran() {
    mpirun --oversubscribe --bind-to none -np "$1" "$PLBRUN" --log debug "$conf" cluster.threads="$2" \
        kmeans.passes=$((passes - 1)) "${@:3}" 2>&1 >"$tmp/out" |
        awk '/ has ended after / && $4 > 1 { print $(NF - 1) }'
}
# line RANKS THREADS CLUSTERS BALANCER
line() {
    local settings=(kmeans.count="$points" kmeans.clusters="$3")
    : >"$tmp/ran"
    : >"$tmp/alone"
    for _ in $(seq "$rounds"); do
        ran "$1" "$2" balance.balancer="$4" "${settings[@]}" >>"$tmp/ran"
        "$BUILD/bench/passes" "$conf" "$1" "$2" "$passes" "${settings[@]}" >>"$tmp/alone" || exit
    done
    { sort -g "$tmp/ran"; echo alone; sort -g "$tmp/alone"; } | awk -v what="$*" '
        $1 == "alone" { n = NR - 1; next }
        n == 0 { ran[NR] = 1e3 * $1; next }
        { alone[++m] = 1e3 * $1 }
        function show(part) {
            r = ran[int(n * part) + 1]; a = alone[int(m * part) + 1]
            printf "  %7.3f / %7.3f = %.3f", r, a, r / a
        }
        END { printf "%-16s", what; show(0); show(0.1); show(0.5); print "" }'
}
echo "ranks, threads, clusters, balancer: milliseconds of a pass over $points points of 32 bytes / alone"
echo "                  least                      tenth part                 median"
for balancer in static sure; do
    for clusters in 8 32 128; do
        line 2 1 $clusters $balancer
        line 1 2 $clusters $balancer
    done
done
