#!/usr/bin/env bash
# A PU that hangs in a task, over real ranks: it is lost, others execute its units, and results stay right.
. "$(dirname "$0")/../support/lib.sh"

for n in 1 2 3; do
    nodes=() pus='p p'
    for ((i = 0; i < n; i++)); do nodes+=("[node n$i]" "pus = $pus"); pus=p; done
    lines "$tmp/$n.cluster" "${nodes[@]}" '[pu p]' 'power = 1' 'slowdown = 1'
done
for kernel in costs passes; do
    lines "$tmp/$kernel.conf" '[app]' "kernel = $BUILD/test/kernels/straggler_$kernel.so" \
        '[run]' 'hung_after = 0.5s' '[balance]' 'task_seconds = 0.02' '[straggler]' 'units = 300' 'passes = 3'
done
says() { grep -q -- "$2" "$tmp/out"; ok "$1" $?; }
silent() { [ -s "$tmp/out" ] && ! grep -q -- "$2" "$tmp/out"; ok "$1" $?; }
# run N CONF SETTINGS...: verified, with a report.
run() {
    local n=$1 conf=$2; shift 2
    rm -f "$tmp/r.json"
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/$conf.conf" cluster.file="$tmp/$n.cluster" "$@"
}
why='it hangs: no end after [0-9.]* s, and at most [0-9.e-]* s were expected'
failed() { grep -q "\"failure\": \"$why\"" "$tmp/r.json"; }
# divided N CONF SETTINGS...: each PU executes its part of each pass, and one is late in the second pass.
divided() {
    run "$@" balance.balancer=static balance.migration=off balance.grain=5 straggler.reduce=yes \
        straggler.after=$((300 / ($1 + 1)))
}

# Rank 0 has two PUs, so that one rank alone can lose one.
for n in $(counts 1 2 3); do
    for rank in $(seq 0 $((n > 1 ? 1 : 0))); do
        divided "$n" costs straggler.rank="$rank" straggler.hangs=yes
        [ $? -eq 0 ] && failed
        ok "$n ranks, a PU of rank $rank never returns" $?
    done
done
on="on PU 'p' (rank $rank on [^ ]*)" units='\(units [0-9]* to [0-9]*\|unit [0-9]*\)'
says "a warning says that it is late" \
    "warning: .*kernel straggler is late $on: it has executed $units for [0-9.]* s, and at most [0-9.e-]* s"
says "another one that it is lost" \
    "warning: kernel straggler failed ($why) $on for $units; this PU is no longer used, and its"
says "and so does the summary" "failed: $why"

# Idle PUs execute its units before that. Between passes rank 0 waits for its own PUs, but not for a lost one.
run 2 costs straggler.rank=0 straggler.hangs=yes straggler.reduce=yes straggler.passes=12 straggler.after=20
[ $? -eq 0 ] && failed && grep -q 'also executed elsewhere, faster there in [1-9][0-9]* case' "$tmp/out"
ok "with backups, a PU of rank 0 never returns" $?
run 3 costs straggler.rank=1 straggler.hangs=yes straggler.reduce=yes straggler.passes=12 straggler.after=20
[ $? -eq 0 ] && grep -q 'also executed elsewhere, faster there in [1-9][0-9]* case' "$tmp/out"
ok "with backups, a PU of rank 1 never returns" $?

# It comes back after 6 s, in a later pass, and writes what is wrong.
for rank in 0 1; do
    divided 2 costs straggler.rank=$rank straggler.late=6000 straggler.deaf=yes straggler.passes=24
    [ $? -eq 0 ] && failed
    ok "a PU of rank $rank that comes back changes nothing" $?
done

# Nobody knows how long units take.
divided 2 passes straggler.late=2500
ok "a kernel that tells no costs, and a PU that is late" $?
says "which a warning says" "is late on PU .* for [0-9.]* s, and their expected time is unknown"
silent "no PU is lost" 'it hangs'
divided 2 costs straggler.late=2500 run.hung_after=off
ok "a PU is late, and nobody looks" $?
silent "nothing is said" 'is late\|it hangs'
for text in 0 never -1s; do
    run 1 costs run.hung_after="$text"
    [ $? -eq 2 ] && grep -q "hung_after = $text is not a time" "$tmp/out"
    ok "hung_after = $text is refused" $?
done
done_testing
