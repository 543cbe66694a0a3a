#!/usr/bin/env bash
# Each advice is given to a run that needs it, and the run that follows it takes less time.
. "$(dirname "$0")/../support/lib.sh"

lines "$tmp/mm.conf" '[app]' 'kernel = matmul' '[matmul]' 'rows = 1000' 'inner = 1000' 'columns = 4000'
# machines NAME LINK KEY-OF-ALL KEY-OF-C: a .cluster file of two nodes and three equal PUs, with these lines
# beside.
machines() {
    {
        printf '[node here]\npus = a, b\n[node there]\npus = c\n%s\n' "$2"
        printf '[pu %s]\nrate = 2e9\n%s\n' a "$3" b "$3" c "$3"
        printf '%s\n' "$4"
    } >"$tmp/$1.cluster"
}
machines equal '' '' ''
machines wrong-power '' '' 'power = 6e9'
machines slower '' '' 'slow = 0.1:4'
machines breaks-down '' '' 'slow = 1:40'
machines slow-link 'bandwidth = 1e8' '' ''
machines slow-starts '' 'overhead = 1e-3' ''
machines unequal '' '' 'rate.matmul = 4e10'

# simulated NAME ARGUMENTS...: a simulated run on these machines; its report and summary.
simulated() {
    "$PLBRUN" --simulate "$tmp/$1.cluster" --report "$tmp/r.json" "${@:2}" >"$tmp/out" 2>&1
}
makespan() { field makespan_s; }
# shorter NEW OLD: by 2 % at least.
shorter() { awk -v new="$1" -v old="$2" 'BEGIN { exit !(old > 0 && new + 0 < 0.98 * old) }'; }

# helps NAME ADVICE MACHINES -- ARGUMENTS... -- FOLLOWING...: the run with the arguments is given this advice
# in the summary's last line, and the run with the following ones takes less time.
helps() {
    local name=$1 advice=$2 on=$3 run=() before after
    shift 4
    while [ "$1" != -- ]; do run+=("$1"); shift; done
    shift
    simulated "$on" "${run[@]}"
    tail -n 1 "$tmp/out" >"$tmp/last"
    grep '^Advice: ' "$tmp/last" | grep -qF -- "$advice"
    ok "$name: the advice is $advice" $?
    before=$(makespan)
    simulated "$on" "$@"
    after=$(makespan)
    echo "$before s before, $after s after" >>"$tmp/out"
    shorter "$after" "$before"
    ok "$name: to follow it helps" $?
}
mm=$tmp/mm.conf

simulated equal "$mm"
[ -s "$tmp/out" ] && ! grep -q '^Advice' "$tmp/out"
ok "a good run has no advice" $?
helps "powers that are wrong" '--balancer sure' wrong-power -- "$mm" --balancer static balance.migration=off \
    -- "$mm" balance.migration=off
helps "a slow PU in static shares" '--balancer sure' slower -- "$mm" --balancer static balance.migration=off \
    -- "$mm" balance.migration=off
helps "barriers" '--balancer sure' unequal -- "$mm" --balancer acosta -- "$mm"
helps "training" '--balancer sure' unequal -- "$mm" matmul.columns=200 --balancer plb-hec \
    -- "$mm" matmul.columns=200
helps "no migration" 'balance.migration=on' breaks-down -- "$mm" balance.migration=off -- "$mm"
helps "no backups" 'balance.backups=on' breaks-down -- "$mm" balance.backups=off -- "$mm"
helps "tasks that are too short" 'leave out balance.grain' slow-starts -- "$mm" balance.grain=1 -- "$mm"
helps "units that are too large" 'more and smaller columns' equal -- "$mm" matmul.columns=2 \
    matmul.inner=100000 -- "$mm" matmul.columns=200 matmul.inner=1000

# Rates that are not those of the kernel: the job is over at once, and its times say nothing.
lines "$tmp/stencil.conf" '[app]' 'kernel = stencil'
simulated equal "$tmp/stencil.conf" --balancer static
grep -q 'if these are not the rates of stencil, add rate.stencil to each PU of the .cl' "$tmp/out" &&
    ! grep -qE '^Advice: |differ in cost' "$tmp/out" && [ "$(field advice)" = None ]
ok "rates of another kernel: the advice is rate.KERNEL, and nothing else" $?
simulated equal "$tmp/mm.conf" && grep -q '^matmul: ' "$tmp/out" && ! grep -q 'rate.matmul' "$tmp/out"
ok "rates that suit the kernel are not doubted" $?

# A link that is too slow for the data: files that all see do not cross it.
lines "$tmp/triad.conf" '[app]' 'kernel = triad'
python3 - "$tmp" <<'P'
import struct, sys
n = 4096 * 1000
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % n
head += ' ' * (63 - (10 + len(head)) % 64) + '\n'
for name in 'bc':
    with open(f'{sys.argv[1]}/{name}.npy', 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
        f.truncate(f.tell() + 8 * n)
P
triad=("$tmp/triad.conf" triad.b="$tmp/b.npy" triad.c="$tmp/c.npy" triad.a="$tmp/a.npy")
helps "a slow link" 'triad.mapped=yes' slow-link -- "${triad[@]}" -- "${triad[@]}" triad.mapped=yes
done_testing
