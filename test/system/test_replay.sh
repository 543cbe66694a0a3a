#!/usr/bin/env bash
# A run's report, simulated again: as long with the same balancer, and told what others would have made of it.
# Tasks sleep, so that ranks do not compete for cores.
# test/run: alone, since tasks must take about as long as they sleep.
. "$(dirname "$0")/../support/lib.sh"

lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/kernels/unequal.so"
number() { sed -n "s/^ *\"$1\": *\([a-z0-9.e+-]*\),*$/\1/p" "$2" | head -1; }
near() {
    awk -v a="$1" -v b="$2" -v part="$3" \
        'BEGIN {exit !(a + 0 > 0 && b + 0 > 0 && a <= b * (1 + part) && a >= b * (1 - part))}'
}

# The last third of the units costs forty times as much, and the kernel tells nothing.
run_for_real() { ranks 2 --report "$tmp/real.json" --balancer greedy "$tmp/app.conf" unequal.us=300; }
replay() {
    "$PLBRUN" --replay "$tmp/real.json" --report "$tmp/again.json" --balancer greedy "$tmp/app.conf" \
        unequal.us=300 >"$tmp/out" 2>&1 && [ -s "$tmp/out" ] || return
    took=$(number makespan_s "$tmp/real.json") again=$(number makespan_s "$tmp/again.json")
}
alike() { near "$again" "$took" 0.15 || { run_for_real && replay && near "$again" "$took" 0.15; }; }
run_for_real
ok "a run on two ranks" $?
replay
ok "its report is simulated again" $?
[ -s "$tmp/out" ] && ! grep -q 'for equal' "$tmp/out"
ok "with its costs, and says nothing of equal ones" $?
tries alike
ok "and takes about as long: $took and $again" $?
equal_shares() {
    "$PLBRUN" --replay "$tmp/real.json" --report "$tmp/static.json" --balancer static "$tmp/app.conf" \
        unequal.us=300 balance.migration=off >"$tmp/out" 2>&1
    awk -v s="$(number makespan_s "$tmp/static.json")" -v g="$again" \
        'BEGIN {exit !(g + 0 > 0 && s > 1.3 * g)}'
}
longer() { equal_shares || { run_for_real && replay && equal_shares; }; }
tries longer
ok "equal shares without migration would have taken longer" $?

refused() { [ "$1" -eq 2 ] && grep -q -- "$3" "$tmp/out"; ok "$2" $?; }
"$PLBRUN" --replay "$tmp/real.json" "$tmp/app.conf" unequal.units=7 >"$tmp/out" 2>&1
refused $? "another number of units is refused" 'has 7 units'
lines "$tmp/other.conf" '[app]' 'kernel = matmul'
"$PLBRUN" --replay "$tmp/real.json" "$tmp/other.conf" >"$tmp/out" 2>&1
refused $? "another kernel is refused" 'kernel unequal, not of matmul'
lines "$tmp/phases.conf" '[app]' "kernel = $BUILD/test/kernels/phases.so"
sed 's/"app": *"unequal"/"app": "phases"/' "$tmp/real.json" >"$tmp/phases.json"
"$PLBRUN" --replay "$tmp/phases.json" "$tmp/phases.conf" >"$tmp/out" 2>&1
refused $? "a kernel of several phases is refused" 'several phases'
printf '[node a]\npus = p\n[pu p]\nrate = 1000\n' >"$tmp/one.cluster"
"$PLBRUN" --replay "$tmp/one.cluster" "$tmp/app.conf" >"$tmp/out" 2>&1
refused $? "a .cluster file is no report" 'one.cluster: this is not a report, .* use --simulate'
"$PLBRUN" --replay "$tmp/none.json" "$tmp/app.conf" >"$tmp/out" 2>&1
refused $? "a file that is missing" 'none.json: No such file'
for order in "--simulate $tmp/one.cluster --replay $tmp/real.json" \
    "--replay $tmp/real.json --simulate $tmp/one.cluster"; do
    # shellcheck disable=SC2086 # four words
    "$PLBRUN" $order "$tmp/app.conf" >"$tmp/out" 2>&1
    refused $? "two things to simulate" "--simulate $tmp/one.cluster and --replay $tmp/real.json exclude"
done
done_testing
