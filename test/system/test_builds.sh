#!/usr/bin/env bash
# Two installations on two ranks: the same kernel in both runs, another build of it in one is refused.
. "$(dirname "$0")/../support/lib.sh"

for i in here there; do
    mkdir -p "$tmp/$i/kernels"
    cp "$PLBRUN" "$tmp/$i/plbrun"
    cp "$BUILD/test/kernels/modes.so" "$tmp/$i/kernels"
done
printf '[app]\nkernel = modes\n' >"$tmp/modes.conf"

# both ARGUMENTS...: rank 0 of one installation, rank 1 of the other; the output in $tmp/out.
both() {
    timeout 120 mpirun --oversubscribe --bind-to none -np 1 "$tmp/here/plbrun" "$tmp/modes.conf" "$@" \
        : -np 1 "$tmp/there/plbrun" "$tmp/modes.conf" "$@" >"$tmp/out" 2>&1
}

both --verify && grep -q '; verified' "$tmp/out"
ok "the same build in two places runs" $?

echo "another build" >>"$tmp/there/kernels/modes.so"
both --verify --report "$tmp/r.json"
[ $? -eq 2 ] && [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ]
ok "another build of the kernel is refused with one sentence" $?
host=$(hostname)
grep -q "^plbrun: rank 1 on $host has another build of the kernel than rank 0 on $host " "$tmp/out"
ok "it names both hosts and what differs" $?
grep -q "$tmp/there/kernels/modes.so there" "$tmp/out" && grep -q "$tmp/here/kernels/modes.so here" "$tmp/out"
ok "it names both files" $?
[ -s "$tmp/out" ] && [ ! -e "$tmp/r.json" ]
ok "nothing is written" $?
both --dry-run
[ $? -eq 2 ]
ok "a dry run tells it too" $?
done_testing
