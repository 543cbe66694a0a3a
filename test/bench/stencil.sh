#!/usr/bin/env bash
# make bench-stencil: a step of the kernel stencil beside one of plain MPI with the same entry: two ranks of
# one thread each, and one rank of two threads. Both take turns, since a machine is not always as fast. The
# table has the medians, and what each step took of messages, tasks, solves, and bytes. The rows of
# the other rank come to it at the start, and back at the end: these bytes are no step's. Two rows and the
# greatest change are 16 kB a step of 1024 columns; the rest is of rows that have changed hands.
# SIZES: of the grids. STEPS: of the smallest one, 200 where it is not given; larger grids have fewer. PLBRUN
# and BUILD as in the tests.
. "$(dirname "$0")/../support/lib.sh"
rounds=${1:-5}
printf '[app]\nkernel = %s\n' "$BUILD/kernels/stencil.so" >"$tmp/stencil.conf"

number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -n 1; }
# once SIZE STEPS: bytes of the rows of other ranks, there and back, by what these executed in a step
once() {
    sed -n 's/^ \{6\}"units": *\([0-9]*\),*$/\1/p' "$tmp/r.json" |
        awk -v row=$((8 * $1)) -v steps="$2" 'NR > 1 { n += $1 } END { printf "%d", 2 * row * n / steps }'
}
# plbrun RANKS THREADS SIZE STEPS [SETTING...]
ours() {
    mpirun --oversubscribe --bind-to none -np "$1" "$PLBRUN" --quiet --report "$tmp/r.json" \
        "$tmp/stencil.conf" cluster.threads="$2" stencil.rows="$3" stencil.columns="$3" stencil.steps="$4" \
        "${@:5}" | sed -n 's/^stencil: \([0-9.]*\) ms a step.*/\1/p'
}
plain() { mpirun --oversubscribe --bind-to none -np "$1" "$BUILD/bench/stencil_mpi" "$3" "$3" "$4" "$2"; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

echo "ranks, threads, grid, steps:   plbrun       MPI  ratio   a step: messages  tasks solves   bytes   once"
for size in ${SIZES:-1024 2048 4096}; do
    steps=$((${STEPS:-200} * 1024 / size))
    for shape in '2 1' '1 2'; do
        read -r ranks threads <<<"$shape"
        : >"$tmp/ours"
        : >"$tmp/plain"
        for _ in $(seq "$rounds"); do
            ours "$ranks" "$threads" "$size" "$steps" >>"$tmp/ours" || exit
            plain "$ranks" "$threads" "$size" "$steps" >>"$tmp/plain" || exit
        done
        awk -v what="$ranks $threads $size $steps" \
            -v ours="$(median "$tmp/ours")" -v plain="$(median "$tmp/plain")" \
            -v steps="$steps" -v once="$(once "$size" "$steps")" \
            -v messages="$(number messages)" -v tasks="$(number tasks)" \
            -v solves="$(number solves)" -v bytes="$(number bytes_moved)" 'BEGIN {
            printf "%-25s %8.3f ms %8.3f %6.2f %16.1f %6.1f %6.1f %7d %6d\n", what, ours, plain,
                ours / plain, messages / steps, tasks / steps, solves / steps, (bytes - once) / steps, once }'
    done
done
