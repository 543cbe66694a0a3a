#!/usr/bin/env bash
# Results that feed the next pass stay in the memory of the GPU that computed them, and halos alone are copied
# in: counted on the fake CUDA runtime. Results stay right where units change hands, are executed twice, or
# are lost. Each run is compared, bit by bit, with one loop over all passes.
. "$(dirname "$0")/../support/lib.sh"
fake=$BUILD/test/fake-cuda
if [ ! -e "$fake/kernels/heat.so" ]; then
    skip "results that stay on GPUs" "plbrun was built without CUDA's headers"
    done_testing
fi
unset PLB_CLUSTER_PUS
export LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PLB_CLUSTER_THREADS=1
lines "$tmp/h.conf" '[app]' "kernel = $fake/kernels/heat.so" '[heat]' 'cells = 64000' 'passes = 10' \
    '[run]' 'keep_results = no' # results in host memory, too: test_device_stay.sh has those that are not

# right RANKS GPUS ARGUMENTS...: a verified run, with a report; the fake found nothing.
right() {
    local n=$1 gpus=$2 status; shift 2
    PLB_FAKE_CUDA=devices=$gpus${orders:+,$orders} ranks "$n" --verify --report "$tmp/r.json" \
        "$tmp/h.conf" "$@"
    status=$?
    [ $status -eq 0 ] && grep -q '; verified' "$tmp/out" && ! grep -q '^fake cuda' "$tmp/out" && return
    wrong_run $status "$n ranks, $gpus GPUs, ${orders:+$orders }$*"
}
# copied in|out BYTES: so many, to or from all GPUs together.
copied() {
    local bytes
    bytes=$(python3 -c "
import json
print(sum(p['copied_$1'] for p in json.load(open('$tmp/r.json'))['pus']))")
    [ "$bytes" -eq "$2" ] || wrong_run 0 "$bytes bytes $1, and not $2"
}
gpus=(cluster.pus=gpu --balancer static balance.migration=off)

# 64000 cells of 8 bytes with a rate each. Before the first pass each of a GPU's three lanes runs cell 0.
first=$((2 * 512000)) warm=$((3 * 24))
for stays in no yes; do
    right 1 1 "${gpus[@]}" heat.named=yes heat.stays=$stays && copied in $((first + warm)) &&
        copied out $((10 * 512000))
    ok "one GPU gets its inputs once, stays=$stays" $?
    right 1 1 "${gpus[@]}" heat.named=yes heat.stays=$stays heat.every=3 && copied in $((first + warm))
    ok "also where results feed every third pass, stays=$stays" $?
    for n in 1 2; do # two GPUs: a halo of one cell each, in each pass
        right $n 2 "${gpus[@]}" heat.named=yes heat.stays=$stays &&
            copied in $((first + 2 * warm + 10 * 2 * 8))
        ok "two GPUs of $n ranks get halos alone, stays=$stays" $?
    done
    right 1 3 "${gpus[@]}" heat.named=yes heat.stays=$stays && copied in $((first + 3 * warm + 10 * 4 * 8))
    ok "three GPUs, whose units are not aligned in the buffer, stays=$stays" $?
    right 1 1 cluster.gpu_power=1 "${gpus[@]:1}" heat.named=yes heat.stays=$stays &&
        copied in $((first / 2 + warm + 10 * 8))
    ok "a GPU beside a CPU, stays=$stays" $?
    right 1 1 "${gpus[@]}" balance.grain=1000 heat.named=yes heat.stays=$stays && copied in $((first + warm))
    ok "one that executes many tasks in three lanes, stays=$stays" $?
done
right 1 1 "${gpus[@]}" && copied in $((first + warm + 512000))
ok "where setup has not named them, from the second pass on" $?
right 1 1 "${gpus[@]}" heat.named=yes run.keep_inputs=no && copied in $((10 * first + warm))
ok "not where inputs are not to be kept" $?
right 1 1 "${gpus[@]}" heat.named=yes run.audit=0.3 && ! copied in $((first + warm))
ok "not where an audit may replace them" $?

# CPUs and GPUs take from each other; a GPU has the results of some units of a pass.
wrong=0
for seed in $(counts 1 2 3); do
    for stays in no yes; do
        for grain in $(counts 500 504 1001); do
            right "$seed" 2 heat.named=yes heat.stays=$stays --balancer greedy balance.grain="$grain" ||
                wrong=1
        done
        right 2 2 heat.named=yes heat.stays=$stays heat.every="$seed" run.audit=0.3 balance.grain=1000 ||
            wrong=1
        right 2 2 heat.named=yes heat.stays=$stays run.checksums=yes balance.grain=1000 || wrong=1
    done
    right 1 2 heat.named=yes heat.stays=yes heat.gather="$seed" balance.grain=1000 || wrong=1
    right 2 2 heat.named=yes heat.stays=yes heat.gather="$seed" || wrong=1
done
ok "results are right where units change hands" $wrong

# The results of CPUs and GPUs differ: in each pass all have the inputs that counted.
wrong=0
for n in $(counts 1 2 3); do
    for every in 1 2; do
        right "$n" 2 heat.named=yes heat.unlike=yes heat.every=$every heat.cells=9000 balance.grain=100 ||
            wrong=1
        right "$n" 3 heat.unlike=yes heat.stays=yes heat.gather=1 heat.named=yes heat.every=$every \
            heat.cells=9001 balance.grain=150 || wrong=1
        right "$n" 2 heat.unlike=yes --balancer greedy balance.grain=77 heat.nap=0.001 heat.cells=5000 ||
            wrong=1
    done
done
ok "each unit has the results that counted, on unlike PUs" $wrong

# Too little memory for both places of the whole input: a part of it has them, or nothing.
wrong=0
for memory in $(counts 70000 200000 700000 1200000 2000000); do
    for stays in no yes; do
        orders=memory=$memory right 1 1 heat.named=yes heat.stays=$stays cluster.pus=gpu || wrong=1
        orders=memory=$memory right 2 2 heat.stays=no || wrong=1
    done
done
ok "on GPUs with little memory" $wrong

# A GPU fails in the middle; others execute its units, and have other results in the next pass.
lost=0
for n in $(counts 4 9 14 21 33); do
    for stays in no yes; do
        orders=fail=kernel:$n PLB_FAKE_CUDA=devices=2,fail=kernel:$n ranks 2 --verify "$tmp/h.conf" \
            heat.named=yes heat.stays=$stays balance.grain=4000
        status=$?
        { grep -q '; verified' "$tmp/out" && grep -q 'CUDA 700' "$tmp/out"; } || lost=1
        [ $lost -eq 0 ] || wrong_run $status "2 GPUs fail at kernel:$n, stays=$stays"
    done
done
ok "where GPUs fail" $lost

# A rank is lost: its inputs are pulled from rank 0, or passes are executed again.
# shellcheck disable=SC2034 # lib.sh uses it
LAUNCH=(timeout 120 mpirun --enable-recovery)
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    export PLB_FAKE_CUDA=devices=3
    for stays in no yes; do
        # shellcheck disable=SC2034 # lib.sh reads it
        gate_at=4
        started 3 --verify "$tmp/h.conf" heat.named=yes heat.stays=$stays --balancer static \
            cluster.pus=gpu balance.grain=4000
        kill -KILL "$(process_of 1)"
        await 1 'is lost'
        open_gate
        wait "$run" && grep -q 'rank 1 on .* is lost' "$tmp/out" && grep -q verified "$tmp/out"
        ok "where a rank is lost, stays=$stays" $?
    done
else
    skip "where a rank is lost" "this mpirun is not Open MPI 4"
fi
done_testing
