#!/usr/bin/env bash
# Runs that end on request: SIGUSR1, a limit of time, Slurm's end of the job.
# test/run: real MPI, since its mpirun has its own ways with signals.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" \
    '[sleeper]' 'units = 2000' 'out = y.npy' 'tell = yes' '[balance]' 'grain = 20'
# Rank 0 hangs in a task. The other rank has work for a minute.
lines "$tmp/h.conf" '[app]' "kernel = $BUILD/test/kernels/straggler.so" \
    '[straggler]' 'units = 60000' 'hangs = yes' 'rank = 0' 'tell = yes'
ends='no new task starts, and running tasks have'

# naps N ARGUMENTS...: a run whose tasks wait at the gate; false where it ends before.
naps() {
    local n=$1; shift
    rm -f "$tmp"/r.json "$tmp"/y.npy*
    started "$n" --report "$tmp/r.json" "$tmp/s.conf" --keep-partial "$@"
}
# hangs N ARGUMENTS...: a run whose rank 0 hangs.
hangs() {
    local n=$1; shift
    rm -f "$tmp/r.json"
    begin "$n" --report "$tmp/r.json" "$tmp/h.conf" "$@"
    await 1 'straggler: late'
}
# wished: mpirun passes SIGUSR1 on to all ranks, and the end begins.
wished() { kill -USR1 "$run"; await 1 "$ends"; }
# interrupted WHY UNITS: the run's status is 1, and sentence and report say that it was interrupted so.
interrupted() {
    wait "$run"
    [ $? -eq 1 ] && [ "$(grep -c "plbrun: $1 after [0-9]* of $2 [a-z]* of pass 1; to compute all, " \
        "$tmp/out")" -eq 1 ] && [ "$(field status)" = interrupted ] && [[ $(field error) == "$1"* ]]
}

for n in 1 2 3; do
    naps $n && wished
    open_gate
    interrupted 'interrupted by SIGUSR1' 2000 && kept 2000 && [ ! -e "$tmp/y.npy" ]
    ok "SIGUSR1, $n ranks" $?
    ! grep -q 'sleeper: cancelled' "$tmp/out" && grep -q "$ends 30 s to end" "$tmp/out"
    ok "tasks that run may end, $n ranks" $?
done
naps 2
kill -TERM "$(process_of 0)" # not mpirun, which would kill rank 0 after a while
interrupted 'interrupted by SIGTERM' 2000 && grep -q 'sleeper: cancelled' "$tmp/out"
ok "SIGTERM does not wait for tasks" $?

hangs 2 run.grace=1s
wished
interrupted 'interrupted by SIGUSR1' 60000
ok "the grace time bounds the wait for a task that hangs" $?

hangs 2 run.grace=1h
wished
sleep 0.7 # half a second has to lie between two signals
kill -USR1 "$run"
interrupted 'interrupted by SIGUSR1' 60000
ok "after a second SIGUSR1 no task is waited for" $?

hangs 1 run.grace=1h
wished
sleep 0.7
kill -TERM "$(process_of 0)"
interrupted 'interrupted by SIGUSR1' 60000
ok "nor after a SIGTERM" $?

# Where a busy machine needs longer for the begin than the limit, a larger limit is tried.
for n in 1 3; do
    for limit in 2 8 32; do
        naps $n run.time_limit=${limit}s && break
        wait "$run"
    done
    await 1 "$ends"
    open_gate
    interrupted "the time limit (run.time_limit = ${limit}s) was reached" 2000 && kept 2000
    ok "a limit of time, $n ranks" $?
done
for left in 3 9 27; do
    export SLURM_JOB_END_TIME=$(($(date +%s) + left))
    # An end that has passed before the run reads it is none.
    naps 2 && PATIENCE=$((left + 20)) await 1 "$ends" && break
    open_gate
    wait "$run"
done
open_gate
interrupted 'interrupted because Slurm is about to end the job' 2000 && kept 2000
ok "the end of Slurm's job" $?
export SLURM_JOB_END_TIME=$(($(date +%s) + 2))
naps 2 run.time_limit=off
while [ "$(date +%s)" -le "$SLURM_JOB_END_TIME" ]; do sleep 0.1; done
open_gate
wait "$run" && [ "$(field status)" = "done" ]
ok "no limit of time" $?
unset SLURM_JOB_END_TIME

ranks 2 "$tmp/s.conf" run.time_limit=soon
[ $? -eq 2 ] && grep -q 'time_limit = soon is not a time such as 90s, 30m, 2h, 1d or 1:30:00' "$tmp/out"
ok "a limit that is no time is refused" $?
done_testing
