#!/usr/bin/env bash
# Ranks of a host: the thread that talks to others runs on the cores of its rank's PUs, and the kernel's
# functions on all. It has no threads of OpenMP. The kernel looks.
. "$(dirname "$0")/../support/lib.sh"
unset PLB_CLUSTER_THREADS # test/run sets it for the thread sanitizer
printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/cores.so" >"$tmp/cores.conf"
for n in $(counts 1 2); do
    ranks "$n" --report "$tmp/r.json" "$tmp/cores.conf" cluster.threads=1 &&
        grep -q '"passes": 3' "$tmp/r.json"
    ok "the kernel finds all threads where they belong, $n ranks" $?
    ranks "$n" "$tmp/cores.conf" cluster.threads=1 cores.looks=fold
    ok "fold may run wherever setup might, with OpenMP, $n ranks" $?
done
ranks 2 "$tmp/cores.conf" cluster.threads=1 cores.looks=agree run.audit=1
ok "and so may agree" $?
done_testing
