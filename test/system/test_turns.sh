#!/usr/bin/env bash
# Two inputs that are fed in turns, by results that stay at their ranks. Ranks are stopped for moments, so
# that others help, and results find no place at their rank. Each task looks whether its inputs are of one
# pass.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/t.conf" '[app]' "kernel = $BUILD/test/kernels/turns.so"
export PLB_CLUSTER_THREADS=1

# stop_ranks N: stops a rank of N for some hundredths of a second, again and again, until the run has ended.
stop_ranks() {
    local pids=() rank pid
    for ((rank = 0; rank < $1; rank++)); do soon process_found "$rank"; pids[rank]=$(process_of "$rank"); done
    while kill -0 "$run" 2>/dev/null; do
        pid=${pids[RANDOM % $1]}
        kill -STOP "$pid" 2>/dev/null && sleep "0.0$((RANDOM % 3))$((RANDOM % 9 + 1))"
        kill -CONT "$pid" 2>/dev/null
        sleep 0.01
    done
}
process_found() { [ -n "$(process_of "$1")" ] || ! kill -0 "$run" 2>/dev/null; }

# stopped N ARGUMENTS...: such a run has the right result.
stopped() {
    begin "$@"
    stop_ranks "$1"
    wait "$run" && grep -q '; verified' "$tmp/out"
}
RANDOM=1
for n in $(counts 1 2 3); do
    ranks "$n" --verify "$tmp/t.conf" && grep -q '; verified' "$tmp/out"
    ok "inputs that are fed in turns, $n ranks" $?
done
for balancer in $(counts awf awf sure greedy); do
    stopped 3 --verify --balancer "$balancer" "$tmp/t.conf" turns.turns=400
    ok "ranks that are stopped for moments, $balancer" $?
done
stopped 3 --verify "$tmp/t.conf" run.checksums=yes
ok "with checksums" $?
stopped 3 --verify "$tmp/t.conf" run.keep_inputs=no
ok "without memory for inputs" $?
done_testing
