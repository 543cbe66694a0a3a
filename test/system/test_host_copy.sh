#!/usr/bin/env bash
# Ranks of a host share one copy of replicated data, and none of them takes it along when it ends.
. "$(dirname "$0")/../support/lib.sh"
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    skip "one copy on a host" "this mpirun is not Open MPI 4"
    done_testing
fi
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/spread.so" \
    '[spread]' 'bytes = 64000000' 'passes = 1' '[balance]' 'balancer = static'
# shellcheck disable=SC2034 # lib.sh uses it
LAUNCH=(timeout 120 mpirun --enable-recovery) gate_at=1

# memory RANK: kB of this rank, of shared pages its part.
memory() { awk '/^Pss:/ {print $2}' "/proc/$(process_of "$1")/smaps_rollup"; }
# shares RANK: it has mapped the copy, for reading alone.
shares() { grep -q 'r--s .*memfd:plbrun' "/proc/$(process_of "$1")/maps"; }

started 4 --report "$tmp/r.json" "$tmp/s.conf" && shares 1 && shares 2 && shares 3 && ! shares 0
ok "all ranks but rank 0 have mapped one copy" $?
all=$(($(memory 1) + $(memory 2) + $(memory 3)))
[ -n "${SAN:-}" ] || [ "$all" -lt 150000 ] || echo "$all kB" >>"$tmp/out"
[ -n "${SAN:-}" ] || [ "$all" -lt 150000 ]
ok "they have less memory than three copies" $?
kill -KILL "$(process_of 1)"
await 1 'rank 1 on .* is lost'
open_gate
wait "$run"
ok "the others read it after the loss of the rank that has made it" $?
[ "$(field bytes_moved)" -lt 65000000 ]
ok "it has travelled once" $?
# It cannot be written to, so that replaced buffers come into other memory.
ranks 4 "$tmp/s.conf" spread.passes=3
ok "a copy that is replaced" $?
# Others execute its units, and replace the buffer twice. It must not be the memory of its task.
export SPREAD_FOLDER=$tmp/late
mkdir "$SPREAD_FOLDER"
SPREAD_LATE=2 ranks 4 "$tmp/s.conf" spread.passes=3 &&
    grep -q 'a late task has read its buffer' "$tmp/out"
ok "a late task reads the copy while ranks of its host go on" $?
rm "$SPREAD_FOLDER"/*
SPREAD_LATE=2 ranks 4 "$tmp/s.conf" spread.passes=4 spread.parts=9 &&
    grep -q 'a late task has read its buffer' "$tmp/out"
ok "also where only parts are replaced" $?
done_testing
