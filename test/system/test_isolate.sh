#!/usr/bin/env bash
# Tasks in child processes: units that crash take their task alone, also on rank 0, and no child is left.
. "$(dirname "$0")/../support/lib.sh"
ulimit -c 0
export OMPI_MCA_opal_signal='' # MPI's own words about each crash

lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/kernels/fragile.so" '[run]' 'isolate = yes' \
    '[cluster]' 'threads = 2' '[fragile]' "out = $tmp/y.npy"
# right [UNIT...]: outputs and sum are those of all units but these, whose outputs are zero.
right() {
    python3 - "$tmp/y.npy" "$@" <<'P'
import struct, sys
values = struct.unpack('<601d', open(sys.argv[1], 'rb').read()[-8 * 601:])
bad = {int(unit) for unit in sys.argv[2:]}
wanted = [0.0 if unit in bad else unit + 1.0 for unit in range(600)]
sys.exit(0 if list(values) == wanted + [sum(wanted)] else 1)
P
}
# A process of a run of this test.
any_left() {
    local pid
    for pid in $(pgrep -x plbrun); do
        tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxF "XDG_CACHE_HOME=$XDG_CACHE_HOME" && return
    done
    return 1
}
none_left() { ! any_left; }
crashes() { grep -cE "^plbrun: rank [0-9]: kernel fragile ($1) on its PU 0 in cups? " "$tmp/out"; }
# run N SETTINGS...: as alone and ranks do.
run() {
    local n=$1; shift
    rm -f "$tmp/y.npy" "$tmp"/once.*
    if [ "$n" -eq 1 ]; then alone "$tmp/app.conf" "$@"; else ranks "$n" "$tmp/app.conf" "$@"; fi
}

for n in $(counts 1 2 3); do
    run "$n" && right
    ok "$n ranks, threads of OpenMP" $?
done
run 1 fragile.own=yes && right
ok "outputs in memory of the kernel" $?
[ -z "${SAN:-}" ] || { skip "crashes" "a sanitizer has its own handlers"; done_testing; }

all='crashed \(SIG(SEGV|ABRT|FPE)\)|ended its process \(exit, status 3\)'
for n in 1 3; do
    run "$n" fragile.bad=yes "fragile.once=$tmp/once" && right && [ "$(crashes "$all")" -eq 4 ]
    ok "$n ranks, each crash takes its task, and sums count each unit once" $?
    run "$n" fragile.bad=yes
    [ $? -eq 1 ] && right 100 200 300 400 && [ "$(crashes 'crashed \(SIGFPE\)')" -ge 2 ]
    ok "$n ranks, units that always crash leave nothing, and all others are right" $?
done
run 1 fragile.bad=yes fragile.own=yes run.skip_bad=yes && right 100 200 300 400
ok "the same, in memory of the kernel, and nobody minds" $?
run 1 fragile.all=yes
[ $? -eq 1 ] && grep -q 'the kernel crashes in all units that were tried' "$tmp/out" &&
    [ "$(crashes 'crashed \(SIGSEGV\)')" -lt 300 ]
ok "a kernel that always crashes ends the run" $?
run 2 fragile.hangs=yes "fragile.once=$tmp/once" run.hung_after=0.3s balance.backups=off balance.grain=5 &&
    right && grep -q "warning: .*kernel fragile hangs and is killed on PU '.* (rank [01] on " "$tmp/out"
ok "a task that hangs loses its child, and its PU goes on" $?
[ -s "$tmp/out" ] && none_left
ok "no process is left" $?

# A rank that is killed takes its child with it.
begin 1 "$tmp/app.conf" fragile.hangs=yes run.hung_after=off
await 1 'a cup hangs'
any_left
began=$?
ok "a child runs" $began
kill -9 "$(process_of 0)"
[ $began -eq 0 ] && soon none_left
ok "a child ends with its rank" $?
done_testing
