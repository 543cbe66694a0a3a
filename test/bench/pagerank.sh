#!/usr/bin/env bash
# make bench-pagerank: a pass of the kernel pagerank beside one of plain MPI over the same graph: two ranks of
# one thread each, and one rank of two threads. All ranks get 8 bytes a page before each pass. Both take
# turns, since a machine is not always as fast. The table has the medians.
# PLBRUN and BUILD as in the tests.
. "$(dirname "$0")/../support/lib.sh"
rounds=${1:-5} passes=${PASSES:-100} links=16
printf '[app]\nkernel = %s\n[pagerank]\ntolerance = 0\nlinks = %d\n' "$BUILD/kernels/pagerank.so" \
    "$links" >"$tmp/pagerank.conf"

ours() { # RANKS THREADS PAGES
    mpirun --oversubscribe --bind-to none -np "$1" "$PLBRUN" --quiet --report "$tmp/r.json" \
        "$tmp/pagerank.conf" cluster.threads="$2" pagerank.pages="$3" pagerank.passes="$passes" |
        sed -n 's/^pagerank: \([0-9.]*\) ms a pass.*/\1/p'
}
plain() {
    mpirun --oversubscribe --bind-to none -np "$1" "$BUILD/bench/pagerank_mpi" "$3" "$links" "$passes" "$2" |
        cut -d ' ' -f 1
}
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -n 1; }

echo "ranks, threads, pages:        plbrun       MPI  ratio   a pass: messages      bytes"
for pages in ${SIZES:-1000000}; do
    for shape in '2 1' '1 2'; do
        read -r ranks threads <<<"$shape"
        : >"$tmp/ours"
        : >"$tmp/plain"
        for _ in $(seq "$rounds"); do
            ours "$ranks" "$threads" "$pages" >>"$tmp/ours" || exit
            plain "$ranks" "$threads" "$pages" >>"$tmp/plain" || exit
        done
        awk -v what="$ranks $threads $pages" -v ours="$(median "$tmp/ours")" \
            -v plain="$(median "$tmp/plain")" -v messages="$(number messages)" \
            -v bytes="$(number bytes_moved)" -v passes="$passes" 'BEGIN {
            printf "%-22s %10.3f ms %8.3f %6.2f %18.1f %10.0f\n", what, ours, plain, ours / plain,
                messages / passes, bytes / passes }'
    done
done
