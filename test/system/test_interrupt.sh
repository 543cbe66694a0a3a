#!/usr/bin/env bash
# Runs that are interrupted or fail: report, trace, and what is done, are there.
# test/run: real MPI, since its mpirun has its own ways with signals.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" \
    '[sleeper]' 'units = 2000' 'out = y.npy' '[balance]' 'grain = 20'

# naps N ARGUMENTS...: a run whose tasks wait at the gate.
naps() {
    rm -f "$tmp"/*.json "$tmp"/y.npy*
    started "$1" --report "$tmp/r.json" --trace "$tmp/t.json" "$tmp/s.conf" "${@:2}"
}
# ended NAME: with status 1, one sentence about the signal, report and trace, and no result.
ended() {
    wait "$run"
    [ $? -eq 1 ] && [ "$(grep -c 'interrupted by SIGTERM after [0-9]* of 2000 naps' "$tmp/out")" -eq 1 ] &&
        [ "$(field status)" = interrupted ] && [[ $(field error) == "interrupted by SIGTERM"* ]] &&
        [ -s "$tmp/t.json" ] && [ ! -e "$tmp/y.npy" ]
    ok "$1" $?
}
# Rank 0 writes between the signal and the kill. mpirun takes this time once or twice.
patient() { OMPI_MCA_odls_base_sigkill_timeout=4 naps "$@"; }
for n in 1 3; do
    patient $n
    kill -INT "$run" # mpirun gives its ranks a SIGTERM
    ended "an interrupt of mpirun, $n ranks"
    [ -s "$tmp/out" ] && [ -z "$(ls "$tmp"/y.npy* 2>/dev/null)" ]
    ok "without --keep-partial nothing else is left" $?
done
patient 3 --keep-partial
kill -TERM "$run"
ended "a SIGTERM of mpirun with --keep-partial"
kept 2000
ok "what is done is there, and which units that is" $?

# Rank 0 alone gets the signal, and another rank does not answer.
naps 2
stopped=$(process_of 1)
kill -STOP "$stopped"
kill -TERM "$(process_of 0)"
await 1 'plbrun: interrupted by SIGTERM' && [ "$(field status)" = interrupted ]
ok "rank 0 does not wait for a rank that hangs" $?
kill -CONT "$stopped"
kill -TERM "$run" 2>/dev/null
wait "$run"

# A rank is stopped in the middle: others execute its units, and the run ends without it.
naps 3
stopped=$(process_of 1)
kill -STOP "$stopped"
await 1 'rank 1 on .* is lost'
open_gate
soon [ -s "$tmp/r.json" ]
kill -CONT "$stopped" 2>/dev/null
wait "$run"
[ "$(field status)" = "done" ] && [ -s "$tmp/t.json" ] && [ "$(stat -c %s "$tmp/y.npy")" -eq 16128 ] &&
    grep -q 'warning: rank 1 on .* is lost (it has sent no .*); its naps are re-executed' "$tmp/out" &&
    grep -q 'warning: mpirun may end this job now, since a rank is lost; if .* plbrun-mpirun' "$tmp/out"
ok "a rank that is stopped does not keep the results of the others" $?

# Rank 0 has written everything, and waits for a rank that does not leave.
rm -f "$tmp"/*.json "$tmp"/y.npy*
mkfifo "$tmp/t.json"
gate_at=0 begin 2 --quiet --report "$tmp/r.json" --trace "$tmp/t.json" "$tmp/s.conf" sleeper.units=100
soon [ -s "$tmp/r.json" ]
first=$(process_of 0) stopped=$(process_of 1)
kill -STOP "$stopped"
timeout 20 cat "$tmp/t.json" >"$tmp/trace.json"
sleep 1 # it waits for ten
kill -TERM "$first"
sleep 0.5
kill -CONT "$stopped"
wait "$run"
[ -s "$tmp/trace.json" ] && [ -s "$tmp/y.npy" ] && ! grep -q 'plbrun: ' "$tmp/out"
ok "a signal after all outputs are written does not say that there are none" $?
rm -f "$tmp/t.json"

rm -f "$tmp"/*.json
timeout 60 "$PLBRUN" --report "$tmp/r.json" --show-pus "$tmp/s.conf" sleeper.units=60000 >"$tmp/out" 2>&1 &
run=$!
await 1 'PU 0'
pkill -HUP -P "$run" plbrun || kill -HUP "$run"
wait "$run"
[ $? -eq 1 ] && [[ $(field error) == "interrupted by SIGHUP"* ]]
ok "a terminal that is closed" $?

# The run is complete, and waits for the reader of its trace.
rm -f "$tmp"/*.json "$tmp"/y.npy*
mkfifo "$tmp/t.json"
timeout 60 "$PLBRUN" --quiet --report "$tmp/r.json" --trace "$tmp/t.json" "$tmp/s.conf" sleeper.units=100 \
    >"$tmp/out" 2>&1 &
run=$!
soon [ -s "$tmp/r.json" ]
pkill -TERM -P "$run" plbrun
timeout 20 cat "$tmp/t.json" >"$tmp/trace.json"
wait "$run"
[ $? -eq 0 ] && python3 -m json.tool "$tmp/trace.json" >/dev/null && [ -s "$tmp/y.npy" ] &&
    [ "$(grep -c 'the run is over and its outputs are being written' "$tmp/out")" -eq 1 ]
ok "a signal while outputs are written does not keep them from it" $?
rm -f "$tmp/t.json"

printf '[app]\nkernel = %s\n[faulty]\ny = y.npy\n' "$BUILD/test/kernels/faulty.so" >"$tmp/f.conf"
rm -f "$tmp"/*.json "$tmp"/y.npy*
ranks 2 --keep-partial --report "$tmp/r.json" --trace "$tmp/t.json" "$tmp/f.conf" faulty.fault=entry
[ $? -eq 1 ] && [ "$(field status)" = failed ] && [[ $(field error) == *"kernel faulty returned 7"* ]] &&
    [ -s "$tmp/t.json" ] && [ -s "$tmp/y.npy.partial" ] && [ -s "$tmp/y.npy.partial.units" ] &&
    [ ! -e "$tmp/y.npy" ]
ok "an entry that fails" $?
ranks 2 --verify --report "$tmp/r.json" "$tmp/f.conf" faulty.fault=wrong
[ "$(field status)" = wrong ] && [[ $(field error) == *"the reference says 963"* ]]
ok "a wrong result" $?
ranks 2 --report "$tmp/r.json" "$tmp/f.conf" && [ "$(field status) $(field error)" = "done None" ]
ok "a run that ends well" $?
ranks 2 --report "$tmp/r.json" "$tmp/f.conf" faulty.fault=finish
[ "$(field status)" = failed ]; ok "a finish that fails" $?
done_testing
