#!/usr/bin/env bash
# A report tells how the run was started, of its hosts and its phases.
. "$(dirname "$0")/../support/lib.sh"

# says TEXT WHAT: the report has the text, whatever the blanks between its parts.
says() {
    tr -s ' \n' ' ' <"$tmp/r.json" >"$tmp/out"
    grep -qF -- "$1" "$tmp/out"
    ok "$2" $?
}

lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/kernels/phases.so"
before=$(date -u +%Y-%m-%dT%H:%M)
ranks 2 --quiet --report "$tmp/r.json" --seed 7 "$tmp/app.conf" cluster.threads=1 && [ -s "$tmp/r.json" ]
ok "a kernel of two phases on two ranks" $?
says "--quiet --report $tmp/r.json --seed 7 $tmp/app.conf cluster.threads=1\"" "the command line"
says '"seed": 7,' "the seed"
says '"nodes": 2, "hosts": 1,' "two ranks on one host"
says '{ "section": "cluster", "key": "threads", "value": "1", "origin": "command line" }' "a setting"
says "test/kernels/phases.so\", \"origin\": \"$tmp/app.conf:2\"" "a setting of the conf file"
says '"key": "file", "value": null, "origin": null' "a setting that nobody set"
says '"threads": 1,' "threads of a PU"
date=$(sed -n 's/^ *"date": *"\([0-9T:-]*\)Z",$/\1/p' "$tmp/r.json")
! [[ $date < $before ]] && [[ ${#date} -eq 19 ]]
ok "the date: $date" $?

# The passes of the phases are those of the run. Their times and that of collecting results are the makespan.
awk -F'[:,]' '/"passes":/ {passes[n++] = $2} /"time_s":|"collect_s":/ {times += $2}
    /"makespan_s":/ {makespan = $2}
    END {exit !(n == 3 && passes[1] > 0 && passes[2] > 0 && passes[0] == passes[1] + passes[2] &&
                times > 0.9999 * makespan && times < 1.0001 * makespan)}' "$tmp/r.json"
ok "passes and times of each phase" $?

alone --quiet --report "$tmp/r.json" --simulate "$root/hostfiles/demo.cluster" "$root/examples/demo/app.conf"
says '"nodes": 3, "hosts": 3,' "each node of a simulation is a host"
says '{ "phase": "matmul", "passes": 1, "time_s": ' "a kernel without phases has one"
done_testing
