#!/usr/bin/env bash
# make dist: the release has the files of the commit, the same bytes each time, and is of use without git.
# Packages have the version of the program. make check-packages builds them.
. "$(dirname "$0")/../support/lib.sh"
unset MAKEFLAGS MAKELEVEL
cd "$root" || exit 1
version=$("$PLBRUN" --version | sed 's/^plbrun //')

{
    sed -nE '1s/^plbrun \((.*)-[0-9]+\) .*/debian \1/p' packaging/debian/changelog
    sed -nE 's/^ *version\("([^"]*)".*/spack \1/p' packaging/spack/package.py | head -n 1
    sed -nE 's/^version: (.*)/citation \1/p' CITATION.cff
} | tee "$tmp/out" | grep -vE "^(debian|spack|citation) ${version//./\\.}\$"
ok "packages have the version of the program" $(($? == 0 || $(wc -l <"$tmp/out") != 3))

if ! git rev-parse --git-dir >/dev/null 2>&1 || [ -n "$(git rev-parse --show-prefix)" ]; then
    scripts/dist "$tmp/none" >"$tmp/out" 2>&1
    [ $? -eq 1 ] && grep -q 'not a git checkout' "$tmp/out" && [ ! -e "$tmp/none" ]
    ok "no release is made outside git" $?
    done_testing
fi
git clone -q --shared . "$tmp/clone" && touch "$tmp/clone/examples/mandelbrot/set.png" &&
    make -s -C "$tmp/clone" list-examples | sort >"$tmp/listed" &&
    git -C "$tmp/clone" ls-files examples | sort | diff - "$tmp/listed" >"$tmp/out"
ok "results of examples are not installed" $?
export XZ_OPT=-0 # quick
version=$(git show HEAD:runtime/base/version.h | sed -n 's/.*PLB_VERSION "\(.*\)"/\1/p')
name=plbrun-$version
make -s dist DIST="$tmp/a" >"$tmp/out" 2>&1 && [ -s "$tmp/a/$name.tar.xz" ]
ok "make dist" $?
scripts/dist "$tmp/b" >"$tmp/out" 2>&1 && cmp "$tmp/a/$name.tar.xz" "$tmp/b/$name.tar.xz" >>"$tmp/out" 2>&1
ok "again: the same bytes" $?
tar -tJf "$tmp/a/$name.tar.xz" | sed -n "/\/\$/!s/^$name\///p" | sort >"$tmp/in-release"
git -c core.quotePath=off ls-tree -r --name-only HEAD | sort | diff - "$tmp/in-release" >"$tmp/out"
ok "it has the files of the commit" $(($? || $(wc -l <"$tmp/in-release") < 500))
tar -xJf "$tmp/a/$name.tar.xz" -C "$tmp" && [ "$(stat -c %a "$tmp/$name/scripts/demo")" = 755 ]
ok "it unpacks" $?
make -s -n -C "$tmp/$name" CUDA=0 install PREFIX=/opt/plbrun >"$tmp/out" 2>&1
ok "make knows what to do there" $?
(cd "$tmp/$name" && scripts/dist "$tmp/none") >"$tmp/out" 2>&1
[ $? -eq 1 ] && grep -q 'not a git checkout' "$tmp/out" && [ ! -e "$tmp/none" ]
ok "no release is made outside git" $?
done_testing
