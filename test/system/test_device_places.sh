#!/usr/bin/env bash
# Partitioned inputs that stay in a GPU's memory from pass to pass, counted on the fake CUDA runtime: they are
# copied once, and results stay right where inputs change, memory is short, or units and GPUs are lost.
. "$(dirname "$0")/../support/lib.sh"
fake=$BUILD/test/fake-cuda on_cpu=$BUILD/test/cuda-on-cpu
if [ ! -e "$on_cpu/triad.cuda.so" ]; then
    skip "inputs that stay on GPUs" "plbrun was built without CUDA's headers"
    done_testing
fi
unset PLB_CLUSTER_PUS
export LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PLB_CLUSTER_THREADS=1 OPENBLAS_NUM_THREADS=1

# right RANKS FILE ARGUMENTS...: a verified run of this kernel, with a report; the fake found nothing.
right() {
    local n=$1 kernel=$2; shift 2
    printf '[app]\nkernel = %s\n' "$kernel" >"$tmp/app.conf"
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/app.conf" "$@" && grep -q '; verified' "$tmp/out" &&
        ! grep -q '^fake cuda' "$tmp/out"
}
# copied in|out: the bytes of all GPUs.
copied() {
    python3 -c "import json; print(sum(p['copied_$1'] for p in json.load(open('$tmp/r.json'))['pus']))"
}
between() { # NUMBER LEAST MOST
    [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] && return
    echo "# $1 is not from $2 to $3" >>"$tmp/out"
    return 1
}
# Half of the units for the GPU, always the same half.
halves=(--balancer static cluster.gpu_power=1 balance.migration=off)

# 8000 points of 64 bytes, and 40 centroids and sums of 64 bytes and more in each of 11 passes.
points=(kmeans.count=8000 kmeans.dimensions=8 kmeans.clusters=40 kmeans.passes=10 kmeans.tolerance=0)
for n in 1 2; do
    PLB_FAKE_CUDA=devices=1 right $n "$on_cpu/kmeans.so" "${points[@]}" "${halves[@]}" &&
        [ "$(field passes)" -eq 11 ] && between "$(copied in)" 256000 406000
    ok "k-means in ten passes and one more: a GPU beside a CPU gets its points once, $n ranks" $?
done
right 1 "$on_cpu/kmeans.so" "${points[@]}" && between "$(copied in)" 0 700000
ok "and at most all points, whoever has which units" $?
right 1 "$on_cpu/kmeans.so" "${points[@]}" "${halves[@]}" run.keep_inputs=no &&
    between "$(copied in)" 2800000 3200000
ok "not where inputs are not to be kept" $?
right 1 "$on_cpu/kmeans.so" "${points[@]}" "${halves[@]}" run.audit=0.3 &&
    between "$(copied in)" 256000 700000
ok "audited tasks, too" $?

# 64000 cells of 8 bytes, and as many rates; results are the inputs of the next of ten passes.
heat=(heat.cells=64000 heat.passes=10)
for stays in no yes; do
    right 1 "$fake/kernels/heat.so" "${heat[@]}" heat.named=yes heat.stays=$stays cluster.pus=gpu &&
        between "$(copied in)" $((2 * 512000)) $((2 * 522000))
    ok "a stencil: rates and cells are copied once, stays=$stays" $?
    for n in 1 2; do
        PLB_FAKE_CUDA=devices=2 right $n "$fake/kernels/heat.so" "${heat[@]}" heat.named=yes \
            heat.stays=$stays &&
            PLB_FAKE_CUDA=devices=2 right $n "$fake/kernels/heat.so" "${heat[@]}" heat.every=3 \
                balance.grain=1001
        ok "a stencil on two GPUs and the CPUs of $n ranks, stays=$stays" $?
    done
done

# Room for a part of the inputs, or for none. Few points: tasks are small then, and many.
few=("${points[@]/count=8000/count=2000}")
few=("${few[@]/passes=10/passes=3}")
small=0
for memory in $(counts 70000 200000 700000 2000000); do
    PLB_FAKE_CUDA=memory=$memory right 1 "$fake/kernels/heat.so" "${heat[@]}" cluster.pus=gpu &&
        PLB_FAKE_CUDA=memory=$memory right 1 "$fake/kernels/modes.so" cluster.pus=gpu &&
        PLB_FAKE_CUDA=memory=$memory right 1 "$on_cpu/kmeans.so" "${few[@]}" cluster.pus=gpu || small=1
done
ok "on GPUs with little memory" $small
# An entry that finds no memory gets that of the inputs.
PLB_FAKE_CUDA=fail=cudaMallocAsync:9 right 1 "$on_cpu/kmeans.so" "${points[@]}" cluster.pus=gpu &&
    between "$(copied in)" 512000 800000
ok "where an entry finds memory when no other task has any" $?
PLB_FAKE_CUDA=fail=cudaMallocAsync:9,fail=cudaMallocAsync:10 right 1 "$on_cpu/kmeans.so" "${points[@]}" \
    cluster.pus=gpu && between "$(copied in)" 4000000 8000000
ok "where it finds none then, it gets that of inputs" $?
# A GPU is lost in the middle; the other one goes on.
lost=0
for n in $(counts 4 9 14); do
    printf '[app]\nkernel = %s\n' "$fake/kernels/heat.so" >"$tmp/app.conf"
    PLB_FAKE_CUDA=devices=2,fail=kernel:$n ranks 2 --verify "$tmp/app.conf" "${heat[@]}" heat.named=yes \
        heat.stays=yes --balancer static balance.migration=off balance.grain=4000 &&
        grep -q '; verified' "$tmp/out" && grep -q 'CUDA 700' "$tmp/out" || lost=1
done
ok "where GPUs fail" $lost

# Pages of rank 0's buffers are locked as tasks need them: 3 buffers of 64 MB, of which the GPU has half.
locked() {
    sed -n 's/^counted: [1-9].*; [0-9]* locks, .* at most \([0-9]*\) bytes; the pool.*/\1/p' "$tmp/out"
}
PLB_FAKE_CUDA=count=yes right 1 "$fake/kernels/heat.so" heat.cells=8000000 heat.passes=2 heat.named=yes \
    "${halves[@]}" && between "$(locked)" 96000000 150000000 &&
    python3 -c "
import json
r = json.load(open('$tmp/r.json'))
assert sum(p['locking_s'] > 0 for p in r['pus']) == 1
assert [l['seconds'] > 0 for l in r['losses'] if l['name'] == 'page locks'] == [True]"
ok "pages are locked in parts, and the time is a loss of its own" $?

# The table in the documents.
BUILD=$BUILD PLBRUN=$PLBRUN "$root/test/fake-cuda/bytes" 2>"$tmp/err" >"$tmp/table"
[ "$(grep -c '^| .* | [0-9]' "$tmp/table")" -eq 5 ] &&
    ! grep -vxFf "$root/docs/guide/gpus.md" "$tmp/table" >"$tmp/out"
ok "docs/guide/gpus.md has what test/fake-cuda/bytes counts" $?
done_testing
