#!/usr/bin/env bash
# Joules of a simulation: those that the watts of the .cluster file give, and unmeasured where it has none.
. "$(dirname "$0")/../support/lib.sh"

# cluster WATTS_OF_A WATTS_OF_B: two unlike PUs on two nodes, with these lines.
cluster() {
    lines "$tmp/two.cluster" '[pu a]' 'rate = 1e9' "$1" '[pu b]' 'kind = gpu' 'rate = 3e9' "$2" \
        '[node one]' 'pus = a' '[node two]' 'pus = b'
}
lines "$tmp/app.conf" '[app]' 'kernel = taylor' '[taylor]' 'width = 1000' 'height = 400' 'order = 50' \
    "values = $tmp/v.npy"
watts_of_a=$'static_watts = 20\ndynamic_watts = 7' watts_of_b=$'static_watts = 5\ndynamic_watts = 100'

# simulate: leaves the summary in out and the report in r.json.
simulate() {
    "$PLBRUN" --simulate "$tmp/two.cluster" --report "$tmp/r.json" "$tmp/app.conf" \
        >"$tmp/out" 2>&1
}

cluster "$watts_of_a" "$watts_of_b"
simulate
ok "a simulation with watts" $?
python3 - "$tmp/r.json" <<'END' >>"$tmp/out" 2>&1
import json, sys
run = json.load(open(sys.argv[1]))
near = lambda got, expected: abs(got - expected) <= 1e-3 * expected
static, dynamic = (20, 5), (7, 100)
for p, pu in enumerate(run["pus"]):
    assert pu["meter"] == "cluster" and pu["busy_s"] > 0
    assert near(pu["static_j"], static[p] * run["makespan_s"]), pu
    assert near(pu["dynamic_j"], dynamic[p] * (pu["busy_s"])), pu
assert near(run["energy_j"], sum(pu["static_j"] + pu["dynamic_j"] for pu in run["pus"]))
END
ok "joules are watts times seconds" $?
grep -Eq '^energy [0-9.]+ (J|kJ), of which [0-9.]+ (J|kJ) static, by the watts of the .cluster' "$tmp/out"
ok "the summary has them" $?

cluster "$watts_of_a" ''
simulate && grep -qF 'energy unmeasured: 1 of 2 PUs have no watts in the .cluster file' "$tmp/out"
ok "one PU without watts leaves the energy unmeasured" $?
python3 - "$tmp/r.json" <<'END' >>"$tmp/out" 2>&1
import json, sys
run = json.load(open(sys.argv[1]))
a, b = run["pus"]
assert run["energy_j"] is None and a["static_j"] > 0 and a["meter"] == "cluster"
assert b["static_j"] is None and b["dynamic_j"] is None and b["meter"] == "unmeasured"
END
ok "and its joules are null, those of the other one are not" $?

cluster '' ''
simulate && ! grep -q '^energy' "$tmp/out"
ok "without watts the summary says nothing of energy" $?

"$PLBRUN" --simulate "$root/examples/energy/gtx950-nbody.cluster" "$tmp/app.conf" >"$tmp/out" 2>&1 &&
    grep -q '^energy' "$tmp/out"
ok "a machine of the paper" $?
done_testing
