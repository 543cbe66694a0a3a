# shellcheck shell=bash disable=SC2034,SC2154 # what other parts set and use
# Of scripts/gpu-check: the speed of each kernel beside the bounds of docs/reference/kernels.md.

# KERNEL, FORM|an H100's bound in units/s|such units in one of plbrun's|settings of the kernel. The first one
# says how much there is to do. spmm is not here: plbrun calls cuSPARSE, and the bound is that of a kernel of
# ours.
bounds() {
    cat <<'END'
kmeans|6.73 G|1|count=4000000 dimensions=16 clusters=64 passes=10
gaussian|51.6 M|1|height=40000 width=2000 radius=40
nbody, float64|91.7 M|1|steps=100 bodies=10000
nbody, float32|163 M|1|steps=100 bodies=10000 precision=float32
binomial|5.57 M|1|count=400000 steps=1001 exercise=american
grn, pairs|102 k|1|genes=1000 samples=512 set=2 levels=2
mandelbrot|2.23 T|40960000|height=4096 width=4096 depth=10000 span=0.1 x=0
taylor|140 G|1|height=8000 width=8000 order=20
blackscholes, closed|32.2 G|1|count=10000000
blackscholes, montecarlo|178 G|10000000|count=2000 method=montecarlo paths=10000000
triad|34.1 M|1|elements=134217728
matmul, by cuBLAS|31.9 M|1|columns=100000 rows=1024 inner=1024
END
}
beside_bound() { # NAME BOUND UNITS SETTING...
    local kernel=${1%%,*} what="$1: rate" wanted="an H100's bound: $2 units/s" bound=$2 each=$3 much=$4
    local status rate
    shift 4
    progress "$what"
    much=${much%=*}=$(calc "${much#*=} * ${GPU_CHECK_SCALE:-1}" %d)
    job "$tmp/r.json" 60 "$kernel" cluster.pus=gpu "$kernel.$much" "${@/#/$kernel.}"
    status=$?
    ((status == 0)) || { failed_row "$what" "$wanted" $status; return; }
    bound=$(sed 's/ k/e3/; s/ M/e6/; s/ G/e9/; s/ T/e12/' <<<"$bound")
    rate=$(calc "$each * $(units_of "$tmp/r.json" gpu) / $(execute_s "$tmp/r.json")" %.3g)
    shown "$what" "$wanted" "$rate units/s, $(percent "$rate / $bound") of it"
}
part_bounds() {
    local name bound each settings
    while IFS='|' read -r name bound each settings; do
        has_kernel "${name%%,*}" || continue
        read -ra settings <<<"$settings"
        beside_bound "$name" "$bound" "$each" "${settings[@]}"
    done < <(bounds)
}
