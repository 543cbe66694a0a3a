#!/usr/bin/env bash
# --compare: reports of a simulation whose numbers are then set by hand.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit 1
python=/usr/bin/python3

for balancer in sure greedy; do
    "$PLBRUN" --simulate "$root/hostfiles/demo.cluster" --balancer $balancer --report $balancer.json \
        "$root/examples/demo/app.conf" >>out 2>&1
done
# report BALANCER FILE MAKESPAN [KEY VALUE]: a report with other numbers.
report() {
    "$python" - "$@" <<'END'
import json, sys
balancer, file, makespan, *more = sys.argv[1:]
run = json.load(open(balancer + ".json"))
run["makespan_s"] = float(makespan)
if more:
    run[more[0]] = json.loads(more[1])
json.dump(run, open(file, "w"))
END
}
i=0
for seconds in 2.0 2.2 2.1; do i=$((i + 1)); report sure a$i.json $seconds; done
i=0
for seconds in 2.6 2.9 2.5; do i=$((i + 1)); report greedy b$i.json $seconds; done

# says NAME STATUS WORDS...: the output has all of these words, each as a regular expression.
says() {
    local name=$1 status=$2 bad=0
    for words in "${@:3}"; do grep -qE -- "$words" out || { echo "missing: $words" >>out; bad=1; }; done
    ok "$name" $((bad + (status != wanted)))
}
compare() { "$PLBRUN" --compare "$@" >compared 2>&1; local status=$?; cp compared out; return $status; }

wanted=0
compare a?.json b?.json
says "repeats whose ranges do not overlap differ" $? '^A: 3 runs: a1.json a2.json a3.json' \
    'balancer +A: sure, B: greedy' '^makespan_s +2\.10 s \(2\.00 s to 2\.20 s\) +2\.60 s .*, \+23\.8 % \*' \
    '^B takes 23\.8 % more time than A: in each of its 3 runs it took more'
report greedy b4.json 2.15
compare a?.json b?.json
says "repeats whose ranges overlap may differ by chance" $? '^B: 4 runs' \
    '^makespan_s .* \+21\.4 %$' '^B takes 21\.4 % more time than A, but their ranges overlap'
rm b4.json
compare a1.json b1.json
says "runs without repeats may differ by chance" $? 'B takes 30\.0 % more .* Each ran once'
[ "$(grep -c '\*' out)" -eq 0 ]
ok "nothing stands out of them" $?
compare a?.json
says "repeats alone show their spread" $? '^makespan_s +2\.10 s \(2\.00 s to 2\.20 s\)$'
[ -s compared ] && [ "$(grep -c 'takes' out)" -eq 0 ]
ok "and are compared with nothing" $?
report sure c1.json 1.0 units 24000
compare a?.json b?.json c1.json
says "three set-ups, the last with more units" $? '^C: 1 run: c1' 'units +A: 12000, B: 12000, C: 24000' \
    '^C takes 52\.4 % less .* One of them ran once'
report greedy d1.json 2.1 energy_j 5
compare a?.json d1.json b?.json
says "what one set-up alone knows is shown" $? '^B: 4 runs: d1' '^energy_j +unknown +5 J$'
report sure d2.json 2.1 settings "$("$python" -c 'import json
print(json.dumps(json.load(open("a1.json"))["settings"] + [{"section": "x", "key": "y", "value": "1"}]))')"
compare a?.json d2.json
says "a setting more makes another set-up" $? '^B: 1 run: d2' 'x\.y +A: none, B: 1'
report sure d3.json 2.1 pus '[{"name": "another", "units": 5}]'
compare a?.json d3.json
says "so do other PUs" $? '^B: 1 run: d3' '^  PUs +A: cpu-fast, .*, B: another$'
[ -s compared ] && [ "$(grep -c ' of PU ' out)" -eq 0 ]
ok "and these are not compared one by one" $?

compare a?.json b?.json --quiet --report c.json
"$python" - >>out 2>&1 <<'END'
import json
c = json.load(open("c.json"))
assert [s["name"] for s in c["setups"]] == ["A", "B"]
assert c["setups"][1]["files"] == ["b1.json", "b2.json", "b3.json"]
assert c["setups"][1]["differs_in"] == {"balance.balancer": "greedy"}
rows = {(q["key"], q.get("pu")): q["setups"] for q in c["quantities"]}
a, b = rows["makespan_s", None]
assert (a["runs"], a["low"], a["median"], a["high"]) == (3, 2.0, 2.1, 2.2), a
assert b["stands_out"] and not rows["nodes", None][1]["stands_out"]
assert rows["units", "PU 0, cpu-fast"][0]["runs"] == 3
END
ok "JSON has all quantities" $?
compare a1.json b1.json --report - && "$python" -m json.tool out >/dev/null
ok "JSON on standard output has nothing else beside it" $?
compare a?.json b?.json --report '<c>.html'
{ grep -q '23.8 % more time' '<c>.html' && ! grep -qE 'https?:' '<c>.html'; } >>out 2>&1
ok "a page has the verdict, and needs no network" $?

report sure e1.json 2.0 status '"interrupted"'
compare a?.json e1.json
says "a run that broke is no repeat, and its time says nothing" $? '^A: 3 runs' \
    'status +A: done, B: interrupted' \
    '^B did not end well \(status: interrupted\), so its makespan cannot be compared with A\.$'
[ -s compared ] && [ "$(grep -c 'takes' out)" -eq 0 ]
ok "its makespan is not compared" $?
echo '{"schema": 3, "pus": [], "settings": [], "units": 3}' >none1.json
echo '{"schema": 3, "pus": [], "settings": [], "units": 4}' >none2.json
compare none1.json none2.json
says "reports without numbers" $? '^The makespans of A and B cannot be compared'
long=$(printf '€%.0s' {1..200})
report sure long.json 2.0 pus "[{\"name\": \"$long\"}]"
cp b1.json $'b\xe9.json'
compare a1.json long.json $'b\xe9.json' --quiet --report cut.json
"$python" - >>out 2>&1 <<'END'
import json
a, b, c = json.load(open("cut.json"))["setups"]
assert "PUs" in a["differs_in"] and "PUs" in b["differs_in"] and c["files"] == ["b?.json"], (b, c)
END
ok "JSON keeps texts that are cut, and names that are not UTF-8" $?

wanted=2
cp a1.json kept.json
compare kept.json b1.json --report ./kept.json
says "a report to compare is not written over" $? \
    '^plbrun: --report ./kept.json: this is one of the reports to compare'
cmp -s a1.json kept.json
ok "it stays as it was" $?
compare a1.json b1.json --report c.pdf
says "a comparison of no format" $? '^plbrun: --report c.pdf: a report is written as .json .for programs. or'
[ ! -e c.pdf ] && grep -q "c.pdf: a report is" compared
ok "it is not written" $?
compare
says "no report" $? '^plbrun: --compare needs reports: plbrun --compare a.json'
compare a1.json none.json
says "a file that is not there" $? '^plbrun: cannot read the report none.json: No such file'
echo '{"units":' >cut.json
compare a1.json cut.json
says "a file that is cut" $? '^plbrun: cut.json:[0-9]+: .*a report is JSON'
echo '{"units": 3}' >other.json
compare other.json
says "another JSON file" $? '^plbrun: other.json: this is not a report, as plbrun --report writes it'
report sure old.json 1 schema 1
compare a1.json old.json
says "a report of an older format" $? '^plbrun: old.json: its format is version 1, but this .*run the job'
for n in $(seq 27); do report sure "many$n.json" 1 units "$n"; done
compare many*.json
says "too many set-ups" $? '^plbrun: many.*: this would be set-up number 27, but at most 26 can be compared'
done_testing
