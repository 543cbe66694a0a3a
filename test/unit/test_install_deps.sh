#!/usr/bin/env bash
# The packages that scripts/install-deps asks apt-get for. None is installed, and no list of them is there.
. "$(dirname "$0")/../support/lib.sh"
mkdir "$tmp/bin"
lines "$tmp/bin/apt-get" '#!/bin/sh' "echo \"\$*\" >>'$tmp/asked'"
for tool in dpkg-query apt-cache; do lines "$tmp/bin/$tool" '#!/bin/sh'; done
lines "$tmp/bin/sudo" '#!/bin/sh' '[ "$1" = -v ] || exec "$@"'
chmod +x "$tmp"/bin/*

# asks ARGUMENT PACKAGE...: with this argument it installs these packages, among others.
asks() {
    rm -f "$tmp/asked"
    PATH=$tmp/bin:$PATH "$root/scripts/install-deps" ${1:+"$1"} >"$tmp/out" 2>&1 || return
    for p in "${@:2}"; do grep -q "^install .* $p\( \|\$\)" "$tmp/asked" || return; done
}
asks '' gcc make libopenmpi-dev libnlopt-dev
ok "what a build needs" $?
browser=chromium
! grep -qsi ubuntu /etc/os-release || browser=
asks --test gcc valgrind iproute2 gnuplot-nox parallel $browser
ok "what the tests need, and a browser" $?
! asks --everything
ok "an option that it has not" $?
done_testing
