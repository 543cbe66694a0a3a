#!/usr/bin/env bash
# Changes to real runs, as their reports foretell them, or why there are none. Times are those of a busy
# machine: test/simulation/test_what_if.sh holds that they come true.
. "$(dirname "$0")/../support/lib.sh"

lines "$tmp/a.cluster" '[node a]' 'pus = a' '[node b]' 'pus = b' \
    '[pu a]' 'slowdown = 10' '[pu b]' 'slowdown = 20'
lines "$tmp/t.conf" '[app]' "kernel = $BUILD/test/kernels/timed.so" '[timed]' 'units = 100' 'work = 8e-4' \
    '[cluster]' "file = $tmp/a.cluster"
# told: whether there are changes, or a reason why there are none. Under a sanitizer one may take too long.
told() {
    python3 - "$tmp/r.json" >"$tmp/out" 2>&1 <<'P'
import json, os, sys
LATE = 'simulating it would take too long', 'there was no time left to simulate it'
r = json.load(open(sys.argv[1]))
changes = {c['change']: c for c in r['what_if']}
print(r['what_if_note'], r['what_if_simulated_s'], r['makespan_s'], changes)
assert (not changes) == (r['what_if_note'] is not None)
if changes:
    assert abs(r['what_if_simulated_s'] / r['makespan_s'] - 1) <= 0.25
    for change, least, most in (('without PU 0 (a, node 0)', 1.1, 9),
                                ('with one more node like node 0', 0.1, 0.95)):
        c = changes[change]
        assert c['ratio'] is not None or (os.environ.get('SAN') and c['left_out'] in LATE)
        assert c['ratio'] is None or least < c['ratio'] < most
else:
    assert 'too far' in r['what_if_note']
P
}
ranks 2 --quiet --report "$tmp/r.json" "$tmp/t.conf" && told
ok "two ranks tell of changes, or that they cannot" $?
ranks 2 --quiet --report "$tmp/r.html" "$tmp/t.conf"
grep -q '<section id="what-if">' "$tmp/r.html"
ok "so does their page" $?

# nothing: the report knows of no change, and of no reason.
nothing() {
    grep -q '"what_if": \[\]' "$tmp/r.json" && grep -q '"what_if_simulated_s": null' "$tmp/r.json" &&
        grep -q '"what_if_note": null' "$tmp/r.json"
}
lines "$tmp/f.conf" '[app]' "kernel = $BUILD/test/kernels/faulty.so" '[faulty]' "y = $tmp/y.npy"
! alone --quiet --report "$tmp/r.json" "$tmp/f.conf" faulty.fault=entry && nothing
ok "a run that failed is not simulated" $?
! alone --quiet --report "$tmp/r.json" --verify "$tmp/f.conf" faulty.fault=wrong && nothing
ok "one with a wrong result is not, either" $?

lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sleeper.so" '[sleeper]' 'units = 60' \
    "out = $tmp/y.npy" '[cluster]' 'threads = 1'
alone --quiet --report "$tmp/r.json" --balancer static "$tmp/s.conf"
grep -q '"what_if_note": "unit costs are unknown' "$tmp/r.json"
ok "costs that nobody told are not learned from a few tasks" $?

# Of many passes some are simulated. The others count, too. A pass of sure is a few events, so that all of its
# passes are simulated. Naps take 1.12 s at least on two PUs, however busy the machine is.
lines "$tmp/p.conf" '[app]' "kernel = $BUILD/test/kernels/straggler_costs.so" '[straggler]' 'rank = 7' \
    'units = 20' 'nap = 2' 'passes = 56' '[cluster]' 'threads = 1'
many_passes() {
    ranks 2 --quiet --report "$tmp/r.json" --balancer greedy "$tmp/p.conf" &&
        python3 - "$tmp/r.json" >"$tmp/out" 2>&1 <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
print(r['what_if_passes'], r['what_if_simulated_s'], r['makespan_s'])
assert 4 <= r['what_if_passes'] < 36 and r['what_if_simulated_s'] > 56 * 20 * 0.002 / 2
P
}
many_passes
ok "of many passes some are simulated" $?

# Of a PU with many tasks some are samples. It has done far more work than these, and may do it again.
lines "$tmp/n.conf" '[app]' "kernel = $BUILD/test/kernels/heat.so" '[heat]' 'cells = 2000' 'passes = 700' \
    'nap = 0.0005'
alone --quiet --report "$tmp/r.json" "$tmp/n.conf" && [ -s "$tmp/r.json" ] &&
    ! grep 'tasks were so small' "$tmp/r.json"
ok "a run with more tasks than samples is not too small to simulate" $?
done_testing
