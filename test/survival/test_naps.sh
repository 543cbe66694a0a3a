#!/usr/bin/env bash
# Threads of the ranks take naps at random (test/support/naps.c), where another thread or rank may come first:
# results are right. Each job looks at its own result, over the real MPI and over the fake one. PLB_ROUNDS
# rounds of each (default 2, or 1 where PLB_QUICK is set) with the seeds from SEED (default 1) on; PLB_NAPS_AT
# is the chance and the mean of a nap. Runs that are wrong are shown; where PLB_EVIDENCE names a folder, they
# are there, too.
# test/run: real MPI
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "naps" "signals and times, not memory"; done_testing; }
cd "$tmp" || exit 1
rounds=${PLB_ROUNDS:-${PLB_QUICK:+1}} first=${SEED:-1}
rounds=${rounds:-2}
# So seldom and so long: with ten times as many naps all wait, and nothing overtakes anything.
at=${PLB_NAPS_AT:-0.0002:0.003}
export PLB_CLUSTER_THREADS=1
kernels=$BUILD/test/kernels cuda=$BUILD/test/fake-cuda fake=$BUILD/test/fake-mpi
naps=$BUILD/test/support/naps.so

# once SEED N ARGUMENTS...: plbrun on N ranks that take naps, stdout in $tmp/stdout; $dies: "RANK:PLACE" of a
# rank that is lost.
once() {
    local seed=$1 n=$2; shift 2
    local words=(--oversubscribe --bind-to none ${dies:+--enable-recovery} -np "$n" env "LD_PRELOAD=$naps"
        "PLB_NAPS=$seed:$at" ${dies:+"PLB_NAPS_DEATH=$dies"} "$PLBRUN" "$@")
    timeout 120 mpirun "${words[@]}" >stdout 2>out </dev/null
}
# over MPI COMMAND...: the real one, or the fake.
over() {
    if [ "$1" = real ]; then "${@:2}"; return; fi
    PATH=$fake:$PATH LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "${@:2}"
}
mpis=(real)
[ ! -x "$fake/mpirun" ] || mpis+=(fake)

# right NAME FORM WORDS...: so many rounds of `FORM SEED WORDS...` over each MPI are right.
right() {
    local name=$1 seed mpi status runs=0 wrong=0
    shift
    for ((seed = first; seed < first + rounds; seed++)); do
        for mpi in "${mpis[@]}"; do
            over "$mpi" "$1" "$seed" "${@:2}"
            status=$? runs=$((runs + 1))
            [ $status -ne 0 ] || grep -q 'may take naps' out || status=98
            [ $status -ne 0 ] || continue
            wrong=$((wrong + 1))
            wrong_run $status "over the $mpi MPI, seed $seed${dies:+, rank $dies}: $*"
            [ -z "${PLB_EVIDENCE:-}" ] || cat stdout out >"$PLB_EVIDENCE/$1.$mpi.$seed.${name//[ \/]/_}"
        done
    done
    [ $wrong -eq 0 ]
    ok "$name: $((runs - wrong)) of $runs runs are right" $?
}
# verified SEED N KERNEL ARGUMENTS...: the run says so; the fake CUDA runtime has found nothing.
verified() {
    printf '[app]\nkernel = %s\n' "$3" >job.conf
    rm -rf journal
    once "$1" "$2" --verify job.conf "${@:4}"
    local status=$?
    { [ $status -eq 0 ] || [ -n "$dies" ]; } && grep -q '; verified' out stdout && ! grep -q '^fake cuda' out
}
# lost SEED N KERNEL ARGUMENTS...: the same, where a rank other than 0 is lost somewhere. Before the first
# pass the run ends, and says so. Where the rank has ended before its place, it is lost at half as far a one.
lost() {
    local dies rank place
    RANDOM=$1
    rank=$((RANDOM % ($2 - 1) + 1))
    for ((place = RANDOM % 3000 + 1; place > 0; place /= 2)); do
        dies=$rank:$place
        if verified "$@"; then
            grep -q "rank $rank .*is lost" out && return
            continue
        fi
        grep -q "rank $rank .*was lost before the first pass.* start it again" out &&
            ! grep -q 're-executed elsewhere' out
        return
    done
    return 96
}
dies=''

# records SEED: two passes of them, which are as in a run that takes no naps.
records() {
    rm -f lines.txt
    verified "$1" 3 "$kernels/records.so" records.{units=4000,passes=2,lines=lines.txt} &&
        cmp lines.txt wanted
}
# command_lines SEED: no line is missing where rank 0 was lost before. Those of its last moments come twice.
command_lines() {
    local dies=0:$(($1 * 7919 % 2000 + 1000)) log=(--run 'echo {}' --range 1-200 -k -j 2 --joblog joblog)
    rm -f joblog*
    once "$1" 2 "${log[@]}"
    grep -q 'the process of rank 0 has ended' out || return 97 # mpirun may return 0 all the same
    mv stdout before
    dies=''
    once "$1" 2 "${log[@]}" --resume && sort -nu before stdout >both && cmp both <(seq 200) >>out &&
        cmp <(tail -n +2 joblog | cut -f 1) <(seq 200) >>out
}
# resumed SEED: a journal of a run whose rank 0 was lost.
resumed() {
    local dies=0:$(($1 * 7919 % 4000 + 1000)) chain=(chain.{units=200,passes=6,nap=0.0005})
    printf '[app]\nkernel = %s\n[run]\njournal = journal\n' "$kernels/chain.so" >job.conf
    rm -rf journal*
    once "$1" 2 --verify job.conf "${chain[@]}"
    grep -q 'the process of rank 0 has ended' out || return 97
    dies=''
    once "$1" 2 --verify --resume job.conf "${chain[@]}" && grep -q '; verified' out stdout
}

fed=("heat.named=yes" "heat.stays=yes")
right "inputs that are fed in turns" verified 3 "$kernels/turns.so" turns.turns=40 --balancer awf
right "inputs that each second pass feeds" verified 2 "$kernels/heat.so" "${fed[@]}" heat.{every=2,passes=40}
right "halos of short passes" verified 4 "$kernels/heat.so" "${fed[@]}" heat.passes=60
if [ -e "$cuda/kernels/heat.so" ]; then
    # shellcheck disable=SC2030
    unlike() (
        unset PLB_CLUSTER_PUS
        export PLB_FAKE_CUDA=devices=3 LD_LIBRARY_PATH=$cuda${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        verified "$@"
    )
    gpus=("$cuda/kernels/heat.so" "${fed[@]}" run.keep_results=yes
        heat.{unlike=yes,gather=1,cells=9001,passes=20})
    right "GPUs and CPUs" unlike 3 "${gpus[@]}" balance.grain=150
    right "GPUs and CPUs, and each second pass feeds" unlike 2 "${gpus[@]}" heat.every=2 balance.grain=150
else
    skip "GPUs and CPUs" "plbrun was built without CUDA's headers"
fi
right "phases" verified 4 "$kernels/phases.so" --balancer greedy balance.grain=70
right "large sums and replaced tables" verified 4 "$kernels/sums.so" sums.{units=200,passes=5,table=200000}
right "sums with the same bits" verified 3 "$kernels/folds.so" run.reproducible=yes balance.grain=100
right "labels that stay" verified 3 "$kernels/kmeans.so" kmeans.{labels,stays}=yes --balancer awf
right "checksums and audits" verified 2 "$kernels/chain.so" chain.{units=200,nap=0.0002} run.checksums=yes \
    run.audit=0.3
printf '[app]\nkernel = %s\n' "$kernels/records.so" >job.conf
alone job.conf records.{units=4000,passes=2,lines=wanted}
right "records" records
right "rank 0 is lost, and --resume goes on" command_lines
right "rank 0 is lost, and the journal has the rest" resumed
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    right "a rank is lost, inputs are fed in turns" lost 3 "$kernels/turns.so" turns.turns=60 --balancer awf
    right "a rank is lost, replaced buffers" lost 4 "$kernels/chain.so" chain.{units=200,nap=0.0002}
    right "a rank is lost, large sums" lost 4 "$kernels/sums.so" sums.{units=200,passes=5,table=200000}
else
    skip "a rank is lost" "this mpirun is not Open MPI 4"
fi
done_testing
