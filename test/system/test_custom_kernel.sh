#!/usr/bin/env bash
# The tutorial, as its reader does it: plbrun installed to a prefix, the kernel built by its own
# Makefile against the installed header, run on several ranks.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "the tutorial" "the installed build is not a sanitized one"; done_testing; }

make -s -C "$root" install DESTDIR="$tmp/stage" PREFIX=/opt/plbrun >"$tmp/out" 2>&1
ok "make install DESTDIR= PREFIX=" $?
cp -r "$root/examples/custom-kernel" "$tmp/kernel"
make -s -C "$tmp/kernel" PREFIX="$tmp/stage/opt/plbrun" >"$tmp/out" 2>&1
ok "the kernel builds against the installed header alone" $?

if command -v nvcc >/dev/null; then
    make -s -C "$tmp/kernel" cuda PREFIX="$tmp/stage/opt/plbrun" >"$tmp/out" 2>&1 &&
        nm -D "$tmp/kernel/nearest.cuda.so" | grep -q 'T nearest_cuda'
    ok "and its CUDA entry" $?
else
    skip "and its CUDA entry" "no nvcc"
fi

# A cloud to try: 1000 points in 3 dimensions, made by a product (row i of A times B).
lines "$tmp/points.conf" '[app]' 'kernel = matmul' '[matmul]' \
    'rows = 1000' 'inner = 5' 'columns = 3' "c = $tmp/kernel/points.npy"
# shellcheck disable=SC2034 # lib.sh runs it
PLBRUN=$tmp/stage/opt/plbrun/bin/plbrun
alone --quiet "$tmp/points.conf"
ok "the installed plbrun finds its kernels" $?
alone "$tmp/kernel/app.conf"
ok "one rank" $?
cp "$tmp/kernel/distances.npy" "$tmp/ref.npy"
ranks 3 "$tmp/kernel/app.conf"
ok "three ranks" $?
cmp "$tmp/kernel/distances.npy" "$tmp/ref.npy" >"$tmp/out" 2>&1
ok "with the same result" $?

# Independent of plbrun: distances of four known points are 1, 1, 2 and 2.
{
    header="{'descr': '<f8', 'fortran_order': False, 'shape': (4, 1), }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"
    printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\x24\x40\0\0\0\0\0\0\x28\x40' # 0, 1, 10, 12
} >"$tmp/kernel/points.npy"
ranks 2 "$tmp/kernel/app.conf"
ok "four points by hand" $?
[ "$(tail -c 32 "$tmp/kernel/distances.npy" | od -v -An -tf8 -w8 | tr -d ' ' | tr '\n' ' ')" = "1 1 2 2 " ]
ok "and their distances" $?
done_testing
