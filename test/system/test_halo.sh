#!/usr/bin/env bash
# Rows that are blurred need the rows around them: the halo of a partitioned input. Each run is compared, bit
# by bit, with one loop, and each task checks what it was told of its halo.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/b.conf" '[app]' "kernel = $BUILD/test/kernels/blur.so"
lines "$tmp/gpu.cluster" '[node a]' 'pus = p' '[node b]' 'pus = q' '[node c]' 'pus = q' '[pu p]' \
    '[pu q]' 'kind = gpu' 'copy = 1e9, 1e-6'
apart=cluster.master_only=yes # rank 0 computes nothing

# right NAME N ARGUMENTS...: the result is.
right() {
    local name=$1 n=$2; shift 2
    ranks "$n" --verify --report "$tmp/r.json" "$tmp/b.conf" "$@" && grep -q verified "$tmp/out"
    ok "$name" $?
}
alone --verify "$tmp/b.conf"
ok "one rank" $?
lines "$tmp/one.cluster" '[node a]' 'pus = q' '[pu q]' 'kind = gpu' 'copy = 1e9, 1e-6'
alone --verify "$tmp/b.conf" cluster.file="$tmp/one.cluster" blur.after=11 balance.grain=90
ok "one rank, whose PU has memory of its own" $?
for b in greedy factoring plb-hec; do
    right "three ranks, $b" 3 --balancer "$b" blur.passes=3 $apart
done
right "more before than after, tasks of rows that are not aligned" 3 blur.before=9 blur.after=2 \
    blur.columns=5 balance.grain=7
right "none before" 2 blur.before=0 blur.after=4 $apart
right "wider than a task" 3 blur.before=40 blur.after=50 balance.grain=3 blur.rows=500 blur.passes=2 $apart
right "wider than the job" 3 blur.before=100 blur.after=90 balance.grain=2 blur.rows=30 $apart
right "where inputs are not kept, with checksums" 3 run.keep_inputs=no run.checksums=yes blur.passes=2 $apart
right "with checksums and audits" 3 run.checksums=yes run.audit=0.3 blur.passes=2 balance.grain=50
right "in child processes" 2 run.isolate=yes blur.columns=5 balance.grain=100
right "on PUs with memory of their own" 3 cluster.file="$tmp/gpu.cluster" blur.after=11 balance.grain=90
head -c 384000 /dev/urandom | tr '\200-\377' '\0-\177' | tr '\177' '?' >"$tmp/x" # no NaN: 2000 rows of 24
right "from a file" 3 blur.x="$tmp/x" $apart
[ "$(field bytes_moved)" -lt 600000 ] # the results alone
ok "of which each rank reads its rows" $?

# Ten passes move the rows of each rank and its halo once: 2000 rows of 200 bytes, and their halos.
moved() {
    ranks 2 --verify --report "$tmp/r.json" "$tmp/b.conf" --balancer static $apart balance.migration=off \
        balance.grain=50 blur.passes="$1" >/dev/null && field bytes_moved
}
one=$(moved 1) && ten=$(moved 10) && [ $((ten - one)) -le $((9 * 2000 * 192 * 102 / 100)) ]
ok "later passes move results alone" $?

# refused NAME PATTERN ARGUMENTS...: before work begins, with one sentence.
refused() {
    local name=$1 pattern=$2 status; shift 2
    alone "$tmp/b.conf" "$@"; status=$?
    [ $status -eq 2 ] && [ "$(grep -c "buffer '" "$tmp/out")" -eq 1 ] && grep -q "$pattern" "$tmp/out"
    ok "$name" $?
}
refused "a negative halo" "buffer 'x' has before = -1; a halo has 0 to 2147483647 rows" blur.before=-1
refused "a wild halo" "buffer 'x' has after = 2147483648; a halo" blur.after=2147483648
refused "a halo of results" "buffer 'y' has .after., which only a PARTITION" blur.misplaced=yes
# A simulation refuses a PU without room for the halo of three tasks of a row.
lines "$tmp/small.cluster" '[node a]' 'pus = p' '[pu p]' 'rate = 1e6' 'memory = 400e3'
small() { alone --simulate "$tmp/small.cluster" "$tmp/b.conf" blur.before="$1"; }
small 500 && ! small 1000
ok "the halo needs memory" $?
done_testing
