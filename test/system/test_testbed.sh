#!/usr/bin/env bash
# The same job on three "hosts": network namespaces with addresses of their own, joined by a bridge,
# over TCP. Needs root and the right to make namespaces.
# test/run: real MPI, since the fake one knows one host.
. "$(dirname "$0")/../support/lib.sh"

matrix=$DATA/bcsstk13.mtx
job=('[app]' 'kernel = spmm' '[spmm]' 'columns = 16' 'c = c.npy')
if [ -f "$matrix" ]; then
    lines "$tmp/job.conf" "${job[@]}" "matrix = $matrix"
else
    lines "$tmp/job.conf" "${job[@]}" 'kind = powerlaw' 'rows = 3000' 'inner = 2000'
fi

on_hosts() { # RANKS HOSTS ARGUMENTS...
    local n=$1 hosts=$2; shift 2
    timeout 200 "$root/scripts/testbed" run "$hosts" -np "$n" -- "$PLBRUN" "$@" >"$tmp/out" 2>&1
}
alone --quiet "$tmp/job.conf" && mv "$tmp/c.npy" "$tmp/ref.npy"
on_hosts 3 3 --verify --report "$tmp/r.json" "$tmp/job.conf"
status=$?
if [ $status -eq 77 ]; then
    skip "three hosts" "$(grep -m1 skipped "$tmp/out")"
    done_testing
fi
[ $status -eq 0 ] && grep -q '; verified' "$tmp/out"
ok "three hosts: verified" $?
cmp "$tmp/ref.npy" "$tmp/c.npy" >>"$tmp/out" 2>&1
ok "three hosts: the same file as one" $?
[ "$(grep -o '"host": "[^"]*"' "$tmp/r.json" | sort -u | wc -l)" -eq 3 ]
ok "three hosts: three names in the report" $?
for b in $(balancers); do
    on_hosts 4 2 --verify --balancer "$b" "$tmp/job.conf" && grep -q '; verified' "$tmp/out"
    ok "four ranks on two hosts, $b" $?
done
# A buffer of 8 MB that two ranks need takes 13 s on this link, and rank 0's other words wait behind it.
lines "$tmp/chain.conf" '[app]' "kernel = $BUILD/test/kernels/chain.so" \
    '[chain]' 'units = 1000000' 'passes = 2' 'nap = 0'
timeout 200 "$root/scripts/testbed" run 3 --rate 10mbit -- "$PLBRUN" --verify "$tmp/chain.conf" \
    >"$tmp/out" 2>&1 && grep -q '; verified' "$tmp/out" &&
    ! grep -q 'is lost\|has sent no message' "$tmp/out"
ok "a link that is busy for longer than ranks may be silent" $?
# Namespaces have the number of their process in their name. Another test may have some just now.
status=0
for pid in $(ip netns list 2>/dev/null | sed -n 's/^plb\([0-9]*\)-.*/\1/p'); do
    [ -d "/proc/$pid" ] || status=1
done
ok "no namespace is left" $status
done_testing
