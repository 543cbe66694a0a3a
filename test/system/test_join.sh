#!/usr/bin/env bash
# Ranks that join a run while it computes: the results are those of an undisturbed run, and the PUs that came
# have a part in it. One that dies is lost like any other; one that comes too late, or to the wrong place,
# hears why.
. "$(dirname "$0")/../support/lib.sh"
door=$tmp/door
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" '[run]' "join = $door" \
    '[sleeper]' 'units = 2000' "out = $tmp/y.npy" '[balance]' 'grain = 20'
joiners=()
# joins NUMBER [COMMAND...]: plbrun --join in the background, output in $tmp/joiner.NUMBER.
joins() {
    local n=$1; shift
    timeout 120 "$@" "$PLBRUN" --join "$door" >"$tmp/joiner.$n" 2>&1 &
    joiners[n]=$!
}
# run_ends: opens the gate. The status of the run.
run_ends() { open_gate; wait "$run"; }
# units RANK: what the report says that the PUs of the rank have executed.
units() {
    python3 -c "import json
print(sum(p['units'] for p in json.load(open('$tmp/r.json'))['pus'] if p['node'] == $1))"
}
is_same() { cmp "$tmp/y.npy" "$tmp/ref.npy" >>"$tmp/out" 2>&1; }

ranks 1 "$tmp/s.conf"
mv "$tmp/y.npy" "$tmp/ref.npy"
started 2 --log info --report "$tmp/r.json" --trace "$tmp/t.json" "$tmp/s.conf"
joins 1 && joins 2 env PLB_LOG=info && await 2 'has joined'
run_ends && is_same && [ "$(units 2)" -gt 0 ] && [ "$(units 3)" -gt 0 ] && [ "$(field nodes)" -eq 4 ] &&
    wait "${joiners[1]}" && wait "${joiners[2]}" && [ ! -e "$door" ] &&
        grep -q 'by the balancer sure' "$tmp/out"
ok "two ranks join, and have a part in it" $?
grep -qx 'joining as rank [23]' "$tmp/joiner.1"
ok "they say so" $?
python3 - "$tmp/t.json" <<'P'
import json, sys
events = json.load(open(sys.argv[1]))
events = events['traceEvents'] if isinstance(events, dict) else events
tasks = [e for e in events if e.get('ph') == 'X']
assert all(-0.1e6 < e['ts'] < 120e6 for e in tasks), 'a task at an impossible time'
P
ok "the trace has their tasks on the clock of the run" $?

# All is granted to rank 1 at the start. The one that comes takes from it; rank 0 passes their words on.
begin 2 --log info --report "$tmp/r.json" --balancer static "$tmp/s.conf" cluster.master_only=yes \
    balance.backups=no
await 1 'a task waits at the gate'
joins 1 && await 1 'has joined'
run_ends && is_same && [ "$(units 2)" -gt 0 ] && [ "$(field migrated_units)" -gt 0 ] && wait "${joiners[1]}"
ok "where nothing is left to grant, it takes from another rank" $?

# Several passes of replaced buffers and sums. It comes in the second pass.
lines "$tmp/c.conf" '[app]' "kernel = $BUILD/test/kernels/chain.so" '[run]' "join = $door" 'checksums = yes' \
    '[chain]' 'units = 300' 'passes = 5' "out = $tmp/y.npy" '[balance]' 'grain = 5'
gate_at=3
started 2 --verify --log info --report "$tmp/r.json" "$tmp/c.conf"
joins 1 && await 1 'has joined'
run_ends && grep -q verified "$tmp/out" && [ "$(units 2)" -gt 0 ] && wait "${joiners[1]}"
ok "passes, replaced buffers and sums" $?
# Buffers are replaced after it was told the data, and before it has joined.
started 2 --verify --log debug --report "$tmp/r.json" "$tmp/c.conf" chain.passes=60
joins 1 env CHAIN_LOAD="$tmp/load" && await 1 'rank 2 on .* is joining'
open_gate
await 1 'pass 4 begins'
: >"$tmp/load"
await 1 'has joined' && wait "$run" && grep -q verified "$tmp/out" && [ "$(units 2)" -gt 0 ] &&
    wait "${joiners[1]}"
ok "buffers that are replaced while it joins" $?
# The kernel looks whether each unit has read all of the right buffer. The one that comes gets it whole.
lines "$tmp/p.conf" '[app]' "kernel = $BUILD/test/kernels/spread.so" '[run]' "join = $door" \
    '[spread]' 'units = 300' 'passes = 6' 'parts = 50' '[balance]' 'grain = 5'
started 2 --log info --report "$tmp/r.json" "$tmp/p.conf"
joins 1 && await 1 'has joined'
run_ends && [ "$(units 2)" -gt 0 ] && wait "${joiners[1]}"
ok "buffers of which parts are replaced" $?
# shellcheck disable=SC2034 # lib.sh reads it
gate_at=5

# The victim waits at the gate in its first task, and holds units then.
for signal in KILL STOP; do
    started 2 --log info --report "$tmp/r.json" "$tmp/s.conf"
    joins 1 env PLB_TEST_GATE="1:$tmp/gate" && soon grep -q 'waits at the gate' "$tmp/joiner.1"
    kill -$signal "$(pgrep -P "${joiners[1]}" -x plbrun)"
    await 1 'rank 2 on .* is lost'
    run_ends && is_same && [ "$(field nodes)" -eq 3 ] && ! grep -q 'mpirun may end this' "$tmp/out"
    ok "one that has joined is lost, SIG$signal; the run goes on, under mpirun alone" $?
    kill -CONT "$(pgrep -P "${joiners[1]}" -x plbrun)" 2>/dev/null
    ! wait "${joiners[1]}"
    ok "and its process ends" $?
done

# Rank 0 is gone.
started 1 --log info "$tmp/s.conf"
joins 1 && await 1 'has joined'
kill -KILL "$(process_of 0)"
wait "${joiners[1]}"
[ $? -eq 1 ] && grep -q 'the process of rank 0 has ended; rank 1 ends' "$tmp/joiner.1"
ok "without rank 0 it ends" $?
wait "$run"

# Its kernel is another one. The run goes on without it.
cp "$BUILD/test/kernels/sleeper.so" "$tmp/kernel.so"
cp "$BUILD/test/kernels/liar.so" "$tmp/liar.so"
started 1 --log info "$tmp/s.conf" app.kernel="$tmp/kernel.so"
mv "$tmp/liar.so" "$tmp/kernel.so"
joins 1
wait "${joiners[1]}"
[ $? -eq 2 ] && grep -qE 'rank 1 on .* than rank 0 on .*; install the same on both' "$tmp/joiner.1" &&
    run_ends && is_same && ! grep -q 'has joined' "$tmp/out"
ok "one with another kernel is refused" $?

# refused STATUS SENTENCE FILE: --join FILE is refused so.
refused() {
    timeout 60 "$PLBRUN" --join "$3" >"$tmp/refused" 2>&1
    [ $? -eq "$1" ] && grep -qE -- "$2" "$tmp/refused" && [ "$(wc -l <"$tmp/refused")" -eq 1 ]
}
refused 2 "--join $tmp/none: No such file or directory; name the file of run.join" "$tmp/none"
ok "a file that is not there" $?
refused 2 "--join $tmp/s.conf: this is not the file of a run that can be joined; name" "$tmp/s.conf"
ok "another file" $?
started 1 "$tmp/s.conf"
cp "$door" "$tmp/kept"
sed 's/^secret .*/secret 0/' "$door" >"$tmp/wrong"
refused 2 "--join $tmp/wrong: the file belongs to another run" "$tmp/wrong"
ok "the file of another run on that port" $?
run_ends
refused 1 "--join $tmp/kept: nobody answers on port [0-9]* of .*; the run has ended" "$tmp/kept"
ok "too late" $?
lines "$tmp/e.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" '[run]' "join = $door" \
    '[cluster]' "file = $tmp/e.cluster"
lines "$tmp/e.cluster" '[pu p0]' 'rate = 1e6' '[node n0]' 'pus = p0'
ranks 1 "$tmp/s.conf" run.join="$tmp/e.conf"
[ $? -eq 2 ] && [ -s "$tmp/e.conf" ] &&
    grep -q 'e.conf exists and is not the file of a run that can be joined' "$tmp/out"
ok "no other file is overwritten" $?
ranks 1 "$tmp/e.conf"
[ $? -eq 2 ] && grep -q 'leave out run.join or cluster.file' "$tmp/out"
ok "emulated PUs" $?
done_testing
