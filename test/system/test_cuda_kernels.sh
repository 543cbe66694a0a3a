#!/usr/bin/env bash
# The CUDA entries of our own kernels, unchanged and compiled for the CPU (test/cuda-on-cpu), run on the fake
# CUDA runtime: on one GPU, and on two beside a CPU. Each run is verified, with the threads of a block in a
# random order. PLB_TEST_ORDER=SEED repeats the orders of an earlier run.
. "$(dirname "$0")/../support/lib.sh"
fake=$BUILD/test/fake-cuda kernels=$BUILD/test/cuda-on-cpu
if [ ! -e "$kernels/triad.cuda.so" ]; then
    skip "kernels on fake GPUs" "plbrun was built without CUDA's headers"
    done_testing
fi
unset PLB_CLUSTER_PUS
export LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} PLB_CLUSTER_THREADS=1
# A kernel's own threads of OpenBLAS are no business of this test.
export OPENBLAS_NUM_THREADS=1
seed=${PLB_TEST_ORDER:-$((RANDOM * 32768 + RANDOM))}
echo "# PLB_TEST_ORDER=$seed"

# verified KERNELS KERNEL ARGUMENTS...: a verified run on fake GPUs, which ran so many of their kernels at
# least, and in which the fake found nothing.
verified() {
    local ran=$1 kernel=$2; shift 2
    lines "$tmp/kernel.conf" '[app]' "kernel = $kernels/$kernel.so"
    alone --verify "$tmp/kernel.conf" "$@" && grep -q '; verified' "$tmp/out" &&
        ! grep -qE '^(fake cuda|plbrun: warning)' "$tmp/out" &&
        [ "$(sed -n 's/^counted: \([0-9]*\) kernels.*/\1/p' "$tmp/out")" -ge "$ran" ]
}
on_one() {
    PLB_FAKE_CUDA=order=$seed,count=yes verified 2 "$@" cluster.pus=gpu
    ok "$* on a GPU, order $seed" $?
}
# Each has a third of the units.
on_two() {
    PLB_FAKE_CUDA=devices=2,order=$seed,count=yes verified 2 "$@" --balancer static cluster.gpu_power=1 \
        balance.migration=off
    ok "$* on two GPUs and a CPU, order $seed" $?
}
on_gpus() { on_one "$@"; on_two "$@"; }

on_gpus triad triad.elements=409600
on_gpus kmeans kmeans.count=5003 kmeans.dimensions=5 kmeans.clusters=7 kmeans.passes=4
on_gpus nbody nbody.bodies=600 nbody.steps=3
on_two nbody nbody.bodies=517 nbody.steps=3 nbody.precision=float32
on_gpus mandelbrot mandelbrot.width=133 mandelbrot.height=71 mandelbrot.depth=300
on_gpus gaussian gaussian.width=67 gaussian.height=45 gaussian.sigma=3
on_two gaussian gaussian.width=7 gaussian.height=15 gaussian.sigma=6 gaussian.mode=mirror
on_gpus binomial binomial.count=24 binomial.steps=101
on_one binomial binomial.count=6 binomial.steps=301 binomial.exercise=european binomial.tree=leisen-reimer
on_two binomial binomial.count=3 binomial.steps=2100 # more than shared memory holds
on_one grn grn.genes=24 grn.samples=100 grn.set=1
on_gpus grn grn.genes=24 grn.samples=70 grn.set=2 grn.levels=3
on_two grn grn.genes=12 grn.samples=65 grn.set=3 grn.levels=2 grn.series=yes grn.self=yes
on_gpus blackscholes blackscholes.count=3000
on_two blackscholes blackscholes.count=12 blackscholes.method=montecarlo blackscholes.paths=2001
on_gpus taylor taylor.width=77 taylor.height=31
on_two taylor taylor.function=log1p taylor.width=50 taylor.height=31 taylor.span=1
on_gpus spmm spmm.rows=300 spmm.inner=200 spmm.columns=17
on_gpus spmm spmm.rows=300 spmm.inner=200 spmm.columns=17 spmm.broadcast=yes
PLB_FAKE_CUSPARSE=declines on_two spmm spmm.rows=300 spmm.inner=200 spmm.columns=39
on_gpus matmul matmul.rows=60 matmul.inner=50 matmul.columns=70
on_two matmul matmul.rows=60 matmul.inner=50 matmul.columns=70 matmul.dtype=float32

# counted WORDS: the number in the line of counts of the rank that ran kernels, where this pattern has [N].
counted() { grep '^counted: [1-9]' "$tmp/out" | sed -E "s/.*${1/\[N\]/([0-9]+)}.*/\1/"; }
# on_rank_1 KERNEL ARGUMENTS...: rank 1 has the GPU, and rank 0 leads.
on_rank_1() {
    lines "$tmp/kernel.conf" '[app]' "kernel = $kernels/$1.so"; shift
    PLB_FAKE_CUDA=order=$seed,count=yes ranks 2 --verify "$tmp/kernel.conf" cluster.master_only=yes \
        cluster.pus=gpu "$@" && grep -q '; verified' "$tmp/out" &&
        ! grep -qE '^fake cuda' "$tmp/out"
}
on_rank_1 kmeans kmeans.count=8000 kmeans.dimensions=8 kmeans.passes=4 --balancer factoring &&
    [ "$(counted '; [N] bytes copied pageable')" -le 20000 ] && [ "$(counted ', [N] pinned')" -ge 512000 ] &&
    [ "$(counted ', [N] pinned')" -le 600000 ]
ok "inputs that a rank keeps are page-locked, and are copied once" $?
# Masses and the first positions are copied once.
on_rank_1 nbody nbody.bodies=1500 nbody.steps=4 --balancer factoring &&
    [ "$(counted '; [N] bytes copied pageable')" -le 49000 ]
ok "and results that stay" $?

# Memory that entries take for each task comes from a pool, which keeps it.
PLB_FAKE_CUDA=order=$seed,count=yes verified 20 gaussian gaussian.width=64 gaussian.height=400 \
    cluster.pus=gpu balance.grain=10 --balancer factoring && [ "$(counted 'the pool grew [N] times')" -le 9 ]
ok "the pool of the GPU keeps memory from task to task" $?
# Where it has none left, the tasks in other lanes end first.
for n in 1 4 9; do
    PLB_FAKE_CUDA=order=$seed,count=yes,fail=cudaMallocAsync:$n verified 20 gaussian gaussian.width=64 \
        gaussian.height=400 cluster.pus=gpu balance.grain=10 --balancer factoring
    ok "an entry that finds no memory at call $n is launched again" $?
done
lines "$tmp/kernel.conf" '[app]' "kernel = $kernels/gaussian.so"
PLB_FAKE_CUDA=fail=cudaMallocAsync:4,fail=cudaMallocAsync:5 alone --verify "$tmp/kernel.conf" \
    gaussian.width=64 gaussian.height=400 --balancer static cluster.gpu_power=1 \
    balance.migration=off balance.backups=off &&
    grep -q '; verified' "$tmp/out" &&
    grep -qE '^plbrun: warning: kernel gaussian failed \(its entry found no device memory\) on PU' "$tmp/out"
ok "where it finds none though no other task has any, its GPU drops out" $?
done_testing
