#!/usr/bin/env bash
# make dist: the release has the files of the commit, the same bytes each time, and is of use without git.
# Notes and checksums go with it, and a tag agrees with the version of the program. Packages have that
# version, too; make check-packages builds them.
. "$(dirname "$0")/../support/lib.sh"
unset MAKEFLAGS MAKELEVEL
cd "$root" || exit 1
version=$("$PLBRUN" --version | sed 's/^plbrun //')

{
    sed -nE '1s/^plbrun \((.*)-[0-9]+\) .*/debian \1/p' packaging/debian/changelog
    sed -nE 's/^ *version\("([^"]*)".*/spack \1/p' packaging/spack/package.py | head -n 1
    sed -nE 's/^version: (.*)/citation \1/p' CITATION.cff
    sed -nE 's/^VERSION = "(.*)"/python \1/p' python/plbrun/_version.py
} | tee "$tmp/out" | grep -vE "^(debian|spack|citation|python) ${version//./\\.}\$"
ok "packages have the version of the program" $(($? == 0 || $(wc -l <"$tmp/out") != 4))

# Addresses of .invalid lead nowhere, and say so. A homepage or contact that there is comes into this list.
grep -rhoE 'https?://[^ ")>]+|[[:alnum:]._-]+@[[:alnum:].-]+\.[[:alpha:]]+' CITATION.cff packaging/debian \
    packaging/spack python/pyproject.toml scripts/install.d | sort -u |
    grep -vxE 'https://(www.debian.org/doc|creativecommons.org/licenses)/.*|unset@plbrun.invalid' >"$tmp/out"
ok "packages name no homepage or contact that is not there" $(($? != 1))

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
(cd "$tmp/a" && sha256sum --quiet -c SHA256SUMS) >"$tmp/out" 2>&1 &&
    [ "$(sed 's/.* //' "$tmp/a/SHA256SUMS" | tr '\n' ' ')" = "$name.tar.xz $name-notes.md " ]
ok "SHA256SUMS has the tarball and the notes" $?
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

DEBFULLNAME='A & B' DEBEMAIL=ab@localhost \
    scripts/deb --unpack "$tmp/a/$name.tar.xz" "$tmp/deb" >"$tmp/out" 2>&1 &&
    grep -hE '^Maintainer:| -- ' "$tmp/deb/$name/debian/"{control,changelog} | sed 's/>.*/>/' >"$tmp/out" &&
    printf '%s A & B <ab@localhost>\n' Maintainer: ' --' | diff - "$tmp/out" >/dev/null
ok "whoever builds packages may be their maintainer" $?

# A dpkg-buildpackage that makes one package, whatever it is given.
mkdir "$tmp/bin" && cat >"$tmp/bin/dpkg-buildpackage" <<'END'
#!/bin/sh
echo package >../plbrun_1_all.deb && echo plbrun_1_all.deb science optional >debian/files
END
chmod +x "$tmp/bin/dpkg-buildpackage"
packed=0
for _ in 1 2; do
    PATH=$tmp/bin:$PATH scripts/deb "$tmp/a/$name.tar.xz" "$tmp/a" >"$tmp/out" 2>&1 || packed=1
done
(cd "$tmp/a" && sha256sum --quiet -c SHA256SUMS) >>"$tmp/out" 2>&1 &&
    [ "$(sed 's/.* //' "$tmp/a/SHA256SUMS" | tr '\n' ' ')" = "$name.tar.xz $name-notes.md plbrun_1_all.deb " ]
ok "make deb adds its packages to SHA256SUMS, once" $(($? || packed))

# A clone whose commits and tags are this test's.
clone=$tmp/clone
cp scripts/dist "$clone/scripts"
git -C "$clone" tag -l | xargs -r git -C "$clone" tag -d >/dev/null
commit() { git -C "$clone" -c user.name=test -c user.email=test@localhost commit -qam "$1"; }
changes() { # LINE...: the CHANGELOG of the clone's next commit
    { lines /dev/stdout '# Changelog' '' '## [Unreleased]' '' "$@"; } >"$clone/CHANGELOG.md"
    commit 'changelog: another one'
}
release() { rm -rf "$tmp/r" && "$clone/scripts/dist" "$tmp/r" >"$tmp/out" 2>&1; }
refused() { # SENTENCE: the release is refused so, and nothing is written
    release
    [ $? -eq 1 ] && [ "$(grep -c . "$tmp/out")" -eq 1 ] && grep -qF "$1" "$tmp/out" && [ ! -e "$tmp/r" ]
}
notes=$tmp/r/$name-notes.md
dated="## [$version] - 2026-01-31"

changes '- Later.' '' "$dated" '' 'First [words](docs/start.md#install).' '' '## [0.0.9] - 2025-12-31' Old.
lines "$tmp/notes" "# plbrun $version" '' "First words (\`docs/start.md#install\`)."
release && diff "$tmp/notes" "$notes" >>"$tmp/out"
ok "the notes are the part of CHANGELOG.md about this version" $?
git -C "$clone" tag "v$version"
refused "CHANGELOG.md has changes under [Unreleased]"
ok "a tagged commit with unreleased changes is refused" $?
changes "${dated% - *}" 'First words.' && git -C "$clone" tag -f "v$version" >/dev/null
refused "CHANGELOG.md has no line '## [$version] - DATE'"
ok "a tagged commit without a date in CHANGELOG.md is refused" $?
changes "$dated" 'First words.' && git -C "$clone" tag -f "v$version" >/dev/null
release && [ -s "$tmp/r/$name.tar.xz" ] && [ -s "$notes" ]
ok "a tag of this version is released" $?
git -C "$clone" tag v9.8.7
refused "has the tag v9.8.7, and runtime/base/version.h says $version"
ok "a tag of another version is refused with one sentence" $?
git -C "$clone" tag -d v9.8.7 >/dev/null && git -C "$clone" tag very-good && release
ok "a tag that is no version is none" $?
changes '- Later.' && release && [ "$(tail -n 1 "$notes")" = '- Later.' ]
ok "where the version has no part of CHANGELOG.md, the notes are the unreleased changes" $?
done_testing
