#!/usr/bin/env bash
# Every reduction on one to three ranks, with losses, audits and a journal; and declarations that are wrong.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/folds.conf" '[app]' "kernel = $BUILD/test/kernels/folds.so" '[balance]' 'grain = 20'
lines "$tmp/three.cluster" '[node a]' 'pus = p, q' '[node b]' 'pus = q' '[node c]' 'pus = q' \
    '[pu p]' '[pu q]' 'kind = gpu' 'copy = 1e9, 1e-6'

for n in $(counts 1 2 3); do
    ranks "$n" --verify "$tmp/folds.conf"
    ok "every reduction, $n ranks" $?
done
ranks 3 --verify "$tmp/folds.conf" cluster.file="$tmp/three.cluster"
ok "on PUs with memory of their own" $?
ranks 2 --verify "$tmp/folds.conf" run.audit=0.5 run.checksums=yes &&
    grep -q '[1-9][0-9]* tasks audited, 0 differences; .*verified' "$tmp/out"
ok "with audits and checksums" $?
# Sums of floating-point numbers have the same bits whoever computes what.
# bits NAME N ARGUMENTS...: the run is right, and its sum is that of all others.
bits() {
    local name=$1 n=$2; shift 2
    rm -f "$tmp/sum.npy"
    ranks "$n" --verify "$tmp/folds.conf" run.reproducible=yes folds.units=5003 \
        folds.out="$tmp/sum.npy" "$@" &&
        { [ -e "$tmp/same.npy" ] || cp "$tmp/sum.npy" "$tmp/same.npy"; } &&
        cmp "$tmp/sum.npy" "$tmp/same.npy" >>"$tmp/out" 2>&1
    ok "the same bits: $name" $?
}
bits "one rank" 1
bits "one rank, another balancer" 1 --balancer greedy balance.grain=1
bits "two ranks" 2 --balancer static
bits "three ranks that take from each other" 3 --balancer static folds.nap=0.0001
bits "PUs with memory of their own" 3 cluster.file="$tmp/three.cluster"
bits "audits and checksums" 2 run.audit=0.5 run.checksums=yes
alone "$tmp/folds.conf" run.reproducible=yes run.journal="$tmp/j"
[ $? -eq 2 ] && grep -q 'run.reproducible and run.journal exclude each other' "$tmp/out"
ok "a journal is refused" $?

# A rank is lost while its PUs are in their 9th task. The units that it had reported count once, and others
# execute the rest.
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    # shellcheck disable=SC2034 # lib.sh uses it
    LAUNCH=(timeout 120 mpirun --enable-recovery) gate_at=9
    started 3 --verify "$tmp/folds.conf" folds.nap=0.0005
    kill -KILL "$(process_of 1)"
    await 1 'is lost'
    open_gate
    wait "$run" && grep -q "rank 1 on .* is lost" "$tmp/out" && grep -q 'verified' "$tmp/out"
    ok "each unit counts once where a rank is lost" $?
    rm -f "$tmp/sum.npy"
    started 3 --verify "$tmp/folds.conf" run.reproducible=yes folds.units=5003 folds.nap=0.0005 \
        folds.out="$tmp/sum.npy"
    kill -KILL "$(process_of 1)"
    await 1 'is lost'
    open_gate
    wait "$run" && grep -q "rank 1 on .* is lost" "$tmp/out" &&
        cmp "$tmp/sum.npy" "$tmp/same.npy" >>"$tmp/out" 2>&1
    ok "and the bits are the same" $?
else
    skip "each unit counts once where a rank is lost" "this mpirun is not Open MPI 4"
fi

# refused FAULT PATTERN: ends before it begins, with this sentence.
refused() {
    alone "$tmp/folds.conf" "folds.fault=$1"
    [ $? -eq 2 ] && grep -q "kernel folds: buffer 'wrong' $2" "$tmp/out"
    ok "a wrong declaration: $1" $?
}
refused bytes 'is reduced and must be a whole number of 4-byte elements'
refused lists 'must be a whole number of lists of 3 pairs'
done_testing
