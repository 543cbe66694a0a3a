#!/usr/bin/env bash
# scripts/plbrun-mpirun: the status of rank 0, signals, an mpirun that hangs, and one that is unknown.
# test/run: real MPI, whose mpirun this is about.
. "$(dirname "$0")/../support/lib.sh"
launcher=$root/scripts/plbrun-mpirun
unset HWLOC_COMPONENTS # as for users: mpirun itself may find OpenCL, whose compiler takes signals
mkdir "$tmp/work" "$tmp/bin"
cd "$tmp/work" || exit
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" \
    '[sleeper]' 'units = 60000' 'out = y.npy'
printf '[app]\nkernel = %s\n[faulty]\ny = y.npy\n' "$BUILD/test/kernels/faulty.so" >"$tmp/f.conf"

# launched ARGUMENT...: the launcher with the options that tests need; returns its status.
launched() {
    # shellcheck disable=SC2086 # several words
    timeout 120 "$launcher" $MPIRUN_OPTIONS "$@" >"$tmp/out" 2>&1
}
nothing_left() { [ -z "$(ls -A)" ]; }

launched -np 2 "$PLBRUN" "$tmp/f.conf" && grep -q '^faulty: ' "$tmp/out" && nothing_left
ok "a run that ends well: status 0, and no file is left" $?
launched -np 2 "$PLBRUN" "$tmp/f.conf" faulty.fault=entry
[ $? -eq 1 ] && grep -q 'kernel faulty returned 7' "$tmp/out"
ok "a run that fails: status 1" $?
launched -np 2 "$PLBRUN" "$tmp/none.conf"
[ $? -eq 2 ] && grep -q 'none.conf' "$tmp/out" && nothing_left
ok "a wrong conf file: status 2" $?
launched -np 2 "$PLBRUN" --verify "$tmp/f.conf" faulty.fault=wrong
[ $? -eq 3 ]
ok "a wrong result: status 3" $?
launched -np 1 "$PLBRUN" --version && grep -qx 'plbrun .*' "$tmp/out"
ok "a question: status 0" $?
launched -np 1 /bin/true
[ $? -eq 1 ] && grep -q 'mpirun ended with status 0, and plbrun had not begun' "$tmp/out"
ok "another program, which says nothing: status 1" $?
launched -np 2 "$tmp/no-such-program"
[ $? -eq 1 ] && grep -q 'plbrun had not begun' "$tmp/out"
ok "a program that is not there: status 1, and no hang" $?

# The environment names no file: plbrun by hand writes none.
alone --version && nothing_left && PLB_STATUS_FILE=$tmp/none/status alone --version
grep -q "warning: the exit status 0 cannot be passed to plbrun-mpirun: $tmp/none/status: cannot" "$tmp/out"
ok "a file that cannot be written is a warning" $?
PLB_STATUS_FILE=$tmp/status alone --version && [ -e "$tmp/status.begun" ]
ok "plbrun leaves a mark when it begins" $?
rm -f "$tmp"/status*

# Input goes through.
echo hello | timeout 60 "$launcher" -np 1 cat 2>/dev/null | grep -qx hello
ok "standard input and output go through mpirun" $?

# begun: a run in the background, until it computes.
begun() {
    rm -f "$tmp/r.json"
    : >"$tmp/out"
    # In the background a script's commands ignore SIGINT.
    # shellcheck disable=SC2086
    (trap - INT; exec "$launcher" $MPIRUN_OPTIONS -np 3 "$PLBRUN" --show-pus --report "$tmp/r.json" \
        "$tmp/s.conf") >"$tmp/out" 2>&1 &
    run=$!
    await 3 'PU [0-9]*: rank'
}
export OMPI_MCA_odls_base_sigkill_timeout=4 # what rank 0 has to write; a second by default
for signal in USR1 TERM INT HUP; do
    begun
    kill -$signal "$run"
    wait "$run"
    [ $? -eq 1 ] && grep -q 'interrupted by SIG' "$tmp/out" && [ -s "$tmp/r.json" ] && nothing_left
    ok "SIG$signal ends the run in order: status 1" $?
done
# Rank 0 writes its outputs, into a pipe, while another rank stops.
rm -f "$tmp"/{out,r.json}
mkfifo "$tmp/t.json"
# shellcheck disable=SC2086
"$launcher" $MPIRUN_OPTIONS -np 3 "$PLBRUN" --report "$tmp/r.json" --trace "$tmp/t.json" "$tmp/s.conf" \
    sleeper.units=100 >"$tmp/out" 2>&1 &
run=$!
soon [ -s "$tmp/r.json" ]
kill -STOP "$(process_of 1)"
timeout 20 cat "$tmp/t.json" >/dev/null
wait "$run"
[ $? -eq 0 ] && ! grep -q 'mpirun has not ended' "$tmp/out" && [ -s "$tmp/y.npy" ]
ok "a rank that stops while outputs are written does not keep mpirun" $?
rm -f "$tmp/t.json"

# halted PLACE RANK: a run of which this rank stops at the place (test/support/halt.c), and is killed.
halted() {
    : >"$tmp/out"
    # shellcheck disable=SC2086
    timeout 120 "$launcher" $MPIRUN_OPTIONS -np 3 env LD_PRELOAD="$BUILD/test/support/halt.so" \
        PLB_TEST_HALT="$1:$2" "$PLBRUN" "$tmp/s.conf" >"$tmp/out" 2>&1 &
    run=$!
    await 1 'a rank stands still'
    kill -KILL "$(process_of "$2")"
    wait "$run"
}
for place in barrier:1 broadcast:1 barrier:5 send:2; do
    if [ -n "${SAN:-}" ]; then
        skip "a rank dies before the first pass, $place" "a sanitizer wants to be loaded first"
        continue
    fi
    halted $place 1
    [ $? -eq 1 ] && [ "$(grep -c 'rank 1 .*was lost before the first pass' "$tmp/out")" -eq 1 ]
    ok "a rank dies before the first pass: the run ends with status 1, $place" $?
done
if [ -z "${SAN:-}" ]; then
    halted barrier:3 0
    [ $? -eq 1 ] && grep -q 'process of rank 0 has ended before the first pass' "$tmp/out"
    ok "rank 0 dies before the first pass: the others end" $?
fi

# stops_at PLACE: rank 1 stops there in the end of a run that mpirun ends well. The result is there each time.
stops_at() {
    rm -f "$tmp/y.npy"
    launched -np 3 env LD_PRELOAD="$BUILD/test/support/halt.so" PLB_TEST_HALT="$1:1:1" "$PLBRUN" \
        "$tmp/s.conf" sleeper.units=100 && [ -s "$tmp/y.npy" ] || kept=no
    [ "$1" = left ] || grep -q 'MPI_Finalize does not return' "$tmp/out" || kept=no
    ! grep -q 'mpirun has not ended' "$tmp/out"
}
# A rank stops when all have met to leave MPI, or when it has left. In one of twenty runs on a busy machine
# the PMIx of Open MPI 4.1.4 says BAD-PARAM when the rank is killed, and its mpirun hangs. Then it is ended.
for place in leaving left; do
    if [ -n "${SAN:-}" ]; then
        skip "a rank that stops in the end, $place" "a sanitizer wants to be loaded first"
        continue
    fi
    kept=yes
    tries stops_at $place && [ $kept = yes ]
    ok "a rank that stops in the end does not keep mpirun: $place" $?
done

# MPI hangs on rank 0.
if [ -n "${SAN:-}" ]; then
    skip "MPI that does not come back ends the run" "a sanitizer wants to be loaded first"
else
    launched -np 2 env LD_PRELOAD="$BUILD/test/support/halt.so" PLB_TEST_HALT=asked:50:0 \
        "$PLBRUN" "$tmp/s.conf"
    [ $? -eq 1 ] && grep -q 'MPI hangs on rank 0.*--resume' "$tmp/out"
    ok "MPI that does not come back ends the run" $?
fi

# ------------------------------------------------------------------------------- a stand-in for mpirun
# It says its name, and does what $tmp/does says.
cat >"$tmp/bin/mpirun" <<END
#!/bin/bash
if [ "\$1" = --version ]; then cat "$tmp/name"; exit; fi
echo "\$*" >"$tmp/arguments"
. "$tmp/does"
END
chmod +x "$tmp/bin/mpirun"
sed 's/^PATIENCE=.*/PATIENCE=1/; s/^LAST_WAIT=.*/LAST_WAIT=1/' "$launcher" >"$tmp/hasty"
chmod +x "$tmp/hasty"
stand_in() { # VERSION BEHAVIOUR ARGUMENT...
    local began=$SECONDS
    echo "$1" >"$tmp/name"
    echo "$2" >"$tmp/does"
    PATH=$tmp/bin:$PATH timeout 60 "$tmp/hasty" "${@:3}" >"$tmp/out" 2>&1
    local status=$?
    took=$((SECONDS - began))
    return $status
}
open_mpi='mpirun (Open MPI) 4.1.4'
# shellcheck disable=SC2016 # for the stand-in
says='echo 3 >"$PLB_STATUS_FILE"'
stand_in "$open_mpi" "$says" -np 2 plbrun 'a b'
[ $? -eq 3 ] && grep -qx -- '--enable-recovery -x PLB_STATUS_FILE -np 2 plbrun a b' "$tmp/arguments"
ok "Open MPI: --enable-recovery, and the status from the file" $?
stand_in 'mpirun (Open MPI) 5.0.11' "$says" -np 2 plbrun
[ $? -eq 3 ] && grep -qx -- '--enable-recovery --with-ft ulfm .*-np 2 plbrun' "$tmp/arguments"
ok "Open MPI 5: also --with-ft ulfm" $?
stand_in 'HYDRA build details:' "$says; exit 9" -np 2 plbrun
[ $? -eq 3 ] && grep -qx -- '-np 2 plbrun' "$tmp/arguments"
ok "MPICH: not the status of mpirun" $?
stand_in 'Some MPI 1.0' "$says" -np 2 plbrun
[ $? -eq 2 ] && grep -q "neither of Open MPI nor of MPICH.*'Some MPI 1.0'" "$tmp/out"
ok "another MPI is refused: status 2" $?
stand_in "$open_mpi" 'exit 7' -np 2 plbrun
[ $? -eq 1 ] && grep -q 'mpirun ended with status 7' "$tmp/out"
ok "an mpirun that fails: status 1" $?
# shellcheck disable=SC2016
stand_in "$open_mpi" ': >"$PLB_STATUS_FILE.begun"; exit 7' -np 2 plbrun
[ $? -eq 1 ] && grep -q 'mpirun ended with status 7, .* it crashed.*--resume' "$tmp/out"
ok "a plbrun that had begun has crashed" $?
stand_in "$open_mpi" 'echo "not enough slots" >&2; exit 1' -np 2 plbrun
[ $? -eq 1 ] && grep -qx 'not enough slots' "$tmp/out" && ! grep -q 'crashed\|--resume' "$tmp/out" &&
    grep -q 'mpirun ended with status 1, and plbrun had not begun; .* above' "$tmp/out"
ok "one that had not begun has not: mpirun has said why" $?
stand_in "$open_mpi" "$says; exec sleep 50" -np 2 plbrun
[ $? -eq 3 ] && grep -q 'mpirun has not ended .* after rank 0' "$tmp/out" && ((took < 30))
ok "an mpirun that hangs after rank 0 is ended" $?
sed -i 's/^PATIENCE=.*/PATIENCE=50/' "$tmp/hasty"
# shellcheck disable=SC2016
stand_in "$open_mpi" 'echo "0 without others" >"$PLB_STATUS_FILE"; exec sleep 50' -np 2 plbrun &&
    grep -q 'mpirun has not ended 2 s after rank 0' "$tmp/out" && ((took < 30))
ok "earlier where rank 0 has ended without others" $?
# shellcheck disable=SC2016
later='echo 0 >"$PLB_STATUS_FILE"; sleep 1.5; echo "0 without others" >"$PLB_STATUS_FILE"; exec sleep 50'
stand_in "$open_mpi" "$later" -np 2 plbrun && grep -q 'mpirun has not ended 2 s after rank 0' "$tmp/out" &&
    ((took < 30))
ok "also where rank 0 tells so after its status" $?
# shellcheck disable=SC2016
stand_in "$open_mpi" 'echo "lost without others" >"$PLB_STATUS_FILE"; exec sleep 50' -np 2 plbrun
[ $? -eq 1 ] && grep -q 'rank 0 has not said how the run ended.*--resume' "$tmp/out" && ((took < 30))
ok "and where another rank has seen the end of rank 0" $?
sed -i 's/^PATIENCE=.*/PATIENCE=1/' "$tmp/hasty"
stand_in "$open_mpi" "trap '' TERM; $says; for i in {1..500}; do sleep 0.1; done" -np 2 plbrun
[ $? -eq 3 ] && ((took < 30))
ok "also where it ignores SIGTERM" $?
nothing_left
ok "no file is left" $?
env PATH=/nowhere /bin/bash "$launcher" -np 2 plbrun >"$tmp/out" 2>&1
[ $? -eq 2 ] && grep -q 'no mpirun in PATH' "$tmp/out"
ok "no mpirun: status 2" $?
"$launcher" --help | grep -q '^usage: plbrun-mpirun' && ! "$launcher" >/dev/null 2>&1
ok "help" $?
done_testing
