#!/usr/bin/env bash
# A unit that kills its executors costs two ranks, is named and set aside, and everything else is written.
. "$(dirname "$0")/../support/lib.sh"
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    skip "units that kill their executors" "this mpirun is not Open MPI 4"
    done_testing
fi
[ -z "${SAN:-}" ] || { skip "deadly units" "a sanitizer has its own handlers"; done_testing; }
ulimit -c 0
export OMPI_MCA_opal_signal='' # its own trace of a crash is long
lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/kernels/deadly.so" '[deadly]' "out = $tmp/y.npy" \
    '[cluster]' 'master_only = yes'

# deadly N ARGUMENTS...: a run on N ranks that goes on after losses, its output in $tmp/out; returns the
# status of rank 0.
deadly() {
    local n=$1; shift
    rm -f "$tmp/y.npy"
    # shellcheck disable=SC2086 # several words
    (cd "$tmp" && timeout 120 "$root/scripts/plbrun-mpirun" $MPIRUN_OPTIONS -np "$n" "$PLBRUN" \
        --report "$tmp/r.json" "$tmp/app.conf" "$@") >"$tmp/out" 2>&1
}
# right UNIT...: the output has zero for these units, and the right number for all others.
right() {
    python3 - "$tmp/y.npy" "$@" <<'P' >>"$tmp/out" 2>&1
import struct, sys
data = open(sys.argv[1], 'rb').read()
n = (len(data) - 128) // 8
got = struct.unpack('<%dd' % n, data[-8 * n:])
bad = set(map(int, sys.argv[2:]))
wrong = [u for u in range(n) if got[u] != (0 if u in bad else u + 1)]
print(n, 'units, wrong:', wrong[:10])
sys.exit(n != 1000 or wrong != [])
P
}
lost() { grep -c 'is lost (its kernel has crashed)' "$tmp/out"; }

deadly 4 deadly.bad=137
[ $? -eq 1 ] && [ "$(lost)" -eq 2 ] && right 137 && grep -q '; 1 row set aside; ' "$tmp/out" &&
    grep -q '^plbrun: row 137 has no result, .* all other results are written; .*run.skip_bad = yes' \
        "$tmp/out" &&
    grep -qE 'row 137 was set aside: .* 2 times \(SIGSEGV\), on PU [0-2] \(rank [1-3]\), and bef' "$tmp/out"
ok "two ranks die, the third one does the rest, status 1" $?
python3 - "$tmp/r.json" <<'P' >>"$tmp/out" 2>&1
import json, sys
r = json.load(open(sys.argv[1]))
[a] = r['set_aside']
died = {p['node'] for p in r['pus'] if p['failure']}
right = (a['first'], a['count'], a['pass'], a['signal'], a['crashes']) == (137, 1, 1, 'SIGSEGV', 2)
right = right and {a['rank'], a['earlier_rank']} == died and not a['nobody'] and r['set_aside_units'] == 1
sys.exit(not (right and r['status'] == 'failed' and r['error']))
P
ok "the report names unit, signal and ranks" $?
grep -qE 'rank [1-3]: kernel deadly crashed .* in rows [0-9]+ to [0-9]+;' "$tmp/out" &&
    grep -qE 'rank [1-3]: kernel deadly crashed .* in row 137;' "$tmp/out"
ok "the second task has one unit alone" $?

deadly 4 deadly.bad=137 deadly.thread=yes run.skip_bad=yes --verify
[ $? -eq 0 ] && [ "$(lost)" -eq 2 ] && right 137 && grep -q 'row 137 was set aside' "$tmp/out" &&
    grep -q 'is not verified, because units were set aside' "$tmp/out" && ! grep -q 'WRONG' "$tmp/out"
ok "a thread of the kernel, and skip_bad: status 0" $?

# Rank 0 computes too: the other ranks get the units that kill, as the last ones of static shares.
deadly 3 deadly.bad=999 cluster.master_only=no balance.balancer=static balance.migration=no
[ $? -eq 1 ] && [ "$(lost)" -eq 2 ] && right 999 &&
    grep -q 'row 999 was set aside: .* crashed 2 times' "$tmp/out"
ok "rank 0 alone is left, and does not try the unit" $?
deadly 2 deadly.bad=999 cluster.master_only=no balance.balancer=static balance.migration=no
[ $? -eq 1 ] && [ "$(lost)" -eq 1 ] && [ -e "$tmp/y.npy" ] &&
    grep -q 'were set aside: .*, and no other rank is left to try' "$tmp/out"
ok "with one other rank all units of the task are set aside" $?

deadly 4 deadly.bad=137 deadly.passes=3 run.journal="$tmp/j"
[ $? -eq 1 ] && [ "$(lost)" -eq 2 ] && right 137 && grep -q 'row 137 of pass 1 was set aside' "$tmp/out" &&
    grep -q -- '--resume continues from there' "$tmp/out"
ok "later passes leave the unit out" $?
DEADLY_SPARES=1 deadly 3 deadly.bad=137 deadly.passes=3 run.journal="$tmp/j" --resume
[ $? -eq 0 ] && [ "$(lost)" -eq 0 ] && right && [ "$(field resumed_pass)" = 1 ]
ok "--resume tries it again" $?
done_testing
