#!/usr/bin/env bash
# The tutorial's device driver, built outside the tree: into a program of its own, from the objects that are
# there. Its devices are tried like all others, alone and beside CPUs, and where memory is short.
. "$(dirname "$0")/../support/lib.sh"
unset MAKEFLAGS MAKELEVEL
cp -r "$root/examples/device-driver/board" "$tmp/board"
[ "$(wc -l <"$tmp/board/board.c")" -le 200 ]
ok "it has at most 200 lines" $?

mkdir "$tmp/build"
(cd "$BUILD" && cp -a runtime balancers ./*.o ./*.c flags driver-folders "$tmp/build")
mkdir "$tmp/build/test" && cp -a "$BUILD/test/support" "$tmp/build/test"
build() { make -s -C "$root" NVCC= SAN="${SAN:-}" B="$tmp/build" BIN="$tmp/plbrun" "$@" >"$tmp/out" 2>&1; }
build DRIVER="$tmp/board" "$tmp/plbrun" "$tmp/build/test/conformance/test_devices" && [ -x "$tmp/plbrun" ]
ok "make DRIVER= builds it in" $?
"$tmp/build/test/conformance/test_devices" >"$tmp/out" 2>&1 && grep -q '^# board is tried' "$tmp/out"
ok "it keeps the promises of devices" $?
! build DRIVER="$tmp/none" "$tmp/plbrun" && grep -q "DRIVER=$tmp/none is no folder" "$tmp/out"
ok "a folder that is not there is refused" $?

# shellcheck disable=SC2034 # lib.sh runs it
PLBRUN=$tmp/plbrun
unset PLB_CLUSTER_PUS
export PLB_CLUSTER_THREADS=1 OPENBLAS_NUM_THREADS=1
# boards RANKS KERNEL ARGUMENTS...: a verified run in which both boards of each rank did some work.
boards() {
    local n=$1 kernel=$2; shift 2
    lines "$tmp/kernel.conf" '[app]' "kernel = $BUILD/kernels/$kernel.so"
    ranks "$n" --verify --balancer static "$tmp/kernel.conf" balance.migration=off cluster.boards=2 "$@" &&
        grep -q '; verified' "$tmp/out" &&
        [ "$(grep -c ' board [01] *accelerator *[1-9]' "$tmp/out")" -eq $((2 * n)) ]
    ok "$kernel on boards and CPUs, $n rank(s)" $?
}
boards 1 triad triad.elements=20000768 # 480 MB, and a board has 64
boards 2 kmeans kmeans.count=20000 kmeans.passes=5
boards 2 stencil stencil.rows=300 stencil.columns=50 stencil.steps=20
PLB_KERNEL_PATH=$BUILD/kernels alone --range 1-30 --run 'echo {}' cluster.boards=2 &&
    [ "$(sort -n "$tmp/out" | xargs)" = "$(seq 30 | xargs)" ]
ok "records that a cpu entry makes on boards" $?
ranks 1 "$tmp/kernel.conf" stencil.rows=300 stencil.columns=50 stencil.steps=20 &&
    ! grep -q ' board ' "$tmp/out"
ok "without cluster.boards there are none" $?
ranks 1 "$tmp/kernel.conf" cluster.boards=9
[ $? -eq 2 ] && grep -q 'boards = 9 is out of range; it must be between 0 and 8' "$tmp/out"
ok "more than a host has are refused" $?
done_testing
