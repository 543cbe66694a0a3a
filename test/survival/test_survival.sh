#!/usr/bin/env bash
# Ranks of real runs are killed and stopped at random times: the runs end right. make check-survival has more.
# test/run: alone
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "survival" "signals and times, not memory"; done_testing; }
runs=10
[ -z "${PLB_QUICK:-}" ] || runs=3

# survives NAME ARGUMENT...: as the harness says, whose lines are shown.
survives() {
    local name=$1; shift
    "$root/test/survival/run" "$@" >"$tmp/out" 2>&1
    local status=$?
    if grep -q '# SKIP' "$tmp/out"; then
        skip "$name" "$(sed -n 's/.*# SKIP //p' "$tmp/out" | head -n 1)"
        return
    fi
    ok "$name" $status
    [ $status -ne 0 ] || grep '^#' "$tmp/out"
}
for job in spmm triad chain; do
    survives "$runs runs of $job, ranks are killed and stopped" --job $job --runs $runs
done
survives "rank 0 is killed: the others end" --job chain --victim rank0 --runs $((runs / 3))
survives "hosts are lost" --job chain --hosts 3 --ranks 3 --victim hosts --runs $((runs / 3))
done_testing
