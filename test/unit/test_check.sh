#!/usr/bin/env bash
# scripts/check: what it prints, what build/checked says, and which stages it does not run again. In a
# repository of its own, with a make that does nothing.
. "$(dirname "$0")/../support/lib.sh"
unset PLB_STRICT # that of the run which this test is part of
command -v git >/dev/null || { skip "scripts/check" "no git"; done_testing; }
mkdir -p "$tmp/bin" "$tmp/repository/scripts"
cd "$tmp/repository" || exit 1
cp "$root/scripts/check" scripts/
lines scripts/install-deps '#!/bin/sh' 'exit 0'
lines .gitignore '/build/'
lines "$tmp/bin/make" '#!/bin/sh' "echo \"\$*\" >>$tmp/made" 'case $* in *tests) exit 0 ;; esac' \
    "echo 'test/unit/test_one.sh    3 passed   0 failed   1 skipped    0 s'" \
    "echo '    skipped: a plot: no gnuplot'" "cat $tmp/counts"
chmod +x "$tmp/bin/make" scripts/install-deps
git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm one
commit=$(git rev-parse HEAD)
lines "$tmp/counts" '3 passed, 0 failed, 1 skipped'
check() { : >"$tmp/made"; PATH=$tmp/bin:$PATH scripts/check "$@" >"$tmp/out" 2>&1; }

check && [ "$(tail -n 1 "$tmp/out")" = '3 passed, 0 failed, 1 skipped' ]
ok "the last line has the counts" $?
sed -E 's/[0-9]+ s$/N s/' build/checked >"$tmp/checked"
lines "$tmp/wanted" "commit $commit" 'stage as built: 3 passed, 0 failed, 1 skipped, N s' \
    'skipped in as built: test/unit/test_one.sh: a plot: no gnuplot' '3 passed, 0 failed, 1 skipped'
diff "$tmp/checked" "$tmp/wanted" >"$tmp/out"
ok "build/checked has the commit, the stage, and why something was skipped" $?
check --all && grep -q 'QUICK=1' "$tmp/made" && grep -q '^skips as test/skips' build/checked
ok "--all looks again, since any skip was good" $?
PLB_STRICT=1 check && check --all && [ "$(grep -c 'QUICK=1' "$tmp/made")" -eq 0 ] &&
    [ "$(tail -n 1 "$tmp/out")" = '21 passed, 0 failed, 7 skipped' ] &&
    [ "$(grep -c '^stage ' build/checked)" -eq 7 ] && [ "$(grep -c '^skipped in ' build/checked)" -eq 7 ]
ok "--all counts what the same commit has passed, and does not run it again" $?
echo >>.gitignore
check --all && grep -q 'QUICK=1' "$tmp/made" &&
    [ "$(head -n 1 build/checked)" = "commit $commit with changes" ]
ok "with changes it does" $?
git checkout -q .gitignore
lines "$tmp/counts" '2 passed, 1 failed, 1 skipped'
check; [ $? -eq 1 ] && [ "$(tail -n 1 build/checked)" = '2 passed, 1 failed, 1 skipped' ]
ok "where a test fails, the status is 1" $?
lines "$tmp/counts" '3 passed, 0 failed, 1 skipped'
check --all && grep -q 'QUICK=1' "$tmp/made"
ok "a stage that has failed runs again" $?
# A terminal sends SIGINT to all that runs.
lines "$tmp/bin/make" '#!/bin/sh' 'case $* in *tests) exit 0 ;; esac' "touch $tmp/runs" 'sleep 20'
rm -f build/checked
PATH=$tmp/bin:$PATH env --default-signal=INT setsid scripts/check >"$tmp/out" 2>&1 &
process=$!
for ((i = 0; i < 200; i++)); do [ ! -e "$tmp/runs" ] || break; sleep 0.1; done
kill -INT -- "-$process"
wait "$process"
[ $? -eq 130 ] && grep -q '^check: interrupted by SIGINT' "$tmp/out" && ! grep -q passed "$tmp/out" &&
    [ ! -e build/checked ]
ok "where it is interrupted, it says so and counts nothing" $?
check --al; [ $? -eq 2 ] && grep -q 'no option --al' "$tmp/out"
ok "an unknown option is refused" $?
done_testing
