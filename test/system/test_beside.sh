#!/usr/bin/env bash
# Ranks of rank 0's host read inputs in its memory, and write results there (inputs/share_memory.h).
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/b.conf" '[app]' "kernel = $BUILD/test/kernels/beside.so"
lines "$tmp/h.conf" '[app]' "kernel = $BUILD/test/kernels/heat.so" '[heat]' 'cells = 600000' 'passes = 4' \
    'named = no'
fixed=(--balancer static balance.migration=off)
rows=$((400000 * 24)) # bytes of the input, and of the results

# right NAME N LEAST MOST ARGUMENTS...: the result is, and so many bytes have moved.
right() {
    local name=$1 n=$2 least=$3 most=$4; shift 4
    ranks "$n" --verify --report "$tmp/r.json" "$@" && grep -q verified "$tmp/out" &&
        [ "$(field bytes_moved)" -ge "$least" ] && [ "$(field bytes_moved)" -le "$most" ]
    ok "$name" $?
}
some=$((rows / 20))
offsets=3200016 # bytes, which rank 0 sends
for n in $(counts 2 3); do
    right "nothing but offsets moves: $n ranks" "$n" 0 $((n * offsets + some)) "$tmp/b.conf" "${fixed[@]}"
done
# Results of backups are sent.
off=balance.backups=off
right "nor where units change hands" 3 0 $((3 * offsets + some)) "$tmp/b.conf" $off balance.grain=5000
right "in child processes" 2 0 $((2 * offsets + some)) "$tmp/b.conf" $off run.isolate=yes balance.grain=20000
right "with checksums" 2 0 $((2 * offsets + some)) "$tmp/b.conf" $off run.checksums=yes balance.grain=20000
# The result of an audit is compared on rank 0.
right "audits move what they compare" 3 $some $((4 * rows)) "$tmp/b.conf" run.audit=0.5 \
    balance.grain=5000
right "a run that says what it maps" 2 0 $((2 * offsets + some)) "$tmp/b.conf" "${fixed[@]}" --log debug
if grep -q 'with huge pages 0' "$tmp/out"; then
    skip "results are copied into rank 0's memory" "the system makes no huge pages of a file in memory"
else
    grep -q 'rank 1.* in memory of rank 0, .*results mapped: 1' "$tmp/out"
    ok "results are copied into rank 0's memory" $?
fi
# Rank 0 writes in place until it hears that a backup has been accepted.
for i in 1 2 3; do
    BESIDE_LATE=$((5 + i)) right "a late task of rank 0 overwrites nothing that others have stored: $i" \
        2 0 $rows "$tmp/b.conf" --balancer greedy balance.grain=5000
done
lines "$tmp/two.cluster" '[node a]' 'pus = p' '[node b]' 'pus = p' '[pu p]'
right "ranks that play hosts share nothing" 2 $((rows * 2 / 3)) $((4 * rows)) "$tmp/b.conf" "${fixed[@]}" \
    cluster.file="$tmp/two.cluster"
# Results may become any input of as many bytes for each unit: such inputs change.
right "inputs that results feed are not shared" 2 $((600000 * 20)) $((600000 * 48)) "$tmp/h.conf" \
    "${fixed[@]}"
lines "$tmp/m.conf" '[app]' "kernel = $BUILD/test/kernels/modes.so" '[modes]' 'units = 400000'
right "in several passes results alone move" 2 $((400000 * 16)) $((400000 * 32)) "$tmp/m.conf" "${fixed[@]}"
if ! mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    skip "a rank that maps them is lost" "this mpirun is not Open MPI 4"
    done_testing
fi
# shellcheck disable=SC2034 # lib.sh uses it
LAUNCH=(timeout 120 mpirun --enable-recovery) gate_at=3
started 3 --verify "$tmp/b.conf" balance.grain=20000 && kill -KILL "$(process_of 1)" && await 1 'is lost'
open_gate
wait "$run" && grep -q verified "$tmp/out"
ok "a rank that maps them is lost" $?
# shellcheck disable=SC2034
gate_at=2
started 3 --verify "$tmp/b.conf" balance.grain=20000 && kill -STOP "$(process_of 1)" && await 1 'is lost'
open_gate
wait "$run" && grep -q verified "$tmp/out"
ok "one that has stopped in a task is lost" $?
done_testing
