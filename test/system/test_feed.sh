#!/usr/bin/env bash
# Results that are the input of the next pass: heat in a rod, step by step. Each run is compared, bit by bit,
# with one loop over all steps.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/h.conf" '[app]' "kernel = $BUILD/test/kernels/heat.so" '[heat]' 'named = yes'
apart=cluster.master_only=yes # rank 0 computes nothing
fixed=(--balancer static balance.migration=off)

# right NAME N ARGUMENTS...: the result is.
right() {
    local name=$1 n=$2; shift 2
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/h.conf" "$@" && grep -q verified "$tmp/out"
    ok "$name" $?
}
alone --verify "$tmp/h.conf"
ok "one rank" $?
right "a hundred steps" 3 heat.passes=100 "${fixed[@]}"
for b in greedy sure plb-hec; do
    right "units that change hands: $b" 3 --balancer "$b" balance.grain=500
done
right "that setup has not named" 2 heat.named=no balance.grain=3000
right "after each third pass" 3 heat.every=3 "${fixed[@]}" balance.grain=3000
right "where inputs are not kept" 2 run.keep_inputs=no $apart
right "in child processes" 2 run.isolate=yes balance.grain=3000
right "with checksums and audits" 3 run.checksums=yes run.audit=0.3 balance.grain=3000
right "with checksums" 3 run.checksums=yes "${fixed[@]}" $apart balance.grain=3000
right "positions that all ranks have" 3 heat.whole=yes balance.grain=3000
lines "$tmp/gpu.cluster" '[node a]' 'pus = p' '[node b]' 'pus = q' '[node c]' 'pus = q' '[pu p]' \
    '[pu q]' 'kind = gpu' 'copy = 1e9, 1e-6'
right "on PUs with memory of their own" 3 cluster.file="$tmp/gpu.cluster" balance.grain=3000

# moved N PASSES ARGUMENTS...: the bytes of a run.
moved() {
    local n=$1 passes=$2; shift 2
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/h.conf" "${fixed[@]}" $apart heat.passes="$passes" \
        "$@" && field bytes_moved
}
# Results of 8 bytes go to rank 0. Each rank pulls a cell beside its own on each side, with its rate.
for n in $(counts 2 4); do
    one=$(moved "$n" 1) && ten=$(moved "$n" 10) && [ $((ten - one)) -ge $((9 * 20000 * 8)) ] &&
        [ $((ten - one)) -le $((9 * 20000 * 8 * 101 / 100)) ]
    ok "a rank pulls nothing that it has computed: $n ranks" $?
done
one=$(moved 2 1 balance.grain=2000) && ten=$(moved 2 10 balance.grain=2000) &&
    [ $((ten - one)) -le $((9 * 20000 * 8 * 101 / 100)) ]
ok "nor does it in tasks" $?
one=$(moved 2 1 run.keep_inputs=no) && ten=$(moved 2 10 run.keep_inputs=no) &&
    [ $((ten - one)) -ge $((9 * 20000 * 24)) ]
ok "one that keeps nothing pulls all of it" $?

# A rank is lost in the second pass. Others pull what it has computed.
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    # shellcheck disable=SC2034 # lib.sh uses it
    LAUNCH=(timeout 120 mpirun --enable-recovery) gate_at=1
    started 3 --verify "$tmp/h.conf" "${fixed[@]}"
    kill -KILL "$(process_of 1)"
    await 1 'is lost'
    open_gate
    wait "$run" && grep -q "rank 1 on .* is lost" "$tmp/out" && grep -q verified "$tmp/out"
    ok "the result is right where a rank is lost" $?
else
    skip "the result is right where a rank is lost" "this mpirun is not Open MPI 4"
fi

# Rank 0 is killed in a later pass: the journal has the input of that pass.
j=$tmp/j
broken() {
    rm -f "$j"* "$tmp/gate"
    PLB_TEST_GATE=15:$tmp/gate "$PLBRUN" --quiet "$tmp/h.conf" run.journal="$j" balance.grain=2000 "$@" \
        >"$tmp/out" 2>&1 &
    run=$!
    await 1 'a task waits at the gate' && soon test -s "$j.pass" && kill -9 $run
    wait $run 2>/dev/null
    [ -s "$j.pass" ]
}
for whole in no yes; do
    broken heat.whole=$whole &&
        alone --resume --verify "$tmp/h.conf" run.journal="$j" balance.grain=2000 heat.whole=$whole &&
        grep -q 'resumed in pass [23]' "$tmp/out" && grep -q verified "$tmp/out"
    ok "a run that broke goes on, whole = $whole" $?
done

# refused NAME PATTERN ARGUMENTS...: with one sentence.
refused() {
    local name=$1 pattern=$2; shift 2
    alone "$tmp/h.conf" heat.named=no "$@"
    [ $? -ne 0 ] && grep -q "plb_app_feed.*: $pattern" "$tmp/out"
    ok "$name" $?
}
refused "an input is no result" 'the first handle is none of an OUTPUT' heat.from=0
refused "a result is no input" 'the second handle is none of a PARTITION' heat.to=2
refused "there is no such buffer" 'the first handle is none' heat.from=-7
refused "results that stay are nowhere else" 'the results stay at their nodes' heat.stays=yes
done_testing
