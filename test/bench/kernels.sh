#!/usr/bin/env bash
# make bench-kernels: each cpu entry beside what limits it, and beside what a user would pick instead, as far
# as the Python of make check-peers (or python3) has it. All are run in turn, ROUNDS times; the best counts.
# kernels.sh [ROUNDS [THREADS]]
. "$(dirname "$0")/../support/lib.sh"
rounds=${1:-3} threads=${2:-1}
cd "$tmp" || exit
export OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads
python=$BUILD/peers/bin/python
[ -x "$python" ] || python=python3

# NAME, kernel, what its rate counts, how many of them a unit has; what limits it, and how much of that each
# takes; flops, as multiply-adds would make them; settings. The limits are those of kernel_peaks.c.
steps=83024 # of a row of this window
cases() {
    echo "closed blackscholes options 1 multiply-adds 345 345 blackscholes.count=100000"
    echo "montecarlo blackscholes paths 250000 multiply-adds 150 150 blackscholes.count=4" \
        "blackscholes.method=montecarlo blackscholes.paths=250000"
    echo "binomial binomial nodes 501501 multiply-adds 5 5 binomial.count=32"
    echo "mandelbrot mandelbrot steps $steps unfused 8 8 mandelbrot.width=640 mandelbrot.height=480" \
        "mandelbrot.x=-0.75 mandelbrot.span=4"
    echo "taylor taylor points 1 multiply-adds 328 328 taylor.width=1000 taylor.height=100 taylor.order=40" \
        "taylor.function=log1p"
    echo "kmeans kmeans points 1 multiply-adds 3072 3072 kmeans.count=100000 kmeans.clusters=64"
    echo "gaussian gaussian pixels 1000 multiply-adds 324 324 gaussian.width=1000 gaussian.height=1000"
    echo "nbody nbody pairs 10000 multiply-adds 20 20 nbody.bodies=10000"
    echo "nbody32 nbody pairs 10000 multiply-adds 20 20 nbody.bodies=10000 nbody.precision=float32"
    echo "grn grn sets 79800 words 8 0 grn.genes=400 grn.samples=512 grn.set=2"
    echo "matmul matmul columns 1 multiply-adds 2000000 2000000 matmul.rows=1000 matmul.inner=1000" \
        "matmul.columns=1000"
    echo "spmm spmm rows 1 rows 8192 2048 spmm.kind=uniform"
    echo "spmm-large spmm rows 1 rows_large 8192 2048 spmm.kind=uniform spmm.rows=200000 spmm.inner=200000"
    echo "triad triad bytes 98304 copies 1 0"
}
for ((round = 0; round < rounds; round++)); do
    "$BUILD/bench/kernel_peaks"
    while read -r name kernel _ each _ _ _ settings; do
        printf '[app]\nkernel = %s\n' "$BUILD/kernels/$kernel.so" >app.conf
        # shellcheck disable=SC2086 # several words
        "$BUILD/bench/kernels" app.conf $settings | awk -v n="$name" -v e="$each" '{ print "our_" n, $1 * e }'
    done < <(cases)
    "$python" "$root/test/bench/kernel_peers.py" 2>/dev/null
done >rates

echo "on $threads core(s), the best of $rounds rounds:"
cases | awk '
    function giga(name) { return rate[name] / 1e9 }
    FNR == NR { if ($2 > rate[$1]) rate[$1] = $2; if (!($1 in seen)) { seen[$1]; order[++n] = $1 }; next }
    FNR == 1 {
        printf "%.1f Gflop/s of multiply-adds, %.1f of 3 products and 5 sums\n",
            giga("multiply-adds"), giga("unfused")
        printf "%.1f GB/s of copies, %.1f of rows of 512 bytes anywhere in 5 MB, %.1f in 100 MB\n\n",
            giga("copies"), giga("rows"), giga("rows_large")
        printf "%-11s %19s %8s %20s %23s %8s\n",
            "kernel", "rate", "of peak", "of its limit", "beside", "times"
    }
    {
        ours = rate["our_" $1]
        peak = $7 > 0 ? sprintf("%.0f %%", 100 * ours * $7 / rate["multiply-adds"]) : ""
        printf "%-11s %9.4g %9s %8s %4.0f %% %-13s", $1, ours, $3 "/s", peak, 100 * ours * $6 / rate[$5], $5
        between = ""
        for (i = 1; i <= n; i++)
            if (index(order[i], $1 "_") == 1) {
                printf "%s %23s %8.2f", between, substr(order[i], length($1) + 2), ours / rate[order[i]]
                between = sprintf("\n%60s", "")
            }
        printf "\n"
    }' rates -
# The kernel `command` takes no cores of its own, and mpirun is in it: lines a second beside other programs.
echo
PLBRUN=$PLBRUN "$root/test/bench/command.sh" 2000 1 | sed -n 's/^plbrun : /command beside /p'
