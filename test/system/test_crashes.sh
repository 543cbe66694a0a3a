#!/usr/bin/env bash
# A kernel that crashes is named in one sentence, with PU and range; the signal takes its course. A rank that
# exits ends all ranks.
# test/run: real MPI, which has handlers of its own.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "crashes" "a sanitizer has its own handlers"; done_testing; }
ulimit -c 0

lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/kernels/crasher.so"

# crashes NAME STATUS PATTERN ARGUMENTS...: plbrun alone says one sentence, and ends by the signal.
crashes() {
    local name=$1 wanted=$2 pattern=$3 status; shift 3
    (alone "$tmp/app.conf" "$@"); status=$?
    echo "status $status" >>"$tmp/out"
    [ $status -eq "$wanted" ] && [ "$(grep -c '^plbrun: rank 0: ' "$tmp/out")" -eq 1 ] \
        && grep -qE "$pattern" "$tmp/out"
    ok "$name" $?
}
task='on its PU 0 in things? [0-9]+( to [0-9]+)?; '
range() { # the range that the sentence names has unit 500
    local first last
    read -r first last < <(sed -nE 's/.* in things? ([0-9]+)( to ([0-9]+))?.*/\1 \3/p' "$tmp/out")
    first=${first:-501}
    [ "$first" -le 500 ] && [ 500 -le "${last:-$first}" ]
}

alone "$tmp/app.conf"; ok 'a kernel that does not crash' $?
crashes 'segmentation fault' 139 "kernel crasher crashed \(SIGSEGV\) $task.*outside of its buffers" \
    crasher.way=segv
range; ok 'the range has the unit' $?
crashes 'bus error' 135 "kernel crasher crashed \(SIGBUS\) $task" crasher.way=bus
crashes 'division' 136 "kernel crasher crashed \(SIGFPE\) $task" crasher.way=fpe
crashes 'illegal instruction' 132 "kernel crasher crashed \(SIGILL\) $task" crasher.way=ill
crashes 'abort' 134 "kernel crasher crashed \(SIGABRT\) $task.*abort\(\)" crasher.way=abrt
crashes 'a stack that is full' 139 "kernel crasher crashed \(SIGSEGV\) $task" crasher.way=stack
crashes 'a thread of the kernel' 139 \
    "crashed \(SIGSEGV\) in a thread of its own, or of a library, while it ran $task" crasher.way=thread
range; ok 'the range of the task that runs has the unit' $?

# The sentence of the first one waits in a full pipe, and the signal of the others does not end it there.
mkfifo "$tmp/full"
exec 9<>"$tmp/full"
head -c 65536 /dev/zero >&9
OMPI_MCA_opal_signal='' timeout 60 "$PLBRUN" "$tmp/app.conf" crasher.way=gang >/dev/null 2>&9 9>&- &
sleep 1.5
tr -d '\0' <"$tmp/full" >"$tmp/out" 9>&- &
exec 9>&-
wait
grep -qE "^plbrun: rank 0: .* crashed \(SIGSEGV\) in a thread of its own, .* while it ran $task" "$tmp/out"
ok 'several threads at once' $?

crashes 'setup' 139 'kernel crasher crashed \(SIGSEGV\) in its function setup; ' crasher.way=setup
crashes 'cost' 139 'kernel crasher crashed \(SIGSEGV\) in its function cost; ' crasher.way=cost
crashes 'verify' 139 'kernel crasher crashed \(SIGSEGV\) in its function verify; ' --verify crasher.way=verify
crashes 'setup in a simulation' 139 'crashed \(SIGSEGV\) in its function setup; ' \
    --simulate "$root/hostfiles/li.cluster" crasher.way=setup

# A signal from elsewhere is nobody's crash.
lines "$tmp/sent.conf" '[app]' "kernel = $BUILD/test/kernels/beside.so" '[beside]' 'rows = 100'
PLB_TEST_GATE=1:$tmp/gate "$PLBRUN" --quiet "$tmp/sent.conf" >"$tmp/out" 2>&1 &
run=$!
await 1 'a task waits at the gate' && kill -SEGV $run
wait $run
[ $? -eq 139 ] && grep -q "^plbrun: rank 0: process $$ ended it (SIGSEGV)" "$tmp/out" &&
    ! grep -q crashed "$tmp/out"
ok 'a signal that another process has sent' $?

ranks 3 "$tmp/app.conf" crasher.way=segv
[ $? -ne 0 ] && grep -qE "^plbrun: rank [0-2]: kernel crasher crashed \(SIGSEGV\) $task" "$tmp/out" && range
ok '3 ranks: segmentation fault' $?
ranks 3 "$tmp/app.conf" crasher.way=setup
[ $? -ne 0 ] && grep -q '^plbrun: rank 0: kernel crasher crashed (SIGSEGV) in its function setup' "$tmp/out"
ok '3 ranks: setup' $?

# hwloc opens OpenCL inside of MPI_Init where a loader is installed. Libraries behind it take our signals.
cp "$BUILD/test/support/opencl.so" "$tmp/libOpenCL.so.1"
export LD_LIBRARY_PATH=$tmp${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
alone "$tmp/app.conf" && ! grep -q opencl: "$tmp/out"; ok 'MPI opens no OpenCL' $?
export HWLOC_COMPONENTS='' # what the user has set is kept
alone "$tmp/app.conf"
if ! grep -q '^opencl: opened' "$tmp/out"; then
    skip 'OpenCL in MPI_Init' "this MPI's hwloc has no plug-in for OpenCL"
else
    crashes 'OpenCL: bus error' 135 "kernel crasher crashed \(SIGBUS\) $task" crasher.way=bus
    crashes 'OpenCL: division' 136 "kernel crasher crashed \(SIGFPE\) $task" crasher.way=fpe
    crashes 'OpenCL: illegal instruction' 132 "kernel crasher crashed \(SIGILL\) $task" crasher.way=ill
    # timeout asks by SIGUSR1, which ends the run in order.
    lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" '[sleeper]' 'units = 2000'
    # A PU that is alone has few tasks.
    gate_at=1 started 1 "$tmp/s.conf" && kill -USR1 "$(process_of 0)" && await 1 'no new task starts'
    open_gate
    wait "$run"
    [ $? -eq 1 ] && grep -q 'interrupted by SIGUSR1' "$tmp/out"; ok 'OpenCL: SIGUSR1' $?
fi
unset LD_LIBRARY_PATH HWLOC_COMPONENTS

crashes 'exit' 1 "kernel crasher called exit\(\) $task" crasher.way=quit
crashes 'exit in setup' 1 'kernel crasher called exit\(\) in its function setup; ' crasher.way=setup_quit
ranks 3 "$tmp/app.conf" crasher.way=quit
[ $? -eq 1 ] && grep -qE "^plbrun: rank [0-2]: kernel crasher called exit\(\) $task" "$tmp/out" &&
    ! grep -q 'MPI_ABORT was invoked' "$tmp/out"
ok "3 ranks: an exit in an entry ends all" $?
# A launcher may leave the other ranks waiting for one that has gone, unless that one says so.
ranks 3 "$tmp/app.conf" crasher.way=setup_quit
# Open MPI sometimes loses its own sentence, and says so.
[ $? -eq 1 ] && grep -qF 'plbrun: rank 0: kernel crasher called exit() in its function setup' "$tmp/out" &&
    grep -qE 'MPI_ABORT was invoked on rank|called MPI_Abort|ORTE_ERROR_LOG: .*show_help' "$tmp/out"
ok "3 ranks: an exit in setup ends all" $?
done_testing
