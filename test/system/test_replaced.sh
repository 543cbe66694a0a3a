#!/usr/bin/env bash
# Replaced buffers that go from rank to rank, also where one of these is lost meanwhile: the next one gets
# what it lacks from rank 0. The kernel looks whether each unit has read the right buffer, in each pass.
. "$(dirname "$0")/../support/lib.sh"
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    skip "replaced buffers" "this mpirun is not Open MPI 4"
    done_testing
fi
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/spread.so" '[spread]' 'bytes = 3000000'
export SPREAD_FOLDER=$tmp/pids
mkdir "$SPREAD_FOLDER"

# spread ARGUMENTS...: a run on four ranks that goes on after a loss.
spread() {
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun --enable-recovery $MPIRUN_OPTIONS -np 4 "$PLBRUN" --log debug "$tmp/s.conf" "$@" \
        >"$tmp/out" 2>&1
}
spread && [ "$(grep -c 'replaced buffers go along 3 ranks' "$tmp/out")" -eq 2 ]
ok "large buffers go from rank to rank in each pass" $?
spread spread.bytes=60000 && ! grep -q 'replaced buffers go along' "$tmp/out"
ok "small ones come from rank 0" $?
# It cannot hand anything on: the pass begins in the moment in which it gets the signal.
for signal in KILL STOP; do
    SPREAD_VICTIM="0 2 $(kill -l $signal) 0" spread && grep -q 'rank 2 on .* is lost' "$tmp/out" &&
        grep -q 'rank 3 lacks replaced buffers from piece 0 of 23 on' "$tmp/out"
    ok "a rank in the middle is lost before it has anything, SIG$signal" $?
done
SPREAD_VICTIM="0 3 9 0" spread && grep -q 'rank 3 on .* is lost' "$tmp/out" && ! grep -q 'lacks' "$tmp/out"
ok "the last rank is lost" $?
# Some have a part of the buffer by then, or all of it.
status=0
for try in '1 9 1' '2 9 5' '2 19 9' '1 9 20'; do
    SPREAD_VICTIM="0 $try" spread spread.bytes=40000000 && grep -q 'is lost' "$tmp/out" || status=1
done
ok "a rank is lost while the buffer travels" $status
done_testing
