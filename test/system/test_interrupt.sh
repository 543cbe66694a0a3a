#!/usr/bin/env bash
# Runs that are interrupted or fail: report, trace, and what is done, are there.
. "$(dirname "$0")/../support/lib.sh"
# Rank 0 writes between the signal and the kill: a second by default, too little for a busy machine.
export OMPI_MCA_odls_base_sigkill_timeout=4
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" \
    '[sleeper]' 'units = 60000' 'out = y.npy'

# field KEY: what the report says.
field() { python3 -c "import json; print(json.load(open('$tmp/r.json'))['$1'])"; }

# started RANKS ARGUMENTS...: a run in the background that has begun its pass; its pid is in $run.
started() {
    local n=$1; shift
    rm -f "$tmp"/*.json "$tmp"/y.npy*
    mpirun --oversubscribe --bind-to none -np "$n" "$PLBRUN" --show-pus --report "$tmp/r.json" \
        --trace "$tmp/t.json" "$tmp/s.conf" "$@" >"$tmp/out" 2>&1 &
    run=$!
    for _ in $(seq 200); do
        [ "$(grep -c 'PU [0-9]*: rank' "$tmp/out")" -ge "$n" ] && break
        sleep 0.1
    done
    sleep 1
}
# ended NAME: with status 1, one sentence about the signal, report and trace, and no result.
ended() {
    wait "$run"
    [ $? -eq 1 ] && [ "$(grep -c 'interrupted by SIGTERM when [0-9]* of 60000 naps' "$tmp/out")" -eq 1 ] &&
        [ "$(field status)" = interrupted ] && [[ $(field error) == "interrupted by SIGTERM"* ]] &&
        [ -s "$tmp/t.json" ] && [ ! -e "$tmp/y.npy" ]
    ok "$1" $?
}
for n in 1 3; do
    started $n
    kill -INT "$run" # mpirun gives its ranks a SIGTERM
    ended "an interrupt of mpirun, $n ranks"
    [ -z "$(ls "$tmp"/y.npy* 2>/dev/null)" ]; ok "without --keep-partial nothing else is left" $?
done
started 3 --keep-partial
kill -TERM "$run"
ended "a SIGTERM of mpirun with --keep-partial"
python3 - "$tmp" <<'P'
import struct, sys
tmp = sys.argv[1]
data = open(tmp + '/y.npy.partial', 'rb').read()
values = struct.unpack('<60000d', data[-480000:])
ranges = [tuple(map(int, line.split(','))) for line in open(tmp + '/y.npy.partial.units') if line[0] != '#']
units = [u for first, last in ranges for u in range(first, last + 1)]
sys.exit(0 if 0 < len(units) < 60000 and all(values[u] == u + 1 for u in units) else 1)
P
ok "what is done is there, and which units that is" $?

unset OMPI_MCA_odls_base_sigkill_timeout

# Rank 0 alone gets the signal, and another rank does not answer.
started 2
mapfile -t ranks < <(pgrep -P "$run" plbrun)
kill -STOP "${ranks[1]}"
kill -TERM "${ranks[0]}"
for _ in $(seq 100); do [ -s "$tmp/r.json" ] && break; sleep 0.1; done
[ "$(field status)" = interrupted ] && grep -q 'plbrun: interrupted by SIGTERM' "$tmp/out"
ok "rank 0 does not wait for a rank that hangs" $?
kill -CONT "${ranks[1]}"
kill -TERM "$run" 2>/dev/null
wait "$run"

# A rank is stopped in the middle: others execute its units, and the run ends without it.
started 3 sleeper.units=6000
mapfile -t ranks < <(pgrep -P "$run" plbrun)
kill -STOP "${ranks[1]}"
for _ in $(seq 600); do [ -s "$tmp/r.json" ] && break; sleep 0.1; done
kill -CONT "${ranks[1]}" 2>/dev/null
wait "$run"
[ "$(field status)" = done ] && [ -s "$tmp/t.json" ] && [ "$(stat -c %s "$tmp/y.npy")" -eq 48128 ] &&
    grep -q 'warning: rank 1 on .* is lost (it has said nothing for .*); others execute its naps' "$tmp/out"
ok "a rank that is stopped does not keep the results of the others" $?

# Rank 0 has written everything, and waits for a rank that does not leave.
rm -f "$tmp"/*.json "$tmp"/y.npy*
mkfifo "$tmp/t.json"
mpirun --oversubscribe --bind-to none -np 2 "$PLBRUN" --quiet --report "$tmp/r.json" --trace "$tmp/t.json" \
    "$tmp/s.conf" sleeper.units=100 >"$tmp/out" 2>&1 &
run=$!
for _ in $(seq 200); do [ -s "$tmp/r.json" ] && break; sleep 0.05; done
mapfile -t ranks < <(pgrep -P "$run" plbrun)
kill -STOP "${ranks[1]}"
timeout 20 cat "$tmp/t.json" >"$tmp/trace.json"
sleep 0.3
kill -TERM "${ranks[0]}"
sleep 0.3
kill -CONT "${ranks[1]}"
wait "$run"
[ -s "$tmp/trace.json" ] && [ -s "$tmp/y.npy" ] && ! grep -q 'plbrun: ' "$tmp/out"
ok "a signal after all outputs are written does not say that there are none" $?
rm -f "$tmp/t.json"

rm -f "$tmp"/*.json
timeout 60 "$PLBRUN" --report "$tmp/r.json" --show-pus "$tmp/s.conf" >"$tmp/out" 2>&1 &
run=$!
for _ in $(seq 100); do grep -q 'PU 0' "$tmp/out" && break; sleep 0.1; done
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
for _ in $(seq 200); do [ -s "$tmp/r.json" ] && break; sleep 0.05; done
pkill -TERM -P "$run" plbrun
timeout 20 cat "$tmp/t.json" >"$tmp/trace.json"
wait "$run"
[ $? -eq 0 ] && python3 -m json.tool "$tmp/trace.json" >/dev/null && [ -s "$tmp/y.npy" ] &&
    [ "$(grep -c 'the run is over and writes its outputs' "$tmp/out")" -eq 1 ]
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
