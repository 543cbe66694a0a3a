#!/usr/bin/env bash
# Libraries that some kernels use are loaded for these kernels alone.
. "$(dirname "$0")/../support/lib.sh"
fake=$BUILD/test/fake-cuda
export LD_LIBRARY_PATH=$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
unset PLB_CLUSTER_PUS
printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/modes.so" >"$tmp/modes.conf"
printf '[app]\nkernel = %s\n' "$fake/kernels/modes.so" >"$tmp/cuda.conf"

# loads PATTERN ARGUMENTS...: a run that ends well has opened such a library, as the dynamic loader tells.
loads() {
    local pattern=$1; shift
    rm -f "$tmp"/loader.*
    LD_DEBUG=files LD_DEBUG_OUTPUT=$tmp/loader alone --verify "$@" || return 2
    grep -hE "file=$pattern.* generating link map" "$tmp"/loader.* >>"$tmp/out"
}
loads_not() { loads "$@"; [ $? -eq 1 ]; }

readelf -d "$PLBRUN" >"$tmp/needs" && ! grep -E 'NEEDED.*(cudart|cublas|cusparse)' "$tmp/needs" >"$tmp/out"
ok "plbrun itself needs no library of CUDA" $?
loads_not libcudart "$tmp/modes.conf"
ok "a kernel without CUDA entries loads none" $?
loads_not libcudart "$tmp/modes.conf" --verbose
ok "nor does it to tell why no GPU is used" $?
if [ -e "$fake/libcudart.so.13" ]; then
    loads libcudart "$tmp/cuda.conf"
    ok "a kernel with CUDA entries loads it" $?
    loads_not libcudart "$tmp/cuda.conf" cluster.pus=cpu
    ok "but not for CPUs alone" $?
else
    skip "a kernel with CUDA entries loads it" "plbrun was built without CUDA's headers"
fi

# LAPACKE's archive is linked to OpenBLAS, so that no other BLAS of the system can come between it and
# kernels.
grep -q 'NEEDED.*libopenblas' "$tmp/needs" && ! grep -E 'NEEDED.*lib(blas|lapack)' "$tmp/needs" >"$tmp/out"
ok "plbrun has LAPACKE from OpenBLAS, and needs no other BLAS" $?
loads_not 'lib(c?blas|lapack)' "$tmp/modes.conf"
ok "none is loaded for a kernel either" $?
printf '[app]\nkernel = matmul\n[matmul]\nrows = 40\ninner = 30\ncolumns = 20\n' >"$tmp/matmul.conf"
loads libopenblas "$tmp/matmul.conf" cluster.threads=2
ok "matmul loads OpenBLAS" $?
done_testing
