#!/usr/bin/env bash
# Li et al., Table 5: four products, static shares by power without and with virtual task migration, on two
# emulated GPUs of the paper's speeds; their numbers beside ours. Then a product of 512, as in Figure 4, with
# all data broadcast first, and with tasks of 1, 16 and 128 rows. Each is the median of RUNS runs, with the
# least and the most of its ratio and total. And when both GPUs begin, after Li's barrier. Three runs take
# about four minutes, and of these alone less: run.sh [small|512|1024-regular|1024-sparse|barrier...].
set -euo pipefail
cd "$(dirname "$0")/../.."
plbrun=./plbrun
[ -x $plbrun ] || plbrun=plbrun # an installed one
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
options=(--oversubscribe --bind-to none)
[[ $(mpirun --version 2>&1) == *'Open MPI'* ]] || options=() # MPICH does both unasked
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

parts=("$@")
[ $# -gt 0 ] || parts=(small 512 1024-regular 1024-sparse barrier)
wants() { [[ " ${parts[*]} " = *" $1 "* ]]; }

# once SIZE ZEROS MIGRATION [SETTING...]: one run: its total, the times of both GPUs, their ratio,
# communication, which is what the run took beyond its slower GPU, the total over the bound, rows that moved,
# and MB.
once() {
    mpirun -np 2 "${options[@]}" \
        "$plbrun" --quiet --verify --report "$tmp/r.json" examples/li-table5/app.conf \
        spmm.rows="$1" spmm.inner="$1" spmm.columns="$1" spmm.zeros="$2" balance.migration="$3" \
        "${@:4}" || exit $?
    awk '
    function number(line) { sub(/.*: */, "", line); sub(/,.*/, "", line); return line + 0 }
    /^  "makespan_s"/ { total = number($0) * 1e3 }
    /^  "bytes_moved"/ { moved_mb = number($0) / 1e6 }
    /"balancing_ratio"/ { ratio = number($0) }
    /"migrated_units"/ { moved = number($0) }
    /"busy_s"/ { busy[++n] = number($0) * 1e3 }
    END {
        longest = busy[1] > busy[2] ? busy[1] : busy[2]
        bound = (450 * busy[1] + 1344 * busy[2]) / (450 + 1344)
        print total, busy[1], busy[2], ratio, total - longest, total / bound, moved, moved_mb
    }' "$tmp/r.json"
}
# product NAME SIZE ZEROS MIGRATION PAPER [SETTING...]: one line, of the run with the median total.
product() {
    for ((run = 0; run < ${RUNS:-3}; run++)); do
        once "$2" "$3" "$4" "${@:6}"
    done | sort -g | awk -v name="$1 migration $4" -v paper="$5" '
    {
        line[NR] = $0
        total[NR] = $1
        if (NR == 1 || $4 < low) low = $4
        if (NR == 1 || $4 > high) high = $4
    }
    END {
        split(line[int((NR + 1) / 2)], v, " ")
        printf "%-30s %6.0f %6.0f %6.2f %6.0f %7.0f %6.3f ", name, v[2], v[3], v[4], v[5], v[1], v[6]
        printf "%6d %6.1f %11s %13s   %s\n", v[7], v[8], sprintf("%.2f–%.2f", low, high),
               sprintf("%.0f–%.0f", total[1], total[NR]), paper
    }'
}
# begin: when the first tasks of both GPUs begin, in the run whose difference is the median.
begin() {
    for ((run = 0; run < ${RUNS:-3}; run++)); do
        once 512 0.5 on spmm.broadcast=yes --trace "$tmp/t.json" >"$tmp/line"
        awk '/"name":"task"/ {
                 match($0, /"pid":[0-9]+/); node = substr($0, RSTART + 6, RLENGTH - 6)
                 match($0, /"ts":[0-9.e+-]+/); at = substr($0, RSTART + 5, RLENGTH - 5) / 1e3
                 if (!(node in first) || at < first[node]) first[node] = at
             }
             END { d = first[1] - first[0]; print d < 0 ? -d : d, first[0], first[1] }' "$tmp/t.json"
    done | sort -g | awk '{ line[NR] = $0 }
        END {
            split(line[int((NR + 1) / 2)], v, " ")
            printf "       512 barrier: the first tasks begin %.1f and %.1f ms after the start\n", v[2], v[3]
        }'
}
printf '%44sours, ms%72sLi et al., ms\n%37s   GPU1  ratio  comm.   total /bound   rows     MB' "" "" GPU0
printf ' ratio from–to  total from–to'
printf '   %5s %6s %6s %6s %6s\n' GPU0 GPU1 ratio comm. total
if wants small; then
    product "A1xB1  256 regular" 256 0 off "  315    322   1.02     56    378"
    product "A2xB2  256 sparse" 256 0.5 off "  143     81   1.77     53    196"
    product "A2xB2  256 sparse" 256 0.5 on "  118    106   1.11     74    192"
fi
if wants 1024-regular; then
    product "A3xB3 1024 regular" 1024 0 off "15802  15688   1.01   1104  16906"
fi
if wants 1024-sparse; then
    product "A4xB4 1024 sparse" 1024 0.5 off " 8458   4883   1.73   1028   9486"
    product "A4xB4 1024 sparse" 1024 0.5 on " 6770   5595   1.21   1775   8545"
fi
if wants 512; then
    none="    -      -      -      -      -"
    for migration in off on; do
        product "       512 sparse" 512 0.5 $migration "$none"
    done
    for migration in off on; do
        product "       512 broadcast" 512 0.5 $migration "$none" spmm.broadcast=yes
    done
    for grain in 1 16 128; do
        product "       512 grain $grain" 512 0.5 on "$none" balance.grain=$grain
    done
fi
! wants barrier || begin
echo "ratio: longest over shortest; comm.: total less the longer;" \
    "/bound: total over the same work in equal time; rows: moved."
