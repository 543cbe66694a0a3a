#!/usr/bin/env bash
# Li et al., Table 5: four products, static shares by power without and with virtual task migration, on two
# emulated GPUs of the paper's speeds; their numbers beside ours. Then a product of 512, as in Figure 4, with
# all data broadcast first, and with tasks of 1 to 64 rows. Takes about two minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
plbrun=./plbrun
[ -x $plbrun ] || plbrun=plbrun # an installed one
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
options=(--oversubscribe --bind-to none)
[[ $(mpirun --version 2>&1) == *'Open MPI'* ]] || options=() # MPICH does both unasked
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# product NAME SIZE ZEROS MIGRATION PAPER [SETTING...]: one line; communication is what the run took beyond
# its slower GPU.
product() {
    mpirun -np 2 "${options[@]}" \
        "$plbrun" --quiet --verify --report "$tmp/r.json" examples/li-table5/app.conf \
        spmm.rows="$2" spmm.inner="$2" spmm.columns="$2" spmm.zeros="$3" balance.migration="$4" \
        "${@:6}" || exit $?
    awk -v name="$1 migration $4" -v paper="$5" '
    function number(line) { sub(/.*: */, "", line); sub(/,.*/, "", line); return line + 0 }
    /^  "makespan_s"/ { total = number($0) * 1e3 }
    /^  "bytes_moved"/ { moved_mb = number($0) / 1e6 }
    /"balancing_ratio"/ { ratio = number($0) }
    /"migrated_units"/ { moved = number($0) }
    /"busy_s"/ { busy[++n] = number($0) * 1e3 }
    END {
        longest = busy[1] > busy[2] ? busy[1] : busy[2]
        bound = (450 * busy[1] + 1344 * busy[2]) / (450 + 1344)
        printf "%-30s %6.0f %6.0f %6.2f ", name, busy[1], busy[2], ratio
        printf "%6.0f %7.0f %6.3f ", total - longest, total, total / bound
        printf "%6d %6.1f   %s\n", moved, moved_mb, paper
    }' "$tmp/r.json"
}
printf '%44sours, ms%45sLi et al., ms\n%37s   GPU1  ratio  comm.   total /bound   rows     MB' "" "" GPU0
printf '   %5s %6s %6s %6s %6s\n' GPU0 GPU1 ratio comm. total
product "A1xB1  256 regular" 256 0 off "  315    322   1.02     56    378"
product "A1xB1  256 regular" 256 0 on "    -      -      -      -      -"
product "A2xB2  256 sparse" 256 0.5 off "  143     81   1.77     53    196"
product "A2xB2  256 sparse" 256 0.5 on "  118    106   1.11     74    192"
product "A3xB3 1024 regular" 1024 0 off "15802  15688   1.01   1104  16906"
product "A3xB3 1024 regular" 1024 0 on "    -      -      -      -      -"
product "A4xB4 1024 sparse" 1024 0.5 off " 8458   4883   1.73   1028   9486"
product "A4xB4 1024 sparse" 1024 0.5 on " 6770   5595   1.21   1775   8545"
none="    -      -      -      -      -"
for migration in off on; do
    product "       512 sparse" 512 0.5 $migration "$none"
done
for migration in off on; do
    product "       512 broadcast" 512 0.5 $migration "$none" spmm.broadcast=yes
done
for grain in 1 4 16 64; do
    product "       512 grain $grain" 512 0.5 on "$none" balance.grain=$grain
done
echo "ratio: longest over shortest; comm.: total less the longer;" \
    "/bound: total over the same work in equal time; rows: moved."
