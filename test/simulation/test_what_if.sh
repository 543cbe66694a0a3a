#!/usr/bin/env bash
# The changes that a report foretells are made, and each run then takes what was predicted, within 5 %. Times
# of tasks are noisy, which no report tells.
. "$(dirname "$0")/../support/lib.sh"

lines "$tmp/mm.conf" '[app]' 'kernel = matmul' '[matmul]' 'rows = 1000' 'inner = 1000' 'columns = 4000'
# machines NAME NODES PUS-OF-THERE LINES...: a .cluster file of so many nodes, of which the first has a and b.
machines() {
    printf '[node here]\npus = a, b\n[node there]\npus = %s\n' "$3" >"$tmp/$1.cluster"
    [ "$2" -lt 3 ] || printf '[node more]\npus = a, b\n' >>"$tmp/$1.cluster"
    cat >>"$tmp/$1.cluster" <<'P'
[pu a]
rate = 2e9
noise = 0.05
[pu b]
kind = gpu
rate = 6e9
half = 2e7
overhead = 1e-4
copy = 6e9, 1e-5
noise = 0.05
[pu c]
rate = 1e9
noise = 0.05
[pu d]
rate = 3e9
noise = 0.05
P
    printf '%s\n' "${@:4}" >>"$tmp/$1.cluster"
}
machines all 2 'c, d'
machines without-d 2 c
machines more 3 'c, d'
machines slower 2 'c, d' 'slow = 0.3:9'

# simulated NAME REPORT ARGUMENTS...
simulated() { "$PLBRUN" --simulate "$tmp/$1.cluster" --report "$tmp/$2" --quiet "${@:3}" >"$tmp/out" 2>&1; }
# predicted REPORT CHANGE: seconds.
predicted() {
    python3 - "$tmp/$1" "$2" <<'P'
import json, sys
changes = json.load(open(sys.argv[1]))['what_if']
print(next(c['predicted_s'] for c in changes if c['change'].startswith(sys.argv[2])))
P
}
# holds NAME CHANGE MACHINES ARGUMENTS...: made, the change takes what the report of r.json says of it, and
# 6 % less or more than the run, so that a report that foretells nothing new is found out.
holds() {
    local said took
    said=$(predicted r.json "$2")
    simulated "$3" new.json "$mm" --seed 77 "${@:4}"
    took=$(python3 -c "import json; print(json.load(open('$tmp/new.json'))['makespan_s'])")
    echo "of $(field makespan_s) s, predicted $said s, took $took s" >"$tmp/out"
    awk -v said="$said" -v took="$took" -v was="$(field makespan_s)" 'BEGIN {
        d = said / took - 1; c = took / was - 1
        exit !(said > 0 && d * d < 0.05 * 0.05 && c * c > 0.06 * 0.06) }'
    ok "$1" $?
}
mm=$tmp/mm.conf

simulated all r.json "$mm" --balancer acosta
python3 - "$tmp" >"$tmp/out" 2>&1 <<'P'
import json, sys
r = json.load(open(sys.argv[1] + '/r.json'))
assert r['what_if_note'] is None
assert 0 < abs(r['what_if_simulated_s'] / r['makespan_s'] - 1) < 0.05
for c in r['what_if']:
    assert c['left_out'] is not None or abs(c['ratio'] * r['makespan_s'] / c['predicted_s'] - 1) < 1e-6, c
P
ok "the run as it was takes as long again, and changes are in its seconds" $?
# Scripts read a report line by line, with awk.
[ "$(grep -c '"makespan_s"' "$tmp/r.json")" -eq 1 ]
ok "who reads a report by its lines finds the run's makespan and no other" $?
holds "another balancer" 'with balancer sure' all --balancer sure
holds "without a PU" 'without PU 3 (d' without-d --balancer acosta
simulated all r.json "$mm"
holds "one more node" 'with one more node like node 0' more
simulated all r.json "$mm" balance.grain=20
holds "no grain" 'without balance.grain' all

# A machine that changes is no line: the simulation differs, or is left out, and that is said.
simulated slower r.html "$mm" --balancer acosta balance.migration=off
grep -qE 'These differ by [0-9]+&nbsp;%' "$tmp/r.html" && grep -q 'with balancer greedy' "$tmp/r.html"
ok "a simulation that differs says so" $?
simulated slower r.html "$mm" --balancer sure balance.migration=off
grep -q 'differs too much from the run' "$tmp/r.html" && ! grep -q 'with balancer greedy' "$tmp/r.html"
ok "one that is far off tells of no changes" $?

simulated all again.json "$mm" --balancer greedy
cp "$tmp/again.json" "$tmp/r.json"
simulated all again.json "$mm" --balancer greedy
python3 - "$tmp" >"$tmp/out" 2>&1 <<'P'
import json, sys
a, b = (json.load(open(f'{sys.argv[1]}/{name}.json')) for name in ('r', 'again'))
assert len(a['what_if']) > 10 and a['what_if'] == b['what_if']
assert a['what_if_simulated_s'] == b['what_if_simulated_s']
P
ok "the report of a simulation has the same changes each time" $?

# A PU whose tasks are all start has a rate that may be anything. The change would give it much more.
cp "$root/hostfiles/demo.cluster" "$tmp/demo.cluster"
simulated demo r.json "$root/examples/kmeans/app.conf" kmeans.count=1000000
python3 - "$tmp" >"$tmp/out" 2>&1 <<'P'
import json, sys
r = json.load(open(sys.argv[1] + '/r.json'))
print(r['what_if_note'], [(c['change'], c['left_out'], c['ratio']) for c in r['what_if']])
assert any('far larger tasks' in (c['left_out'] or '') for c in r['what_if'])
P
ok "larger tasks than a PU had are not predicted from its starts" $?

# 100,000 tasks do not fit in 50 ms.
lines "$tmp/many.conf" '[app]' 'kernel = matmul' '[matmul]' 'rows = 10' 'inner = 10' 'columns = 100000'
simulated all r.json "$tmp/many.conf" balance.grain=1
grep -q '"what_if": \[\]' "$tmp/r.json" && [ "$(field what_if_note)" != None ]
ok "a run that is too large says that nothing is predicted" $?
done_testing
