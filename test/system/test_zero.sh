#!/usr/bin/env bash
# Outputs that an entry leaves out are zero, whoever executes the task.
. "$(dirname "$0")/../support/lib.sh"
printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/leaves.so" >"$tmp/leaves.conf"
lines "$tmp/three.cluster" '[node a]' 'pus = p, q' '[node b]' 'pus = q' '[node c]' 'pus = q' \
    '[pu p]' '[pu q]' 'kind = gpu' 'copy = 1e9, 1e-6'

for n in $(counts 1 2 3); do
    ranks "$n" --verify --balancer greedy "$tmp/leaves.conf"
    ok "outputs that an entry leaves out, $n ranks" $?
done
ranks 3 --verify --balancer greedy "$tmp/leaves.conf" cluster.file="$tmp/three.cluster"
ok "and on PUs with memory of their own" $?
ranks 2 --verify --balancer greedy "$tmp/leaves.conf" cluster.master_only=yes
ok "and where rank 0 computes nothing" $?
done_testing
