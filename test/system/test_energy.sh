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
        >"$tmp/out" 2>&1 && [ -s "$tmp/out" ]
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

# Static watts count as energy.static says. PU a is left out, so its node has tasks in the training alone.
lines "$tmp/app.conf" '[app]' 'kernel = taylor' '[taylor]' 'width = 4000' 'height = 4000' 'order = 50' \
    "values = $tmp/v.npy"
cluster $'static_watts = 20\ndynamic_watts = 200' "$watts_of_b"
for rule in job busy off_when_idle; do
    "$PLBRUN" --simulate "$tmp/two.cluster" --report "$tmp/$rule.json" "$tmp/app.conf" \
        balance.objective=energy balance.deadline=9 balance.power_cap=150 "energy.static=$rule" \
        >"$tmp/out" 2>&1 || break
done
grep -E '^objective energy: 1 of 2 PUs left out at the end \(0\), which saved about ' "$tmp/out" |
    grep -q 'deadline of 9.00 s met: .* cap of 150 W kept'
ok "the summary tells of the objective and its limits" $?
python3 - "$tmp" <<'END' >>"$tmp/out" 2>&1
import json, sys
near = lambda got, expected: abs(got - expected) <= 1e-3 * expected
for rule in "job", "busy", "off_when_idle":
    run = json.load(open(f"{sys.argv[1]}/{rule}.json"))
    goal, (a, b), all_s = run["goal"], run["pus"], run["makespan_s"]
    assert a["left_out"] and not b["left_out"] and 0 < a["busy_s"] < 0.1 * all_s
    assert goal["left_out"] == 1 and goal["saved_j"] > 0
    assert goal["deadline"] == "met" and goal["cap"] == "kept"
    assert near(goal["most_w"], 125 if rule == "job" else 105), goal
    seconds = {"job": (all_s, all_s), "busy": (a["busy_s"], b["busy_s"])}
    if rule in seconds:
        assert near(a["static_j"], 20 * seconds[rule][0]) and near(b["static_j"], 5 * seconds[rule][1]), rule
    else:
        assert near(b["static_j"], 5 * all_s) and 20 * a["busy_s"] <= a["static_j"] < 2 * all_s
END
ok "joules of a node that is idle count as the setting says" $?

"$PLBRUN" --simulate "$root/examples/energy/gtx950-nbody.cluster" "$tmp/app.conf" >"$tmp/out" 2>&1 &&
    grep -q '^energy' "$tmp/out"
ok "a machine of the paper" $?
done_testing
