#!/usr/bin/env bash
# Results that feed the next pass stay in a GPU's memory (run.keep_results): halos alone are copied to the
# host, and all of them once at the end. Counted on the fake CUDA runtime, where each run is compared, bit by
# bit, with one loop over all passes. A reader that forgets to bring results finds those of an older pass.
. "$(dirname "$0")/../support/lib.sh"
fake=$BUILD/test/fake-cuda
if [ ! -e "$fake/kernels/heat.so" ]; then
    skip "results that stay in the memory of GPUs" "plbrun was built without CUDA's headers"
    done_testing
fi
unset PLB_CLUSTER_PUS
export LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PLB_CLUSTER_THREADS=1
lines "$tmp/h.conf" '[app]' "kernel = $fake/kernels/heat.so" '[heat]' 'cells = 64000' 'passes = 10' \
    'named = yes' 'stays = yes' '[run]' 'keep_results = yes'

# run_on RANKS GPUS ARGUMENTS...: a verified run, with a report; the fake found nothing.
run_on() {
    local n=$1 gpus=$2 status; shift 2
    PLB_FAKE_CUDA=devices=$gpus${orders:+,$orders} ranks "$n" --verify --report "$tmp/r.json" \
        "$tmp/h.conf" "$@"
    status=$?
    [ $status -eq 0 ] && grep -q '; verified' "$tmp/out" && ! grep -q '^fake cuda' "$tmp/out" && return
    wrong_run $status "$n ranks, $gpus GPUs, ${orders:+$orders }$*"
}
# of_report EXPRESSION: of the latest report, r.
of_report() { python3 -c "
import json
r = json.load(open('$tmp/r.json'))
print(int($1))"; }
# copied in|out BYTES: so many, to or from all GPUs together.
copied() {
    local bytes
    bytes=$(of_report "sum(p['copied_$1'] for p in r['pus'])")
    [ "$bytes" -eq "$2" ] || wrong_run 0 "$bytes bytes $1, and not $2"
}
gpus=(cluster.pus=gpu --balancer static balance.migration=off)

# 64000 cells of 8 bytes with a rate each. Before the first pass each of a GPU's three lanes runs cell 0.
all=512000 first=1024000 warm=72
run_on 1 1 "${gpus[@]}" && copied in $((first + warm)) && copied out $all
ok "results of one GPU are copied once, at the end" $?
run_on 1 1 "${gpus[@]}" balance.grain=1000 && copied in $((first + warm)) && copied out $all
ok "also of many tasks in three lanes" $?
run_on 1 1 "${gpus[@]}" balance.grain=1000 heat.sums=yes && copied out $((all + 10 * 64 * 8))
ok "also beside sums" $?
run_on 1 1 "${gpus[@]}" heat.gather=3 && copied out $((4 * all))
ok "and where next asks for them" $?
run_on 1 1 "${gpus[@]}" heat.every=3 && copied in $((first + warm)) && copied out $all
ok "not in passes that they do not feed" $?
for n in 1 2; do # a halo of one cell each, in each later pass
    run_on $n 2 "${gpus[@]}" && copied in $((first + 2 * warm + 10 * 2 * 8)) &&
        copied out $((all + 9 * 2 * 8))
    ok "two GPUs of $n ranks copy halos in both directions" $?
    run_on $n 2 "${gpus[@]}" heat.every=5 && copied out $((all + 2 * 8))
    ok "and halos that stay inputs once, $n ranks" $?
done
run_on 1 3 "${gpus[@]}" && copied out $((all + 9 * 4 * 8))
ok "three GPUs, whose units are not aligned in the buffer" $?
run_on 1 1 cluster.gpu_power=1 "${gpus[@]:1}" && copied in $((first / 2 + warm + 10 * 8)) &&
    copied out $((all / 2 + 9 * 8))
ok "a CPU beside a GPU has its halo" $?
run_on 2 2 cluster.gpu_power=1 "${gpus[@]:1}" && copied out $((all / 2 + 9 * 3 * 8))
ok "CPUs beside GPUs of two ranks" $?

# 512,000 bytes take 50 ms here, and more: they count for the fetching of results.
orders=copy=10000000 run_on 1 1 "${gpus[@]}" && [ "$(of_report "1e3 * r['collect_s']")" -ge 50 ]
ok "the time of copies at the end counts" $?

# Others need all results in each pass.
for key in run.audit=0.3 run.checksums=yes heat.stays=no run.keep_results=no run.journal="$tmp/j" \
    run.isolate=yes app.kernel="$fake/kernels/heard.so"; do
    run_on 1 1 "${gpus[@]}" "$key" && copied out $((10 * all)) && rm -rf "$tmp"/j*
    ok "all are copied in each pass with ${key%=*}" $?
done

# CPUs and GPUs take units from each other, and execute late ones twice.
wrong=0 twice=0
for seed in $(counts 1 2 3); do
    for grain in $(counts 500 504 1001); do
        run_on "$seed" 2 --balancer greedy balance.grain="$grain" heat.every=$((1 + grain % 2)) || wrong=1
        twice=$((twice + $(of_report "r['backups']")))
    done
    run_on 1 2 heat.gather="$seed" heat.every=2 balance.grain=1000 || wrong=1
    run_on 2 2 heat.gather="$seed" balance.grain=1000 || wrong=1
    run_on 3 2 heat.every="$seed" --balancer awf || wrong=1
    run_on "$seed" 2 heat.sums=yes balance.grain=700 || wrong=1
    run_on "$seed" 2 heat.sums=yes balance.grain=600 --balancer greedy || wrong=1
done
[ $wrong -eq 0 ] && [ $twice -gt 0 ]
ok "results are right where units change hands" $?

# The results of CPUs and GPUs differ: in each pass all have the inputs that counted.
wrong=0
for n in $(counts 1 2 3); do
    for every in 1 2; do
        run_on "$n" 3 heat.unlike=yes heat.gather=1 heat.every=$every heat.cells=9001 balance.grain=150 ||
            wrong=1
        run_on "$n" 2 heat.unlike=yes heat.gather=1 heat.every=$every heat.cells=5000 balance.grain=77 \
            --balancer greedy heat.nap=0.001 || wrong=1
    done
done
ok "each unit has the results that counted, where they stay on unlike PUs" $wrong

# Too little memory for both places of the whole input; or a GPU finds none for a task.
wrong=0
for memory in $(counts 70000 200000 700000 1200000 2000000); do
    orders=memory=$memory run_on 1 1 cluster.pus=gpu || wrong=1
    orders=memory=$memory run_on 2 2 || wrong=1
done
ok "on GPUs with little memory" $wrong

# fails RANKS GPUS WHERE ARGUMENTS...: a GPU fails there, and others go on.
fails() {
    local where=$3
    orders=fail=$where run_on "$1" "$2" "${@:4}" && grep -Eq ' is (no longer|not) used' "$tmp/out" && return
    [ -s "$tmp/wrong" ] || wrong_run 0 "nothing failed at $where, $1 ranks, $2 GPUs, ${*:4}"
    return 1
}
lost=0 again=0
for at in $(counts 4 9 14 21 33); do
    for n in 1 2; do
        fails $n 2 kernel:"$at" balance.grain=4000 || lost=1
        again=$((again + $(of_report "r['passes_again']")))
    done
    fails 1 1 kernel:"$at" balance.grain=4000 heat.gather=4 || lost=1
done
[ $lost -eq 0 ] && [ $again -gt 0 ]
ok "passes are executed again where GPUs fail" $?

# A copy for a reader fails: the CPU's halo, that of the other rank, and the results at the end. Else the GPU
# has nothing to do then.
lost=0 again=0
for at in $(counts 13 14 15 16 17 20); do
    for n in 1 2; do
        fails $n 2 cudaMemcpyAsync:"$at" cluster.gpu_power=1 "${gpus[@]:1}" || lost=1
        again=$((again + $(of_report "r['passes_again']")))
    done
done
[ $lost -eq 0 ] && [ $again -gt 0 ]
ok "passes are executed again where results cannot be read" $?

# A rank is lost.
# shellcheck disable=SC2034 # lib.sh uses it
LAUNCH=(timeout 120 mpirun --enable-recovery)
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    export PLB_FAKE_CUDA=devices=3
    # shellcheck disable=SC2034 # lib.sh reads it
    gate_at=4
    started 3 --verify "$tmp/h.conf" --balancer static cluster.pus=gpu balance.grain=4000
    kill -KILL "$(process_of 1)"
    await 1 'is lost'
    open_gate
    wait "$run" && grep -q 'rank 1 on .* is lost' "$tmp/out" && grep -q verified "$tmp/out"
    ok "where a rank is lost" $?
else
    skip "where a rank is lost" "this mpirun is not Open MPI 4"
fi
done_testing
