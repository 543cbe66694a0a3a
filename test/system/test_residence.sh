#!/usr/bin/env bash
# Ten passes of k-means over real ranks: after the first one points stay where they are.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/k.conf" '[app]' "kernel = $BUILD/test/kernels/kmeans.so" '[kmeans]' 'points = 100000'
fixed=(--balancer static balance.migration=off) # each pass grants the same
each=$((8 * 4 * 8 + 8 * 5 * 8))                 # bytes of the centroids and of the sums

# moved N PASSES ARGUMENTS...: the bytes of a run whose result is right.
moved() {
    local n=$1 passes=$2; shift 2
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/k.conf" "${fixed[@]}" kmeans.passes="$passes" "$@" &&
        field bytes_moved
}
# later N ARGUMENTS...: the bytes of passes 2 to 10.
later() {
    local one ten n=$1; shift
    one=$(moved "$n" 1 "$@") && ten=$(moved "$n" 10 "$@") && echo $((ten - one))
}
for n in $(counts 2 3); do
    bytes=$(later "$n") && [ "$bytes" -ge $((9 * (n - 1) * each)) ] &&
        [ "$bytes" -le $((9 * (n - 1) * each * 101 / 100)) ]
    ok "after the first pass centroids and sums move, and no more: $n ranks" $?
done
bytes=$(later 2 run.keep_inputs=no) && [ "$bytes" -gt $((9 * 100000 * 32 / 4)) ]
ok "points move in every pass where ranks keep nothing" $?
labels=$((9 * 100000 * 4)) # of half of the points, from several tasks with a report and sums of their own
bytes=$(later 2 kmeans.labels=yes) && [ "$bytes" -le "$labels" ]
ok "outputs move in every pass, inputs do not" $?

# right NAME N ARGUMENTS...: the result is, whatever moves.
right() {
    local name=$1 n=$2; shift 2
    ranks "$n" --verify "$tmp/k.conf" kmeans.labels=yes "$@"
    ok "the result is right: $name" $?
}
right "small blocks of anybody" 3 --balancer greedy balance.grain=997
right "by default" 3
right "with audits and checksums" 2 run.audit=0.5 run.checksums=yes
right "in child processes" 2 run.isolate=yes
lines "$tmp/two.cluster" '[node a]' 'pus = p' '[node b]' 'pus = q' '[pu p]' '[pu q]' 'kind = gpu' \
    'copy = 1e9, 1e-6'
right "on a PU with memory of its own" 2 cluster.file="$tmp/two.cluster"

# A rank is lost in a later pass, when it has kept inputs. Others pull them. A rank has eight tasks in a pass
# at most, so the first one that comes to the gate is in a later pass.
if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    # shellcheck disable=SC2034 # lib.sh uses it
    LAUNCH=(timeout 120 mpirun --enable-recovery) gate_at=12
    begin 3 --verify "$tmp/k.conf" "${fixed[@]}" balance.grain=5000
    await 1 'a task waits at the gate'
    kill -KILL "$(process_of 1)"
    await 1 'is lost'
    open_gate
    wait "$run" && grep -q "rank 1 on .* is lost" "$tmp/out" && grep -q 'verified' "$tmp/out"
    ok "the result is right where a rank is lost" $?
else
    skip "the result is right where a rank is lost" "this mpirun is not Open MPI 4"
fi
done_testing
