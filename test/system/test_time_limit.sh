#!/usr/bin/env bash
# Runs that end on request: SIGUSR1, a limit of time, Slurm's end of the job.
. "$(dirname "$0")/../support/lib.sh"
export OMPI_MCA_odls_base_sigkill_timeout=4
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" \
    '[sleeper]' 'units = 60000' 'out = y.npy' 'tell = yes'
lines "$tmp/h.conf" '[app]' "kernel = $BUILD/test/kernels/straggler.so" \
    '[straggler]' 'units = 60000' 'hangs = yes' 'rank = 0'

# field KEY: what the report says.
field() { python3 -c "import json; print(json.load(open('$tmp/r.json'))['$1'])"; }

# started RANKS CONF ARGUMENTS...: a run in the background that has begun its pass; its pid is in $run.
started() {
    local n=$1 conf=$2; shift 2
    rm -f "$tmp"/*.json "$tmp"/y.npy*
    # shellcheck disable=SC2086 # several words
    mpirun $MPIRUN_OPTIONS -np "$n" "$PLBRUN" --show-pus --report "$tmp/r.json" "$tmp/$conf" "$@" \
        >"$tmp/out" 2>&1 &
    run=$!
    for _ in $(seq 200); do
        [ "$(grep -c 'PU [0-9]*: rank' "$tmp/out")" -ge "$n" ] && break
        sleep 0.1
    done
    sleep 1
}
# interrupted WHY: the run's status is 1, and sentence and report say that it was interrupted so.
interrupted() {
    wait "$run"
    [ $? -eq 1 ] && [ "$(grep -c "plbrun: $1 when [0-9]* of 60000 [a-z]* of pass 1 were done; to have all, " \
        "$tmp/out")" -eq 1 ] && [ "$(field status)" = interrupted ] && [[ $(field error) == "$1"* ]]
}
# kept: NAME.partial has the right values where NAME.partial.units says.
kept() {
    python3 - "$tmp" <<'P'
import struct, sys
tmp = sys.argv[1]
data = open(tmp + '/y.npy.partial', 'rb').read()
values = struct.unpack('<60000d', data[-480000:])
ranges = [tuple(map(int, line.split(','))) for line in open(tmp + '/y.npy.partial.units') if line[0] != '#']
units = [u for first, last in ranges for u in range(first, last + 1)]
sys.exit(0 if 0 < len(units) < 60000 and all(values[u] == u + 1 for u in units) else 1)
P
}

for n in 1 2 3; do
    started $n s.conf --keep-partial
    kill -USR1 "$run" # mpirun passes it on to all ranks
    interrupted 'interrupted by SIGUSR1' && kept && [ ! -e "$tmp/y.npy" ]
    ok "SIGUSR1, $n ranks" $?
    ! grep -q 'sleeper: cancelled' "$tmp/out" && grep -q 'have 30 s to end' "$tmp/out"
    ok "tasks that run may end, $n ranks" $?
done
started 2 s.conf
kill -TERM "$run"
interrupted 'interrupted by SIGTERM' && grep -q 'sleeper: cancelled' "$tmp/out"
ok "SIGTERM does not wait for tasks" $?

started 2 h.conf run.grace=1s
kill -USR1 "$run"
interrupted 'interrupted by SIGUSR1'
ok "the grace time bounds the wait for a task that hangs" $?

started 2 h.conf run.grace=1h
kill -USR1 "$run"
sleep 1
kill -USR1 "$run"
interrupted 'interrupted by SIGUSR1'
ok "after a second SIGUSR1 no task is waited for" $?

started 1 h.conf run.grace=1h
kill -USR1 "$run"
sleep 1
kill -TERM "$run"
interrupted 'interrupted by SIGUSR1'
ok "nor after a SIGTERM" $?

for n in 1 3; do
    started $n s.conf --keep-partial run.time_limit=4s
    interrupted 'the time limit (run.time_limit = 4s) was reached' && kept
    ok "a limit of time, $n ranks" $?
done
export SLURM_JOB_END_TIME=$(($(date +%s) + 6))
started 2 s.conf --keep-partial
interrupted 'interrupted since Slurm will end the job' && kept
ok "the end of Slurm's job" $?
export SLURM_JOB_END_TIME=$(($(date +%s) + 2))
ranks 2 --report "$tmp/r.json" "$tmp/s.conf" sleeper.units=6000 run.time_limit=off
[ $? -eq 0 ] && [ "$(field status)" = "done" ]
ok "no limit of time" $?
unset SLURM_JOB_END_TIME

ranks 2 "$tmp/s.conf" run.time_limit=soon
[ $? -eq 2 ] && grep -q 'time_limit = soon is not a time such as 90s, 30m, 2h, 1d or 1:30:00' "$tmp/out"
ok "a limit that is no time is refused" $?
done_testing
