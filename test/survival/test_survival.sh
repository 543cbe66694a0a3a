#!/usr/bin/env bash
# Ranks of real runs are killed and stopped at random times: the runs end right. make check-survival has more.
# test/run: alone
# test/run: real MPI, whose ranks are lost.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "survival" "signals and times, not memory"; done_testing; }
runs=10
[ -z "${PLB_QUICK:-}" ] || runs=3

# try FILE ARGUMENT...: the harness, whose lines go to $tmp/FILE.
try() {
    "$root/test/survival/run" --undisturbed 2 "${@:2}" >"$tmp/$1" 2>&1
    echo $? >"$tmp/$1.status"
}
# survived NAME FILE: as the harness has said, whose lines are shown.
survived() {
    local name=$1 status
    status=$(cat "$tmp/$2.status")
    mv "$tmp/$2" "$tmp/out"
    if grep -q '# SKIP' "$tmp/out"; then
        skip "$name" "$(sed -n 's/.*# SKIP //p' "$tmp/out" | head -n 1)"
        return
    fi
    ok "$name" "$status"
    [ "$status" -ne 0 ] || grep '^#' "$tmp/out"
}
# These runs sleep most of the time, and others go on beside them.
{
    try rank0 --job chain --victim rank0 --runs $((runs / 3))
    # Open MPI 4 loops for ever in about one of fifty such runs, and then the watchdog ends them.
    try hosts --job chain --hosts 3 --ranks 3 --victim hosts --runs $((runs / 3)) --watchdog 1
} &
for job in spmm triad chain; do
    try $job --job $job --runs $runs
    survived "$runs runs of $job, ranks are killed and stopped" $job
done
wait
survived "rank 0 is killed: the others end" rank0
survived "hosts are lost" hosts
done_testing
