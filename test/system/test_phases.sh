#!/usr/bin/env bash
# A kernel of two phases in six passes, on one to three ranks with every balancer; and what goes wrong
# with phases: each mistake has a status and one sentence.
. "$(dirname "$0")/../support/lib.sh"

kernels=$BUILD/test/kernels
printf '[app]\nkernel = %s\n' "$kernels/phases.so" >"$tmp/phases.conf"
lines "$tmp/three.cluster" '[node a]' 'pus = p, q' '[node b]' 'pus = q' '[node c]' 'pus = q' \
    '[pu p]' 'rate = 1e6' '[pu q]' 'kind = gpu' 'rate = 3e6' 'copy = 1e9, 1e-6'

for n in $(counts 1 2 3); do
    for b in $(balancers); do
        ranks "$n" --verify --balancer "$b" "$tmp/phases.conf"
        ok "six passes of two phases, $n ranks, $b" $?
    done
done
ranks 3 --verify "$tmp/phases.conf" cluster.file="$tmp/three.cluster"
ok "six passes on PUs with memory of their own" $?
ranks 3 --verify "$tmp/phases.conf" cluster.master_only=yes
ok "six passes with master_only" $?
ranks 3 --verify "$tmp/phases.conf" phases.units=2
ok "six passes over fewer units than ranks" $?

# passes FILE N PUS: the report speaks of N passes, and of both phases of so many PUs.
passes() {
    python3 - "$@" <<'P'
import json, sys
report = json.load(open(sys.argv[1]))
phases = [[p['phase'] for p in pu['phases']] for pu in report['pus']]
sys.exit(report['passes'] != int(sys.argv[2]) or phases != [['assign', 'smooth']] * int(sys.argv[3]))
P
}
# curves FILE PHASE: those of all PUs, unknown ones left out. Without a phase: each PU's own.
curves() {
    python3 - "$@" <<'P'
import json, sys
for pu in json.load(open(sys.argv[1]))['pus']:
    for at in [pu] if len(sys.argv) < 3 else [p for p in pu['phases'] if p['phase'] == sys.argv[2]]:
        if at['curve'] is not None:
            print(at['curve']['text'])
P
}
ranks 2 --quiet --report "$tmp/r.json" --trace "$tmp/t.json" --balancer greedy "$tmp/phases.conf" &&
    passes "$tmp/r.json" 6 2 &&
    [ -n "$(curves "$tmp/r.json" assign)" ] && [ -n "$(curves "$tmp/r.json" smooth)" ]
ok "the report has a curve of each phase" $?
[ "$(grep -o '"pass":[0-9]*' "$tmp/t.json" | sort -u | wc -l)" -eq 6 ]
ok "the trace has all passes" $?
alone --quiet --simulate "$tmp/three.cluster" --report "$tmp/s.json" "$tmp/phases.conf" &&
    passes "$tmp/s.json" 2 4
ok "a simulation runs each phase once" $?
assign=$(curves "$tmp/s.json" assign) smooth=$(curves "$tmp/s.json" smooth)
[ "$(wc -l <<<"$assign")" -eq 4 ] && [ "$assign" != "$smooth" ] &&
    [ "$(curves "$tmp/s.json")" = "$smooth" ]
ok "with curves of its own, the last one's first" $?
# In all 10 cells of cost 1 per microsecond, without copies: 2000 cells of cost 1, then 2000 of cost 3.
awk -F'[:,]' '/"bound_s"/ {exit !($2 > 0.79e-3 && $2 < 1e-3)}' "$tmp/s.json"
ok "and a bound that sums the passes" $?
# The last phase alone: its cells cost 3 in the mean. The starts of the other phase's tasks are not its own.
lines "$tmp/starts.cluster" '[node a]' 'pus = p' '[node b]' 'pus = p' '[pu p]' 'rate = 1000' 'overhead = 0.01'
alone --quiet --simulate "$tmp/starts.cluster" --report "$tmp/w.json" "$tmp/phases.conf" &&
    awk -F'[:,]' '/"work_rate"/ {n += $2 > 332 && $2 < 335} END {exit n != 2}' "$tmp/w.json"
ok "and rates of the last phase" $?
printf '[app]\nkernel = %s\n' "$kernels/modes.so" >"$tmp/modes.conf"
ranks 2 --quiet --report "$tmp/m.json" "$tmp/modes.conf" && [ -s "$tmp/m.json" ] &&
    ! grep -q '"phases"' "$tmp/m.json"
ok "no phases in the report of a kernel that has one entry" $?

# fails NAME STATUS PATTERN ARGUMENTS...: two ranks end with the status and one sentence.
fails() {
    local name=$1 status=$2 pattern=$3 got; shift 3
    ranks 2 "$@"; got=$?
    [ $got -eq "$status" ] && [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ] &&
        grep -qE "^plbrun: .*$pattern" "$tmp/out"
    ok "$name" $?
}
phases() { fails "$1" "$2" "$3" "$tmp/phases.conf" "$4"; }
kernel() {
    lines "$tmp/k.conf" '[app]' "kernel = $kernels/$4.so"
    fails "$1" "$2" "$3" "$tmp/k.conf"
}
phases "next names a phase that is not there" 1 \
    "kernel phases: plb_app_phase.2.: its phases are numbered from 0 to 1" phases.fault=range
phases "next names a phase below 0" 1 "plb_app_phase.-1.: its phases are numbered from 0 to 1" \
    phases.fault=below
phases "setup names a phase that is not there" 2 "plb_app_phase.9.: its phases" phases.start=9
phases "an entry that fails" 1 "kernel phases, phase smooth, returned 11 on PU .*cells? [0-9]+( to [0-9]+)?" \
    phases.fault=entry
phases "a cost below 0" 2 "kernel phases, phase smooth, returns a wrong cost: .* cost of units? .* is -" \
    phases.fault=cost
ranks 2 --verify "$tmp/phases.conf" phases.start=1
[ $? -eq 3 ] && grep -q '^plbrun: pass 0: unit' "$tmp/out"
ok "setup chooses the first phase" $?
kernel "a phase with neither entry" 2 \
    "phase_neither.so: phase hollow of kernel phase_neither has neither a cpu nor a cuda entry" \
    phase_neither
kernel "phases and an entry" 2 \
    "phase_both.so: kernel phase_both has phases, so that its own cpu, cuda or cost" phase_both
kernel "no phases in the list" 2 "phase_none.so: kernel phase_none has no phases or more than 32" \
    phase_none
kernel "a phase for GPUs alone" 2 "kernel phase_gpu, phase gpu, has no cpu entry" phase_gpu
# A kernel that ends the run in its second pass of five.
lines "$tmp/halts.conf" '[app]' "kernel = $BUILD/test/kernels/halts.so"
alone "$tmp/halts.conf" --report "$tmp/r.json"
[ $? -eq 0 ] && [ "$(field passes)" -eq 2 ]
ok "an end without a complaint, in a pass that is not the last" $?
done_testing
