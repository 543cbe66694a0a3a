#!/usr/bin/env bash
# How the Makefile finds MPI: as mpicc tells, whichever MPI it is of; else as pkg-config tells of Open MPI.
. "$(dirname "$0")/../support/lib.sh"
unset MAKEFLAGS MAKELEVEL
mkdir "$tmp/bin"
# mpicc SCRIPT-LINE: a program of that name.
mpicc() { printf '#!/bin/sh\n%s\n' "$1" >"$tmp/bin/mpicc"; chmod +x "$tmp/bin/mpicc"; }
# found ARGUMENTS...: the two variables, in one line. A folder of its own spares the build.
found() {
    printf 'show:\n\t@echo "$(strip $(MPI_CFLAGS)) | $(strip $(MPI_LIBS))"\n' >"$tmp/show.mk"
    make -s -C "$root" -f Makefile -f "$tmp/show.mk" show B="$tmp/build" "$@" >"$tmp/out" 2>&1
    cat "$tmp/out"
}

mpicc 'test "$1" = -show && echo gcc -I/m/include -L/m/lib -Wl,-rpath -Wl,/m/lib -lmpi'
[ "$(found MPICC="$tmp/bin/mpicc")" = \
    "-I/m/include | -L/m/lib -Wl,-rpath -Wl,/m/lib -lmpi" ]
ok "MPICH" $?
mpicc 'echo cc -I/o/include -pthread -L/o/lib -Xlinker -rpath -Xlinker /o/lib -lmpi -lrt'
[ "$(PATH=$tmp/bin:$PATH found)" = \
    "-I/o/include | -pthread -L/o/lib -Xlinker -rpath -Xlinker /o/lib -lmpi -lrt" ]
ok "the mpicc in PATH counts, with words that belong together" $?
mpicc 'exit 1'
if pkg-config ompi-c; then
    found MPICC="$tmp/bin/mpicc" >/dev/null
    grep -qF -- "$(pkg-config --libs ompi-c | sed 's/ *$//')" "$tmp/out"
    ok "an Open MPI that pkg-config knows" $?
else
    skip "an Open MPI that pkg-config knows" "there is none"
fi
[ "$(PKG_CONFIG_LIBDIR=$tmp found MPICC="$tmp/bin/mpicc")" = " | -lmpi" ]
ok "else the linker looks for it" $?
done_testing
