#!/usr/bin/env bash
# Backups over real ranks: a late task costs one more execution and not the run, and results stay right.
# test/run: alone, since it compares the times of two runs.
. "$(dirname "$0")/../support/lib.sh"

for n in 1 2 3; do
    nodes=() pus='p p'
    for ((i = 0; i < n; i++)); do nodes+=("[node n$i]" "pus = $pus"); pus=p; done
    lines "$tmp/$n.cluster" "${nodes[@]}" '[pu p]' 'power = 1' 'slowdown = 1'
done
lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/kernels/straggler.so" '[straggler]' 'units = 200'
lines "$tmp/passes.conf" '[app]' "kernel = $BUILD/test/kernels/straggler_passes.so" \
    '[straggler]' 'units = 200' 'passes = 3'
says() { grep -q -- "$2" "$tmp/out"; ok "$1" $?; }
number() { sed -n "s/^ *\"$1\": *\([0-9.e+-]*\),*$/\1/p" "$tmp/r.json" | head -1; }
# run N CONF SETTINGS...: verified, with a report.
run() {
    local n=$1 conf=$2; shift 2
    rm -f "$tmp/r.json"
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/$conf.conf" cluster.file="$tmp/$n.cluster" "$@"
}

# A unit sleeps 2 ms, and once a PU sleeps 1 s in a task.
run 2 app balance.backups=off
ok "one late task, without backups" $?
without=$(number makespan_s)
[ "$(number backups)" = 0 ] && [ "$(number backup_units)" = 0 ]
ok "nothing is executed twice" $?
run 2 app
ok "with backups, which are the default" $?
awk -v with="$(number makespan_s)" -v without="$without" 'BEGIN {exit !(with > 0 && with < 0.75 * without)}'
ok "the run ends sooner" $?
[ "$(number backups)" -gt 0 ] && [ "$(number backups_won)" -gt 0 ] && [ "$(number backup_units)" -gt 0 ]
ok "the report says so" $?
says "and the summary" '[0-9]* late tasks\? also executed elsewhere, faster there in [0-9]* case'
run 2 app balance.migration=off
ok "without migration" $?
[ "$(number backups)" = 0 ]
ok "there are no backups" $?

# Rank 0 has two PUs, so that one rank alone can have backups, too. On a busy machine the others may have done
# everything before a rank has executed the ten units after which it is late.
helped() { run "$@" && [ "$(number backups_won)" -gt 0 ]; }
for n in $(counts 1 2 3); do
    for rank in $(seq 0 $((n - 1))); do
        tries helped "$n" app straggler.rank="$rank"
        ok "$n ranks, rank $rank is late" $?
        tries helped "$n" app straggler.rank="$rank" straggler.hangs=yes straggler.reduce=yes
        ok "$n ranks, rank $rank never returns, and units are summed up" $?
    done
done
run 2 app straggler.rank=0 straggler.hangs=yes
ok "rank 0 never returns from a task whose outputs are all that it has" $?

# An obsolete task reads a buffer that is replaced meanwhile, and its PU gets blocks of the next passes. Rank
# 0 waits for its own tasks between passes: one that sleeps for a quarter of an hour wakes up.
for rank in 0 1; do
    run 2 passes straggler.rank=$rank straggler.reduce=yes straggler.late=1e6
    ok "three passes, rank $rank is late and hears that it is not needed" $?
done
run 3 passes straggler.hangs=yes straggler.reduce=yes
ok "three passes, a PU never returns" $?
[ "$(number passes)" = 3 ] && [ "$(number backups_won)" -gt 0 ]
ok "what it held is executed a second time, and what it is granted later by others" $?
ranks 2 --trace "$tmp/t.html" "$tmp/app.conf" cluster.file="$tmp/2.cluster" straggler.hangs=yes
[ $? -eq 0 ] && grep -q '</html>' "$tmp/t.html"
ok "a chart of a PU that never returns" $?

# megabytes BACKUPS: the most memory of a run whose one PU executes all of its units in one task.
megabytes() {
    python3 - "$PLBRUN" --verify --balancer static "$tmp/triad.conf" balance.backups="$1" <<'P'
import resource, subprocess, sys
assert '; verified' in subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True).stdout
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
P
}
lines "$tmp/triad.conf" '[app]' 'kernel = triad' '[triad]' 'elements = 16777216' # 128 MB in each array
on=$(megabytes on) off=$(megabytes off)
[ -n "$on" ] && [ -n "$off" ] && [ "$on" -lt $((off + 64)) ]
ok "a PU that is alone needs no second place for its outputs: $on MB, without backups $off MB" $?
done_testing
