#!/usr/bin/env bash
# The papers' applications on this machine's CPU and on an emulated GPU, and the curves through their times:
# FOLDER/curves.csv. Takes some ten seconds. Usage: test/bench/curves.sh FOLDER
. "$(dirname "$0")/../support/lib.sh"
folder=${1:?usage: test/bench/curves.sh FOLDER}
export XDG_CACHE_HOME=$tmp
# Both sleep for most of the time, so that they do not share a core.
printf '%s\n' '[node n]' 'pus = cpu, gpu' '[pu cpu]' 'slowdown = 2' '[pu gpu]' 'kind = gpu' 'slowdown = 6' \
    'copy = 4e9, 1e-5' >"$tmp/two.cluster"

profile() { # KERNEL SETTING...
    local kernel=$1
    shift
    printf '[app]\nkernel = %s\n' "$kernel" >"$tmp/$kernel.conf"
    mpirun --oversubscribe --bind-to none -np 1 "$PLBRUN" --quiet "$tmp/$kernel.conf" \
        cluster.file="$tmp/two.cluster" balance.balancer=plb-hac balance.migration=off \
        balance.profile=write "$@"
}
profile matmul matmul.rows=512 matmul.inner=512 matmul.columns=8192 || exit
profile grn grn.genes=6000 grn.samples=60 grn.set=1 || exit
profile blackscholes blackscholes.count=60000 blackscholes.method=montecarlo blackscholes.paths=1024 || exit
profile kmeans kmeans.count=2000000 kmeans.dimensions=8 kmeans.clusters=32 kmeans.passes=1 || exit
"$BUILD/bench/curves" "$tmp"/plbrun/profiles/*.profile >"$folder/curves.csv"
