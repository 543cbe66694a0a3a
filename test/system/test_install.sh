#!/usr/bin/env bash
# make install and make uninstall: what was built is installed, in the folders that are asked for, and exactly
# that is taken away again.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "make install" "the installed build is not a sanitized one"; done_testing; }
unset MAKEFLAGS MAKELEVEL

# ---------------------------------------------------------------- a copy of the tree, and stubs as compilers
mkdir "$tmp/tree" "$tmp/bin"
(cd "$root" && tar -c --exclude=./build --exclude=./.git --exclude=./plbrun .) | tar -x -C "$tmp/tree"
cat >"$tmp/bin/compiler" <<'END'
#!/bin/sh
echo "$0 $*" >>"${0%/*}/log"
while [ $# -gt 0 ]; do if [ "$1" = -o ]; then touch "$2"; fi; shift; done
END
chmod +x "$tmp/bin/compiler"
cp "$tmp/bin/compiler" "$tmp/bin/nvcc"
PATH=$tmp/bin:$PATH
tree() { make -s -C "$tmp/tree" "$@" >"$tmp/out" 2>&1; }
# It may be asked where its libraries are.
compiled() { grep -v -- ' -print-' "$tmp/bin/log" >>"$tmp/out"; }

tree CUDA=0 CC=compiler CFLAGS="-O1 -DPRICE='\$\$1'" all && compiled
ok "a build without CUDA, with another compiler and other flags" $?
: >"$tmp/bin/log"
mkdir -p "$tmp/stage/usr/local/bin" "$tmp/stage/usr/local/share/man/man1"
echo other >"$tmp/stage/usr/local/share/man/man1/other.1"
content() { (cd "$tmp/stage" && find . | sort); } # of the place where it is installed
content >"$tmp/before"
tree install DESTDIR="$tmp/stage" && ! compiled
ok "make install compiles nothing: it installs what was built" $?
tree help && tree lint -n && tree CUDA=0 CC=compiler CFLAGS="-O1 -DPRICE='\$\$1'" all && ! compiled
ok "nor does a build with the same settings, after make help" $?
tree all && ! compiled && tree tests -n && grep -q '^compiler ' "$tmp/out" &&
    ! grep -q nvcc "$tmp/out" && ! compiled
ok "nor a build that names none of them, and make tests wants no nvcc" $?

for file in bin/plbrun bin/plbrun-mpirun lib/plbrun/matmul.so include/plb/kernel.h lib/pkgconfig/plbrun.pc \
    share/man/man1/plbrun.1 share/man/man1/plbrun-mpirun.1 share/man/man7/plb_kernel.7 \
    share/bash-completion/completions/plbrun share/bash-completion/completions/plbrun-mpirun \
    share/plbrun/report.schema.json share/plbrun/examples/demo/app.conf \
    share/plbrun/hostfiles/demo.cluster share/plbrun/docs/guide/run.md; do
    [ -e "$tmp/stage/usr/local/$file" ] || echo "$file is not there"
done >"$tmp/out"
ok "every kind of file is installed" $(($(wc -l <"$tmp/out") > 0))

tree install DESTDIR="$tmp/stage" && echo mine >"$tmp/stage/usr/local/lib/plbrun/mine.so" &&
    tree uninstall DESTDIR="$tmp/stage" && content | diff "$tmp/before" - >"$tmp/out"
[ "$(grep '^>' "$tmp/out")" = "> ./usr/local/lib
> ./usr/local/lib/plbrun
> ./usr/local/lib/plbrun/mine.so" ]
ok "make uninstall leaves what is somebody else's, with its folders" $?
tree install DESTDIR="$tmp/new" && tree uninstall DESTDIR="$tmp/new" && [ -z "$(ls -A "$tmp/new")" ]
ok "nothing is left in a new folder" $?
! tree uninstall DESTDIR="$tmp/new" && grep -q "same PREFIX, LIBDIR and DESTDIR" "$tmp/out"
ok "where nothing is installed, make uninstall says so" $?

# A bench reads its settings from the environment. make exports a variable of its own that has such a name.
mkdir -p "$tmp/tree/build/bench"
printf '#!/bin/sh\necho "$BALANCERS"\n' >"$tmp/tree/build/bench/random"
chmod +x "$tmp/tree/build/bench/random"
BALANCERS=sure,static BENCH_RANDOM=1 tree -o build/bench/random bench-random &&
    grep -qx sure,static "$tmp/out"
ok "BALANCERS= of make bench-random reaches the bench" $?

# ------------------------------------------------------------------------------------- the program itself
PATH=${PATH#"$tmp/bin:"}
lib=/opt/plbrun/lib/x86_64-linux-gnu to=$tmp/distribution/opt/plbrun
make -s -C "$root" install DESTDIR="$tmp/distribution" PREFIX=/opt/plbrun LIBDIR=$lib >"$tmp/out" 2>&1
ok "make install LIBDIR= of a distribution" $?
# shellcheck disable=SC2034 # lib.sh runs it
PLBRUN=$to/bin/plbrun
alone --kernels
grep -q "$to/bin/../lib/x86_64-linux-gnu/plbrun/matmul.so" "$tmp/out"
ok "the program finds its kernels there" $?
cd "$to/share/plbrun" && alone --quiet --simulate hostfiles/demo.cluster examples/demo/app.conf
ok "an installed example runs" $?

export PKG_CONFIG_PATH=$tmp/distribution$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$tmp/distribution
# shellcheck disable=SC2046 # several words
gcc -O1 -fopenmp -fPIC -shared $(pkg-config --cflags plbrun) -o "$tmp/nearest.so" \
    examples/custom-kernel/nearest.c -lm >"$tmp/out" 2>&1
ok "a kernel compiles with pkg-config --cflags plbrun" $?
cp "$tmp/nearest.so" "$(pkg-config --variable=kernel_dir plbrun)" && alone --kernels &&
    grep -q '^nearest ' "$tmp/out"
ok "a kernel in pkg-config's kernel_dir is found by its name" $?
[ "plbrun $(pkg-config --modversion plbrun)" = "$("$PLBRUN" --version)" ]
ok "pkg-config knows the version" $?
done_testing
