#!/usr/bin/env bash
# The folder for machines without our packages: made from the built tree, moved, and run by itself.
# test/run: real MPI, which is in the bundle.
. "$(dirname "$0")/../support/lib.sh"
[ -z "${SAN:-}" ] || { skip "the bundle" "it is made of the normal build"; done_testing; }
if ! command -v patchelf >/dev/null; then
    skip "the bundle" "there is no patchelf (scripts/install-deps --bundle)"
    done_testing
fi

bundle() { "$root/scripts/bundle" "$@" >"$tmp/out" 2>&1; }
status_of() { "$@"; echo $?; }
one_sentence() { [ "$(wc -l <"$tmp/out")" -eq 1 ]; } # in $tmp/out

mkdir "$tmp/mine" && touch "$tmp/mine/README"
[ "$(status_of bundle "$tmp/mine")" -eq 2 ] && one_sentence && [ "$(ls "$tmp/mine")" = README ]
ok "a folder that is no bundle is left alone" $?
[ "$(status_of bundle --no-such-option)" -eq 2 ] && one_sentence
ok "an unknown option" $?
[ "$(status_of bundle --check "$tmp/mine")" -eq 2 ] && one_sentence
ok "--check of what is no bundle" $?

# A result of an example is no part of it.
left=$root/examples/demo/left-over-$$.npy
trap 'rm -rf "$left" "$tmp"' EXIT
: >"$left"
bundle "$tmp/made here"
ok "scripts/bundle FOLDER" $?
rm "$left"
[ -e "$tmp/made here/examples/demo/app.conf" ] && [ -z "$(find "$tmp/made here" -name '*.npy')" ]
ok "it has the examples, and not what they have written" $?
grep -q 'needs glibc 2\.' "$tmp/out"
ok "it says which glibc that needs" $?
[ "$(du -sb "$tmp/made here" | cut -f 1)" -le 60000000 ]
ok "60 MB at most" $?
[ -z "$(find "$tmp" -maxdepth 1 -name '.bundle.*')" ] &&
    [ -z "$(find "$tmp/made here" -name 'libcu*' -o -name 'libc.so*' -o -type l)" ]
ok "nothing half-made beside it; no CUDA, no glibc, no links in it" $?
# Without programs for a GPU, it says so as soon as all its parts are read.
"$tmp/made here/scripts/gpu-check" --out "$tmp/report.md" >"$tmp/out" 2>&1
[ $? -eq 1 ] && grep -q 'no GPU that plbrun can use' "$tmp/out" && [ -s "$tmp/report.md" ]
ok "the bundle's gpu-check has its parts" $?
mkdir "$tmp/moved" && mv "$tmp/made here" "$tmp/moved/to here"
bundle --check "$tmp/moved/to here"
ok "moved, it runs by itself" $?

# A missing file is noticed.
mv "$tmp/moved/to here/lib/libnlopt.so.0" "$tmp/"
bundle --check "$tmp/moved/to here"
[ $? -eq 1 ] && grep -q 'libnlopt.so.0 is not in the folder' "$tmp/out"
ok "--check misses a library" $?
mv "$tmp/libnlopt.so.0" "$tmp/moved/to here/lib/"

# Over TCP between hosts with addresses of their own, orted started as by ssh.
PATH="$tmp/moved/to here/bin:$PATH" timeout 200 "$root/scripts/testbed" run 2 -np 3 -- \
    "$tmp/moved/to here/bin/plbrun" --verify "$tmp/moved/to here/examples/demo/app.conf" matmul.columns=600 \
    >"$tmp/out" 2>&1
status=$?
if [ $status -eq 77 ]; then
    skip "two hosts" "$(grep -m1 skipped "$tmp/out")"
else
    ok "two hosts" $status
fi
done_testing
