#!/usr/bin/env bash
# Records of any length: one file in the order of the units, whoever made them, and whatever is lost.
. "$(dirname "$0")/../support/lib.sh"
lines "$tmp/r.conf" '[app]' "kernel = $BUILD/test/kernels/records.so"
# expect UNITS PASSES BYTES: the files that are right.
expect() {
    python3 - "$@" "$tmp" <<'P'
import sys
units, passes, more = map(int, sys.argv[1:4])
with open(sys.argv[4] + '/lines.right', 'w') as lines, open(sys.argv[4] + '/even.right', 'w') as even:
    lines.write('# lines\n')
    for u in range(units):
        for k in range(u % 7):
            lines.write(f"{u} {k}{'!' if passes > 1 and u % 3 == 0 else ''}\n")
        lines.write('x' * (more - 1) + '\n' if more else '')
        even.write(f'{u}\n' if u % 2 == 0 else '')
P
}
# right NAME N UNITS PASSES BYTES ARGUMENTS...
right() {
    local name=$1 n=$2; expect "${@:3:3}"
    ranks "$n" --verify "$tmp/r.conf" records.units="$3" records.passes="$4" records.bytes="$5" \
        records.lines="$tmp/lines" records.even="$tmp/even" "${@:6}" &&
        cmp "$tmp/lines" "$tmp/lines.right" && cmp "$tmp/even" "$tmp/even.right"
    ok "records are whole and in order: $name" $?
    rm -f "$tmp/lines" "$tmp/even"
}
for n in $(counts 1 2 3); do
    right "$n ranks" "$n" 3000 1 0
done
right "two passes, of which the second replaces a third" 3 3000 2 5
large=40
[ -z "${SAN:-}" ] || large=10 # the kernel writes them byte by byte
right "large ones" 2 $large 1 1000000
right "with checksums" 2 1000 1 3 run.checksums=yes
right "small tasks of a greedy balancer" 3 3000 1 1 --balancer greedy balance.grain=7
right "a rank that only leads" 2 3000 1 1 cluster.master_only=yes
expect 100 1 0
ranks 1 "$tmp/r.conf" --quiet records.units=100 records.lines=/dev/stdout && cmp "$tmp/out" "$tmp/lines.right"
ok "records can go to a pipe" $?

# refused NAME PATTERN ARGUMENTS...
refused() {
    ranks 1 "$tmp/r.conf" "${@:3}"
    [ $? -eq 2 ] && grep -q "$2" "$tmp/out"
    ok "refused: $1" $?
}
refused "audits" 'run.audit: the records of kernel records cannot be compared' run.audit=0.1
refused "child processes" 'a child process cannot pass on' run.isolate=yes

if mpirun --version 2>/dev/null | grep -q 'Open MPI) 4'; then
    # shellcheck disable=SC2034 # lib.sh uses it
    LAUNCH=(timeout 120 mpirun --enable-recovery) gate_at=3
    expect 3000 1 9
    started 3 --verify "$tmp/r.conf" records.units=3000 records.bytes=9 records.lines="$tmp/lines" \
        balance.grain=50
    kill -KILL "$(process_of 1)"
    await 1 'is lost'
    open_gate
    wait "$run" && cmp "$tmp/lines" "$tmp/lines.right"
    ok "no record is lost or twice there where a rank is lost" $?
    rm -f "$tmp/lines"

    # A run is stopped: the records of complete units stay.
    begin 2 --keep-partial "$tmp/r.conf" records.units=3000 records.lines="$tmp/lines" balance.grain=50 &&
        await 2 'a task waits at the gate'
    kill -INT "$(process_of 0)"
    open_gate
    wait "$run"
    python3 - "$tmp/lines.partial" <<'P'
import sys
path = sys.argv[1]
ranges = [tuple(map(int, line.split(','))) for line in open(path + '.units') if line[0] != '#']
units = [u for first, last in ranges for u in range(first, last + 1)]
right = '# lines\n' + ''.join(f'{u} {k}\n' for u in units for k in range(u % 7))
sys.exit(0 if 0 < len(units) < 3000 and open(path).read() == right else 1)
P
    ok "a run that is stopped leaves the records of what is done" $?
else
    skip "no record is lost or twice there where a rank is lost" "this mpirun is not Open MPI 4"
fi
done_testing
