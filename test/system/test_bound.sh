#!/usr/bin/env bash
# The bound of real runs whose units cost very different amounts, of which the kernel tells nothing; and what
# summary, report and simulation say of that. Tasks sleep, so that ranks do not compete for cores.
# test/run: alone, since tasks must take about as long as they sleep.
. "$(dirname "$0")/../support/lib.sh"

lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/kernels/unequal.so"
lines "$tmp/unlike.cluster" '[node a]' 'pus = quick' '[node b]' 'pus = slow' \
    '[pu quick]' 'power = 1' '[pu slow]' 'power = 1' 'slowdown = 4'
says() { grep -q -- "$2" "$tmp/out"; ok "$1" $?; }
number() { sed -n "s/^ *\"$1\": *\([a-z0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -1; }
# bounded NAME N SETTINGS...: the bound of a run is not above its makespan, and not below its shortest busy
# time, or it is null. Its value is in $bound. There are no backups: a PU that executes in vain is busy for
# nothing.
bounded() {
    local name=$1 n=$2; shift 2
    ranks "$n" --report "$tmp/r.json" "$tmp/app.conf" balance.backups=off "$@"
    local status=$? shortest
    bound=$(number bound_s)
    shortest=$(sed -n 's/^ *"busy_s": *\([0-9.e+-]*\),*$/\1/p' "$tmp/r.json" | sort -g | head -1)
    [ "$status" -eq 0 ] && awk -v b="$bound" -v m="$(number makespan_s)" -v s="$shortest" \
        'BEGIN {exit !(b == "null" || (b > 0 && b <= m && b >= 0.99 * s))}'
    ok "$name" $?
}

# Ranks of one machine are alike, so that the bound is always known: the mean of their busy times.
for b in $(balancers); do
    bounded "$b: a bound between busy time and makespan" 2 --balancer "$b"
    [ -n "$bound" ] && [ "$bound" != null ]; ok "which is known" $?
    bounded "$b on unlike PUs: the same, where it is known" 2 --balancer "$b" unequal.costly=rare \
        cluster.file="$tmp/unlike.cluster"
done
for n in 1 3; do
    for costly in clustered rare; do
        bounded "$n ranks, $costly: the same" "$n" unequal.costly=$costly
        [ -n "$bound" ] && [ "$bound" != null ]; ok "and it is known" $?
    done
done

# Half of the units each: the first rank ends early, and the second one needs five times as long. It may begin
# late on a busy machine: then the bound is more than half the time that it is busy, and less of the makespan.
bounded "static on two ranks" 2 --balancer static balance.migration=off unequal.us=200
longest=$(sed -n 's/^ *"busy_s": *\([0-9.e+-]*\),*$/\1/p' "$tmp/r.json" | sort -g | tail -1)
awk -v b="$bound" -v m="$(number makespan_s)" -v l="$longest" 'BEGIN {exit !(b < 0.7 * m && b > 0.5 * l)}'
ok "has a bound of little more than half its makespan" $?
bounded "static on unlike PUs" 2 --balancer static balance.migration=off \
    cluster.file="$tmp/unlike.cluster"
[ "$bound" = null ]; ok "has no bound that anybody could tell" $?
says "and says so" "bound unknown"

bounded "units that differ" 1 --balancer greedy unequal.us=200
# Where other programs had the cores, the summary says that instead.
differ() { grep -q "^naps differ in cost: tasks took 0\.[0-9]* to [0-9.]* times" "$tmp/out"; }
unequal() {
    alone --report "$tmp/r.json" "$tmp/app.conf" balance.backups=off --balancer greedy unequal.us=200
}
differ || tries eval 'unequal && differ'
ok "are said to differ" $?
awk -v s="$(number cost_spread)" -v m="$(number most_cost)" 'BEGIN {exit !(s > 0.5 && m > 2 && m < 41)}'
ok "and by how much" $?
bounded "equal units" 1 unequal.us=2000 unequal.costly=none unequal.units=100 --balancer greedy
alike() { [ -s "$tmp/out" ] && ! grep -q "differ in cost" "$tmp/out"; }
again() { alone --balancer greedy "$tmp/app.conf" unequal.us=2000 unequal.costly=none unequal.units=100; }
alike || tries eval 'again && alike'
ok "are not" $?

lines "$tmp/virtual.cluster" '[node a]' 'pus = one' '[pu one]' 'rate = 1000'
alone --simulate "$tmp/virtual.cluster" "$tmp/app.conf"
says "a simulation says what it takes for granted" \
    "^the kernel does not say what its naps cost: the simulation assumes equal costs"
lines "$tmp/told.conf" '[app]' 'kernel = triad'
alone --simulate "$tmp/virtual.cluster" "$tmp/told.conf"
[ -s "$tmp/out" ] && ! grep -q "assumes equal costs" "$tmp/out"; ok "only where nothing is told" $?
done_testing
