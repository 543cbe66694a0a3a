#!/usr/bin/env bash
# make bench-kernels: each cpu entry on one core beside the core's peak, and beside what a user would pick
# instead, as far as the Python of make check-peers (or python3) has it.
. "$(dirname "$0")/../support/lib.sh"
cd "$tmp" || exit
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
python=$BUILD/peers/bin/python
[ -x "$python" ] || python=python3
bench=$BUILD/bench/kernels
# rate NAME PER-UNIT SETTING...: of the kernel, in what a unit has of it.
rate() {
    printf '[app]\nkernel = %s\n' "$BUILD/kernels/$1.so" >app.conf
    "$bench" app.conf "${@:3}" | awk -v each="$2" '{ printf "%.4g", $1 * each }'
}
read -r flops bytes < <("$bench" peak)
"$python" "$root/test/bench/kernel_peers.py" >peers 2>/dev/null || true
read -r plain steps < <("$bench" plain)
echo "mandelbrot_plain-C $plain" >>peers
words=$("$bench" bits)
awk -v w="$words" 'BEGIN { print "grn_plain-popcounts", w / 8 }' >>peers # alone, without scores
awk -v f="$flops" -v b="$bytes" 'BEGIN {
    printf "one core: %.1f Gflop/s of multiply-adds, copies of %.1f GB/s\n", f * 1e-9, b * 1e-9
}'
# line TITLE WORD RATE FLOPS: a kernel, what its rate counts, and flops of each; then its peers.
line() {
    awk -v t="$1" -v w="$2" -v r="$3" -v f="$4" -v p="$flops" 'BEGIN {
        printf "%-12s %10.4g %s/s", t, r, w
        if (f > 0) printf "  %5.1f Gflop/s, %3.0f %% of the peak", r * f * 1e-9, 100 * r * f / p
        printf "\n"
    }'
    awk -v t="$1" -v r="$3" 'sub("^" t "_", "") {
        printf "    %-14s %10.4g  %.1f times\n", $1, $2, r / $2
    }' peers
}
line closed options "$(rate blackscholes 1 blackscholes.count=100000)" 345
line montecarlo paths "$(rate blackscholes 1000000 blackscholes.count=1 blackscholes.method=montecarlo \
    blackscholes.paths=1000000)" 150
line binomial nodes "$(rate binomial 501501 binomial.count=8)" 5
line mandelbrot steps "$(rate mandelbrot "$steps" mandelbrot.width=640 mandelbrot.height=480 \
    mandelbrot.x=-0.75 mandelbrot.span=4)" 8
line taylor points "$(rate taylor 1 taylor.width=1000 taylor.height=100 taylor.order=40 \
    taylor.function=log1p)" 328
line kmeans points "$(rate kmeans 1 kmeans.count=100000 kmeans.clusters=64)" 3072
line gaussian pixels "$(rate gaussian 1000 gaussian.width=1000 gaussian.height=1000)" 242
line grn sets "$(rate grn 79800 grn.genes=400 grn.samples=512 grn.set=2)" 0
line matmul columns "$(rate matmul 1 matmul.rows=1000 matmul.inner=1000 matmul.columns=1000)" 2000000
line spmm rows "$(rate spmm 1 spmm.kind=uniform)" 2048
line triad bytes "$(rate triad 98304)" 0
echo "    (copies move $bytes bytes/s)"
