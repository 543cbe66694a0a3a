#!/usr/bin/env bash
# K-means whose labels stay where they are computed: they travel once, at the end. A lost rank's are made
# again.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/k.conf" '[app]' "kernel = $BUILD/test/kernels/kmeans.so" '[kmeans]' 'points = 100000' \
    'labels = yes' 'stays = yes'
fixed=(--balancer static balance.migration=off) # each pass grants the same
each=$((8 * 4 * 8 + 8 * 5 * 8))                 # bytes of the centroids and of the sums

# moved N PASSES ARGUMENTS...: the bytes of a run whose result is right.
moved() {
    local n=$1 passes=$2; shift 2
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/k.conf" "${fixed[@]}" kmeans.passes="$passes" "$@" &&
        field bytes_moved
}
for n in $(counts 2 3); do
    one=$(moved "$n" 1) && ten=$(moved "$n" 10) && [ $((ten - one)) -ge $((9 * (n - 1) * each)) ] &&
        [ $((ten - one)) -le $((9 * (n - 1) * each * 101 / 100)) ] &&
        [ "$one" -ge $((100000 * (32 + 4) * (n - 1) / n - 1000)) ]
    ok "labels travel once, whatever the number of passes: $n ranks" $?
done

# right NAME N ARGUMENTS...: the result is, whatever moves.
right() {
    local name=$1 n=$2; shift 2
    ranks "$n" --verify "$tmp/k.conf" kmeans.passes=4 "$@"
    ok "the result is right: $name" $?
}
# Labels that next looks at come when their pass has ended.
for every in 1 2; do
    ten=$(moved 2 10 kmeans.gather=$every) && [ "$ten" -ge $((100000 * 4 * 10 / every / 2)) ]
    ok "next finds the labels that it has asked for, each pass of $every" $?
done
alone "$tmp/k.conf" kmeans.stays=no kmeans.gather=1
[ $? -ne 0 ] && grep -q 'plb_app_gather(3): this is not the handle of an OUTPUT with' "$tmp/out"
ok "nobody asks for an output that does not stay" $?
right "small blocks of anybody" 3 --balancer greedy balance.grain=997
right "by default, with checksums" 3 run.checksums=yes
right "with audits" 2 run.audit=0.5
right "in child processes" 2 run.isolate=yes
right "with the same bits in any order" 3 run.reproducible=yes
right "with a journal" 2 run.journal="$tmp/journal"
right "with partial results kept" 2 --keep-partial
lines "$tmp/two.cluster" '[node a]' 'pus = p' '[node b]' 'pus = q' '[pu p]' '[pu q]' 'kind = gpu' \
    'copy = 1e9, 1e-6'
right "on a PU with memory of its own" 2 cluster.file="$tmp/two.cluster"

if ! mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    skip "the result is right where a rank is lost" "this mpirun is not Open MPI 4"
    done_testing
fi
# ended: the run was right after the loss of rank 1, whose labels were computed again.
ended() {
    wait "$run" && grep -q 'rank 1 on .* is lost' "$tmp/out" &&
        grep -q 'are lost and re-computed' "$tmp/out" && grep -q 'verified' "$tmp/out"
}
# shellcheck disable=SC2034 # lib.sh uses them
LAUNCH=(timeout 120 mpirun --enable-recovery) gate_at=1000000
# In the last pass a task of rank 0 waits until the others have computed all of theirs.
begin 3 --verify --log info "$tmp/k.conf" "${fixed[@]}" kmeans.passes=3 kmeans.hold=0
await 1 'a pass waits at the gate' && await 1 '6[67] %'
kill -KILL "$(process_of 1)"
await 1 'is lost'
open_gate
ended
ok "the result is right where a rank is lost in the last pass" $?
# The same in a pass whose labels next looks at: it goes on with them.
begin 3 --verify --log info "$tmp/k.conf" "${fixed[@]}" kmeans.passes=4 kmeans.hold=0 kmeans.hold_pass=2 \
    kmeans.gather=2
await 1 'a pass waits at the gate' && await 1 '6[67] %'
kill -KILL "$(process_of 1)"
await 1 'is lost'
open_gate
ended
ok "the result is right where a rank is lost in a pass whose labels are asked for" $?
# While rank 0 is in `next`, which then says that no pass follows. Rank 0 asks a rank that is gone.
begin 3 --verify --log info "$tmp/k.conf" kmeans.passes=2 kmeans.gate="$tmp/gate" run.reproducible=yes
await 1 'next waits at the gate'
kill -KILL "$(process_of 1)"
open_gate
ended
ok "the result is right where a rank is lost before it is asked for its labels" $?
done_testing
