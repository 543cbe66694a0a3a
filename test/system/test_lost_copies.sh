#!/usr/bin/env bash
# After a loss rank 0 may execute what another rank executes, too. So it no longer writes results in place.
# And a rank that ends by itself is a loss like any other.
. "$(dirname "$0")/../support/lib.sh"
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    skip "copies after a loss" "this mpirun is not Open MPI 4"
    done_testing
fi
lines "$tmp/p.conf" '[app]' "kernel = $BUILD/test/kernels/places.so" '[balance]' 'backups = off'

survives() { # RANKS: a run that goes on after a loss
    # shellcheck disable=SC2086 # several words
    timeout 120 mpirun --enable-recovery $MPIRUN_OPTIONS -np "$1" "$PLBRUN" "$tmp/p.conf" >"$tmp/out" 2>&1
}
# The last units may move between ranks: a task with such units is copied.
survives 3 && grep -q 'most tasks of rank 0 wrote in place' "$tmp/out"
ok "undisturbed, large outputs are written in place" $?
PLACES_EXIT=1 survives 3 && grep -q 'rank 1 on .* is lost (its kernel has crashed)' "$tmp/out"
ok "a rank that exits is lost, and the run goes on" $?
grep -q 'the last task of rank 0 wrote a copy' "$tmp/out"
ok "and what rank 0 executes after that is copied" $?
done_testing
