#!/usr/bin/env bash
# Log levels over ranks: what is printed, by whom, and that results of a run look the same.
. "$(dirname "$0")/../support/lib.sh"
printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/modes.so" >"$tmp/modes.conf"
host=$(hostname)
time='\[[0-9]+\.[0-9]{3} s\]'

ranks 2 "$tmp/modes.conf" cluster.threads=1 && ! grep -q '^plbrun: ' "$tmp/out"
ok "without an option the log is silent" $?
ranks 2 --log info "$tmp/modes.conf" cluster.threads=1 --show-pus &&
    grep -q '^plbrun: PU 1: rank 1' "$tmp/out" &&
    ! grep -E '^plbrun: ' "$tmp/out" | grep -vE "^plbrun: (PU [01]: |$time )"
ok "at info its lines tell the time, and answers do not" $?
ranks 2 --verbose "$tmp/modes.conf" cluster.threads=1 && grep -q '^plbrun: PU 1: rank 1' "$tmp/out" &&
    ! grep -q 'pass 1 begins' "$tmp/out"
ok "--verbose is the level info" $?
ranks 2 --log debug "$tmp/modes.conf" cluster.threads=1 &&
    grep -qE "^plbrun: $time pass 1 begins" "$tmp/out" &&
    grep -qE "^plbrun: $time rank 1 on $host: kernel modes is .*modes.so" "$tmp/out" &&
    grep -qE "^plbrun: $time pass 2 has ended after [0-9.]+ s" "$tmp/out"
ok "at debug every rank tells its steps" $?
grep -q '^modes: 6000 things' "$tmp/out"
ok "and the summary is as ever" $?

export PLB_CLUSTER_NAME=somebody
alone "$tmp/modes.conf" && grep -q '^plbrun: warning: the environment variable PLB_CLUSTER_NAME' "$tmp/out"
ok "a warning" $?
alone --log error "$tmp/modes.conf" && ! grep -q '^plbrun: ' "$tmp/out"
ok "at error there is none" $?
unset PLB_CLUSTER_NAME
ranks 2 --dry-run "$tmp/modes.conf" cluster.threads=$(($(nproc --all) + 1)) &&
    [ "$(grep -c 'warning: cluster.threads is .* and .* has .*; lower it' "$tmp/out")" -eq 1 ] &&
    ! grep -q 'warning: rank 1' "$tmp/out"
ok "more threads than a host has cores: one warning for all of its ranks" $?
alone --log eror "$tmp/modes.conf"
[ $? -eq 2 ] && grep -q "^plbrun: --log eror: expected one of error|warning|info|debug" "$tmp/out"
ok "a level that is none" $?
done_testing
