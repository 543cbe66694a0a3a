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
spread spread.bytes=60000 && [ -s "$tmp/out" ] && ! grep -q 'replaced buffers go along' "$tmp/out"
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

# Each part is a piece of its own size, at a place of its own in each pass.
status=0
for try in '1 1 3000000' '2 16 3000000' '3 700 3000000' '4 1 60000' '4 5000 3000000'; do
    # shellcheck disable=SC2086 # three words
    set -- $try
    ranks "$1" "$tmp/s.conf" spread.passes=4 spread.parts="$2" spread.bytes="$3" || status=1
done
ok "parts of a buffer, on 1 to 4 ranks" $status
# A whole buffer comes before the packet; both are large, or the packet alone, or the buffer alone, or none.
status=0
for try in '3000000 3000000' '3000000 8' '30000 3000000' '30000 8'; do
    ranks 3 "$tmp/s.conf" spread.passes=4 spread.parts=16 spread.bytes="${try% *}" \
        spread.second="${try#* }" cluster.master_only=yes || status=1
done
ok "parts of one buffer and another as a whole" $status
ranks 2 "$tmp/s.conf" spread.passes=4 spread.parts=16 run.isolate=yes
ok "in child processes" $?
lines "$tmp/two.cluster" '[node a]' 'pus = p' '[node b]' 'pus = q' '[pu p]' '[pu q]' 'kind = gpu' \
    'copy = 1e9, 1e-6'
ranks 2 "$tmp/s.conf" spread.passes=8 spread.units=640 spread.parts=16 cluster.file="$tmp/two.cluster"
ok "on a PU with memory of its own" $?
# moved ARGUMENTS...: bytes that a run on four ranks has moved.
moved() { ranks 4 --report "$tmp/r.json" "$tmp/s.conf" spread.passes=9 "$@" && field bytes_moved; }
first=$(moved spread.passes=1) whole=$(moved) parts=$(moved spread.parts=16)
echo "moved: $first in the first pass, $whole with whole buffers, $parts with parts" >>"$tmp/out"
[ "$whole" -gt 72000000 ] && [ "$((parts - first))" -gt 9000000 ] && [ "$((parts - first))" -lt 9100000 ]
ok "only the parts travel" $?
SPREAD_VICTIM="0 2 9 0" spread spread.parts=16 && grep -q 'rank 2 on .* is lost' "$tmp/out" &&
    grep -q 'rank 3 lacks replaced buffers from piece 0 of 4 on' "$tmp/out"
ok "a rank in the middle is lost before it has any part" $?
status=0
for try in '1 9 1' '2 9 3'; do
    SPREAD_VICTIM="0 $try" spread spread.bytes=80000000 spread.parts=500 && grep -q 'is lost' "$tmp/out" ||
        status=1
done
ok "a rank is lost while the parts travel" $status
done_testing
