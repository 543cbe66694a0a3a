#!/usr/bin/env bash
# Two inputs that are fed in turns, by results that stay at their ranks. Ranks are stopped for moments, so
# that others help, and results find no place at their rank. Or a rank is killed. Each task looks whether its
# inputs are of one pass.
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
    open_gate
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

# A rank is lost. Rank 0 had all inputs at the last pass that began after two passes were gathered.
# shellcheck disable=SC2034 # lib.sh uses it
LAUNCH=(timeout 120 mpirun --enable-recovery)
# lost MOST ARGUMENTS...: the result is right without rank 1, and so many passes are repeated at most.
lost() {
    local most=$1 again
    shift
    # shellcheck disable=SC2034 # lib.sh reads it
    gate_at=60
    started 3 --verify --balancer static "$tmp/t.conf" balance.{migration,backups}=no "$@" &&
        kill -KILL "$(process_of 1)" && await 1 'is lost' # no other rank executes what waits at the gate
    open_gate
    wait "$run" && grep -q '; verified' "$tmp/out" &&
        again=$(sed -n 's/.*: .*the last \([0-9]*\) are re-executed.*/\1/p' "$tmp/out") &&
        [ "$again" -le "$most" ] && grep -qE "; $again pass(es)? re-executed in " "$tmp/out"
}
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    lost 1000
    ok "a rank is lost" $?
    lost 12 turns.gather=10
    ok "a rank is lost, and both inputs were gathered before" $?
else
    skip "a rank is lost" "this mpirun is not Open MPI 4"
fi
done_testing
