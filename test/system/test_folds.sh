#!/usr/bin/env bash
# Large reduced arrays stay at their ranks in a pass, and go along a tree when it is over. Those of a lost
# rank are computed again. The kernel looks at all sums after each pass.
. "$(dirname "$0")/../support/lib.sh"
array=800000 # bytes
lines "$tmp/s.conf" '[app]' "kernel = $BUILD/test/kernels/sums.so" '[sums]' 'units = 1000' \
    "entries = $((array / 8))" 'passes = 4' 'nap = 1e-4'

# handed N SETS TO_0 ARGUMENTS...: a run on N ranks is right, and so many sets went to another rank, and of
# these to rank 0.
handed() {
    local n=$1 sets=$2 to_0=$3; shift 3
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/s.conf" "$@" && grep -q verified "$tmp/out" &&
        [ "$(field sets_handed)" -eq "$sets" ] && [ "$(field sets_to_rank0)" -le "$to_0" ]
}
# Each rank has a part of each pass, but rank 0 may have none of a short one.
handed 4 12 8 --balancer static && [ "$(field bytes_moved)" -ge $((12 * array)) ] &&
    [ "$(field bytes_moved)" -lt $((12 * array + array / 2)) ]
ok "each rank but rank 0 sends one set in a pass, and rank 0 gets a part of them" $?
handed 4 0 0 --balancer static run.reproducible=yes &&
    [ "$(field bytes_moved)" -gt $((12 * array + array / 2)) ]
ok "reproducible ones go to rank 0" $?
handed 4 0 0 sums.entries=100 # 800 bytes
ok "small ones too" $?
for setting in run.checksums=yes run.audit=0.2 run.journal="$tmp/journal"; do
    handed 3 0 0 "$setting"
    ok "and those of a run with $setting" $?
done
handed 2 4 4 --balancer static sums.labels=yes
ok "two ranks, with outputs that stay" $?
lines "$tmp/two.cluster" '[node a]' 'pus = p, q' '[node b]' 'pus = p, q' '[node c]' 'pus = p, q' \
    '[pu p]' '[pu q]'
handed 3 8 8 --balancer static run.isolate=yes cluster.file="$tmp/two.cluster"
ok "two PUs each, in child processes" $?
ranks 3 --verify --report "$tmp/r.json" "$tmp/s.conf" --balancer greedy balance.grain=7 \
    cluster.master_only=yes sums.labels=yes && grep -q verified "$tmp/out" && [ "$(field sets_handed)" -gt 0 ]
ok "small blocks of anybody, and none of rank 0" $?

# Who joins sends its arrays to rank 0, and the others go on as they did.
begin 3 --verify --log info --report "$tmp/r.json" "$tmp/s.conf" run.join="$tmp/door" balance.grain=10
await 3 'a task waits at the gate'
timeout 120 "$PLBRUN" --join "$tmp/door" >"$tmp/joiner" 2>&1 &
joiner=$!
await 1 'has joined'
open_gate
wait "$run" && grep -q verified "$tmp/out" && [ "$(field nodes)" -eq 4 ] &&
    [ "$(field sets_handed)" -gt 0 ] && wait "$joiner"
ok "a rank joins" $?

if ! mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    skip "the sums are right where a rank is lost" "this mpirun is not Open MPI 4"
    done_testing
fi
# shellcheck disable=SC2034 # lib.sh uses them
LAUNCH=(timeout 60 mpirun --enable-recovery)
# ended: the run was right after the loss of a rank.
ended() { wait "$run" && grep -q 'is lost' "$tmp/out" && grep -q 'verified' "$tmp/out"; }
# In a pass in which rank 0 waits in its last task, and the others have executed theirs.
gate_at=2
begin 4 --verify --log info "$tmp/s.conf" --balancer static balance.migration=off balance.grain=125 \
    sums.labels=yes
await 4 'a task waits at the gate'
kill -KILL "$(process_of 1)"
await 1 'is lost'
open_gate
ended && grep -q 'the arrays of .* are lost and re-computed' "$tmp/out"
ok "a rank is lost in the pass" $?
# While the last rank of the chain, which has no units, has not got the table of the pass yet. The arrays are
# computed again after that; else it would wait for the table forever.
export SUMS_NEXT=$tmp/next
gate_at=3
lines "$tmp/four.cluster" '[node a]' 'pus = p' '[node b]' 'pus = p' '[node c]' 'pus = r' '[node d]' \
    'pus = q' '[pu p]' 'power = 1' '[pu r]' 'power = 0.02' '[pu q]' 'power = 1e-9'
# begins_late: only where rank 0 has accepted results of rank 1 by then, which it may hold back for a while.
begins_late() {
    rm -f "$SUMS_NEXT"
    begin 4 --verify --log info "$tmp/s.conf" --balancer static cluster.master_only=yes run.lost_after=60 \
        balance.backups=off balance.migration=off balance.grain=50 sums.table=800000 sums.passes=2 \
        cluster.file="$tmp/four.cluster"
    await 1 'next waits'
    last=$(process_of 3)
    kill -STOP "$last"
    : >"$SUMS_NEXT"
    await 1 'a task waits at the gate' # rank 2 has ended its share before
    sleep 0.5
    kill -KILL "$(process_of 1)"
    await 1 'is lost'
    open_gate
    sleep 1
    kill -CONT "$last"
    PATIENCE=30 await 1 verified
    ended && grep -q 'the arrays of .* are lost and re-computed' "$tmp/out"
}
tries begins_late
ok "a rank is lost while another one begins the pass" $?
unset SUMS_NEXT
# While arrays are folded: rank 0 folds those of rank 1, and rank 2 those of rank 3.
# shellcheck disable=SC2034 # lib.sh uses it
gate_at=1000000
for victim in 1 2 3; do
    begin 4 --verify --log info "$tmp/s.conf" --balancer static balance.migration=off balance.grain=250 \
        sums.labels=yes sums.fold_nap=0.4 sums.passes=2
    await 1 'a fold begins'
    kill -KILL "$(process_of $victim)"
    ended && { [ $victim -ne 2 ] || grep -q 'the arrays of 250 .* are lost and re-computed' "$tmp/out"; }
    ok "rank $victim is lost while arrays go along the tree" $?
done
done_testing
