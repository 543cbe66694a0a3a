#!/usr/bin/env bash
# The opencl entries of our own kernels on PoCL, which runs OpenCL on the CPU: on one device, and on two
# beside a CPU. Each run is verified. Then devices that fail, signals, and who is a PU.
. "$(dirname "$0")/../support/lib.sh"
kernels=$BUILD/kernels
if [ "${SAN:-}" = thread ]; then
    skip "kernels on OpenCL" "PoCL was not built for the thread sanitizer"
    done_testing
fi
# PoCL and LLVM keep memory, and allocate much. Programs that the normal build has run are in PoCL's cache.
[ -z "${SAN:-}" ] || export ASAN_OPTIONS=fast_unwind_on_malloc=1:detect_leaks=0
if [ ! -e "$kernels/triad.opencl.so" ]; then
    skip "kernels on OpenCL" "plbrun was built without OpenCL's headers"
    done_testing
fi
if ! ls /etc/OpenCL/vendors/pocl.icd >/dev/null 2>&1; then
    skip "kernels on OpenCL" "there is no PoCL (scripts/install-deps --test)"
    done_testing
fi
unset PLB_CLUSTER_PUS
export PLB_CLUSTER_THREADS=1 PLB_CLUSTER_OPENCL=all OPENBLAS_NUM_THREADS=1

PLB_TEST_ENTRIES=$BUILD/test/opencl/entries.so POCL_DEVICES='pthread pthread' \
    "$BUILD/test/conformance/test_devices" >"$tmp/out" 2>&1
ok "the promises of devices" $?
grep -q '^# opencl is tried' "$tmp/out"; ok "they were tried with OpenCL" $?

# verified RANKS DEVICES KERNEL ARGUMENTS...: a verified run in which each of the OpenCL devices did some
# work. Each rank has one at least.
verified() {
    local ranks=$1 devices=$2 kernel=$3; shift 3
    lines "$tmp/kernel.conf" '[app]' "kernel = $kernels/$kernel.so"
    POCL_DEVICES=$(printf 'pthread %.0s' $(seq "$devices")) ranks "$ranks" --verify "$tmp/kernel.conf" "$@" &&
        grep -q '; verified' "$tmp/out" &&
        ! grep 'plbrun: warning' "$tmp/out" | grep -qv 'is late on PU' && # while its program is compiled
        [ "$(grep -c ' pthread.* accelerator *[1-9]' "$tmp/out")" -eq $((ranks > devices ? ranks : devices)) ]
}
on_one() { verified 1 1 "$@" cluster.threads=0; ok "$* on a device" $?; }
turn=0 # on 1, 2 and 3 ranks in turn
on_two() {
    local n=$((turn++ % 3 + 1))
    verified $n 2 "$@" --balancer static balance.migration=off
    ok "$* on two devices and $n CPU(s)" $?
}
on_devices() { on_one "$@"; on_two "$@"; }

on_devices triad triad.elements=409600
on_devices kmeans kmeans.count=5003 kmeans.dimensions=5 kmeans.clusters=7 kmeans.passes=4
on_two nbody nbody.bodies=600 nbody.steps=3
on_two nbody nbody.bodies=517 nbody.steps=3 nbody.precision=float32
on_two mandelbrot mandelbrot.width=133 mandelbrot.height=71 mandelbrot.depth=300
on_two gaussian gaussian.width=67 gaussian.height=45 gaussian.sigma=3
on_two gaussian gaussian.width=7 gaussian.height=15 gaussian.sigma=6 gaussian.mode=mirror
on_two binomial binomial.count=24 binomial.steps=101
on_two binomial binomial.count=6 binomial.steps=301 binomial.exercise=european binomial.tree=leisen-reimer
on_one grn grn.genes=24 grn.samples=100 grn.set=1
on_two grn grn.genes=24 grn.samples=70 grn.set=2 grn.levels=3
on_two grn grn.genes=12 grn.samples=65 grn.set=3 grn.levels=2 grn.series=yes grn.self=yes
on_two blackscholes blackscholes.count=3000
on_two blackscholes blackscholes.count=12 blackscholes.method=montecarlo blackscholes.paths=2001
on_two taylor taylor.width=77 taylor.height=31
on_two taylor taylor.function=log1p taylor.width=50 taylor.height=31 taylor.span=1
on_two spmm spmm.rows=300 spmm.inner=200 spmm.columns=17
on_one spmm spmm.rows=300 spmm.inner=200 spmm.columns=17 spmm.broadcast=yes
on_two matmul matmul.rows=60 matmul.inner=50 matmul.columns=70
on_two matmul matmul.rows=60 matmul.inner=50 matmul.columns=70 matmul.dtype=float32

# Rows that stay, halos between PUs, and results that are the inputs of the next step.
on_devices stencil stencil.rows=67 stencil.columns=43 stencil.steps=9
lines "$tmp/app.conf" '[app]' "kernel = $kernels/stencil.so" \
    '[stencil]' 'rows = 300' 'columns = 50' 'steps = 20'
ranks 3 --verify "$tmp/app.conf" --balancer static && grep -q '; verified' "$tmp/out" &&
    [ "$(grep -c ' pthread.* accelerator *[1-9]' "$tmp/out")" -eq 3 ]
ok "stencil on three ranks" $?

# Parts of a replicated buffer that change from pass to pass. The kernel looks at the results itself.
lines "$tmp/app.conf" '[app]' "kernel = $BUILD/test/opencl/spread.so" \
    '[spread]' 'passes = 6' 'parts = 5' 'bytes = 4096'
ranks 2 "$tmp/app.conf" --balancer static balance.migration=off &&
    [ "$(grep -c ' pthread.* accelerator *[1-9]' "$tmp/out")" -eq 2 ]
ok "parts of a buffer that are replaced" $?

# Several ranks, which share a device; and a device whose results are audited by the CPU.
lines "$tmp/app.conf" '[app]' "kernel = $kernels/kmeans.so" '[kmeans]' 'count = 20000' 'passes = 5'
ranks 3 --verify "$tmp/app.conf" && grep -q '; verified' "$tmp/out"; ok "three ranks" $?
lines "$tmp/app.conf" '[app]' "kernel = $kernels/mandelbrot.so" '[mandelbrot]' 'width = 200' 'height = 200'
alone --verify --balancer greedy "$tmp/app.conf" run.audit=0.5 &&
    grep -qE '[1-9][0-9]* tasks? audited, 0 differences' "$tmp/out"
ok "tasks that CPU and OpenCL both execute agree" $?

# CPUs are PUs already, and a user may do without OpenCL.
for devices in gpu none; do
    PLB_CLUSTER_OPENCL=$devices alone --verbose "$tmp/app.conf" && ! grep -q ' accelerator ' "$tmp/out"
    ok "cluster.opencl=$devices: PoCL is no PU" $?
done
grep -q 'no OpenCL device is used: cluster.opencl=none' "$tmp/out"; ok "it says so" $?
alone "$tmp/app.conf" cluster.opencl=some
[ $? -eq 2 ] && grep -q 'gpu|all|none\|gpu, all or none' "$tmp/out"; ok "an unknown word" $?

alone "$tmp/app.conf" balance.objective=energy
[ $? -eq 2 ] && grep -q 'the watts of all PUs, and those of PU 0 (pthread.*) are unknown' "$tmp/out"
ok "an objective needs the watts of the device" $?

# A device that is lost in the middle: the CPU executes its units.
lost() {
    LD_PRELOAD=$BUILD/test/opencl/fails.so alone --verify --balancer greedy "$tmp/app.conf" &&
        grep -q '1 PU failed' "$tmp/out" && grep -q 'CL_OUT_OF_RESOURCES\|returned -5' "$tmp/out" &&
        grep -q '; verified' "$tmp/out"
}
if [ -n "${SAN:-}" ]; then
    skip "a device that fails" "a sanitizer wants to be loaded first"
else
    lost; ok "a device that fails" $?
fi

# An extra object that is cut is told of, and not loaded.
mkdir "$tmp/cut"
cp "$kernels/triad.so" "$tmp/cut/triad.so"
head -c 3000 "$kernels/triad.opencl.so" >"$tmp/cut/triad.opencl.so"
lines "$tmp/cut.conf" '[app]' "kernel = $tmp/cut/triad.so" '[triad]' 'elements = 8192'
alone --verify "$tmp/cut.conf" && grep -q '; verified' "$tmp/out" &&
    grep -q "^plbrun: warning: .* not used, because $tmp/cut/triad.opencl.so is truncated" "$tmp/out"
ok "an object for devices that is cut" $?

# The compiler inside of PoCL takes signals, and gets them back.
"$PLBRUN" "$tmp/app.conf" mandelbrot.depth=300000 mandelbrot.span=0.01 mandelbrot.x=-0.1 --progress json \
    cluster.threads=0 >"$tmp/out" 2>&1 &
pid=$!
for ((i = 0; i < 300; i++)); do
    if [ "$(grep -c '"done"\|{' "$tmp/out")" -gt 1 ]; then break; fi
    sleep 0.1
done
# LLVM's handlers would be there for SIGQUIT, which plbrun leaves to the system.
caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$pid/status)
ok "the compiler's handlers are gone" $((${#caught} != 16 || (16#$caught & 4) != 0))
kill -USR1 $pid
wait $pid
[ $? -eq 1 ] && grep -q 'interrupted by SIGUSR1' "$tmp/out"; ok "a signal after programs were compiled" $?
done_testing
